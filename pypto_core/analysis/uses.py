"""Definitions and uses of variables in statement lists (docs/spec/ir.md §1.10, §1.11).

A use is a variable in a value position: arguments, conditions, bounds, initial values, yields, returns and attribute
values. Variables that only a *type* mentions are found by :func:`type_vars`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pypto_core.ir import AssignStmt, ForStmt, IfStmt, Stmt, Var, WhileStmt
from pypto_core.ir.walk import expr_vars, stmt_defs, stmt_exprs, type_vars, walk_stmts

__all__ = ["all_defs", "all_uses", "defs_of", "expr_vars", "result_defs", "type_vars", "uses_of"]


def all_uses(stmt: Stmt) -> list[Var]:
    """Every variable occurrence in a statement and its nested bodies."""
    if stmt.__class__ is AssignStmt:
        return expr_vars(stmt.value)
    found: list[Var] = []
    for inner in walk_stmts(stmt):
        for expr in stmt_exprs(inner):
            found += expr_vars(expr)
    return found


def all_defs(stmt: Stmt) -> list[Var]:
    """Every variable that a statement or its nested bodies define."""
    if stmt.__class__ is AssignStmt:
        return [stmt.var]
    return [var for inner in walk_stmts(stmt) for var in stmt_defs(inner)]


def uses_of(stmts: Iterable[Stmt]) -> set[Var]:
    """Variables used in any of `stmts`."""
    found: set[Var] = set()
    for stmt in stmts:
        found.update(all_uses(stmt))
    return found


def defs_of(stmts: Iterable[Stmt]) -> set[Var]:
    """Variables defined in any of `stmts`, at any depth."""
    found: set[Var] = set()
    for stmt in stmts:
        found.update(all_defs(stmt))
    return found


def result_defs(stmt: Stmt) -> tuple[Var, ...]:
    """Variables that `stmt` makes visible after itself: the target, or the results of a loop or branch."""
    if isinstance(stmt, AssignStmt):
        return (stmt.var,)
    if isinstance(stmt, (ForStmt, WhileStmt, IfStmt)):
        return tuple(stmt.return_vars)
    return ()
