"""Gathering within vector memory: by index, by byte offset, by mask pattern, by comparison (``docs/spec/ops_tile.md`` §5)."""

from __future__ import annotations

from typing import Any

from pypto_core.ir import ConstInt, DataType, Expr, MemorySpace, TileType, TupleType, Type
from pypto_core.ops.proofs import const_value, floor_div, times
from pypto_core.ops.registry import Evidence, KwargType, KwParam, LaneKind, OpCall, Stored
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tile.checks import INT_8_32, WORDS, require_dtype, require_rank
from pypto_core.ops.tile.declare import dtype_kw, scalar, scratch, vec, vector_op
from pypto_core.ops.tile_views import fresh, like

_D = DataType
_GATHERB_DTYPES = (*INT_8_32, _D.FP16, _D.BF16, _D.FP32)
PATTERN_DIVISOR = {1: 2, 2: 2, 3: 4, 4: 4, 5: 4, 6: 4, 7: 1}
"""Mask pattern -> how many elements one picked element stands for."""
PATTERNS = KwParam(
    "mask_pattern", KwargType.INT, required=True, stored=Stored.ALWAYS, allowed=tuple(range(1, 8)),
    legal="P0101 1, P1010 2, P0001 3, P0010 4, P0100 5, P1000 6, P1111 7", doc="which elements of each group",
)  # fmt: skip


def pattern_divisor(call: OpCall) -> int:
    """Divisor of the call's mask pattern."""
    pattern = call.require_kw("mask_pattern", f"{call.name}: Missing kwarg: mask_pattern")
    if pattern not in PATTERN_DIVISOR:
        call.fail(
            "op-value",
            f"The operator {call.name} requires mask_pattern in 1..7, but got {pattern}",
            keyword="mask_pattern",
        )
    return PATTERN_DIVISOR[pattern]


def _output_dtype(call: OpCall, default: DataType) -> DataType:
    dtype: DataType | None = call.kw("output_dtype")
    return default if dtype is None else dtype


def deduce_gather(call: OpCall) -> Type:
    """GATHER: one element of ``src`` per index; physical shape of the indices, all valid."""
    src, indices = call.tile(0), call.tile(1)
    require_dtype(call, 0, src.dtype, WORDS, "src")
    narrow = indices.dtype is _D.INT16 and src.dtype.bits == 16
    if indices.dtype is not _D.INT32 and not narrow:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires indices dtype INT32 (or INT16 with a 16-bit src), "
            f"but got {indices.dtype.text}",
            arg=1,
        )
    return like(src, indices.shape, (), src.dtype)


def deduce_gatherb(call: OpCall) -> Type:
    """GATHERB: one 32-byte block of ``src`` per byte offset."""
    src, offset = call.tile(0), call.tile(1)
    require_dtype(call, 0, src.dtype, _GATHERB_DTYPES, "src")
    dtype = _output_dtype(call, src.dtype)
    if dtype not in _GATHERB_DTYPES:
        call.fail(
            "op-dtype",
            f"The operator {call.name} does not support output_dtype {dtype.text}",
            keyword="output_dtype",
        )
    require_dtype(call, 1, offset.dtype, (_D.UINT32,), "offset")
    require_rank(call, 0, src, 2, "src")
    require_rank(call, 1, offset, 2, "offset")
    cols = const_value(offset.shape[1])
    if cols is None or cols <= 0 or cols % 8:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires a constant offset column count that is a positive multiple of 8, "
            f"but got {show_dim(offset.shape[1])}",
            arg=1,
        )
    k = 32 // dtype.byte
    valid = offset.valid_shape
    return fresh((offset.shape[0], times(offset.shape[1], k)), dtype, (valid[0], times(valid[1], k)))


def deduce_gather_mask(call: OpCall) -> Type:
    """GATHER_MASK: every 2nd or 4th element of each row; the source's valid shape is not read."""
    src = call.tile(0)
    require_dtype(call, 0, src.dtype, WORDS, "src")
    divisor = pattern_divisor(call)
    require_rank(call, 0, src, 2, "src")
    cols = const_value(src.shape[1])
    if cols is not None and cols % divisor:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires src columns divisible by {divisor}, but got {cols}",
            arg=0,
        )
    dtype = _output_dtype(call, src.dtype)
    if dtype.bits != src.dtype.bits:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires output_dtype of the same bit width as {src.dtype.text}, but got {dtype.text}",
            keyword="output_dtype",
        )
    width = src.shape[1] if divisor == 1 else floor_div(src.shape[1], divisor)
    return like(src, (src.shape[0], width), (), dtype)


