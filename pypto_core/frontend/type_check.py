"""Comparing types: annotations against inferred types, rebinding (docs/spec/language.md §3.2, §4.2)."""

from __future__ import annotations

import ast
from typing import Any

from pypto_core.arith import Analyzer
from pypto_core.frontend.annotations import Annotation
from pypto_core.frontend.context import FunctionContext
from pypto_core.frontend.wording import type_text
from pypto_core.ir import (
    UNKNOWN,
    ArrayType,
    Call,
    ConstInt,
    DataType,
    DistributedTensorType,
    ErrorType,
    Expr,
    PadValue,
    ScalarType,
    TensorType,
    TileType,
    TupleType,
    Type,
    const_dim,
    dim_equal,
    effective_tile_view,
)

_FLATTENING = ("tile.load", "tile.create")


def check_annotation(ctx: FunctionContext, node: ast.AnnAssign, annotation: Annotation, value: Expr) -> Type:
    """Type of a variable that is annotated: checks kind, dtype, rank and constant dims, then combines both."""
    written, inferred = annotation.type, value.type
    if annotation.free:
        return inferred if inferred is not UNKNOWN else written
    if inferred is UNKNOWN or isinstance(inferred, ErrorType) or _holds_unknown(inferred):
        return written
    name = ctx.text(node.target)
    if _kind(written) != _kind(inferred):
        ctx.fail(
            "annotation-kind",
            f"'{name}' is annotated {type_text(written)}, but its value is {type_text(inferred)}",
            node.annotation,
            inferred=type_text(inferred),
        )
    _check_dtype(ctx, node, name, written, inferred)
    if isinstance(written, TensorType | TileType) and isinstance(inferred, TensorType | TileType):
        return _shaped(ctx, node, annotation, inferred, value)
    if isinstance(written, ScalarType) and isinstance(inferred, ScalarType):
        return written if inferred.dtype is DataType.INDEX else inferred
    return inferred


def _holds_unknown(type_: Type) -> bool:
    return isinstance(type_, TupleType) and any(t is UNKNOWN or isinstance(t, ErrorType) for t in type_.types)


def _kind(type_: Type) -> str:
    for cls, kind in (
        (TileType, "tile"),
        (DistributedTensorType, "distributed"),
        (TensorType, "tensor"),
        (ScalarType, "scalar"),
        (ArrayType, "array"),
        (TupleType, "tuple"),
    ):
        if isinstance(type_, cls):
            return kind
    return getattr(type_, "printed", type(type_).__name__)


def _check_dtype(ctx: FunctionContext, node: ast.AnnAssign, name: str, written: Type, inferred: Type) -> None:
    a, b = getattr(written, "dtype", None), getattr(inferred, "dtype", None)
    if a is None or b is None or a is b:
        return
    if (a is DataType.INDEX and b.is_int) or (b is DataType.INDEX and a.is_int):
        return
    ctx.fail(
        "annotation-dtype",
        f"'{name}' is annotated {a.text}, but its value is {b.text} ({type_text(inferred)})",
        node.annotation,
        inferred=type_text(inferred),
    )


def _shaped(
    ctx: FunctionContext,
    node: ast.AnnAssign,
    annotation: Annotation,
    inferred: TensorType | TileType,
    value: Expr,
) -> Type:
    written: Any = annotation.type
    name = ctx.text(node.target)
    if len(written.shape) != len(inferred.shape):
        flattens = (
            isinstance(value, Call)
            and value.op.name in _FLATTENING
            and len(written.shape) <= 2 < len(inferred.shape)
        )
        if not flattens:
            ctx.fail(
                "annotation-rank",
                f"'{name}' is annotated with rank {len(written.shape)}, but its value has rank "
                f"{len(inferred.shape)} ({type_text(inferred)})",
                node.annotation,
                inferred=type_text(inferred),
            )
    else:
        for axis, (a, b) in enumerate(zip(written.shape, inferred.shape)):
            x, y = const_dim(a), const_dim(b)
            if x is not None and y is not None and x != y:
                ctx.fail(
                    "annotation-dim",
                    f"'{name}' is annotated {x} in axis {axis}, but its value has {y} ({type_text(inferred)})",
                    node.annotation,
                    axis=axis,
                    inferred=type_text(inferred),
                )
    if isinstance(inferred, TensorType):
        has_parts = written.memref is not None or annotation.wrote_view
        return written if has_parts else inferred
    return TileType(
        written.shape,
        written.dtype,
        written.memref if written.memref is not None else inferred.memref,
        written.tile_view if annotation.wrote_view else _carried_view(written, inferred),
        written.memory_space if written.memory_space is not None else inferred.memory_space,
    )


