"""Other views of the same elements: reshape, reinterpret, transpose (``docs/spec/ops_tile.md`` §5)."""

from __future__ import annotations

from pypto_core.ir import (
    ConstInt,
    DataType,
    Expr,
    Mul,
    PadValue,
    TileLayout,
    TileType,
    TileView,
    Type,
    effective_tile_view,
    implicit_tile_view,
    tile_layout,
)
from pypto_core.ops.deduced import of_types
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import (
    all_dims_equal,
    const_value,
    element_count,
    provably_equal_extent,
    provably_zero,
    times,
    tuple_elements,
)
from pypto_core.ops.regions import index_tuple, reshape_valid
from pypto_core.ops.registry import Evidence, InheritSpace, OpCall, OpCategory, OpDef, Stored, register
from pypto_core.ops.shape_rules import require_same_bytes, show_dim
from pypto_core.ops.tile.checks import require_rank_at_least
from pypto_core.ops.tile.declare import dtype_kw, operand, tile
from pypto_core.ops.tile_views import COL, NONE_BOX, ROW

_D = DataType
REINTERPRET_DTYPES = (
    _D.INT8, _D.INT16, _D.INT32, _D.INT64, _D.UINT8, _D.UINT16, _D.UINT32, _D.UINT64, _D.FP16, _D.FP32, _D.BF16,
)  # fmt: skip


def _tuple_arg(call: OpCall, index: int) -> tuple[Expr, ...]:
    arg_type = call.args[index].type
    return tuple_elements(call.args[index], len(getattr(arg_type, "types", ())))


def deduce_reshape(call: OpCall) -> Type:
    """RESHAPE: the same elements in row-major order; pad and compact mode stay, the block layout is the new shape's."""
    src = call.tile(0)
    index_tuple(call, 1, "shape")
    shape = _tuple_arg(call, 1)
    old, new = element_count(src.shape), element_count(shape)
    if old is not None and new is not None and old != new:
        call.fail(
            "op-shape", f"{call.name}: cannot reshape tile of size {old} into shape with size {new}", arg=1
        )
    source = tile_layout(src)
    valid = reshape_valid(call, src.valid_shape, src.shape, shape, row_major=source.blayout is ROW)
    view = TileView(
        valid_shape=valid,
        blayout=implicit_tile_view(shape, None).blayout,
        pad=source.pad,
        compact=source.compact,
    )
    return TileType(shape, src.dtype, None, view)


# -- reinterpret -----------------------------------------------------------------------------------------------------


def deduce_reinterpret_view(call: OpCall) -> Type:
    """REINTERPRET_VIEW: the same bytes as another element type."""
    src = call.tile(0)
    require_rank_at_least(call, 0, src, 1)
    source = effective_tile_view(src)
    axis = _contiguous_axis(call, src, source)
    dtype: DataType = call.require_kw("dtype")
    if src.dtype not in REINTERPRET_DTYPES:
        call.fail("op-dtype", f"{call.name} does not support source dtype {src.dtype.text}", arg=0)
    if dtype not in REINTERPRET_DTYPES:
        call.fail("op-dtype", f"{call.name} does not support target dtype {dtype.text}", keyword="dtype")
    if dtype is src.dtype:
        call.fail("op-dtype", f"{call.name} requires source and target dtype to differ", keyword="dtype")
    _check_static_extents(call, src)
    automatic = _scaled(call, src.shape, axis, src.dtype, dtype)
    shape = automatic
    if call.has(1):
        index_tuple(call, 1, "shape")
        shape = _tuple_arg(call, 1)
        _check_explicit_shape(call, src, dtype, shape, automatic, source.blayout)
    partial = not all(provably_equal_extent(v, s) for v, s in zip(src.valid_shape, src.shape))
    valid: tuple[Expr, ...] = ()
    if partial:
        if not all_dims_equal(shape, automatic):
            call.fail(
                "op-shape",
                f"{call.name} cannot preserve a partial valid_shape under an explicit shape",
                arg=1,
            )
        valid = _scaled(call, src.valid_shape, axis, src.dtype, dtype)
    pad = source.pad if source.pad is PadValue.zero else PadValue.null
    view = source.with_(valid_shape=valid, pad=pad, stride=(), start_offset=None)
    return TileType(shape, dtype, None, view, src.memory_space)


def _contiguous_axis(call: OpCall, src: TileType, source: TileView) -> int:
    if source.slayout is not NONE_BOX or source.blayout not in (ROW, COL):
        call.fail("op-memory", f"{call.name} only supports flat tiles (no inner boxes)", arg=0)
    if source.blayout is COL:
        require_rank_at_least(call, 0, src, 2)
    view = src.tile_view
    if view is not None and (
        view.stride or (view.start_offset is not None and not provably_zero(view.start_offset))
    ):
        call.fail("op-memory", f"{call.name} requires a packed tile without start offset", arg=0)
    return len(src.shape) - (2 if source.blayout is COL else 1)


def _check_static_extents(call: OpCall, src: TileType) -> None:
    for i, (dim, valid) in enumerate(zip(src.shape, src.valid_shape)):
        extent, part = const_value(dim), const_value(valid)
        if extent is not None and extent <= 0:
            call.fail(
                "op-shape",
                f"{call.name} requires shape dimension {i} to be positive, but got {extent}",
                arg=0,
            )
        if part is not None and (part < 0 or (extent is not None and part > extent)):
            call.fail(
                "op-shape",
                f"{call.name} requires valid_shape {i} within [0, {show_dim(dim)}], but got {part}",
                arg=0,
            )


