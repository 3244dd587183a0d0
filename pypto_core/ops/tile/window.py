"""Parts of tiles: slice, extract, assemble, concat, and the valid region itself (``docs/spec/ops_tile.md`` §5)."""

from __future__ import annotations

from pypto_core.ir import (
    CompactMode,
    ConstInt,
    DataType,
    Expr,
    MemorySpace,
    PadValue,
    TileType,
    TileView,
    Type,
    dim_equal,
    effective_tile_view,
    implicit_tile_view,
)
from pypto_core.ir.scalar import make_binary
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value
from pypto_core.ops.regions import (
    RegionWrite,
    WindowRead,
    const_shape,
    drop_axes,
    index_tuple,
    parse_drop_dims,
    window_read,
    write_union,
)
from pypto_core.ops.registry import (
    Effect,
    Evidence,
    InheritSpace,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    SpaceFromKwarg,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tile.checks import require_rank
from pypto_core.ops.tile.declare import operand, scalar, tile, vec, vector_op
from pypto_core.ops.tile_views import COL, ROW, alias_of, fresh

_D = DataType
_M = MemorySpace
_NO_CLAMP = "There is no clamping on chip: pass a smaller shape or move the window"


def deduce_slice(call: OpCall) -> Type:
    """SLICE: a window of a tile; an explicit layout of the source is inherited whole."""
    src = call.tile(0)
    for index, what in ((1, "shape"), (2, "offset"), (3, "valid_shape")):
        if call.has(index):
            index_tuple(call, index, what)
    shape: tuple[Expr, ...] = const_shape(call, 1)
    offsets = call.literal_tuple(2)
    requested = call.literal_tuple(3) if call.has(3) else ()
    if len(shape) != len(src.shape):
        call.fail(
            "op-rank",
            f"{call.name} requires the window and its source to have the same rank, "
            f"but got {len(shape)} and {len(src.shape)}",
            arg=1,
        )
    valid = window_read(
        call,
        WindowRead(
            src.shape, src.valid_shape, offsets, shape, requested or None, exact=True, remedy=_NO_CLAMP,
            offset_arg=2, valid_arg=3,
        ),
    )  # fmt: skip
    if call.has(4):
        axes = parse_drop_dims(call, call.args[4], shape, 4)
        lead = shape[0]
        shape, valid = drop_axes(call, shape, valid, axes, 4)
        one = ConstInt(1, lead.dtype if isinstance(lead, ConstInt) else _D.INDEX)
        while len(shape) < 2:
            shape, valid = (one, *shape), (one, *valid)
    source = src.tile_view
    if source is not None:
        view = TileView(
            valid_shape=valid, blayout=source.blayout, slayout=source.slayout, fractal=source.fractal, pad=source.pad,
            compact=source.compact,
        )  # fmt: skip
    else:
        view = TileView(valid_shape=valid, blayout=implicit_tile_view(shape, None).blayout)
    pad: PadValue | None = call.kw("pad_value")
    if pad is not None:
        view = view.with_(pad=pad)
    return TileType(shape, src.dtype, None, view)


def deduce_extract(call: OpCall) -> Type:
    """EXTRACT: a window of a tile into another memory, in that memory's layout."""
    src = call.tile(0)
    require_rank(call, 0, src, 2, "src")
    for index in (1, 2):
        dtype = call.scalar(index).dtype
        if not dtype.is_index_like:
            call.fail(
                "op-dtype",
                f"{call.name} requires {call.param_name(index)} of dtype INT64, UINT64, or INDEX, but got {dtype.text}",
                arg=index,
            )
    shape = const_shape(call, 3)
    if len(shape) != 2:
        call.fail("op-rank", f"{call.name} requires a 2D shape, but got rank {len(shape)}", arg=3)
    offsets = (call.args[1], call.args[2])
    for axis, name in enumerate(("row", "col")):
        _check_extract_axis(call, src, offsets[axis], shape[axis], axis, name)
    valid = window_read(
        call,
        WindowRead(src.shape, src.valid_shape, offsets, shape, exact=True, remedy=_NO_CLAMP, offset_arg=1),
    )
    target: MemorySpace = call.kw("target_memory")
    layout = implicit_tile_view(shape, target)
    if target is _M.Left:
        layout = layout.with_(blayout=ROW, slayout=ROW)
    elif target is _M.Right:
        layout = layout.with_(blayout=ROW, slayout=COL)
    partial = not all(dim_equal(v, s) for v, s in zip(valid, shape))
    compact = CompactMode.normal if partial and target in (_M.Left, _M.Right) else CompactMode.null
    return TileType(shape, src.dtype, None, layout.with_(valid_shape=valid, compact=compact), target)


def _check_extract_axis(
    call: OpCall, src: TileType, offset: Expr, extent: ConstInt, axis: int, name: str
) -> None:
    bound, start = const_value(src.shape[axis]), const_value(offset)
    if bound is not None and extent.value > bound:
        call.fail(
            "op-shape", f"{call.name}: shape[{axis}]={extent.value} exceeds src {name} extent {bound}", arg=3
        )
    if start is None:
        return
    if start < 0:
        call.fail("op-value", f"{call.name}: index_{name} must be >= 0, but got {start}", arg=1 + axis)
    if bound is not None and start + extent.value > bound:
        call.fail(
            "op-shape",
            f"{call.name}: index_{name}={start} + shape[{axis}]={extent.value} exceeds src {name} extent {bound}",
            arg=1 + axis,
        )


def deduce_assemble(call: OpCall) -> Type:
    """ASSEMBLE: a tile written into another; the valid region grows."""
    target, source = call.tile(0), call.tile(1)
    index_tuple(call, 2, "offset")
    offsets = call.literal_tuple(2)
    if source.dtype is not target.dtype:
        downcast = source.dtype is _D.FP32 and target.dtype in (_D.BF16, _D.FP16)
        if not downcast:
            call.fail(
                "op-dtype",
                f"{call.name} requires source and target of one dtype, or an FP32 source with a BF16/FP16 target "
                f"(FIXPIPE downcast), but got {source.dtype.text} and {target.dtype.text}",
                arg=1,
            )
    rank = len(target.shape)
    valid = target.shape
    if len(source.shape) == rank == len(offsets):
        valid = write_union(
            call,
            RegionWrite(
                target.shape,
                target.valid_shape,
                source.shape,
                source.valid_shape,
                offsets,
                exact=True,
                offset_arg=2,
            ),
        )
    return alias_of(target, valid)


def deduce_concat(call: OpCall) -> Type:
    """CONCAT: two tiles side by side."""
    left, right = call.tile(0), call.tile(1)
    require_rank(call, 0, left, 2, "src0")
    require_rank(call, 1, right, 2, "src1")
    if left.dtype is not right.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires the same dtype, but got {left.dtype.text} and {right.dtype.text}",
            arg=1,
            data={"expected": left.dtype.printed, "got": right.dtype.printed},
        )
    rows, other = const_value(left.shape[0]), const_value(right.shape[0])
    if rows is not None and other is not None and rows != other:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires the same number of rows, but got {rows} and {other}",
            arg=1,
        )
    a, b = left.shape[1], right.shape[1]
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        width: Expr = ConstInt(a.value + b.value, a.dtype)
    else:
        width = make_binary("add", a, b)
    return fresh((left.shape[0], width), left.dtype)


