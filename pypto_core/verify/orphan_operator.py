"""Orphan operators: tensor operators where no core can run them (docs/spec/design/decisions.md 10).

Not a property of the compiler: its code generation says it last of all. We say it after OutlineIncoreScopes.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.names import dsl_name
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span

RULE = "orphan-operator"
_report = Finding(RULE)

#: Operators that the control plane itself performs.
CONTROL_PLANE = frozenset(
    f"tensor.{leaf}"
    for leaf in (
        "create", "read", "write", "slice", "reshape", "reinterpret_view", "transpose", "view", "dim", "assemble",
    )
)  # fmt: skip


def compute_calls(body: ir.Stmt) -> Iterator[tuple[ir.Call, ir.Stmt]]:
    """Tensor operators that need a core, each with the statement it stands in."""
    for stmt in ir.walk_stmts(body):
        for root in ir.stmt_exprs(stmt):
            for expr in ir.walk_exprs(root):
                if (
                    isinstance(expr, ir.Call)
                    and not expr.is_function_call
                    and expr.name.startswith("tensor.")
                    and expr.name not in CONTROL_PLANE
                ):
                    yield expr, stmt


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.Orchestration:
        return
    for call, stmt in compute_calls(function.body):
        yield _report(
            "orphan-operator",
            0,
            f"Misplaced tensor op '{call.name}' in orchestration function '{function.name}': "
            f"{dsl_name(call.name)} computes, and the control plane has no core to run it on. Wrap the "
            "statement in `with pl.at(level=pl.Level.CORE_GROUP):`",
            best_span(call.span, stmt.span),
            data={"op": call.name, "statement": stmt.span},
        )


VERIFIER = Verifier("OrphanOperators", RULE, check)
