"""NormalizeReturnOrder: kernels return their written parameters, in signature order (docs/spec/passes_split.md §14)."""

from __future__ import annotations

from typing import Any

from pypto_core.analysis.statements import as_var, first_return, leaf_call, stmts_of
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    ParamDirection,
    Program,
    ReturnStmt,
    Stmt,
    Submit,
    TensorType,
    TupleGetItem,
    Var,
    WhileStmt,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.walk import walk_stmts
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.mixed_kernel.lineage import return_params

CONTRACT = PassContract.of(required="SplitIncoreOrch IncoreTileOps", produced="ReturnParamsExplicit")


def normalize_return_order(*, backend: Any = None) -> Pass:
    """The pass; its result depends on no backend."""
    return Pass("NormalizeReturnOrder", CONTRACT, _run)


def _run(program: Program) -> Program:
    orders: dict[str, tuple[int, ...]] = {}
    lineage = _Lineage(program)

    def kernel(function: Function) -> Function:
        named = function
        if function.func_type.is_incore or function.func_type.is_wrapper:
            named = _explicit(function, lineage)
        # Of the named parameters: a result that only part A traces, such as a scatter's, has its place as well.
        order = _order(named) if function.func_type.is_incore else None
        if order is None:
            return named
        orders[function.name] = _inverse(order)
        return _reordered(named, order)

    program = map_functions(program, kernel)
    if not orders:
        return program

    def caller(function: Function) -> Function:
        if function.func_type.is_incore:
            return function
        return function.with_(body=_Reindex(orders, function.body).rewrite(function.body))

    return map_functions(program, caller)


# -- A: return parameters ----------------------------------------------------------------------------------------------


class _Lineage:
    """For every function, the own parameter that each return position stands for (None: no parameter).

    A wrapper's value is followed through the call that made it: what the callee returns is one of the arguments.
    """

    def __init__(self, program: Program) -> None:
        self.functions = {f.name: f for f in program.functions}
        self.known: dict[str, tuple[Var | None, ...]] = {}

    def of(self, name: str) -> tuple[Var | None, ...]:
        if name not in self.known:
            self.known[name] = ()
            function = self.functions.get(name)
            if function is not None and first_return(function.body) is not None:
                self.known[name] = self.traced(function)
        return self.known[name]

    def traced(self, function: Function) -> tuple[Var | None, ...]:
        ret = first_return(function.body)
        assert ret is not None
        made = _definitions(function.body)
        out: list[Var | None] = []
        for value, param in zip(ret.values, return_params(function)):
            if param is not None:
                out.append(param)
            else:
                out.extend(self.through_call(function, value, made))
        return tuple(out)

    def through_call(self, function: Function, value: Expr, made: dict[Var, Expr]) -> tuple[Var | None, ...]:
        """One entry, or one per position of a returned call result that is a whole tuple."""
        value = _resolved(value, made)
        call = _resolved(value.tuple, made) if isinstance(value, TupleGetItem) else value
        callee = self.functions.get(call.name) if isinstance(call, Call) and call.is_function_call else None
        if callee is None or not isinstance(call, Call):
            return (None,)
        own = set(function.params)
        found: list[Var | None] = []
        for param in self.of(callee.name):
            position = callee.params.index(param) if param is not None else None
            arg = as_var(call.args[position]) if position is not None and position < len(call.args) else None
            found.append(arg if arg in own else None)
        if isinstance(value, TupleGetItem):
            return (found[value.index] if value.index < len(found) else None,)
        return tuple(found) or (None,)


def _definitions(body: Stmt) -> dict[Var, Expr]:
    return {stmt.var: stmt.value for stmt in walk_stmts(body) if isinstance(stmt, AssignStmt)}


def _resolved(value: Expr, made: dict[Var, Expr]) -> Expr:
    """What a variable stands for, aliases followed."""
    seen: set[Var] = set()
    while (var := as_var(value)) is not None and var in made and var not in seen:
        seen.add(var)
        value = made[var]
    return value


