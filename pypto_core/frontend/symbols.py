"""Names below ``pl`` and ``pld`` that stand for values: dtypes, enumerations, singleton types (docs/spec/ir.md §1.4)."""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import Enum, IntEnum
from typing import Final

from pypto_core.ir import (
    ASYNC_EVENT,
    ASYNC_SESSION,
    COMM_CTX,
    MEMREF_TYPE,
    PREFETCH_ASYNC_CONTEXT,
    PTR,
    UNKNOWN,
    WINDOW_BUFFER_TYPE,
    DataType,
    Role,
    Type,
)
from pypto_core.ops.dsl.constants import ARG_DIRECTIONS, ENUMERATIONS, VALUES

#: Enumeration name as written after ``pl.`` or ``pld.`` -> class.
ENUMS: dict[str, type[IntEnum]] = {path.rpartition(".")[2]: cls for path, cls in ENUMERATIONS.items()}

#: Enumerations that stand in one namespace of ``pl`` instead of directly below it -> that namespace.
NAMESPACE_ENUMS: dict[str, str] = {
    path.rpartition(".")[2]: path.split(".")[1] for path in ENUMERATIONS if path.count(".") == 2
}

#: Constants directly below ``pl``.
CONSTANTS: dict[str, object] = {path.rpartition(".")[2]: value for path, value in VALUES.items()}

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


_COMMON_DTYPE: Final = re.compile(r"(bfloat|bf|float|fp|f|uint|u|int|i|s)(\d+)", re.IGNORECASE)
_FAMILIES: Final = {
    "bfloat": "BF", "bf": "BF", "float": "FP", "fp": "FP", "f": "FP",
    "uint": "UINT", "u": "UINT", "int": "INT", "i": "INT", "s": "INT",
}  # fmt: skip


def nearest_dtype(name: str) -> str | None:
    """The dtype that a wrong name may have meant: what other frameworks call it first (``float32``, ``i8``), then a close spelling."""
    if name in DataType.by_name:
        return None
    common = _COMMON_DTYPE.fullmatch(name)
    if common is not None:
        meant = _FAMILIES[common[1].lower()] + common[2]
        if meant in DataType.by_name:
            return meant
    found = get_close_matches(name.upper(), sorted(DataType.by_name), 1, 0.6)
    return found[0] if found else None


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
            return ARG_DIRECTIONS.get(last)
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
