"""A tile and a scalar in, one tile out (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import DataType, Type
from pypto_core.ops.deduced import of_types
from pypto_core.ops.registry import Evidence, OpCall
from pypto_core.ops.shape_rules import promote
from pypto_core.ops.tile.binary import broadcast_tiles
from pypto_core.ops.tile.checks import require_dtype, require_integer
from pypto_core.ops.tile.declare import scalar, scratch, vec, vector_op
from pypto_core.ops.tile_views import like, passthrough

_D = DataType
_SUBS_DTYPES = (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32, _D.BF16)


@of_types
def deduce_scalar(call: OpCall) -> Type:
    """EW_SCALAR: the tile's dtype stays, whatever the scalar's is."""
    return passthrough(call.tile(0))


@of_types
def deduce_subs(call: OpCall) -> Type:
    """EW_SUBS: as EW_SCALAR, with tile and scalar of a listed dtype."""
    require_dtype(call, 0, call.tile(0).dtype, _SUBS_DTYPES, "tile")
    require_dtype(call, 1, call.scalar(1).dtype, _SUBS_DTYPES, "scalar")
    return passthrough(call.tile(0))


@of_types
def deduce_int_scalar(call: OpCall) -> Type:
    """EW_INT_SCALAR: integer tile, integer scalar (INDEX counts)."""
    require_integer(call, 0, call.tile(0).dtype, "integer tile dtype")
    require_integer(call, 1, call.scalar(1).dtype, "shift/bitwise scalar to be an integer type")
    return passthrough(call.tile(0))


@of_types
def deduce_xors(call: OpCall) -> Type:
    """EW_XORS: as EW_INT_SCALAR, with a scratch tile that is not read."""
    require_integer(call, 0, call.tile(0).dtype, "integer tile dtype")
    require_integer(call, 1, call.scalar(1).dtype, "shift/bitwise scalar to be an integer type")
    return passthrough(call.tile(0))


@of_types
def deduce_tile_scalar_tile(call: OpCall) -> Type:
    """EW_TILE_SCALAR_TILE: here the scalar takes part in promotion, and both tiles in broadcasting."""
    first, value, second = call.tile(0), call.scalar(1), call.tile(2)
    dtype = promote(promote(first.dtype, value.dtype), second.dtype)
    return like(first, broadcast_tiles(call, 0, 2), first.valid_shape, dtype)


_PAIR = (vec("lhs"), scalar("rhs"))
for _name, _doc in (
    ("adds", "Add a scalar to every element."),
    ("muls", "Multiply every element by a scalar."),
    ("divs", "Divide every element by a scalar."),
    ("maximums", "Maximum of every element and a scalar."),
):
    vector_op(f"tile.{_name}", "EW_SCALAR", deduce_scalar, _PAIR, _doc, row_major=(0, 1))
vector_op("tile.minimums", "EW_SCALAR", deduce_scalar, _PAIR, "Minimum of every element and a scalar.")
vector_op(
    "tile.fmods", "EW_SCALAR", deduce_scalar, _PAIR, "Remainder of truncated division by a scalar.",
    row_major=(0, 1), inplace_safe=False,
)  # fmt: skip
vector_op(
    "tile.lrelu", "EW_SCALAR", deduce_scalar, (vec("tile"), scalar("slope")),
    "Leaky rectifier: x where positive, slope * x elsewhere.", row_major=(0, 1),
)  # fmt: skip
vector_op(
    "tile.subs", "EW_SUBS", deduce_subs, _PAIR, "Subtract a scalar from every element.", row_major=(0, 1)
)
vector_op(
    "tile.ands", "EW_INT_SCALAR", deduce_int_scalar, _PAIR, "Bitwise and with a scalar.", inplace_safe=False
)  # fmt: skip
vector_op(
    "tile.ors", "EW_INT_SCALAR", deduce_int_scalar, _PAIR, "Bitwise or with a scalar.", inplace_safe=False
)
vector_op("tile.shls", "EW_INT_SCALAR", deduce_int_scalar, _PAIR, "Left shift by a scalar.")
vector_op("tile.shrs", "EW_INT_SCALAR", deduce_int_scalar, _PAIR, "Right shift by a scalar.")
vector_op(
    "tile.xors", "EW_XORS", deduce_xors, (*_PAIR, vec("tmp")), "Bitwise exclusive or with a scalar.",
    evidence=Evidence.UNKNOWN, inplace_safe=False,
)  # fmt: skip
for _name, _doc in (
    ("addsc", "lhs + rhs + rhs2, rhs a scalar."),
    ("subsc", "lhs - rhs + rhs2, rhs a scalar."),
):
    vector_op(
        f"tile.{_name}",
        "EW_TILE_SCALAR_TILE",
        deduce_tile_scalar_tile,
        (*_PAIR, vec("rhs2")),
        _doc,
        row_major=(0, 1, 2),
    )
vector_op(
    "tile.rems", "EW_TILE_SCALAR_TILE", deduce_tile_scalar_tile, (*_PAIR, scratch()),
    "Remainder of floor division by a scalar.", evidence=Evidence.UNKNOWN,
)  # fmt: skip
