"""From chunks to syntax trees, errors included: a broken statement costs that statement only.

A piece that parses is taken as it is. One that does not is taken apart along its lines: header and body statements
are parsed one by one, what still fails becomes a :class:`Broken` statement with one syntax fault, and all nodes keep
positions inside the piece.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TypeVar

from pypto_core.frontend.chunks import Block, Unit, blocks, cut
from pypto_core.frontend.lines import scan
from pypto_core.frontend.syntax import SourceMap, SyntaxFault, parse_piece, parse_text
from pypto_core.ir import Chunk, Span

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


def parse_file(file: str, text: str) -> FileSyntax:
    """Trees of all units of a text; faults of units that do not parse."""
    units = cut(file, text)
    syntax = FileSyntax([], [])
    for unit in units:
        parse_unit(unit, syntax)
    return syntax


@dataclass(slots=True)
class OldTrees:
    """Faultless trees of chunks that stood nearby before an edit, by text: a chunk with the same text is exchanged for the old one.

    Headers are those of definitions whose body stands in other chunks.
    """

    functions: dict[str, list[FunctionSyntax]] = field(default_factory=dict)
    classes: dict[str, list[ClassSyntax]] = field(default_factory=dict)
    statements: dict[str, list[list[Statement]]] = field(default_factory=dict)

    def remember(self, syntax: FileSyntax) -> None:
        """Offer the trees of a unit for use again."""
        for item in syntax.items:
            if isinstance(item, FunctionSyntax):
                self._remember(item.source.chunk, item.body, item.faults, self.functions, item)
            elif isinstance(item, ClassSyntax):
                self._remember(item.source.chunk, item.others, item.faults, self.classes, item)
                for function in item.functions:
                    self._remember(
                        function.source.chunk, function.body, function.faults, self.functions, function
                    )

    def _remember(
        self,
        header: Chunk,
        body: list[Statement],
        faults: list[SyntaxFault],
        headers: dict[str, list[_Definition]],
        definition: _Definition,
    ) -> None:
        broken = {fault.span.chunk for fault in faults}
        by_chunk: dict[Chunk, list[Statement]] = {}
        for statement in body:
            by_chunk.setdefault(statement.source.chunk, []).append(statement)
        if by_chunk.pop(header, None) is None and header not in broken:
            headers.setdefault(header.text, []).append(definition)
        for chunk, statements in by_chunk.items():
            if chunk not in broken:
                self.statements.setdefault(chunk.text, []).append(statements)

    def header(self, unit: Unit, headers: dict[str, list[_Definition]]) -> _Definition | None:
        """A definition whose header was written just so."""
        found = headers.get(unit.header.text)
        if not found or not (unit.body or unit.members):
            return None
        definition = found.pop(0)
        unit.header = _moved(definition.source.chunk, unit.header)
        return definition

    def body(self, unit: Unit, index: int) -> list[Statement] | None:
        """Statements of a body chunk that was written just so."""
        found = self.statements.get(unit.body[index].text)
        if not found:
            return None
        statements = found.pop(0)
        unit.body[index] = _moved(statements[0].source.chunk, unit.body[index])
        return statements


_Definition = TypeVar("_Definition", FunctionSyntax, ClassSyntax)


def _moved(old: Chunk, new: Chunk) -> Chunk:
    old.take_place(new)
    return old


def parse_unit(unit: Unit, into: FileSyntax, old: OldTrees | None = None) -> None:
    """Add the trees of one unit; those of ``old`` are used for chunks that have not changed, and ``unit`` then holds the old chunks."""
    if unit.kind == "function":
        function = parse_function_unit(unit, old)
        if function is not None:
            into.items.append(function)
            into.faults.extend(function.faults)
            return
    elif unit.kind == "class":
        cls = parse_class_unit(unit, old)
        if cls is not None:
            into.items.append(cls)
            into.faults.extend(cls.faults)
            return
    for chunk in unit.chunks():
        statements, faults = parse_statements(chunk)
        into.items.extend(statements)
        into.faults.extend(faults)


def parse_function_unit(unit: Unit, old: OldTrees | None = None) -> FunctionSyntax | None:
    """A function whose header parses; None otherwise."""
    known = old.header(unit, old.functions) if old is not None else None
    if known is not None:
        syntax = FunctionSyntax(known.node, known.source, [])
        _function_body(unit, syntax, old)
        return syntax
    parsed = _header(unit.header, bool(unit.body))
    if isinstance(parsed, SyntaxFault):
        return None
    node, source = parsed
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    syntax = FunctionSyntax(node, source, [Statement(s, source) for s in node.body])
    if unit.body:
        syntax.body.clear()
    _function_body(unit, syntax, old)
    if not unit.body and _only_filler(node):
        syntax.body.clear()
        syntax.faults.append(
            SyntaxFault("expected an indented block after the function header", source.span(node))
        )
    node.body = []
    return syntax


def _function_body(unit: Unit, syntax: FunctionSyntax, old: OldTrees | None) -> None:
    for index, chunk in enumerate(unit.body):
        kept = old.body(unit, index) if old is not None else None
        if kept is not None:
            syntax.body.extend(kept)
            continue
        statements, faults = parse_statements(chunk)
        syntax.body.extend(statements)
        syntax.faults.extend(faults)


def parse_class_unit(unit: Unit, old: OldTrees | None = None) -> ClassSyntax | None:
    """A class whose header parses; None otherwise."""
    known = old.header(unit, old.classes) if old is not None else None
    if known is not None:
        syntax = ClassSyntax(known.node, known.source, [], [])
    else:
        parsed = _header(unit.header, bool(unit.members))
        if isinstance(parsed, SyntaxFault):
            return None
        node, source = parsed
        if not isinstance(node, ast.ClassDef):
            return None
        syntax = ClassSyntax(node, source, [], [Statement(s, source) for s in node.body])
        node.body = []
    if unit.members:
        syntax.others.clear()
    for member in unit.members:
        inner = FileSyntax([], [])
        parse_unit(member, inner, old)
        syntax.faults.extend(inner.faults)
        for item in inner.items:
            if isinstance(item, FunctionSyntax):
                syntax.functions.append(item)
            elif isinstance(item, Statement):
                syntax.others.append(item)
    return syntax


_FILLER = "_pypto_filler_"


def _only_filler(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    only = node.body[0] if len(node.body) == 1 else None
    return isinstance(only, ast.Expr) and isinstance(only.value, ast.Name) and only.value.id == _FILLER


def _header(chunk: Chunk, has_body: bool) -> tuple[ast.stmt, SourceMap] | SyntaxFault:
    """The definition that a header chunk holds, with a filler for its body where that stands in other chunks."""
    text = chunk.text.rstrip("\r\n")
    if has_body or text.rstrip().endswith(":") or _ends_with_colon(text):
        indent = " " * (len(text) - len(text.lstrip(" \t")) + 80)
        text = f"{text}\n{indent}{_FILLER}"
    source = SourceMap(chunk, skipped=1)
    parsed = parse_piece(SourceMap(chunk, text, skipped=1), indented=True) if _is_indented(text) else None
    if parsed is None:
        source = SourceMap(chunk)
        tree = parse_text(chunk, text)
        parsed = tree if isinstance(tree, SyntaxFault) else tree.body
    if isinstance(parsed, SyntaxFault):
        return parsed
    return (parsed[-1], source) if parsed else SyntaxFault("expected a definition", Span(chunk, 0, 0))


def _ends_with_colon(text: str) -> bool:
    lines = scan(text).lines
    return bool(lines) and lines[-1].opens


def _is_indented(text: str) -> bool:
    first = _FIRST_CODE.search(text)
    return first is not None and first.group(1) != ""


def parse_statements(chunk: Chunk) -> tuple[list[Statement], list[SyntaxFault]]:
    """Statements of a chunk that holds no definition header, broken ones included."""
    indented = _is_indented(chunk.text)
    source = SourceMap(chunk, skipped=1 if indented else 0)
    parsed = parse_piece(source, indented)
    if not isinstance(parsed, SyntaxFault):
        return [Statement(node, source) for node in parsed], []
    taken_apart = _Recovery(source, indented)
    nodes = taken_apart.statements()
    return [Statement(node, source) for node in nodes], taken_apart.faults or [parsed]


class _Recovery:
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
                if body and at + len(_FILLER) <= len(kept) and body[0].end - block.start >= at + len(_FILLER):
                    kept[at : at + len(_FILLER)] = _FILLER
                else:
                    place = line.end - block.start - 1
                    kept[place : place + 1] = (
                        [" ", *_FILLER, "\n"] if own.endswith("\n") else [*own[-1:], " ", *_FILLER]
                    )
        return self._parse_text("".join(kept), block.start)

    def _parse(self, start: int, end: int) -> list[ast.stmt] | SyntaxFault:
        return self._parse_text(self.text[start:end], start)

    def _parse_text(self, text: str, start: int) -> list[ast.stmt] | SyntaxFault:
        indented = _is_indented(text)
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
                    and child.value.id == _FILLER
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
