"""Literal folding and neutral elements (docs/spec/passes_front.md §5.5, first paragraph)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from pypto_core import ir

_INT64_MAX = 2**63 - 1
_INT64_MIN = -(2**63)


class ArithError(ValueError):
    """A constant expression has no value (division by zero, negative exponent)."""


def _shift(fn: Callable[[int, int], int]) -> Callable[[int, int], int | None]:
    def shifted(a: int, b: int) -> int | None:
        return fn(a, b) if 0 <= b <= 63 else None

    return shifted


def _power(a: int, b: int) -> int:
    if b < 0:
        raise ArithError(f"Negative exponent {b} in an integer power")
    return int(a**b) if b < 4096 else (a if a in (0, 1) else 2**64)


_INT_VALUE: dict[type[ir.Expr], Callable[[int, int], Any]] = {
    ir.Add: operator.add,
    ir.Sub: operator.sub,
    ir.Mul: operator.mul,
    ir.FloorDiv: operator.floordiv,
    ir.FloorMod: operator.mod,
    ir.Pow: _power,
    ir.Min: min,
    ir.Max: max,
    ir.BitShiftLeft: _shift(operator.lshift),
    ir.BitShiftRight: _shift(operator.rshift),
    ir.BitAnd: operator.and_,
    ir.BitOr: operator.or_,
    ir.BitXor: operator.xor,
}
_COMPARE: dict[type[ir.Expr], Callable[[Any, Any], bool]] = {
    ir.Eq: operator.eq,
    ir.Ne: operator.ne,
    ir.Lt: operator.lt,
    ir.Le: operator.le,
    ir.Gt: operator.gt,
    ir.Ge: operator.ge,
}
_FLOAT_VALUE: dict[type[ir.Expr], Callable[[float, float], float]] = {
    ir.Add: operator.add,
    ir.Sub: operator.sub,
    ir.Mul: operator.mul,
    ir.Min: min,
    ir.Max: max,
}


def const_int(value: int, dtype: ir.DataType) -> ir.ConstInt:
    return ir.ConstInt(value, dtype)


def _is_int(expr: ir.Expr, value: int) -> bool:
    return type(expr) is ir.ConstInt and expr.value == value


def _zero_divisor(cls: type[ir.Expr], right: ir.Expr) -> None:
    if _is_int(right, 0):
        if cls is ir.FloorDiv:
            raise ArithError("Floor division by zero")
        if cls is ir.FloorMod:
            raise ArithError("Floor modulo by zero")


def _fold_ints(cls: type[ir.Expr], a: int, b: int, dtype: ir.DataType) -> ir.Expr | None:
    compare = _COMPARE.get(cls)
    if compare is not None:
        return ir.ConstBool(compare(a, b))
    compute = _INT_VALUE.get(cls)
    if compute is None:
        return None
    value = compute(a, b)
    if value is None or not _INT64_MIN <= value <= _INT64_MAX:
        return None
    return const_int(value, dtype)


def _fold_floats(cls: type[ir.Expr], a: float, b: float, dtype: ir.DataType) -> ir.Expr | None:
    compare = _COMPARE.get(cls)
    if compare is not None:
        return ir.ConstBool(compare(a, b))
    if cls is ir.FloatDiv:
        return ir.ConstFloat(a / b, dtype) if b != 0 else None
    compute = _FLOAT_VALUE.get(cls)
    return ir.ConstFloat(compute(a, b), dtype) if compute is not None else None


def _neutral(cls: type[ir.Expr], left: ir.Expr, right: ir.Expr) -> ir.Expr | None:
    """``x+0``, ``1*x`` and their relatives; the surviving operand is returned as it is."""
    if cls is ir.Add:
        if _is_int(left, 0):
            return right
        return left if _is_int(right, 0) else None
    if cls is ir.Sub:
        return left if _is_int(right, 0) else None
    if cls is ir.Mul:
        if _is_int(left, 1):
            return right
        if _is_int(right, 1):
            return left
        if _is_int(left, 0):
            return left
        return right if _is_int(right, 0) else None
    if cls is ir.FloorDiv:
        return left if _is_int(right, 1) else None
    if cls is ir.FloorMod:
        return const_int(0, _dtype(left)) if _is_int(right, 1) else None
    if cls is ir.FloatDiv:
        one = type(right) is ir.ConstFloat and right.value == 1.0
        return left if one else None
    if cls is ir.Pow:
        if _is_int(right, 0):
            return const_int(1, _dtype(left))
        if _is_int(right, 1):
            return left
        return left if _is_int(left, 1) else None
    if cls is ir.Min or cls is ir.Max:
        return left if left is right else None
    return None


def _dtype(expr: ir.Expr) -> ir.DataType:
    type_ = expr.type
    return type_.dtype if isinstance(type_, ir.ScalarType) else ir.DataType.INDEX


def _fold_logic(cls: type[ir.Expr], left: ir.Expr, right: ir.Expr) -> ir.Expr | None:
    left_const = left if type(left) is ir.ConstBool else None
    right_const = right if type(right) is ir.ConstBool else None
    if cls is ir.Xor:
        if left_const is not None and right_const is not None:
            return ir.ConstBool(bool(left_const.value) != bool(right_const.value))
        return None
    absorbing = cls is ir.Or
    for const, other in ((left_const, right), (right_const, left)):
        if const is not None:
            return const if bool(const.value) == absorbing else other
    return None


def fold_binary(
    cls: type[ir.BinaryExpr], left: ir.Expr, right: ir.Expr, dtype: ir.DataType
) -> ir.Expr | None:
    """Value of ``cls(left, right)`` when literals or neutral elements decide it, else None.

    ``dtype`` is the dtype of the node. Raises :class:`ArithError` for a literal zero divisor.
    """
    if cls is ir.And or cls is ir.Or or cls is ir.Xor:
        return _fold_logic(cls, left, right)
    _zero_divisor(cls, right)
    left_kind, right_kind = type(left), type(right)
    if left_kind is ir.ConstInt and right_kind is ir.ConstInt:
        folded = _fold_ints(cls, left.value, right.value, dtype)  # type: ignore[attr-defined]
        if folded is not None:
            return folded
    elif left_kind is ir.ConstFloat and right_kind is ir.ConstFloat:
        return _fold_floats(cls, left.value, right.value, dtype)  # type: ignore[attr-defined]
    return _neutral(cls, left, right)


def fold_unary(cls: type[ir.UnaryExpr], operand: ir.Expr, dtype: ir.DataType) -> ir.Expr | None:
    """Literal value of ``cls(operand)``, else None. A cast is never folded."""
    kind = type(operand)
    if cls is ir.Not:
        return ir.ConstBool(not operand.value) if kind is ir.ConstBool else None  # type: ignore[attr-defined]
    if kind is ir.ConstInt:
        value: int = operand.value  # type: ignore[attr-defined]
        if cls is ir.Neg:
            return const_int(-value, dtype) if value != _INT64_MIN else None
        if cls is ir.Abs:
            return const_int(abs(value), dtype) if value != _INT64_MIN else None
        if cls is ir.BitNot:
            return const_int(~value, dtype)
    if kind is ir.ConstFloat:
        real: float = operand.value  # type: ignore[attr-defined]
        if cls is ir.Neg:
            return ir.ConstFloat(-real, dtype)
        if cls is ir.Abs:
            return ir.ConstFloat(abs(real), dtype)
    return None
