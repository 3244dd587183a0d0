"""HierarchyOutlined: no Hierarchy scope is left in an Opaque function (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier
from pypto_core.verify.scopes import scopes_of

RULE = "HierarchyOutlined"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.Opaque:
        return
    for scope in scopes_of(function.body, ir.HierarchyScopeStmt):
        yield _report(
            "hierarchy-scope-left",
            0,
            f"Hierarchy ScopeStmt found in function (should have been outlined): '{function.name}'",
            scope.span,
        )


VERIFIER = Verifier("HierarchyOutlined", RULE, check)
