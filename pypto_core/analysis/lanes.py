"""The two core kinds of a mixed kernel and the operators that cross between them (docs/spec/passes_split.md §1.6, §2)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.ir import Call, ConstInt, Expr, MemorySpace, SplitMode, TileType

TILE_BOUNDARY_OPS = frozenset({"tile.aiv_shard", "tile.aic_gather"})
BOUNDARY_OPS = TILE_BOUNDARY_OPS | {"tensor.aiv_shard", "tensor.aic_gather"}
SHARD_OPS = frozenset({"tile.aiv_shard", "tensor.aiv_shard"})
GATHER_OPS = frozenset({"tile.aic_gather", "tensor.aic_gather"})
PUSH_OPS = frozenset({"tile.tpush_to_aiv", "tile.tpush_to_aic"})
POP_OPS = frozenset({"tile.tpop_from_aiv", "tile.tpop_from_aic"})
FREE_OPS = frozenset({"system.tfree_to_aiv", "system.tfree_to_aic"})
PIPE_INIT_OPS = frozenset({"system.aic_initialize_pipe", "system.aiv_initialize_pipe"})
PIPE_SETUP_OPS = PIPE_INIT_OPS | {"system.reserve_buffer", "system.import_peer_buffer"}
LANE_INDEX_OP = "tile.get_subblock_idx"


@dataclass(frozen=True, slots=True)
class Side:
    """Operator names of one core kind. The free operator is named after the peer whose slot it returns."""

    name: str
    push: str
    pop: str
    free: str
    pipe_init: str
    transfer_memory: MemorySpace


AIC = Side(
    "AIC",
    "tile.tpush_to_aiv",
    "tile.tpop_from_aiv",
    "system.tfree_to_aiv",
    "system.aic_initialize_pipe",
    MemorySpace.Mat,
)
AIV = Side(
    "AIV",
    "tile.tpush_to_aic",
    "tile.tpop_from_aic",
    "system.tfree_to_aic",
    "system.aiv_initialize_pipe",
    MemorySpace.Vec,
)


def split_dimension(mode: SplitMode) -> int:
    """Axis that a data-parallel mode halves: 0 for UP_DOWN, 1 for LEFT_RIGHT."""
    if mode == SplitMode.UP_DOWN:
        return 0
    if mode == SplitMode.LEFT_RIGHT:
        return 1
    raise ValueError(f"split mode {mode!r} has no axis")


def transport_code(mode: SplitMode, odd: bool) -> int:
    """Code that tpush/tpop/tfree carry (docs/spec/passes_split.md §2): mode, plus 2 when lane 0 has one cell more."""
    return int(mode) + (2 if odd else 0)


def mode_of_code(code: int) -> SplitMode:
    """Split mode of a transport code 0..4."""
    return SplitMode(code - 2 if code > 2 else code)


def kwarg_int(call: Call, key: str, default: int = 0) -> int:
    """Integer keyword of a call, `default` when it is absent or not an integer."""
    value = call.kwargs.get(key, default)
    return value if isinstance(value, int) else default


def valid_shape_of(tile: TileType) -> tuple[Expr, ...]:
    """Effective valid shape: the view's, else the physical shape."""
    view = tile.tile_view
    return view.valid_shape if view is not None and view.valid_shape else tile.shape


def const_value(expr: Expr | None) -> int | None:
    """Value of an integer constant, else None."""
    return expr.value if isinstance(expr, ConstInt) else None


def lane_extents(tile: TileType, dim: int, stride: int | None) -> tuple[int, int] | None:
    """Valid cells of lanes 0 and 1 on `dim`, None when the box or the valid extent is not constant or the tile has no such axis.

    `stride` is the number of cells that lane 0 owns; None means half of the box.
    """
    if dim >= len(tile.shape):
        return None
    box = const_value(tile.shape[dim])
    valid = const_value(valid_shape_of(tile)[dim])
    if box is None or valid is None:
        return None
    step = stride if stride is not None else (box + 1) // 2
    return min(valid, step), min(max(valid - step, 0), step)
