"""A program through the pipeline, every stage kept (docs/spec/ir.md §7.3; docs/architecture.md §4).

Stages are remembered by identity: a function-local pass is not run again on a function object it has seen, a program that comes
back as the same object is not lowered again. Passes keep identity where nothing changed, so an edit in one kernel
re-lowers that kernel. A function in which a pass or a verifier finds an error stays behind; the others go on to the last pass.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pypto_core.analysis.lanes import BOUNDARY_OPS
from pypto_core.analysis.statements import has_region
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine.blame import FAULTS
from pypto_core.engine.pass_memory import Checkpoint, PassMemory
from pypto_core.engine.tile_kernels import note, passes_by, with_tile_kernels, without_tile_kernels
from pypto_core.engine.wording import in_authors_words
from pypto_core.ir import Function, FunctionType, GlobalVar, Program, calls_in
from pypto_core.passes.pipeline import (
    ALL_PASSES,
    AT_INPUT,
    ORPHAN_POINT,
    passes_until,
    properties_to_verify,
)
from pypto_core.verify import (
    Located,
    hints_of,
    lane_stores_located,
    orphans_located,
    verify_located,
    warnings_of,
)
from pypto_core.verify.aiv_split_early import verify_aiv_split_early
from pypto_core.verify.lane_stores import LANES_DECIDED
from pypto_core.verify.undeclared_out import DECIDED, undeclared_outputs

__all__ = ["FAULTS", "INPUT", "Early", "Lowering", "PassMemory", "Stage", "Stop", "early_findings", "lower"]

#: Stands for the verification before the first pass where a pass name is expected.
INPUT = "pipeline_input"
_ORDER = (INPUT, *ALL_PASSES)
#: After this pass no inline function is left.
_INLINED = "InlineFunctions"
#: Structure that the author can get wrong and that the default schedule of ir.md §7.3 leaves to a verification on request
#: (verifiers.md §1). Nested blocks are looked at as they are written: a lane region of an inline function brings a block of its own.
_AS_WRITTEN = frozenset(("OutParamNotShadowed", "NoNestedInCore"))
#: The same, looked at when inline functions, which may take arrays, are gone.
_WITHOUT_INLINE = frozenset(("ArrayNotEscaped",))
#: After this pass every kernel is a function of its own, and still as the author wrote it.
_OUTLINED = "OutlineIncoreScopes"


def never() -> None:
    """The checkpoint that never stops."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The program after one pass. ``changed`` says whether the pass did anything.

    Functions that were refused earlier stand in it as they were when they were refused.
    """

    name: str
    program: Program
    seconds: float
    changed: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a function stayed behind and why.

    ``stage`` is the pass that refused it (``by_pass``) or after which verification did, :data:`INPUT` before the first pass.
    ``findings`` is empty for a function that only depends on a refused one.
    """

    stage: str
    by_pass: bool
    findings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Early:
    """What is known before the first pass.

    ``found``: warnings and the structure of the program, with the function each is about; an error there keeps the function
    from being lowered. ``split``: findings about lane regions that later verification will repeat, with more beside them.
    """

    found: tuple[Located, ...] = ()
    split: tuple[Diagnostic, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return (*(finding for _, finding in self.found), *self.split)


@dataclass(frozen=True, slots=True)
class Lowering:
    """All stages that were reached, and every finding on the way.

    ``source`` is the program before the first pass; ``stopped`` says for each function that was refused where and why.
    """

    source: Program
    backend: str | None
    stages: tuple[Stage, ...]
    diagnostics: tuple[Diagnostic, ...]
    stopped: Mapping[str, Stop] = field(default_factory=dict)
    #: Findings made before the first pass (structure, warnings, lane regions).
    early: tuple[Diagnostic, ...] = ()

    @property
    def stopped_at(self) -> str:
        """The first stage that refused a function, empty when all functions went through all passes."""
        return min((stop.stage for stop in self.stopped.values()), key=_ORDER.index, default="")

    def stops_before(self, name: str) -> dict[str, Stop]:
        """The functions that do not get through the pass called ``name`` (empty: the source form, which all have)."""
        if not name:
            return {}
        return {
            function: stop
            for function, stop in self.stopped.items()
            if _ORDER.index(stop.stage) < _ORDER.index(name) + stop.by_pass
        }

    def program_after(self, name: str) -> Program | None:
        """The program after the pass called ``name`` (empty: before any pass); None when no function reached it."""
        if not name:
            return self.source
        for stage in self.stages:
            if stage.name == name:
                return stage.program
        return None


def early_findings(program: Program, backend: str | None) -> Early:
    """Warnings and the structure of a program (docs/spec/ir.md §7.3), without the findings about lane regions."""
    try:
        warnings = tuple(("", finding) for finding in warnings_of(program, backend))
        return Early((*warnings, *verify_located(program, AT_INPUT | _AS_WRITTEN, backend)))
    except FAULTS as fault:
        return Early((("", internal_fault("verification", program, fault)),))


def with_split_findings(
    early: Early, program: Program, backend: str | None, memory: PassMemory, checkpoint: Checkpoint = never
) -> Early:
    """``early`` with what can be said about lane regions at typing speed (docs/spec/design/decisions.md 8).

    The passes up to the outlining of kernels run for it; they are quick, and what they made is remembered for the lowering.
    """
    if not any(_has_lanes(function) for function in program.functions):
        return early
    run = _Run(program, backend, memory, checkpoint, early)
    for name in passes_until(_OUTLINED):
        if not run.program.functions:
            break
        run.step(name)
    try:
        return Early(early.found, tuple(verify_aiv_split_early(run.program)))
    except FAULTS as fault:
        return Early((*early.found, ("", internal_fault("verification", program, fault))))


def _has_lanes(function: Function) -> bool:
    return has_region(function.body) or any(call.name in BOUNDARY_OPS for call in calls_in(function.body))


def lower(
    program: Program,
    backend: str | None,
    *,
    until: str | None = None,
    memory: PassMemory | None = None,
    checkpoint: Checkpoint = never,
    early: Early | None = None,
) -> Lowering:
    """Run the pipeline with verification between the passes; never raises on the author's mistakes.

    ``until`` is the last pass to run, by default that of the default pipeline; a pass that plans the on-chip memory comes behind it.
    ``early`` are the findings before the first pass when the caller has them. A fault of the product itself becomes a finding
    on the statement and stops that function's lowering.
    """
    memory = PassMemory() if memory is None else memory
    if early is None:
        early = with_split_findings(early_findings(program, backend), program, backend, memory, checkpoint)
    run = _Run(program, backend, memory, checkpoint, early)
    run.found += note(program)
    for name in passes_until(until):
        if not run.program.functions:
            break
        checkpoint()
        run.step(name)
        run.verify(name)
    else:
        if until is None:
            run.hints()
    return Lowering(program, backend, tuple(run.stages), tuple(run.found), run.stopped, early.diagnostics)


class _Run:
    """A program on its way. ``program`` holds the functions that go on, ``held`` those that stayed behind, as they were last."""

    def __init__(
        self, program: Program, backend: str | None, memory: PassMemory, checkpoint: Checkpoint, early: Early
    ) -> None:
        self.source = self.program = program
        self.backend = backend
        self.memory = memory
        self.checkpoint = checkpoint
        self.held: dict[str, Function] = {}
        self.stopped: dict[str, Stop] = {}
        self.stages: list[Stage] = []
        self.found: list[Diagnostic] = list(early.diagnostics)
        self.verified = AT_INPUT
        self._stop_erroneous(INPUT, early.found)

    def step(self, name: str) -> None:
        """Run one pass on the functions that go on."""
        start = time.perf_counter()
        tiles: tuple[Function, ...] = ()
        if passes_by(name, ALL_PASSES):
            self.program, tiles = without_tile_kernels(self.program)
        outcome = self.memory.run(name, self.backend, self.program, self.checkpoint)
        self.found += outcome.hints
        for refusal in outcome.refusals:
            self.found.append(refusal.diagnostic)
            for function in refusal.functions:
                self._stop(function, Stop(name, True, (refusal.diagnostic,)))
        before = with_tile_kernels(self.program, tiles)
        made = with_tile_kernels(outcome.program, tiles)
        self.program = made.with_functions(f for f in made.functions if f.name not in self.stopped)
        shown = self.program.with_functions((*self.program.functions, *self._still_held()))
        changed = before.with_functions(self.program.functions) is not before
        self.stages.append(Stage(name, shown, time.perf_counter() - start, changed))

    def verify(self, name: str) -> None:
        """Look at what the pass called ``name`` promises; functions with an error go no further."""
        todo, self.verified = properties_to_verify(name, self.verified)
        located: list[Located] = []
        try:
            if todo:
                located += verify_located(self.program, todo, self.backend)
            if name == _INLINED:
                located += verify_located(self.program, _WITHOUT_INLINE, self.backend)
                located += self._dangling()
            elif name == ORPHAN_POINT:
                located += orphans_located(self.program)
            elif name == LANES_DECIDED:
                located += lane_stores_located(self.program)
            elif name == DECIDED:
                located += undeclared_outputs(self.source, self.program)
        except FAULTS as fault:
            located.append(("", internal_fault("verification", self.program, fault)))
        self.found += (finding for _, finding in located)
        self._stop_erroneous(name, located)

    def _dangling(self) -> list[Located]:
        """Calls of inline functions that are still calls although the functions are gone."""
        names = {f.name for f in self.source.functions if f.func_type is FunctionType.Inline}
        if not names:
            return []
        located = verify_located(self.program, ("InlineFunctionsEliminated",), self.backend)
        return [(name, finding) for name, finding in located if finding.data.get("callee") in names]

    def hints(self) -> None:
        """Performance hints about the functions that went through all passes."""
        try:
            self.found += hints_of(self.program, self.backend)
        except FAULTS as fault:
            self.found.append(internal_fault("hints", self.program, fault))

    # -- functions that stay behind ----------------------------------------------------------------------------------
    def _stop_erroneous(self, stage: str, located: Iterable[Located]) -> None:
        errors: dict[str, list[Diagnostic]] = {}
        for name, finding in located:
            if finding.severity is Severity.ERROR:
                errors.setdefault(name, []).append(finding)
        for name, findings in errors.items():
            function = self.program.get_function(name)
            if function is not None:
                self._stop(function, Stop(stage, False, tuple(findings)))

    def _stop(self, function: Function, stop: Stop) -> None:
        """Hold ``function`` back, and whoever cannot be lowered without it."""
        if function.name in self.stopped:
            return
        self.held[function.name] = function
        told = tuple(in_authors_words(finding) for finding in stop.findings)
        self.stopped[function.name] = Stop(stop.stage, stop.by_pass, told)
        self.program = self.program.with_functions(f for f in self.program.functions if f is not function)
        if function.func_type is FunctionType.Inline:
            for caller in self.program.functions:
                if _calls(caller, function.name):
                    self._stop(caller, Stop(stop.stage, stop.by_pass))

    def _still_held(self) -> list[Function]:
        names = {function.name for function in self.program.functions}
        return [function for name, function in self.held.items() if name not in names]


def _calls(caller: Function, name: str) -> bool:
    return any(isinstance(call.op, GlobalVar) and call.name == name for call in calls_in(caller.body))


def internal_fault(name: str, program: Program, fault: Exception) -> Diagnostic:
    """The finding that stands for a fault of the product; ``data`` keeps the details for the log."""
    span = program.functions[0].span if program.functions else program.span
    return Diagnostic(
        "internal",
        f"internal error in {name}: some findings about this kernel may be missing. The kernel itself is not at fault; the log has "
        "the details.",
        span,
        Severity.INFORMATION,
        data={"fault": fault},
    )