def _carried_view(written: Any, inferred: TileType) -> Any:
    """The inferred view, when it fits the written shape."""
    return inferred.tile_view if len(written.shape) == len(inferred.shape) else None


def same_type(left: Type, right: Type) -> bool:
    """Whether a name of one type may be rebound to a value of the other: default views are filled in, symbolic
    dimensions compared after simplification; unknown types fit everything."""
    if left is right or _open(left) or _open(right):
        return True
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        return len(left.types) == len(right.types) and all(map(same_type, left.types, right.types))
    if type(left) is not type(right):
        return False
    if isinstance(left, ScalarType) and isinstance(right, ScalarType):
        return left.dtype is right.dtype
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return left.dtype is right.dtype and same_dim(left.extent, right.extent)
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return (
            left.dtype is right.dtype
            and same_dims(left.shape, right.shape)
            and _same_tensor_view(left, right)
        )
    if isinstance(left, TileType) and isinstance(right, TileType):
        return _same_tile(left, right)
    return left is right


def merges(left: Type, right: Type) -> bool:
    """Whether two branches may yield values of these types under one name: what TypeCheck refuses later
    (``docs/spec/verifiers.md`` §3). A layout counts only where both tiles state one."""
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        return len(left.types) == len(right.types) and all(map(merges, left.types, right.types))
    if isinstance(left, TensorType) and isinstance(right, TensorType) and type(left) is type(right):
        return _same_box(left, right) and _pad_of(left) is _pad_of(right)
    if (
        isinstance(left, TileType)
        and isinstance(right, TileType)
        and None in (left.tile_view, right.tile_view)
    ):
        return _same_box(left, right) and not _other_space(left, right)
    return same_type(left, right)


def _same_box(left: TensorType | TileType, right: TensorType | TileType) -> bool:
    return (
        left.dtype is right.dtype
        and same_dims(left.shape, right.shape)
        and same_dims(left.valid_shape, right.valid_shape)
    )


def _pad_of(type_: TensorType) -> PadValue:
    return type_.tensor_view.pad if type_.tensor_view is not None else PadValue.null


def _other_space(left: TileType, right: TileType) -> bool:
    return left.memory_space is not right.memory_space and None not in (left.memory_space, right.memory_space)


def _open(type_: Type) -> bool:
    return type_ is UNKNOWN or isinstance(type_, ErrorType)


def _same_tensor_view(left: TensorType, right: TensorType) -> bool:
    a, b = left.tensor_view, right.tensor_view
    if a is None and b is None:
        return True
    if a is None or b is None:
        return False
    return (
        a.layout is b.layout
        and a.pad is b.pad
        and same_dims(a.stride, b.stride)
        and same_dims(left.valid_shape, right.valid_shape)
    )


def _same_tile(left: TileType, right: TileType) -> bool:
    if left.dtype is not right.dtype or not same_dims(left.shape, right.shape):
        return False
    if _other_space(left, right):
        return False
    a, b = effective_tile_view(left), effective_tile_view(right)
    return (
        same_dims(a.valid_shape, b.valid_shape)
        and same_dims(a.stride, b.stride)
        and (a.blayout, a.slayout, a.fractal, a.pad, a.compact)
        == (b.blayout, b.slayout, b.fractal, b.pad, b.compact)
    )


def same_dims(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> bool:
    return len(left) == len(right) and all(map(same_dim, left, right))


def same_dim(left: Expr, right: Expr) -> bool:
    """Equal as dimensions, if need be after simplification."""
    if dim_equal(left, right):
        return True
    if isinstance(left, ConstInt) and isinstance(right, ConstInt):
        return False
    analyzer = Analyzer()
    return dim_equal(analyzer.simplify(left), analyzer.simplify(right))
