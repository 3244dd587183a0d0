"""ManualDepsOnSubmitOnly: explicit dependencies are fields of a submit (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "ManualDepsOnSubmitOnly"
_report = Finding(RULE)
_ATTR = "manual_dep_edges"


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for call in ir.calls_in(function.body):
        if _ATTR not in call.attrs or call.name == "system.task_dummy":
            continue
        is_submit = isinstance(call, ir.Submit)
        yield _report(
            "manual-deps-on-submit" if is_submit else "manual-deps-on-call",
            1 if is_submit else 0,
            f"{'Submit' if is_submit else 'Call'} of '{call.name}' in function '{function.name}' carries "
            f"'{_ATTR}' as an attribute; dependencies belong in deps=[...] of a submit",
            best_span(call.span, function.span),
        )


VERIFIER = Verifier("ManualDepsOnSubmitOnly", RULE, check)
