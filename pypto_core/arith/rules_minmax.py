"""Rules for min and max, in order of trial (docs/spec/passes_front.md §5.5). The list for max is the mirror of min's."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.arith.pattern import Condition, Rule, rule, rules


def _mirror(
    low: str, high: str, smaller: Callable[[int, int], bool], left_wins: Condition, right_wins: Condition
) -> tuple[Rule, ...]:
    """The rules of ``low`` (min or max), with ``high`` its opposite."""

    def text(pattern: str) -> str:
        return pattern.replace("LO(", f"{low}(").replace("HI(", f"{high}(")

    def one(pattern: str, result: str, condition: Condition | None = None) -> tuple[Rule, ...]:
        return rules(text(pattern), text(result), condition)

    return (
        *one("LO(x, x)", "x"),
        *one("LO(LO(x, c1), c2) | LO(c1, LO(x, c2))", "LO(x, LO(c1, c2))"),
        *one("LO(y - x, z - x)", "LO(y, z) - x"),
        *one("LO(x - y, x - z)", "x - HI(y, z)"),
        *one("LO(x + y, x + z) | LO(y + x, x + z) | LO(x + y, z + x) | LO(y + x, z + x)", "x + LO(y, z)"),
        *one("LO(x + c1, x + c2)", "x + LO(c1, c2)"),
        *one("LO(x + c, x) | LO(x, x + c)", "x + c", lambda c: smaller(c, 0)),
        *one("LO(x + c, x) | LO(x, x + c)", "x", lambda c: not smaller(c, 0)),
        *one("LO(c1 - x, c2 - x)", "LO(c1, c2) - x"),
        *one("LO(LO(x, y), x) | LO(LO(x, y), y) | LO(x, LO(x, y)) | LO(y, LO(x, y))", "LO(x, y)"),
        *one("LO(HI(x, y), x) | LO(HI(y, x), x) | LO(x, HI(x, y)) | LO(x, HI(y, x))", "x"),
        *one(
            "LO(HI(x, y), LO(x, y)) | LO(HI(x, y), LO(y, x)) | LO(LO(x, y), HI(x, y)) | LO(LO(x, y), HI(y, x))",
            "LO(x, y)",
        ),
        *one(
            "LO(HI(x, y), HI(x, z)) | LO(HI(y, x), HI(x, z)) | LO(HI(x, y), HI(z, x)) | LO(HI(y, x), HI(z, x))",
            "HI(LO(y, z), x)",
        ),
        *one(
            "LO(LO(x, y), LO(x, z)) | LO(LO(y, x), LO(x, z)) | LO(LO(x, y), LO(z, x)) | LO(LO(y, x), LO(z, x))",
            "LO(LO(y, z), x)",
        ),
        *one("LO(x // c, y // c)", "LO(x, y) // c", lambda c: c > 0),
        *one("LO(x // c, y // c)", "HI(x, y) // c", lambda c: c < 0),
        *one("LO(x * c, y * c)", "LO(x, y) * c", lambda c: c > 0),
        *one("LO(x * c, y * c)", "HI(x, y) * c", lambda c: c < 0),
        rule(f"{low}(x, y)", "x", left_wins),
        rule(f"{low}(x, y)", "y", right_wins),
        *one("LO(c, x)", "LO(x, c)"),
        *one("LO(LO(x, c), y)", "LO(LO(x, y), c)"),
    )


MIN: tuple[Rule, ...] = _mirror(
    "min", "max", lambda a, b: a < b, lambda diff_x_y: diff_x_y.hi <= 0, lambda diff_x_y: diff_x_y.lo >= 0
)
MAX: tuple[Rule, ...] = _mirror(
    "max", "min", lambda a, b: a > b, lambda diff_x_y: diff_x_y.lo >= 0, lambda diff_x_y: diff_x_y.hi <= 0
)
