"""Programs of kernels that an edit does not affect (docs/architecture.md §4).

:class:`ParseMemory` gives a kernel the very program it had when nothing that it can see has changed; the answer is exactly what a fresh
reading gives.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pypto_core.frontend.program import ParsedProgram
from pypto_core.frontend.recovery import (
    Broken,
    ClassSyntax,
    FunctionSyntax,
    Statement,
)
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.values import KernelFunction, ProgramClass
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import Chunk

Item: TypeAlias = "FunctionSyntax | ClassSyntax | Statement"


@dataclass(slots=True)
class _Remembered:
    """``inputs`` are kept alive, so their identities stay unique."""

    inputs: tuple[Item, ...]
    parsed: ParsedProgram
    functions: tuple[FunctionSyntax, ...]


_Key: TypeAlias = "tuple[object, ...]"


@dataclass(slots=True)
class ParseMemory:
    """Programs of the kernels of one file, by the syntax that they were made from.

    A kernel sees its own text, every plain statement of every module (any of them may change a value), and the functions
    and classes that these mention by name, directly or through others. Two generations are kept, for undo.
    """

    _recent: dict[_Key, _Remembered] = field(default_factory=dict)
    _older: dict[_Key, _Remembered] = field(default_factory=dict)
    _used: dict[_Key, _Remembered] = field(default_factory=dict)
    _mentions: dict[int, tuple[Item, frozenset[str]]] = field(default_factory=dict)

    def reading(self, graph: ModuleGraph) -> Reading:
        """Begin to read a version of the file; one that is broken off loses nothing."""
        self._used = {}
        items = [item for module in graph.modules.values() if module.syntax for item in module.syntax.items]
        alive = {id(item) for item in items}
        self._mentions = {key: value for key, value in self._mentions.items() if key in alive}
        return Reading(self, graph, items)

    def finish(self) -> None:
        """The version has been read to its end: what it did not use becomes the older generation."""
        self._older = {key: value for key, value in self._recent.items() if key not in self._used}
        self._recent = self._used

    def find(self, key: _Key) -> _Remembered | None:
        found = self._recent.get(key) or self._older.get(key)
        if found is not None:
            self._used[key] = found
        return found

    def keep(self, key: _Key, remembered: _Remembered) -> None:
        self._recent[key] = self._used[key] = remembered

    def mentions(self, item: Item) -> frozenset[str]:
        """All identifiers in an item."""
        known = self._mentions.get(id(item))
        if known is None:
            known = self._mentions[id(item)] = (item, frozenset(_identifiers(item)))
        return known[1]


class Reading:
    """One reading of a file: which remembered programs still stand."""

    def __init__(self, memory: ParseMemory, graph: ModuleGraph, items: list[Item]) -> None:
        self.memory = memory
        self._named: dict[str, list[Item]] = {}
        self._always: list[Item] = []
        self._order = {id(item): number for number, item in enumerate(items)}
        self._by_chunk: dict[int, Item] = {}
        for item in items:
            for chunk in _chunks(item):
                self._by_chunk[id(chunk)] = item
            if isinstance(item, Statement):
                self._always.append(item)
            else:
                self._named.setdefault(item.node.name, []).append(item)
        self._common = (
            tuple(name for name in self._named),
            tuple((m.filename, bool(m.syntax and m.syntax.faults)) for m in graph.modules.values()),
        )
        mentioned: set[str] = set()
        for item in self._always:
            mentioned |= memory.mentions(item)
        self._roots = self._closure([], mentioned)
        self._copies: dict[tuple[int, int], int] = {}

    def key(self, kernel: KernelFunction | ProgramClass) -> tuple[_Key, tuple[Item, ...]] | None:
        """Identity of everything that the kernel's program depends on; None when its place is not known."""
        chunk = kernel.source.chunk
        item = self._by_chunk.get(id(chunk))
        if item is None:
            return None
        inputs = self._closure([item, *self._roots], set())
        inputs = sorted(
            {id(i): i for i in (*inputs, *self._always)}.values(), key=lambda i: self._order[id(i)]
        )
        place = (id(chunk), kernel.source.start(kernel.node))
        copy = self._copies[place] = self._copies.get(place, 0) + 1
        return (*self._common, place, copy, *(id(i) for i in inputs)), tuple(inputs)

    def _closure(self, start: list[Item], mentioned: set[str]) -> list[Item]:
        """The items, and all that they mention."""
        found: dict[int, Item] = {}
        todo = [*start, *(i for name in mentioned for i in self._named.get(name, ()))]
        while todo:
            item = todo.pop()
            if id(item) in found:
                continue
            found[id(item)] = item
            for name in self.memory.mentions(item):
                todo.extend(self._named.get(name, ()))
        return list(found.values())


def remembered(
    inputs: tuple[Item, ...], parsed: ParsedProgram, functions: list[FunctionSyntax]
) -> _Remembered:
    """A result to keep; later changes of ``parsed.diagnostics`` do not reach it."""
    return _Remembered(inputs, copy_of(parsed), tuple(functions))


def copy_of(parsed: ParsedProgram) -> ParsedProgram:
    """The same program with a list of findings of its own."""
    return ParsedProgram(parsed.program, list(parsed.diagnostics), parsed.incomplete)


def _chunks(item: Item) -> Iterator[Chunk]:
    yield item.source.chunk
    if isinstance(item, FunctionSyntax):
        for statement in item.body:
            yield statement.source.chunk
    elif isinstance(item, ClassSyntax):
        for function in item.functions:
            yield from _chunks(function)
        for statement in item.others:
            yield statement.source.chunk


def _identifiers(item: Item) -> Iterator[str]:
    if isinstance(item, Statement):
        if not _only_as_program(item.node):
            yield from _names(item.node)
        return
    yield from _names(item.node)
    if isinstance(item, FunctionSyntax):
        for statement in item.body:
            yield from _names(statement.node)
        return
    for function in item.functions:
        yield from _identifiers(function)
    for statement in item.others:
        yield from _names(statement.node)


def _names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.alias):
            yield from inner.name.split(".")
            if inner.asname:
                yield inner.asname
        elif isinstance(inner, Broken):
            yield from inner.names


def _only_as_program(node: ast.stmt) -> bool:
    """``if __name__ == "__main__":`` holds for no module that is read here as a library; its body binds nothing that kernels see."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    return dotted(node.test.left) == ("__name__",)
