"""Variables that a statement reads before it assigns them (docs/spec/passes_front.md §4.4)."""

from __future__ import annotations

from typing import NamedTuple

from pypto_core import ir
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import expr_vars


class Effect(NamedTuple):
    """Upward-exposed reads of a statement and the variables it assigns at any depth."""

    reads: frozenset[ir.Var]
    assigns: frozenset[ir.Var]


_NO_VARS: frozenset[ir.Var] = frozenset()
_NOTHING = Effect(_NO_VARS, _NO_VARS)


class Liveness:
    """Effects of statements, remembered by object."""

    def __init__(self) -> None:
        self._effects: dict[ir.Stmt, Effect] = {}

    @goes_deep
    def effect(self, stmt: ir.Stmt) -> Effect:
        found = self._effects.get(stmt)
        if found is None:
            found = self._effects[stmt] = self._compute(stmt)
        return found

    def needs_after(self, stmts: tuple[ir.Stmt, ...]) -> list[frozenset[ir.Var]]:
        """For each statement with a body, the variables live into the rest of this block; nothing for the others."""
        needs = [_NO_VARS] * len(stmts)
        live: set[ir.Var] = set()
        for i in range(len(stmts) - 1, -1, -1):
            stmt = stmts[i]
            if isinstance(stmt, ir.AssignStmt):
                live.discard(stmt.var)
                live.update(expr_vars(stmt.value))
                continue
            needs[i] = frozenset(live) if ir.stmt_bodies(stmt) else _NO_VARS
            effect = self.effect(stmt)
            live -= effect.assigns
            live |= effect.reads
        return needs

    def _compute(self, stmt: ir.Stmt) -> Effect:
        if isinstance(stmt, ir.SeqStmts):
            exposed: set[ir.Var] = set()
            assigns: set[ir.Var] = set()
            for inner in stmt.stmts:
                if isinstance(inner, ir.AssignStmt):
                    exposed.update([var for var in expr_vars(inner.value) if var not in assigns])
                    assigns.add(inner.var)
                else:
                    effect = self.effect(inner)
                    exposed |= effect.reads - assigns
                    assigns |= effect.assigns
            return Effect(frozenset(exposed), frozenset(assigns))
        own = frozenset(v for e in ir.stmt_exprs(stmt) for v in ir.collect_uses(e))
        if isinstance(stmt, ir.AssignStmt):
            return Effect(own, frozenset((stmt.var,)))
        if isinstance(stmt, ir.IfStmt):
            then = self.effect(stmt.then_body)
            other = self.effect(stmt.else_body) if stmt.else_body is not None else _NOTHING
            return Effect(
                own | then.reads | other.reads,
                then.assigns | other.assigns | frozenset(stmt.return_vars),
            )
        if isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
            body = self.effect(stmt.body)
            bound: frozenset[ir.Var] = frozenset(stmt.iter_args)
            if isinstance(stmt, ir.ForStmt):
                bound |= {stmt.loop_var}
                reads = own | (body.reads - bound)
            else:
                # The condition reads the carried values of the loop itself.
                reads = (own | body.reads) - bound
            return Effect(reads, body.assigns | frozenset(stmt.return_vars))
        if isinstance(stmt, ir.ScopeStmt):
            body = self.effect(stmt.body)
            return Effect(own | body.reads, body.assigns)
        return Effect(own, frozenset())


def assigned_vars(body: ir.Stmt) -> list[ir.Var]:
    """Targets of assignments at any depth, in order, each once (``assign_defs`` of §0.7)."""
    seen: dict[ir.Var, None] = {}
    for stmt in ir.walk_stmts(body):
        if isinstance(stmt, ir.AssignStmt):
            seen.setdefault(stmt.var)
    return list(seen)
