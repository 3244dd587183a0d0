"""P3: a loop that assembles a tile which is then stored becomes a loop of stores
(docs/spec/passes_tensor_to_tile.md Part 2, P3)."""

from __future__ import annotations

from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Function,
    MakeTuple,
    ParamDirection,
    ReturnStmt,
    Stmt,
    Var,
    body_stmts,
    substitute,
)
from pypto_core.passes.orch_tensors.kernels import Functions, is_kernel, occurrences
from pypto_core.passes.tensor_to_tile.body import block_of
from pypto_core.passes.tensor_to_tile.results import find_assemble_loop, store_into


def rewrite_store_loops(functions: Functions) -> None:
    """Apply P3 to every kernel."""
    for name, function in functions.items():
        if is_kernel(function):
            functions[name] = _rewrite(function)


def _rewrite(function: Function) -> Function:
    stmts = list(body_stmts(function.body))
    last = stmts[-1] if stmts else None
    if not isinstance(last, ReturnStmt):
        return function
    outs = {
        param
        for param, direction in zip(function.params, function.param_directions)
        if direction is ParamDirection.Out
    }
    counts = occurrences(function.body)
    for value in last.values:
        store = _final_store(stmts, value)
        if store is None:
            continue
        call = store.value
        assert isinstance(call, Call)
        tile, out = call.args[0], call.args[2]
        if not isinstance(out, Var) or out not in outs or not isinstance(tile, Var):
            continue
        loop = find_assemble_loop(stmts, tile)
        if loop is None or counts[out] != 1 or counts[tile] != 1:
            continue
        result = store_into(stmts, loop, out)
        stmts = [substitute(s, {store.var: result}) for s in stmts if s is not store]
    return function.with_(body=block_of(stmts, function.body))


def _final_store(stmts: list[Stmt], value: object) -> AssignStmt | None:
    """The top-level ``value = tile.store(tile, [0, ...], out)``."""
    for stmt in stmts:
        if isinstance(stmt, AssignStmt) and stmt.var is value:
            call = stmt.value
            if isinstance(call, Call) and call.name == "tile.store" and len(call.args) == 3:
                offsets = call.args[1]
                if isinstance(offsets, MakeTuple) and all(
                    isinstance(o, ConstInt) and o.value == 0 for o in offsets.elements
                ):
                    return None if call.kwargs.get("atomic", 0) else stmt
    return None
