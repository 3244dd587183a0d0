"""StructuredCtrlFlow: no ``break`` or ``continue`` is left in kernels (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "StructuredCtrlFlow"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if not function.func_type.is_incore:
        return
    for stmt in ir.walk_stmts(function.body):
        if isinstance(stmt, (ir.BreakStmt, ir.ContinueStmt)):
            is_break = isinstance(stmt, ir.BreakStmt)
            kind = "BreakStmt" if is_break else "ContinueStmt"
            yield _report(
                "structured-break" if is_break else "structured-continue",
                0 if is_break else 1,
                f"{kind} found — IR is not in structured control flow form: function '{function.name}'",
                stmt.span,
            )


VERIFIER = Verifier("StructuredCtrlFlow", RULE, check)
