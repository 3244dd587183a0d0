"""One tile in, one tile of the same box out (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import DataType, Type
from pypto_core.ops.deduced import of_types
from pypto_core.ops.proofs import dims_equal
from pypto_core.ops.registry import Evidence, KwargType, KwParam, OpCall, Stored
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tile.checks import require_dtype, require_high_precision_dtype
from pypto_core.ops.tile.declare import HIGH_PRECISION, dtype_kw, vec, vector_op
from pypto_core.ops.tile_views import passthrough

_D = DataType
ROUND_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


@of_types
def deduce_unary(call: OpCall) -> Type:
    """UNARY: any dtype."""
    return passthrough(call.tile(0))


@of_types
def deduce_recip(call: OpCall) -> Type:
    """UNARY_RECIP: high precision needs a float dtype."""
    require_high_precision_dtype(call, 0, call.tile(0).dtype)
    return passthrough(call.tile(0))


@of_types
def deduce_fp32(call: OpCall) -> Type:
    """UNARY_FP32."""
    dtype = call.tile(0).dtype
    if dtype is not _D.FP32:
        call.fail(
            "op-dtype",
            f"The operator {call.name} is FP32-only, but got {dtype.text}; cast the input to FP32 first",
            arg=0,
            data={"allowed": ("FP32",), "got": dtype.printed},
        )
    return passthrough(call.tile(0))


@of_types
def deduce_log(call: OpCall) -> Type:
    """UNARY_LOG: FP16 or FP32."""
    require_dtype(call, 0, call.tile(0).dtype, (_D.FP16, _D.FP32), "tile")
    return passthrough(call.tile(0))


@of_types
def deduce_not(call: OpCall) -> Type:
    """UNARY_NOT: INT16 or UINT16."""
    require_dtype(call, 0, call.tile(0).dtype, (_D.INT16, _D.UINT16), "tile")
    return passthrough(call.tile(0))


@of_types
def deduce_rsqrt(call: OpCall) -> Type:
    """UNARY_RSQRT: the optional scratch selects the precise form and matches the input exactly."""
    src = call.tile(0)
    if call.has(1):
        tmp = call.tile(1)
        if tmp.dtype is not src.dtype:
            call.fail(
                "op-dtype",
                f"The operator {call.name} requires tmp tile dtype {src.dtype.text}, but got {tmp.dtype.text}",
                arg=1,
            )
        if len(tmp.shape) != len(src.shape):
            call.fail(
                "op-rank",
                f"The operator {call.name} requires tmp tile rank {len(src.shape)}, but got {len(tmp.shape)}",
                arg=1,
            )
        for axis, (a, b) in enumerate(zip(src.shape, tmp.shape)):
            if not dims_equal(a, b):
                call.fail(
                    "op-shape",
                    f"The operator {call.name}: tmp tile shape mismatch at dimension {axis}: "
                    f"{show_dim(a)} and {show_dim(b)}",
                    arg=1,
                )
    return passthrough(src)


@of_types
def deduce_cast(call: OpCall) -> Type:
    """UNARY_CAST: to another dtype with a rounding mode."""
    src = call.tile(0)
    target: DataType = call.require_kw("target_type", f"{call.name} requires a 'target_type' kwarg")
    modes = ", ".join(f"{name}({code})" for code, name in enumerate(ROUND_MODES))
    call.require_kw("mode", f"{call.name} requires a 'mode' kwarg (round mode: {modes})")
    if target is src.dtype:
        call.fail(
            "op-dtype",
            f"{call.name}: target_type {target.text} equals input dtype; same-dtype cast is not a valid operation",
            arg=0,
            keyword="target_type",
        )
    return passthrough(src, target)


_TILE = (vec("tile"),)
for _name, _doc in (
    ("abs", "Absolute value of every element."),
    ("exp", "Exponential of every element."),
    ("relu", "Maximum of every element and zero."),
    ("sqrt", "Square root of every element."),
):
    vector_op(f"tile.{_name}", "UNARY", deduce_unary, _TILE, _doc, row_major=(0,))
vector_op("tile.neg", "UNARY", deduce_unary, _TILE, "Negation of every element.")
vector_op(
    "tile.recip", "UNARY_RECIP", deduce_recip, _TILE, "Reciprocal of every element.",
    row_major=(0,), inplace_safe=False, kwargs=(HIGH_PRECISION,),
)  # fmt: skip
vector_op("tile.cos", "UNARY_FP32", deduce_fp32, _TILE, "Cosine of every element.")
vector_op("tile.sin", "UNARY_FP32", deduce_fp32, _TILE, "Sine of every element.")
vector_op(
    "tile.log", "UNARY_LOG", deduce_log, _TILE, "Natural logarithm of every element.",
    row_major=(0,), kwargs=(HIGH_PRECISION,),
)  # fmt: skip
vector_op("tile.not", "UNARY_NOT", deduce_not, _TILE, "Bitwise complement of every element.", row_major=(0,))
vector_op(
    "tile.rsqrt", "UNARY_RSQRT", deduce_rsqrt, (vec("tile"), vec("tmp", optional=True)),
    "Reciprocal square root of every element; with a scratch tile in the precise form.",
    row_major=(0, 1), evidence=Evidence.UNKNOWN, inplace_safe=False,
)  # fmt: skip
vector_op(
    "tile.cast", "UNARY_CAST", deduce_cast, _TILE, "Convert every element to another data type.", row_major=(0,),
    kwargs=(
        dtype_kw("target_type", stored=Stored.ALWAYS, doc="data type of the result"),
        KwParam(
            "mode", KwargType.INT, required=True, stored=Stored.ALWAYS, builder_default=2, allowed=tuple(range(7)),
            legal="none 0, rint 1, round 2, floor 3, ceil 4, trunc 5, odd 6", doc="rounding mode",
        ),
    ),
)  # fmt: skip
