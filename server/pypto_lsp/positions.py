"""Between the core's positions (lines and characters) and the protocol's (the client's encoding)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec

from pypto_core import Span

_ORIGIN = types.Position(line=0, character=0)
NOWHERE = types.Range(start=_ORIGIN, end=_ORIGIN)


def path_of(uri: str) -> str:
    """File path of a uri; the uri itself where there is none (an unsaved file)."""
    found = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return found or uri


def uri_of(path: str) -> str:
    """The inverse of :func:`path_of`."""
    if "://" in path or path.startswith("untitled:"):
        return path
    return uris.from_fs_path(str(Path(path).absolute())) or path


class Positions:
    """Positions in one version of a text."""

    def __init__(self, lines: Sequence[str], codec: PositionCodec) -> None:
        self.lines = lines
        self.codec = codec

    def position(self, line: int, column: int) -> types.Position:
        """Client position of a 0-based line and column in characters; clamps to the text."""
        if line >= len(self.lines):
            last = len(self.lines) - 1
            return self.position(last, len(self.lines[last])) if last >= 0 else _ORIGIN
        text = self.lines[line][:column]
        return types.Position(line=line, character=self.codec.client_num_units(text))

    def range(self, span: Span) -> types.Range:
        """Client range of a span; an unknown one is the start of the file."""
        if not span.is_valid:
            return NOWHERE
        return types.Range(
            start=self.position(span.line - 1, span.column - 1),
            end=self.position(span.end_line - 1, span.end_column - 1),
        )

    def column(self, position: types.Position) -> int:
        """Column in characters of a client position."""
        if position.line >= len(self.lines):
            return 0
        text = self.lines[position.line]
        units = 0
        for column, character in enumerate(text):
            if units >= position.character:
                return column
            units += self.codec.client_num_units(character)
        return len(text.rstrip("\r\n"))
