"""Binding the lane index (docs/spec/passes_split.md §3.6)."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.analysis.lanes import LANE_INDEX_OP
from pypto_core.ir import AssignStmt, Function, Span, Stmt, Var
from pypto_core.ir.walk import collect_defs
from pypto_core.ops.registry import create_op_call

LANE_NAME = "subblock_idx"


def names_in(function: Function) -> set[str]:
    """Names of the parameters and of every definition in the body."""
    return {p.name_hint for p in function.params} | {v.name_hint for v in collect_defs(function.body)}


def fresh_name(wanted: str, used: Iterable[str]) -> str:
    """`wanted`, or ``wanted__ssa_vN`` with the first free N when it is taken."""
    taken = set(used)
    if wanted not in taken:
        return wanted
    number = 0
    while f"{wanted}__ssa_v{number}" in taken:
        number += 1
    return f"{wanted}__ssa_v{number}"


def bind_lane(used: set[str], span: Span) -> AssignStmt:
    """``subblock_idx = tile.get_subblock_idx()`` under a name that is not in `used`; adds the name to it."""
    name = fresh_name(LANE_NAME, used)
    used.add(name)
    call = create_op_call(LANE_INDEX_OP, (), span=span)
    return AssignStmt(Var(name, call.type, span=span), call, span=span)


def is_lane_binding(stmt: Stmt) -> bool:
    """Whether `stmt` assigns the lane index."""
    return isinstance(stmt, AssignStmt) and getattr(stmt.value, "name", "") == LANE_INDEX_OP
