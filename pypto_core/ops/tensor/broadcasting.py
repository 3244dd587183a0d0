"""Row and column vectors, scalars and clones spread over a tensor (``docs/spec/ops_tensor.md`` §3.2)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Type
from pypto_core.ops.proofs import dims_equal
from pypto_core.ops.registry import OpCall
from pypto_core.ops.shape_rules import is_one, promote, show_dim, show_dtypes, show_shape
from pypto_core.ops.tensor.declare import fresh, scalar, tensor, tensor_op

_D = DataType
_ADD_DTYPES = (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32)


def _check_ranks(call: OpCall) -> None:
    for index in (0, 1):
        shape = call.exact_tensor(index).shape
        if len(shape) < 2:
            call.fail(
                "op-rank",
                f"The operator {call.name} requires both operands to have at least 2 dimensions, "
                f"but got {show_shape(shape)}",
                arg=index,
            )


def _check_matching(call: OpCall, axis: int, what: str) -> None:
    a, b = call.exact_tensor(0).shape[axis], call.exact_tensor(1).shape[axis]
    if isinstance(a, ConstInt) and isinstance(b, ConstInt) and a.value != b.value:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires matching {what} dimensions, but got {a.value} and {b.value}",
            arg=1,
        )


def _result(call: OpCall) -> Type:
    """Shape of the first operand, fully valid."""
    target, vector = call.exact_tensor(0), call.exact_tensor(1)
    return fresh(target.shape, promote(target.dtype, vector.dtype))


def deduce_row(call: OpCall) -> Type:
    """T-ROW-EXPAND: a column vector for every row."""
    _check_ranks(call)
    vector = call.exact_tensor(1)
    if not is_one(vector.shape[-1]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires second argument's last dimension to be 1, but got {show_shape(vector.shape)}",
            arg=1,
        )
    _check_matching(call, -2, "row")
    return _result(call)


def deduce_row_add(call: OpCall) -> Type:
    """T-ROW-EXPAND-ADD: one element type, out of a short list."""
    for index in (0, 1):
        dtype = call.exact_tensor(index).dtype
        if dtype not in _ADD_DTYPES:
            call.fail(
                "op-dtype",
                f"The operator {call.name} requires dtype in {show_dtypes(_ADD_DTYPES)}, but got {dtype.text}",
                arg=index,
            )
    first, second = call.exact_tensor(0).dtype, call.exact_tensor(1).dtype
    if first is not second:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires operands of the same dtype, but got {first.text} and {second.text}",
            arg=1,
            data={"expected": first.printed, "got": second.printed},
        )
    return deduce_row(call)


def deduce_col(call: OpCall) -> Type:
    """T-COL-EXPAND: a row vector for every column."""
    _check_ranks(call)
    vector = call.exact_tensor(1)
    if not is_one(vector.shape[-2]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires second argument's second-to-last dimension (row) to be 1, "
            f"but got {show_dim(vector.shape[-2])}",
            arg=1,
        )
    _check_matching(call, -1, "column")
    return _result(call)


def deduce_expands(call: OpCall) -> Type:
    """T-EXPANDS: shape and dtype of the target."""
    target = call.exact_tensor(0)
    return fresh(target.shape, target.dtype)


def deduce_clone(call: OpCall) -> Type:
    """T-EXPAND-CLONE: rank 3, one axis of extent 1 repeated."""
    source, target = call.exact_tensor(0), call.exact_tensor(1)
    for index, what, shape in ((0, "input", source.shape), (1, "target", target.shape)):
        if len(shape) != 3:
            call.fail("op-rank", f"{call.name} requires {what} rank to be 3, but got {len(shape)}", arg=index)
    differing = [axis for axis in range(3) if not dims_equal(source.shape[axis], target.shape[axis])]
    if len(differing) > 1:
        call.fail(
            "op-shape",
            f"{call.name} allows broadcasting in at most one dimension, but got {len(differing)} "
            f"(input shape {show_shape(source.shape)}, target shape {show_shape(target.shape)})",
            arg=1,
        )
    if differing and not is_one(source.shape[differing[0]]):
        call.fail(
            "op-shape",
            f"{call.name} repeats dimension {differing[0]}, whose input extent must be 1, "
            f"but got {show_dim(source.shape[differing[0]])}",
            arg=0,
        )
    return fresh(target.shape, promote(source.dtype, target.dtype))


_KINDS = {
    "": "Copies the vector",
    "_sub": "Subtracts the vector",
    "_mul": "Multiplies by the vector",
    "_div": "Divides by the vector",
    "_max": "Takes the larger of operand and vector",
    "_min": "Takes the smaller of operand and vector",
    "_expdif": "exp(x - v) with the vector v",
}
for _suffix, _text in _KINDS.items():
    tensor_op(
        f"tensor.row_expand{_suffix}", "T-ROW-EXPAND", deduce_row,
        (tensor("tensor" if _suffix else "target"), tensor("row_vec", doc="[M, 1]")),
        f"{_text} in every column.", conversion="C-SIMPLE",
    )  # fmt: skip
tensor_op(
    "tensor.row_expand_add", "T-ROW-EXPAND-ADD", deduce_row_add, (tensor("tensor"), tensor("row_vec", doc="[M, 1]")),
    "Adds the vector to every column.", conversion="C-SIMPLE",
)  # fmt: skip
for _suffix, _text in {**_KINDS, "_add": "Adds the vector"}.items():
    tensor_op(
        f"tensor.col_expand{_suffix}", "T-COL-EXPAND", deduce_col, (tensor("tensor"), tensor("col_vec", doc="[1, N]")),
        f"{_text} in every row.", conversion="C-SIMPLE",
    )  # fmt: skip
tensor_op(
    "tensor.expands", "T-EXPANDS", deduce_expands, (tensor("target"), scalar("scalar")),
    "Fills the target's shape with a scalar.", conversion="C-SIMPLE",
)  # fmt: skip
tensor_op(
    "tensor.expand_clone", "T-EXPAND-CLONE", deduce_clone, (tensor("input"), tensor("target")),
    "Repeats one axis of extent 1 up to the target's shape.", conversion="C-EXPAND-CLONE",
)  # fmt: skip
