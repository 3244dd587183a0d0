"""Copies between local memory and a peer's window (``docs/spec/ops_tensor.md`` §5.2: put, get, remote load and store)."""

from __future__ import annotations

from pypto_core.ir import (
    UNKNOWN,
    Cast,
    ConstInt,
    DataType,
    Expr,
    TensorLayout,
    TensorType,
    TileLayout,
    TileType,
    TileView,
    Type,
)
from pypto_core.ops.kinds import ArgKind, is_int_scalar
from pypto_core.ops.pld.checks import (
    check_chunks,
    check_offsets,
    check_push,
    check_region,
    check_shapes,
    check_stage,
    distributed_op,
    same_dtype,
    scalar,
    tensor_like,
    window,
    window_param,
)
from pypto_core.ops.proofs import add, all_dims_equal, prove_negative
from pypto_core.ops.regions import WindowRead, window_read
from pypto_core.ops.registry import CoreAffinity, Effect, OpCall, Param, Stored, WriteChannel
from pypto_core.ops.shape_rules import show_dim
from pypto_core.ops.tensor.declare import (  # fmt: skip
    atomic_kw,
    atomic_write,
    flag,
    int_kw,
    layout_of,
    require_atomic_dtype,
    require_not_mx,
)

_ATOMIC_MISSING = "Missing kwarg 'atomic' on {}"


# -- put and get -----------------------------------------------------------------------------------------------------


def _ends(call: OpCall, *, put: bool) -> tuple[TensorType, TensorType]:
    """Destination and source; the window is the destination of a put and the source of a get."""
    dst: TensorType = window(call, 0, "dst") if put else tensor_like(call, 0, "dst")
    scalar(call, 1, "peer")
    src: TensorType = tensor_like(call, 2, "src") if put else window(call, 2, "src")
    same_dtype(call, dst, src, "dst and src", 2)
    return dst, src


def _check_atomic(call: OpCall, dst: TensorType) -> None:
    call.require_kw("atomic", _ATOMIC_MISSING.format(call.name))
    require_atomic_dtype(call, dst.dtype, "dtype", 0)


def _whole_or_region(call: OpCall, dst: TensorType, src: TensorType) -> tuple[Expr, ...]:
    """Extents of the transfer: three operands are the whole tensor, six a region of it."""
    given = len(call.args)
    if given not in (3, 6):
        call.fail("op-arity", f"The operator {call.name} requires exactly 3 or 6 arguments, but got {given}")
    check_shapes(call, dst, src, region=given == 6)
    return check_region(call, dst, src, 3) if given == 6 else dst.shape


def deduce_put(call: OpCall) -> Type:
    """T-PUT."""
    dst, src = _ends(call, put=True)
    _check_atomic(call, dst)
    check_chunks(call, _whole_or_region(call, dst, src))
    return UNKNOWN


def deduce_get(call: OpCall) -> Type:
    """T-GET."""
    dst, src = _ends(call, put=False)
    check_chunks(call, _whole_or_region(call, dst, src))
    return UNKNOWN


def _staged(call: OpCall, *, put: bool) -> Type:
    """One or two staging tiles, then perhaps a region: 4, 5, 7 or 8 operands."""
    given = len(call.args)
    if given not in (4, 5, 7, 8):
        call.fail(
            "op-arity", f"The operator {call.name} requires exactly 4, 5, 7 or 8 arguments, but got {given}"
        )
    dst, src = _ends(call, put=put)
    if put:
        _check_atomic(call, dst)
    stages = 2 if given in (5, 8) else 1
    region = given >= 7
    check_shapes(call, dst, src, region=region)
    transfer = check_region(call, dst, src, 3 + stages) if region else dst.shape
    tiles = [check_stage(call, 3 + k, dst.dtype, transfer) for k in range(stages)]
    if stages == 2 and not all_dims_equal(tiles[0].shape, tiles[1].shape):
        call.fail("op-shape", f"{call.name} stage and stage2 must have the same shape", arg=4)
    return UNKNOWN


def deduce_tile_put(call: OpCall) -> Type:
    """T-TILE-PUT."""
    return _staged(call, put=True)


