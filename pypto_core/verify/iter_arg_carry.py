"""IterArgCarryClassified: orchestration loops say how each value is carried (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name

RULE = "IterArgCarryClassified"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.Orchestration:
        return
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.ForStmt):
            continue
        for i, arg in enumerate(stmt.iter_args):
            rebind, size = f"iter_arg_rebind_{i}", f"iter_arg_array_size_{i}"
            if rebind not in stmt.attrs:
                yield _report(
                    "iter-arg-carry",
                    0,
                    f"Loop slot {i} '{author_name(arg)}' has no '{rebind}' in function '{function.name}'",
                    stmt.span,
                )
            elif size in stmt.attrs and not stmt.attrs[rebind]:
                yield _report(
                    "iter-arg-carry",
                    0,
                    f"Loop slot {i} '{author_name(arg)}' has an array extent but is not rebound in function "
                    f"'{function.name}'",
                    stmt.span,
                )


VERIFIER = Verifier("IterArgCarryClassified", RULE, check)
