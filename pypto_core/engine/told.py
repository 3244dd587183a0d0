"""What the kernels of a file have to say, remembered per kernel (docs/architecture.md §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.engine.beside import Beside
from pypto_core.engine.by_chunk import Findings, FindingsByChunk
from pypto_core.engine.findings import of_kernel, related_to_calls
from pypto_core.engine.wording import in_authors_words
from pypto_core.ir import Program

#: Analyses a program; None when it may not be analysed now.
Analysis: TypeAlias = "Callable[[Program], Iterable[Diagnostic] | None]"


class Told:
    """Findings of the programs of one file, for one backend, in the author's words."""

    def __init__(self) -> None:
        self._early: Beside[Findings] = Beside()
        self._full: Beside[Findings] = Beside()
        self.by_chunk = FindingsByChunk()

    def early(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Findings]:
        """What is known of the programs before the first pass."""
        return _all(self._early, programs, backend, analyse)

    def full(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Findings]:
        """What is known of them with the lowering."""
        return _all(self._full, programs, backend, analyse)

    def first(
        self, programs: list[Program], backend: str | None, early: Analysis, lowered: Analysis
    ) -> list[Findings]:
        """With the lowering where that is known already (``lowered`` gives None where it is not), without it elsewhere."""
        self._full.enter(programs, backend)
        self._early.enter(programs, backend)
        self._full.try_complete(lambda program: _in_words(lowered(program), program))
        known = list(self._full.facts)
        for number in self._full.unknown:
            known[number] = self._early.at(number, lambda program: _in_words(early(program), program) or ())
        return list(filter(None, known))


def _all(
    beside: Beside[Findings], programs: list[Program], backend: str | None, analyse: Analysis
) -> list[Findings]:
    beside.enter(programs, backend)
    beside.try_complete(lambda program: _in_words(analyse(program), program))
    return list(filter(None, beside.facts))


def _in_words(found: Iterable[Diagnostic] | None, program: Program) -> Findings | None:
    if found is None:
        return None
    return tuple(
        of_kernel(in_authors_words(finding), program) for finding in related_to_calls(found, program)
    )
