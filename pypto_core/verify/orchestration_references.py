"""OrchestrationReferencesResolved: what an orchestration function calls exists (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.ops.registry import is_registered
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "OrchestrationReferencesResolved"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.Orchestration:
        return
    for call in ir.calls_in(function.body):
        if not isinstance(call.op, ir.GlobalVar) and ("." in call.name or is_registered(call.name)):
            continue
        if context.program.get_function(call.name) is None:
            yield _report(
                "orchestration-reference",
                0,
                f"Orchestration function '{function.name}' calls '{call.name}', which is not in the program",
                best_span(call.span, function.span),
                data={"callee": call.name},
            )


VERIFIER = Verifier("OrchestrationReferencesResolved", RULE, check)
