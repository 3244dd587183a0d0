"""Typed construction of scalar nodes for rewrite results (docs/spec/ir.md §1.6, scalar construction rules)."""

from __future__ import annotations

from pypto_core import ir
from pypto_core.arith.fold import fold_binary, fold_unary

_LOGIC: frozenset[type[ir.Expr]] = frozenset((ir.And, ir.Or, ir.Xor))
_COMPARISONS: frozenset[type[ir.Expr]] = frozenset(ir.COMPARISON_CLASSES)
_INDEX_PAIR = frozenset((ir.DataType.INDEX, ir.DataType.INT64))


def dtype_of(expr: ir.Expr) -> ir.DataType | None:
    """dtype of a scalar expression, None for anything else."""
    type_ = expr.type
    return type_.dtype if isinstance(type_, ir.ScalarType) else None


def _promoted(left: ir.DataType, right: ir.DataType) -> ir.DataType:
    return right if right.bits > left.bits else left


def _converted(expr: ir.Expr, dtype: ir.DataType, span: ir.Span) -> ir.Expr:
    own = dtype_of(expr)
    if own is dtype or own is None or {own, dtype} <= _INDEX_PAIR:
        return expr
    return ir.Cast(expr, dtype, span=span)


def make_binary(cls: type[ir.BinaryExpr], left: ir.Expr, right: ir.Expr, span: ir.Span) -> ir.Expr:
    """``cls(left, right)`` with promoted operands; literals and neutral elements fold at once."""
    if cls in _LOGIC:
        folded = fold_binary(cls, left, right, ir.DataType.BOOL)
        return folded if folded is not None else cls(left, right, ir.DataType.BOOL, span=span)
    left_dtype, right_dtype = dtype_of(left), dtype_of(right)
    assert left_dtype is not None and right_dtype is not None
    operand_dtype = _promoted(left_dtype, right_dtype)
    dtype = ir.DataType.BOOL if cls in _COMPARISONS else operand_dtype
    folded = fold_binary(cls, left, right, dtype)
    if folded is not None:
        return folded
    return cls(
        _converted(left, operand_dtype, span), _converted(right, operand_dtype, span), dtype, span=span
    )


def make_unary(cls: type[ir.UnaryExpr], operand: ir.Expr, span: ir.Span) -> ir.Expr:
    """``cls(operand)``, folded when the operand is a literal."""
    dtype = ir.DataType.BOOL if cls is ir.Not else dtype_of(operand)
    assert dtype is not None
    folded = fold_unary(cls, operand, dtype)
    return folded if folded is not None else cls(operand, dtype, span=span)
