"""Between the core's positions (lines and characters) and the protocol's (the client's encoding)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec

from pypto_core import Chunk, Span
from pypto_lsp.modules import has_no_path

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def columns_of(span: Span) -> tuple[int, int]:
    """0-based columns, in characters, of a span on one line."""
    return span.column - 1, span.end_column - 1


_ORIGIN = types.Position(line=0, character=0)
NOWHERE = types.Range(start=_ORIGIN, end=_ORIGIN)


def path_of(uri: str) -> str:
    """File path of a uri; the uri itself where there is none (an unsaved file)."""
    found = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(found).as_posix() if found else uri


def uri_of(path: str) -> str:
    """The inverse of :func:`path_of`."""
    if has_no_path(path):
        return path
    return uris.from_fs_path(str(Path(path).absolute())) or path


def range_in_chunk(span: Span, codec: PositionCodec) -> types.Range:
    """Client range of a span by the text of its chunk: good in every version of the file that has the chunk."""
    if span.chunk is None:
        return NOWHERE

    def position(chunk: Chunk, offset: int) -> types.Position:
        line, column = chunk.position(offset)
        before = chunk.text[offset - column : offset]
        units = len(before) if before.isascii() else codec.client_num_units(before)
        return types.Position(line=line, character=units)

    return types.Range(start=position(span.chunk, span.start), end=position(span.chunk, span.end))


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
        units = len(text) if text.isascii() else self.codec.client_num_units(text)
        return types.Position(line=line, character=units)

    def range(self, span: Span) -> types.Range:
        """Client range of a span; an unknown one is the start of the file."""
        if not span.is_valid:
            return NOWHERE
        assert span.chunk is not None
        return types.Range(
            start=self.position(*span.chunk.position(span.start)),
            end=self.position(*span.chunk.position(span.end)),
        )

    def column(self, position: types.Position) -> int:
        """Column in characters of a client position."""
        if position.line >= len(self.lines):
            return 0
        text = self.lines[position.line]
        if text.isascii():
            return min(position.character, len(text.rstrip("\r\n")))
        units = 0
        for column, character in enumerate(text):
            if units >= position.character:
                return column
            units += self.codec.client_num_units(character)
        return len(text.rstrip("\r\n"))


class Text:
    """A text with its lines (:func:`split_lines`); never changed in place. A change looks at the lines around it and copies the others."""

    def __init__(self, text: str, lines: list[str] | None = None) -> None:
        self.text = text
        self.lines = split_lines(text) if lines is None else lines

    def changed(self, changes: Sequence[types.TextDocumentContentChangeEvent], codec: PositionCodec) -> Text:
        """The text after the changes of one notification, each on top of the one before."""
        now = self
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                now = Text(change.text)
            else:
                now = now._replaced(change.range, change.text, codec)
        return now

    def _replaced(self, place: types.Range, new: str, codec: PositionCodec) -> Text:
        lines, last = self.lines, len(self.lines) - 1
        positions = Positions(lines, codec)
        # A range that ends in front of its start is empty.
        end = max(place.start, place.end, key=lambda p: (p.line, p.character))
        # One line more at both ends: a line feed may join a carriage return.
        first = max(min(place.start.line, last) - 1, 0)
        behind = min(end.line + 2, last + 1)
        before = sum(map(len, lines[:first]))
        piece = "".join(lines[first:behind])

        def offset(position: types.Position) -> int:
            if position.line > last:
                return len(piece)
            return sum(map(len, lines[first : position.line])) + positions.column(position)

        start = offset(place.start)
        made = piece[:start] + new + piece[max(start, offset(end)) :]
        found = split_lines(made)
        if behind <= last:
            found.pop()  # the piece ends with a line break; the lines go on behind it
        text = self.text[:before] + made + self.text[before + len(piece) :]
        return Text(text, [*lines[:first], *found, *lines[behind:]])


def split_lines(text: str) -> list[str]:
    """Lines as the protocol counts them: they end with LF, CRLF or CR and with nothing else; a text that ends with a line break has
    an empty last line."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines
