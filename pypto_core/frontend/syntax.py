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
import warnings
from dataclasses import dataclass
from typing import TypeAlias

from pypto_core.ir import Chunk, Span

Located: TypeAlias = "ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias | ast.excepthandler"

#: Python names lines of the piece it parsed, not of the file.
_LINE_IN_PIECE = re.compile(r" on line \d+| \(detected at line \d+\)")
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Why a text is no Python: the parser's words and the character where it stopped."""

    message: str
    span: Span


class SourceMap:
    """Spans of the nodes of one parsed piece.

    ``base`` is the offset in ``chunk.text`` at which the piece starts, ``skipped`` the number of lines that were put in
    front of the piece for the parser's sake.
    """

    __slots__ = ("_ascii", "_length", "_starts", "base", "chunk", "skipped", "text")

    def __init__(self, chunk: Chunk, text: str | None = None, base: int = 0, skipped: int = 0) -> None:
        self.chunk = chunk
        self.text = chunk.text if text is None else text
        self.base = base
        self.skipped = skipped
        self._starts = [0, *(m.end() for m in _NEWLINE.finditer(self.text))]
        self._ascii = self.text.isascii()
        self._length = len(self.text)

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
        """All characters of ``node``."""
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
            return ast.parse(text)
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


def string_literal(node: ast.expr | None) -> str | None:
    """Value of a string literal, None for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) is str:
        return node.value
    return None
