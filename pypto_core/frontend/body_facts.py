"""What the statements of a body mention, remembered beside each statement (docs/spec/language.md §2.1)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from pypto_core.frontend.recovery import Broken, Statement
from pypto_core.frontend.syntax import SourceMap, dotted, string_literal


@dataclass(slots=True)
class BodyFacts:
    """What one walk over a body finds: names stored and loaded, bare calls, ``bind_dynamic`` statements with their parameter,
    ``M = pl.dynamic("M")`` statements, and the value of the first return that has one."""

    stored: set[str] = field(default_factory=set)
    loaded: dict[str, None] = field(default_factory=dict)
    called: dict[str, None] = field(default_factory=dict)
    bound: list[tuple[str, ast.Call]] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    returned: ast.expr | None = None

    def add(self, other: BodyFacts) -> None:
        """What follows in the text."""
        self.stored |= other.stored
        self.loaded.update(other.loaded)
        if other.called:
            self.called.update(other.called)
        if other.bound:
            self.bound += other.bound
        if self.returned is None:
            self.returned = other.returned


def body_facts(body: list[Statement]) -> BodyFacts:
    """Facts about the statements of a function."""
    facts = BodyFacts()
    for item in body:
        symbol = local_symbol(item.node)
        if symbol is not None:
            facts.symbols[symbol[0]] = symbol[1]
        for node, source in pieces(item.node, item.source):
            facts.add(facts_of(source, node))
    return facts


def pieces(node: ast.stmt, source: SourceMap) -> Iterator[tuple[ast.stmt, SourceMap]]:
    """A statement; of a divided one its header, which comes without its body, and the statements in it."""
    yield node, source
    if is_divided(node, source):
        for inner in node.body:  # type: ignore[attr-defined]
            yield from pieces(inner, source.of(inner))


def is_divided(node: ast.stmt, source: SourceMap) -> bool:
    """Whether the body of a statement stands in chunks of its own."""
    return bool(source.parts) and hasattr(node, "body") and source.of(node) is source


def facts_of(source: SourceMap, node: ast.stmt) -> BodyFacts:
    """Facts about one statement, without the body of a divided one."""
    known = source.memory.get(("facts", id(node)))
    if known is None:
        known = source.memory["facts", id(node)] = (node, _facts(node, is_divided(node, source)))
    found: BodyFacts = known[1]
    return found


def _facts(statement: ast.stmt, header_only: bool) -> BodyFacts:
    facts = BodyFacts()
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind is ast.Name:
            assert isinstance(node, ast.Name)
            if node.ctx.__class__ is ast.Load:
                facts.loaded[node.id] = None
            else:
                facts.stored.add(node.id)
            continue
        if kind is ast.Call:
            assert isinstance(node, ast.Call)
            if node.func.__class__ is ast.Name:
                facts.called[node.func.id] = None
        elif kind is ast.Return:
            assert isinstance(node, ast.Return)
            if facts.returned is None and node.value is not None:
                facts.returned = node.value
        elif kind is ast.Expr:
            found = bind_dynamic_call(node)
            if found is not None:
                facts.bound.append(found)
        elif kind is Broken:
            assert isinstance(node, Broken)
            facts.stored.update(node.names)
        for name in reversed(node._fields):
            if name == "body" and header_only and node is statement:
                continue
            value = getattr(node, name, None)
            if value.__class__ is list:
                todo.extend(v for v in reversed(value) if isinstance(v, ast.AST))
            elif isinstance(value, ast.AST):
                todo.append(value)
    return facts


def local_symbol(node: ast.stmt) -> tuple[str, str] | None:
    """Name and symbol of a statement ``M = pl.dynamic("M")``."""
    if not (
        isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    ):
        return None
    call = node.value
    if not (isinstance(call, ast.Call) and dotted(call.func) == ("pl", "dynamic") and len(call.args) == 1):
        return None
    text = string_literal(call.args[0])
    return (node.targets[0].id, text) if text is not None and text.isidentifier() else None


def bind_dynamic_call(node: ast.AST) -> tuple[str, ast.Call] | None:
    """Parameter and call of a statement ``p.bind_dynamic(axis, M)``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        path = dotted(node.value.func)
        if path is not None and len(path) == 2 and path[1] == "bind_dynamic":
            return path[0], node.value
    return None
