"""Removal of dead scalars and dead branch results (docs/spec/passes_front.md §0.9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_core import ir
from pypto_core.analysis.uses import type_vars

_LEAVES = (ir.AssignStmt, ir.EvalStmt, ir.ReturnStmt, ir.YieldStmt)
_SCOPE_VAR_ATTRS = (
    "manual_dep_edges",
    "arg_direction_overrides_vars",
    "dump_vars",
    "task_id_var",
    "predicate",
)


def contains_call(expr: ir.Expr) -> bool:
    """Whether a Call or Submit stands anywhere in ``expr``."""
    return any(isinstance(e, (ir.Call, ir.Submit)) for e in ir.walk_exprs(expr))


def _is_task_id_extraction(value: ir.Expr) -> bool:
    if not isinstance(value, ir.TupleGetItem):
        return False
    of = value.tuple.type
    if not isinstance(of, ir.TupleType) or value.index != len(of.types) - 1:
        return False
    last = of.types[-1]
    return isinstance(last, ir.ScalarType) and last.dtype is ir.DataType.TASK_ID


def _is_removable(stmt: ir.AssignStmt) -> bool:
    return (
        isinstance(stmt.var.type, ir.ScalarType)
        and not contains_call(stmt.value)
        and not _is_task_id_extraction(stmt.value)
    )


def _vars(exprs: Iterable[ir.Expr]) -> Iterator[ir.Var]:
    for expr in exprs:
        yield from ir.collect_uses(expr)


def _roots(stmt: ir.Stmt) -> Iterator[ir.Var]:
    """Variables that a statement keeps alive by itself (step 1)."""
    if isinstance(stmt, _LEAVES):
        if isinstance(stmt, ir.AssignStmt):
            if _is_removable(stmt):
                return
            yield stmt.var
        yield from _vars(ir.stmt_exprs(stmt))
        return
    if isinstance(stmt, ir.ForStmt):
        yield from _vars((stmt.start, stmt.stop, stmt.step))
    elif isinstance(stmt, (ir.IfStmt, ir.WhileStmt)):
        yield from _vars((stmt.condition,))
    elif isinstance(stmt, ir.ScopeStmt):
        kept = {k: v for k, v in stmt.attrs.items() if k in _SCOPE_VAR_ATTRS}
        yield from _vars(ir.attr_exprs(kept))
        if isinstance(stmt, ir.SpmdScopeStmt):
            yield from _vars((stmt.core_num,))
    for var in ir.stmt_defs(stmt):
        if isinstance(var, ir.IterArg):
            yield from ir.collect_uses(var.init_value)
        if not isinstance(stmt, ir.ForStmt) or var is not stmt.loop_var:
            yield from type_vars(var.type)


def eliminate_dead_scalars(body: ir.Stmt) -> ir.Stmt:
    """``body`` without scalar assignments that nothing needs; the same object when all are needed."""
    live: set[ir.Var] = set()
    assigns: dict[ir.Var, list[ir.AssignStmt]] = {}
    any_removable = False
    for stmt in ir.walk_stmts(body):
        live.update(_roots(stmt))
        if isinstance(stmt, ir.AssignStmt):
            assigns.setdefault(stmt.var, []).append(stmt)
            any_removable = any_removable or _is_removable(stmt)
    if not any_removable:
        return body
    pending = list(live)
    while pending:
        for assign in assigns.get(pending.pop(), ()):
            for var in (*ir.collect_uses(assign.value), *type_vars(assign.var.type)):
                if var not in live:
                    live.add(var)
                    pending.append(var)
    new: ir.Stmt = _DropDead(live).rewrite(body)
    return new


class _DropDead(ir.Rewriter):
    def __init__(self, live: set[ir.Var]) -> None:
        self._live = live

    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_AssignStmt(self, stmt: ir.AssignStmt) -> ir.Stmt:
        if stmt.var not in self._live and _is_removable(stmt):
            return ir.SeqStmts((), span=stmt.span)
        return stmt


def eliminate_dead_if_results(body: ir.Stmt) -> ir.Stmt:
    """``body`` without branch results that nobody uses, together with their slots in both yields; repeated until stable."""
    while True:
        used: set[ir.Var] = set()
        has_results = False
        for stmt in ir.walk_stmts(body):
            for expr in ir.stmt_exprs(stmt):
                used.update(ir.collect_uses(expr))
            for var in ir.stmt_defs(stmt):
                used.update(type_vars(var.type))
            has_results = has_results or (isinstance(stmt, ir.IfStmt) and bool(stmt.return_vars))
        if not has_results:
            return body
        new: ir.Stmt = _DropResults(used).rewrite(body)
        if new is body:
            return body
        body = new


class _DropResults(ir.Rewriter):
    def __init__(self, used: set[ir.Var]) -> None:
        self._used = used

    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_IfStmt(self, branch: ir.IfStmt) -> ir.Stmt:
        new: ir.IfStmt = self.generic(branch)
        kept = [i for i, v in enumerate(branch.return_vars) if v in self._used]
        if len(kept) == len(branch.return_vars):
            return new
        return new.with_(
            return_vars=tuple(branch.return_vars[i] for i in kept),
            then_body=_keep_slots(new.then_body, kept),
            else_body=None if new.else_body is None else _keep_slots(new.else_body, kept),
        )


def _keep_slots(body: ir.Stmt, kept: list[int]) -> ir.Stmt:
    stmts = ir.body_stmts(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, (ir.RuntimeScopeStmt, ir.SplitAivScopeStmt)):
        inner = last.with_(body=_keep_slots(last.body, kept))
        return ir.SeqStmts.flatten((*stmts[:-1], inner), body.span)
    if not isinstance(last, ir.YieldStmt):
        return body
    values = tuple(last.values[i] for i in kept if i < len(last.values))
    tail = (last.with_(values=values),) if values else ()
    return ir.SeqStmts.flatten((*stmts[:-1], *tail), body.span)
