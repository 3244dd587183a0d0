"""A program through the pipeline, every stage kept (docs/spec/ir.md §7.3; docs/architecture.md §4).

Stages are remembered by identity: a function-local pass is not run again on a function object it has seen, a program that comes
back as the same object is not lowered again. Passes keep identity where nothing changed, so an edit in one kernel
re-lowers that kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.ir import Function, Program
from pypto_core.passes.pipeline import (
    AT_INPUT,
    PIPELINE,
    contract_of,
    make_pass,
    properties_to_verify,
)
from pypto_core.verify import verify, warnings_of

#: Called between steps; raises to abandon the computation.
Checkpoint = Callable[[], None]


def never() -> None:
    """The checkpoint that never stops."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The program after one pass. ``changed`` says whether the pass did anything."""

    name: str
    program: Program
    seconds: float
    changed: bool


@dataclass(frozen=True, slots=True)
class Lowering:
    """All stages that were reached, and every finding on the way.

    ``source`` is the program before the first pass. ``stopped_at`` names the stage whose pass or verification refused the program, empty when all
    passes ran.
    """

    source: Program
    backend: str | None
    stages: tuple[Stage, ...]
    diagnostics: tuple[Diagnostic, ...]
    stopped_at: str = ""
    #: Findings made before the first pass (structure, warnings).
    early: tuple[Diagnostic, ...] = field(default=())

    def program_after(self, name: str) -> Program | None:
        """The program after the pass called ``name`` (empty: before any pass); None when that was not reached."""
        if not name:
            return self.source
        for stage in self.stages:
            if stage.name == name:
                return stage.program
        return None


class PassMemory:
    """What function-local passes made of functions seen before."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str | None], WeakKeyDictionary[Function, Function]] = {}

    def run(self, name: str, backend: str | None, program: Program, checkpoint: Checkpoint) -> Program:
        """Run one pass; function by function where its contract allows it.

        Raises:
            PassError: the first rejection; a function-local pass has then looked at every function, the others' findings are in
                ``args[1:]``.
        """
        step = make_pass(name, backend)
        if not contract_of(name).function_local or len(program.functions) < 2:
            return step(program)
        seen = self._functions.setdefault((name, backend), WeakKeyDictionary())
        made: list[Function] = []
        failures: list[Diagnostic] = []
        for function in program.functions:
            result = seen.get(function)
            if result is None:
                checkpoint()
                try:
                    alone = step(Program((function,), program.name, span=program.span))
                except PassError as failure:
                    failures.append(failure.diagnostic)
                    continue
                result = alone.functions[0]
                seen[function] = result
            made.append(result)
        if failures:
            error = PassError(failures[0])
            error.args = (*error.args, *failures[1:])
            raise error
        return program.with_functions(made)


def lower(
    program: Program,
    backend: str | None,
    *,
    until: str | None = None,
    memory: PassMemory | None = None,
    checkpoint: Checkpoint = never,
) -> Lowering:
    """Run the pipeline with verification between the passes; never raises on the author's mistakes.

    A fault of the product itself becomes an ``internal`` finding on the program and stops this program's lowering.
    """
    memory = PassMemory() if memory is None else memory
    found: list[Diagnostic] = [*warnings_of(program, backend), *verify(program, AT_INPUT, backend)]
    early = tuple(found)
    source, stages, verified = program, [], AT_INPUT
    stopped = "pipeline_input" if _has_error(found) else ""
    for name in PIPELINE if not stopped else ():
        checkpoint()
        start = time.perf_counter()
        try:
            after = memory.run(name, backend, program, checkpoint)
        except PassError as failure:
            found.append(failure.diagnostic)
            found.extend(d for d in failure.args[1:] if isinstance(d, Diagnostic))
            stopped = name
            break
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            RecursionError,
        ) as fault:
            found.append(internal_fault(name, program, fault))
            stopped = name
            break
        stages.append(Stage(name, after, time.perf_counter() - start, after is not program))
        program = after
        todo, verified = properties_to_verify(name, verified)
        if todo:
            found += verify(program, todo, backend)
            if _has_error(found):
                stopped = name
                break
        if name == until:
            break
    return Lowering(source, backend, tuple(stages), tuple(found), stopped, early)


def internal_fault(name: str, program: Program, fault: Exception) -> Diagnostic:
    """The finding that stands for a fault of the product; ``data`` keeps the details for the log."""
    span = program.functions[0].span if program.functions else program.span
    return Diagnostic(
        "internal",
        f"internal error in {name}: later stages of this kernel are not available. The kernel itself is not at fault; the log has the details.",
        span,
        Severity.INFORMATION,
        data={"fault": fault},
    )


def _has_error(found: list[Diagnostic]) -> bool:
    return any(d.severity is Severity.ERROR for d in found)
