"""The analyzer: what is known about scalar variables, simplification and proofs (docs/spec/passes_front.md §5.5-5.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pypto_core import ir
from pypto_core.arith import bounds
from pypto_core.arith.bounds import Interval, bound_of, default_bound
from pypto_core.arith.facts import Fact, facts_of, peel, upper_difference
from pypto_core.arith.linear import LinearSum
from pypto_core.arith.rewrite import RewriteSimplifier

_ORDERED: frozenset[type[ir.Expr]] = frozenset((ir.Lt, ir.Le, ir.Gt, ir.Ge))
_LITERALS: frozenset[type[ir.Expr]] = frozenset((ir.ConstInt, ir.ConstFloat, ir.ConstBool))
#: Leaves of the rewriter, whatever is known about variables.
_UNCHANGED: frozenset[type[ir.Expr]] = _LITERALS | {ir.Call, ir.Submit, ir.MakeTuple}


class Analyzer:
    """Knowledge about the variables in scope; grows and shrinks as a pass walks a function.

    A *literal* binding replaces the variable by a constant, a *bound* binding narrows its interval, an assumption
    (:meth:`assuming`) does both for the duration of a branch.
    """

    def __init__(self) -> None:
        self.literals: dict[ir.Expr, ir.Expr] = {}
        self.intervals: dict[ir.Expr, Interval] = {}
        self.facts: list[Fact] = []
        #: Intervals before the assumption that holds, of what it or the code under it has bound since; None without one.
        self._before: dict[ir.Expr, Interval | None] | None = None

    # -- knowledge ---------------------------------------------------------------------------------------------

    def bind_literal(self, var: ir.Var, value: ir.Expr) -> None:
        """``var`` always equals the literal ``value``; as the literal stands for it from now on, no comparison needs a fact about it."""
        self.literals[var] = value
        if isinstance(value, ir.ConstInt):
            self._set(var, Interval(value.value, value.value))

    def bind_bound(self, var: ir.Var, interval: Interval) -> None:
        """``var`` lies in ``interval`` as well as in what its type says; contradictory knowledge is dropped."""
        narrowed = interval.intersect(default_bound(var.type))
        if not narrowed.is_empty:
            self._set(var, narrowed)

    def unbind(self, var: ir.Var) -> None:
        self.literals.pop(var, None)
        self._set(var, None)
        if self.facts:
            self.facts = [f for f in self.facts if f.left is not var and f.right is not var]

    def bind_range(self, var: ir.Var, start: int, stop: int) -> None:
        """Loop variable of a literal range ``[start, stop)``."""
        if stop - start == 1:
            self.bind_literal(var, ir.ConstInt(start))
            return
        self._set(var, Interval(start, stop - 1))
        self.facts.extend(facts_of(ir.Ge(var, ir.ConstInt(start), ir.DataType.BOOL)))
        self.facts.extend(facts_of(ir.Lt(var, ir.ConstInt(stop), ir.DataType.BOOL)))

    @contextmanager
    def assuming(self, condition: ir.Expr) -> Iterator[None]:
        """Within the block ``condition`` holds; everything learnt from it is forgotten afterwards (§5.7)."""
        facts, outer = list(self.facts), self._before
        self._before = {}
        self._assume(self.simplify(condition))
        try:
            yield
        finally:
            before, self._before, self.facts = self._before, outer, facts
            # Not through `_set`: what is put back is what an assumption around this one found, and nothing that it has to undo.
            for var, interval in before.items():
                self._put(var, interval)

    def _set(self, var: ir.Expr, interval: Interval | None) -> None:
        """Bind or unbind ``var``; within an assumption what was known of it before is kept."""
        if self._before is not None:
            self._before.setdefault(var, self.intervals.get(var))
        self._put(var, interval)

    def _put(self, var: ir.Expr, interval: Interval | None) -> None:
        if interval is None:
            self.intervals.pop(var, None)
        else:
            self.intervals[var] = interval

    def _assume(self, condition: ir.Expr) -> None:
        if type(condition) is ir.And:
            assert isinstance(condition, ir.BinaryExpr)
            self._assume(condition.left)
            self._assume(condition.right)
            return
        if not isinstance(condition, ir.BinaryExpr) or type(condition) not in (*_ORDERED, ir.Eq):
            return
        self.facts.extend(facts_of(condition))
        left, right = condition.left, condition.right
        # A carried value (IterArg) gets no bound: the rule asks for a plain variable.
        if type(left) is ir.Var:
            self._narrow(left, _solution(type(condition), self.bound(right)))
        if type(right) is ir.Var:
            self._narrow(right, _solution(_FLIPPED[type(condition)], self.bound(left)))

    def _narrow(self, var: ir.Var, interval: Interval) -> None:
        narrowed = self.bound(var).intersect(interval)
        if not narrowed.is_empty:
            self._set(var, narrowed)

    # -- questions ---------------------------------------------------------------------------------------------

    def bound(self, expr: ir.Expr) -> Interval:
        """Constant interval of ``expr`` as it stands."""
        return bound_of(expr, self.intervals)

    def simplify(self, expr: ir.Expr) -> ir.Expr:
        """The rewriter, applied twice; the same object when nothing applies."""
        if expr.__class__ in _UNCHANGED or (not self.literals and isinstance(expr, ir.Var)):
            return expr
        simplifier = RewriteSimplifier(self.literals, self.bound)
        return simplifier.rewrite(simplifier.rewrite(expr))

    def can_prove(self, condition: ir.Expr) -> bool:
        """True when ``condition`` certainly holds (§5.8)."""
        condition = self.simplify(condition)
        if isinstance(condition, ir.ConstBool):
            return condition.value
        if isinstance(condition, ir.ConstInt):
            return condition.value != 0
        if not isinstance(condition, ir.BinaryExpr):
            return False
        if type(condition) is ir.And:
            return self.can_prove(condition.left) and self.can_prove(condition.right)
        if type(condition) not in _HOLDS:
            return False
        if not _is_integer(condition.left) or not _is_integer(condition.right):
            return False
        return (
            self._by_bounds(condition)
            or self._by_facts(condition)
            or (type(condition) in _ORDERED and self._by_substitution(condition))
        )

    def _by_bounds(self, condition: ir.BinaryExpr) -> bool:
        difference = self.simplify(_difference(condition.left, condition.right))
        return _HOLDS[type(condition)](self.bound(difference))

    def _by_facts(self, condition: ir.BinaryExpr) -> bool:
        left, left_offset = peel(condition.left)
        right, right_offset = peel(condition.right)
        offset = left_offset - right_offset
        upper = upper_difference(self.facts, left, right) + offset
        lower = -upper_difference(self.facts, right, left) + offset
        return _HOLDS[type(condition)](Interval(lower, upper))

    def _by_substitution(self, condition: ir.BinaryExpr) -> bool:
        """Replace one term of ``l - r`` by a recorded symbolic end and test the bound of the linear sum."""
        wanted = type(condition)
        total = LinearSum.of(_difference(condition.left, condition.right))
        if _HOLDS[wanted](total.bound(self.bound)):
            return True
        upper_wanted = wanted in (ir.Lt, ir.Le)
        for term, coefficient in total.terms:
            # An upper bound of the sum needs an upper end of a positive term and a lower end of a negative one.
            needs_upper = (coefficient > 0) == upper_wanted
            for fact in self.facts:
                source, other = (fact.left, fact.right) if needs_upper else (fact.right, fact.left)
                if source is not term:
                    continue
                replaced = LinearSum.of(_difference(condition.left, condition.right))
                replaced.add(term, -coefficient)
                replaced.add(other, coefficient)
                replaced.constant += coefficient * (fact.bound if needs_upper else -fact.bound)
                if _HOLDS[wanted](replaced.bound(self.bound)):
                    return True
        return False


def _is_integer(expr: ir.Expr) -> bool:
    type_ = expr.type
    return isinstance(type_, ir.ScalarType) and type_.dtype.is_int


def _difference(left: ir.Expr, right: ir.Expr) -> ir.Sub:
    type_ = left.type
    assert isinstance(type_, ir.ScalarType)
    return ir.Sub(left, right, type_.dtype)


_FLIPPED: dict[type[ir.Expr], type[ir.Expr]] = {
    ir.Lt: ir.Gt,
    ir.Le: ir.Ge,
    ir.Gt: ir.Lt,
    ir.Ge: ir.Le,
    ir.Eq: ir.Eq,
}


def _solution(cls: type[ir.Expr], other: Interval) -> Interval:
    """Values of ``v`` for which ``v cls w`` can hold with ``w`` in ``other``."""
    if cls is ir.Lt:
        return Interval(-bounds.INF, other.hi - 1)
    if cls is ir.Le:
        return Interval(-bounds.INF, other.hi)
    if cls is ir.Gt:
        return Interval(other.lo + 1, bounds.INF)
    if cls is ir.Ge:
        return Interval(other.lo, bounds.INF)
    return other


_HOLDS: dict[type[ir.Expr], Callable[[Interval], bool]] = {
    ir.Lt: lambda d: d.hi < 0,
    ir.Le: lambda d: d.hi <= 0,
    ir.Gt: lambda d: d.lo > 0,
    ir.Ge: lambda d: d.lo >= 0,
    ir.Eq: lambda d: d.lo == 0 and d.hi == 0,
    ir.Ne: lambda d: d.excludes_zero,
}


def is_literal(expr: ir.Expr) -> bool:
    """True for integer, float and boolean literals."""
    return type(expr) in _LITERALS
