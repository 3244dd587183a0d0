"""What the kernels of a file have to say, remembered per kernel (docs/architecture.md §4).

A program never changes, so what was found in it stays true; after an edit only programs that are new are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.engine.findings import of_kernel, related_to_calls
from pypto_core.engine.wording import in_authors_words
from pypto_core.frontend.chunk_table import common_ends
from pypto_core.ir import Program

#: Analyses a program; None when it may not be analysed now.
Analysis: TypeAlias = "Callable[[Program], Iterable[Diagnostic] | None]"


class Told:
    """Findings of the programs of one file, for one backend, in the author's words.

    Lists beside the programs: None where nothing is known yet, of which an edit makes one or two.
    """

    def __init__(self) -> None:
        self._backend: str | None = None
        self._programs: list[Program] = []
        self._early: list[tuple[Diagnostic, ...] | None] = []
        self._full: list[tuple[Diagnostic, ...] | None] = []

    def early(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of the programs before the first pass."""
        self._enter(programs, backend)
        _complete(self._early, programs, analyse)
        return [finding for told in filter(None, self._early) for finding in told]

    def full(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of them with the lowering."""
        self._enter(programs, backend)
        _complete(self._full, programs, analyse)
        return [finding for told in filter(None, self._full) for finding in told]

    def first(
        self, programs: list[Program], backend: str | None, early: Analysis, lowered: Analysis
    ) -> list[Diagnostic]:
        """With the lowering where that is known already (``lowered`` gives None where it is not), without it elsewhere."""
        self._enter(programs, backend)
        _complete(self._full, programs, lowered)
        if None not in self._full:
            return [finding for told in filter(None, self._full) for finding in told]
        found: list[Diagnostic] = []
        for number, told in enumerate(self._full):
            if told is None:
                told = self._early[number]
                if told is None:
                    told = self._early[number] = _in_words(early(programs[number]), programs[number])
            found += told or ()
        return found

    def _enter(self, programs: list[Program], backend: str | None) -> None:
        """Keep what is known of the programs that stay."""
        if backend != self._backend:
            self._backend = backend
            self._programs, self._early, self._full = [], [], []
        before, behind = common_ends(self._programs, programs)
        gone = slice(before, len(self._programs) - behind)
        moved = {
            p: (e, f)
            for p, e, f in zip(self._programs[gone], self._early[gone], self._full[gone], strict=True)
        }
        new = [moved.get(program, (None, None)) for program in programs[before : len(programs) - behind]]
        self._early[gone] = [told for told, _ in new]
        self._full[gone] = [told for _, told in new]
        self._programs = programs


def _complete(known: list[tuple[Diagnostic, ...] | None], programs: list[Program], analyse: Analysis) -> None:
    """Analyse the programs of which nothing is known."""
    number = -1
    for _ in range(known.count(None)):
        number = known.index(None, number + 1)
        known[number] = _in_words(analyse(programs[number]), programs[number])


def _in_words(found: Iterable[Diagnostic] | None, program: Program) -> tuple[Diagnostic, ...] | None:
    if found is None:
        return None
    return tuple(
        of_kernel(in_authors_words(finding), program) for finding in related_to_calls(found, program)
    )
