"""Predicates on the axis that a split halves (docs/spec/passes_split.md §3.10, §3.11)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.statements import leaf_call, walk_stmts
from pypto_core.ir import AssignStmt, Call, ConstInt, Expr, Stmt, TileType, Type
from pypto_core.ir.walk import called_names

_REDUCTIONS = ("sum", "max", "min", "prod", "argmax", "argmin")
ROW_REDUCTIONS = frozenset(f"tile.row_{r}" for r in _REDUCTIONS)
COL_REDUCTIONS = frozenset(f"tile.col_{r}" for r in _REDUCTIONS)


def reduced_axis(call: Call) -> int | None:
    """Axis that a reduction collapses (last for ``row_*``, 0 for ``col_*``), None for any other operator."""
    if call.name in COL_REDUCTIONS:
        return 0
    if call.name not in ROW_REDUCTIONS:
        return None
    source = call.args[0].type if call.args else None
    return len(source.shape) - 1 if isinstance(source, TileType) else 1


def is_reduce_on_split_axis(call: Call, dim: int) -> bool:
    """Whether `call` reduces along `dim`, which would leave each lane with a partial result."""
    return reduced_axis(call) == dim


def other_reduction(name: str) -> str:
    """The reduction along the other axis: ``tile.row_sum`` <-> ``tile.col_sum``."""
    return name.replace("row_", "col_") if "row_" in name else name.replace("col_", "row_")


@dataclass(frozen=True, slots=True)
class TransposeHazard:
    """A transpose that would swap the split axis; `name` is the assigned variable's, if any."""

    call: Call
    name: str | None


def find_transpose_hazard(body: Stmt, dim: int) -> TransposeHazard | None:
    """First ``tile.transpose`` that moves axis `dim`; nested split regions are not entered."""
    if "tile.transpose" not in called_names(body):
        return None
    for stmt in walk_stmts(body, into_regions=False):
        call = leaf_call(stmt)
        if call is None or call.name != "tile.transpose" or not call.args:
            continue
        source = call.args[0].type
        if not isinstance(source, TileType) or len(source.shape) <= dim:
            continue
        axes = [_axis(arg, len(source.shape)) for arg in call.args[1:3]]
        if len(axes) == 2 and None not in axes and dim not in axes:
            continue
        if is_singleton(source, dim):
            continue
        return TransposeHazard(call, stmt.var.name_hint if isinstance(stmt, AssignStmt) else None)
    return None


def _axis(expr: Expr, rank: int) -> int | None:
    if not isinstance(expr, ConstInt):
        return None
    return expr.value + rank if expr.value < 0 else expr.value


def is_singleton(type_: Type, dim: int) -> bool:
    """Whether a tile's extent on `dim` is the constant 1. False for axes that it does not have."""
    if not isinstance(type_, TileType) or not 0 <= dim < len(type_.shape):
        return False
    extent = type_.shape[dim]
    return isinstance(extent, ConstInt) and extent.value == 1


def is_broadcast_on(operand: Type, result_dim: int, result_rank: int) -> bool:
    """Whether a tile operand, aligned to the result from the right, is the same for every index of `result_dim`."""
    if not isinstance(operand, TileType):
        return False
    axis = len(operand.shape) - result_rank + result_dim
    return axis < 0 or is_singleton(operand, axis)
