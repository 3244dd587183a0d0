"""Warnings about values that nobody reads (docs/spec/verifiers.md §5)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.spans import target_span
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.ops.registry import find_op
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

_variable = Finding("UnusedVariableCheck", Severity.WARNING)
_result = Finding("UnusedControlFlowResultCheck", Severity.WARNING)

#: Bindings of a lane or block number: they print as loop variables, which are never reported.
_BINDINGS = ("tile.get_subblock_idx", "tile.get_block_idx")


def _memref_bases(type_: ir.Type) -> Iterator[ir.Expr]:
    if isinstance(type_, ir.TupleType):
        for inner in type_.types:
            yield from _memref_bases(inner)
    elif isinstance(type_, (ir.TensorType, ir.TileType)) and type_.memref is not None:
        yield type_.memref.base


def read_vars(function: ir.Function) -> set[ir.Expr]:
    """Variables in value positions, and the bases of the memory that they lie in. Types are not reads."""
    reads: set[ir.Expr] = set(ir.collect_uses(function.body))
    for expr in ir.attr_exprs(function.attrs):
        reads.update(ir.collect_uses(expr))
    for var in (*reads, *function.params):
        reads.update(_memref_bases(var.type))
    return reads


def check_variables(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    reads = read_vars(function)
    params = frozenset(function.params)
    returned = any(isinstance(stmt, ir.ReturnStmt) for stmt in ir.walk_stmts(function.body))
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, ir.AssignStmt) or stmt.var in reads or stmt.var in params:
            continue
        if isinstance(stmt.value, ir.Call) and stmt.value.name in _BINDINGS:
            continue
        name = author_name(stmt.var)
        if name.startswith("_"):
            continue
        yield _variable(
            "unused-variable",
            1001,
            f"Unused variable '{name}' in function '{function.name}'",
            target_span(stmt, stmt.var),
            data={
                "name": name,
                "has_effect": _has_effect(stmt.value),
                "returned": returned,
                "statement": stmt.span,
            },
        )


def _has_effect(value: ir.Expr) -> bool:
    """Whether deleting the statement would delete more than the value."""
    for expr in ir.walk_exprs(value):
        if isinstance(expr, ir.Submit):
            return True
        if isinstance(expr, ir.Call):
            op = find_op(expr.name) if not expr.is_function_call else None
            if op is None or op.written_args(expr.kwargs) or op.no_duplicate:
                return True
    return False


def check_results(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    reads = read_vars(function)
    for stmt in ir.walk_stmts(function.body):
        if not isinstance(stmt, (ir.ForStmt, ir.WhileStmt, ir.IfStmt)):
            continue
        kind = "branch" if isinstance(stmt, ir.IfStmt) else "loop"
        for var in stmt.return_vars:
            if var not in reads:
                name = author_name(var)
                yield _result(
                    "unused-result",
                    1002,
                    f"Unused {kind} result '{name}' in function '{function.name}'",
                    best_span(var.span, stmt.span),
                    data={"name": name},
                )


VARIABLE = Verifier("UnusedVariable", "UnusedVariableCheck", check_variables)
RESULT = Verifier("UnusedControlFlowResult", "UnusedControlFlowResultCheck", check_results)
