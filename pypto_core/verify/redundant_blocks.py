"""NoRedundantBlocks and NormalizedStmtStructure: flat blocks, yields at their end (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Check, Context, Finding, Verifier, best_span


def _blocks(stmt: ir.Stmt, where: ir.Span) -> Iterator[tuple[ir.SeqStmts, ir.Span]]:
    todo = [(stmt, where)]
    while todo:
        stmt, where = todo.pop()
        if isinstance(stmt, ir.SeqStmts):
            yield stmt, where
        else:
            where = stmt.span
        todo += [(body, where) for body in reversed(ir.stmt_bodies(stmt))]


def _check_of(rule: str) -> Check:
    report = Finding(rule)

    def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
        for block, where in _blocks(function.body, function.span):
            stmts = block.stmts
            if len(stmts) == 1:
                yield report(
                    "redundant-block",
                    0,
                    f"SeqStmts with single child should be unwrapped in function '{function.name}'",
                    best_span(block.span, stmts[0].span, where),
                )
            for i, stmt in enumerate(stmts):
                if isinstance(stmt, ir.SeqStmts):
                    yield report(
                        "redundant-block",
                        0,
                        f"SeqStmts contains nested SeqStmts in function '{function.name}'",
                        best_span(stmt.span, where),
                    )
                elif isinstance(stmt, ir.YieldStmt) and i != len(stmts) - 1:
                    yield report(
                        "redundant-block",
                        0,
                        "YieldStmt before the terminating position; YieldStmt must be the trailing statement of its "
                        f"scope in function '{function.name}'",
                        best_span(stmt.span, where),
                    )

    return check


NORMALIZED = Verifier(
    "NormalizedStmtStructure", "NormalizedStmtStructure", _check_of("NormalizedStmtStructure")
)
VERIFIER = Verifier("NoRedundantBlocks", "NoRedundantBlocks", _check_of("NoRedundantBlocks"))
