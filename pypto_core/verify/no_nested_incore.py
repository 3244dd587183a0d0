"""NoNestedInCore: a ``pl.at`` block does not hold another one (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "NoNestedInCore"
_report = Finding(RULE)


def _walk(stmt: ir.Stmt, outer: ir.Stmt | None, function: ir.Function) -> Iterator[Diagnostic]:
    todo = [(stmt, outer)]
    while todo:
        stmt, outer = todo.pop()
        if isinstance(stmt, ir.InCoreScopeStmt):
            if outer is not None:
                yield _report(
                    "nested-incore",
                    501,
                    f"InCore scope inside another InCore scope in function '{function.name}': a kernel cannot "
                    "launch a kernel. Move the inner `with pl.at(...)` out, or drop it",
                    stmt.span,
                    related=(Related("the outer scope", outer.span),),
                )
            outer = stmt
        todo += [(body, outer) for body in reversed(ir.stmt_bodies(stmt))]


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    yield from _walk(function.body, None, function)


VERIFIER = Verifier("NoNestedInCore", RULE, check)
