"""The cube/vector boundary at tensor level (``docs/spec/ops_tensor.md`` §3.7)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, Expr, Type
from pypto_core.ops.proofs import cdiv, const_value, floor_div, times
from pypto_core.ops.registry import OpCall, OpCategory
from pypto_core.ops.split_boundary import ragged_facts, split_boundary_fault
from pypto_core.ops.tensor.declare import fresh, int_kw, tensor, tensor_op


def _split(call: OpCall) -> int:
    split: int = call.require_kw(
        "split",
        f"{call.name} requires a 'split' attr (0 = NONE/no split axis, 1 = UP_DOWN/axis0, 2 = LEFT_RIGHT/axis1)",
    )
    if split not in (0, 1, 2):
        call.fail(
            "op-value",
            f"{call.name} split must be 0, 1 (UP_DOWN) or 2 (LEFT_RIGHT), but got {split}",
            keyword="split",
        )
    return split


def _reshaped(call: OpCall, *, halve: bool) -> Type:
    """T-SPLIT-RESHAPE: a constant box halves upwards, a symbolic one downwards; a valid extent always upwards."""
    source = call.exact_tensor(0)
    split = _split(call)
    if split == 0:
        return call.args[0].type
    if len(source.shape) != 2:
        call.fail("op-rank", f"{call.name} requires a 2D tensor, but got rank {len(source.shape)}", arg=0)
    axis = split - 1
    fault = split_boundary_fault(call.name, source.shape, source.valid_shape, axis, is_shard=halve)
    if fault is not None:
        unproven = any(const_value(e) is None for e in (*source.shape, *source.valid_shape))
        call.fail(
            "split-ragged-columns",
            fault,
            arg=0,
            unproven=unproven,
            data=ragged_facts(source.shape, source.valid_shape, axis),
        )
    shape, valid = list(source.shape), list(source.valid_shape)
    shape[axis] = _half_box(shape[axis]) if halve else times(shape[axis], 2)
    valid[axis] = cdiv(valid[axis], 2) if halve else times(valid[axis], 2)
    return fresh(shape, source.dtype, valid)


def _half_box(extent: Expr) -> Expr:
    return cdiv(extent, 2) if isinstance(extent, ConstInt) else floor_div(extent, 2)


def deduce_shard(call: OpCall) -> Type:
    """A lane's half."""
    return _reshaped(call, halve=True)


def deduce_gather(call: OpCall) -> Type:
    """Both lanes together."""
    return _reshaped(call, halve=False)


_SPLIT = int_kw("split", required=True, allowed=(0, 1, 2), doc="0 none, 1 rows, 2 columns")
for _name, _rule, _doc in (
    ("aiv_shard", deduce_shard, "Hands each vector lane its half."),
    ("aic_gather", deduce_gather, "Joins the halves of both lanes."),
):
    tensor_op(
        f"tensor.{_name}", "T-SPLIT-RESHAPE", _rule, (tensor("tensor"),), _doc, conversion="C-CROSS-CORE",
        category=OpCategory.CROSS_CORE, kwargs=(_SPLIT,),
    )  # fmt: skip
