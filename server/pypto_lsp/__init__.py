"""Language server and command line for PyPTO kernels; everything they know comes from ``pypto_core``."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("pypto-lsp")
except PackageNotFoundError:  # running from a folder that was never installed
    __version__ = "0+unknown"
