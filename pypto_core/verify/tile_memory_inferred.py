"""TileMemoryInferred: every tile has a space and every operator gets its operands where it reads them (verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.spans import target_span, use_span
from pypto_core.analysis.statements import as_var, leaf_call
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.ops.registry import find_op
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "TileMemoryInferred"
_report = Finding(RULE)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if function.func_type is not ir.FunctionType.InCore:
        return
    for stmt in ir.walk_stmts(function.body):
        if isinstance(stmt, ir.AssignStmt):
            type_ = stmt.var.type
            if isinstance(type_, ir.TileType) and type_.memory_space is None:
                yield _report(
                    "tile-memory-missing",
                    0,
                    f"Tile '{author_name(stmt.var)}' has no memory space in function '{function.name}'",
                    target_span(stmt, stmt.var),
                )
        call = leaf_call(stmt)
        if call is not None and not call.is_function_call:
            yield from _operands(call, stmt)


def _operands(call: ir.Call, stmt: ir.Stmt) -> Iterator[Diagnostic]:
    op = find_op(call.op.name)
    if op is None:
        return
    for i, spaces in op.placed:
        if i >= len(call.args):
            break
        arg = call.args[i]
        var = as_var(arg)
        if var is None or not isinstance(var.type, ir.TileType):
            continue
        space = var.type.memory_space
        if space is None or space in spaces:
            continue
        allowed, name = "/".join(s.name for s in spaces), author_name(var)
        yield _report(
            "tile-memory-operand",
            0,
            f"'{call.name}' reads input {i} '{name}' from {allowed}, but it is in {space.name}",
            use_span(best_span(arg.span if arg is not var else call.span, call.span, stmt.span), name),
            related=(Related(f"'{name}' is defined here", var.span),),
            data={"op": call.name, "input": i, "name": name, "space": space.name},
        )


VERIFIER = Verifier("TileMemoryInferred", RULE, check)
