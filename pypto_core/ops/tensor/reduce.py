"""Reductions along one axis (``docs/spec/ops_tensor.md`` §3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.ir import ConstInt, DataType, ScalarType, Type
from pypto_core.ops.proofs import provably_zero
from pypto_core.ops.registry import KwargType, KwParam, OpCall, Stored
from pypto_core.ops.shape_rules import show_shape
from pypto_core.ops.tensor.declare import Deduce, fresh, require_dtype_in, static_axis, tensor_like, tensor_op

_D = DataType
_ROW_MIN_DTYPES = (_D.INT16, _D.INT32, _D.FP16, _D.FP32)


def reduction(
    min_rank: int = 0, out_dtype: DataType | None = None, allowed: Sequence[DataType] | None = None
) -> Deduce:
    """T-REDUCE with its parameters; the default axis is the keyword's."""

    def deduce(call: OpCall) -> Type:
        x = call.tensor(0)
        rank = len(x.shape)
        if rank < min_rank:
            call.fail("op-rank", f"The operator {call.name} requires at least a {min_rank}D tensor, but got {rank} dimensions", arg=0)  # fmt: skip
        if allowed is not None:
            require_dtype_in(call, 0, allowed, "input")
        axis = static_axis(call, call.kw("axis"), rank, keyword="axis")
        for index, extent in enumerate(x.valid_shape):
            if provably_zero(extent):
                call.fail(
                    "op-shape",
                    f"{call.name}: input valid extent on axis {index} is 0 (valid_shape {show_shape(x.valid_shape)}), "
                    "so the reduction has no real data to consume",
                    arg=0,
                )
        dtype = out_dtype if out_dtype is not None else x.dtype
        middle = (ConstInt(1),) if call.kw("keep_dim") else ()
        shape = (*x.shape[:axis], *middle, *x.shape[axis + 1 :])
        if not shape:
            return ScalarType.of(dtype)
        return fresh(shape, dtype, (*x.valid_shape[:axis], *middle, *x.valid_shape[axis + 1 :]))

    return deduce


def _kwargs(axis: int) -> tuple[KwParam, ...]:
    return (
        KwParam("axis", KwargType.INT, default=axis, stored=Stored.NEVER, doc="axis to reduce"),
        KwParam(
            "keep_dim", KwargType.BOOL, default=True, stored=Stored.NEVER, doc="keep the axis with extent 1"
        ),
    )


_INPUT = (tensor_like("input"),)
for _name, _doc in (("sum", "Sum"), ("max", "Largest element"), ("prod", "Product")):
    tensor_op(
        f"tensor.row_{_name}", "T-REDUCE", reduction(), _INPUT, f"{_doc} of every row.", conversion="C-ROW-REDUCE",
        kwargs=_kwargs(-1),
    )  # fmt: skip
tensor_op(
    "tensor.row_min", "T-REDUCE", reduction(allowed=_ROW_MIN_DTYPES), _INPUT, "Smallest element of every row.",
    conversion="C-ROW-REDUCE", kwargs=_kwargs(-1),
)  # fmt: skip
for _name, _doc in (
    ("sum", "Sum"),
    ("max", "Largest element"),
    ("min", "Smallest element"),
    ("prod", "Product"),
):
    tensor_op(
        f"tensor.col_{_name}", "T-REDUCE", reduction(min_rank=2), _INPUT, f"{_doc} of every column.",
        conversion="C-SIMPLE", kwargs=_kwargs(-2),
    )  # fmt: skip
for _name, _doc in (("argmax", "largest"), ("argmin", "smallest")):
    tensor_op(
        f"tensor.row_{_name}", "T-REDUCE", reduction(out_dtype=_D.INT32), _INPUT,
        f"Column of the {_doc} element of every row.", conversion="C-ARG-REDUCE", kwargs=_kwargs(-1),
    )  # fmt: skip
    tensor_op(
        f"tensor.col_{_name}", "T-REDUCE", reduction(min_rank=2, out_dtype=_D.INT32), _INPUT,
        f"Row of the {_doc} element of every column.", conversion="C-ARG-REDUCE", kwargs=_kwargs(-2),
    )  # fmt: skip
