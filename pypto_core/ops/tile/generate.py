"""Tiles made from nothing but attributes, and the indices of the running core (``docs/spec/ops_tile.md`` §4)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, ScalarType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value
from pypto_core.ops.regions import const_shape
from pypto_core.ops.registry import (
    CoreAffinity,
    Evidence,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import show_dim, show_dtypes
from pypto_core.ops.tile.declare import dtype_kw, operand, scalar, vector_op
from pypto_core.ops.tile_views import fresh

_D = DataType
CI_DTYPES = (_D.INT16, _D.INT32, _D.UINT16, _D.UINT32)
_TRI_DTYPES = (_D.INT8, _D.UINT8, _D.INT16, _D.INT32, _D.UINT16, _D.UINT32, _D.FP16, _D.BF16, _D.FP32)
_RANDOM_DTYPES = (_D.INT32, _D.UINT32)


def _dtype(call: OpCall, allowed: tuple[DataType, ...] = ()) -> DataType:
    dtype: DataType = call.require_kw("dtype", f"{call.name}: Missing kwarg: dtype")
    if allowed and dtype not in allowed:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires dtype in {show_dtypes(allowed)}, but got {dtype.text}",
            keyword="dtype",
        )
    return dtype


def _rank_2_shape(call: OpCall, index: int) -> tuple[ConstInt, ...]:
    shape = const_shape(call, index)
    if len(shape) != 2:
        call.fail("op-rank", f"{call.name} requires a 2D shape, but got rank {len(shape)}", arg=index)
    return shape


def _valid_within(call: OpCall, index: int, shape: tuple[ConstInt, ...]) -> tuple[Expr, ...]:
    """Optional literal valid shape: constants with ``0 < valid <= shape``."""
    if not call.has(index):
        return shape
    valid = call.literal_tuple(index)
    if len(valid) != len(shape):
        call.fail("op-rank", f"{call.name} requires a 2D valid_shape, but got rank {len(valid)}", arg=index)
    for axis, (v, s) in enumerate(zip(valid, shape)):
        extent = const_value(v)
        if extent is None or not 0 < extent <= s.value:
            call.fail(
                "op-value",
                f"{call.name} requires 0 < valid_shape[{axis}] <= shape[{axis}] as compile-time constants, "
                f"but got {show_dim(v)} for {s.value}",
                arg=index,
                unproven=extent is None,
            )
    return valid


def deduce_full(call: OpCall) -> Type:
    """FULL: one constant everywhere; its own dtype is not compared."""
    return fresh(const_shape(call, 0), _dtype(call))


def deduce_ci(call: OpCall) -> Type:
    """CI: consecutive integers in one row."""
    dtype = _dtype(call, CI_DTYPES)
    start = call.scalar(0).dtype
    if start is not dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires start dtype {start.text} to match destination dtype {dtype.text}",
            arg=0,
        )
    shape = const_shape(call, 1)
    if shape[-1].value == 1:
        call.fail(
            "op-shape", f"The operator {call.name} requires the last dimension (Cols) to be != 1", arg=1
        )
    if any(d.value != 1 for d in shape[:-1]):
        call.fail("op-shape", f"The operator {call.name}: leading dimensions must be 1", arg=1)
    return fresh(shape, dtype)


def deduce_tri(call: OpCall) -> Type:
    """TRI: ones below (or above) a diagonal."""
    dtype = _dtype(call, _TRI_DTYPES)
    _require_int32(call, 0)
    shape = _rank_2_shape(call, 1)
    return fresh(shape, dtype, _valid_within(call, 2, shape))


def deduce_random(call: OpCall) -> Type:
    """RANDOM: counter-based random bits."""
    dtype = _dtype(call, _RANDOM_DTYPES)
    for index in range(6):
        _require_int32(call, index)
    rounds = call.kw("rounds")
    if rounds not in (7, 10):
        call.fail("op-value", f"{call.name} requires rounds 7 or 10, but got {rounds}", keyword="rounds")
    shape = _rank_2_shape(call, 6)
    return fresh(shape, dtype, _valid_within(call, 7, shape))


def _require_int32(call: OpCall, index: int) -> None:
    got = call.scalar(index).dtype
    if got is not _D.INT32:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {call.param_name(index)} to be an INT32 scalar, but got {got.text}",
            arg=index,
        )


def deduce_index(call: OpCall) -> Type:
    """INDEX_SCALAR."""
    return ScalarType.of(_D.INDEX)


vector_op(
    "tile.full", "FULL", deduce_full, (operand("shape", ArgKind.LITERAL_TUPLE), operand("value", ArgKind.CONST_NUMBER)),
    "Make a tile that holds one constant everywhere.", row_major=(),
    kwargs=(dtype_kw(stored=Stored.ALWAYS, doc="element type"),),
)  # fmt: skip
vector_op(
    "tile.ci", "CI", deduce_ci, (scalar("start"), operand("shape", ArgKind.LITERAL_TUPLE)),
    "Make a row of consecutive integers.",
    kwargs=(
        dtype_kw(stored=Stored.ALWAYS, builder_default=_D.INT32, allowed=CI_DTYPES, doc="element type"),
        KwParam("descending", KwargType.BOOL, default=False, stored=Stored.ALWAYS, builder_default=False, doc="count down"),
    ),
)  # fmt: skip
vector_op(
    "tile.tri", "TRI", deduce_tri,
    (
        scalar("diagonal"),
        operand("shape", ArgKind.LITERAL_TUPLE),
        operand("valid_shape", ArgKind.LITERAL_TUPLE, optional=True),
    ),
    "Make a triangular matrix of ones.", row_major=(), evidence=Evidence.UNKNOWN,
    kwargs=(
        dtype_kw(stored=Stored.ALWAYS, builder_default=_D.INT32, allowed=_TRI_DTYPES, doc="element type"),
        KwParam(
            "upper", KwargType.BOOL, default=False, stored=Stored.ALWAYS, builder_default=False, doc="ones above the diagonal"
        ),
    ),
)  # fmt: skip
vector_op(
    "tile.random", "RANDOM", deduce_random,
    (
        *(scalar(n) for n in ("key0", "key1", "counter0", "counter1", "counter2", "counter3")),
        operand("shape", ArgKind.LITERAL_TUPLE),
        operand("valid_shape", ArgKind.LITERAL_TUPLE, optional=True),
    ),
    "Make a tile of random bits from a key and a counter.", row_major=(),
    kwargs=(
        dtype_kw(stored=Stored.ALWAYS, builder_default=_D.UINT32, allowed=_RANDOM_DTYPES, doc="element type"),
        KwParam(
            "rounds", KwargType.INT, default=10, stored=Stored.ALWAYS, builder_default=10, allowed=(7, 10),
            doc="rounds of the generator",
        ),
    ),
)  # fmt: skip
for _name, _lane, _doc in (
    ("get_block_idx", CoreAffinity.SHARED, "Index of this block in the launch."),
    ("get_block_num", CoreAffinity.SHARED, "Number of blocks of the launch."),
    ("get_subblock_idx", CoreAffinity.VECTOR, "Index of this vector lane in its block."),
):
    register(
        OpDef(
            f"tile.{_name}", OpCategory.TILE, "INDEX_SCALAR", deduce_index, affinity=_lane, evidence=Evidence.NO_ACCESS,
            doc=_doc,
        )
    )  # fmt: skip
