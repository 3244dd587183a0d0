"""Syntax trees with positions: the one place where text becomes a tree (docs/spec/language.md §6).

Trees are those of the standard library's ``ast``: it parses a 2,000-line file in a few hundredths of a second and gives
exact positions, and it never runs anything. Tools that rewrite source (quick fixes) edit
ranges of the author's text at these positions.

Positions of ``ast`` are lines and UTF-8 columns of the parsed text; :class:`SourceMap` turns them into spans, character
offsets into the chunk. A piece of a chunk (one statement of a function body, say) is parsed on its own with
:func:`parse_piece` and its spans still count in the chunk.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pypto_core.ir import Chunk, Span

Located: TypeAlias = "ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias | ast.excepthandler"

#: Python names lines of the piece it parsed, not of the file.
_LINE_IN_PIECE = re.compile(r" on line \d+| \(detected at line \d+\)")
_NEWLINE = re.compile(r"\r\n|\r|\n")
#: CPython counts the depth of trees that it builds in one place for all threads; two that parse at once end in a SystemError.
_PARSER = threading.Lock()


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Why a text is no Python: the parser's words and the character where it stopped."""

    message: str
    span: Span


class SourceMap:
    """Spans of the nodes of one parsed piece.

    ``base`` is the offset in ``chunk.text`` at which the piece starts, ``skipped`` the number of lines that were put in
    front of the piece for the parser's sake. The map of the header of a divided statement (``whole`` is all its text) has the
    maps of all pieces below it as ``parts``; their nodes have line numbers of their own, so it finds the spans of those too.
    ``memory`` is for what is worked out of the nodes of the piece and goes with them.
    """

    __slots__ = (
        "_ascii",
        "_firsts",
        "_length",
        "_starts",
        "base",
        "chunk",
        "memory",
        "parts",
        "skipped",
        "text",
        "whole",
    )

    def __init__(self, chunk: Chunk, text: str | None = None, base: int = 0, skipped: int = 0) -> None:
        self.chunk = chunk
        self.text = chunk.text if text is None else text
        self.base = base
        self.skipped = skipped
        self.whole = self.text
        self.memory: dict[tuple[str, int], Any] = {}
        self.parts: Sequence[SourceMap] = ()
        self._firsts: list[int] = []
        self._starts = [0, *(m.end() for m in _NEWLINE.finditer(self.text))]
        self._ascii = self.text.isascii()
        self._length = len(self.text)

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line number of the nodes of this piece."""
        return self.skipped + 1, self.skipped + len(self._starts) - (self._starts[-1] == self._length)

    @property
    def starts(self) -> list[int]:
        """Offsets in ``text`` at which its lines begin."""
        return self._starts

    def moved(self, lines: int) -> SourceMap:
        """The map for nodes whose line numbers are larger by so much."""
        return SourceMap(self.chunk, self.text, self.base, self.skipped + lines)

    def divided(self, parts: Sequence[SourceMap], whole: str) -> SourceMap:
        """The same for a header with ``parts`` below it."""
        made = self.moved(0)
        made.parts = sorted(parts, key=_first_line)
        made._firsts = [part.skipped + 1 for part in made.parts]
        made.whole = whole
        return made

    def of(self, node: Located) -> SourceMap:
        """The map of the piece that a node stands in."""
        if not self.parts:
            return self
        place = bisect_right(self._firsts, node.lineno) - 1
        part = self.parts[place]
        return part if place >= 0 and node.lineno <= part.skipped + len(part._starts) else self

    def last(self, node: Located) -> Span:
        """The last characters of a statement that may be divided: those of the last statement in it."""
        inner = [c for name in ("body", "orelse", "finalbody") for c in getattr(node, name, ())]
        if self.parts and inner and isinstance(inner[-1], ast.stmt):
            return self.of(inner[-1]).last(inner[-1])
        return self.span(node)

    def offset(self, line: int, column: int) -> int:
        """Character offset in the chunk of a 1-based line and a UTF-8 column of ``ast``."""
        row = line - 1 - self.skipped
        starts = self._starts
        if row < 0:
            return self.base
        if row >= len(starts):
            return self.base + len(self.text)
        start = starts[row]
        if not self._ascii:
            end = starts[row + 1] if row + 1 < len(starts) else len(self.text)
            column = len(self.text[start:end].encode(errors="surrogatepass")[:column].decode(errors="ignore"))
        return self.base + min(start + column, len(self.text))

    def span(self, node: Located) -> Span:
        """All characters of ``node``; of a divided statement those of its header."""
        if self.parts:
            place = self.of(node)
            if place is not self:
                return place.span(node)
        if self._ascii and node.end_lineno is not None and node.end_col_offset is not None:
            # The common case, for which every expression of a kernel asks: columns are characters.
            starts, base, skipped = self._starts, self.base, self.skipped + 1
            first, last = node.lineno - skipped, node.end_lineno - skipped
            if first >= 0 and last < len(starts):
                end = min(starts[last] + node.end_col_offset, self._length)
                return Span(self.chunk, base + min(starts[first] + node.col_offset, self._length), base + end)
        end_line = node.end_lineno if node.end_lineno is not None else node.lineno
        end_column = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return Span(self.chunk, self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column))

    def start(self, node: Located) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Located) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def between(self, first: Located, last: Located) -> Span:
        """From the start of ``first`` to the end of ``last``."""
        return Span(self.chunk, self.start(first), self.end(last))

    def source(self, node: Located) -> str:
        """The author's characters."""
        return self.span(node).text


