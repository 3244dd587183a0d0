"""Deferred completion waiters (docs/spec/passes_front.md §9.9)."""

from __future__ import annotations

from pypto_core import ir
from pypto_core.diagnostics import error
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import PassError

DEFER_WAIT = "pld.system.defer_wait"
MAX_REGISTRATIONS = 64


def has_defer_wait(body: ir.Stmt) -> bool:
    """Whether the body registers a deferred wait."""
    return DEFER_WAIT in ir.called_names(body)


def _reject(message: str, span: ir.Span) -> PassError:
    return PassError(error("deferred-waiter", message, span))


def check_waiter(scope: ir.ScopeStmt, *, nested: bool, has_outputs: bool) -> None:
    """Raise when a waiter scope does more than wait."""
    if nested:
        raise _reject("pld.system.defer_wait scope must not be nested under another launch scope", scope.span)
    if scope.attrs.get("predicate") is not None:
        raise _reject("deferred waiter scope must not have a predicate", scope.span)
    if scope.attrs.get("allow_early_resolve"):
        raise _reject("deferred waiter scope must not set allow_early_resolve", scope.span)
    if has_outputs:
        raise _reject("deferred waiter scope must not produce outputs", scope.span)
    check_waiter_body(scope.body, scope.span)


def check_waiter_body(body: ir.Stmt, span: ir.Span) -> None:
    """Raise when a waiter's statements do more than compute scalars and register waits, or register too many."""
    registrations = _WaiterBody().count(body)
    if registrations > MAX_REGISTRATIONS:
        raise _reject(
            f"deferred waiter scope registers {registrations} waits; the limit is {MAX_REGISTRATIONS}",
            span,
        )


class _WaiterBody:
    """Counts registrations and rejects what a waiter cannot do."""

    def __init__(self) -> None:
        self._registered = False

    @goes_deep
    def count(self, stmt: ir.Stmt) -> int:
        match stmt:
            case ir.SeqStmts():
                return sum(self.count(s) for s in stmt.stmts)
            case ir.AssignStmt():
                self._value(stmt.value, stmt.span)
                return 0
            case ir.EvalStmt() if isinstance(stmt.expr, ir.Call) and stmt.expr.name == DEFER_WAIT:
                self._registered = True
                return 1
            case ir.ForStmt():
                return self._trips(stmt) * self.count(stmt.body)
            case ir.RuntimeScopeStmt():
                return self.count(stmt.body)
        raise _reject(
            "deferred waiter scope may hold scalar statements, sequential loops and "
            "pld.system.defer_wait calls only",
            stmt.span,
        )

    def _value(self, value: ir.Expr, span: ir.Span) -> None:
        if not isinstance(value.type, ir.ScalarType):
            raise _reject("deferred waiter scope may compute scalars only", span)
        for expr in ir.walk_exprs(value):
            if isinstance(expr, ir.Submit) or (
                isinstance(expr, ir.Call) and (expr.name != "tensor.read" or self._registered)
            ):
                raise _reject(
                    f"deferred waiter scope may not call '{expr.name}' here: only tensor.read before the first "
                    "registration is allowed",
                    span,
                )

    def _trips(self, loop: ir.ForStmt) -> int:
        bounds = (loop.start, loop.stop, loop.step)
        values = [e.value for e in bounds if isinstance(e, ir.ConstInt)]
        if loop.kind is not ir.ForKind.Sequential or loop.iter_args or len(values) != 3 or values[2] == 0:
            raise _reject(
                "deferred waiter scope needs sequential loops with a known positive trip count", loop.span
            )
        trips = len(range(values[0], values[1], values[2]))
        if trips <= 0:
            raise _reject(
                "deferred waiter scope needs sequential loops with a known positive trip count", loop.span
            )
        return trips
