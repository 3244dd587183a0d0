"""Collapsing shapes and offsets of rank N to two dimensions (``docs/spec/passes_tile.md`` 2.1, 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pypto_core.ir import Expr, const_dim, dim_equal
from pypto_core.passes.tile_calls import fold_add, fold_times, index


def collapses_contiguously(valid: Sequence[Expr], dims: Sequence[Expr]) -> bool:
    """Whether the box ``valid`` inside ``dims`` is one run of whole rows once the leading axes are merged.

    Lists of different rank never conflict. The last axis may be of any extent.
    """
    if len(valid) != len(dims):
        return True
    inside = False
    for extent, full in zip(valid[:-1], dims[:-1], strict=True):
        if not inside:
            inside = const_dim(extent) != 1
        elif not dim_equal(extent, full):
            return False
    return True


def merged_extents(extents: Sequence[Expr]) -> tuple[Expr, Expr]:
    """``[product of all but the last, last]``; constants folded, ones dropped."""
    if len(extents) == 1:
        return index(1), extents[0]
    return reduce(fold_times, extents[:-1]), extents[-1]


def folded_row(offsets: Sequence[Expr], dims: Sequence[Expr]) -> Expr:
    """Row of ``offsets`` in a tensor of shape ``dims`` after its leading axes were merged."""
    row = offsets[0]
    for offset, extent in zip(offsets[1:-1], dims[1:-1], strict=True):
        row = fold_add(fold_times(row, extent), offset)
    return row


def folded_offsets(offsets: Sequence[Expr], dims: Sequence[Expr]) -> tuple[Expr, Expr]:
    """``[folded row, last offset]``."""
    return folded_row(offsets, dims), offsets[-1]
