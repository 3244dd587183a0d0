"""Construction rules of scalar expressions (docs/spec/ir.md §1.6): promotion, casts, result types."""

from __future__ import annotations

from pypto_core.ir.basic_types import ScalarType
from pypto_core.ir.dtype import DataType
from pypto_core.ir.expr import (
    BINARY_CLASSES,
    UNARY_CLASSES,
    And,
    BinaryExpr,
    Cast,
    ConstBool,
    ConstFloat,
    ConstInt,
    Mul,
    Not,
    Or,
    UnaryExpr,
)
from pypto_core.ir.node import Expr
from pypto_core.ir.span import UNKNOWN_SPAN, Span

_BINARY = {c.tag: c for c in BINARY_CLASSES}
_UNARY = {c.tag: c for c in UNARY_CLASSES}
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_BITWISE = frozenset({"bit_and", "bit_or", "bit_xor", "bit_shift_left", "bit_shift_right"})
_LOGICAL = frozenset({"and", "or", "xor"})


class ScalarTypeError(TypeError):
    """Operands of a scalar operator do not fit; the message names the operator's tag."""


def as_expr(value: Expr | int | float | bool, span: Span = UNKNOWN_SPAN) -> Expr:
    """A Python number as a constant: int INDEX, float FP32, bool BOOL; expressions pass through."""
    if isinstance(value, bool):
        return ConstBool(value, span=span)
    if isinstance(value, int):
        return ConstInt(value, DataType.INDEX, span=span)
    if isinstance(value, float):
        return ConstFloat(value, DataType.FP32, span=span)
    return value


def scalar_dtype(expr: Expr) -> DataType | None:
    """The dtype of a scalar expression, None for anything else."""
    kind = expr.type
    return kind.dtype if isinstance(kind, ScalarType) else None


def promote(tag: str, left: DataType, right: DataType) -> DataType:
    """The common dtype of two operands: the wider one, the left one when equally wide.

    Raises :class:`ScalarTypeError` for BOOL operands, mixed float/int operands and bitwise operations on floats.
    """
    for dtype in (left, right):
        if dtype is DataType.BOOL:
            raise ScalarTypeError(f"Operator '{tag}' does not accept bool dtype")
        if not (dtype.is_int or dtype.is_float):
            raise ScalarTypeError(f"Operator '{tag}' does not accept {dtype.text} dtype")
    if tag in _BITWISE:
        for dtype in (left, right):
            if not dtype.is_int:
                raise ScalarTypeError(f"Operator '{tag}' requires integer dtype, got {dtype.text}")
    if left.is_float is not right.is_float:
        raise ScalarTypeError(
            f"Operator '{tag}' requires same numeric dtype category, got {left.text} and {right.text}"
        )
    return right if right.bits > left.bits else left


def cast_operand(operand: Expr, dtype: DataType) -> Expr:
    """``operand`` in ``dtype``: wrapped in a Cast unless equal or between INDEX and INT64."""
    have = scalar_dtype(operand)
    if have is dtype or (have in _INDEX_64 and dtype in _INDEX_64):
        return operand
    return Cast(operand, dtype, span=operand.span)


_INDEX_64 = frozenset({DataType.INDEX, DataType.INT64})


def make_binary(
    tag: str, left: Expr | int | float, right: Expr | int | float, span: Span = UNKNOWN_SPAN
) -> BinaryExpr:
    """``left <tag> right`` with promotion; tags as in ir.md §1.6 (``add``, ``floordiv``, ``min``, ``and`` ...)."""
    a, b = as_expr(left, span), as_expr(right, span)
    cls = _BINARY[tag]
    if tag in _LOGICAL:
        return cls(a, b, DataType.BOOL, span=span)
    left_dtype, right_dtype = scalar_dtype(a), scalar_dtype(b)
    if left_dtype is None or right_dtype is None:
        raise ScalarTypeError(f"Operator '{tag}' requires scalar operands")
    dtype = promote(tag, left_dtype, right_dtype)
    result = DataType.BOOL if tag in _COMPARISONS else dtype
    return cls(cast_operand(a, dtype), cast_operand(b, dtype), result, span=span)


def make_unary(tag: str, operand: Expr | int | float, span: Span = UNKNOWN_SPAN) -> UnaryExpr:
    """``<tag> operand``: ``neg``, ``bit_not``, ``abs`` keep the dtype, ``not`` gives BOOL."""
    value = as_expr(operand, span)
    cls = _UNARY[tag]
    if tag == "not":
        return cls(value, DataType.BOOL, span=span)
    dtype = scalar_dtype(value)
    if dtype is None:
        raise ScalarTypeError(f"Operator '{tag}' requires a scalar operand")
    if dtype is DataType.BOOL:
        raise ScalarTypeError(f"Operator '{tag}' does not accept bool dtype")
    if tag == "bit_not" and not dtype.is_int:
        raise ScalarTypeError(f"Operator 'bit_not' requires integer dtype, got {dtype.text}")
    return cls(value, dtype, span=span)


def make_cast(operand: Expr, dtype: DataType, span: Span = UNKNOWN_SPAN) -> Expr:
    """``pl.cast(operand, dtype)`` on a scalar."""
    return Cast(operand, dtype, span=span)


def make_and(left: Expr, right: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """``left and right``, of dtype BOOL."""
    return And(left, right, DataType.BOOL, span=span)


def make_or(left: Expr, right: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """``left or right``, of dtype BOOL."""
    return Or(left, right, DataType.BOOL, span=span)


def make_not(operand: Expr, span: Span = UNKNOWN_SPAN) -> Expr:
    """``not operand``, of dtype BOOL."""
    return Not(operand, DataType.BOOL, span=span)


def fold_mul(left: Expr, right: Expr) -> Expr:
    """Product of two extents; constants are multiplied, a factor 1 disappears."""
    if isinstance(left, ConstInt):
        if isinstance(right, ConstInt):
            return ConstInt(left.value * right.value)
        if left.value == 1:
            return right
    if isinstance(right, ConstInt) and right.value == 1:
        return left
    return Mul(left, right, DataType.INDEX)
