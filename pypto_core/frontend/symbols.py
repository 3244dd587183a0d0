"""Names below ``pl`` and ``pld`` that stand for values: dtypes, enumerations, singleton types (docs/spec/ir.md §1.4)."""

from __future__ import annotations

from enum import Enum, IntEnum

from pypto_core.ir import (
    ASYNC_EVENT,
    ASYNC_SESSION,
    COMM_CTX,
    MEMREF_TYPE,
    PREFETCH_ASYNC_CONTEXT,
    PTR,
    UNKNOWN,
    WINDOW_BUFFER_TYPE,
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
    Type,
    WaitCmp,
)


class ScopeMode(IntEnum):
    """Argument of ``pl.scope``."""

    AUTO = 0
    MANUAL = 1


class MaskPattern(IntEnum):
    """Lane masks of ``pl.tile.gather_mask`` and its relatives."""

    P0101 = 1
    P1010 = 2
    P0001 = 3
    P0010 = 4
    P0100 = 5
    P1000 = 6
    P1111 = 7


#: Enumeration name as written after ``pl.`` or ``pld.`` -> class.
ENUMS: dict[str, type[IntEnum]] = {
    "FunctionType": FunctionType,
    "ForKind": ForKind,
    "AtomicType": AtomicType,
    "Level": Level,
    "Role": Role,
    "SplitMode": SplitMode,
    "Mem": MemorySpace,
    "MemorySpace": MemorySpace,
    "PipeType": PipeType,
    "TensorLayout": TensorLayout,
    "TileLayout": TileLayout,
    "PadValue": PadValue,
    "CompactMode": CompactMode,
    "ScopeMode": ScopeMode,
    "NotifyOp": NotifyOp,
    "WaitCmp": WaitCmp,
    "ReduceOp": ReduceOp,
    "MaskPattern": MaskPattern,
}

ADIR: dict[str, ArgDirection] = {d.printed: d for d in ArgDirection}

#: Constants directly below ``pl``.
CONSTANTS: dict[str, object] = {
    "AUTO": -1,
    "ND": TensorLayout.ND,
    "DN": TensorLayout.DN,
    "NZ": TensorLayout.NZ,
    "MX_A_ZZ": TensorLayout.MX_A_ZZ,
    "MX_B_NN": TensorLayout.MX_B_NN,
}

#: Last component of a type without arguments -> type.
SINGLETONS: dict[str, Type] = {
    "UnknownType": UNKNOWN,
    "MemRefType": MEMREF_TYPE,
    "Ptr": PTR,
    "PtrType": PTR,
    "WindowBufferType": WINDOW_BUFFER_TYPE,
    "CommCtxType": COMM_CTX,
    "CommCtx": COMM_CTX,
    "PrefetchAsyncContext": PREFETCH_ASYNC_CONTEXT,
    "PrefetchAsyncContextType": PREFETCH_ASYNC_CONTEXT,
    "AsyncEvent": ASYNC_EVENT,
    "AsyncEventType": ASYNC_EVENT,
    "AsyncSession": ASYNC_SESSION,
    "AsyncSessionType": ASYNC_SESSION,
}


def enum_member(enum: str, member: str) -> IntEnum | None:
    """``pl.<enum>.<member>``; None when there is no such enumeration or member. ``Role`` has upper-case spellings too."""
    cls = ENUMS.get(enum)
    if cls is None:
        return None
    found = cls.__members__.get(member)
    if found is None and cls is Role:
        found = {"ORCHESTRATOR": Role.Orchestrator, "SUBWORKER": Role.SubWorker}.get(member)
    return found


def symbol_value(path: tuple[str, ...]) -> DataType | Enum | int | None:
    """Value of a dotted name; the prefix (``pl``, ``pld``, an alias or nothing) does not matter.

    ``pl.FP32`` -> dtype, ``pl.Mem.Vec`` or ``Mem.Vec`` -> enumeration member, ``pl.adir.input``, ``pl.ND``; else None.
    """
    last = path[-1]
    if len(path) >= 2:
        owner = path[-2]
        if owner == "adir":
            return ADIR.get(last)
        if owner in ENUMS:
            return enum_member(owner, last)
    if len(path) <= 2:
        dtype = DataType.by_name.get(last)
        if dtype is not None:
            return dtype
        constant = CONSTANTS.get(last)
        if isinstance(constant, (int, Enum)):
            return constant
    return None