def deduce_set_validshape(call: OpCall) -> Type:
    """SET_VALIDSHAPE: the same tile with another valid region."""
    src = call.tile(0)
    require_rank(call, 0, src, 2, "tile")
    for axis, index in enumerate((1, 2)):
        dtype, extent = call.scalar(index).dtype, call.args[index]
        if not dtype.is_index_like:
            call.fail(
                "op-dtype",
                f"{call.name} requires {call.param_name(index)} of dtype INT64, UINT64, or INDEX, but got {dtype.text}",
                arg=index,
            )
        value, bound = const_value(extent), const_value(src.shape[axis])
        if value is not None and value < 0:
            call.fail(
                "op-value", f"{call.name}: {call.param_name(index)} must be >= 0, but got {value}", arg=index
            )
        if value is not None and bound is not None and value > bound:
            call.fail(
                "op-value",
                f"{call.name}: {call.param_name(index)} {value} exceeds tile bound {show_dim(src.shape[axis])}",
                arg=index,
            )
    view = effective_tile_view(src).with_(valid_shape=(call.args[1], call.args[2]))
    return TileType(src.shape, src.dtype, None, view)


register(
    OpDef(
        "tile.slice", OpCategory.TILE, "SLICE", deduce_slice,
        (
            tile("input"),
            operand("shape", ArgKind.LITERAL_TUPLE),
            operand("offset", ArgKind.LITERAL_TUPLE),
            operand("valid_shape", ArgKind.LITERAL_TUPLE, optional=True),
            operand("drop_dims", ArgKind.LITERAL_TUPLE, optional=True),
        ),
        (
            KwParam(
                "pad_value", KwargType.PAD_VALUE, allowed=tuple(PadValue),
                doc="padding of the result; the source's if absent",
            ),
        ),
        output_memory=InheritSpace(), evidence=Evidence.NO_ACCESS, doc="A window of a tile, without copying.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.extract", OpCategory.TILE, "EXTRACT", deduce_extract,
        (tile("src"), scalar("index_row"), scalar("index_col"), operand("shape", ArgKind.LITERAL_TUPLE)),
        (
            KwParam(
                "target_memory", KwargType.MEMORY_SPACE, default=_M.Vec, stored=Stored.ALWAYS, allowed=tuple(_M),
                doc="memory of the result",
            ),
        ),
        output_memory=SpaceFromKwarg(default=_M.Vec), inplace_safe=False,
        doc="Copy a window of a tile into another memory.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.assemble", OpCategory.TILE, "ASSEMBLE", deduce_assemble,
        (tile("target", effect=Effect.READ_WRITE), tile("source"), operand("offset", ArgKind.LITERAL_TUPLE)),
        output_memory=InheritSpace(), doc="Write a tile into a place of another; gives the other.",
    )
)  # fmt: skip
vector_op(
    "tile.concat", "CONCAT", deduce_concat, (vec("src0"), vec("src1")), "Two tiles side by side.", inplace_safe=False
)  # fmt: skip
register(
    OpDef(
        "tile.set_validshape", OpCategory.TILE, "SET_VALIDSHAPE", deduce_set_validshape,
        (tile("tile"), scalar("valid_rows"), scalar("valid_cols")),
        output_memory=InheritSpace(), evidence=Evidence.NO_ACCESS, doc="State which part of a tile holds data.",
    )
)  # fmt: skip
