"""Types without dimensions (docs/spec/ir.md §2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_core.ir.dtype import DataType
from pypto_core.ir.node import Type


@dataclass(frozen=True, slots=True, eq=False)
class ScalarType(Type):
    """One value of ``dtype``."""

    dtype: DataType

    _interned: ClassVar[dict[DataType, ScalarType]] = {}

    @staticmethod
    def of(dtype: DataType) -> ScalarType:
        """The shared scalar type of ``dtype``."""
        found = ScalarType._interned.get(dtype)
        if found is None:
            found = ScalarType._interned.setdefault(dtype, ScalarType(dtype))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(Type):
    """The types of the elements of a tuple."""

    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SingletonType(Type):
    """A type with one instance; ``printed`` is its text, prefix included."""

    name: str
    printed: str


@dataclass(frozen=True, slots=True, eq=False)
class ErrorType(Type):
    """Type of an erroneous expression: silences every check that would repeat the first fault. Printed as an unknown type."""


UNKNOWN = SingletonType("UnknownType", "pl.UnknownType")
MEMREF_TYPE = SingletonType("MemRefType", "pl.MemRefType")
PTR = SingletonType("Ptr", "pl.Ptr")
WINDOW_BUFFER_TYPE = SingletonType("WindowBufferType", "pld.WindowBufferType")
COMM_CTX = SingletonType("CommCtxType", "pld.CommCtxType")
PREFETCH_ASYNC_CONTEXT = SingletonType("PrefetchAsyncContextType", "pl.PrefetchAsyncContext")
ASYNC_EVENT = SingletonType("AsyncEventType", "pl.AsyncEvent")
ASYNC_SESSION = SingletonType("AsyncSessionType", "pl.AsyncSession")
ERROR_TYPE = ErrorType()

#: Printed text -> singleton, for readers.
SINGLETON_TYPES: dict[str, SingletonType] = {
    t.printed: t
    for t in (
        UNKNOWN,
        MEMREF_TYPE,
        PTR,
        WINDOW_BUFFER_TYPE,
        COMM_CTX,
        PREFETCH_ASYNC_CONTEXT,
        ASYNC_EVENT,
        ASYNC_SESSION,
    )
}
