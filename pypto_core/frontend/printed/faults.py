"""The one exception inside the reader of printed text; it never leaves the room."""

from __future__ import annotations

import ast


class PrintedFault(Exception):
    """Text that the printer never writes; costs the function it stands in."""

    def __init__(self, code: str, message: str, node: ast.AST | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.node = node
