"""NoNestedCalls (rule NoNestedCall): a call stands alone in its statement (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "NoNestedCall"
_report = Finding(RULE)


def _found(call: ir.Expr, code: str, number: int, place: str, where: ir.Span) -> Iterator[Diagnostic]:
    if isinstance(call, ir.Call):
        yield _report(
            code, number, f"Call to '{call.name}' is nested in {place}", best_span(call.span, where)
        )


def _expr(expr: ir.Expr, where: ir.Span) -> Iterator[Diagnostic]:
    if isinstance(expr, (ir.Call, ir.Submit)):
        for arg in expr.args:
            yield from _found(arg, "nested-call-argument", 201, f"an argument of '{expr.name}'", where)
            yield from _expr(arg, where)
        return
    if isinstance(expr, ir.BinaryExpr):
        for operand in (expr.left, expr.right):
            yield from _found(operand, "nested-call-binary", 204, "a binary expression", where)
    elif isinstance(expr, ir.UnaryExpr):
        yield from _found(expr.operand, "nested-call-unary", 205, "a unary expression", where)
    for child in ir.expr_children(expr):
        yield from _expr(child, where)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for stmt in ir.walk_stmts(function.body):
        where = stmt.span
        exprs = ir.stmt_exprs(stmt)
        if isinstance(stmt, ir.IfStmt):
            yield from _found(stmt.condition, "nested-call-condition", 202, "an if condition", where)
        elif isinstance(stmt, ir.WhileStmt):
            yield from _found(stmt.condition, "nested-call-while", 206, "a while condition", where)
        elif isinstance(stmt, ir.ForStmt):
            for bound in (stmt.start, stmt.stop, stmt.step):
                yield from _found(bound, "nested-call-range", 203, "a loop range", where)
        elif isinstance(stmt, ir.ScopeStmt):
            # The predicate of a dispatch is evaluated by the runtime and may hold a call.
            attrs = {k: v for k, v in stmt.attrs.items() if k != "predicate"}
            core_num = (stmt.core_num,) if isinstance(stmt, ir.SpmdScopeStmt) else ()
            exprs = (*core_num, *ir.attr_exprs(attrs))
        for expr in exprs:
            yield from _expr(expr, where)


VERIFIER = Verifier("NoNestedCalls", RULE, check)