def _scaled(
    call: OpCall, extents: tuple[Expr, ...], axis: int, old: DataType, new: DataType
) -> tuple[Expr, ...]:
    """``extents`` with the contiguous axis counted in elements of ``new`` instead of ``old``."""
    have = extents[axis]
    if old.byte >= new.byte:
        ratio = old.byte // new.byte
        scaled = have if ratio == 1 else times(have, ratio)
    else:
        scaled = _divided(call, have, axis, new.byte // old.byte)
    return (*extents[:axis], scaled, *extents[axis + 1 :])


def _divided(call: OpCall, extent: Expr, axis: int, ratio: int) -> Expr:
    if isinstance(extent, ConstInt):
        if extent.value % ratio:
            call.fail(
                "op-shape",
                f"{call.name} shape dimension {axis} ({extent.value}) is not divisible by {ratio} "
                f"for the wider target dtype",
                arg=0,
            )
        return ConstInt(extent.value // ratio, extent.dtype)
    if type(extent) is Mul:
        for factor, rest in ((extent.right, extent.left), (extent.left, extent.right)):
            if const_value(factor) == ratio:
                return rest
    raise call.error(
        "op-shape",
        f"{call.name} cannot prove that dynamic shape dimension {axis} ({show_dim(extent)}) is divisible by {ratio}",
        arg=0,
        unproven=True,
    )


def _check_explicit_shape(
    call: OpCall,
    src: TileType,
    dtype: DataType,
    shape: tuple[Expr, ...],
    automatic: tuple[Expr, ...],
    blayout: TileLayout,
) -> None:
    for i, dim in enumerate(shape):
        extent = const_value(dim)
        if extent is not None and extent <= 0:
            call.fail(
                "op-shape",
                f"{call.name} requires shape dimension {i} to be positive, but got {extent}",
                arg=1,
            )
    if blayout is COL and len(shape) < 2:
        call.fail("op-rank", f"{call.name} of a col_major tile requires a target shape of rank >= 2", arg=1)
    if all_dims_equal(shape, automatic):
        return
    require_same_bytes(call, src.shape, src.dtype, shape, dtype)


# -- transpose -------------------------------------------------------------------------------------------------------


def deduce_transpose(call: OpCall) -> Type:
    """TRANSPOSE: two axes swapped by copying; nothing of the source's view is inherited, its valid region included."""
    src = call.tile(0)
    require_rank_at_least(call, 0, src, 2)
    rank = len(src.shape)
    axes: list[int] = []
    for index in (1, 2):
        axis = const_value(call.args[index])
        assert axis is not None
        axis = axis + rank if axis < 0 else axis
        if not 0 <= axis < rank:
            call.fail("op-value", f"{call.name}: Axis {axis} is out of range for {rank}D tile", arg=index)
        axes.append(axis)
    if axes[0] == axes[1]:
        call.fail(
            "op-value",
            f"{call.name}: axis1 and axis2 must be different, but got axis1={axes[0]}, axis2={axes[1]}",
            arg=2,
        )
    if call.has(3):
        tmp = call.tile(3)
        if tmp.dtype is not src.dtype or len(tmp.shape) != rank:
            code = "op-dtype" if tmp.dtype is not src.dtype else "op-rank"
            call.fail(code, f"{call.name} requires tmp of the same dtype and rank as the input", arg=3)
    shape = list(src.shape)
    shape[axes[0]], shape[axes[1]] = shape[axes[1]], shape[axes[0]]
    return TileType(tuple(shape), src.dtype, None, TileView())


def _swapped(dims: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return (*dims[:-2], dims[-1], dims[-2])


_FLIP = {ROW: COL, COL: ROW, NONE_BOX: NONE_BOX}


@of_types
def deduce_transpose_view(call: OpCall) -> Type:
    """TRANSPOSE_VIEW: the last two axes swapped by reading the layout the other way; nothing moves."""
    src = call.tile(0)
    require_rank_at_least(call, 0, src, 2)
    source = effective_tile_view(src)
    view = TileView(
        valid_shape=_swapped(src.valid_shape), blayout=_FLIP[source.blayout], slayout=_FLIP[source.slayout],
        fractal=source.fractal, pad=source.pad, compact=source.compact,
    )  # fmt: skip
    return TileType(_swapped(src.shape), src.dtype, None, view, src.memory_space)


def _view_op(name: str, **fields: object) -> None:
    register(
        OpDef(f"tile.{name}", OpCategory.TILE, output_memory=InheritSpace(), **fields)  # type: ignore[arg-type]
    )


_view_op(
    "reshape", rule="RESHAPE", deduce=deduce_reshape, params=(tile("input"), operand("shape", ArgKind.TUPLE)),
    evidence=Evidence.NO_ACCESS, doc="The same elements in another shape.",
)  # fmt: skip
_view_op(
    "reinterpret_view", rule="REINTERPRET_VIEW", deduce=deduce_reinterpret_view,
    params=(tile("data"), operand("shape", ArgKind.TUPLE, optional=True)),
    kwargs=(dtype_kw(stored=Stored.ALWAYS, allowed=REINTERPRET_DTYPES, doc="element type of the view"),),
    evidence=Evidence.NO_ACCESS, doc="The same bytes as another element type.",
)  # fmt: skip
_view_op(
    "transpose", rule="TRANSPOSE", deduce=deduce_transpose,
    params=(
        tile("input"),
        operand("axis1", ArgKind.CONST_INT),
        operand("axis2", ArgKind.CONST_INT),
        tile("tmp", optional=True),
    ),
    inplace_safe=False, doc="Swap two axes.",
)  # fmt: skip
_view_op(
    "transpose_view", rule="TRANSPOSE_VIEW", deduce=deduce_transpose_view, params=(tile("input"),),
    evidence=Evidence.NO_ACCESS, doc="Swap the last two axes without moving data.",
)  # fmt: skip
