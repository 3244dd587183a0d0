"""Sorting and merging (``docs/spec/ops_tensor.md`` §3.6)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import add, all_dims_equal, const_value, times
from pypto_core.ops.registry import OpCall
from pypto_core.ops.shape_rules import show_dim, show_shape
from pypto_core.ops.tensor.declare import flag, fresh, operand, tensor, tensor_op


def deduce_sort32(call: OpCall) -> Type:
    """T-SORT32: value and index side by side, so twice the columns."""
    source, index = call.exact_tensor(0), call.exact_tensor(1)
    if index.dtype is not DataType.UINT32:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires idx dtype to be UINT32, but got {index.dtype.text}",
            arg=1,
        )
    columns = const_value(source.shape[-1]) if source.shape else None
    if columns is None or columns % 32:
        shown = show_dim(source.shape[-1]) if source.shape else "none"
        call.fail("op-shape", f"The operator {call.name} requires a static last dimension divisible by 32, but got {shown}", arg=0)  # fmt: skip
    if not all_dims_equal(index.shape, source.shape):
        call.fail("op-shape", f"The operator {call.name} requires idx of shape {show_shape(source.shape)}, but got {show_shape(index.shape)}", arg=1)  # fmt: skip
    return fresh((*source.shape[:-1], times(source.shape[-1], 2)), source.dtype)


def deduce_merge_blocks(call: OpCall) -> Type:
    """T-MRGSORT1: blocks of one list."""
    length = const_value(call.args[1])
    if length is not None and (length <= 0 or length % 64):
        call.fail("op-value", f"The operator {call.name} requires block_len to be a positive multiple of 64, but got {length}", arg=1)  # fmt: skip
    return call.args[0].type


def deduce_merge_lists(call: OpCall) -> Type:
    """T-MRGSORT2: two to four lists, end to end."""
    first = call.exact_tensor(0)
    if not first.shape:
        call.fail("op-rank", f"The operator {call.name} requires at least 1 dimension", arg=0)
    columns: Expr = first.shape[-1]
    for index in range(1, len(call.args)):
        other = call.exact_tensor(index)
        if other.dtype is not first.dtype:
            call.fail("op-dtype", f"The operator {call.name} requires sources of the same dtype, but got {first.dtype.text} and {other.dtype.text}", arg=index)  # fmt: skip
        if not other.shape:
            call.fail("op-rank", f"The operator {call.name} requires at least 1 dimension", arg=index)
        columns = _sum(columns, other.shape[-1])
    return fresh((*first.shape[:-1], columns), first.dtype)


def _sum(a: Expr, b: Expr) -> Expr:
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return ConstInt(a.value + b.value, a.dtype)
    return add(a, b)


tensor_op(
    "tensor.sort32", "T-SORT32", deduce_sort32, (tensor("src"), tensor("idx", doc="indices, UINT32")),
    "Sorts groups of 32 elements with their indices.", conversion="C-SIMPLE",
)  # fmt: skip
tensor_op(
    "tensor.mrgsort_format1", "T-MRGSORT1", deduce_merge_blocks, (tensor("src"), operand("block_len", ArgKind.INT_SCALAR)),
    "Merges the sorted blocks of one list.", conversion="C-SIMPLE",
)  # fmt: skip
tensor_op(
    "tensor.mrgsort_format2", "T-MRGSORT2", deduce_merge_lists,
    (tensor("src0"), tensor("src1"), tensor("src2", optional=True), tensor("src3", optional=True)),
    "Merges two to four sorted lists.", conversion="C-MRGSORT2", kwargs=(flag("exhausted", doc="a list may run out first"),),
)  # fmt: skip
