"""From chunks to syntax trees, errors included: a broken statement costs that statement only.

A piece that parses is taken as it is. One that does not is taken apart along its lines: header and body statements
are parsed one by one, what still fails becomes a :class:`Broken` statement with one syntax fault, and all nodes keep
positions inside the piece.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from pypto_core.frontend.chunks import Block, blocks
from pypto_core.frontend.lines import scan
from pypto_core.frontend.syntax import SourceMap, SyntaxFault, parse_piece
from pypto_core.ir import Chunk

_TARGETS = re.compile(r"[ \t]*([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]*(?::[^=\n]*)?=(?!=)")
_LOOP_TARGETS = re.compile(r"[ \t]*for\b([^:\n]*?)\bin\b")
_AS_TARGET = re.compile(r"\bas[ \t]+([A-Za-z_]\w*)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FIRST_CODE = re.compile(r"^([ \t]*)[^\s#]", re.MULTILINE)
_SKIPPED = re.compile(r"[^\r\n]")


class Broken(ast.stmt):
    """A statement that does not parse: ``names`` are what it seems to bind, ``body`` the statements below it."""

    _fields = ("body",)
    names: list[str]
    body: list[ast.stmt]


def is_cut(*nodes: ast.AST) -> bool:
    """Whether something inside does not parse: what is missing in a block cannot be told then."""
    return any(isinstance(inner, Broken) for node in nodes for inner in ast.walk(node))


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with the map that turns its positions into spans."""

    node: ast.stmt
    source: SourceMap


