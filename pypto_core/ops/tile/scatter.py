"""Scattering within vector memory (``docs/spec/ops_tile.md`` §5, §9)."""

from __future__ import annotations

from pypto_core.ir import DataType, Type
from pypto_core.ops.proofs import const_value
from pypto_core.ops.registry import Effect, Evidence, KwargType, KwParam, LaneKind, OpCall, Stored
from pypto_core.ops.tile.checks import require_dtype, require_rank
from pypto_core.ops.tile.declare import vec, vector_op
from pypto_core.ops.tile.gather import PATTERNS, pattern_divisor
from pypto_core.ops.tile_views import alias_of

_D = DataType
SCATTER_DTYPES = (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32, _D.BF16)


def _require_equal_dtypes(call: OpCall, index: int, dtype: DataType, expected: DataType) -> None:
    if dtype is not expected:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires {call.param_name(index)} dtype {expected.text}, but got {dtype.text}",
            arg=index,
        )


def _require_extent(call: OpCall, index: int, have: int | None, want: int | None, what: str) -> None:
    if have is not None and want is not None and have != want:
        call.fail("op-shape", f"The operator {call.name} requires {what} {want}, but got {have}", arg=index)


def deduce_scatter(call: OpCall) -> Type:
    """SCATTER: each element of ``src`` to a flat position of ``dst``."""
    dst, src, indexes = (call.tile(i) for i in range(3))
    require_dtype(call, 0, dst.dtype, SCATTER_DTYPES, "dst")
    _require_equal_dtypes(call, 1, src.dtype, dst.dtype)
    require_dtype(call, 2, indexes.dtype, (_D.INT16, _D.INT32), "indexes")
    width = 4 if dst.dtype.byte == 4 else 2
    if indexes.dtype.byte != width:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires indexes dtype of {width} bytes for {dst.dtype.text} data, "
            f"but got {indexes.dtype.text}",
            arg=2,
        )
    for index in range(3):
        require_rank(call, index, call.tile(index), 2, call.param_name(index))
    for axis in (0, 1):
        what = f"indexes dimension {axis} to equal that of src,"
        _require_extent(call, 2, const_value(indexes.shape[axis]), const_value(src.shape[axis]), what)
    return alias_of(dst)


def deduce_scatter_mask(call: OpCall) -> Type:
    """SCATTER_MASK: every element of ``src`` to the places of a fixed pattern in ``dst``."""
    dst, src = call.tile(0), call.tile(1)
    require_dtype(call, 0, dst.dtype, SCATTER_DTYPES, "dst")
    _require_equal_dtypes(call, 1, src.dtype, dst.dtype)
    for index in (0, 1):
        require_rank(call, index, call.tile(index), 2, call.param_name(index))
    factor = pattern_divisor(call)
    _require_extent(call, 0, const_value(dst.shape[0]), const_value(src.shape[0]), "dst rows")
    cols = const_value(src.shape[1])
    want = None if cols is None else cols * factor
    _require_extent(call, 0, const_value(dst.shape[1]), want, "dst columns")
    return alias_of(dst)


def deduce_scatter_update(call: OpCall) -> Type:
    """SCATTER_UPDATE: rows of ``src`` replace the indexed rows of ``input``."""
    target, index, src = (call.tile(i) for i in range(3))
    rank = len(target.shape)
    if rank not in (2, 4):
        call.fail(
            "op-rank", f"The operator {call.name} requires a 2D or 4D input, but got rank {rank}", arg=0
        )
    require_rank(call, 1, index, 2, "index")
    if not index.dtype.is_int:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires an integer index, but got {index.dtype.text}",
            arg=1,
        )
    require_rank(call, 2, src, rank, "src")
    _require_equal_dtypes(call, 2, src.dtype, target.dtype)
    dim = call.kw("dim")
    if dim is not None and dim != -2:
        call.fail("op-value", f"The operator {call.name} supports only dim=-2, but got {dim}", keyword="dim")
    b, s = const_value(index.shape[0]), const_value(index.shape[1])
    width = const_value(target.shape[-1])
    _require_extent(call, 2, const_value(src.shape[-1]), width, "src width to equal the input width")
    if rank == 2:
        rows = None if b is None or s is None else b * s
        _require_extent(call, 2, const_value(src.shape[0]), rows, "src rows to equal the number of indices")
    else:
        for axis, (have, want) in enumerate(zip(src.shape[:3], (b, s, 1))):
            _require_extent(call, 2, const_value(have), want, f"src dimension {axis} to be")
    return alias_of(target)


_ABSOLUTE = LaneKind.ABSOLUTE_INDEXED_DESTINATION
vector_op(
    "tile.scatter", "SCATTER", deduce_scatter,
    (vec("dst", effect=Effect.READ_WRITE, lane=_ABSOLUTE), vec("src"), vec("indexes")),
    "Write the elements of a tile to indexed places of another; gives the other.", evidence=Evidence.UNKNOWN,
    output_reuses_input=0,
)  # fmt: skip
vector_op(
    "tile.scatter_mask", "SCATTER_MASK", deduce_scatter_mask, (vec("dst", effect=Effect.READ_WRITE), vec("src")),
    "Spread the elements of each row by a fixed pattern; gives the destination.", evidence=Evidence.UNKNOWN,
    output_reuses_input=0, kwargs=(PATTERNS,),
)  # fmt: skip
vector_op(
    "tile.scatter_update", "SCATTER_UPDATE", deduce_scatter_update,
    (vec("input", effect=Effect.READ_WRITE, lane=_ABSOLUTE), vec("index"), vec("src")),
    "Replace indexed rows of a tile; gives the tile.", evidence=Evidence.UNKNOWN, output_reuses_input=0,
    kwargs=(
        KwParam("dim", KwargType.INT, stored=Stored.ALWAYS, builder_default=-2, allowed=(-2,), doc="axis of the rows"),
    ),
)  # fmt: skip
