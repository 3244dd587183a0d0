"""``python -m pypto_lsp``."""

import os
import sys

# Python looks for modules in the current folder first, and that is where the author's files are: a file of theirs that is
# called like a library must not be imported in its place. Only modules that Python has loaded itself are used up to here.
if not getattr(sys.flags, "safe_path", False) and sys.path and sys.path[0] in ("", os.getcwd()):
    if not os.path.samefile(sys.path[0] or ".", os.path.dirname(os.path.dirname(os.path.abspath(__file__)))):
        del sys.path[0]

from pypto_lsp.cli import main

if __name__ == "__main__":
    main()
