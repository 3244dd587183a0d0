"""Facts beside the kernels of a file (docs/architecture.md §4).

A program never changes, so what was found of it stays true as long as it stands in the file; an edit asks for one or two new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from pypto_core.frontend.chunk_table import common_ends
from pypto_core.ir import Program

T = TypeVar("T")


class Beside(Generic[T]):
    """One fact for each program of a file, None where it is not known. ``made`` counts facts that were worked out."""

    def __init__(self) -> None:
        self.made = 0
        self._backend: str | None = None
        self._programs: list[Program] = []
        self.facts: list[T | None] = []

    def enter(self, programs: list[Program], backend: str | None = None) -> list[Program]:
        """These are the programs now, for this chip: keep what is known of those that stay. Gives those that are gone."""
        if backend != self._backend:
            self._backend, self._programs, self.facts = backend, [], []
        before, behind = common_ends(self._programs, programs)
        gone = slice(before, len(self._programs) - behind)
        moved = dict(zip(self._programs[gone], self.facts[gone], strict=True))
        new = programs[before : len(programs) - behind]
        self.facts[gone] = [moved.pop(program, None) for program in new]
        self._programs = programs
        return list(moved)

    def complete(self, make: Callable[[Program], T]) -> list[T]:
        """Work out what is missing; what was made before ``make`` broke off stays."""
        self.try_complete(make)
        return [fact for fact in self.facts if fact is not None]

    def try_complete(self, make: Callable[[Program], T | None]) -> bool:
        """The same with a ``make`` that gives None where it does not know; whether all is known now."""
        number = -1
        for _ in range(self.facts.count(None)):
            number = self.facts.index(None, number + 1)
            found = make(self._programs[number])
            if found is not None:
                self.facts[number] = found
                self.made += 1
        return None not in self.facts

    def at(self, number: int, make: Callable[[Program], T | None]) -> T | None:
        """The fact of one program, worked out if need be."""
        found = self.facts[number]
        if found is None:
            found = self.facts[number] = make(self._programs[number])
        return found
