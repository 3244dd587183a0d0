"""Moving data between memories: load, store, move; and making room: create, alloc (``docs/spec/ops_tile.md`` §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.ir import (
    PTR,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    PadValue,
    TensorLayout,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TileView,
    Type,
    dim_equal,
    implicit_tile_view,
    packed_strides,
    tile_layout,
)
from pypto_core.ops.deduced import of_types
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.regions import RegionWrite, WindowRead, const_shape, window_read, write_union
from pypto_core.ops.registry import (
    CoreAffinity,
    Effect,
    Evidence,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    SpaceFromKwarg,
    Stored,
    WriteChannel,
    register,
)
from pypto_core.ops.shape_rules import is_one, show_shape
from pypto_core.ops.tile.checks import require_dtype
from pypto_core.ops.tile.declare import dtype_kw, operand, scalar, tile
from pypto_core.ops.tile_views import COL, NONE_BOX, ROW

_D = DataType
_M = MemorySpace
_MX_LAYOUTS = {TensorLayout.MX_A_ZZ: ROW, TensorLayout.MX_B_NN: COL}
_SCALE_SPACES = (_M.LeftScale, _M.RightScale)
ATOMIC_DTYPES = (_D.FP32, _D.BF16, _D.FP16, _D.INT32, _D.INT16, _D.INT8)


# -- load ------------------------------------------------------------------------------------------------------------


def deduce_load(call: OpCall) -> Type:
    """LOAD: a window of a tensor; its memory decides the layout, the source's valid region what is valid in it."""
    tensor = call.tensor(0)
    offsets, shape, requested = (call.literal_tuple(i) for i in (1, 2, 3))
    if not shape:
        call.fail("op-rank", f"{call.name} requires non-empty offsets, shapes and valid_shape", arg=2)
    if not len(offsets) == len(shape) == len(requested):
        call.fail(
            "op-rank",
            f"{call.name} requires offsets, shapes and valid_shape to have the same number of dimensions, "
            f"but got {len(offsets)}, {len(shape)} and {len(requested)}",
            arg=1 if len(offsets) != len(shape) else 3,
        )
    target: MemorySpace | None = call.kw("target_memory")
    layout = _load_layout(call, tensor, shape, requested, target)
    valid = requested
    if len(shape) == len(tensor.shape):
        valid = window_read(
            call,
            WindowRead(
                tensor.shape, tensor.valid_shape, offsets, shape, requested, clamp=bool(call.kw("clamp")),
                remedy="Pass clamp=True to cut the window off at the end of the source", offset_arg=1, valid_arg=3,
            ),
        )  # fmt: skip
    return TileType(shape, tensor.dtype, None, layout.with_(valid_shape=valid), target)


def _load_layout(
    call: OpCall,
    tensor: TensorType,
    shape: tuple[Expr, ...],
    requested: tuple[Expr, ...],
    target: MemorySpace | None,
) -> TileView:
    source = tensor.tensor_view.layout if tensor.tensor_view is not None else TensorLayout.ND
    if source in _MX_LAYOUTS:
        _check_mx_load(call, tensor, shape, requested, target)
        layout = _MX_LAYOUTS[source]
        return TileView(blayout=layout, slayout=layout, fractal=32)
    transposed = source is TensorLayout.DN
    if target is _M.Mat:
        if len(shape) == 2 and is_one(shape[1 if transposed else 0]):
            return TileView(blayout=ROW, slayout=NONE_BOX)
        return TileView(blayout=ROW, slayout=COL) if transposed else TileView(blayout=COL, slayout=ROW)
    if target is not None and is_one(shape[-1]):
        return TileView(blayout=COL)
    return TileView()


