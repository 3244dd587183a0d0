"""Balancing a ragged body over the lanes (docs/spec/passes_split.md §3.8)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.analysis.affinity import (
    Affinity,
    MoveDirection,
    classify_call_affinity,
    classify_move_direction,
)
from pypto_core.analysis.lanes import const_value, lane_extents
from pypto_core.analysis.split_axis import is_singleton
from pypto_core.analysis.statements import as_var, leaf_call, walk_stmts
from pypto_core.ir import AssignStmt, Call, ConstInt, Stmt, TileType, Type, Var
from pypto_core.passes.split_axis.extents import index

_TO_CUBE = frozenset({"tile.aic_gather", "tile.tpush_to_aic", "tile.tpop_from_aiv"})
_TO_VECTOR = frozenset({"tile.aiv_shard", "tile.tpop_from_aic"})


def resolve_lane_stride(stmts: Sequence[Stmt], dim: int) -> ConstInt | None:
    """The balanced share ``ceil(V / 2)`` when the body is one ragged crossing and nothing else, else None.

    Sound only if everything on the split axis derives from that crossing: an independent tile spans the whole box, a
    gather joins the lanes at the box's halves.
    """
    ragged: tuple[int, int] | None = None
    derived: set[Var] = set()
    for stmt in walk_stmts(stmts):
        call = leaf_call(stmt)
        if call is None:
            continue
        target = stmt.var if isinstance(stmt, AssignStmt) else None
        direction = classify_move_direction(call)
        if call.name in _TO_CUBE or direction is MoveDirection.VECTOR_TO_CUBE:
            return None
        if call.name in _TO_VECTOR or direction is MoveDirection.CUBE_TO_VECTOR:
            found = _extent(call, dim)
            if found is None or (ragged is not None and ragged != found):
                return None
            ragged = found
        elif not _on_axis(call.type, dim) or classify_call_affinity(call) is Affinity.CUBE:
            continue
        elif not _derives(call, dim, derived):
            return None
        if target is not None:
            derived.add(target)
    if ragged is None:
        return None
    box, valid = ragged
    balanced = (valid + 1) // 2
    if balanced <= 0 or valid >= box or balanced == (box + 1) // 2:
        return None
    return index(balanced)


def _on_axis(type_: Type, dim: int) -> bool:
    return isinstance(type_, TileType) and dim < len(type_.shape) and not is_singleton(type_, dim)


def _extent(call: Call, dim: int) -> tuple[int, int] | None:
    full = call.args[0].type if call.args else call.type
    if not isinstance(full, TileType) or dim >= len(full.shape) or lane_extents(full, dim, None) is None:
        return None
    box, valid = const_value(full.shape[dim]), const_value(full.valid_shape[dim])
    return None if box is None or valid is None else (box, valid)


def _derives(call: Call, dim: int, derived: set[Var]) -> bool:
    sources = [arg for arg in call.args if _on_axis(arg.type, dim)]
    return bool(sources) and all((var := as_var(arg)) is not None and var in derived for arg in sources)
