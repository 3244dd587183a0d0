"""Tile types that deduction builds from other tile types (``docs/spec/ops_tile.md`` §2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.ir import (
    CompactMode,
    DataType,
    Expr,
    MemorySpace,
    PadValue,
    TileLayout,
    TileType,
    TileView,
    effective_tile_view,
    implicit_tile_view,
    tile_layout,
)
from pypto_core.ops.proofs import prove_eq

_FRACTAL = TileView().fractal
ROW, COL, NONE_BOX = TileLayout.row_major, TileLayout.col_major, TileLayout.none_box


def inherit_layout(tile: TileType, valid: Sequence[Expr], *, pad: PadValue | None = None) -> TileView:
    """A view with ``valid`` and the block layouts, pad and compact mode of ``tile``; the fractal is *not* inherited."""
    source = tile_layout(tile)
    wanted = source.pad if pad is None else pad
    if not source.stride and source.start_offset is None and source.fractal == _FRACTAL:
        return source.with_(valid_shape=tuple(valid), pad=wanted)
    return TileView(
        valid_shape=tuple(valid),
        blayout=source.blayout,
        slayout=source.slayout,
        pad=wanted,
        compact=source.compact,
    )


def like(tile: TileType, shape: Sequence[Expr], valid: Sequence[Expr], dtype: DataType) -> TileType:
    """A tile of ``shape`` with inherited layout and no memory space yet."""
    # A valid shape that is the shape says nothing.
    return TileType(tuple(shape), dtype, None, inherit_layout(tile, () if valid is shape else valid))


def passthrough(tile: TileType, dtype: DataType | None = None) -> TileType:
    """Result of most element-wise rules: shape, valid shape and layout of ``tile``, no memory space yet."""
    return like(tile, tile.shape, tile.valid_shape, dtype or tile.dtype)


def fresh(
    shape: Sequence[Expr],
    dtype: DataType,
    valid: Sequence[Expr] = (),
    *,
    blayout: TileLayout = ROW,
    space: MemorySpace | None = None,
) -> TileType:
    """A tile whose view says no more than ``valid`` and ``blayout``."""
    return TileType(tuple(shape), dtype, None, TileView(valid_shape=tuple(valid), blayout=blayout), space)


def alias_of(tile: TileType, valid: Sequence[Expr] | None = None) -> TileType:
    """The type of a result that is ``tile`` itself: effective view and space, no memref."""
    view = effective_tile_view(tile)
    if valid is not None:
        view = view.with_(valid_shape=tuple(valid))
    return TileType(tile.shape, tile.dtype, None, view, tile.memory_space)


def acc_type(
    shape: Sequence[Expr], dtype: DataType, valid: Sequence[Expr], *, compact: CompactMode | None = None
) -> TileType:
    """An accumulator tile. Without ``compact`` the rows decide: a row extent not provably full stamps ``normal``."""
    layout = implicit_tile_view(tuple(shape), MemorySpace.Acc)
    view = layout.with_(
        valid_shape=tuple(valid), compact=stamp_compact(shape, valid) if compact is None else compact
    )
    return TileType(tuple(shape), dtype, None, view, MemorySpace.Acc)


def stamp_compact(shape: Sequence[Expr], valid: Sequence[Expr]) -> CompactMode:
    """Compact mode of an accumulator: ``normal`` iff its rows are not provably all valid."""
    if shape and prove_eq(valid[0], shape[0]) is not True:
        return CompactMode.normal
    return CompactMode.null
