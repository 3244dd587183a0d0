"""The bottom-up rewriter over the rule lists (docs/spec/passes_front.md §5.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pypto_core import ir
from pypto_core.arith import rules_divmod, rules_linear, rules_logic, rules_minmax
from pypto_core.arith.bounds import Interval
from pypto_core.arith.build import dtype_of
from pypto_core.arith.fold import fold_binary, fold_unary
from pypto_core.arith.pattern import Rule

#: How deep the rewriting of a rewritten result may go before it is taken as it is.
MAX_DEPTH = 5

RULES: Mapping[type[ir.Expr], tuple[Rule, ...]] = {
    ir.Add: rules_linear.ADD,
    ir.Sub: rules_linear.SUB,
    ir.Mul: rules_linear.MUL,
    ir.FloorDiv: rules_divmod.FLOOR_DIV,
    ir.FloorMod: rules_divmod.FLOOR_MOD,
    ir.Min: rules_minmax.MIN,
    ir.Max: rules_minmax.MAX,
    ir.Eq: rules_logic.EQ,
    ir.Ne: rules_logic.NE,
    ir.Lt: rules_logic.LT,
    ir.Le: rules_logic.LE,
    ir.Gt: rules_logic.GT,
    ir.Ge: rules_logic.GE,
    ir.Not: rules_logic.NOT,
    ir.And: rules_logic.AND,
    ir.Or: rules_logic.OR,
    ir.Neg: rules_logic.NEG,
}
_COMPARISONS: frozenset[type[ir.Expr]] = frozenset(ir.COMPARISON_CLASSES)


def _is_float(expr: ir.Expr) -> bool:
    dtype = dtype_of(expr)
    return dtype is not None and dtype.is_float


class RewriteSimplifier:
    """One run of the rewriter; the depth counter is shared by nested rewrites.

    ``literals`` are variables known to equal a literal, ``bound_of`` answers the side conditions.
    """

    def __init__(self, literals: Mapping[ir.Expr, ir.Expr], bound_of: Callable[[ir.Expr], Interval]) -> None:
        self._literals = literals
        self._bound_of = bound_of
        self._depth = 0
        #: Nodes to which nothing applies, at whatever depth: the result of a rule is rewritten, most of its parts were already.
        self._settled: set[ir.Expr] = set()

    def rewrite(self, expr: ir.Expr) -> ir.Expr:
        """The simplified expression; the same object when nothing applies. Floats, calls and tuples are leaves."""
        if isinstance(expr, (ir.BinaryExpr, ir.UnaryExpr)):
            if expr in self._settled:
                return expr
            new = self._binary(expr) if isinstance(expr, ir.BinaryExpr) else self._unary(expr)
            if new is expr:
                self._settled.add(expr)
            return new
        if isinstance(expr, ir.Var) and not _is_float(expr):
            return self._literals.get(expr, expr)
        return expr

    def _binary(self, expr: ir.BinaryExpr) -> ir.Expr:
        if expr.dtype.is_float:
            return expr
        left, right = self.rewrite(expr.left), self.rewrite(expr.right)
        node = expr.with_(left=left, right=right)
        folded = fold_binary(type(expr), left, right, expr.dtype)
        if folded is not None:
            return folded
        if type(expr) in _COMPARISONS and (_is_float(left) or _is_float(right)):
            return node
        return self._apply_rules(node, expr.dtype)

    def _unary(self, expr: ir.UnaryExpr) -> ir.Expr:
        if expr.dtype.is_float and type(expr) is not ir.Cast:
            return expr
        operand = self.rewrite(expr.operand)
        node = expr.with_(operand=operand)
        folded = fold_unary(type(expr), operand, expr.dtype)
        if folded is not None:
            return folded
        return self._apply_rules(node, expr.dtype)

    def _apply_rules(self, node: ir.Expr, dtype: ir.DataType) -> ir.Expr:
        for rule in RULES.get(type(node), ()):
            result = rule.apply(node, dtype, self._bound_of)
            if result is not None:
                if self._depth >= MAX_DEPTH:
                    return result
                self._depth += 1
                result = self.rewrite(result)
                self._depth -= 1
                return result
        return node
