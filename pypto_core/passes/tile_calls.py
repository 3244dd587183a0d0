"""Building and rebuilding calls inside passes: types are deduced again, keywords and attributes kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pypto_core.arith import fold_binary
from pypto_core.diagnostics import error
from pypto_core.ir import (
    Add,
    AssignStmt,
    BinaryExpr,
    Call,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    Mul,
    ScalarType,
    Span,
    TileType,
    Type,
    Var,
    make_binary,
    structural_equal,
)
from pypto_core.ops import OpError, create_op_call, read_op_call
from pypto_core.passes.base import PassError

INDEX_TYPE = ScalarType.of(DataType.INDEX)


def reject(code: str, message: str, span: Span, **data: Any) -> NoReturn:
    """Raise the :class:`PassError` of an input that this pass cannot lower."""
    raise PassError(error(code, message, span, data=data))


def new_call(
    name: str,
    *args: Expr,
    span: Span,
    kwargs: Mapping[str, Any] | None = None,
    attrs: Mapping[str, Any] | None = None,
) -> Call:
    """A call that the pass makes; its keywords go into the declared order."""
    try:
        return create_op_call(name, args, kwargs, attrs=attrs, span=span)
    except OpError as fault:
        raise PassError(fault.diagnostic) from fault


def rebuild_call(call: Call, args: Sequence[Expr], kwargs: Mapping[str, Any] | None = None) -> Call:
    """``call`` with other arguments (and keywords) and its type deduced again; ``call`` itself if nothing differs."""
    # Expressions are equal only to themselves.
    if kwargs is None and (args is call.args or tuple(args) == call.args):
        return call
    try:
        return read_op_call(
            call.name,
            tuple(args),
            call.kwargs if kwargs is None else kwargs,
            attrs=call.attrs,
            span=call.span,
        )
    except OpError as fault:
        raise PassError(fault.diagnostic) from fault


def index(value: int) -> ConstInt:
    """An INDEX constant."""
    return ConstInt(value, DataType.INDEX)


def tuple_of(*elements: int | Expr) -> MakeTuple:
    """A literal tuple; Python ints become INDEX constants."""
    return MakeTuple(tuple(index(e) if isinstance(e, int) else e for e in elements))


def define(name: str, call: Expr) -> AssignStmt:
    """``name = call`` with the call's type and span."""
    return AssignStmt(Var(name, call.type, span=call.span), call, span=call.span)


def same_type(left: Type, right: Type) -> bool:
    """Structural equality of types, memrefs not counted."""
    return left is right or structural_equal(left, right)


def keep_memref(kind: Type, declared: Type) -> Type:
    """``kind`` in the allocation that the author declared for the variable of type ``declared``, if any."""
    if type(kind) is TileType and type(declared) is TileType and declared.memref is not None:
        space = kind.memory_space if kind.memory_space is not None else declared.memory_space
        return TileType(kind.shape, kind.dtype, declared.memref, kind.tile_view, space)
    return kind


def retyped(var: Var, kind: Type) -> Var:
    """``var`` with type ``kind``; the same variable when the type says the same."""
    return var if same_type(var.type, kind) else var.with_(type=kind)


def _fold(cls: type[BinaryExpr], left: Expr, right: Expr) -> Expr:
    kind = left.type
    dtype = kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX
    folded = fold_binary(cls, left, right, dtype)
    return make_binary(cls.tag, left, right) if folded is None else folded


def fold_add(left: Expr, right: Expr) -> Expr:
    """``left + right``; constants are added, a zero disappears."""
    return _fold(Add, left, right)


def fold_times(left: Expr, right: Expr) -> Expr:
    """``left * right``; constants are multiplied, a one disappears, a zero stays alone."""
    return _fold(Mul, left, right)