def deduce_gather_compare(call: OpCall) -> Type:
    """GATHER_COMPARE: column indices of the elements that compare true, and their count per row."""
    src, value = call.tile(0), call.scalar(1)
    require_dtype(call, 0, src.dtype, WORDS, "src")
    require_rank(call, 0, src, 2, "src")
    if value.dtype is not src.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires kvalue dtype {src.dtype.text}, but got {value.dtype.text}",
            arg=1,
        )
    mode = call.require_kw("cmp_mode")
    if not 0 <= mode <= 5:
        call.fail(
            "op-value",
            f"The operator {call.name} requires cmp_mode in 0..5, but got {mode}",
            keyword="cmp_mode",
        )
    out_cols = call.require_kw("out_cols")
    if out_cols <= 0:
        call.fail(
            "op-value",
            f"The operator {call.name} requires out_cols > 0, but got {out_cols}",
            keyword="out_cols",
        )
    counts: DataType = call.kw("count_dtype")
    if counts not in (_D.INT32, _D.UINT32):
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires count_dtype INT32 or UINT32",
            keyword="count_dtype",
        )
    rows: Expr = src.shape[0]
    found = like(src, (rows, ConstInt(out_cols, _D.INDEX)), (), _D.INT32)
    count = fresh((ConstInt(1, _D.INDEX), rows), counts)
    # The memory rule of the registry would do the same; stated here because the pair is one result.
    return TupleType(
        tuple(TileType(t.shape, t.dtype, None, t.tile_view, MemorySpace.Vec) for t in (found, count))
    )


_UNKNOWN: dict[str, Any] = {"evidence": Evidence.UNKNOWN, "inplace_safe": False}
_TABLE = vec("src", lane=LaneKind.INDEX_ADDRESSED_SOURCE, doc="the table; indices are absolute")
_OUTPUT_DTYPE = dtype_kw(
    "output_dtype", required=False, doc="element type of the result; the source's if absent"
)
vector_op(
    "tile.gather", "GATHER", deduce_gather, (_TABLE, vec("indices"), scratch()), "Pick elements of a tile by index.",
    **_UNKNOWN,
)  # fmt: skip
vector_op(
    "tile.gatherb", "GATHERB", deduce_gatherb, (_TABLE, vec("offset")), "Pick 32-byte blocks of a tile by byte offset.",
    row_major=(0, 1), kwargs=(_OUTPUT_DTYPE,), **_UNKNOWN,
)  # fmt: skip
vector_op(
    "tile.gather_mask", "GATHER_MASK", deduce_gather_mask, (vec("src"),), "Pick elements of each row by a fixed pattern.",
    kwargs=(PATTERNS, _OUTPUT_DTYPE), **_UNKNOWN,
)  # fmt: skip
vector_op(
    "tile.gather_compare", "GATHER_COMPARE", deduce_gather_compare, (vec("src"), scalar("kvalue"), scratch()),
    "Find the elements of each row that compare true; gives their columns and their counts.",
    kwargs=(
        KwParam(
            "cmp_mode", KwargType.INT, required=True, stored=Stored.ALWAYS, allowed=tuple(range(6)),
            legal="eq 0, ne 1, lt 2, le 3, gt 4, ge 5", doc="which comparison",
        ),
        KwParam("offset", KwargType.INT, default=0, stored=Stored.ALWAYS, builder_default=0, doc="added to the columns"),
        KwParam("out_cols", KwargType.INT, required=True, stored=Stored.ALWAYS, legal="> 0", doc="columns of the result"),
        dtype_kw("count_dtype", required=False, default=_D.INT32, allowed=(_D.INT32, _D.UINT32), doc="type of the counts"),
    ),
    **_UNKNOWN,
)  # fmt: skip
