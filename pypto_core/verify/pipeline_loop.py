"""PipelineLoopValid: a pipeline loop says how many stages it has, no other loop does (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "PipelineLoopValid"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.ForStmt):
            continue
        is_pipeline, has_stages = stmt.kind is ir.ForKind.Pipeline, "pipeline_stages" in stmt.attrs
        if is_pipeline and not has_stages:
            yield _report(
                "pipeline-stages-missing",
                0,
                f"Pipeline loop without 'pipeline_stages' in function '{function.name}'",
                stmt.span,
            )
        elif has_stages and not is_pipeline:
            yield _report(
                "pipeline-stages-unexpected",
                1,
                f"{stmt.kind.name} loop with 'pipeline_stages' in function '{function.name}'; only a pl.pipeline loop "
                "has stages",
                stmt.span,
            )


VERIFIER = Verifier("PipelineLoopValid", RULE, check)
