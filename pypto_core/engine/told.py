"""What the kernels of a file have to say, remembered per kernel (docs/architecture.md §4).

A program never changes, so what was found in it stays true; after an edit only programs that are new are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.engine.findings import related_to_calls
from pypto_core.engine.wording import in_authors_words
from pypto_core.ir import Program

#: Analyses a program; None when it may not be analysed now.
Analysis: TypeAlias = "Callable[[Program], Iterable[Diagnostic] | None]"


@dataclass(slots=True)
class _Told:
    """Findings of one program in the author's words: before the first pass, and with the lowering."""

    early: tuple[Diagnostic, ...] | None = None
    full: tuple[Diagnostic, ...] | None = None


class Told:
    """Findings of the programs of one file, for one backend."""

    def __init__(self) -> None:
        self._backend: str | None = None
        self._known: dict[Program, _Told] = {}

    def early(self, programs: Iterable[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of the programs before the first pass."""
        found: list[Diagnostic] = []
        for told, program in self._current(programs, backend):
            if told.early is None:
                told.early = _in_words(analyse(program), program)
            found += told.early or ()
        return found

    def full(self, programs: Iterable[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of them with the lowering."""
        found: list[Diagnostic] = []
        for told, program in self._current(programs, backend):
            if told.full is None:
                told.full = _in_words(analyse(program), program)
            found += told.full or ()
        return found

    def first(
        self, programs: Iterable[Program], backend: str | None, early: Analysis, lowered: Analysis
    ) -> list[Diagnostic]:
        """With the lowering where that is known already (``lowered`` gives None where it is not), without it elsewhere."""
        found: list[Diagnostic] = []
        for told, program in self._current(programs, backend):
            if told.full is None:
                told.full = _in_words(lowered(program), program)
            if told.full is not None:
                found += told.full
                continue
            if told.early is None:
                told.early = _in_words(early(program), program)
            found += told.early or ()
        return found

    def _current(self, programs: Iterable[Program], backend: str | None) -> list[tuple[_Told, Program]]:
        """What is remembered of these programs; all others are forgotten."""
        known: Mapping[Program, _Told] = self._known if backend == self._backend else {}
        self._backend = backend
        self._known = {program: known.get(program) or _Told() for program in programs}
        return [(told, program) for program, told in self._known.items()]


def _in_words(found: Iterable[Diagnostic] | None, program: Program) -> tuple[Diagnostic, ...] | None:
    if found is None:
        return None
    return tuple(in_authors_words(finding) for finding in related_to_calls(found, program))
