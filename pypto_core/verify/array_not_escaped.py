"""ArrayNotEscaped: on-core arrays do not cross function boundaries (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "ArrayNotEscaped"
_report = Finding(RULE)


def _holds_array(type_: ir.Type) -> bool:
    if isinstance(type_, ir.TupleType):
        return any(_holds_array(t) for t in type_.types)
    return isinstance(type_, ir.ArrayType)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for i, param in enumerate(function.params):
        if _holds_array(param.type):
            name = author_name(param)
            yield _report(
                "array-escaped",
                0,
                f"Parameter {i} '{name}' of function '{function.name}' is or contains an array; an array lives "
                "inside one function. Build it there",
                best_span(param.span, function.span),
                data={"name": name, "index": i},
            )
    for i, type_ in enumerate(function.return_types):
        if _holds_array(type_):
            yield _report(
                "array-escaped",
                0,
                f"Return type {i} of function '{function.name}' is or contains an array; an array lives inside one "
                "function",
                function.span,
                data={"index": i},
            )


VERIFIER = Verifier("ArrayNotEscaped", RULE, check)
