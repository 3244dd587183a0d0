"""InlineFunctionsEliminated: no Inline function and no call of one is left (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "InlineFunctionsEliminated"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is ir.FunctionType.Inline:
        yield _report(
            "inline-function-left",
            0,
            f"Inline function '{function.name}' is left in the program",
            function.span,
        )
    for call in ir.calls_in(function.body):
        if not isinstance(call.op, ir.GlobalVar):
            continue
        word = "Submit" if isinstance(call, ir.Submit) else "Call"
        callee = context.program.get_function(call.name)
        span = best_span(call.span, function.span)
        if callee is None:
            written = span.text.partition("(")[0] or call.name
            yield _report(
                "dangling-call",
                2,
                f"{word.lower()} of '{call.name}' inside another expression: an inline function takes the place of its call only "
                f"where the call is a statement of its own; write `value = {written}(...)` first",
                span,
                data={"callee": call.name},
            )
        elif callee.func_type is ir.FunctionType.Inline:
            yield _report("inline-call-left", 1, f"{word} to Inline function '{call.name}' is left", span)


VERIFIER = Verifier("InlineFunctionsEliminated", RULE, check)
