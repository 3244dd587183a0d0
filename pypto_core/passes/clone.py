"""Detaching a body: a fresh variable for every definition (docs/spec/passes_split.md §10.9, passes_front.md §0.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.ir import AssignStmt, Call, Expr, ForStmt, IfStmt, IterArg, Stmt, Submit, Type, Var, WhileStmt
from pypto_core.ir.rewrite import Rewriter, map_tuple, map_type


class _Clone(Rewriter):
    """Definitions are renewed in traversal order; a new variable's type sees only what was renewed before it.

    A variable that is assigned twice, as one that a loop's initial value pulled to a second place, stays one variable.
    """

    def __init__(self, seeds: Mapping[Var, Expr], replaced: Mapping[Var, Var]) -> None:
        self.map: dict[Var, Expr] = dict(seeds)
        self.replaced = replaced
        self.renewed: set[Var] = set()

    def rewrite_Var(self, var: Var) -> Expr:
        var = self.replaced.get(var, var)
        return self.map.get(var, var)

    def type_of(self, type_: Type) -> Type:
        return map_type(type_, self.rewrite)

    def fresh(self, var: Var) -> Any:
        known = self.map.get(var)
        if known is var:
            return var
        if var in self.renewed:
            return known
        if isinstance(var, IterArg):
            init = self.rewrite(var.init_value)
            new: Var = IterArg(var.name_hint, self.type_of(var.type), init, span=var.span)
        else:
            new = Var(var.name_hint, self.type_of(var.type), span=var.span)
            self.renewed.add(var)
        self.map[var] = new
        return new

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        value = self.rewrite(stmt.value)
        if isinstance(value, (Call, Submit)) and self.map.get(stmt.var) is not stmt.var:
            type_ = self.type_of(value.type)
            if type_ is not value.type:
                value = value.with_(type=type_)
        var = self.fresh(stmt.var)
        if var is stmt.var and value is stmt.value:
            return stmt
        return AssignStmt(var, value, span=stmt.span, leading_comments=stmt.leading_comments)

    def rewrite_ForStmt(self, stmt: ForStmt) -> Stmt:
        start, stop, step = self.rewrite(stmt.start), self.rewrite(stmt.stop), self.rewrite(stmt.step)
        loop_var = self.fresh(stmt.loop_var)
        results = map_tuple(stmt.return_vars, self.fresh)
        args = map_tuple(stmt.iter_args, self.fresh)
        return stmt.with_(
            loop_var=loop_var,
            start=start,
            stop=stop,
            step=step,
            iter_args=args,
            body=self.rewrite(stmt.body),
            return_vars=results,
        )

    def rewrite_WhileStmt(self, stmt: WhileStmt) -> Stmt:
        results = map_tuple(stmt.return_vars, self.fresh)
        args = map_tuple(stmt.iter_args, self.fresh)
        return stmt.with_(
            iter_args=args,
            condition=self.rewrite(stmt.condition),
            body=self.rewrite(stmt.body),
            return_vars=results,
        )

    def rewrite_IfStmt(self, stmt: IfStmt) -> Stmt:
        condition = self.rewrite(stmt.condition)
        results = map_tuple(stmt.return_vars, self.fresh)
        return stmt.with_(
            condition=condition,
            then_body=self.rewrite(stmt.then_body),
            else_body=None if stmt.else_body is None else self.rewrite(stmt.else_body),
            return_vars=results,
        )


def deep_clone(
    body: Stmt, seeds: Mapping[Var, Expr] | None = None, replaced: Mapping[Var, Var] | None = None
) -> Stmt:
    """`body` with fresh variables for all its definitions and with `seeds` substituted.

    A seed that maps a variable to itself keeps that variable, its definition included. Uses of a `replaced` variable are taken
    as uses of what replaces it, as if that had been substituted first.
    """
    result: Stmt = _Clone(seeds or {}, replaced or {}).rewrite(body)
    return result
