"""SplitIncoreOrch: InCore scopes are outlined, orchestration does not compute (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.verify.base import Context, Finding, Verifier, best_span
from pypto_core.verify.orphan_operator import compute_calls
from pypto_core.verify.scopes import scopes_of

RULE = "SplitIncoreOrch"
_report = Finding(RULE)
_warn = Finding(RULE, Severity.WARNING)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.InCore:
        for scope in scopes_of(function.body, ir.InCoreScopeStmt):
            yield _report(
                "incore-scope-left",
                0,
                "InCore ScopeStmt found in non-InCore function (should have been outlined): "
                f"'{function.name}'",
                scope.span,
            )
    if function.func_type is ir.FunctionType.Orchestration:
        for call, stmt in compute_calls(function.body):
            yield _warn(
                "compute-in-orchestration",
                0,
                f"Compute tensor op '{call.name}' found in Orchestration function (should be inside InCore): "
                f"'{function.name}'",
                best_span(call.span, stmt.span),
            )


VERIFIER = Verifier("SplitIncoreOrch", RULE, check)