def _first_line(source: SourceMap) -> int:
    return source.skipped


def module_of(text: str) -> ast.Module:
    """The tree of a text, from any thread. Raises what ``ast.parse`` raises: SyntaxError, ValueError, RecursionError, MemoryError."""
    with _PARSER:
        return ast.parse(text)


def expression_of(text: str) -> ast.expr:
    """The tree of one expression; otherwise as :func:`module_of`."""
    with _PARSER:
        return ast.parse(text, mode="eval").body


def parse_text(chunk: Chunk, text: str | None = None) -> ast.Module | SyntaxFault:
    """Tree of a chunk (``text`` replaces its text, line for line). Never raises on any text."""
    return _parse(SourceMap(chunk, text), chunk.text if text is None else text)


def parse_piece(source: SourceMap, indented: bool) -> list[ast.stmt] | SyntaxFault:
    """Statements of a piece; an ``indented`` one is parsed under a header line that ``source`` skips."""
    tree = _parse(source, "if 1:\n" + source.text if indented else source.text)
    if isinstance(tree, SyntaxFault):
        return tree
    if not indented:
        return tree.body
    header = tree.body[0]
    assert isinstance(header, ast.If)
    return header.body


def _parse(source: SourceMap, text: str) -> ast.Module | SyntaxFault:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the author's strings are not our business
            return module_of(text)
    except SyntaxError as error:
        line = error.lineno or 1
        start = source.offset(line, 0)
        column = max((error.offset or 1) - 1, 0)
        start = min(start + column, source.base + len(source.text))
        end = start
        if error.end_lineno == error.lineno and error.end_offset is not None:
            end = min(source.offset(line, 0) + error.end_offset - 1, source.base + len(source.text))
        return SyntaxFault(
            _LINE_IN_PIECE.sub("", error.msg or "invalid syntax"), Span(source.chunk, start, max(end, start))
        )
    except (ValueError, RecursionError, MemoryError) as error:
        reason = "the text contains null characters" if isinstance(error, ValueError) else "too deeply nested"
        return SyntaxFault(reason, Span(source.chunk, source.base, source.base))


def dotted(node: ast.expr) -> tuple[str, ...] | None:
    """``a.b.c`` as names, None for anything else."""
    if isinstance(node, ast.Name):
        return (node.id,)
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    parts.reverse()
    return tuple(parts)


def int_literal(node: ast.expr | None) -> int | None:
    """Value of ``3`` or ``-3``, None for anything else (``True`` included)."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = int_literal(node.operand)
        return -inner if inner is not None else None
    return None


def literal_keywords(node: ast.Call) -> dict[str, object]:
    """Keywords of a call that are literals, with their values."""
    found: dict[str, object] = {}
    for keyword in node.keywords:
        number = int_literal(keyword.value)
        if keyword.arg is not None and (number is not None or isinstance(keyword.value, ast.Constant)):
            found[keyword.arg] = number if number is not None else keyword.value.value  # type: ignore[attr-defined]
    return found


def string_literal(node: ast.expr | None) -> str | None:
    """Value of a string literal, None for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) is str:
        return node.value
    return None
