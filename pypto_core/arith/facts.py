"""Recorded comparisons and what follows from them (docs/spec/passes_front.md §5.8, steps 2 and 3)."""

from __future__ import annotations

import math
from typing import NamedTuple

from pypto_core import ir

#: Stands for the constant 0, so that facts about one variable are differences as well.
ZERO = ir.ConstInt(0)


class Fact(NamedTuple):
    """``left - right <= bound`` between two expressions taken by identity."""

    left: ir.Expr
    right: ir.Expr
    bound: int


def peel(expr: ir.Expr) -> tuple[ir.Expr, int]:
    """``(base, offset)`` with ``expr == base + offset``; one constant offset is peeled, a literal has base :data:`ZERO`."""
    if isinstance(expr, ir.ConstInt):
        return ZERO, expr.value
    if type(expr) is ir.Add:
        assert isinstance(expr, ir.BinaryExpr)
        if isinstance(expr.right, ir.ConstInt):
            return expr.left, expr.right.value
        if isinstance(expr.left, ir.ConstInt):
            return expr.right, expr.left.value
    if type(expr) is ir.Sub:
        assert isinstance(expr, ir.BinaryExpr)
        if isinstance(expr.right, ir.ConstInt):
            return expr.left, -expr.right.value
    return expr, 0


def facts_of(comparison: ir.Expr) -> tuple[Fact, ...]:
    """Difference facts that a true comparison establishes; ``!=`` establishes none."""
    if not isinstance(comparison, ir.BinaryExpr):
        return ()
    left, left_offset = peel(comparison.left)
    right, right_offset = peel(comparison.right)
    slack = right_offset - left_offset
    below, above = Fact(left, right, slack), Fact(right, left, -slack)
    match comparison:
        case ir.Le():
            return (below,)
        case ir.Lt():
            return (below._replace(bound=slack - 1),)
        case ir.Ge():
            return (above,)
        case ir.Gt():
            return (above._replace(bound=-slack - 1),)
        case ir.Eq():
            return (below, above)
    return ()


def upper_difference(facts: list[Fact], left: ir.Expr, right: ir.Expr) -> float:
    """Least proven ``k`` with ``left - right <= k`` by transitivity over ``facts``; ``inf`` when there is none."""
    if left is right:
        return 0
    if not facts:
        return math.inf
    best: dict[ir.Expr, int] = {left: 0}
    for _ in range(len(facts)):
        changed = False
        for fact in facts:
            known = best.get(fact.left)
            if known is not None:
                candidate = known + fact.bound
                current = best.get(fact.right)
                if current is None or candidate < current:
                    best[fact.right] = candidate
                    changed = True
        if not changed:
            break
    found = best.get(right)
    return math.inf if found is None else found
