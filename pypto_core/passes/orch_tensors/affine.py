"""Integer expressions as sums of variables with constant factors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pypto_core.ir import Add, AssignStmt, ConstInt, Expr, Mul, ScalarType, Stmt, Sub, Var, substitute
from pypto_core.ir.expr import Call, Submit
from pypto_core.ir.walk import collect_uses, walk_exprs, walk_stmts


@dataclass(frozen=True, slots=True)
class Affine:
    """``constant + sum(factor * var)``; factors are never 0."""

    factors: Mapping[Var, int]
    constant: int = 0

    def factor(self, var: Var) -> int:
        return self.factors.get(var, 0)


def _combine(left: Affine, right: Affine, sign: int) -> Affine:
    factors = dict(left.factors)
    for var, factor in right.factors.items():
        factors[var] = factors.get(var, 0) + sign * factor
    return Affine({v: f for v, f in factors.items() if f}, left.constant + sign * right.constant)


def affine(expr: Expr) -> Affine | None:
    """``expr`` in affine form; None when it is not affine."""
    if isinstance(expr, ConstInt):
        return Affine({}, expr.value)
    if isinstance(expr, Var):
        return Affine({expr: 1})
    if isinstance(expr, (Add, Sub)):
        left, right = affine(expr.left), affine(expr.right)
        if left is None or right is None:
            return None
        return _combine(left, right, 1 if isinstance(expr, Add) else -1)
    if isinstance(expr, Mul):
        left, right = affine(expr.left), affine(expr.right)
        if left is None or right is None:
            return None
        if left.factors and right.factors:
            return None
        scale, other = (left.constant, right) if not left.factors else (right.constant, left)
        return Affine({v: f * scale for v, f in other.factors.items() if f * scale}, other.constant * scale)
    return None


class ScalarDefinitions:
    """Local scalars of a body that are plain arithmetic, for expressing an offset over what it depends on."""

    def __init__(self, body: Stmt) -> None:
        self._values: dict[Var, Expr] = {}
        for stmt in walk_stmts(body):
            if isinstance(stmt, AssignStmt) and isinstance(stmt.var.type, ScalarType):
                if not any(isinstance(e, (Call, Submit)) for e in walk_exprs(stmt.value)):
                    self._values[stmt.var] = self.resolve(stmt.value)

    def resolve(self, expr: Expr) -> Expr:
        """``expr`` with local scalars replaced by what they are computed from."""
        resolved: Expr = substitute(expr, self._values)
        return resolved


def depends_only_on(expr: Expr, allowed: set[Var]) -> bool:
    """Whether every variable of ``expr`` is among ``allowed``, and nothing is called."""
    calls = any(isinstance(e, (Call, Submit)) for e in walk_exprs(expr))
    return not calls and all(var in allowed for var in collect_uses(expr))
