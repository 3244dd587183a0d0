"""Source positions: chunks of text and spans inside them (docs/spec/ir.md §1.2, docs/spec/design/decisions.md 4).

A file is cut into chunks; a span is a pair of character offsets into the text of *its* chunk. Typing above a chunk
moves the chunk but changes no span, so no cached fact below the edit becomes stale. Absolute positions are computed only
when a fact is published.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

#: What ends a line for Python and for editors; form feeds and Unicode separators do not.
_LINE_END = re.compile("\r\n|\r|\n")
_WORD = re.compile(r"\w+")


class Anchor:
    """A line of a file that moves with the text around it."""

    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        self.line = line


_FIXED: Final = Anchor(0)


class Chunk:
    """A run of whole lines of one file.

    ``text`` starts at the beginning of a line and never changes. ``first_line`` (0-based line of the file on which the
    chunk starts) is all that its owner, the file's chunk table, may change; nothing cached may depend on it.
    Chunks that always move together share an :class:`Anchor`: while a chunk has the same one, it has the same number of lines between
    itself and the others.
    """

    __slots__ = ("_row", "_starts", "_words", "anchor", "file", "text")

    def __init__(self, file: str, text: str, first_line: int = 0, anchor: Anchor | None = None) -> None:
        self.file = file
        self.text = text
        self.anchor = anchor if anchor is not None else _FIXED
        self._row = first_line - self.anchor.line
        self._starts: list[int] | None = None
        self._words: frozenset[str] | None = None

    @property
    def first_line(self) -> int:
        return self.anchor.line + self._row

    def take_place(self, other: Chunk) -> None:
        """Stand where ``other`` stands, and move with its neighbours."""
        self.anchor, self._row = other.anchor, other._row

    def line_starts(self) -> list[int]:
        """Offsets at which the lines of the chunk begin; lines end with LF, CRLF or a lone CR."""
        if self._starts is None:
            starts = [0, *(m.end() for m in _LINE_END.finditer(self.text))]
            self._starts = starts
        return self._starts

    def words(self) -> frozenset[str]:
        """Runs of letters, digits and underscores in the text."""
        if self._words is None:
            self._words = frozenset(_WORD.findall(self.text))
        return self._words

    def position(self, offset: int) -> tuple[int, int]:
        """Absolute 0-based (line, column in characters) of a character offset."""
        starts = self.line_starts()
        row = bisect_right(starts, offset) - 1
        return self.first_line + row, offset - starts[row]

    def row(self, offset: int) -> int:
        """The line of the chunk, counted from its first, on which a character offset is."""
        return bisect_right(self.line_starts(), offset) - 1

    def offset(self, line: int, column: int) -> int:
        """Offset of an absolute 0-based (line, column); clamps to the chunk."""
        starts = self.line_starts()
        row = line - self.first_line
        if row < 0:
            return 0
        if row >= len(starts):
            return len(self.text)
        end = starts[row + 1] if row + 1 < len(starts) else len(self.text)
        return min(starts[row] + column, end)

    def __repr__(self) -> str:
        return f"Chunk({self.file!r}, line {self.first_line + 1}, {len(self.text)} characters)"


class Span:
    """Characters ``start`` to ``end`` (exclusive) of ``chunk.text``; :meth:`unknown` has no chunk."""

    __slots__ = ("chunk", "end", "start")

    def __init__(self, chunk: Chunk | None, start: int, end: int) -> None:
        self.chunk: Final = chunk
        self.start: Final = start
        self.end: Final = end

    @staticmethod
    def unknown() -> Span:
        """The span of something that no source text stands for."""
        return UNKNOWN_SPAN

    @property
    def is_valid(self) -> bool:
        """Whether source text stands for it; see :meth:`unknown`."""
        return self.chunk is not None

    @property
    def filename(self) -> str:
        """The file as it was named when it was read, empty when unknown."""
        return self.chunk.file if self.chunk is not None else ""

    @property
    def line(self) -> int:
        """1-based line, -1 when unknown."""
        return self.chunk.position(self.start)[0] + 1 if self.chunk is not None else -1

    @property
    def column(self) -> int:
        """1-based column in characters, -1 when unknown."""
        return self.chunk.position(self.start)[1] + 1 if self.chunk is not None else -1

    @property
    def end_line(self) -> int:
        """1-based line of the character behind the last one, -1 when unknown."""
        return self.chunk.position(self.end)[0] + 1 if self.chunk is not None else -1

    @property
    def end_column(self) -> int:
        """1-based column of the character behind the last one, -1 when unknown."""
        return self.chunk.position(self.end)[1] + 1 if self.chunk is not None else -1

    @property
    def text(self) -> str:
        """The author's characters."""
        return self.chunk.text[self.start : self.end] if self.chunk is not None else ""

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies inside it; spans of two chunks never contain each other."""
        return self.chunk is other.chunk and self.start <= other.start and other.end <= self.end

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of ``other`` (same chunk, else this span)."""
        return Span(self.chunk, self.start, other.end) if other.chunk is self.chunk else self

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Span)
            and self.chunk is other.chunk
            and self.start == other.start
            and self.end == other.end
        )

    def __hash__(self) -> int:
        return hash((id(self.chunk), self.start, self.end))

    def __repr__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}"


UNKNOWN_SPAN: Final = Span(None, 0, 0)
