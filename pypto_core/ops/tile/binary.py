"""Two tiles in, one tile out: arithmetic, bitwise and partial operations (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import DataType, Expr, TileType, Type
from pypto_core.ops.deduced import of_types
from pypto_core.ops.registry import Evidence, OpCall
from pypto_core.ops.shape_rules import broadcast, broadcast_is_refuted, promote, show_shape
from pypto_core.ops.tile.checks import (
    require_dtype,
    require_high_precision_dtype,
    require_integer,
    require_same_box,
    require_same_dtype,
)
from pypto_core.ops.tile.declare import HIGH_PRECISION, scratch, vec, vector_op
from pypto_core.ops.tile_views import like, passthrough

_D = DataType


def broadcast_tiles(call: OpCall, *indices: int) -> tuple[Expr, ...]:
    """Common physical shape of the tile operands; ``op-shape`` at the first that does not fit."""
    shape: tuple[Expr, ...] = ()
    for index in indices:
        other = call.tile(index).shape
        common = broadcast(shape, other)
        if common is None:
            call.fail(
                "op-shape",
                f"The operator {call.name} requires compatible shapes, but got {show_shape(shape)} and {show_shape(other)}",
                arg=index,
                unproven=not broadcast_is_refuted(shape, other),
            )
        shape = common
    return shape


@of_types
def deduce_binary(call: OpCall) -> Type:
    """EW_BINARY: broadcast physical shapes, promote dtypes; valid shape and layout are those of the left operand."""
    lhs, rhs = call.tile(0), call.tile(1)
    return like(lhs, broadcast_tiles(call, 0, 1), lhs.valid_shape, promote(lhs.dtype, rhs.dtype))


@of_types
def deduce_bitwise(call: OpCall) -> Type:
    """EW_BINARY on integer tiles."""
    for index in (0, 1):
        require_integer(call, index, call.tile(index).dtype, "integer tile dtype")
    return deduce_binary(call)


@of_types
def deduce_div(call: OpCall) -> Type:
    """EW_DIV: one dtype and one box, no broadcasting."""
    lhs, rhs = call.tile(0), call.tile(1)
    require_same_dtype(
        call, 1, rhs.dtype, lhs.dtype, f"The operator {call.name} requires operands of the same dtype"
    )
    require_dtype(call, 0, lhs.dtype, (_D.INT16, _D.INT32, _D.FP16, _D.FP32), "tile")
    require_same_box(call, 1, rhs, lhs)
    require_high_precision_dtype(call, 0, lhs.dtype)
    return passthrough(lhs)


@of_types
def deduce_shift(call: OpCall) -> Type:
    """EW_SHIFT: integers; the left dtype."""
    lhs, rhs = call.tile(0), call.tile(1)
    require_integer(call, 0, lhs.dtype, "integer tile dtype")
    require_integer(call, 1, rhs.dtype, "integer shift tile dtype")
    return like(lhs, broadcast_tiles(call, 0, 1), lhs.valid_shape, lhs.dtype)


@of_types
def deduce_ternary_tmp(call: OpCall) -> Type:
    """EW_TERNARY_TMP: as EW_BINARY; shape and dtype of the third operand are not read."""
    lhs, rhs = call.tile(0), call.tile(1)
    return like(lhs, broadcast_tiles(call, 0, 1), lhs.valid_shape, promote(lhs.dtype, rhs.dtype))


@of_types
def deduce_xor(call: OpCall) -> Type:
    """EW_TERNARY_TMP on integer tiles."""
    for index in (0, 1):
        require_integer(call, index, call.tile(index).dtype, "integer tile dtype")
    return deduce_ternary_tmp(call)


@of_types
def deduce_triple(call: OpCall) -> TileType:
    """EW_TRI: promote and broadcast over three tiles, left to right."""
    first, second, third = (call.tile(i) for i in range(3))
    dtype = promote(promote(first.dtype, second.dtype), third.dtype)
    return like(first, broadcast_tiles(call, 0, 1, 2), first.valid_shape, dtype)


_PAIR = (vec("lhs"), vec("rhs"))
for _name, _doc in (
    ("add", "Element-wise sum."),
    ("sub", "Element-wise difference."),
    ("mul", "Element-wise product."),
    ("maximum", "Element-wise maximum."),
    ("minimum", "Element-wise minimum."),
):
    vector_op(f"tile.{_name}", "EW_BINARY", deduce_binary, _PAIR, _doc, row_major=(0, 1))
vector_op(
    "tile.fmod", "EW_BINARY", deduce_binary, _PAIR, "Element-wise remainder of truncated division.",
    row_major=(0, 1), inplace_safe=False,
)  # fmt: skip
vector_op("tile.and", "EW_BINARY", deduce_bitwise, _PAIR, "Element-wise bitwise and.", row_major=(0, 1))
vector_op("tile.or", "EW_BINARY", deduce_bitwise, _PAIR, "Element-wise bitwise or.", row_major=(0, 1))

for _name, _doc in (
    ("add", "Sum where both operands are valid, the valid operand elsewhere."),
    ("mul", "Product where both operands are valid, the valid operand elsewhere."),
    ("max", "Maximum where both operands are valid, the valid operand elsewhere."),
    ("min", "Minimum where both operands are valid, the valid operand elsewhere."),
):
    vector_op(
        f"tile.part_{_name}", "EW_BINARY", deduce_binary, (vec("src0"), vec("src1")), _doc,
        row_major=(0, 1), evidence=Evidence.UNKNOWN,
    )  # fmt: skip

vector_op(
    "tile.div", "EW_DIV", deduce_div, _PAIR, "Element-wise quotient of two tiles of one box.",
    row_major=(0, 1), kwargs=(HIGH_PRECISION,),
)  # fmt: skip
vector_op("tile.shl", "EW_SHIFT", deduce_shift, _PAIR, "Element-wise left shift.", row_major=(0, 1))
vector_op("tile.shr", "EW_SHIFT", deduce_shift, _PAIR, "Element-wise right shift.", row_major=(0, 1))
vector_op(
    "tile.rem", "EW_TERNARY_TMP", deduce_ternary_tmp, (*_PAIR, scratch()), "Element-wise remainder of floor division.",
    row_major=(0, 1, 2), evidence=Evidence.UNKNOWN,
)  # fmt: skip
vector_op(
    "tile.xor", "EW_TERNARY_TMP", deduce_xor, (*_PAIR, vec("tmp")), "Element-wise bitwise exclusive or.",
    row_major=(0, 1, 2), evidence=Evidence.UNKNOWN,
)  # fmt: skip
vector_op("tile.addc", "EW_TRI", deduce_triple, (*_PAIR, vec("rhs2")), "lhs + rhs + rhs2.")
vector_op("tile.subc", "EW_TRI", deduce_triple, (*_PAIR, vec("rhs2")), "lhs - rhs + rhs2.")
