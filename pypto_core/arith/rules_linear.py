"""Rules for sums, differences and products, in order of trial (docs/spec/passes_front.md §5.5)."""

from __future__ import annotations

from pypto_core.arith.pattern import Rule, rule, rules


def _nonzero(c: int) -> bool:
    return c != 0


ADD: tuple[Rule, ...] = (
    *rules("(x + c1) + c2 | (c1 + x) + c2", "x + (c1 + c2)"),
    rule("(x - y) + y", "x"),
    rule("x + (y - x)", "y"),
    rule("(x - y) + (y - z)", "x - z"),
    rule("(x - y) + (z - x)", "z - y"),
    rule("x + x", "x * 2"),
    *rules("x * y + x | x + x * y", "(y + 1) * x"),
    *rules("x * y + x * z | y * x + x * z | x * y + z * x | y * x + z * x", "(y + z) * x"),
    *rules(
        "(x // y) * y + x % y | y * (x // y) + x % y | x % y + (x // y) * y | x % y + y * (x // y)",
        "x",
    ),
    rule("min(x, y - z) + z", "min(x + z, y)"),
    rule("min(x - z, y) + z", "min(x, y + z)"),
    rule("z + min(x, y - z)", "min(x + z, y)"),
    rule("max(x, y - z) + z", "max(x + z, y)"),
    rule("max(x - z, y) + z", "max(x, y + z)"),
    rule("z + max(x, y - z)", "max(x + z, y)"),
    *rules(
        "max(x, y) + min(x, y) | min(x, y) + max(x, y) | max(x, y) + min(y, x) | min(x, y) + max(y, x)",
        "x + y",
    ),
    rule("c + x", "x + c"),
    *rules("x + (c - y) | (c - y) + x", "(x - y) + c"),
    rule("(x + c) + y", "(x + y) + c"),
)

SUB: tuple[Rule, ...] = (
    rule("x - x", "0"),
    rule("(x + y) - y", "x"),
    rule("(x + y) - x", "y"),
    *rules("x - (x + y) | x - (y + x)", "-y"),
    *rules("(x + c1) - c2 | (c1 + x) - c2", "x + (c1 - c2)"),
    rule("c1 - (c2 - x)", "x + (c1 - c2)"),
    *rules("c1 - (x + c2) | c1 - (c2 + x)", "(c1 - c2) - x"),
    rule("(c1 - x) - (c2 - y)", "(y - x) + (c1 - c2)"),
    rule("(x - y) - (x - z)", "z - y"),
    *rules("(x + y) - (x + z) | (y + x) - (x + z) | (x + y) - (z + x) | (y + x) - (z + x)", "y - z"),
    rule("x * y - x", "(y - 1) * x"),
    rule("x - x * y", "(1 - y) * x"),
    *rules("x * y - x * z | y * x - x * z | x * y - z * x | y * x - z * x", "(y - z) * x"),
    *rules("x - (x // c) * c | x - c * (x // c)", "x % c", _nonzero),
    rule("(x // c) * c - x", "0 - x % c", _nonzero),
    rule("x - ((x + y) // c) * c", "(x + y) % c - y", _nonzero),
    rule("((x + y) // c) * c - x", "y - (x + y) % c", _nonzero),
    rule("x - ((x - y) // c) * c", "(x - y) % c + y", _nonzero),
    rule("((x - y) // c) * c - x", "(0 - (x - y) % c) - y", _nonzero),
    rule("min(x, y) - x", "min(0, y - x)"),
    rule("min(x, y) - y", "min(x - y, 0)"),
    rule("max(x, y) - x", "max(0, y - x)"),
    rule("max(x, y) - y", "max(x - y, 0)"),
    rule("x - min(x, y)", "max(0, x - y)"),
    rule("x - max(x, y)", "min(0, x - y)"),
    *rules("min(x + y, z) - x | min(y + x, z) - x", "min(y, z - x)"),
    *rules("min(z, x + y) - x | min(z, y + x) - x", "min(z - x, y)"),
    *rules("max(x + y, z) - x | max(y + x, z) - x", "max(y, z - x)"),
    *rules("max(z, x + y) - x | max(z, y + x) - x", "max(z - x, y)"),
    *rules("x - min(x + y, z) | x - min(y + x, z)", "max(0 - y, x - z)"),
    *rules("x - min(z, x + y) | x - min(z, y + x)", "max(x - z, 0 - y)"),
    *rules("x - max(x + y, z) | x - max(y + x, z)", "min(0 - y, x - z)"),
    *rules("x - max(z, x + y) | x - max(z, y + x)", "min(x - z, 0 - y)"),
    rule("min(x, y) - min(y, x)", "0"),
    rule("max(x, y) - max(y, x)", "0"),
    rule("x - (y + c)", "(x - y) + (0 - c)"),
    rule("(x + c) - y", "(x - y) + c"),
    rule("x - (y - z)", "(x + z) - y"),
)

MUL: tuple[Rule, ...] = (
    *rules("(x * c1) * c2 | (c1 * x) * c2", "x * (c1 * c2)"),
    *rules(
        "min(x, y) * max(x, y) | max(x, y) * min(x, y) | min(x, y) * max(y, x) | max(x, y) * min(y, x)",
        "x * y",
    ),
    rule("c * x", "x * c"),
    rule("x * (c * y)", "(x * y) * c"),
    rule("(x + c1) * c2", "x * c2 + c1 * c2"),
    rule("(x - y) * c", "(y - x) * (0 - c)", lambda c: c < 0),
)
