"""Facts beside the kernels of a file (docs/architecture.md §4).

A program never changes, so what was found of it stays true as long as it stands in the file; an edit asks for one or two new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from pypto_core.frontend.chunk_table import same_ends
from pypto_core.ir import Program

T = TypeVar("T")


class Beside(Generic[T]):
    """One fact for each program of a file, None where it is not known. ``made`` counts facts that were worked out."""

    def __init__(self) -> None:
        self.made = 0
        self._backend: str | None = None
        self._programs: list[Program] = []
        self.facts: list[T | None] = []
        #: Where facts are missing, in order, once somebody has asked.
        self._unknown: dict[int, None] | None = None

    def enter(self, programs: list[Program], backend: str | None = None) -> list[Program]:
        """These are the programs now, for this chip: keep what is known of those that stay. Gives those that are gone."""
        if backend != self._backend:
            self._backend, self._programs, self.facts, self._unknown = backend, [], [], None
        if programs is self._programs:
            return []
        before, behind = same_ends(self._programs, programs)
        end, new = len(self._programs) - behind, programs[before : len(programs) - behind]
        moved = dict(zip(self._programs[before:end], self.facts[before:end], strict=True))
        facts = [moved.pop(program, None) for program in new]
        if self._unknown is not None:
            shift = len(facts) - (end - before)
            numbers = [number for number in self._unknown if number < before]
            numbers += [before + number for number, fact in enumerate(facts) if fact is None]
            numbers += [number + shift for number in self._unknown if number >= end]
            self._unknown = dict.fromkeys(numbers)
        self.facts[before:end] = facts
        self._programs = programs
        return list(moved)

    @property
    def unknown(self) -> dict[int, None]:
        """The numbers of the programs of which the fact is missing, in order."""
        if self._unknown is None:
            self._unknown = {number: None for number, fact in enumerate(self.facts) if fact is None}
        return self._unknown

    def missing(self) -> list[tuple[int, Program]]:
        """These programs with their numbers."""
        return [(number, self._programs[number]) for number in self.unknown]

    def put(self, number: int, fact: T) -> None:
        """The fact of a program."""
        self.facts[number] = fact
        self.made += 1
        if self._unknown is not None:
            self._unknown.pop(number, None)

    def complete(self, make: Callable[[Program], T]) -> list[T]:
        """Work out what is missing; what was made before ``make`` broke off stays."""
        self.try_complete(make)
        assert not self.unknown
        return self.facts  # type: ignore[return-value]

    def try_complete(self, make: Callable[[Program], T | None]) -> None:
        """The same with a ``make`` that gives None where it does not know."""
        for number, program in self.missing():
            found = make(program)
            if found is not None:
                self.put(number, found)

    def at(self, number: int, make: Callable[[Program], T]) -> T:
        """The fact of one program, worked out if need be."""
        found = self.facts[number]
        if found is None:
            found = make(self._programs[number])
            self.put(number, found)
        return found
