"""Checks on operands that many tile rules make; each names the rule's own words in its message."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.ir import ConstInt, DataType, TileType, effective_tile_view
from pypto_core.ops.proofs import dims_equal, provably_zero, prove_eq
from pypto_core.ops.registry import OpCall, ordinal
from pypto_core.ops.shape_rules import show_dim, show_dtypes, show_shape

_D = DataType
INT_8_32 = (_D.INT8, _D.UINT8, _D.INT16, _D.UINT16, _D.INT32, _D.UINT32)
WORDS = (_D.FP16, _D.FP32, _D.INT16, _D.INT32)


def require_dtype(call: OpCall, index: int, dtype: DataType, allowed: Sequence[DataType], what: str) -> None:
    """``dtype`` (of operand ``index``, called ``what``) is one of ``allowed``."""
    if dtype not in allowed:
        expected = f"to be {allowed[0].printed}" if len(allowed) == 1 else f"in {show_dtypes(allowed)}"
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {what} dtype {expected}, but got {dtype.text}",
            arg=index,
            data={"allowed": tuple(d.printed for d in allowed), "got": dtype.printed},
        )


def require_same_dtype(call: OpCall, index: int, dtype: DataType, expected: DataType, message: str) -> None:
    """Operand ``index`` has dtype ``expected``; ``message`` is completed with both."""
    if dtype is not expected:
        data = {"expected": expected.printed, "got": dtype.printed}
        call.fail("op-dtype", f"{message}, but got {expected.text} and {dtype.text}", arg=index, data=data)


def require_rank(call: OpCall, index: int, tile: TileType, rank: int, what: str) -> None:
    """Tile operand ``index`` has exactly ``rank`` dimensions."""
    if len(tile.shape) != rank:
        call.fail(
            "op-rank",
            f"The operator {call.name} requires {what} to be {rank}D, but got {len(tile.shape)} dimensions",
            arg=index,
        )


def require_rank_at_least(call: OpCall, index: int, tile: TileType, rank: int) -> None:
    """Tile operand ``index`` has ``rank`` dimensions or more."""
    if len(tile.shape) < rank:
        call.fail(
            "op-rank",
            f"The operator {call.name} requires {ordinal(index)} argument to have at least {rank} dimensions, "
            f"but got {show_shape(tile.shape)}",
            arg=index,
        )


def require_integer(call: OpCall, index: int, dtype: DataType, what: str) -> None:
    """``dtype`` is an integer type."""
    if not dtype.is_int:
        call.fail("op-dtype", f"The operator {call.name} requires {what}, but got {dtype.text}", arg=index)


def require_same_box(
    call: OpCall, index: int, tile: TileType, reference: TileType, *, rank_too: bool = True
) -> None:
    """Tile operand ``index`` has the physical and valid shape of ``reference``, both provably."""
    if rank_too and len(tile.shape) != len(reference.shape):
        call.fail(
            "op-rank",
            f"The operator {call.name} requires operands of the same rank, "
            f"but got {len(reference.shape)} and {len(tile.shape)}",
            arg=index,
        )
    for axis, (a, b) in enumerate(zip(reference.shape, tile.shape)):
        if not dims_equal(a, b):
            call.fail(
                "op-shape",
                f"The operator {call.name} requires the same physical shape, but dimension {axis} differs: "
                f"{show_dim(a)} and {show_dim(b)}",
                arg=index,
                unproven=not (isinstance(a, ConstInt) and isinstance(b, ConstInt)),
            )
    for axis, (a, b) in enumerate(zip(reference.valid_shape, tile.valid_shape)):
        proof = prove_eq(a, b)
        if proof is not True:
            call.fail(
                "op-shape",
                f"The operator {call.name} requires the same valid_shape, but dimension {axis} differs: "
                f"{show_dim(a)} and {show_dim(b)}",
                arg=index,
                unproven=proof is None,
            )


def require_not_empty(call: OpCall, index: int, tile: TileType) -> None:
    """No axis of the valid region is provably empty."""
    for axis, extent in enumerate(tile.valid_shape):
        if provably_zero(extent):
            call.fail(
                "op-shape",
                f"The operator {call.name}: input valid extent on axis {axis} is 0 "
                f"(valid_shape {show_shape(tile.valid_shape)}), so the reduction has no real data to consume",
                arg=index,
            )


def require_high_precision_dtype(call: OpCall, index: int, dtype: DataType) -> None:
    """``high_precision=True`` only on FP16 and FP32."""
    if call.kw("high_precision") and dtype not in (_D.FP16, _D.FP32):
        call.fail(
            "op-keyword",
            f"The operator {call.name} supports high_precision only for FP16 or FP32, but got {dtype.text}",
            keyword="high_precision",
            arg=index,
        )


def is_plain_row_major(tile: TileType) -> bool:
    """Row-major without inner boxes."""
    from pypto_core.ops.tile_views import NONE_BOX, ROW

    view = effective_tile_view(tile)
    return view.blayout is ROW and view.slayout is NONE_BOX
