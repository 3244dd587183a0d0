"""Facts about kernels that the steps share, and the retyping of a kernel's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.analysis.statements import trailing_yield
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    IterArg,
    ParamDirection,
    ReturnStmt,
    Stmt,
    Var,
    WhileStmt,
    body_stmts,
)
from pypto_core.ir.rewrite import Rewriter, map_tuple
from pypto_core.ir.walk import expr_vars, stmt_exprs, walk_stmts
from pypto_core.passes.tensor_to_tile.body import same_type
from pypto_core.passes.tensor_to_tile.lowering import op_call

Functions = dict[str, Function]


def is_kernel(function: Function | None) -> bool:
    """Whether ``function`` is an InCore function of the program."""
    return function is not None and function.func_type is FunctionType.InCore


def is_orchestration(function: Function) -> bool:
    """Whether ``function`` launches kernels: neither a kernel nor a wrapper."""
    return not function.func_type.is_incore and not function.func_type.is_wrapper


def top_level_values(function: Function) -> dict[Var, Expr]:
    """Variables that the top level of a body assigns, with their values."""
    return {s.var: s.value for s in body_stmts(function.body) if isinstance(s, AssignStmt)}


def returned_values(function: Function) -> tuple[Expr, ...]:
    """What the last statement returns."""
    stmts = body_stmts(function.body)
    last = stmts[-1] if stmts else None
    return last.values if isinstance(last, ReturnStmt) else ()


def out_mapping(function: Function) -> dict[int, int]:
    """Return item -> index of the Out parameter that it is: a top-level ``tile.store`` into the parameter, or the result
    of a top-level loop that starts from it."""
    outs = {
        param: index
        for index, (param, direction) in enumerate(zip(function.params, function.param_directions))
        if direction is ParamDirection.Out
    }
    origins: dict[Expr, Expr] = {}
    for stmt in body_stmts(function.body):
        if isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == "tile.store":
            origins[stmt.var] = stmt.value.args[2]
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            for result, arg in zip(stmt.return_vars, stmt.iter_args):
                origins[result] = arg.init_value
    found: dict[int, int] = {}
    for item, value in enumerate(returned_values(function)):
        origin = origins.get(value)
        if isinstance(origin, Var) and origin in outs:
            found[item] = outs[origin]
    return found


def occurrences(body: Stmt) -> dict[Var, int]:
    """How often each variable stands in a value position."""
    counts: dict[Var, int] = {}
    for stmt in walk_stmts(body):
        for root in stmt_exprs(stmt):
            for var in expr_vars(root):
                counts[var] = counts.get(var, 0) + 1
    return counts


_FOLLOWS = frozenset({"tile.store", "tensor.assemble", "tensor.write"})
"""Operators whose result is the written tensor: its type follows the target's."""


class Retype(Rewriter):
    """Replaces variables by others and lets types follow: stores, carried values, loop and branch results."""

    def __init__(self, mapping: Mapping[Var, Expr]) -> None:
        self.mapping: dict[Var, Expr] = dict(mapping)

    def rewrite_Var(self, var: Var) -> Expr:
        return self.mapping.get(var, var)

    def rewrite_Call(self, call: Call) -> Expr:
        new: Call = self.generic(call)
        if new is call or new.name not in _FOLLOWS:
            return new
        typed = op_call(new.name, new.args, new.kwargs, span=new.span, attrs=new.attrs)
        return new if same_type(new.type, typed.type) else new.with_(type=typed.type)

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        value = self.rewrite(stmt.value)
        if value is stmt.value:
            return stmt
        return stmt.with_(var=self._follow(stmt.var, value), value=value)

    def _follow(self, var: Var, value: Expr) -> Var:
        if same_type(var.type, value.type):
            return var
        new = var.with_(type=value.type)
        self.mapping[var] = new
        return new

    def rewrite_def(self, var: Any) -> Any:
        if var.__class__ is not IterArg:
            return var
        init = self.rewrite(var.init_value)
        if init is var.init_value:
            return var
        kind = var.type if same_type(var.type, init.type) else init.type
        new = var.with_(init_value=init, type=kind)
        self.mapping[var] = new
        return new

    def _loop(self, stmt: Any) -> Stmt:
        new: Any = self.generic(stmt)
        if new is stmt:
            return stmt  # type: ignore[no-any-return]
        carried = iter(new.iter_args)
        results = map_tuple(stmt.return_vars, lambda var: self._follow(var, next(carried)))
        return new.with_(return_vars=results)  # type: ignore[no-any-return]

    def rewrite_ForStmt(self, stmt: ForStmt) -> Stmt:
        return self._loop(stmt)

    def rewrite_WhileStmt(self, stmt: WhileStmt) -> Stmt:
        return self._loop(stmt)

    def rewrite_IfStmt(self, stmt: IfStmt) -> Stmt:
        new: IfStmt = self.generic(stmt)
        ended = trailing_yield(new.then_body)
        if new is stmt or ended is None or len(ended.values) != len(stmt.return_vars):
            return new
        values = iter(ended.values)
        return new.with_(return_vars=map_tuple(stmt.return_vars, lambda var: self._follow(var, next(values))))


def retype_params(function: Function, new: Mapping[Var, Var]) -> Function:
    """The function with parameters replaced and the body's types following; return types stay."""
    if not new:
        return function
    return function.with_(
        params=map_tuple(function.params, lambda p: new.get(p, p)),
        body=Retype(new).rewrite(function.body),
    )
