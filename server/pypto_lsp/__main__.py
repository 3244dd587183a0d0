"""``python -m pypto_lsp``."""

from pypto_lsp.cli import main

if __name__ == "__main__":
    main()
