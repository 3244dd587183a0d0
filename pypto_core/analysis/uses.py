"""Definitions and uses of variables in statement lists (docs/spec/ir.md §1.10, §1.11).

A use is a variable in a value position: arguments, conditions, bounds, initial values, yields, returns and attribute
values. Variables that only a *type* mentions are found by :func:`type_vars`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_core.ir import AssignStmt, Expr, ForStmt, IfStmt, IterArg, Stmt, Type, Var, WhileStmt
from pypto_core.ir.visitor import stmt_bodies, stmt_defs, stmt_exprs, type_exprs, walk_exprs


def expr_vars(expr: Expr) -> Iterator[Var]:
    """Every variable occurrence in an expression, left to right, attribute values last. Types are not entered."""
    for part in walk_exprs(expr):
        if type(part) is Var or type(part) is IterArg:
            yield part


def type_vars(type_: Type) -> Iterator[Var]:
    """Every variable in the extents of a type: shape, valid shape, strides, start offset, tuple elements."""
    for extent in type_exprs(type_):
        yield from expr_vars(extent)


def all_uses(stmt: Stmt) -> Iterator[Var]:
    """Every variable occurrence in a statement and its nested bodies."""
    for expr in stmt_exprs(stmt):
        yield from expr_vars(expr)
    for body in stmt_bodies(stmt):
        yield from all_uses(body)


def all_defs(stmt: Stmt) -> Iterator[Var]:
    """Every variable that a statement or its nested bodies define."""
    yield from stmt_defs(stmt)
    for body in stmt_bodies(stmt):
        yield from all_defs(body)


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
