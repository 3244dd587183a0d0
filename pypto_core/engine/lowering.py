"""A program through the pipeline, every stage kept (docs/spec/ir.md §7.3; docs/architecture.md §4).

Stages are remembered by identity: a function-local pass is not run again on a function object it has seen, a program that comes
back as the same object is not lowered again. Passes keep identity where nothing changed, so an edit in one kernel
re-lowers that kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from weakref import WeakKeyDictionary

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.engine.tile_kernels import note, passes_by, with_tile_kernels, without_tile_kernels
from pypto_core.ir import Function, Program
from pypto_core.passes.base import Pass
from pypto_core.passes.pipeline import (
    AT_INPUT,
    ORPHAN_POINT,
    PIPELINE,
    contract_of,
    factory_of,
    make_pass,
    properties_to_verify,
)
from pypto_core.verify import hints_of, orphans_of, verify, warnings_of

#: What a fault of the product looks like; signals such as a cancellation are none of these.
FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, RecursionError)

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


@dataclass(frozen=True, slots=True)
class _Made:
    """What a function-local pass made of a function, and the hints it gave."""

    function: Function
    hints: tuple[Diagnostic, ...] = ()


#: Passes that give performance hints; their factories take a sink for them.
_HINTING = frozenset({"AutoTileMatmulL0"})
#: Passes that look at one function at a time: those whose contract says so, and these, whose contract in the table leaves it open.
_LOCAL = frozenset({"AutoTileMatmulL0"})


class PassMemory:
    """What function-local passes made of functions seen before."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str | None], WeakKeyDictionary[Function, _Made]] = {}

    def run(
        self, name: str, backend: str | None, program: Program, checkpoint: Checkpoint, hints: list[Diagnostic]
    ) -> Program:
        """Run one pass; function by function where its contract allows it. Performance hints are appended to ``hints``.

        Raises:
            PassError: the first rejection; a function-local pass has then looked at every function, the others' findings are in
                ``args[1:]``.
        """
        given: list[Diagnostic] = []
        step = _pass(name, backend, given)
        if not contract_of(name).function_local and name not in _LOCAL:
            after = step(program)
            hints += given
            return after
        seen = self._functions.setdefault((name, backend), WeakKeyDictionary())
        made: list[Function] = []
        failures: list[Diagnostic] = []
        for function in program.functions:
            result = seen.get(function)
            if result is None:
                checkpoint()
                given.clear()
                try:
                    alone = step(Program((function,), program.name, span=program.span))
                except PassError as failure:
                    failures.append(failure.diagnostic)
                    continue
                result = seen[function] = _Made(alone.functions[0], tuple(given))
            made.append(result.function)
            hints += result.hints
        if failures:
            error = PassError(failures[0])
            error.args = (*error.args, *failures[1:])
            raise error
        return program.with_functions(made)


def _pass(name: str, backend: str | None, hints: list[Diagnostic]) -> Callable[[Program], Program]:
    """The pass, with its hints going to ``hints``."""
    if name not in _HINTING:
        return make_pass(name, backend)
    factory = factory_of(name)
    made: Pass = getattr(import_module(f"pypto_core.passes.{factory}"), factory)(
        backend=backend, on_hint=hints.append
    )
    return made


def early_findings(program: Program, backend: str | None) -> tuple[Diagnostic, ...]:
    """What is known before the first pass: warnings and the structure of the program (docs/spec/ir.md §7.3)."""
    try:
        return (*warnings_of(program, backend), *verify(program, AT_INPUT, backend))
    except FAULTS as fault:
        return (internal_fault("verification", program, fault),)


def lower(
    program: Program,
    backend: str | None,
    *,
    until: str | None = None,
    memory: PassMemory | None = None,
    checkpoint: Checkpoint = never,
    early: tuple[Diagnostic, ...] | None = None,
) -> Lowering:
    """Run the pipeline with verification between the passes; never raises on the author's mistakes.

    ``early`` are the :func:`early_findings` of the program when the caller has them. A fault of the product itself becomes an
    ``internal`` finding on the program and stops this program's lowering.
    """
    memory = PassMemory() if memory is None else memory
    early = early_findings(program, backend) if early is None else early
    found: list[Diagnostic] = [*early, *note(program)]
    source, stages, verified = program, [], AT_INPUT
    stopped = "pipeline_input" if _has_error(found) else ""
    for name in PIPELINE if not stopped else ():
        checkpoint()
        start = time.perf_counter()
        try:
            held: tuple[Function, ...] = ()
            if passes_by(name, PIPELINE):
                program, held = without_tile_kernels(program)
            after = memory.run(name, backend, program, checkpoint, found)
            program, after = with_tile_kernels(program, held), with_tile_kernels(after, held)
            changed = len(after.functions) != len(program.functions) or any(
                a is not b for a, b in zip(after.functions, program.functions)
            )
            stages.append(Stage(name, after, time.perf_counter() - start, changed))
            program = after
            todo, verified = properties_to_verify(name, verified)
            if todo:
                found += verify(program, todo, backend)
            if name == ORPHAN_POINT:
                found += orphans_of(program)
        except PassError as failure:
            found.append(failure.diagnostic)
            found.extend(d for d in failure.args[1:] if isinstance(d, Diagnostic))
            stopped = name
        except FAULTS as fault:
            found.append(internal_fault(name, program, fault))
            stopped = name
        if stopped or _has_error(found):
            stopped = name
            break
        if name == until:
            break
    else:
        if not stopped:
            found += _last_hints(program, backend)
    return Lowering(source, backend, tuple(stages), tuple(found), stopped, early)


def _last_hints(program: Program, backend: str | None) -> list[Diagnostic]:
    try:
        return hints_of(program, backend)
    except FAULTS as fault:
        return [internal_fault("hints", program, fault)]


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