def deduce_tile_get(call: OpCall) -> Type:
    """T-TILE-GET: takes no keywords."""
    if call.kwargs:
        call.fail("op-keyword", f"{call.name} takes no keywords", keyword=next(iter(call.kwargs)))
    return _staged(call, put=False)


# -- remote load and store -------------------------------------------------------------------------------------------


def deduce_remote_load(call: OpCall) -> Type:
    """T-REMOTE-LOAD: a tile without memory space."""
    target = window(call, 0, "target")
    require_not_mx(call, 0)
    scalar(call, 1, "peer")
    rank = len(target.shape)
    if rank < 1:
        call.fail("op-rank", f"{call.name} requires a target of rank >= 1", arg=0)
    offsets = check_offsets(call, 2, rank)
    shape = call.literal_tuple(3)
    if len(shape) != rank:
        call.fail("op-rank", f"{call.name} shape must have {rank} entries, got {len(shape)}", arg=3)
    requested = _requested_valid(call, rank) if call.has(4) else None
    source, source_valid = target.shape, target.valid_shape
    padded = bool(call.kw("allow_physical_tail_padding"))
    if padded:
        source = source_valid = _padded(call, target)
    valid = window_read(
        call,
        WindowRead(
            source, source_valid, offsets, shape, requested, materialize=True, clamp=padded,
            remedy="Pass a smaller valid_shape to read only what is there.", offset_arg=2,
            valid_arg=4 if requested is not None else None,
        ),
    )  # fmt: skip
    layout = layout_of(target)
    if layout is TensorLayout.ND:
        view = TileView(valid_shape=valid, blayout=TileLayout.row_major)
    elif layout is TensorLayout.DN:
        view = TileView(valid_shape=valid, blayout=TileLayout.col_major)
    else:
        view = TileView(valid_shape=valid)
    return TileType(shape, target.dtype, None, view)


def _requested_valid(call: OpCall, rank: int) -> tuple[Expr, ...]:
    """The valid shape as INDEX scalars."""
    valid = call.literal_tuple(4)
    if len(valid) != rank:
        call.fail("op-rank", f"{call.name} valid_shape must have {rank} entries, got {len(valid)}", arg=4)
    out: list[Expr] = []
    for axis, extent in enumerate(valid):
        if not is_int_scalar(extent.type):
            call.fail("op-kind", f"{call.name} valid_shape[{axis}] must be an integer scalar", arg=4)
        if prove_negative(extent):
            call.fail(
                "op-shape",
                f"{call.name} valid_shape[{axis}] is provably negative ({show_dim(extent)})",
                arg=4,
            )
        out.append(_as_index(extent))
    return tuple(out)


def _as_index(extent: Expr) -> Expr:
    dtype = getattr(extent.type, "dtype", DataType.INDEX)
    if dtype is DataType.INDEX:
        return extent
    if isinstance(extent, ConstInt):
        return ConstInt(extent.value, DataType.INDEX, span=extent.span)
    return Cast(extent, DataType.INDEX, span=extent.span)


def _padded(call: OpCall, target: TensorType) -> tuple[Expr, ...]:
    """Physical extents when the transfer may touch the padding behind the last column."""
    if target.dtype is not DataType.FP16 or len(target.shape) != 2 or not call.has(4):
        call.fail(
            "op-value",
            f"{call.name} allow_physical_tail_padding requires an FP16 target of rank 2 and an explicit valid_shape",
            keyword="allow_physical_tail_padding",
        )
    return (target.shape[0], add(target.shape[1], 15))


def _push(call: OpCall, extent: tuple[Expr, ...], dtype: DataType) -> Type:
    target = window(call, 1, "target")
    scalar(call, 2, "peer")
    if dtype is not target.dtype:
        call.fail("op-dtype", f"{call.name} src and target must have the same dtype, got {dtype.text} and {target.dtype.text}", arg=0)  # fmt: skip
    offsets = check_offsets(call, 3, len(target.shape))
    check_push(call, extent, offsets, target)
    require_atomic_dtype(call, target.dtype, "dtype", 1)
    return UNKNOWN


def deduce_tensor_store(call: OpCall) -> Type:
    """T-REMOTE-STORE of a tensor."""
    source = call.exact_tensor(0)
    return _push(call, source.shape, source.dtype)


