#!/usr/bin/env bash
# Packages the extension and its workbench tests, then runs them in code-server. Argument: folder for screenshots (optional).
set -euo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
bash tests/editors/setup.sh
export PATH="$root/.cache/editors/node-bin:$PATH"
(cd vscode-extension && { [ -d node_modules ] || npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >&2; } && npx vsce package --no-dependencies -o "$root/.cache/editors/pypto-lsp.vsix" >/dev/null)
(cd tests/editors/vscode/suite && "$root/vscode-extension/node_modules/.bin/vsce" package --no-dependencies -o "$root/.cache/editors/tests.vsix" >/dev/null)
samples="$root/.cache/editors/samples"
rm -rf "$samples" && mkdir -p "$samples"
cp docs/samples/*.py tests/editors/fixable.py "$samples"
node tests/editors/vscode/run.mjs .cache/editors/pypto-lsp.vsix .cache/editors/tests.vsix "$samples" "${PYTHON:-$root/.venv/bin/python}" ${1:-}
