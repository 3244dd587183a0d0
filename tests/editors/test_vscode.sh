#!/usr/bin/env bash
# Packages the extension and its workbench tests, then runs them in code-server.
set -euo pipefail
cd "$(dirname "$0")/../.."
root="$PWD"
cache="$(bash tests/editors/package_extension.sh)"
export PATH="$cache/node-bin:$PATH"
(cd tests/editors/vscode/suite && "$root/vscode-extension/node_modules/.bin/vsce" package --no-dependencies --skip-license -o "$cache/tests.vsix" >/dev/null)
samples="$cache/samples"
rm -rf "$samples" && mkdir -p "$samples"
cp -r docs/samples/*.py tests/editors/fixable.py tests/editors/vscode/workspace/* "$samples"
node tests/editors/vscode/run.mjs "$cache/pypto-lsp.vsix" "$cache/tests.vsix" "$samples" "${PYTHON:-$root/.venv/bin/python}"
