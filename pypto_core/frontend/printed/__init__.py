"""Reader of printed IR."""

from pypto_core.frontend.printed.reader import PrintedProgram, is_printed, read_printed

__all__ = ["PrintedProgram", "is_printed", "read_printed"]
