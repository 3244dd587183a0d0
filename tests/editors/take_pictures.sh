#!/usr/bin/env bash
# Takes the pictures of the documentation in the VS Code workbench. Argument: folder for them.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache="$(bash tests/editors/package_extension.sh)"
export PATH="$cache/node-bin:$PATH"
samples="$cache/picture-samples"
rm -rf "$samples" && mkdir -p "$samples"
cp docs/samples/*.py "$samples"
node tests/editors/vscode/pictures.mjs "$cache/pypto-lsp.vsix" "$samples" "${PYTHON:-$PWD/.venv/bin/python}" "$1"
