"""Reductions over the last axis (rows) or the first (columns) (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from typing import Any

from pypto_core.ir import ConstInt, DataType, TileType, Type
from pypto_core.ops.deduced import of_types
from pypto_core.ops.proofs import prove_eq, prove_le
from pypto_core.ops.registry import Evidence, OpCall
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tile.checks import (
    is_plain_row_major,
    require_dtype,
    require_not_empty,
    require_rank_at_least,
)
from pypto_core.ops.tile.declare import scratch, vec, vector_op
from pypto_core.ops.tile_views import COL, ROW, fresh

_D = DataType
_ONE = ConstInt(1, _D.INDEX)


def _check_tmp(call: OpCall, src: TileType, tmp: TileType, *, exact: bool) -> None:
    """The scratch of a row reduction: same dtype and rank, each extent at least (``exact``: equal to) the input's."""
    if tmp.dtype is not src.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires tmp_tile dtype to match input dtype, "
            f"but got {tmp.dtype.text} and {src.dtype.text}",
            arg=1,
        )
    if len(tmp.shape) != len(src.shape):
        call.fail(
            "op-rank",
            f"The operator {call.name} requires tmp_tile rank to match input rank, "
            f"but got {len(tmp.shape)} and {len(src.shape)}",
            arg=1,
        )
    for axis, (need, have) in enumerate(zip(src.shape, tmp.shape)):
        if exact:
            proof = prove_eq(need, have)
            if proof is not True:
                call.fail(
                    "op-shape",
                    f"The operator {call.name} requires tmp_tile to exactly match the input shape, "
                    f"but dimension {axis} is {show_dim(have)} for {show_dim(need)}",
                    arg=1,
                    unproven=proof is None,
                )
        elif prove_le(need, have) is False:
            call.fail(
                "op-shape",
                f"The operator {call.name}: tmp_tile is undersized in dimension {axis}: "
                f"{show_dim(have)} for an input extent of {show_dim(need)}",
                arg=1,
            )


def _reduce_rows(call: OpCall, *, exact_tmp: bool, dtype: DataType | None = None) -> TileType:
    src = call.tile(0)
    require_rank_at_least(call, 0, src, 2)
    _check_tmp(call, src, call.tile(1), exact=exact_tmp)
    require_not_empty(call, 0, src)
    return fresh((*src.shape[:-1], _ONE), dtype or src.dtype, (*src.valid_shape[:-1], _ONE), blayout=COL)


@of_types
def deduce_row_reduce(call: OpCall) -> Type:
    """ROW_REDUCE: one value per row, as a column vector in column-major layout."""
    return _reduce_rows(call, exact_tmp=False)


@of_types
def deduce_row_min(call: OpCall) -> Type:
    """ROW_REDUCE_MIN: ROW_REDUCE on a plain row-major input of a listed dtype."""
    result = _reduce_rows(call, exact_tmp=False)
    src = call.tile(0)
    require_dtype(call, 0, src.dtype, (_D.INT16, _D.INT32, _D.FP16, _D.FP32), "input")
    if not is_plain_row_major(src):
        call.fail(
            "op-memory", f"The operator {call.name} requires an ND input layout (row_major, none_box)", arg=0
        )
    return result


@of_types
def deduce_row_arg(call: OpCall) -> Type:
    """ROW_ARG: the position within each row."""
    return _reduce_rows(call, exact_tmp=True, dtype=_D.INT32)


def _reduce_columns(call: OpCall, dtype: DataType | None = None) -> TileType:
    src = call.tile(0)
    require_rank_at_least(call, 0, src, 2)
    require_not_empty(call, 0, src)
    return fresh((_ONE, *src.shape[1:]), dtype or src.dtype, (_ONE, *src.valid_shape[1:]), blayout=ROW)


@of_types
def deduce_col_reduce(call: OpCall) -> Type:
    """COL_REDUCE: one value per column, as a row vector."""
    return _reduce_columns(call)


@of_types
def deduce_col_sum(call: OpCall) -> Type:
    """COL_REDUCE; the optional scratch selects the tree form and has the input's dtype."""
    if call.has(1) and call.tile(1).dtype is not call.tile(0).dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires tmp_tile dtype to match input dtype, "
            f"but got {call.tile(1).dtype.text} and {call.tile(0).dtype.text}",
            arg=1,
        )
    return _reduce_columns(call)


@of_types
def deduce_col_arg(call: OpCall) -> Type:
    """COL_ARG: the position within each column; the second operand is not read."""
    return _reduce_columns(call, _D.INT32)


_ROWS = (vec("tile"), scratch("tmp_tile"))
_ROW_FLAGS: dict[str, Any] = {"evidence": Evidence.UNKNOWN, "inplace_safe": False}
vector_op("tile.row_sum", "ROW_REDUCE", deduce_row_reduce, _ROWS, "Sum of each row.", **_ROW_FLAGS)
vector_op("tile.row_max", "ROW_REDUCE", deduce_row_reduce, _ROWS, "Maximum of each row.", **_ROW_FLAGS)
vector_op("tile.row_prod", "ROW_REDUCE", deduce_row_reduce, _ROWS, "Product of each row.", **_ROW_FLAGS)
vector_op("tile.row_min", "ROW_REDUCE_MIN", deduce_row_min, _ROWS, "Minimum of each row.", **_ROW_FLAGS)
# The argument reductions pin the scratch by their own exact-shape rule, so it is not declared lane-invariant.
_ARG = (vec("tile"), vec("tmp_tile"))
vector_op("tile.row_argmax", "ROW_ARG", deduce_row_arg, _ARG, "Position of each row's maximum.", **_ROW_FLAGS)
vector_op("tile.row_argmin", "ROW_ARG", deduce_row_arg, _ARG, "Position of each row's minimum.", **_ROW_FLAGS)
vector_op("tile.col_max", "COL_REDUCE", deduce_col_reduce, (vec("tile"),), "Maximum of each column.")
vector_op("tile.col_min", "COL_REDUCE", deduce_col_reduce, (vec("tile"),), "Minimum of each column.")
vector_op("tile.col_prod", "COL_REDUCE", deduce_col_reduce, (vec("tile"),), "Product of each column.")
vector_op(
    "tile.col_sum", "COL_REDUCE", deduce_col_sum, (vec("tile"), scratch("tmp_tile", optional=True)),
    "Sum of each column.", evidence=Evidence.UNKNOWN,
)  # fmt: skip
vector_op(
    "tile.col_argmax", "COL_ARG", deduce_col_arg, _ARG, "Position of each column's maximum.", **_ROW_FLAGS
)
vector_op(
    "tile.col_argmin", "COL_ARG", deduce_col_arg, _ARG, "Position of each column's minimum.", **_ROW_FLAGS
)
