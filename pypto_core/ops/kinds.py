"""Kinds of operator arguments: the first thing checked about a call, and what completion offers.

The values are the words of the operator catalogue (``docs/spec/ops_tensor.yaml``, ``arg_kinds``).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from pypto_core.ir import (
    ASYNC_EVENT,
    ASYNC_SESSION,
    COMM_CTX,
    PREFETCH_ASYNC_CONTEXT,
    PTR,
    ArrayType,
    ConstFloat,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    IterArg,
    MakeTuple,
    ScalarType,
    SingletonType,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
)


class ArgKind(Enum):
    """What an argument must be."""

    TILE = "tile"
    TENSOR = "tensor"
    TENSOR_LIKE = "tensor_like"
    TENSOR_LIKE_VAR = "tensor_like_var"
    TENSOR_LIKE_OR_SCALAR = "tensor_like_or_scalar"
    TILE_OR_TENSOR = "tile_or_tensor"
    WINDOW = "window"
    SCALAR = "scalar"
    INT_SCALAR = "int_scalar"
    SCALAR_INT32 = "scalar_int32"
    INDEX_SCALAR = "index_scalar"
    BOOL_SCALAR = "bool_scalar"
    CONST_INT = "const_int"
    CONST_NUMBER = "const_number"
    TUPLE = "any_tuple"
    INT_TUPLE = "int_tuple"
    INDEX_TUPLE = "index_tuple"
    LITERAL_TUPLE = "literal_tuple"
    LITERAL_CONST_TUPLE = "literal_const_tuple"
    ARRAY = "array"
    PTR = "ptr"
    COMM_CTX = "comm_ctx"
    PREFETCH_CTX = "prefetch_ctx"
    ASYNC_EVENT = "async_event"
    ASYNC_SESSION = "async_session"
    ANY = "any"

    #: Kinds are looked up for every operand of every call; that of Enum hashes names in Python.
    __hash__ = object.__hash__


_INDEX_DTYPES = (DataType.INT64, DataType.UINT64, DataType.INDEX)


def type_name(t: Type) -> str:
    """Class name of a type as messages show it (``TileType``)."""
    if t is PTR:
        return "PtrType"
    return t.name if isinstance(t, SingletonType) else type(t).__name__


def is_index_scalar(t: Type) -> bool:
    """Scalar of dtype INDEX, INT64 or UINT64."""
    return isinstance(t, ScalarType) and t.dtype in _INDEX_DTYPES


def is_int_scalar(t: Type) -> bool:
    """Scalar of any integer dtype; INDEX counts."""
    return isinstance(t, ScalarType) and t.dtype.is_int


def _of(*classes: type[Type]) -> Callable[[Expr], bool]:
    return lambda e: isinstance(e.type, classes)


def _exactly(singleton: Type) -> Callable[[Expr], bool]:
    return lambda e: e.type is singleton


def _scalar_of(dtype: DataType) -> Callable[[Expr], bool]:
    return lambda e: isinstance(e.type, ScalarType) and e.type.dtype is dtype


def _int_tuple(e: Expr) -> bool:
    return isinstance(e.type, TupleType) and all(is_int_scalar(t) for t in e.type.types)


def _index_tuple(e: Expr) -> bool:
    return (
        isinstance(e.type, TupleType) and bool(e.type.types) and all(is_index_scalar(t) for t in e.type.types)
    )


def _const_tuple(e: Expr) -> bool:
    return type(e) is MakeTuple and all(type(x) is ConstInt for x in e.elements)


_KINDS: dict[ArgKind, tuple[Callable[[Expr], bool], str]] = {
    ArgKind.TILE: (_of(TileType), "a TileType"),
    ArgKind.TENSOR: (lambda e: type(e.type) is TensorType, "a TensorType"),
    ArgKind.TENSOR_LIKE: (_of(TensorType), "a TensorType or DistributedTensorType"),
    ArgKind.TENSOR_LIKE_VAR: (
        lambda e: isinstance(e.type, TensorType) and type(e) in (Var, IterArg),
        "a variable of TensorType or DistributedTensorType",
    ),
    ArgKind.TENSOR_LIKE_OR_SCALAR: (
        _of(TensorType, ScalarType),
        "a TensorType, DistributedTensorType or ScalarType",
    ),
    ArgKind.TILE_OR_TENSOR: (_of(TileType, TensorType), "a TileType or TensorType"),
    ArgKind.WINDOW: (_of(DistributedTensorType), "a DistributedTensor (window-bound)"),
    ArgKind.SCALAR: (_of(ScalarType), "a ScalarType"),
    ArgKind.INT_SCALAR: (lambda e: is_int_scalar(e.type), "an integer ScalarType"),
    ArgKind.SCALAR_INT32: (_scalar_of(DataType.INT32), "a ScalarType of dtype int32"),
    ArgKind.INDEX_SCALAR: (
        lambda e: is_index_scalar(e.type),
        "a ScalarType of dtype INT64, UINT64, or INDEX",
    ),
    ArgKind.BOOL_SCALAR: (_scalar_of(DataType.BOOL), "a ScalarType of dtype BOOL"),
    ArgKind.CONST_INT: (lambda e: type(e) is ConstInt, "a compile-time constant (ConstInt)"),
    ArgKind.CONST_NUMBER: (
        lambda e: type(e) in (ConstInt, ConstFloat),
        "a constant (ConstInt or ConstFloat)",
    ),
    ArgKind.TUPLE: (_of(TupleType), "a TupleType"),
    ArgKind.INT_TUPLE: (_int_tuple, "a TupleType of integer scalars"),
    ArgKind.INDEX_TUPLE: (_index_tuple, "a TupleType of INT64, UINT64, or INDEX scalars"),
    ArgKind.LITERAL_TUPLE: (lambda e: type(e) is MakeTuple, "a literal tuple (MakeTuple)"),
    ArgKind.LITERAL_CONST_TUPLE: (_const_tuple, "a literal tuple (MakeTuple) of compile-time int constants"),
    ArgKind.ARRAY: (_of(ArrayType), "an ArrayType"),
    ArgKind.PTR: (_exactly(PTR), "a PtrType"),
    ArgKind.COMM_CTX: (_exactly(COMM_CTX), "a CommCtxType"),
    ArgKind.PREFETCH_CTX: (_exactly(PREFETCH_ASYNC_CONTEXT), "a PrefetchAsyncContextType"),
    ArgKind.ASYNC_EVENT: (_exactly(ASYNC_EVENT), "an AsyncEventType"),
    ArgKind.ASYNC_SESSION: (_exactly(ASYNC_SESSION), "an AsyncSessionType"),
    ArgKind.ANY: (lambda _: True, "any value"),
}


def kind_matches(kind: ArgKind, arg: Expr) -> bool:
    """Whether ``arg`` is of ``kind``."""
    return _KINDS[kind][0](arg)


def kind_phrase(kind: ArgKind) -> str:
    """``kind`` in words, with its article, for messages."""
    return _KINDS[kind][1]
