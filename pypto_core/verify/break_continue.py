"""BreakContinueValid (rule BreakContinueCheck): only sequential loops are left early (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "BreakContinueCheck"
_report = Finding(RULE)

_KEYWORDS: dict[type[ir.Stmt], tuple[str, int]] = {
    ir.BreakStmt: ("break", 0),
    ir.ContinueStmt: ("continue", 2),
}
_FAULTS = {ir.ForKind.Parallel: ("parallel", 301), ir.ForKind.Unroll: ("unroll", 302)}


def _walk(stmt: ir.Stmt, loop: ir.Stmt | None) -> Iterator[Diagnostic]:
    todo = [(stmt, loop)]
    while todo:
        stmt, loop = todo.pop()
        keyword = _KEYWORDS.get(type(stmt))
        if keyword is not None:
            yield from _check(stmt, keyword[0], keyword[1], loop)
            continue
        if isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
            loop = stmt
        todo += [(body, loop) for body in reversed(ir.stmt_bodies(stmt))]


def _check(stmt: ir.Stmt, keyword: str, offset: int, loop: ir.Stmt | None) -> Iterator[Diagnostic]:
    if loop is None:
        number = 305 if offset == 0 else 306
        yield _report(f"{keyword}-outside-loop", number, f"'{keyword}' is outside of every loop", stmt.span)
        return
    fault = _FAULTS.get(loop.kind) if isinstance(loop, ir.ForStmt) else None
    if fault is not None:
        kind, number = fault
        yield _report(
            f"{keyword}-in-{kind}",
            number + offset,
            f"'{keyword}' cannot leave a pl.{kind} loop: its iterations are not run one after the other; use "
            "pl.range",
            stmt.span,
            related=(Related(f"the {kind} loop", loop.span),),
        )


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    yield from _walk(function.body, None)


VERIFIER = Verifier("BreakContinueValid", RULE, check)
