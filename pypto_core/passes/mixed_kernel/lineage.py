"""Where tensors and return values come from (docs/spec/passes_split.md §10.3, items 11 and 12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pypto_core.analysis.statements import as_var, first_return, leaf_call, trailing_yield, walk_stmts
from pypto_core.ir import AssignStmt, Expr, ForStmt, Function, IfStmt, Stmt, TensorType, Var, WhileStmt
from pypto_core.ir.walk import stmt_bodies
from pypto_core.ops.registry import find_op


def gm_origins(function: Function, stmts: Sequence[Stmt]) -> dict[Var, Var]:
    """Variable -> the parameter whose global memory it names, followed through stores, aliases, loops and merges."""
    origin: dict[Var, Var] = {p: p for p in function.params}
    work = [step for step in _in_order(stmts) if _may_name_memory(step[0])]

    def of(expr: Expr) -> Var | None:
        var = as_var(expr)
        return origin.get(var) if var is not None else None

    def put(var: Var, found: Var | None) -> bool:
        if found is None or origin.get(var) is found:
            return False
        origin[var] = found
        return True

    # Results are looked at behind their bodies, so that the second round finds nothing new; the bound keeps a name that is assigned
    # twice from alternating forever.
    for _ in range(len(work) + 1):
        changed = False
        for stmt, ended in work:
            if isinstance(stmt, AssignStmt):
                call = leaf_call(stmt)
                if call is None:
                    changed |= put(stmt.var, of(stmt.value))
                elif call.name == "tile.store" and len(call.args) > 2:
                    changed |= put(stmt.var, of(call.args[2]))
            elif isinstance(stmt, (ForStmt, WhileStmt)) and not ended:
                for arg in stmt.iter_args:
                    changed |= put(arg, of(arg.init_value))
            elif isinstance(stmt, (ForStmt, WhileStmt)):
                last = trailing_yield(stmt.body)
                for var, value in zip(stmt.return_vars, last.values if last is not None else ()):
                    changed |= put(var, of(value))
            elif isinstance(stmt, IfStmt) and stmt.else_body is not None and ended:
                then, other = trailing_yield(stmt.then_body), trailing_yield(stmt.else_body)
                if then is None or other is None:
                    continue
                for var, a, b in zip(stmt.return_vars, then.values, other.values):
                    found = of(a)
                    changed |= put(var, found if found is not None and found is of(b) else None)
        if not changed:
            break
    return origin


def _may_name_memory(stmt: Stmt) -> bool:
    """Whether a statement can give a variable the memory of another one: all but assignments of a result of its own."""
    call = leaf_call(stmt)
    return call is None or call.op.name == "tile.store"


def _in_order(stmts: Sequence[Stmt]) -> Iterator[tuple[Stmt, bool]]:
    """Every statement below ``stmts``; those with bodies twice, in front of the bodies and, marked, behind them."""
    todo: list[tuple[Stmt, bool]] = [(stmt, False) for stmt in stmts[::-1]]
    while todo:
        stmt, ended = todo.pop()
        yield stmt, ended
        bodies = () if ended else stmt_bodies(stmt)
        if bodies:
            todo.append((stmt, True))
            todo += [(body, False) for body in bodies[::-1]]


def return_params(function: Function) -> list[Var | None]:
    """For each value of the first return, the parameter that it traces to by the return lineage, or None.

    Unlike :func:`gm_origins` a loop result follows the loop's initial value, and merges are not traced.
    """
    ret = first_return(function.body)
    if ret is None:
        return []
    lineage: dict[Var, Expr] = {}
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, AssignStmt):
            call = leaf_call(stmt)
            if call is None:
                lineage[stmt.var] = stmt.value
                continue
            op = None if call.is_function_call else find_op(call.name)
            reused = op.output_reuses_input if op is not None else None
            if reused is not None and reused < len(call.args):
                lineage[stmt.var] = call.args[reused]
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            for i, arg in enumerate(stmt.iter_args):
                lineage[arg] = arg.init_value
                if i < len(stmt.return_vars) and isinstance(stmt.return_vars[i].type, TensorType):
                    lineage[stmt.return_vars[i]] = arg.init_value
    params = frozenset(function.params)

    def trace(expr: Expr) -> Var | None:
        var = as_var(expr)
        seen: set[Var] = set()
        while var is not None and var not in params and var not in seen:
            seen.add(var)
            var = as_var(lineage.get(var))
        return var if var in params else None

    return [trace(value) for value in ret.values]
