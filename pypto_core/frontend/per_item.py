"""Facts beside the items of a file (docs/architecture.md §4): an edit replaces an item or two, and asks for the facts of those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from pypto_core.frontend.chunk_table import same_ends
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax, Statement

T = TypeVar("T")
Item: TypeAlias = "FunctionSyntax | ClassSyntax | Statement"


class PerItem(Generic[T]):
    """One fact for each item, in the same order. ``made`` counts facts that were worked out."""

    def __init__(self, make: Callable[[Item], T]) -> None:
        self.made = 0
        self._make = make
        self._items: list[Item] = []
        self._facts: list[T] = []

    def of(self, items: list[Item]) -> list[T]:
        """The facts of these items; the list is good until the next call."""
        before, behind = same_ends(self._items, items)
        new = [self._make(item) for item in items[before : len(items) - behind]]
        self._facts[before : len(self._items) - behind] = new
        self._items = items
        self.made += len(new)
        return self._facts
