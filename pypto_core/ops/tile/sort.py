"""Sorting: 32-element sort and merges of sorted runs (``docs/spec/ops_tile.md`` §5)."""

from __future__ import annotations

from pypto_core.ir import DataType, Type
from pypto_core.ops.proofs import const_value, times
from pypto_core.ops.registry import Evidence, KwargType, KwParam, OpCall, Stored
from pypto_core.ops.tile.checks import require_dtype
from pypto_core.ops.tile.declare import scalar, vec, vector_op
from pypto_core.ops.tile_views import like

_D = DataType
_FLOATS = (_D.FP16, _D.FP32)


def deduce_sort32(call: OpCall) -> Type:
    """SORT32: value and index pairs, so the last extent doubles; all valid."""
    src = call.tile(0)
    require_dtype(call, 0, src.dtype, _FLOATS, "src")
    if not src.shape:
        call.fail("op-rank", f"The operator {call.name} requires src with at least one dimension", arg=0)
    return like(src, (*src.shape[:-1], times(src.shape[-1], 2)), (), src.dtype)


def deduce_mrgsort_runs(call: OpCall) -> Type:
    """MRGSORT1: merge the sorted runs of one tile."""
    src = call.tile(0)
    require_dtype(call, 0, src.dtype, _FLOATS, "src")
    dtype = call.scalar(1).dtype
    if not dtype.is_int:
        call.fail(
            "op-dtype", f"The operator {call.name} requires an integer block_len, but got {dtype.text}", arg=1
        )
    length = const_value(call.args[1])
    if length is not None and (length <= 0 or length % 64):
        call.fail(
            "op-value",
            f"The operator {call.name} requires block_len to be a positive multiple of 64, but got {length}",
            arg=1,
        )
    return like(src, src.shape, (), src.dtype)


def deduce_mrgsort_tiles(call: OpCall) -> Type:
    """MRGSORT2: merge two to four sorted tiles; the last operand is the workspace and gives the shape."""
    first, tmp = call.tile(0), call.tile(len(call.args) - 1)
    require_dtype(call, 0, first.dtype, _FLOATS, "src0")
    for index in range(1, len(call.args) - 1):
        if call.tile(index).dtype is not first.dtype:
            call.fail(
                "op-dtype",
                f"The operator {call.name} requires every source to have dtype {first.dtype.text}, "
                f"but source {index} has {call.tile(index).dtype.text}",
                arg=index,
            )
    return like(first, tmp.shape, (), first.dtype)


vector_op(
    "tile.sort32", "SORT32", deduce_sort32, (vec("src"), vec("idx")),
    "Sort each group of 32 elements; gives value and index pairs.", row_major=(0, 1), inplace_safe=False,
)  # fmt: skip
vector_op(
    "tile.mrgsort_format1", "MRGSORT1", deduce_mrgsort_runs, (vec("src"), scalar("block_len")),
    "Merge the sorted runs of a tile.", row_major=(0,), inplace_safe=False,
)  # fmt: skip
vector_op(
    "tile.mrgsort_format2", "MRGSORT2", deduce_mrgsort_tiles,
    (
        vec("src0"), vec("src1"), vec("tmp_or_src2"), vec("tmp_or_src3", optional=True), vec("tmp", optional=True),
    ),
    "Merge two to four sorted tiles.", row_major=(0, 1, 2, 3), evidence=Evidence.UNKNOWN, inplace_safe=False,
    kwargs=(
        KwParam(
            "exhausted", KwargType.BOOL, default=False, stored=Stored.ALWAYS, builder_default=False,
            doc="stop when one source is used up",
        ),
    ),
)  # fmt: skip
