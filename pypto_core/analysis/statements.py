"""Small readers of statement lists that analyses, verifiers and passes share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    IterArg,
    ReturnStmt,
    RuntimeScopeStmt,
    SeqStmts,
    SplitAivScopeStmt,
    Stmt,
    Var,
    YieldStmt,
)
from pypto_core.ir.stmt import SCOPE_CLASSES
from pypto_core.ir.walk import stmt_bodies, stmts_below

SCOPES: frozenset[type] = frozenset(SCOPE_CLASSES)


def as_var(expr: Expr | None) -> Var | None:
    """`expr` when it is a plain variable or a loop-carried one (docs/spec/ir.md §1.1 rule 5), else None."""
    return expr if type(expr) is Var or type(expr) is IterArg else None


def stmts_of(body: Stmt | None) -> tuple[Stmt, ...]:
    """The statements of a body, whether it is a sequence, a single statement or absent."""
    if body is None:
        return ()
    return body.stmts if isinstance(body, SeqStmts) else (body,)


def block(stmts: Sequence[Stmt], like: Stmt | None = None) -> Stmt:
    """A body made of `stmts`; `like` itself when it consists of exactly these objects."""
    if like is not None:
        old = stmts_of(like)
        if len(old) == len(stmts) and all(a is b for a, b in zip(old, stmts)):
            return like
    return SeqStmts.flatten(stmts)


def leaf_call(stmt: Stmt) -> Call | None:
    """The call that an assignment or evaluation statement performs, else None."""
    kind = stmt.__class__
    if kind is AssignStmt:
        value = stmt.value  # type: ignore[attr-defined]
    elif kind is EvalStmt:
        value = stmt.expr  # type: ignore[attr-defined]
    else:
        return None
    return value if value.__class__ is Call else None


def walk_stmts(body: Stmt | Sequence[Stmt], *, into_regions: bool = True) -> Iterator[Stmt]:
    """Every statement that is not a sequence, in program order, compound statements before their content.

    With ``into_regions=False`` the content of split regions is left out (the region itself is yielded).
    """
    if into_regions and body.__class__ is SeqStmts:
        return iter(stmts_below(body))
    return _walk_stmts(stmts_of(body) if isinstance(body, Stmt) else body, into_regions)


def _walk_stmts(stmts: Sequence[Stmt], into_regions: bool) -> Iterator[Stmt]:
    stack: list[Stmt] = list(stmts)[::-1]
    while stack:
        stmt = stack.pop()
        kind = stmt.__class__
        if kind is AssignStmt or kind is EvalStmt:
            yield stmt
            continue
        if kind is not SeqStmts:
            yield stmt
            if kind is SplitAivScopeStmt and not into_regions:
                continue
        stack += stmt_bodies(stmt)[::-1]


def has_region(body: Stmt | Sequence[Stmt]) -> bool:
    """Whether a split region stands anywhere in `body`, other scopes looked through."""
    return SplitAivScopeStmt in map(type, walk_stmts(body))


def trailing_yield(body: Stmt) -> YieldStmt | None:
    """The yield that ends `body`, nested sequences, runtime scopes and split regions looked through; else None."""
    stmts = stmts_of(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, SeqStmts):
        return trailing_yield(last)
    if isinstance(last, (RuntimeScopeStmt, SplitAivScopeStmt)):
        return trailing_yield(last.body)
    return last if isinstance(last, YieldStmt) else None


def first_return(body: Stmt) -> ReturnStmt | None:
    """The first return statement in program order, else None."""
    found = (stmt for stmt in walk_stmts(body) if stmt.__class__ is ReturnStmt)
    return next(found, None)
