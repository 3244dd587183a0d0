"""Types in the words of messages: the spelling of the language, without what the author did not write."""

from __future__ import annotations

from enum import Enum

from pypto_core.ir import (
    UNKNOWN,
    ArrayType,
    ConstInt,
    DistributedTensorType,
    ErrorType,
    Expr,
    FunctionType,
    ScalarType,
    SingletonType,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
    print_ir,
)


def contradiction(function: str, func_type: FunctionType, what: str, implied: Enum, given: Enum) -> str:
    """A level or role that its function's type denies (docs/spec/language.md §1.1); ``what`` is ``level`` or ``role``."""
    return (
        f"Function '{function}' has func_type={func_type.name} which implies {what}={implied.name}, "
        f"but explicit {what}={given.name} was provided"
    )


def type_text(type_: Type) -> str:
    """``pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]``."""
    if isinstance(type_, ScalarType):
        return f"pl.Scalar[pl.{type_.dtype.printed}]"
    if isinstance(type_, TileType):
        space = f", pl.Mem.{type_.memory_space.name}" if type_.memory_space is not None else ""
        return f"pl.Tile[{dims_text(type_.shape)}, pl.{type_.dtype.printed}{space}]"
    if isinstance(type_, DistributedTensorType):
        return f"pld.DistributedTensor[{dims_text(type_.shape)}, pl.{type_.dtype.printed}]"
    if isinstance(type_, TensorType):
        return f"pl.Tensor[{dims_text(type_.shape)}, pl.{type_.dtype.printed}]"
    if isinstance(type_, ArrayType):
        return f"pl.Array[{dim_text(type_.extent)}, pl.{type_.dtype.printed}]"
    if isinstance(type_, TupleType):
        return f"pl.Tuple[{', '.join(type_text(t) for t in type_.types)}]"
    if type_ is UNKNOWN or isinstance(type_, ErrorType):
        return "of unknown type"
    if isinstance(type_, SingletonType):
        return type_.printed
    return type(type_).__name__


def type_texts(first: Type, second: Type) -> tuple[str, str]:
    """Two types that differ, with their views where nothing else tells them apart."""
    words = type_text(first), type_text(second)
    return words if words[0] != words[1] else (print_ir(first), print_ir(second))


def dims_text(dims: tuple[Expr, ...]) -> str:
    return f"[{', '.join(dim_text(d) for d in dims)}]"


def dim_text(dim: Expr) -> str:
    if isinstance(dim, ConstInt):
        return str(dim.value)
    if isinstance(dim, Var):
        return dim.name_hint
    return print_ir(dim)
