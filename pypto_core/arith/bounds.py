"""Constant intervals of scalar expressions (docs/spec/passes_front.md §5.6).

An interval is closed; an end is a Python int or an infinity. Values beyond 64 bits saturate to the infinity of
their sign, as the analysis of the compiler does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pypto_core import ir

INF = math.inf
_INT64_MAX = 2**63 - 1
_INT64_MIN = -(2**63)


class Interval(NamedTuple):
    """Closed interval ``[lo, hi]``; the ends are ints or ``±inf``."""

    lo: float
    hi: float

    @property
    def is_empty(self) -> bool:
        return self.lo > self.hi

    @property
    def excludes_zero(self) -> bool:
        """True when 0 is provably not a value."""
        return self.lo > 0 or self.hi < 0

    @property
    def is_nonnegative(self) -> bool:
        return self.lo >= 0

    def intersect(self, other: Interval) -> Interval:
        return Interval(max(self.lo, other.lo), min(self.hi, other.hi))


EVERYTHING = Interval(-INF, INF)
NON_NEGATIVE = Interval(0, INF)
BOOLEAN = Interval(0, 1)


def default_bound(type_: ir.Type) -> Interval:
    """What is known of a variable from its type alone: an INDEX is never negative, anything else is unknown."""
    if isinstance(type_, ir.ScalarType) and type_.dtype is ir.DataType.INDEX:
        return NON_NEGATIVE
    return EVERYTHING


def _saturate(value: float) -> float:
    if value > _INT64_MAX:
        return INF
    if value < _INT64_MIN:
        return -INF
    return value


def _interval(lo: float, hi: float) -> Interval:
    return Interval(_saturate(lo), _saturate(hi))


def _times(a: float, b: float) -> float:
    return 0 if a == 0 or b == 0 else a * b


def _floor_quotient(a: float, b: float) -> float:
    if math.isinf(b):
        if a == 0 or (a > 0) == (b > 0):
            return 0
        return -1 if not math.isinf(a) else -INF
    if math.isinf(a):
        return a if b > 0 else -a
    return a // b


def add(a: Interval, b: Interval) -> Interval:
    """Bounds of ``a + b``."""
    return _interval(a.lo + b.lo, a.hi + b.hi)


def sub(a: Interval, b: Interval) -> Interval:
    """Bounds of ``a - b``."""
    return _interval(a.lo - b.hi, a.hi - b.lo)


def mul(a: Interval, b: Interval) -> Interval:
    """Bounds of ``a * b``."""
    corners = [_times(x, y) for x in a for y in b]
    return _interval(min(corners), max(corners))


def floor_div(a: Interval, b: Interval) -> Interval:
    """Bounds of ``a // b``; everything where ``b`` may be 0."""
    if not b.excludes_zero:
        return EVERYTHING
    corners = [_floor_quotient(x, y) for x in a for y in b]
    return _interval(min(corners), max(corners))


def floor_mod(a: Interval, b: Interval) -> Interval:
    """Bounds of ``a % b``; everything where ``b`` may be 0 or negative."""
    if b.lo <= 0:
        return EVERYTHING
    if a.lo >= 0:
        return Interval(0, min(a.hi, b.hi - 1))
    return Interval(0, b.hi - 1)


def _min(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.lo, b.lo), min(a.hi, b.hi))


def _max(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.lo, b.lo), max(a.hi, b.hi))


def _pow(a: Interval, b: Interval) -> Interval:
    if b.lo != b.hi or math.isinf(b.lo) or b.lo < 0 or a.lo < 0:
        return EVERYTHING
    exponent = int(b.lo)
    if exponent > 64:
        return _interval(0 if a.lo == 0 else 1, INF if a.hi > 1 else a.hi)
    return _interval(a.lo**exponent, a.hi if math.isinf(a.hi) and exponent else a.hi**exponent)


def _bit_and(a: Interval, b: Interval) -> Interval:
    if a.lo < 0 or b.lo < 0:
        return EVERYTHING
    return Interval(0, min(a.hi, b.hi))


def _bit_or(a: Interval, b: Interval) -> Interval:
    if a.lo < 0 or b.lo < 0:
        return EVERYTHING
    top = max(a.hi, b.hi)
    return Interval(max(a.lo, b.lo), INF if math.isinf(top) else (1 << int(top).bit_length()) - 1)


def _shift_left(a: Interval, b: Interval) -> Interval:
    if a.lo < 0 or b.lo < 0 or b.hi >= 63:
        return EVERYTHING
    return _interval(_times(a.lo, 1 << int(b.lo)), _times(a.hi, 1 << int(b.hi)))


def _shift_right(a: Interval, b: Interval) -> Interval:
    if a.lo < 0 or b.lo < 0 or b.hi >= 63:
        return EVERYTHING
    return Interval(_floor_quotient(a.lo, 1 << int(b.hi)), _floor_quotient(a.hi, 1 << int(b.lo)))


_BINARY: dict[type[ir.Expr], Callable[[Interval, Interval], Interval]] = {
    ir.Add: add,
    ir.Sub: sub,
    ir.Mul: mul,
    ir.FloorDiv: floor_div,
    ir.FloorMod: floor_mod,
    ir.Min: _min,
    ir.Max: _max,
    ir.Pow: _pow,
    ir.BitAnd: _bit_and,
    ir.BitOr: _bit_or,
    ir.BitShiftLeft: _shift_left,
    ir.BitShiftRight: _shift_right,
}
_BOOLEAN_VALUED: frozenset[type[ir.Expr]] = frozenset(
    (ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.And, ir.Or, ir.Xor, ir.Not)
)


def _cast_range(dtype: ir.DataType) -> Interval:
    """Value range of a narrow integer type; 64-bit types (INDEX included) pass everything through."""
    if not dtype.is_int or dtype.bits >= 64:
        return EVERYTHING
    if dtype.is_unsigned_int:
        return Interval(0, 2**dtype.bits - 1)
    return Interval(-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1)


def bound_of(expr: ir.Expr, variables: Mapping[ir.Expr, Interval]) -> Interval:
    """Interval of ``expr`` where ``variables`` says more of a variable than its type does."""
    kind = type(expr)
    if kind is ir.ConstInt:
        assert isinstance(expr, ir.ConstInt)
        return Interval(expr.value, expr.value)
    if isinstance(expr, ir.Var):
        known = variables.get(expr)
        return known if known is not None else default_bound(expr.type)
    combine = _BINARY.get(kind)
    if combine is not None:
        assert isinstance(expr, ir.BinaryExpr)
        return combine(bound_of(expr.left, variables), bound_of(expr.right, variables))
    if kind is ir.ConstBool:
        assert isinstance(expr, ir.ConstBool)
        return Interval(int(expr.value), int(expr.value))
    if kind in _BOOLEAN_VALUED:
        return BOOLEAN
    if isinstance(expr, ir.UnaryExpr):
        inner = bound_of(expr.operand, variables)
        if kind is ir.Neg:
            return _interval(-inner.hi, -inner.lo)
        if kind is ir.Abs:
            if inner.lo >= 0:
                return inner
            return _interval(max(0, -inner.hi), max(abs(inner.lo), abs(inner.hi)))
        if kind is ir.Cast and expr.dtype.is_int:
            narrowed = inner.intersect(_cast_range(expr.dtype))
            return _cast_range(expr.dtype) if narrowed.is_empty else narrowed
    return EVERYTHING
