"""ClusterOutlined: no Cluster or Spmd scope is left outside Group and Spmd functions (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier
from pypto_core.verify.scopes import scopes_of

RULE = "ClusterOutlined"
_report = Finding(RULE)
_WRAPPERS = (ir.FunctionType.Group, ir.FunctionType.Spmd)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type in _WRAPPERS:
        return
    for scope in scopes_of(function.body, ir.ClusterScopeStmt, ir.SpmdScopeStmt):
        kind = "Cluster" if isinstance(scope, ir.ClusterScopeStmt) else "Spmd"
        yield _report(
            "cluster-scope-left",
            0,
            f"{kind} ScopeStmt found in non-Group function (should have been outlined): '{function.name}'",
            scope.span,
        )


VERIFIER = Verifier("ClusterOutlined", RULE, check)
