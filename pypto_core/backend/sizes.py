"""Bytes that a tile occupies on a chip (``docs/spec/passes_tile.md`` 0.3)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.backend.model import Backend
from pypto_core.ir import ConstInt, DataType, Expr, MemorySpace


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of ``alignment`` that is not below ``value``."""
    return -(-value // alignment) * alignment


def static_shape(shape: Sequence[Expr]) -> tuple[int, ...] | None:
    """The extents as integers, or ``None`` unless every one is a positive constant."""
    extents: list[int] = []
    for dim in shape:
        if not isinstance(dim, ConstInt) or dim.value <= 0:
            return None
        extents.append(dim.value)
    return tuple(extents)


def l0c_row_alignment(dtype: DataType, backend: Backend | None) -> int:
    """Rows to which an accumulator tile is padded; without a backend the stricter of the known chips."""
    if backend is not None:
        return backend.l0c_m_alignment(dtype)
    return 32 if dtype is DataType.INT32 else 16


def physical_tile_bytes(
    shape: Sequence[Expr], dtype: DataType, space: MemorySpace | None, backend: Backend | None
) -> int | None:
    """Bytes a tile of ``shape`` (elements) and ``dtype`` allocates in ``space``; ``None`` when a dim is unknown.

    An Acc tile is padded in rows, because L0C stores whole 16- (or 32-) row fractals.
    """
    extents = static_shape(shape)
    if extents is None:
        return None
    count = 1
    if space is MemorySpace.Acc and len(extents) >= 2:
        for extent in extents[:-2]:
            count *= extent
        rows = align_up(extents[-2], l0c_row_alignment(dtype, backend))
        return count * rows * extents[-1] * (dtype.storage_bits // 8)
    for extent in extents:
        count *= extent
    return dtype.storage_bytes(count)
