#!/usr/bin/env bash
# Tools of the workbench and the packaged extension, below .cache/editors. Its last line of output is that folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache="$PWD/.cache/editors"
bash tests/editors/setup.sh >&2
export PATH="$cache/node-bin:$PATH"
bash tests/editors/install_extension_tools.sh
node vscode-extension/scripts/package.mjs --out "$cache/pypto-lsp.vsix" >&2
echo "$cache"
