"""ReturnParamsExplicit: a kernel returns its parameters themselves (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.trace import Tracer
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "ReturnParamsExplicit"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    kind = function.func_type
    if not (kind.is_incore or kind.is_wrapper) or function.attrs.get("external_source"):
        return
    returns = [s for s in ir.walk_stmts(function.body) if isinstance(s, ir.ReturnStmt)]
    if not returns:
        if any(isinstance(t, ir.TensorType) for t in function.return_types):
            yield _report(
                "return-params-explicit",
                0,
                f"Function '{function.name}' declares results but has no return",
                function.span,
            )
        return
    tracer = Tracer(function.body, context.program.get_function)
    for stmt in returns:
        for i, value in enumerate(stmt.values):
            if not isinstance(value.type, ir.TensorType) or value in function.params:
                continue
            root = tracer.root(value)
            if isinstance(root, ir.Var) and root in function.params:
                name = author_name(value) if isinstance(value, ir.Var) else ir.print_ir(value)
                yield _report(
                    "return-params-explicit",
                    0,
                    f"Function '{function.name}' returns '{name}' at position {i}; it is parameter "
                    f"{function.params.index(root)} '{author_name(root)}' and must be returned as such",
                    best_span(stmt.span, function.span),
                )


VERIFIER = Verifier("ReturnParamsExplicit", RULE, check)
