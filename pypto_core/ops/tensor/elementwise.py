"""Element-wise arithmetic and comparison of tensors (``docs/spec/ops_tensor.md`` §3.1)."""

from __future__ import annotations

from pypto_core.ir import DataType, Expr, ScalarType, TensorType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import all_dims_equal, provably_equal_extent
from pypto_core.ops.registry import OpCall, Stored
from pypto_core.ops.shape_rules import broadcast, promote, show_dtypes, show_shape
from pypto_core.ops.tensor.declare import (
    FLOATS_16_32,
    HIGH_PRECISION,
    dtype_at,
    fresh,
    int_kw,
    operand,
    require_dtype_in,
    scalar,
    tensor_like,
    tensor_op,
)

_D = DataType
_DIV_DTYPES = (_D.INT16, _D.INT32, _D.FP16, _D.FP32)
_SUBS_DTYPES = (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32, _D.BF16)


def broadcast_shape(call: OpCall) -> tuple[Expr, ...]:
    """Common shape of the two operands."""
    a, b = call.tensor(0).shape, call.tensor(1).shape
    common = broadcast(a, b)
    if common is None:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires compatible shapes, but got {show_shape(a)} and {show_shape(b)}",
            arg=1,
        )
    return common


def shared_valid(lhs: TensorType, rhs: TensorType) -> tuple[Expr, ...]:
    """The valid shape two plain tensors of one shape have in common; empty (= full) unless it is provably the same."""
    if type(lhs) is not TensorType or type(rhs) is not TensorType or not all_dims_equal(lhs.shape, rhs.shape):
        return ()
    same = all(provably_equal_extent(a, b) for a, b in zip(lhs.valid_shape, rhs.valid_shape))
    return lhs.valid_shape if same else ()


def own_valid(t: TensorType) -> tuple[Expr, ...]:
    """Valid shape that a plain tensor hands on; a window hands on none."""
    return t.valid_shape if type(t) is TensorType else ()


def deduce_binary(call: OpCall) -> Type:
    """T-EW-BIN. A narrow operand combined with a full one gives a full result."""
    lhs, rhs = call.tensor(0), call.tensor(1)
    return fresh(broadcast_shape(call), promote(lhs.dtype, rhs.dtype), shared_valid(lhs, rhs))


def deduce_partial(call: OpCall) -> Type:
    """T-EW-BIN without valid shape: where only one operand is valid, its element is the result."""
    lhs, rhs = call.tensor(0), call.tensor(1)
    return fresh(broadcast_shape(call), promote(lhs.dtype, rhs.dtype))


def deduce_div(call: OpCall) -> Type:
    """T-DIV."""
    for index, what in ((0, "lhs"), (1, "rhs")):
        require_dtype_in(call, index, _DIV_DTYPES, what)
    result = promote(call.tensor(0).dtype, call.tensor(1).dtype)
    if call.kw("high_precision") and result not in FLOATS_16_32:
        call.fail(
            "op-keyword",
            f"The operator {call.name} supports high_precision only for FP16 or FP32, but got {result.text}",
            keyword="high_precision",
        )
    return deduce_binary(call)


def deduce_scalar(call: OpCall) -> Type:
    """T-EW-SCALAR: the scalar takes part in promotion."""
    lhs = call.tensor(0)
    return fresh(lhs.shape, promote(lhs.dtype, call.scalar(1).dtype), own_valid(lhs))


def deduce_subs(call: OpCall) -> Type:
    """T-SUBS: the element type stays that of the tensor."""
    lhs = call.tensor(0)
    for index, what in ((0, "tensor"), (1, "scalar")):
        dtype = dtype_at(call, index)
        if dtype not in _SUBS_DTYPES:
            call.fail(
                "op-dtype",
                f"The operator {call.name} requires {what} dtype in {show_dtypes(_SUBS_DTYPES)}, but got {dtype.text}",
                arg=index,
            )
    return fresh(lhs.shape, lhs.dtype, own_valid(lhs))


def deduce_extremum(call: OpCall) -> Type:
    """T-MINMAX: a tensor or a scalar on the right."""
    return deduce_scalar(call) if isinstance(call.args[1].type, ScalarType) else deduce_binary(call)


def deduce_compare(call: OpCall) -> Type:
    """T-CMP: 0 or 1 in the promoted operand dtype, fully valid."""
    cmp_type = call.kw("cmp_type")
    if cmp_type is not None and not 0 <= cmp_type <= 5:
        call.fail("op-value", f"{call.name} cmp_type must be 0 to 5 (eq, ne, lt, le, gt, ge), but got {cmp_type}", keyword="cmp_type")  # fmt: skip
    lhs = call.tensor(0)
    if isinstance(call.args[1].type, ScalarType):
        return fresh(lhs.shape, promote(lhs.dtype, call.scalar(1).dtype))
    return deduce_partial(call)


_PAIR = (tensor_like("lhs"), tensor_like("rhs"))
_WITH_SCALAR = (tensor_like("lhs"), scalar("rhs"))
_WITH_EITHER = (tensor_like("lhs"), operand("rhs", ArgKind.TENSOR_LIKE_OR_SCALAR))

for _name, _doc in (
    ("add", "Element-wise sum with broadcasting."),
    ("sub", "Element-wise difference with broadcasting."),
    ("mul", "Element-wise product with broadcasting."),
):
    tensor_op(f"tensor.{_name}", "T-EW-BIN", deduce_binary, _PAIR, _doc, conversion="C-BCAST-BIN")
tensor_op("tensor.fmod", "T-EW-BIN", deduce_binary, _PAIR, "Element-wise remainder of truncated division.", conversion="C-SIMPLE")  # fmt: skip
tensor_op("tensor.div", "T-DIV", deduce_div, _PAIR, "Element-wise quotient.", conversion="C-DIV", kwargs=(HIGH_PRECISION,))  # fmt: skip

for _name, _doc in (
    ("adds", "Adds a scalar to every element."),
    ("muls", "Multiplies every element by a scalar."),
    ("divs", "Divides every element by a scalar."),
    ("fmods", "Remainder of every element by a scalar."),
):
    tensor_op(f"tensor.{_name}", "T-EW-SCALAR", deduce_scalar, _WITH_SCALAR, _doc, conversion="C-SIMPLE")
tensor_op("tensor.subs", "T-SUBS", deduce_subs, _WITH_SCALAR, "Subtracts a scalar from every element.", conversion="C-SIMPLE")  # fmt: skip

for _name, _doc in (("maximum", "Larger of two operands."), ("minimum", "Smaller of two operands.")):
    tensor_op(f"tensor.{_name}", "T-MINMAX", deduce_extremum, _WITH_EITHER, _doc, conversion="C-MINMAX")
tensor_op(
    "tensor.cmp", "T-CMP", deduce_compare, _WITH_EITHER, "Compares element by element: 0 or 1.", conversion="C-CMP",
    kwargs=(int_kw("cmp_type", stored=Stored.ALWAYS, builder_default=0, allowed=tuple(range(6)), doc="0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge"),),
)  # fmt: skip

for _name, _doc in (
    ("add", "Sum where both operands are valid, the valid operand elsewhere."),
    ("mul", "Product where both operands are valid, the valid operand elsewhere."),
    ("max", "Larger one where both operands are valid, the valid operand elsewhere."),
    ("min", "Smaller one where both operands are valid, the valid operand elsewhere."),
):
    tensor_op(
        f"tensor.part_{_name}", "T-EW-BIN", deduce_partial, (tensor_like("src0"), tensor_like("src1")), _doc,
        conversion="C-SIMPLE",
    )  # fmt: skip