def _check_mx_load(
    call: OpCall,
    tensor: TensorType,
    shape: tuple[Expr, ...],
    requested: tuple[Expr, ...],
    target: MemorySpace | None,
) -> None:
    require_dtype(call, 0, tensor.dtype, (_D.FP8E8M0, _D.UINT8), "MX scale tensor")
    if len(tensor.shape) != 2 or len(shape) != 2 or len(requested) != 2:
        call.fail(
            "op-rank", f"{call.name} of an MX layout requires rank 2 source, window and valid_shape", arg=2
        )
    strides = tensor.tensor_view.stride if tensor.tensor_view is not None else ()
    packed = packed_strides(tensor.shape, TensorLayout.ND)
    if strides and (packed is None or not all(dim_equal(a, b) for a, b in zip(strides, packed))):
        call.fail("op-memory", f"{call.name} of an MX layout requires packed strides", arg=0)
    if target is not _M.Mat:
        call.fail(
            "op-memory", f"{call.name} of an MX layout requires target_memory Mat", keyword="target_memory"
        )


# -- store -----------------------------------------------------------------------------------------------------------


def with_tensor_valid(tensor: TensorType, valid: tuple[Expr, ...]) -> TensorType:
    """``tensor`` with another valid shape; memref, layout, strides, pad and window buffer stay."""
    view = (tensor.tensor_view or TensorView()).with_(valid_shape=valid)
    if isinstance(tensor, DistributedTensorType):
        return DistributedTensorType(tensor.shape, tensor.dtype, tensor.memref, view, tensor.window_buffer)
    return TensorType(tensor.shape, tensor.dtype, tensor.memref, view)


def check_atomic(call: OpCall, dtype: DataType, index: int) -> None:
    """The ``atomic`` keyword is None_ or Add, and Add has a dtype that the hardware adds."""
    atomic = call.kw("atomic") or 0
    if atomic not in (0, 1):
        call.fail(
            "op-value",
            f"{call.name}: atomic kwarg must be AtomicType.None_ or AtomicType.Add, but got {atomic}",
            keyword="atomic",
        )
    if atomic and dtype not in ATOMIC_DTYPES:
        call.fail(
            "op-dtype",
            f"{call.name} with atomic=AtomicType.Add requires an fp32/bf16/fp16/int32/int16/int8 dtype, "
            f"but got {dtype.text}",
            arg=index,
        )


def deduce_store(call: OpCall) -> Type:
    """STORE: the destination, its valid region grown by what is written."""
    src, offsets, target = call.tile(0), call.literal_tuple(1), call.tensor(2)
    if call.has(3):
        shapes = call.literal_tuple(3)
        if not shapes:
            call.fail("op-rank", f"{call.name} requires non-empty shapes", arg=3)
        if len(shapes) != len(offsets):
            call.fail(
                "op-rank",
                f"{call.name} requires shapes and offsets to have the same number of dimensions, "
                f"but got {len(shapes)} and {len(offsets)}",
                arg=3,
            )
    check_atomic(call, src.dtype, 0)
    rank = len(target.shape)
    if call.has(3) or len(src.shape) != rank or len(offsets) != rank:
        return target
    before = target.valid_shape
    after = write_union(
        call,
        RegionWrite(
            target.shape, before, src.shape, src.valid_shape, offsets,
            remedy="Narrow the tile with pl.set_validshape or write to a larger tensor", offset_arg=1,
        ),
    )  # fmt: skip
    if after is before or all(dim_equal(a, b) for a, b in zip(after, before)):
        return target
    return with_tensor_valid(target, after)


# -- move ------------------------------------------------------------------------------------------------------------


