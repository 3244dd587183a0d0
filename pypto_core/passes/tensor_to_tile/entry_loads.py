"""Loads of whole parameters at the start of a kernel (docs/spec/passes_tensor_to_tile.md §1.4)."""

from __future__ import annotations

from pypto_core.analysis.statements import as_var
from pypto_core.ir import AssignStmt, Call, ForStmt, Function, Stmt, TensorType, Var, WhileStmt
from pypto_core.ir.walk import walk_stmts
from pypto_core.passes.tensor_to_tile.lowering import VEC, base_name, load_whole
from pypto_core.passes.tensor_to_tile.table import CONVERTERS, SELF_LOADING, required_space


def parameters_to_load(function: Function) -> list[Var]:
    """Plain tensor parameters that some converted operator uses whole.

    A loop-carried value counts for the parameter it starts from, one level deep. Calls that are not bound by an
    assignment never cause a load.
    """
    tensors = {param for param in function.params if type(param.type) is TensorType}
    starts: dict[Var, Var] = {}
    used: set[Var] = set()
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, (ForStmt, WhileStmt)):
            for arg in stmt.iter_args:
                init = as_var(arg.init_value)
                if init in tensors:
                    assert init is not None
                    starts[arg] = init
        elif isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call):
            call = stmt.value
            if call.name in CONVERTERS and call.name not in SELF_LOADING:
                for index, arg_expr in enumerate(call.args):
                    var = as_var(arg_expr)
                    if var is None:
                        continue
                    start = starts.get(var, var)
                    if start in tensors and required_space(call.name, index) is None:
                        used.add(start)
    return [param for param in function.params if param in used]


def entry_loads(function: Function) -> tuple[list[Stmt], dict[Var, Var]]:
    """The load statements, and the tile that replaces each loaded parameter everywhere in the body."""
    stmts: list[Stmt] = []
    tiles: dict[Var, Var] = {}
    for param in parameters_to_load(function):
        span = param.span if param.span.is_valid else function.span
        call = load_whole(param, VEC, span)
        tile = Var(f"{base_name(param.name_hint)}__tile", call.type, span=span)
        tiles[param] = tile
        stmts.append(AssignStmt(tile, call, span=span))
    return stmts, tiles
