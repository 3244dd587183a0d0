"""Axis bookkeeping of reshape and slice (docs/spec/passes_split.md §4.1, §4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.lanes import const_value
from pypto_core.analysis.split_axis import is_singleton
from pypto_core.ir import Call, Expr, MakeTuple, TileType
from pypto_core.passes.split_axis.rejections import reject


@dataclass(frozen=True, slots=True)
class SliceAxes:
    """Correspondence of a slice's two axis spaces: before `drop_dims`, and the result after the 2D clamp."""

    kept: tuple[int, ...] | None
    """Surviving axes in ascending order; None when nothing is dropped."""

    @property
    def pad(self) -> int:
        """Unit axes that the result gets in front."""
        return 0 if self.kept is None else max(0, 2 - len(self.kept))

    def to_result(self, axis: int) -> int | None:
        """Result axis of a source axis, None when it is dropped."""
        if self.kept is None:
            return axis
        return self.pad + self.kept.index(axis) if axis in self.kept else None

    def to_source(self, axis: int) -> int:
        """Source axis of a result axis; a synthetic unit axis stands for itself."""
        if self.kept is None or axis < self.pad or axis - self.pad >= len(self.kept):
            return axis
        return self.kept[axis - self.pad]


def slice_axes(call: Call) -> SliceAxes:
    """Axis correspondence of a ``tile.slice`` call."""
    dropped = call.args[4] if len(call.args) > 4 else None
    window = call.args[1] if len(call.args) > 1 else None
    if not isinstance(dropped, MakeTuple) or not dropped.elements or not isinstance(window, MakeTuple):
        return SliceAxes(None)
    axes = [const_value(e) for e in dropped.elements]
    rank = len(window.elements)
    if any(a is None for a in axes):
        return SliceAxes(None)
    gone = {a + rank if a < 0 else a for a in axes if a is not None}
    return SliceAxes(tuple(a for a in range(rank) if a not in gone))


def _product(extents: tuple[Expr, ...]) -> int | None:
    total = 1
    for extent in extents:
        value = const_value(extent)
        if value is None:
            return None
        total *= value
    return total


def migrated_axis(call: Call, source: TileType, dim: int) -> int | None:
    """Where a reshape moves the split axis: the first half of it is a flat prefix of the data.

    None means that the axis stays, or that nothing can be decided from constants: halve the result's own axis.

    Raises:
        PassError: ``split-reshape`` when the halves are not a prefix of any result axis.
    """
    result = call.type
    extent = const_value(source.shape[dim])
    if not isinstance(result, TileType):
        return None
    if extent is not None and extent % 2:
        if len(result.shape) > dim and not is_singleton(result, dim):
            return None
        raise reject(
            "R-RESHAPE-ODD",
            "split-reshape",
            f"'tile.reshape' moves the split axis dim {dim}, whose extent {extent} is an ODD split axis: the lanes' halves "
            f"differ and cannot be tracked through the reshape; pad the axis to an even extent and mark the rest with "
            f"pl.set_validshape",
            call.span,
            op=call.name,
            dim=dim,
            extent=extent,
        )
    before, after = _product(source.shape[:dim]), _product(source.shape[dim + 1 :])
    if extent is None or after is None or before != 1:
        return None
    flat = extent // 2 * after
    prefix = 1
    for axis, size in enumerate(result.shape):
        cells, rest = const_value(size), _product(result.shape[axis + 1 :])
        if cells is None or rest is None:
            return None
        if prefix == 1 and cells % 2 == 0 and cells // 2 * rest == flat:
            return None if axis == dim else axis
        prefix *= cells
    raise reject(
        "R-RESHAPE",
        "split-reshape",
        f"'tile.reshape' mixes the split axis dim {dim} with other axes, so the split cannot track it: the first half of "
        f"the rows is no half of any result axis; move the reshape out of the split",
        call.span,
        op=call.name,
        dim=dim,
    )
