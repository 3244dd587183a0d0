"""Arithmetic on extents, types and integer tuples of a halved axis (docs/spec/passes_split.md §3.1 to §3.4).

The lane is a scalar expression (0 or 1 at run time); an unknown lane is None. A *step* is the number of cells between
the lanes' first cells: half of the box, or the balanced stride.
"""

from __future__ import annotations

from pypto_core.analysis.lanes import const_value
from pypto_core.ir import (
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    TileType,
    TileView,
    Type,
    dim_equal,
    effective_tile_view,
)
from pypto_core.ir.scalar import make_binary, scalar_dtype


def index(value: int) -> ConstInt:
    """An INDEX constant."""
    return ConstInt(value, DataType.INDEX)


def half(extent: Expr) -> Expr:
    """Physical extent of one lane: the ceiling half of a constant, the floor half of a symbol."""
    if isinstance(extent, ConstInt):
        return ConstInt((extent.value + 1) // 2, extent.dtype)
    return make_binary("floordiv", extent, ConstInt(2, scalar_dtype(extent) or DataType.INDEX))


def is_odd(extent: Expr) -> bool:
    """Whether a constant extent is odd; a symbolic one counts as even."""
    value = const_value(extent)
    return value is not None and value % 2 == 1


def lane_step(stride: Expr | None, box_half: Expr) -> Expr:
    """Distance between the lanes' first cells."""
    return box_half if stride is None else stride


def localize_valid(valid: Expr, original: Expr, step: Expr, lane: Expr | None) -> Expr:
    """Valid cells of the lane: ``clamp(valid - lane*step, 0, step)``.

    The minuend is clamped first, ``min(max(V, lane*S) - lane*S, S)``, because the extent may be unsigned.
    """
    if lane is None:
        return step
    if dim_equal(valid, original):
        full, part = const_value(original), const_value(step)
        if full is None or part is None or 2 * part == full:
            return step
    offset = make_binary("mul", lane, step)
    return make_binary("min", make_binary("sub", make_binary("max", valid, offset), offset), step)


def replace_at(items: tuple[Expr, ...], position: int, value: Expr) -> tuple[Expr, ...]:
    """`items` with one element exchanged."""
    return (*items[:position], value, *items[position + 1 :])


def _halved_view(
    tile: TileType, dim: int, shape: tuple[Expr, ...], lane: Expr | None, stride: Expr | None
) -> TileView | None:
    step = lane_step(stride, shape[dim])
    view = tile.tile_view
    if view is not None:
        if dim >= len(view.valid_shape):
            return view
        valid = localize_valid(view.valid_shape[dim], tile.shape[dim], step, lane)
        return view.with_(valid_shape=replace_at(view.valid_shape, dim, valid))
    if lane is None or (stride is None and not is_odd(tile.shape[dim])):
        return None
    valid = localize_valid(tile.shape[dim], tile.shape[dim], step, lane)
    return effective_tile_view(tile).with_(valid_shape=replace_at(shape, dim, valid))


def halve_with(type_: Type, dim: int, extent: Expr, lane: Expr | None, stride: Expr | None = None) -> Type:
    """The lane's type of a tile whose physical extent on `dim` becomes `extent`; other types are unchanged."""
    if not isinstance(type_, TileType) or not 0 <= dim < len(type_.shape):
        return type_
    shape = replace_at(type_.shape, dim, extent)
    return TileType(
        shape,
        type_.dtype,
        type_.memref,
        _halved_view(type_, dim, shape, lane, stride),
        type_.memory_space,
    )


def halve_tile(type_: Type, dim: int, lane: Expr | None, stride: Expr | None = None) -> Type:
    """The lane's type of a tile halved on `dim`."""
    if not isinstance(type_, TileType) or not 0 <= dim < len(type_.shape):
        return type_
    return halve_with(type_, dim, half(type_.shape[dim]), lane, stride)


def with_valid(tile: TileType, dim: int, extent: Expr) -> TileType:
    """`tile` with another valid extent on `dim`."""
    view = effective_tile_view(tile)
    if dim_equal(view.valid_shape[dim], extent):
        return tile
    return tile.with_(tile_view=view.with_(valid_shape=replace_at(view.valid_shape, dim, extent)))


def with_full_valid(tile: TileType, dim: int) -> TileType:
    """`tile` with everything valid on `dim`."""
    return with_valid(tile, dim, tile.shape[dim])


def localize_shard_valid(
    half_type: Type, operand: Type, dim: int, lane: Expr | None, stride: Expr | None
) -> Type:
    """The type of a shard's result: the deduced half with the lane's own valid extent (docs/spec/passes_split.md §3.9)."""
    if not isinstance(half_type, TileType) or not isinstance(operand, TileType) or lane is None:
        return half_type
    if not 0 <= dim < min(len(half_type.shape), len(operand.shape)):
        return half_type
    box, valid = operand.shape[dim], operand.valid_shape[dim]
    if stride is None and dim_equal(valid, box) and not is_odd(box):
        return half_type
    step = lane_step(stride, half_type.shape[dim])
    return with_valid(half_type, dim, localize_valid(valid, box, step, lane))


# -- tuples of integers ------------------------------------------------------------------------------------------------


def _at(expr: Expr, dim: int) -> MakeTuple | None:
    return expr if isinstance(expr, MakeTuple) and 0 <= dim < len(expr.elements) else None


def halve_tuple(expr: Expr, dim: int) -> Expr:
    """Element `dim` of a literal tuple halved; anything else unchanged."""
    found = _at(expr, dim)
    if found is None:
        return expr
    return found.with_(elements=replace_at(found.elements, dim, half(found.elements[dim])))


def localize_tuple(expr: Expr, dim: int, original: Expr, step: Expr, lane: Expr | None) -> Expr:
    """Element `dim` as the lane's valid extent; an empty tuple (nothing stated) stays empty."""
    found = _at(expr, dim)
    if found is None:
        return expr
    valid = localize_valid(found.elements[dim], original, step, lane)
    return found.with_(elements=replace_at(found.elements, dim, valid))


def adjust_offsets(expr: Expr, dim: int, step: Expr, lane: Expr | None) -> Expr:
    """Element `dim` moved to the lane's first cell. ``0 + lane * step`` is not folded: the text keeps both parts."""
    found = _at(expr, dim)
    if found is None or lane is None:
        return expr
    old, at = found.elements[dim], const_value(lane)
    if at == 0:
        return expr
    if at == 1:
        new = step if const_value(old) == 0 else make_binary("add", old, step)
    else:
        new = make_binary("add", old, make_binary("mul", lane, step))
    return found.with_(elements=replace_at(found.elements, dim, new))