def _explicit(function: Function, lineage: _Lineage) -> Function:
    """Tensor return values that trace to a parameter, written as that parameter."""
    ret = first_return(function.body)
    if ret is None:
        return function
    traced = lineage.of(function.name)
    if len(ret.values) == 1 and len(traced) > 1:
        params = [p for p in traced if p is not None and isinstance(p.type, TensorType)]
        if len(params) != len(traced) or len(function.return_types) != len(traced):
            return function
        return function.with_(body=_replace_return(function.body, ret, ret.with_(values=tuple(params))))
    if len(traced) != len(ret.values):
        return function
    values = tuple(
        param if param is not None and isinstance(value.type, TensorType) else value
        for value, param in zip(ret.values, traced)
    )
    if all(a is b for a, b in zip(values, ret.values)):
        return function
    return function.with_(body=_replace_return(function.body, ret, ret.with_(values=values)))


def _replace_return(body: Stmt, old: ReturnStmt, new: ReturnStmt) -> Stmt:
    class Replace(Rewriter):
        def rewrite_ReturnStmt(self, stmt: ReturnStmt) -> Stmt:
            return new if stmt is old else stmt

    result: Stmt = Replace().rewrite(body)
    return result


# -- B: signature order ------------------------------------------------------------------------------------------------


def _order(function: Function) -> tuple[int, ...] | None:
    """For each new position the old one, None when nothing moves or the mapping is no permutation."""
    stmts = stmts_of(function.body)
    ret = stmts[-1] if stmts else None
    if not isinstance(ret, ReturnStmt) or not ret.values:
        return None
    outs = [p for p, d in zip(function.params, function.param_directions) if d != ParamDirection.In]
    if len(outs) > len(ret.values):
        return None
    writes = _written_params(function, stmts[:-1])
    target: dict[int, int] = {}
    for old, value in enumerate(ret.values):
        var = as_var(value)
        param = writes.get(var) if var is not None else None
        if param in outs:
            new = outs.index(param)
            if new in target.values():
                return None
            target[old] = new
    order: list[int | None] = [None] * len(ret.values)
    for old, new in target.items():
        order[new] = old
    for position in range(len(ret.values)):
        if position not in target:
            if order[position] is not None:
                return None
            order[position] = position
    if any(p is None for p in order):
        return None
    found = tuple(p for p in order if p is not None)
    return None if found == tuple(range(len(found))) else found


def _written_params(function: Function, stmts: tuple[Stmt, ...]) -> dict[Var, Var]:
    """Variable -> the parameter that it writes, through top-level stores, aliases and loop initial values."""
    found: dict[Var, Var] = {p: p for p in function.params}

    def of(expr: Expr) -> Var | None:
        var = as_var(expr)
        return found.get(var) if var is not None else None

    for stmt in stmts:
        if isinstance(stmt, AssignStmt):
            call = leaf_call(stmt)
            source = stmt.value if call is None else None
            if call is not None and call.name == "tile.store" and len(call.args) > 2:
                source = call.args[2]
            param = of(source) if source is not None else None
            if param is not None:
                found[stmt.var] = param
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            for var, arg in zip(stmt.return_vars, stmt.iter_args):
                param = of(arg.init_value)
                if param is not None:
                    found[var] = param
    return found


def _reordered(function: Function, order: tuple[int, ...]) -> Function:
    ret = first_return(function.body)
    assert ret is not None
    new = ret.with_(values=tuple(ret.values[i] for i in order))
    types = function.return_types
    if len(types) == len(order):
        types = tuple(types[i] for i in order)
    return function.with_(body=_replace_return(function.body, ret, new), return_types=types)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """For each old position the new one."""
    out = [0] * len(order)
    for new, old in enumerate(order):
        out[old] = new
    return tuple(out)


# -- C: callers --------------------------------------------------------------------------------------------------------


class _Reindex(Rewriter):
    """Projections of a call's result follow the callee's new order."""

    def __init__(self, orders: dict[str, tuple[int, ...]], body: Stmt) -> None:
        self.positions: dict[Var, tuple[int, ...]] = {}
        for stmt in walk_stmts(body):
            if isinstance(stmt, AssignStmt) and isinstance(stmt.value, (Call, Submit)):
                order = orders.get(stmt.value.name)
                if order is not None:
                    self.positions[stmt.var] = order

    def rewrite_TupleGetItem(self, expr: TupleGetItem) -> Expr:
        var = as_var(expr.tuple)
        order = self.positions.get(var) if var is not None else None
        if order is None or expr.index >= len(order):
            return expr
        return expr.with_(index=order[expr.index])
