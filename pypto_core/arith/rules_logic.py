"""Rules for comparisons and logic, in order of trial (docs/spec/passes_front.md §5.5)."""

from __future__ import annotations

from pypto_core.arith.pattern import Rule, rule, rules

EQ: tuple[Rule, ...] = (
    rule("x == x", "True"),
    *rules("x + y == x + z | y + x == x + z | x + y == z + x | y + x == z + x", "y == z"),
    rule("x - c1 == c2", "x == c1 + c2"),
    rule("x + c1 == c2", "x == c2 - c1"),
    rule("c1 - x == c2", "x == c1 - c2"),
    rule("c == x", "x == c"),
)

NE: tuple[Rule, ...] = (
    rule("x != x", "False"),
    *rules("x + y != x + z | y + x != x + z | x + y != z + x | y + x != z + x", "y != z"),
    rule("x - c1 != c2", "x != c1 + c2"),
    rule("x + c1 != c2", "x != c2 - c1"),
    rule("c != x", "x != c"),
)

LT: tuple[Rule, ...] = (
    rule("x < x", "False"),
    *rules("x + y < x + z | y + x < x + z | x + y < z + x | y + x < z + x", "y < z"),
    rule("y - x < z - x", "y < z"),
    rule("x - y < x - z", "z < y"),
    *rules("x < x + z | x < z + x", "0 < z"),
    rule("x < x - z", "z < 0"),
    rule("x + c1 < c2", "x < c2 - c1"),
    rule("x - c1 < c2", "x < c2 + c1"),
    *rules("c1 - x < c2 | c1 < x + c2", "c1 - c2 < x"),
    rule("c1 < x - c2", "c1 + c2 < x"),
    rule("x * c < y * c", "x < y", lambda c: c > 0),
    rule("x * c < y * c", "y < x", lambda c: c < 0),
    rule("x // c1 < c2", "x < c1 * c2", lambda c1: c1 > 0),
    rule("c1 < x // c2", "(c1 + 1) * c2 - 1 < x", lambda c2: c2 > 0),
    rule("(x // c) * c < x", "0 < x % c", lambda c: c > 0),
    rule("(x // c) * c < x + y", "0 < x % c + y", lambda c: c > 0),
    rule("(x // c) * c < x - y", "y < x % c", lambda c: c > 0),
    rule("min(x, y) < z", "x < z or y < z"),
    rule("max(x, y) < z", "x < z and y < z"),
    rule("z < min(x, y)", "z < x and z < y"),
    rule("z < max(x, y)", "z < x or z < y"),
)

LE: tuple[Rule, ...] = (
    rule("x <= x", "True"),
    *rules("x + y <= x + z | y + x <= x + z | x + y <= z + x | y + x <= z + x", "y <= z"),
    rule("y - x <= z - x", "y <= z"),
    rule("x - y <= x - z", "z <= y"),
    rule("x + c1 <= c2", "x <= c2 - c1"),
    rule("x - c1 <= c2", "x <= c2 + c1"),
    *rules("c1 - x <= c2 | c1 <= x + c2", "c1 - c2 <= x"),
    rule("c1 <= x - c2", "c1 + c2 <= x"),
    rule("x * c <= y * c", "x <= y", lambda c: c > 0),
    rule("x * c <= y * c", "y <= x", lambda c: c < 0),
)

GT: tuple[Rule, ...] = (rule("x > y", "y < x"),)
GE: tuple[Rule, ...] = (rule("x >= y", "y <= x"),)

NOT: tuple[Rule, ...] = (
    rule("not (not x)", "x"),
    rule("not (x < y)", "y <= x"),
    rule("not (x <= y)", "y < x"),
    rule("not (x > y)", "x <= y"),
    rule("not (x >= y)", "x < y"),
    rule("not (x == y)", "x != y"),
    rule("not (x != y)", "x == y"),
    rule("not (x and y)", "(not x) or (not y)"),
    rule("not (x or y)", "(not x) and (not y)"),
)

AND: tuple[Rule, ...] = (
    rule("x and x", "x"),
    *rules("x and (not x) | (not x) and x", "False"),
    *rules("(x == y) and (x != y) | (x != y) and (x == y)", "False"),
    *rules("(x <= y) and (y < x) | (y < x) and (x <= y)", "False"),
    *rules("(x < c1) and (c2 < x) | (c2 < x) and (x < c1)", "False", lambda c1, c2: c2 + 1 >= c1),
    *rules("(x <= c1) and (c2 <= x) | (c2 <= x) and (x <= c1)", "False", lambda c1, c2: c2 > c1),
    rule("x and (y and z)", "(x and y) and z"),
)

OR: tuple[Rule, ...] = (
    rule("x or x", "x"),
    *rules("x or (not x) | (not x) or x", "True"),
    *rules("(x == y) or (x != y) | (x != y) or (x == y)", "True"),
    *rules("(x <= y) or (y < x) | (y < x) or (x <= y)", "True"),
    *rules("(x < y) or (y < x)", "x != y"),
    *rules("(x < y) or (x == y) | (x == y) or (x < y)", "x <= y"),
    *rules("(x < c1) or (c2 < x) | (c2 < x) or (x < c1)", "True", lambda c1, c2: c2 < c1),
    *rules("(x <= c1) or (c2 <= x) | (c2 <= x) or (x <= c1)", "True", lambda c1, c2: c2 <= c1 + 1),
    rule("x or (y or z)", "(x or y) or z"),
)

NEG: tuple[Rule, ...] = (
    rule("-(-x)", "x"),
    rule("-(x - y)", "y - x"),
)
