"""From the chunk table to syntax trees: units, their parts, and the trees of before where the text is the same (docs/architecture.md §3)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from pypto_core.frontend.chunks import Part, Unit, cut
from pypto_core.frontend.divided import DIVISIBLE, collide, end_at_header, renumbered
from pypto_core.frontend.lines import scan
from pypto_core.frontend.recovery import (
    FILLER,
    Broken,
    ClassSyntax,
    FileSyntax,
    FunctionSyntax,
    Recovery,
    Statement,
    is_indented,
    parse_statements,
)
from pypto_core.frontend.syntax import SourceMap, SyntaxFault, parse_piece, parse_text
from pypto_core.ir import Chunk, Span

_T = TypeVar("_T")


def parse_file(file: str, text: str, checkpoint: Callable[[], None] | None = None) -> FileSyntax:
    """Trees of all units of a text; faults of units that do not parse. ``checkpoint`` is called between units and may raise."""
    units = cut(file, text)
    syntax = FileSyntax([], [])
    for unit in units:
        if checkpoint is not None:
            checkpoint()
        parse_unit(unit, syntax)
    return syntax


@dataclass(slots=True)
class OldTrees:
    """Faultless trees of chunks that stood nearby before an edit, by text: a chunk with the same text is exchanged for the old one.

    Headers are those of definitions, and of divided statements, whose body stands in other chunks.
    """

    functions: dict[str, list[FunctionSyntax]] = field(default_factory=dict)
    classes: dict[str, list[ClassSyntax]] = field(default_factory=dict)
    headers: dict[str, list[Statement]] = field(default_factory=dict)
    wholes: dict[str, list[Statement]] = field(default_factory=dict)
    statements: dict[str, list[list[Statement]]] = field(default_factory=dict)
    #: Chunks that stand in the new text already.
    used: set[Chunk] = field(default_factory=set)

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
        self._remember_parts(by_chunk, broken)

    def _remember_parts(self, by_chunk: dict[Chunk, list[Statement]], broken: set[Chunk | None]) -> None:
        for chunk, statements in by_chunk.items():
            only = statements[-1]
            if only.source.parts:
                if broken.isdisjoint({chunk, *(piece.chunk for piece in only.source.parts)}):
                    self.wholes.setdefault(only.source.whole, []).append(only)
                inner: dict[Chunk, list[Statement]] = {}
                for node in only.node.body:  # type: ignore[attr-defined]
                    source = only.source.of(node)
                    inner.setdefault(source.chunk, []).append(Statement(node, source))
                self._remember_parts(inner, broken)
            if chunk not in broken:
                known = self.headers if only.source.parts else self.statements
                known.setdefault(chunk.text, []).append(only if only.source.parts else statements)  # type: ignore

    def header(self, unit: Unit, headers: dict[str, list[_Definition]]) -> _Definition | None:
        """A definition whose header was written just so."""
        found = headers.get(unit.header.text)
        if not found or not (unit.body or unit.members):
            return None
        definition = found.pop(0)
        unit.header = _moved(definition.source.chunk, unit.header)
        return definition

    def body(self, part: Part) -> list[Statement] | None:
        """Statements of a chunk that was written just so."""
        for statements in self._left(self.statements.get(part.chunk.text)):
            if statements[0].source.chunk not in self.used:
                part.chunk = self._moved(statements[0].source.chunk, part.chunk)
                return statements
        return None

    def whole(self, part: Part) -> Statement | None:
        """A divided statement that was written just so, blank lines included."""
        for statement in self._left(self.wholes.get(part.whole)):
            source = statement.source
            if self.used.isdisjoint({source.chunk, *(piece.chunk for piece in source.parts)}):
                self._move(part, statement)
                return statement
        return None

    def _left(self, found: list[_T] | None) -> Iterator[_T]:
        """What has not been offered yet, in source order."""
        while found:
            yield found.pop(0)

    def _moved(self, old: Chunk, new: Chunk) -> Chunk:
        self.used.add(old)
        return _moved(old, new)

    def _move(self, part: Part, statement: Statement) -> None:
        part.chunk = self._moved(statement.source.chunk, part.chunk)
        inner: dict[Chunk, Statement] = {}
        for node in statement.node.body if part.body else ():  # type: ignore[attr-defined]
            source = statement.source.of(node)
            inner.setdefault(source.chunk, Statement(node, source))
        for below, own in zip(part.body, inner.values(), strict=True):
            self._move(below, own)

    def divided(self, part: Part) -> Statement | None:
        """A divided statement whose header was written just so."""
        for statement in self._left(self.headers.get(part.chunk.text)):
            if statement.source.chunk not in self.used:
                part.chunk = self._moved(statement.source.chunk, part.chunk)
                return statement
        return None

    def knows(self, part: Part) -> bool:
        """Whether some chunk below a divided statement was written just so."""
        return any(inner.chunk.text in self.statements for inner in part.all())


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
    for part in unit.body:
        statements, faults = parse_part(part, old)
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


def _only_filler(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    only = node.body[0] if len(node.body) == 1 else None
    return isinstance(only, ast.Expr) and isinstance(only.value, ast.Name) and only.value.id == FILLER


def _header(chunk: Chunk, has_body: bool) -> tuple[ast.stmt, SourceMap] | SyntaxFault:
    """The definition that a header chunk holds, with a filler for its body where that stands in other chunks."""
    text = chunk.text.rstrip("\r\n")
    if has_body or text.rstrip().endswith(":") or _ends_with_colon(text):
        indent = " " * (len(text) - len(text.lstrip(" \t")) + 80)
        text = f"{text}\n{indent}{FILLER}"
    source = SourceMap(chunk, skipped=1)
    parsed = parse_piece(SourceMap(chunk, text, skipped=1), indented=True) if is_indented(text) else None
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


@dataclass(slots=True)
class _Pieces:
    """What stands for a part of a body: its statements and what does not parse."""

    statements: list[Statement]
    faults: list[SyntaxFault] = field(default_factory=list)

    def maps(self) -> list[SourceMap]:
        """The maps of all pieces."""
        found = {id(s.source): s.source for s in self.statements}
        return [m for source in found.values() for m in (source, *source.parts)]


def parse_part(part: Part, old: OldTrees | None) -> tuple[list[Statement], list[SyntaxFault]]:
    """Statements of a part of a body; those of ``old`` where the text is the same."""
    if not part.body:
        kept = old.body(part) if old is not None else None
        return (kept, []) if kept is not None else parse_statements(part.chunk)
    whole = old.whole(part) if old is not None else None
    if whole is None and (old is None or not old.knows(part)):
        whole = _parse_whole(part)
    if whole is not None:
        return [whole], []
    pieces = _parse_divided(part, old)
    return pieces.statements, pieces.faults


def _parse_whole(part: Part) -> Statement | None:
    """A divided statement whose text is all new, parsed in one go; None when that fails."""
    if not is_indented(part.whole):
        return None
    chunk = Chunk(part.chunk.file, part.whole, part.chunk.first_line)
    parsed = parse_piece(SourceMap(chunk, skipped=1), indented=True)
    return None if isinstance(parsed, SyntaxFault) else _dealt(part, parsed, part.chunk.first_line - 1)


def _dealt(part: Part, nodes: list[ast.stmt], origin: int) -> Statement | None:
    """The node of a divided statement with the maps of its pieces; None when nodes and chunks do not go together.

    ``origin`` is the line of the file whose number in the nodes is 0.
    """
    node = nodes[0] if len(nodes) == 1 else None
    if not isinstance(node, DIVISIBLE) or getattr(node, "orelse", None):
        return None
    left, maps = node.body[::-1], []
    for inner in part.body:
        source = SourceMap(inner.chunk, inner.whole or None, skipped=inner.chunk.first_line - origin)
        first, last = source.lines
        own: list[ast.stmt] = []
        while left and left[-1].lineno <= last and (left[-1].end_lineno or 0) <= last:
            own.append(left.pop())
        if not own or own[0].lineno < first:
            return None
        if not inner.body:
            maps.append(source)
            continue
        dealt = _dealt(inner, own, origin)
        if dealt is None:
            return None
        maps += [dealt.source, *dealt.source.parts]
    if left:
        return None
    header = SourceMap(part.chunk, skipped=part.chunk.first_line - origin)
    end_at_header(node, header)
    return Statement(node, header.divided(maps, part.whole))


def _parse_divided(part: Part, old: OldTrees | None) -> _Pieces:
    """A divided statement chunk by chunk."""
    kept = old.divided(part) if old is not None else None
    if kept is not None:
        header = _Pieces([Statement(copy(kept.node), kept.source)])
    else:
        header = _parse_header(part.chunk)
    body = [_piece(inner, old) for inner in part.body]
    node, source = header.statements[-1].node, header.statements[-1].source
    maps = [m for piece in body for m in piece.maps()]
    if old is not None and collide([source, *maps]):
        return _parse_divided(part, None)  # pieces of several earlier texts have come together
    node.body = [s.node for piece in body for s in piece.statements]  # type: ignore[attr-defined]
    whole = Statement(node, source.divided(maps, part.whole))
    faults = [*header.faults, *(fault for piece in body for fault in piece.faults)]
    return _Pieces([*header.statements[:-1], whole], faults)


def _piece(part: Part, old: OldTrees | None) -> _Pieces:
    """A part of a divided statement; what is parsed anew gets line numbers of its own."""
    if part.body:
        whole = old.whole(part) if old is not None else None
        return _Pieces([whole]) if whole is not None else _parse_divided(part, old)
    kept = old.body(part) if old is not None else None
    return _Pieces(kept) if kept is not None else _numbered(*parse_statements(part.chunk))


def _numbered(statements: list[Statement], faults: list[SyntaxFault]) -> _Pieces:
    nodes = [s.node for s in statements]
    source = renumbered(nodes, statements[0].source)
    return _Pieces([Statement(node, source) for node in nodes], faults)


def _parse_header(chunk: Chunk) -> _Pieces:
    """The header of a divided statement; its last node takes the body."""
    text = chunk.text.rstrip("\r\n")
    indent = " " * (len(text) - len(text.lstrip(" \t")) + 80)
    parsed = parse_piece(SourceMap(chunk, f"{text}\n{indent}{FILLER}", skipped=1), indented=True)
    source = SourceMap(chunk, skipped=1)
    if isinstance(parsed, SyntaxFault):
        broken = Recovery(source, indented=True)
        nodes = broken.statements()
        if not isinstance(nodes[-1], Broken):
            nodes.append(ast.copy_location(Broken(), nodes[-1]))
        faults = broken.faults if len(broken.faults) > 1 else [parsed]
        return _numbered([Statement(node, source) for node in nodes], faults)
    header = parsed[-1]
    if isinstance(header, DIVISIBLE):
        end_at_header(header, source)
    return _numbered([Statement(node, source) for node in parsed], [])
