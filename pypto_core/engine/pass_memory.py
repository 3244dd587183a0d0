"""Running one pass: function by function where its contract allows it, and never twice on the same function.

A function that a pass refuses, or on which it fails, is left out; all others go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from weakref import WeakKeyDictionary

from pypto_core.diagnostics import Diagnostic, PassError
from pypto_core.engine.blame import FAULTS, Refusal, Step, refusal
from pypto_core.ir import Function, Program
from pypto_core.passes.base import Pass
from pypto_core.passes.pipeline import contract_of, factory_of, make_pass

#: Called between steps; raises to abandon the computation.
Checkpoint = Callable[[], None]

#: Passes that give performance hints; their factories take a sink for them.
_HINTING = frozenset({"AutoTileMatmulL0"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass made of a program: the functions it could lower, its hints, and what it refused."""

    program: Program
    hints: tuple[Diagnostic, ...] = ()
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class _Made:
    """What a function-local pass made of a function (None: left as it was; a value must not keep its weak key alive), and the hints it gave."""

    function: Function | None
    hints: tuple[Diagnostic, ...] = ()


class PassMemory:
    """What function-local passes made of functions seen before."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str | None], WeakKeyDictionary[Function, _Made]] = {}

    def run(self, name: str, backend: str | None, program: Program, checkpoint: Checkpoint) -> Outcome:
        """Run one pass; the program of the outcome holds what became of the functions that it accepts."""
        if contract_of(name).function_local:
            return self._each(name, backend, program, checkpoint)
        return _whole(name, backend, program, checkpoint)

    def _each(self, name: str, backend: str | None, program: Program, checkpoint: Checkpoint) -> Outcome:
        seen = self._functions.setdefault((name, backend), WeakKeyDictionary())
        made: list[Function] = []
        hints: list[Diagnostic] = []
        refusals: list[Refusal] = []
        for function in program.functions:
            result = seen.get(function)
            if result is None:
                checkpoint()
                alone = _whole(
                    name, backend, Program((function,), program.name, span=program.span), checkpoint
                )
                if alone.refusals:
                    refusals += alone.refusals
                    continue
                after = alone.program.functions[0]
                result = seen[function] = _Made(after if after is not function else None, alone.hints)
            made.append(result.function or function)
            hints += result.hints
        return Outcome(program.with_functions(made), tuple(hints), tuple(refusals))


def _whole(name: str, backend: str | None, program: Program, checkpoint: Checkpoint) -> Outcome:
    """The pass on all functions at once; again without those that it refuses, until it accepts the rest."""
    hints: list[Diagnostic] = []
    step = _pass(name, backend, hints)
    refusals: list[Refusal] = []
    while program.functions:
        hints.clear()
        try:
            return Outcome(step(program), tuple(hints), tuple(refusals))
        except (PassError, *FAULTS) as failure:
            refused = refusal(name, step, program, failure)
        refusals.append(refused)
        program = program.with_functions(f for f in program.functions if f not in refused.functions)
        checkpoint()
    return Outcome(program, (), tuple(refusals))


def _pass(name: str, backend: str | None, hints: list[Diagnostic]) -> Step:
    """The pass, with its hints going to ``hints``."""
    if name not in _HINTING:
        return make_pass(name, backend)
    factory = factory_of(name)
    made: Pass = getattr(import_module(f"pypto_core.passes.{factory}"), factory)(
        backend=backend, on_hint=hints.append
    )
    return made
