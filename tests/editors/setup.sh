#!/usr/bin/env bash
# Tools for the tests in real editors, below .cache/editors: Node 24, code-server (the VS Code workbench), playwright-core.
# Everything comes from the npm registry; nothing is compiled and no install script runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache="$PWD/.cache/editors"
NODE=24.21.0 CODE_SERVER=4.139.1 PLAYWRIGHT=1.65.1
case "$(uname -m)" in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "no Node for $(uname -m)" >&2; exit 1 ;; esac
stamp="$cache/.ready-$NODE-$CODE_SERVER-$PLAYWRIGHT"
[ -f "$stamp" ] && exit 0
rm -rf "$cache" && mkdir -p "$cache/tools" && cd "$cache"
npm install --prefix tools --no-audit --no-fund --ignore-scripts --loglevel=error "node-linux-$arch@$NODE" "playwright-core@$PLAYWRIGHT" >&2
npm pack --silent "code-server@$CODE_SERVER" >/dev/null
tar xzf "code-server-$CODE_SERVER.tgz" && rm "code-server-$CODE_SERVER.tgz"
node_bin="$cache/tools/node_modules/node-linux-$arch/bin"
[ -x "$node_bin/node" ]
export PATH="$node_bin:$PATH"
(cd package && npm install --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error) >&2
(cd package/lib/vscode && npm install --omit=dev --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error) >&2
ln -sfn "$node_bin" "$cache/node-bin"
touch "$stamp"
