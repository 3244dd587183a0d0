#!/usr/bin/env bash
# What the extension is built with, in vscode-extension/node_modules, as the lock file says.
set -euo pipefail
cd "$(dirname "$0")/../../vscode-extension"
stamp=node_modules/.installed
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
  npm ci --no-audit --no-fund --ignore-scripts --loglevel=error >&2
  touch "$stamp"
fi
