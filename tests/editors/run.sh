#!/usr/bin/env bash
# Tests that need more than Python: the extension's own (npm), and the server in real editors. What the machine lacks is left out
# with a line that says so; with PYPTO_EDITORS=required that is an error. Arguments: extension, terminal, vscode (default: all).
set -uo pipefail
cd "$(dirname "$0")/../.."
failed=0

left_out() {
  echo "left out: $1 - $2"
  if [ "${PYPTO_EDITORS:-}" = required ]; then failed=1; fi
}

missing() {
  for program in "$@"; do command -v "$program" >/dev/null || { echo "$program"; return; }; done
}

extension() {
  local lacks; lacks="$(missing npm node)"
  if [ -n "$lacks" ]; then left_out "unit tests of the extension" "no $lacks"; return; fi
  if ! bash tests/editors/install_extension_tools.sh; then left_out "unit tests of the extension" "npm could not install what they need"; return; fi
  (cd vscode-extension && npm test --silent) || failed=1
}

terminal() {
  local lacks; lacks="$(missing nvim emacs)"
  if [ -n "$lacks" ]; then left_out "tests in Neovim and Emacs" "no $lacks"; return; fi
  bash tests/editors/test_terminal.sh || failed=1
}

vscode() {
  local lacks; lacks="$(missing npm node "${CHROMIUM:-chromium}")"
  if [ -n "$lacks" ]; then left_out "tests in the VS Code workbench" "no $lacks"; return; fi
  if ! bash tests/editors/setup.sh; then left_out "tests in the VS Code workbench" "npm could not install what they need"; return; fi
  bash tests/editors/test_vscode.sh || failed=1
}

for part in "${@:-extension terminal vscode}"; do for name in $part; do "$name"; done; done
exit "$failed"
