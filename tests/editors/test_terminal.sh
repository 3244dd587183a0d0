#!/usr/bin/env bash
# The server under Neovim's built-in client and Emacs eglot (both from Debian).
set -uo pipefail
cd "$(dirname "$0")/../.."
export PYPTO_ROOT="$PWD" PYPTO_PYTHON="${PYTHON:-$PWD/.venv/bin/python}" PYTHONSAFEPATH=1
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
failed=0
echo "Neovim $(nvim --version | head -1)"
HOME="$home" timeout 300 nvim --headless -u NONE -n -c 'luafile tests/editors/neovim.lua' || failed=1
elpa=/usr/share/emacs/site-lisp/elpa
echo "Emacs $(emacs --version | head -1)"
load=()
for folder in "$elpa"/{eglot,xref,project,seq}-*; do [ -d "$folder" ] && load+=(-L "$folder"); done
HOME="$home" timeout 300 emacs --batch -q "${load[@]}" --load tests/editors/eglot.el || failed=1
exit "$failed"
