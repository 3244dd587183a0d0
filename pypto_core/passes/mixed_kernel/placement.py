"""Which core every statement of a kernel belongs to (docs/spec/passes_split.md §1.5, §10.3)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.analysis.affinity import Affinity, classify_call_affinity, combine, is_cube_memory
from pypto_core.analysis.lanes import BOUNDARY_OPS, POP_OPS
from pypto_core.analysis.statements import as_var, leaf_call, stmts_of
from pypto_core.analysis.tpop import tpop_origins
from pypto_core.ir import AssignStmt, Call, MemorySpace, Stmt, Var
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies

CROSSED_OPS = POP_OPS | BOUNDARY_OPS
"""Operators whose result has already crossed."""


class Placement:
    """Affinity of every statement below a body; `combined` is the body's own."""

    def __init__(self, body: Stmt, pinned: frozenset[Call] = frozenset()) -> None:
        self._of: dict[Stmt, Affinity] = {}
        self._pinned = pinned
        self.crossed: frozenset[Var] = frozenset(tpop_origins(body, CROSSED_OPS))
        self.combined = self._join(stmts_of(body))

    def __getitem__(self, stmt: Stmt) -> Affinity:
        return self._of.get(stmt, Affinity.SHARED)

    def _join(self, stmts: Sequence[Stmt]) -> Affinity:
        result = Affinity.SHARED
        for stmt in stmts:
            result = combine(result, self._visit(stmt))
        return result

    @goes_deep
    def _visit(self, stmt: Stmt) -> Affinity:
        call = leaf_call(stmt)
        found = self._leaf(stmt, call) if call is not None else self._join(tuple(stmt_bodies(stmt)))
        self._of[stmt] = found
        return found

    def _leaf(self, stmt: Stmt, call: Call) -> Affinity:
        if call in self._pinned:
            return Affinity.VECTOR
        found = classify_call_affinity(call)
        if found is not Affinity.MIXED or not isinstance(stmt, AssignStmt) or not call.args:
            return found
        target = call.kwargs.get("target_memory")
        if as_var(call.args[0]) in self.crossed and isinstance(target, MemorySpace):
            # The data is already on this side; the move only places it.
            return Affinity.CUBE if is_cube_memory(target) else Affinity.VECTOR
        return found
