#!/usr/bin/env bash
# The server under Neovim's built-in client and Emacs eglot (both from Debian).
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYPTO_ROOT="$PWD" PYPTO_PYTHON="${PYTHON:-$PWD/.venv/bin/python}"
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
echo "Neovim $(nvim --version | head -1)"
HOME="$home" timeout 120 nvim --headless -u NONE -n -c 'luafile tests/editors/neovim.lua'
elpa=/usr/share/emacs/site-lisp/elpa
echo "Emacs $(emacs --version | head -1)"
HOME="$home" timeout 120 emacs --batch -q $(for d in "$elpa"/eglot-* "$elpa"/xref-* "$elpa"/project-* "$elpa"/seq-*; do [ -d "$d" ] && printf -- '-L %s ' "$d"; done) --load tests/editors/eglot.el