@of_types
def deduce_move(call: OpCall) -> Type:
    """MOVE: the destination dictates the layout where it has one of its own, else the source's block layouts stay."""
    src = call.tile(0)
    target: MemorySpace = call.require_kw("target_memory", f"{call.name}: Missing kwarg: target_memory")
    source = tile_layout(src)
    layout = implicit_tile_view(src.shape, target)
    plain = implicit_tile_view(src.shape, None)
    dictates = (layout.blayout, layout.slayout, layout.fractal) != (
        plain.blayout,
        plain.slayout,
        plain.fractal,
    )
    view = layout if dictates else layout.with_(blayout=source.blayout, slayout=source.slayout)
    if target is _M.Right:
        view = view.with_(blayout=ROW)
    dtype = src.dtype
    if target in _SCALE_SPACES:
        dtype = _check_scale_move(call, src, source, target)
    view = _override_layout(call, view, target)
    view = view.with_(valid_shape=src.valid_shape)
    if source.pad is not PadValue.null:
        view = view.with_(pad=source.pad)
    return TileType(src.shape, dtype, None, view, target)


def _override_layout(call: OpCall, view: TileView, target: MemorySpace) -> TileView:
    for field in ("blayout", "slayout"):
        wanted: TileLayout | None = call.kw(field)
        if wanted is None:
            continue
        if target in _SCALE_SPACES and wanted is not getattr(view, field):
            call.fail(
                "op-memory",
                f"{call.name}: {target.name} has a hardware-fixed layout; {field} cannot be {wanted.name}",
                keyword=field,
            )
        view = view.with_(**{field: wanted})
    return view


def _check_scale_move(call: OpCall, src: TileType, source: TileView, target: MemorySpace) -> DataType:
    if len(src.shape) != 2:
        call.fail(
            "op-rank",
            f"{call.name} to {target.name} requires a 2D tile, but got rank {len(src.shape)}",
            arg=0,
        )
    if src.memory_space is not _M.Mat:
        have = src.memory_space.name if src.memory_space is not None else "unset"
        call.fail(
            "op-memory", f"{call.name} to {target.name} requires a source in Mat, but got {have}", arg=0
        )
    require_dtype(call, 0, src.dtype, (_D.UINT8, _D.FP8E8M0), "scale")
    layout = ROW if target is _M.LeftScale else COL
    if (source.blayout, source.slayout, source.fractal) != (layout, layout, 32):
        call.fail(
            "op-memory",
            f"{call.name} to {target.name} requires a source layout {layout.name}/{layout.name}/32",
            arg=0,
        )
    return _D.FP8E8M0


# -- room ------------------------------------------------------------------------------------------------------------


def deduce_alloc(call: OpCall) -> Type:
    """ALLOC: a handle of a piece of memory."""
    return PTR


def deduce_create(call: OpCall) -> Type:
    """CREATE: an uninitialised tile."""
    shape = const_shape(call, 0)
    dtype: DataType = call.require_kw("dtype", f"{call.name}: Missing kwarg: dtype")
    target: MemorySpace | None = call.kw("target_memory")
    transpose, flat = bool(call.kw("transpose")), bool(call.kw("flat_layout"))
    if target in _SCALE_SPACES:
        call.fail("op-memory", f"{call.name} cannot create a tile in {target.name}", keyword="target_memory")
    if transpose and (len(shape) != 2 or target is not _M.Mat):
        call.fail(
            "op-keyword",
            f"{call.name} supports transpose=true only for a 2D tile with target_memory=Mat (L1), "
            f"but got {show_shape(shape)}",
            keyword="transpose",
        )
    if flat and (target is not _M.Mat or transpose):
        call.fail(
            "op-keyword",
            f"{call.name} supports flat_layout=true only with target_memory=Mat and without transpose",
            keyword="flat_layout",
        )
    if flat:
        return TileType(shape, dtype, None, TileView(), _M.Mat)
    if target is _M.Acc:
        return TileType(shape, dtype, None, implicit_tile_view(shape, _M.Acc), _M.Acc)
    if transpose:
        return TileType(shape, dtype, None, TileView(blayout=ROW, slayout=COL))
    return TileType(shape, dtype, None, TileView(blayout=implicit_tile_view(shape, None).blayout))


def _store_effect(kwargs: Mapping[str, Any]) -> Effect:
    """An atomic add reads what it adds to."""
    return Effect.READ_WRITE if kwargs.get("atomic") else Effect.WRITE


