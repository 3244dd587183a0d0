"""Scattering into tensors (``docs/spec/ops_tensor.md`` §3.6)."""

from __future__ import annotations

from pypto_core.ir import DataType, Type
from pypto_core.ops.proofs import all_dims_equal, const_value
from pypto_core.ops.registry import OpCall
from pypto_core.ops.shape_rules import show_shape
from pypto_core.ops.tensor.declare import int_kw, require_dtype_in, require_rank, tensor, tensor_op
from pypto_core.ops.tensor.gather import gather_axis, mask_divisor

_D = DataType
_DTYPES = (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32, _D.BF16)


def deduce_scatter(call: OpCall) -> Type:
    """T-SCATTER: along the last axis; the input's own type."""
    target, index, source = (call.exact_tensor(i) for i in range(3))
    for position, what in ((0, "input"), (1, "index"), (2, "src")):
        require_rank(call, position, 2, what)
    if gather_axis(call, 2) != 1:
        call.fail(
            "op-value",
            f"{call.name} supports only dim=-1 (the last axis), but got {call.kw('dim')}",
            keyword="dim",
        )
    require_dtype_in(call, 0, _DTYPES, "input")
    if source.dtype is not target.dtype:
        call.fail(
            "op-dtype",
            f"{call.name} requires src dtype {target.dtype.text}, but got {source.dtype.text}",
            arg=2,
        )
    wanted = _D.INT32 if target.dtype.byte == 4 else _D.INT16
    if index.dtype is not wanted:
        call.fail(
            "op-dtype",
            f"{call.name} requires index dtype of {wanted.byte} bytes ({wanted.text}) for {target.dtype.text} elements, "
            f"but got {index.dtype.text}",
            arg=1,
        )
    if not all_dims_equal(index.shape, source.shape):
        call.fail("op-shape", f"{call.name} requires index and src of the same shape, but got {show_shape(index.shape)} and {show_shape(source.shape)}", arg=1)  # fmt: skip
    for axis, (extent, limit) in enumerate(zip(source.shape, target.shape)):
        size, room = const_value(extent), const_value(limit)
        if size is not None and room is not None and size > room:
            call.fail(
                "op-shape",
                f"{call.name} src extent {size} exceeds input extent {room} on dimension {axis}",
                arg=2,
            )
    return call.args[0].type


def deduce_scatter_mask(call: OpCall) -> Type:
    """T-SCATTER-MASK: the destination has a multiple of the input's columns."""
    source, target = call.exact_tensor(0), call.exact_tensor(1)
    factor = mask_divisor(call)
    if source.dtype is not target.dtype:
        call.fail("op-dtype", f"{call.name} requires input and dst of the same dtype, but got {source.dtype.text} and {target.dtype.text}", arg=1)  # fmt: skip
    if not source.shape or len(source.shape) != len(target.shape):
        call.fail("op-rank", f"{call.name} requires input and dst of the same rank, but got {len(source.shape)} and {len(target.shape)}", arg=1)  # fmt: skip
    columns, wide = const_value(source.shape[-1]), const_value(target.shape[-1])
    if columns is not None and wide is not None and wide != columns * factor:
        call.fail("op-shape", f"{call.name} with mask_pattern={call.kw('mask_pattern')} requires dst columns {columns * factor}, but got {wide}", arg=1)  # fmt: skip
    return call.args[1].type


def deduce_scatter_update(call: OpCall) -> Type:
    """T-SCATTER-UPDATE: whole rows; the input's own type."""
    target, index, source = (call.exact_tensor(i) for i in range(3))
    if len(target.shape) not in (2, 4):
        call.fail("op-rank", f"{call.name} requires input of rank 2 or 4, but got {len(target.shape)}", arg=0)
    if len(source.shape) != len(target.shape):
        call.fail("op-rank", f"{call.name} requires src of the input's rank {len(target.shape)}, but got {len(source.shape)}", arg=2)  # fmt: skip
    require_rank(call, 1, 2, "index")
    if not index.dtype.is_int:
        call.fail("op-dtype", f"{call.name} requires an integer index, but got {index.dtype.text}", arg=1)
    if call.kw("dim") != -2:
        call.fail("op-value", f"{call.name} supports only dim=-2, but got {call.kw('dim')}", keyword="dim")
    return call.args[0].type


tensor_op(
    "tensor.scatter", "T-SCATTER", deduce_scatter, (tensor("input"), tensor("index"), tensor("src")),
    "Writes elements at indexed positions of the last axis.", conversion="C-SCATTER", kwargs=(int_kw("dim", required=True, doc="axis, -1"),),
)  # fmt: skip
tensor_op(
    "tensor.scatter_mask", "T-SCATTER-MASK", deduce_scatter_mask, (tensor("input"), tensor("dst")),
    "Spreads columns as a mask pattern says.", conversion="C-SCATTER-MASK",
    kwargs=(int_kw("mask_pattern", required=True, allowed=tuple(range(1, 8)), doc="pl.tile.MaskPattern"),),
)  # fmt: skip
tensor_op(
    "tensor.scatter_update", "T-SCATTER-UPDATE", deduce_scatter_update, (tensor("input"), tensor("index"), tensor("src")),
    "Replaces whole rows.", conversion="C-SCATTER-UPDATE", kwargs=(int_kw("dim", default=-2, builder_default=-2, allowed=(-2,), doc="axis, -2"),),
)  # fmt: skip
