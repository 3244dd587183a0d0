"""Crossing between cube and vector: the split boundary and the pipe transports (``docs/spec/ops_tile.md`` §4, §6)."""

from __future__ import annotations

from pypto_core.ir import UNKNOWN, ConstInt, Expr, MemorySpace, TileType, Type
from pypto_core.ops.deduced import of_types
from pypto_core.ops.proofs import cdiv, const_value, floor_div, times
from pypto_core.ops.registry import (
    CoreAffinity,
    CrossCoreRole,
    FixedSpace,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    Stored,
    register,
)
from pypto_core.ops.split_boundary import ragged_facts, split_boundary_fault
from pypto_core.ops.tile.declare import tile
from pypto_core.ops.tile_views import fresh

SHARD, GATHER = "tile.aiv_shard", "tile.aic_gather"


def check_split_boundary_carries_valid(call: OpCall, value: TileType, axis: int, *, is_shard: bool) -> None:
    """``split-ragged-columns`` at the operand when the crossing cannot carry its valid region (``docs/spec/passes_split.md`` §2.2)."""
    fault = split_boundary_fault(call.name, value.shape, value.valid_shape, axis, is_shard=is_shard)
    if fault is not None:
        unproven = any(const_value(v) is None for v in (*value.valid_shape, *value.shape))
        call.fail(
            "split-ragged-columns",
            fault,
            arg=0,
            unproven=unproven,
            data=ragged_facts(value.shape, value.valid_shape, axis),
        )


def _half(extent: Expr) -> Expr:
    """Physical extent of a lane: the ceiling for constants, the floor for symbols (the box is even then)."""
    return cdiv(extent, 2) if isinstance(extent, ConstInt) else floor_div(extent, 2)


@of_types
def deduce_split_reshape(call: OpCall) -> Type:
    """SPLIT_RESHAPE: a shard halves the split axis, a gather doubles it; the result's layout is its own."""
    is_shard = call.name == SHARD
    value = call.tile(0)
    split = call.require_kw("split", f"The operator {call.name} requires a 'split' attr")
    if split not in (0, 1, 2):
        call.fail(
            "op-value",
            f"The operator {call.name}: split must be 0 (no split), 1 (UP_DOWN) or 2 (LEFT_RIGHT), but got {split}",
            keyword="split",
        )
    if split == 0:
        check_split_boundary_carries_valid(call, value, -1, is_shard=is_shard)
        return fresh(value.shape, value.dtype, value.valid_shape)
    if len(value.shape) != 2:
        call.fail(
            "op-rank", f"The operator {call.name} requires a 2D tile, but got rank {len(value.shape)}", arg=0
        )
    axis = split - 1
    if is_shard:
        _check_lane_stride(call, value.shape[axis])
    check_split_boundary_carries_valid(call, value, axis, is_shard=is_shard)
    shape, valid = list(value.shape), list(value.valid_shape)
    shape[axis] = _half(shape[axis]) if is_shard else times(shape[axis], 2)
    valid[axis] = cdiv(valid[axis], 2) if is_shard else times(valid[axis], 2)
    return fresh(shape, value.dtype, valid)


def _check_lane_stride(call: OpCall, extent: Expr) -> None:
    stride = call.kw("lane_stride")
    if stride is None:
        return
    if stride <= 0:
        call.fail(
            "op-value",
            f"The operator {call.name}: lane_stride must be a positive partition stride, but got {stride}",
            keyword="lane_stride",
        )
    full = const_value(extent)
    if full is not None and stride > (full + 1) // 2:
        call.fail(
            "op-value",
            f"The operator {call.name}: lane_stride {stride} exceeds the per-lane physical half {(full + 1) // 2}",
            keyword="lane_stride",
        )


def deduce_unknown(call: OpCall) -> Type:
    """UNKNOWN: the type is stated by whoever makes the call."""
    return UNKNOWN


SPLIT_CODE = "0 none, 1 UP_DOWN, 2 LEFT_RIGHT, 3 UP_DOWN odd, 4 LEFT_RIGHT odd"
PIPE_ID = KwParam("id", KwargType.INT, legal="pipe id; absent means 0", doc="which pipe of the kernel")
LANE_STRIDE = KwParam("lane_stride", KwargType.INT, legal="> 0", doc="rows or columns that lane 0 takes")


def split_code_kw(codes: tuple[int, ...], *, stored: Stored, builder_default: int | None = None) -> KwParam:
    """The transport code keyword."""
    return KwParam(
        "split", KwargType.INT, required=stored is Stored.ALWAYS and builder_default is None, stored=stored,
        builder_default=builder_default, allowed=codes, legal=SPLIT_CODE, doc="how the box is divided over the lanes",
    )  # fmt: skip


_MODE = KwParam(
    "split", KwargType.INT, required=True, stored=Stored.ALWAYS, allowed=(0, 1, 2),
    legal="0 none, 1 UP_DOWN, 2 LEFT_RIGHT", doc="split mode",
)  # fmt: skip
register(
    OpDef(
        SHARD, OpCategory.CROSS_CORE, "SPLIT_RESHAPE", deduce_split_reshape, (tile("tile"),), (_MODE, LANE_STRIDE),
        output_memory=FixedSpace(MemorySpace.Vec),
        doc="Hand each vector lane its half of a cube tile.",
    )
)  # fmt: skip
register(
    OpDef(
        GATHER, OpCategory.CROSS_CORE, "SPLIT_RESHAPE", deduce_split_reshape, (tile("tile"),), (_MODE,),
        output_memory=FixedSpace(MemorySpace.Mat),
        doc="Join the halves of the two vector lanes into one tile for the cube.",
    )
)  # fmt: skip


def _transport(
    name: str,
    role: CrossCoreRole,
    lane: CoreAffinity,
    params: tuple[Param, ...],
    kwargs: tuple[KwParam, ...],
    doc: str,
) -> None:
    register(
        OpDef(
            name, OpCategory.CROSS_CORE, "UNKNOWN", deduce_unknown, params, kwargs, affinity=lane, cross_core_role=role,
            check_arity=False, doc=doc,
        )
    )  # fmt: skip


_ODD, _EVEN = tuple(range(5)), tuple(range(3))
_transport(
    "tile.tpush_to_aiv", CrossCoreRole.TPUSH, CoreAffinity.CUBE, (tile("tile"),),
    (split_code_kw(_ODD, stored=Stored.ALWAYS), LANE_STRIDE, PIPE_ID), "Push a cube tile into the pipe to the vector lanes.",
)  # fmt: skip
_transport(
    "tile.tpush_to_aic", CrossCoreRole.TPUSH, CoreAffinity.VECTOR, (tile("tile"),),
    (split_code_kw(_EVEN, stored=Stored.ALWAYS), PIPE_ID), "Push a lane's tile into the pipe to the cube.",
)  # fmt: skip
_transport(
    "tile.tpop_from_aic", CrossCoreRole.TPOP, CoreAffinity.VECTOR, (),
    (split_code_kw(_ODD, stored=Stored.ALWAYS, builder_default=0), LANE_STRIDE, PIPE_ID),
    "Take the next tile that the cube pushed.",
)  # fmt: skip
_transport(
    "tile.tpop_from_aiv", CrossCoreRole.TPOP, CoreAffinity.CUBE, (),
    (split_code_kw(_EVEN, stored=Stored.ALWAYS, builder_default=0), PIPE_ID),
    "Take the next tile that the vector lanes pushed.",
)  # fmt: skip