@dataclass(slots=True)
class FunctionSyntax:
    """A function as parsed: ``node`` carries decorators, parameters and result (its body is empty unless it stands on the
    header line), ``source`` maps the header, ``body`` the statements with theirs."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    source: SourceMap
    body: list[Statement]
    faults: list[SyntaxFault] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.node.name


@dataclass(slots=True)
class ClassSyntax:
    """A class with its members; ``node`` has an empty body."""

    node: ast.ClassDef
    source: SourceMap
    functions: list[FunctionSyntax]
    others: list[Statement]
    faults: list[SyntaxFault] = field(default_factory=list)


@dataclass(slots=True)
class FileSyntax:
    """Everything a file holds, in source order."""

    items: list[FunctionSyntax | ClassSyntax | Statement]
    faults: list[SyntaxFault]


#: Stands for a body that is parsed by itself.
FILLER = "_pypto_filler_"


def is_indented(text: str) -> bool:
    first = _FIRST_CODE.search(text)
    return first is not None and first.group(1) != ""


def parse_statements(chunk: Chunk) -> tuple[list[Statement], list[SyntaxFault]]:
    """Statements of a chunk that holds no definition header, broken ones included."""
    indented = is_indented(chunk.text)
    source = SourceMap(chunk, skipped=1 if indented else 0)
    parsed = parse_piece(source, indented)
    if not isinstance(parsed, SyntaxFault):
        return [Statement(node, source) for node in parsed], []
    taken_apart = Recovery(source, indented)
    nodes = taken_apart.statements()
    return [Statement(node, source) for node in nodes], taken_apart.faults or [parsed]


class Recovery:
    """Parses the statements of one piece one by one."""

    def __init__(self, source: SourceMap, indented: bool) -> None:
        self.source = source
        self.indented = indented
        self.text = source.text
        self.faults: list[SyntaxFault] = []

    def statements(self) -> list[ast.stmt]:
        return self._all(blocks(scan(self.text, recover=True).lines, self.text))

    def _all(self, found: list[Block]) -> list[ast.stmt]:
        return [node for block in found for node in self._block(block)]

    def _block(self, block: Block) -> list[ast.stmt]:
        whole = self._parse(block.start, block.end)
        if not isinstance(whole, SyntaxFault):
            return whole
        if not any(block.bodies):
            return self._broken(block, whole, [])
        header = self._skeleton(block)
        if isinstance(header, SyntaxFault):
            return self._broken(block, header, [n for body in block.bodies for n in self._all(body)])
        bodies = [self._all(body) for body in block.bodies]
        if not _fill(header[-1], [b for b in bodies if b]):
            return [*header[:-1], *(n for body in bodies for n in body)]
        return header

    def _skeleton(self, block: Block) -> list[ast.stmt] | SyntaxFault:
        """Only the block's own lines, with fillers for the bodies that hold something."""
        kept = list(_SKIPPED.sub(" ", self.text[block.start : block.end]))
        for line, body in zip(block.lines, block.bodies, strict=True):
            own = self.text[line.start : line.end]
            kept[line.start - block.start : line.end - block.start] = own
            if line.opens:
                at = (body[0].lines[0].code if body else line.end) - block.start
                if body and at + len(FILLER) <= len(kept) and body[0].end - block.start >= at + len(FILLER):
                    kept[at : at + len(FILLER)] = FILLER
                else:
                    place = line.end - block.start - 1
                    kept[place : place + 1] = (
                        [" ", *FILLER, "\n"] if own.endswith("\n") else [*own[-1:], " ", *FILLER]
                    )
        return self._parse_text("".join(kept), block.start)

    def _parse(self, start: int, end: int) -> list[ast.stmt] | SyntaxFault:
        return self._parse_text(self.text[start:end], start)

    def _parse_text(self, text: str, start: int) -> list[ast.stmt] | SyntaxFault:
        indented = is_indented(text)
        piece = SourceMap(self.source.chunk, text, self.source.base + start, skipped=1 if indented else 0)
        parsed = parse_piece(piece, indented)
        if isinstance(parsed, SyntaxFault):
            return parsed
        shift = self.text.count("\n", 0, start) + self.source.skipped - piece.skipped
        for node in parsed:
            ast.increment_lineno(node, shift)
        return parsed

    def _broken(self, block: Block, fault: SyntaxFault, body: list[ast.stmt]) -> list[ast.stmt]:
        self.faults.append(fault)
        first = block.lines[0]
        own = self.text[first.code : first.end]
        node = Broken()
        row = self.text.count("\n", 0, first.code) + 1 + self.source.skipped
        column = first.code - first.start
        node.lineno, node.col_offset = row, column
        node.end_lineno, node.end_col_offset = (
            row,
            column + len(own.split("\n", 1)[0].rstrip().encode(errors="surrogatepass")),
        )
        node.names = bound_names(own)
        node.body = body
        return [node]


def _fill(node: ast.stmt, bodies: list[list[ast.stmt]]) -> bool:
    """Put parsed bodies in place of the fillers, in order; False when the statement has other places."""
    places: list[tuple[ast.AST, str]] = []

    def visit(inner: ast.AST) -> None:
        for name in ("body", "handlers", "orelse", "finalbody"):
            value = getattr(inner, name, None)
            if not isinstance(value, list):
                continue
            for child in value:
                if (
                    isinstance(child, ast.Expr)
                    and isinstance(child.value, ast.Name)
                    and child.value.id == FILLER
                ):
                    places.append((inner, name))
                elif isinstance(child, ast.AST):
                    visit(child)

    visit(node)
    if len(places) < len(bodies):
        return False
    for (owner, name), body in zip(places, bodies):
        setattr(owner, name, body)
    for owner, name in places[len(bodies) :]:
        filler = getattr(owner, name)[0]
        missing = ast.copy_location(Broken(), filler)
        missing.names, missing.body = [], []
        setattr(owner, name, [missing])
    return True


def bound_names(text: str) -> list[str]:
    """Names that a broken statement seems to bind."""
    for pattern in (_LOOP_TARGETS, _TARGETS, _AS_TARGET):
        match = pattern.match(text) if pattern is not _AS_TARGET else pattern.search(text)
        if match is not None:
            return _NAME.findall(match.group(1))
    return []
