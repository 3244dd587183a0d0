"""The chunk table of a file: top-level statements, and inside functions the statements of the body.

A :class:`Chunk` is a run of whole lines with a text of its own; spans count inside it. A function is a header chunk
(decorators and signature) and one chunk per statement of its body, so an edit changes the text of one small chunk and no
span of any other. A long loop or scope is divided again in the same way. Blank lines between statements belong to nobody;
comments above a plain statement belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pypto_core.frontend.lines import Comment, Line, Scan, scan
from pypto_core.ir import Chunk
from pypto_core.ir.span import Anchor

_CLAUSE = re.compile(r"(?:elif|else|except|finally)\b")
#: What may have clauses below it though its body stands on its own line: ``if x: a = 1``.
_CLAUSED = re.compile(r"(?:if|elif|else|try|except|for|while|async[ \t]+for)\b")
#: Compound statements without other clauses, whose body may stand in chunks of its own.
_DIVISIBLE = re.compile(r"(?:with|for|while|if)\b")
#: Characters from which on a compound statement is divided.
LONG = 4_000
_DEFINITION = re.compile(r"(?:async[ \t]+)?(def|class)\b[ \t]*([A-Za-z_]\w*)?")


@dataclass(slots=True)
class Block:
    """A statement as lines: its own lines (decorators, header, clauses such as ``else``) and, below each, its body."""

    lines: list[Line] = field(default_factory=list)
    bodies: list[list[Block]] = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.lines[0].start

    @property
    def end(self) -> int:
        last = self.bodies[-1]
        return max(self.lines[-1].end, last[-1].end if last else 0)

    @property
    def indent(self) -> int:
        return self.lines[0].indent

    @property
    def body(self) -> list[Block]:
        """Statements below the header line of a definition."""
        return self.bodies[-1]


@dataclass(slots=True)
class Part:
    """A statement of a body. A divided one has its header in ``chunk``, its statements in ``body`` and all its lines in ``whole``."""

    chunk: Chunk
    body: list[Part] = field(default_factory=list)
    whole: str = ""

    def all(self) -> Iterator[Part]:
        """The part and those below it, in source order."""
        yield self
        for inner in self.body:
            yield from inner.all()


@dataclass(slots=True)
class Unit:
    """A top-level statement or a member of a class.

    ``header`` is the whole text of a plain statement, and decorators plus signature of a function or class; ``body``
    holds the statements of a function, ``members`` the units of a class. ``anchor`` moves all of them.
    """

    kind: Literal["statement", "function", "class"]
    name: str
    header: Chunk
    anchor: Anchor
    body: list[Part] = field(default_factory=list)
    members: list[Unit] = field(default_factory=list)

    @property
    def decorated(self) -> bool:
        return self.kind != "statement" and self.header.text.lstrip().startswith(("@", "#"))

    def chunks(self) -> Iterator[Chunk]:
        """All chunks in source order."""
        yield self.header
        for part in self.body:
            for inner in part.all():
                yield inner.chunk
        for member in self.members:
            yield from member.chunks()


def blocks(lines: Sequence[Line], text: str) -> list[Block]:
    """Statement tree by indentation. Inconsistent indentation never loses a line."""
    root: list[Block] = []
    stack: list[tuple[int, list[Block]]] = [(-1, root)]
    decorated = False
    for line in lines:
        while len(stack) > 1 and line.indent <= stack[-1][0]:
            stack.pop()
        siblings = stack[-1][1]
        previous = siblings[-1] if siblings else None
        joins = previous is not None and (
            (decorated and previous.indent == line.indent)
            or (
                _CLAUSE.match(text, line.code) is not None
                and previous.indent == line.indent
                and (previous.lines[-1].opens or _CLAUSED.match(text, previous.lines[-1].code) is not None)
            )
        )
        block = previous if joins and previous is not None else Block()
        if block is not previous:
            siblings.append(block)
        block.lines.append(line)
        block.bodies.append([])
        decorated = text.startswith("@", line.code)
        if line.opens:
            stack.append((line.indent, block.bodies[-1]))
    return root


def cut(file: str, text: str, recover: bool = False) -> list[Unit]:
    """The units of a file in source order."""
    return [unit for unit, _, _ in cut_scanned(file, text, scan(text, recover))]


def cut_scanned(
    file: str, text: str, found: Scan, start: int = 0, first_line: int = 0
) -> list[tuple[Unit, int, int]]:
    """The units of the part of a text that was scanned from ``start``, the beginning of line ``first_line`` and the end of a unit;
    each with the offset and the line at which it ends."""
    cutter = _Cutter(file, text, found, start, first_line)
    units = []
    for block in blocks(found.lines, text):
        unit, end = cutter.top_level(block), block.end
        units.append((unit, end, cutter.row(end)))
    return units


class _Cutter:
    def __init__(self, file: str, text: str, found: Scan, start: int, first_line: int) -> None:
        self.file = file
        self.text = text
        self.comments: list[Comment] = [c for c in found.comments if c.own_line]
        self._next_comment = 0
        self._start = self._covered = start
        self._rows = Chunk(file, text[start : found.end], first_line)
        self._anchor = Anchor(0)

    def row(self, offset: int) -> int:
        return self._rows.position(offset - self._start)[0]

    def top_level(self, block: Block) -> Unit:
        self._anchor = Anchor(self.row(block.start))
        return self.unit(block)

    def unit(self, block: Block) -> Unit:
        header_line = block.lines[-1]
        match = _DEFINITION.match(self.text, header_line.code)
        if match is None:
            return Unit("statement", "", self._chunk(block.start, block.end), self._anchor)
        name = match.group(2) or ""
        header = self._lines(block.start, header_line.end)
        if match.group(1) == "class":
            return Unit("class", name, header, self._anchor, members=[self.unit(b) for b in block.body])
        return Unit("function", name, header, self._anchor, [self._part(b) for b in block.body])

    def _part(self, block: Block) -> Part:
        if not self._is_divided(block):
            return Part(self._chunk(block.start, block.end))
        line = block.lines[0]
        header = self._chunk(line.start, line.end)
        whole = self.text[line.end - len(header.text) : block.end]
        return Part(header, [self._part(b) for b in block.body], whole)

    def _is_divided(self, block: Block) -> bool:
        """Whether a statement is long, has one clause, and a body whose lines are all indented by the same characters."""
        line = block.lines[0]
        if (
            block.end - block.start < LONG
            or len(block.lines) > 1
            or not block.body
            or _DIVISIBLE.match(self.text, line.code) is None
        ):
            return False
        outer = self.text[line.start : line.code]
        inner = {self.text[own.start : own.code] for part in block.body for own in part.lines}
        return len(inner) == 1 and inner.pop().startswith(outer)

    def _chunk(self, start: int, end: int) -> Chunk:
        """Lines ``start`` to ``end`` with the comment lines above them."""
        comments = self.comments
        while self._next_comment < len(comments) and comments[self._next_comment].offset < self._covered:
            self._next_comment += 1
        if self._next_comment < len(comments) and comments[self._next_comment].offset < start:
            offset = comments[self._next_comment].offset
            start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        return self._lines(start, end)

    def _lines(self, start: int, end: int) -> Chunk:
        self._covered = end
        return Chunk(self.file, self.text[start:end], self.row(start), self._anchor)