def deduce_tile_store(call: OpCall) -> Type:
    """T-REMOTE-STORE of the valid part of a tile."""
    source = call.tile(0)
    return _push(call, source.valid_shape, source.dtype)


def _region_params() -> tuple[Param, ...]:
    return tuple(
        Param(n, ArgKind.LITERAL_TUPLE, optional=True) for n in ("dst_offsets", "src_offsets", "shape")
    )


_CHUNKS = (
    int_kw(
        "chunk_rows",
        default=0,
        builder_default=0,
        stored=Stored.WHEN_TRUTHY,
        doc="rows per transfer, 0 for all",
    ),
    int_kw(
        "chunk_cols",
        default=0,
        builder_default=0,
        stored=Stored.WHEN_TRUTHY,
        doc="columns per transfer, 0 for all",
    ),
    flag("pipeline", stored=Stored.WHEN_TRUTHY, doc="overlap transfers"),
)
_PEER = Param("peer", ArgKind.SCALAR, doc="rank")
_PUT_DST = window_param("dst", effect=atomic_write)
_GET_DST = Param("dst", ArgKind.TENSOR_LIKE, effect=Effect.WRITE)
_PUT_SRC, _GET_SRC = Param("src", ArgKind.TENSOR_LIKE), window_param("src")
_STAGES = (Param("stage", ArgKind.TILE), Param("stage2", ArgKind.TILE, optional=True))
_DMA = {"effects_declared": True, "write_channel": WriteChannel.DMA}
_ALWAYS_ATOMIC = atomic_kw(required=True, stored=Stored.ALWAYS)

distributed_op(
    "pld.tensor.put", "T-PUT", deduce_put, (_PUT_DST, _PEER, _PUT_SRC, *_region_params()),
    "Copies a tensor into a peer's window.", affinity=CoreAffinity.VECTOR, tile_conversion="C-PUT",
    kwargs=(_ALWAYS_ATOMIC, *_CHUNKS), **_DMA,
)  # fmt: skip
distributed_op(
    "pld.tensor.get", "T-GET", deduce_get, (_GET_DST, _PEER, _GET_SRC, *_region_params()),
    "Copies a peer's window into a tensor.", affinity=CoreAffinity.VECTOR, tile_conversion="C-GET", kwargs=_CHUNKS, **_DMA,
)  # fmt: skip
# The optional staging tile stands in the middle, so these two count and check their operands themselves.
distributed_op(
    "pld.tile.put", "T-TILE-PUT", deduce_tile_put, (_PUT_DST, _PEER, _PUT_SRC, *_STAGES, *_region_params()),
    "Copies a tensor into a peer's window through staging tiles.", affinity=CoreAffinity.VECTOR, check_arity=False,
    kwargs=(_ALWAYS_ATOMIC,), **_DMA,
)  # fmt: skip
distributed_op(
    "pld.tile.get", "T-TILE-GET", deduce_tile_get, (_GET_DST, _PEER, _GET_SRC, *_STAGES, *_region_params()),
    "Copies a peer's window into a tensor through staging tiles.", affinity=CoreAffinity.VECTOR, check_arity=False, **_DMA,
)  # fmt: skip
_LITERAL = ArgKind.LITERAL_TUPLE
distributed_op(
    "pld.tile.remote_load", "T-REMOTE-LOAD", deduce_remote_load,
    (window_param("target"), _PEER, Param("offsets", _LITERAL), Param("shape", _LITERAL), Param("valid_shape", _LITERAL, optional=True)),
    "Copies a window of a peer's memory into a tile.", effects_declared=True,
    kwargs=(flag("allow_physical_tail_padding", stored=Stored.NEVER, doc="may touch the padding behind the last column"),),
)  # fmt: skip
_STORE_END = (window_param("target", effect=atomic_write), _PEER, Param("offsets", _LITERAL))
distributed_op(
    "pld.tensor.remote_store", "T-REMOTE-STORE", deduce_tensor_store, (Param("src", ArgKind.TENSOR, expects="src must be a Tensor (a Tile goes through pld.tile.remote_store)"), *_STORE_END),
    "Copies a tensor into a peer's window.", tile_conversion="C-REMOTE-STORE", kwargs=(atomic_kw(),), **_DMA,
)  # fmt: skip
