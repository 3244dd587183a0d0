"""Constants of ``pl`` and ``pld``: dtypes, enumerations and single values (docs/spec/dsl_ops.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from pypto_core.ir import (
    ArgDirection,
    AtomicType,
    CompactMode,
    DataType,
    ForKind,
    FunctionType,
    Level,
    MemorySpace,
    NotifyOp,
    PadValue,
    PipeType,
    ReduceOp,
    Role,
    SplitMode,
    TensorLayout,
    TileLayout,
    WaitCmp,
)


class MaskPattern(IntEnum):
    """Which columns ``gather_mask`` keeps, read from the right: P0101 keeps every even one."""

    P0101 = 1
    P1010 = 2
    P0001 = 3
    P0010 = 4
    P0100 = 5
    P1000 = 6
    P1111 = 7


class ScopeMode(IntEnum):
    """Dependency tracking of ``pl.scope``."""

    AUTO = 0
    MANUAL = 1


#: Enumerations by spelled path.
ENUMERATIONS: Final[Mapping[str, type[IntEnum]]] = {
    "pl.FunctionType": FunctionType,
    "pl.ForKind": ForKind,
    "pl.AtomicType": AtomicType,
    "pl.Level": Level,
    "pl.Role": Role,
    "pl.SplitMode": SplitMode,
    "pl.Mem": MemorySpace,
    "pl.MemorySpace": MemorySpace,
    "pl.PipeType": PipeType,
    "pl.TensorLayout": TensorLayout,
    "pl.TileLayout": TileLayout,
    "pl.PadValue": PadValue,
    "pl.CompactMode": CompactMode,
    "pl.ScopeMode": ScopeMode,
    "pld.NotifyOp": NotifyOp,
    "pld.WaitCmp": WaitCmp,
    "pld.ReduceOp": ReduceOp,
    "pl.tile.MaskPattern": MaskPattern,
}

#: Markers for the direction of a kernel argument.
ARG_DIRECTIONS: Final[Mapping[str, ArgDirection]] = {d.printed: d for d in ArgDirection}

#: Single names.
VALUES: Final[Mapping[str, Any]] = {
    "pl.AUTO": -1,
    "pl.ND": TensorLayout.ND,
    "pl.DN": TensorLayout.DN,
    "pl.NZ": TensorLayout.NZ,
    "pl.MX_A_ZZ": TensorLayout.MX_A_ZZ,
    "pl.MX_B_NN": TensorLayout.MX_B_NN,
}

_WORDS: Final[Mapping[str, Any]] = {"None": None, "True": True, "False": False}
_MISSING: Final = object()


def find_constant(path: str) -> Any:
    """The value spelled ``path`` (``pl.FP32``, ``pl.Mem.Vec``, ``pl.AUTO``); raises KeyError for anything else."""
    value = VALUES.get(path, _MISSING)
    if value is not _MISSING:
        return value
    owner, _, name = path.rpartition(".")
    if owner == "pl" and name in DataType.by_name:
        return DataType.by_name[name]
    if owner == "pl.adir":
        return ARG_DIRECTIONS[name]
    return ENUMERATIONS[owner].__members__[name]


def default_value(text: str) -> Any:
    """The value of a default as a table row writes it: ``None``, ``0``, ``'round'``, ``pl.Mem.Vec``."""
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] in "'\"":
        return text[1:-1]
    if text.lstrip("-").isdigit():
        return int(text)
    return find_constant(text)
