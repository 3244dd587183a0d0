"""Language server and command line for PyPTO kernels; everything they know comes from ``pypto_core``."""

__version__: str


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: importing this package imports nothing else."""
    if name != "__version__":
        raise AttributeError(f"module 'pypto_lsp' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pypto-lsp")
    except PackageNotFoundError:  # running from a folder that was never installed
        return "0+unknown"
