"""Linear sums of scalar expressions and their constant bounds (docs/spec/passes_front.md §5.8, step 3)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core import ir
from pypto_core.arith import bounds
from pypto_core.arith.bounds import Interval
from pypto_core.arith.same import same_expr


class LinearSum:
    """``sum(coefficient * term) + constant``; terms are compared structurally, zero coefficients disappear."""

    __slots__ = ("constant", "terms")

    def __init__(self) -> None:
        self.terms: list[tuple[ir.Expr, int]] = []
        self.constant = 0

    @staticmethod
    def of(expr: ir.Expr) -> LinearSum:
        total = LinearSum()
        total.add(expr, 1)
        total._recombine_division()
        return total

    def add(self, expr: ir.Expr, scale: int) -> None:
        """Add ``scale * expr``, opened as far as it is linear."""
        if isinstance(expr, ir.ConstInt):
            self.constant += scale * expr.value
            return
        kind = type(expr)
        if isinstance(expr, ir.BinaryExpr):
            if kind is ir.Add:
                self.add(expr.left, scale)
                self.add(expr.right, scale)
                return
            if kind is ir.Sub:
                self.add(expr.left, scale)
                self.add(expr.right, -scale)
                return
            if kind is ir.Mul:
                for factor, other in ((expr.left, expr.right), (expr.right, expr.left)):
                    if isinstance(factor, ir.ConstInt):
                        self.add(other, scale * factor.value)
                        return
        if kind is ir.Neg:
            assert isinstance(expr, ir.UnaryExpr)
            self.add(expr.operand, -scale)
            return
        for i, (term, coefficient) in enumerate(self.terms):
            if same_expr(term, expr):
                if coefficient + scale:
                    self.terms[i] = (term, coefficient + scale)
                else:
                    del self.terms[i]
                return
        if scale:
            self.terms.append((expr, scale))

    def _recombine_division(self) -> None:
        """``(x // c) * c + x % c`` is ``x``."""
        for i, (term, coefficient) in enumerate(self.terms):
            if type(term) is not ir.FloorMod:
                continue
            assert isinstance(term, ir.BinaryExpr)
            if not isinstance(term.right, ir.ConstInt):
                continue
            for j, (other, other_coefficient) in enumerate(self.terms):
                if (
                    type(other) is ir.FloorDiv
                    and isinstance(other, ir.BinaryExpr)
                    and same_expr(other.left, term.left)
                    and same_expr(other.right, term.right)
                    and other_coefficient == coefficient * term.right.value
                ):
                    for index in sorted((i, j), reverse=True):
                        del self.terms[index]
                    self.add(term.left, coefficient)
                    self._recombine_division()
                    return

    def bound(self, bound_of: Callable[[ir.Expr], Interval]) -> Interval:
        total = Interval(self.constant, self.constant)
        for term, coefficient in self.terms:
            total = bounds.add(total, bounds.mul(bound_of(term), Interval(coefficient, coefficient)))
        return total
