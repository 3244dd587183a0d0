"""What the kernels of a file have to say, remembered per kernel (docs/architecture.md §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.engine.beside import Beside
from pypto_core.engine.findings import Joined, of_kernel, related_to_calls
from pypto_core.engine.wording import in_authors_words
from pypto_core.ir import Program

#: Analyses a program; None when it may not be analysed now.
Analysis: TypeAlias = "Callable[[Program], Iterable[Diagnostic] | None]"
Findings: TypeAlias = "tuple[Diagnostic, ...]"


class Told:
    """Findings of the programs of one file, for one backend, in the author's words."""

    def __init__(self) -> None:
        self._early: Beside[Findings] = Beside()
        self._full: Beside[Findings] = Beside()
        self.joined: Joined = {}

    def early(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of the programs before the first pass."""
        return _all(self._early, programs, backend, analyse)

    def full(self, programs: list[Program], backend: str | None, analyse: Analysis) -> list[Diagnostic]:
        """What is known of them with the lowering."""
        return _all(self._full, programs, backend, analyse)

    def first(
        self, programs: list[Program], backend: str | None, early: Analysis, lowered: Analysis
    ) -> list[Diagnostic]:
        """With the lowering where that is known already (``lowered`` gives None where it is not), without it elsewhere."""
        self._full.enter(programs, backend)
        self._early.enter(programs, backend)
        known = self._full.facts
        if not self._full.try_complete(lambda program: _in_words(lowered(program), program)):
            known = list(known)
            for number in range(len(programs)):
                if known[number] is None:
                    known[number] = self._early.at(number, lambda p: _in_words(early(p), p))
        return [finding for told in filter(None, known) for finding in told]


def _all(
    beside: Beside[Findings], programs: list[Program], backend: str | None, analyse: Analysis
) -> list[Diagnostic]:
    beside.enter(programs, backend)
    beside.try_complete(lambda program: _in_words(analyse(program), program))
    return [finding for told in filter(None, beside.facts) for finding in told]


def _in_words(found: Iterable[Diagnostic] | None, program: Program) -> Findings | None:
    if found is None:
        return None
    return tuple(
        of_kernel(in_authors_words(finding), program) for finding in related_to_calls(found, program)
    )
