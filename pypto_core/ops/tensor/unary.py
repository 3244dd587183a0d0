"""One tensor in, one tensor of the same shape out (``docs/spec/ops_tensor.md`` §3.1, T-UNARY and T-CAST)."""

from __future__ import annotations

from pypto_core.ir import DataType, TensorType, Type
from pypto_core.ops.registry import KwargType, KwParam, OpCall, Stored
from pypto_core.ops.tensor.declare import (
    FLOATS_16_32,
    HIGH_PRECISION,
    dtype_keyword,
    dtype_kw,
    fresh,
    require_dtype,
    tensor_like,
    tensor_op,
)

_D = DataType
CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


def _like(x: TensorType, dtype: DataType) -> Type:
    return fresh(x.shape, dtype, x.valid_shape)


def deduce_keep(call: OpCall) -> Type:
    """The element type stays; window kind, layout, pad and memory are lost."""
    x = call.tensor(0)
    return _like(x, x.dtype)


def deduce_float(call: OpCall) -> Type:
    """A float type stays, an integer one becomes FP32."""
    x = call.tensor(0)
    return _like(x, x.dtype if x.dtype.is_float else _D.FP32)


def deduce_recip(call: OpCall) -> Type:
    dtype = call.tensor(0).dtype
    if call.kw("high_precision") and dtype not in FLOATS_16_32:
        call.fail(
            "op-keyword",
            f"{call.name} supports high_precision only for FP16 or FP32, but got {dtype.text}",
            keyword="high_precision",
        )
    return deduce_float(call)


def deduce_log(call: OpCall) -> Type:
    require_dtype(call, 0, FLOATS_16_32, f"{call.name} requires an FP16 or FP32 tensor operand")
    return deduce_keep(call)


def deduce_not(call: OpCall) -> Type:
    require_dtype(call, 0, (_D.INT16, _D.UINT16), f"{call.name} requires an int16 or uint16 tensor dtype")
    return deduce_keep(call)


def deduce_fp32_only(call: OpCall) -> Type:
    dtype = call.tensor(0).dtype
    if dtype is not _D.FP32:
        call.fail(
            "op-dtype",
            f"{call.name} is FP32-only, but got input with dtype {dtype.text}; cast it with pl.cast(x, pl.FP32) first",
            arg=0,
            data={"allowed": ("FP32",), "got": dtype.printed},
        )
    return deduce_keep(call)


def deduce_cast(call: OpCall) -> Type:
    """T-CAST: another dtype and a rounding mode."""
    x = call.tensor(0)
    call.require_kw("target_type")
    target = dtype_keyword(call, "target_type", x.dtype)
    modes = ", ".join(f"{name}({code})" for code, name in enumerate(CAST_MODES))
    mode = call.require_kw("mode", f"{call.name} requires a 'mode' kwarg (round mode: {modes})")
    if not 0 <= mode < len(CAST_MODES):
        call.fail("op-value", f"{call.name} mode must be 0 to {len(CAST_MODES) - 1} ({modes}), but got {mode}", keyword="mode")  # fmt: skip
    if target is x.dtype:
        call.fail(
            "op-dtype",
            f"{call.name}: target_type {target.text} equals input dtype; a cast to the same dtype does nothing",
            keyword="target_type",
        )
    return _like(x, target)


_ONE = (tensor_like("input"),)
for _name, _doc in (("abs", "Absolute value."), ("neg", "Negation.")):
    tensor_op(f"tensor.{_name}", "T-UNARY", deduce_keep, _ONE, _doc, conversion="C-SIMPLE")
for _name, _doc in (("exp", "e to the power of x."), ("sqrt", "Square root.")):
    tensor_op(f"tensor.{_name}", "T-UNARY", deduce_float, _ONE, _doc, conversion="C-SIMPLE")
tensor_op(
    "tensor.rsqrt",
    "T-UNARY",
    deduce_float,
    _ONE,
    "1 / sqrt(x).",
    conversion="C-RSQRT",
    kwargs=(HIGH_PRECISION,),
)
tensor_op(
    "tensor.recip", "T-UNARY", deduce_recip, _ONE, "1 / x.", conversion="C-SIMPLE", kwargs=(HIGH_PRECISION,)
)
tensor_op("tensor.log", "T-UNARY", deduce_log, _ONE, "Natural logarithm.", conversion="C-SIMPLE", kwargs=(HIGH_PRECISION,))  # fmt: skip
for _name, _doc in (("sin", "Sine (radians)."), ("cos", "Cosine (radians).")):
    tensor_op(f"tensor.{_name}", "T-UNARY", deduce_fp32_only, _ONE, _doc, conversion="C-SIMPLE")
tensor_op("tensor.not", "T-UNARY", deduce_not, _ONE, "Bitwise complement.", conversion="C-SIMPLE")
tensor_op(
    "tensor.cast", "T-CAST", deduce_cast, _ONE, "Conversion to another element type.", conversion="C-SIMPLE",
    kwargs=(
        dtype_kw("target_type"),
        KwParam("mode", KwargType.INT, required=True, stored=Stored.ALWAYS, builder_default=2, allowed=tuple(range(7)), legal="a rounding mode by name or 0 to 6", doc="rounding"),
    ),
)  # fmt: skip
