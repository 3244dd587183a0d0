"""Carries that one side of a mixed kernel only hands on (docs/spec/passes_split.md §10.5).

A loop that both cores run keeps an accumulator of the other core where a branch of it yields the accumulator unchanged, or where
a later branch hands it on. Its first value or the one yielded back is made on the other core alone, and nothing here reads it: the
slot goes, and so do the merges that only feed it or follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pypto_core.analysis.statements import block, stmts_of, trailing_yield
from pypto_core.analysis.uses import expr_vars
from pypto_core.ir import AssignStmt, Expr, ForStmt, IfStmt, SeqStmts, Stmt, Var, WhileStmt, YieldStmt
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies, stmt_defs, stmt_exprs


def drop_lost_carries(
    stmts: Sequence[Stmt], received: Mapping[Var, Var], outside: Iterable[Var]
) -> list[Stmt]:
    """`stmts` without loop slots whose first or next value this side does not have and whose value it never reads.

    `received` maps what this side receives to the received tile; `outside` are the variables that the body may read
    without defining them.
    """
    lost = _Lost(received, set(outside))
    lost.block(stmts)
    if not lost.carries:
        return list(stmts)
    drop = _Drop(lost.carries - _read(stmts))
    return drop.block(stmts) if drop.gone else list(stmts)


class _Lost:
    """Finds the carries without a first or next value; ``visible`` grows in program order."""

    def __init__(self, received: Mapping[Var, Var], visible: set[Var]) -> None:
        self.received = received
        self.visible = visible
        self.carries: set[Var] = set()

    @goes_deep
    def block(self, stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            if isinstance(stmt, (ForStmt, WhileStmt)):
                self.look(stmt.iter_args, [arg.init_value for arg in stmt.iter_args])
                self.visible.update(stmt.iter_args)
                if isinstance(stmt, ForStmt):
                    self.visible.add(stmt.loop_var)
            for body in stmt_bodies(stmt):
                self.block(stmts_of(body))
            if isinstance(stmt, (ForStmt, WhileStmt)):
                last = trailing_yield(stmt.body)
                self.look(stmt.iter_args, last.values if last is not None else ())
            self.visible.update(stmt_defs(stmt))

    def look(self, args: Sequence[Var], values: Sequence[Expr]) -> None:
        for arg, value in zip(args, values):
            if not all(self.received.get(v, v) in self.visible for v in expr_vars(value)):
                self.carries.add(arg)


def _read(stmts: Sequence[Stmt]) -> set[Var]:
    """Variables whose value has an effect: what loops and branches hand on counts only where something reads it in the end."""
    needs: dict[Var, list[Var]] = {}
    work: list[Var] = []

    def hand_on(targets: Sequence[Var], bodies: Iterable[Stmt | None]) -> None:
        for body in bodies:
            last = trailing_yield(body) if body is not None else None
            for var, value in zip(targets, last.values if last is not None else ()):
                needs.setdefault(var, []).extend(expr_vars(value))

    @goes_deep
    def visit(stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            if isinstance(stmt, AssignStmt):
                needs.setdefault(stmt.var, []).extend(expr_vars(stmt.value))
                if not isinstance(stmt.value, Var):
                    work.append(stmt.var)
            elif isinstance(stmt, (ForStmt, WhileStmt)):
                for arg in stmt.iter_args:
                    needs.setdefault(arg, []).extend(expr_vars(arg.init_value))
                hand_on(stmt.iter_args, (stmt.body,))
                hand_on(stmt.return_vars, (stmt.body,))
                for var, arg in zip(stmt.return_vars, stmt.iter_args):
                    needs.setdefault(var, []).append(arg)
                bounds = (
                    (stmt.start, stmt.stop, stmt.step) if isinstance(stmt, ForStmt) else (stmt.condition,)
                )
                work.extend(v for e in bounds for v in expr_vars(e))
            elif isinstance(stmt, IfStmt):
                hand_on(stmt.return_vars, (stmt.then_body, stmt.else_body))
                work.extend(expr_vars(stmt.condition))
            elif not isinstance(stmt, (SeqStmts, YieldStmt)):
                work.extend(v for e in stmt_exprs(stmt) for v in expr_vars(e))
            for body in stmt_bodies(stmt):
                visit(stmts_of(body))

    visit(stmts)
    read: set[Var] = set()
    while work:
        var = work.pop()
        if var not in read:
            read.add(var)
            work.extend(needs.get(var, ()))
    return read


class _Drop:
    """Removes slots; a merge or an inner carry that takes a removed value goes with it."""

    def __init__(self, gone: set[Var]) -> None:
        self.gone = gone

    def takes_gone(self, values: Iterable[Expr]) -> bool:
        return any(v in self.gone for value in values for v in expr_vars(value))

    @goes_deep
    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [self.stmt(s) for s in stmts]

    def body(self, body: Stmt) -> Stmt:
        return block(self.block(stmts_of(body)), body)

    def stmt(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, (ForStmt, WhileStmt)):
            keep = [a not in self.gone and not self.takes_gone((a.init_value,)) for a in stmt.iter_args]
            self.gone.update(a for a, k in zip(stmt.iter_args, keep) if not k)
            self.gone.update(v for v, k in zip(stmt.return_vars, keep) if not k)
            stmt = stmt.with_(
                body=_yielding(self.body(stmt.body), keep),
                iter_args=tuple(a for a, k in zip(stmt.iter_args, keep) if k),
                return_vars=tuple(v for v, k in zip(stmt.return_vars, keep) if k),
            )
        elif isinstance(stmt, IfStmt):
            then, other = self.body(stmt.then_body), None
            if stmt.else_body is not None:
                other = self.body(stmt.else_body)
            ends = [e.values for b in (then, other) if b is not None and (e := trailing_yield(b)) is not None]
            keep = [not self.takes_gone(pair) for pair in zip(*ends)] if stmt.return_vars else []
            self.gone.update(v for v, k in zip(stmt.return_vars, keep) if not k)
            stmt = stmt.with_(
                then_body=_yielding(then, keep),
                else_body=None if other is None else _yielding(other, keep),
                return_vars=tuple(v for v, k in zip(stmt.return_vars, keep) if k),
            )
        elif isinstance(stmt, SeqStmts):
            return self.body(stmt)
        return stmt


def _yielding(body: Stmt, keep: Sequence[bool]) -> Stmt:
    """`body` with the kept slots of the yield at its end."""
    stmts = list(stmts_of(body))
    if not keep or all(keep) or not stmts or not isinstance(stmts[-1], YieldStmt):
        return body
    values = tuple(v for v, k in zip(stmts[-1].values, keep) if k)
    return block([*stmts[:-1], *([stmts[-1].with_(values=values)] if values else [])])
