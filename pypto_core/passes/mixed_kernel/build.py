"""One side's body of a mixed kernel (docs/spec/passes_split.md §10.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pypto_core.analysis.affinity import Affinity
from pypto_core.analysis.lanes import AIC, Side
from pypto_core.analysis.statements import block, stmts_of
from pypto_core.backend import Backend
from pypto_core.ir import ForStmt, IfStmt, ReturnStmt, SeqStmts, Stmt, Var, WhileStmt
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.mixed_kernel.boundaries import Boundary, pop_stmts, push_stmts
from pypto_core.passes.mixed_kernel.fences import Fences
from pypto_core.passes.mixed_kernel.placement import Placement


@dataclass(slots=True)
class SideBuilder:
    """Selects one core's statements; `remap` collects what stands for received values on this side."""

    side: Side
    placement: Placement
    boundaries: dict[Stmt, Boundary]
    fences: Fences
    backend: Backend | None
    remap: dict[Var, Var] = field(default_factory=dict)

    @property
    def other(self) -> Affinity:
        return Affinity.VECTOR if self.side is AIC else Affinity.CUBE

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for stmt in stmts:
            self.add(stmt, out)
        return out

    def add(self, stmt: Stmt, out: list[Stmt]) -> None:
        boundary = self.boundaries.get(stmt)
        if boundary is not None:
            if boundary.pushes(self.side):
                out.extend(push_stmts(boundary, self.side, self.backend))
            else:
                out.extend(pop_stmts(boundary, self.side, self.remap))
            return
        if isinstance(stmt, SeqStmts):
            out.extend(self.block(stmt.stmts))
            return
        aic = self.side is AIC
        if self.placement[stmt] is self.other or (aic and isinstance(stmt, ReturnStmt)):
            return
        before, after = self.fences.pop_before, self.fences.push_after
        if before and not aic:
            out.extend(before.get(stmt, ()))
        out.append(self.copy(stmt))
        if after and aic:
            out.extend(after.get(stmt, ()))

    def copy(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return stmt.with_(body=self.body(stmt.body))
        if isinstance(stmt, IfStmt):
            other = None if stmt.else_body is None else self.body(stmt.else_body)
            return stmt.with_(then_body=self.body(stmt.then_body), else_body=other)
        return stmt

    @goes_deep
    def body(self, body: Stmt) -> Stmt:
        return block(self.block(stmts_of(body)), body)
