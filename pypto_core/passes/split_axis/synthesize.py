"""Wrapping an AUTO body's vector phase in a lane region (docs/spec/passes_split.md §9.1, ``synthesize_region``)."""

from __future__ import annotations

from pypto_core.analysis.affinity import Affinity, classify_call_affinity
from pypto_core.analysis.lanes import BOUNDARY_OPS
from pypto_core.analysis.statements import block, leaf_call
from pypto_core.analysis.uses import uses_of
from pypto_core.ir import AssignStmt, EvalStmt, Function, ReturnStmt, SplitAivScopeStmt, SplitMode, Stmt
from pypto_core.ir.stmt import body_stmts
from pypto_core.passes.split_axis.lane import is_lane_binding
from pypto_core.verify.aiv_split import check_function


def _affinity(stmt: Stmt) -> Affinity:
    call = leaf_call(stmt)
    return classify_call_affinity(call) if call is not None else Affinity.SHARED


def _is_boundary(stmt: Stmt) -> bool:
    call = leaf_call(stmt)
    return call is not None and call.name in BOUNDARY_OPS


def _keeps_flat(stmt: Stmt, mode: SplitMode) -> bool:
    """Whether this statement alone forbids a region: control flow, or a boundary that is not the mode's plain one."""
    if not isinstance(stmt, (AssignStmt, EvalStmt, ReturnStmt)):
        return True
    call = leaf_call(stmt)
    if call is None or call.name not in BOUNDARY_OPS:
        return False
    return "lane_stride" in call.kwargs or call.kwargs.get("split") != int(mode)


def _phase(rest: list[Stmt]) -> tuple[int, int] | None:
    """First and last statement of the single vector phase, None when there is none or cube work interrupts it."""
    work = [i for i, s in enumerate(rest) if _affinity(s) is Affinity.VECTOR or _is_boundary(s)]
    if not work:
        return None
    first, last = work[0], work[-1]
    while (
        last + 1 < len(rest)
        and _affinity(rest[last + 1]) is Affinity.SHARED
        and not isinstance(rest[last + 1], ReturnStmt)
    ):
        last += 1
    inside = rest[first : last + 1]
    if any(_affinity(s) is Affinity.CUBE or isinstance(s, ReturnStmt) for s in inside):
        return None
    return first, last


def synthesize_region(function: Function, mode: SplitMode) -> Function:
    """`function` with its vector phase inside a region of its own mode, or unchanged when it must stay flat.

    The lane binding moves into the region, so no statement outside may use the lane index.
    """
    stmts = list(body_stmts(function.body))
    if not stmts or not is_lane_binding(stmts[0]):
        return function
    binding, rest = stmts[0], stmts[1:]
    assert isinstance(binding, AssignStmt)
    if any(_keeps_flat(s, mode) for s in rest):
        return function
    phase = _phase(rest)
    if phase is None:
        return function
    first, last = phase
    inside = rest[first : last + 1]
    if binding.var in uses_of([*rest[:first], *rest[last + 1 :]]):
        return function
    region = SplitAivScopeStmt(block([binding, *inside]), mode, span=inside[0].span)
    candidate = function.with_(body=block([*rest[:first], region, *rest[last + 1 :]]))
    return function if check_function(candidate, lowered=True) else candidate
