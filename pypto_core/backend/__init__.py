"""Per-chip facts. ``get_backend("a2a3" | "a5" | long name | None)`` gives a :class:`Backend`, or ``None``."""

from __future__ import annotations

from pypto_core.backend.ascend910b import ASCEND910B
from pypto_core.backend.ascend950 import ASCEND950
from pypto_core.backend.model import ALLOCATION_ALIGNMENT, Backend, CoreCounts, L0CostModel
from pypto_core.backend.registry import BACKENDS, get_backend
from pypto_core.backend.sizes import (
    align_up,
    l0c_row_alignment,
    physical_tile_bytes,
    static_shape,
)

__all__ = [
    "ALLOCATION_ALIGNMENT",
    "ASCEND910B",
    "ASCEND950",
    "BACKENDS",
    "Backend",
    "CoreCounts",
    "L0CostModel",
    "align_up",
    "get_backend",
    "l0c_row_alignment",
    "physical_tile_bytes",
    "static_shape",
]
