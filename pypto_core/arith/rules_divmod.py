"""Rules for floor division and modulo, in order of trial (docs/spec/passes_front.md §5.5)."""

from __future__ import annotations

from pypto_core.arith.bounds import Interval
from pypto_core.arith.pattern import Rule, rule, rules


def _divides(c1: int, c2: int) -> bool:
    return c2 > 0 and c1 % c2 == 0


def _x_nonzero(x: Interval) -> bool:
    return x.excludes_zero


def _y_nonzero(y: Interval) -> bool:
    return y.excludes_zero


def _below(c: int, x: Interval) -> bool:
    """``0 <= x < c`` by constant bounds."""
    return c > 0 and x.lo >= 0 and x.hi < c


FLOOR_DIV: tuple[Rule, ...] = (
    *rules("(x * c1) // c2 | (c1 * x) // c2", "x * (c1 // c2)", _divides),
    rule("(x * c1) // c2", "x // (c2 // c1)", lambda c1, c2: c1 > 0 and c2 % c1 == 0 and c2 // c1 > 0),
    rule("(x // c1) // c2", "x // (c1 * c2)", lambda c1, c2: c1 > 0 and c2 > 0),
    rule("(x // c1 + c2) // c3", "(x + c1 * c2) // (c1 * c3)", lambda c1, c3: c1 > 0 and c3 > 0),
    rule("x // x", "1", _x_nonzero),
    *rules("(x * c) // x | (c * x) // x", "c", _x_nonzero),
    *rules("(x + c1) // c2 | (c1 + x) // c2", "x // c2 + c1 // c2", _divides),
    *rules("(x * c1 + y) // c2 | (c1 * x + y) // c2", "x * (c1 // c2) + y // c2", _divides),
    *rules("(y + x * c1) // c2 | (y + c1 * x) // c2", "y // c2 + x * (c1 // c2)", _divides),
    rule("min(x * c1, y) // c2", "min(x * (c1 // c2), y // c2)", _divides),
    rule("min(y, x * c1) // c2", "min(y // c2, x * (c1 // c2))", _divides),
    rule("max(x * c1, y) // c2", "max(x * (c1 // c2), y // c2)", _divides),
    rule("max(y, x * c1) // c2", "max(y // c2, x * (c1 // c2))", _divides),
    rule("(x - x % c) // c", "x // c", lambda c: c != 0),
    *rules("(x * y) // y | (y * x) // y", "x", _y_nonzero),
    *rules("(x * z + y) // z | (z * x + y) // z", "x + y // z", lambda z: z.is_nonnegative),
    *rules("(y + x * z) // z | (y + z * x) // z", "y // z + x", lambda z: z.is_nonnegative),
    rule("x // c", "0", _below),
)

FLOOR_MOD: tuple[Rule, ...] = (
    *rules("(x * c1) % c2 | (c1 * x) % c2", "0", _divides),
    *rules("(x + c1) % c2 | (c1 + x) % c2", "x % c2", _divides),
    *rules(
        "(x * c1 + y) % c2 | (c1 * x + y) % c2 | (y + x * c1) % c2 | (y + c1 * x) % c2", "y % c2", _divides
    ),
    rule("(x * c1) % c2", "(x * (c1 % c2)) % c2", lambda c1, c2: c2 != 0 and c1 % c2 != c1),
    *rules("(x * y) % y | (y * x) % y", "0", _y_nonzero),
    rule("(x + y * c1) % c2", "(x + y * (c1 % c2)) % c2", lambda c1, c2: c2 > 0 and c1 % c2 != c1),
    rule("(x * c1) % (x * c2)", "x * (c1 % c2)", lambda x, c2: x.excludes_zero and c2 != 0),
    rule(
        "(x + c1) % c2",
        "(x + c1 % c2) % c2",
        lambda c1, c2: c2 > 0 and c1 % c2 != 0 and (c1 >= c2 or c1 < 0),
    ),
    rule("x % c", "x", _below),
)
