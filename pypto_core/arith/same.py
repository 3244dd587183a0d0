"""Equality of scalar expressions as the rewrite rules see it: structural, variables by identity."""

from __future__ import annotations

from pypto_core import ir


def same_expr(a: ir.Expr, b: ir.Expr) -> bool:
    """True when ``a`` and ``b`` compute the same value by their shape alone (docs/spec/ir.md §5, no auto mapping)."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, ir.BinaryExpr):
        assert isinstance(b, ir.BinaryExpr)
        return same_expr(a.left, b.left) and same_expr(a.right, b.right)
    if isinstance(a, ir.Var):
        return False
    return ir.structural_equal(a, b)
