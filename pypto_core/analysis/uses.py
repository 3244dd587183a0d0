"""Definitions and uses of variables in statement lists (docs/spec/ir.md §1.10, §1.11).

A use is a variable in a value position: arguments, conditions, bounds, initial values, yields, returns and attribute
values. Variables that only a *type* mentions are found by :func:`type_vars`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_core.ir import AssignStmt, ForStmt, IfStmt, Stmt, Type, Var, WhileStmt
from pypto_core.ir.walk import expr_vars, stmt_defs, stmt_exprs, type_exprs, walk_stmts

__all__ = ["all_defs", "all_uses", "defs_of", "expr_vars", "result_defs", "type_vars", "uses_of"]


def type_vars(type_: Type) -> Iterator[Var]:
    """Every variable in the extents of a type: shape, valid shape, strides, start offset, tuple elements."""
    for extent in type_exprs(type_):
        yield from expr_vars(extent)


def all_uses(stmt: Stmt) -> list[Var]:
    """Every variable occurrence in a statement and its nested bodies."""
    if stmt.__class__ is AssignStmt:
        return expr_vars(stmt.value)
    return [var for inner in walk_stmts(stmt) for expr in stmt_exprs(inner) for var in expr_vars(expr)]


def all_defs(stmt: Stmt) -> list[Var]:
    """Every variable that a statement or its nested bodies define."""
    if stmt.__class__ is AssignStmt:
        return [stmt.var]
    return [var for inner in walk_stmts(stmt) for var in stmt_defs(inner)]


def uses_of(stmts: Iterable[Stmt]) -> set[Var]:
    """Variables used in any of `stmts`."""
    return {var for stmt in stmts for var in all_uses(stmt)}


def defs_of(stmts: Iterable[Stmt]) -> set[Var]:
    """Variables defined in any of `stmts`, at any depth."""
    return {var for stmt in stmts for var in all_defs(stmt)}


def result_defs(stmt: Stmt) -> tuple[Var, ...]:
    """Variables that `stmt` makes visible after itself: the target, or the results of a loop or branch."""
    if isinstance(stmt, AssignStmt):
        return (stmt.var,)
    if isinstance(stmt, (ForStmt, WhileStmt, IfStmt)):
        return tuple(stmt.return_vars)
    return ()
