"""Rewriting a statement in parts: its header here, its bodies there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pypto_core.ir import (
    Expr,
    ForStmt,
    IfStmt,
    ScopeStmt,
    SpmdScopeStmt,
    Stmt,
    Var,
    WhileStmt,
    map_attrs,
    map_tuple,
    substitute,
)
from pypto_core.ir.deep import goes_deep


@goes_deep
def map_bodies(stmt: Stmt, function: Callable[[Stmt], Stmt]) -> Stmt:
    """``stmt`` with ``function`` applied to its bodies; the same object when none changed."""
    if isinstance(stmt, IfStmt):
        then_body = function(stmt.then_body)
        else_body = None if stmt.else_body is None else function(stmt.else_body)
        return stmt.with_(then_body=then_body, else_body=else_body)
    if isinstance(stmt, (ForStmt, WhileStmt, ScopeStmt)):
        return stmt.with_(body=function(stmt.body))
    return stmt


def substitute_header(stmt: Stmt, mapping: Mapping[Var, Expr]) -> Stmt:
    """``stmt`` with mapped variables replaced outside its bodies.

    The carried values of a loop (and a while condition, which reads them) are left to the caller: replacing an initial
    value makes a new iter_arg, and its uses must follow.
    """
    if not mapping or isinstance(stmt, WhileStmt):
        return stmt
    if isinstance(stmt, IfStmt):
        return stmt.with_(condition=substitute(stmt.condition, mapping))
    if isinstance(stmt, ForStmt):
        return stmt.with_(
            start=substitute(stmt.start, mapping),
            stop=substitute(stmt.stop, mapping),
            step=substitute(stmt.step, mapping),
        )
    if isinstance(stmt, ScopeStmt):
        stmt = stmt.with_(attrs=map_attrs(stmt.attrs, lambda e: substitute(e, mapping)))
        if isinstance(stmt, SpmdScopeStmt):
            stmt = stmt.with_(core_num=substitute(stmt.core_num, mapping))
        return stmt
    new: Stmt = substitute(stmt, mapping)
    return new


def substitute_loop(stmt: ForStmt | WhileStmt, mapping: dict[Var, Expr]) -> ForStmt | WhileStmt:
    """:func:`substitute_header` with the carried values included; renamed iter_args are added to ``mapping``."""
    iter_args = map_tuple(
        stmt.iter_args, lambda arg: arg.with_(init_value=substitute(arg.init_value, mapping))
    )
    new = substitute_header(stmt, mapping).with_(iter_args=iter_args)
    assert isinstance(new, (ForStmt, WhileStmt))
    mapping.update((old, arg) for old, arg in zip(stmt.iter_args, iter_args, strict=True) if old is not arg)
    if isinstance(new, WhileStmt):
        new = new.with_(condition=substitute(new.condition, mapping))
    return new
