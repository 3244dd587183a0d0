"""HardSyncallOccupancyValid (rule HardSyncallOccupancy): a hard barrier waits for every core (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.analysis.statements import as_var
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "HardSyncallOccupancy"
CODE = "hard-syncall-occupancy"
_report = Finding(RULE)

_CLUSTERS, _AIVS = "system.available_cluster_count", "system.available_aiv_count"
_QUERIES = (_CLUSTERS, _AIVS)


@dataclass(frozen=True, slots=True)
class _Launch:
    """A dispatch: its width (a number or the name of a query) and whether all blocks start together."""

    call: ir.Call | ir.Submit
    width: int | str
    sync_start: bool


def _widths(function: ir.Function) -> dict[ir.Expr, ir.Expr]:
    """Variable -> the single value assigned to it."""
    values: dict[ir.Expr, ir.Expr] = {}
    for stmt in ir.walk_stmts(function.body):
        if isinstance(stmt, ir.AssignStmt):
            values[stmt.var] = stmt.value
    return values


def _launch(call: ir.Call | ir.Submit, callee: ir.Function, values: dict[ir.Expr, ir.Expr]) -> _Launch | None:
    if isinstance(call, ir.Submit) and call.core_num is not None:
        width: object = call.core_num
        sync_start = call.sync_start
    elif "core_num" in call.attrs:
        width, sync_start = call.attrs["core_num"], bool(call.attrs.get("sync_start"))
    elif "core_num" in callee.attrs:
        width, sync_start = callee.attrs["core_num"], bool(callee.attrs.get("sync_start"))
    else:
        return None
    if as_var(width) is not None:  # type: ignore[arg-type]
        width = values.get(width)  # type: ignore[call-overload]
    if isinstance(width, ir.ConstInt):
        return _Launch(call, width.value, sync_start)
    if isinstance(width, int):
        return _Launch(call, width, sync_start)
    if isinstance(width, ir.Call) and width.name in _QUERIES:
        return _Launch(call, width.name, sync_start)
    return None


def _kernels(callee: ir.Function, program: ir.Program) -> Iterator[ir.Function]:
    """The launched kernels: the callee, or what a wrapper calls."""
    is_wrapper = callee.func_type is ir.FunctionType.Spmd or (
        callee.func_type is ir.FunctionType.Group and callee.attrs.get("spmd_unwrapped")
    )
    if not is_wrapper:
        yield callee
        return
    for call in ir.calls_in(callee.body):
        inner = program.get_function(call.name) if isinstance(call.op, ir.GlobalVar) else None
        if inner is not None:
            yield inner


def _barriers(kernel: ir.Function) -> Iterator[ir.Call]:
    for call in ir.calls_in(kernel.body):
        if (
            isinstance(call, ir.Call)
            and call.name == "system.syncall"
            and call.kwargs.get("mode", "hard") != "soft"
        ):
            yield call


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    backend = context.backend
    if backend is None:
        return
    values: dict[ir.Expr, ir.Expr] | None = None
    reported: set[tuple[ir.Call, str]] = set()
    for call in ir.calls_in(function.body):
        callee = context.program.get_function(call.name) if isinstance(call.op, ir.GlobalVar) else None
        if callee is None:
            continue
        if values is None:
            values = _widths(function)
        launch = _launch(call, callee, values)
        if launch is None:
            continue
        for kernel in _kernels(callee, context.program):
            for barrier, fault in _faults(kernel, launch, context):
                if (barrier, fault.text) not in reported:
                    reported.add((barrier, fault.text))
                    yield _report(
                        CODE,
                        0,
                        fault.text,
                        best_span(barrier.span, kernel.span),
                        related=(Related("launched here", best_span(call.span, function.span)),),
                        data={"core_type": _core_type(barrier), "launch": call.span, **fault.data},
                    )


@dataclass(frozen=True, slots=True)
class _Fault:
    """What a barrier would wait for in vain: the text, and what a repair needs."""

    text: str
    data: dict[str, object]


def _core_type(barrier: ir.Call) -> str:
    return str(barrier.kwargs.get("core_type", "mix"))


def _faults(kernel: ir.Function, launch: _Launch, context: Context) -> Iterator[tuple[ir.Call, _Fault]]:
    if kernel.func_type is ir.FunctionType.Group:
        for call in ir.calls_in(kernel.body):
            member = context.program.get_function(call.name) if isinstance(call.op, ir.GlobalVar) else None
            barrier = next(_barriers(member), None) if member is not None else None
            if barrier is not None:
                fault = _width_fault(barrier, launch, context, cube=True)
                if fault is not None:
                    yield barrier, fault
                return
        return
    for barrier in _barriers(kernel):
        fault = _fault(kernel, barrier, launch, context)
        if fault is not None:
            yield barrier, fault


def _fault(kernel: ir.Function, barrier: ir.Call, launch: _Launch, context: Context) -> _Fault | None:
    core_type = _core_type(barrier)
    if kernel.func_type is ir.FunctionType.AIV:
        if core_type == "aiv_only":
            return _width_fault(barrier, launch, context, cube=False)
        if not kernel.attrs.get("dual_aiv_dispatch"):
            return _never(kernel, core_type, "CUBE", "aiv_only")
        return None
    if kernel.func_type is ir.FunctionType.AIC:
        if core_type == "aic_only":
            return _width_fault(barrier, launch, context, cube=True)
        return _never(kernel, core_type, "VECTOR", "aic_only")
    return None


def _never(kernel: ir.Function, core_type: str, missing: str, right: str) -> _Fault:
    text = (
        f"The hard barrier with core_type='{core_type}' in '{kernel.name}' can never complete: it also waits for "
        f"{missing} cores, and the launch starts none of them. Use core_type='{right}' or mode=\"soft\""
    )
    return _Fault(text, {"fault": "core-type", "right_core_type": right})


def _width_fault(barrier: ir.Call, launch: _Launch, context: Context, *, cube: bool) -> _Fault | None:
    backend = context.backend
    assert backend is not None
    required = backend.cores.aic if cube else backend.cores.aiv
    query = _CLUSTERS if cube else _AIVS
    kind = "CUBE" if cube else "VECTOR"
    core_type = _core_type(barrier)
    head = f"The hard barrier with core_type='{core_type}' waits for all {required} {kind} cores of {backend.arch}"
    dsl = f"pl.{query}()"
    facts: dict[str, object] = {"required": required, "query": query}
    if isinstance(launch.width, int):
        if launch.width != required:
            return _Fault(
                f"{head}, but the launch has {launch.width} blocks (occupancy). Set the width to {required} or "
                f'{dsl}, or use mode="soft"',
                {"fault": "occupancy", **facts},
            )
    elif launch.width != query:
        text = f"{head}, but the launch width is pl.{launch.width}(); use {dsl}"
        return _Fault(text, {"fault": "query", **facts})
    if not launch.sync_start:
        return _Fault(
            f"{head}, but the launch does not start its blocks together (co-residency): add sync_start=True, or use "
            'mode="soft"',
            {"fault": "co-residency"},
        )
    return None


VERIFIER = Verifier("HardSyncallOccupancyValid", RULE, check, needs_backend=True)
