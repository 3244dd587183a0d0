"""PipelineResolved and UnrollResolved: no loop of that kind is left (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Check, Context, Finding, Verifier


def _check_of(rule: str, code: str, kind: ir.ForKind, consumer: str) -> Check:
    report = Finding(rule)

    def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
        for stmt in ir.walk_stmts(function.body):
            if isinstance(stmt, ir.ForStmt) and stmt.kind is kind:
                yield report(
                    code,
                    0,
                    f"ForKind::{kind.name} survived past {consumer} in function '{function.name}'",
                    stmt.span,
                )

    return check


PIPELINE_RESOLVED = Verifier(
    "PipelineResolved",
    "PipelineResolved",
    _check_of("PipelineResolved", "pipeline-resolved", ir.ForKind.Pipeline, "CanonicalizeIOOrder"),
)
UNROLL_RESOLVED = Verifier(
    "UnrollResolved",
    "UnrollResolved",
    _check_of("UnrollResolved", "unroll-resolved", ir.ForKind.Unroll, "UnrollLoops"),
)
