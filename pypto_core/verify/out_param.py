"""OutParamNotShadowed: an Out parameter is written to, not replaced by a new buffer (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name

RULE = "OutParamNotShadowed"
_report = Finding(RULE)
_CREATING = ("tensor.create", "tensor.full")


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    written = {
        p: d
        for p, d in zip(function.params, function.param_directions, strict=True)
        if d is not ir.ParamDirection.In
    }
    if not written:
        return
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt) or stmt.var not in written:
            continue
        value = stmt.value
        if isinstance(value, ir.Call) and value.name in _CREATING:
            name, direction = author_name(stmt.var), written[stmt.var].name
            yield _report(
                "out-param-shadowed",
                501,
                f"{direction} parameter '{name}' is replaced by the new buffer of '{value.name}': the caller's "
                f"buffer is never written. Delete the line, or give the new buffer another name",
                stmt.span,
                data={"name": name, "op": value.name},
            )


VERIFIER = Verifier("OutParamNotShadowed", RULE, check)
