"""RuntimeScopesMaterialized: orchestration functions carry their scopes explicitly (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier

RULE = "RuntimeScopesMaterialized"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is ir.FunctionType.Orchestration and function.attrs.get("auto_scope", True):
        yield _report(
            "runtime-scopes",
            0,
            f"Orchestration function '{function.name}' still has auto_scope set",
            function.span,
        )


VERIFIER = Verifier("RuntimeScopesMaterialized", RULE, check)