_TARGET_MEMORY = KwParam(
    "target_memory", KwargType.MEMORY_SPACE, stored=Stored.ALWAYS, builder_default=_M.Vec, allowed=(_M.Vec, _M.Mat),
    doc="memory of the result",
)  # fmt: skip
ATOMIC = KwParam(
    "atomic", KwargType.INT, default=0, builder_default=0, stored=Stored.WHEN_TRUTHY, allowed=(0, 1),
    legal="AtomicType.None_ 0, AtomicType.Add 1", doc="add to the destination instead of overwriting it",
)  # fmt: skip

register(
    OpDef(
        "tile.load", OpCategory.TILE, "LOAD", deduce_load,
        (
            operand("tensor", ArgKind.TENSOR_LIKE),
            operand("offsets", ArgKind.LITERAL_TUPLE),
            operand("shapes", ArgKind.LITERAL_TUPLE),
            operand("valid_shape", ArgKind.LITERAL_TUPLE),
        ),
        (
            _TARGET_MEMORY,
            KwParam(
                "clamp", KwargType.BOOL, default=False, builder_default=False, stored=Stored.WHEN_TRUTHY,
                doc="cut the window off at the end of the source",
            ),
        ),
        output_memory=SpaceFromKwarg(retargetable=True), evidence=Evidence.FUNCTIONAL,
        doc="Load a window of a tensor into a tile.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.store", OpCategory.TILE, "STORE", deduce_store,
        (
            tile("tile", (_M.Vec, _M.Acc)),
            operand("offsets", ArgKind.LITERAL_TUPLE),
            operand("output_tensor", ArgKind.TENSOR_LIKE, effect=_store_effect),
            operand("shapes", ArgKind.LITERAL_TUPLE, optional=True),
        ),
        (ATOMIC,), output_reuses_input=2, write_channel=WriteChannel.DMA, effects_declared=True,
        doc="Store the valid part of a tile into a tensor; gives the tensor.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.move", OpCategory.TILE, "MOVE", deduce_move, (tile("tile"),),
        (
            KwParam("target_memory", KwargType.MEMORY_SPACE, required=True, stored=Stored.ALWAYS, doc="memory to move to"),
            KwParam("blayout", KwargType.TILE_LAYOUT, doc="block layout of the result"),
            KwParam("slayout", KwargType.TILE_LAYOUT, doc="layout inside a block"),
        ),
        output_memory=SpaceFromKwarg(default=_M.Vec), evidence=Evidence.FUNCTIONAL, inplace_safe=False,
        doc="Move a tile to another on-chip memory.",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.alloc", OpCategory.TILE, "ALLOC", deduce_alloc, (scalar("memory_space"), scalar("size")),
        (KwParam("pinned", KwargType.BOOL, default=False, doc="placed by the author"),),
        affinity=CoreAffinity.VECTOR, evidence=Evidence.NO_ACCESS,
        doc="Reserve bytes of an on-chip memory (made by the compiler).",
    )
)  # fmt: skip
register(
    OpDef(
        "tile.create", OpCategory.TILE, "CREATE", deduce_create, (operand("shape", ArgKind.LITERAL_TUPLE),),
        (
            dtype_kw(stored=Stored.ALWAYS, doc="element type"),
            KwParam(
                "target_memory", KwargType.MEMORY_SPACE, stored=Stored.ALWAYS, builder_default=_M.Vec,
                legal="any but LeftScale and RightScale", doc="memory of the tile",
            ),
            KwParam("transpose", KwargType.BOOL, default=False, doc="transposed block layout (2-D, Mat)"),
            KwParam("flat_layout", KwargType.BOOL, default=False, doc="plain layout (Mat)"),
        ),
        output_memory=SpaceFromKwarg(retargetable=True), affinity=CoreAffinity.SHARED, evidence=Evidence.NO_ACCESS,
        doc="Make an uninitialised tile.",
    )
)  # fmt: skip
