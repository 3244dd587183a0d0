"""Fences for global memory: a cube store that a vector load of the same kernel reads (docs/spec/passes_split.md §10.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pypto_core.analysis.affinity import Affinity
from pypto_core.analysis.lanes import AIC, AIV
from pypto_core.analysis.statements import as_var, leaf_call, stmts_of
from pypto_core.ir import AssignStmt, Call, EvalStmt, MemorySpace, SeqStmts, Stmt, TileType, Var
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import stmt_bodies
from pypto_core.ops.registry import untyped_op_call
from pypto_core.passes.mixed_kernel.placement import Placement


@dataclass(frozen=True, slots=True)
class _Access:
    stmt: Stmt
    call: Call
    origin: Var
    path: tuple[Stmt, ...]
    """Enclosing compound statements, outermost first."""
    block: int
    """Identity of the statement list that holds it."""
    blocks: tuple[int, ...]
    """Identities of all enclosing lists, outermost first, its own last."""


@dataclass(slots=True)
class Fences:
    """Statements to add: after a cube statement on the AIC side, before a statement on the AIV side."""

    push_after: dict[Stmt, list[Stmt]] = field(default_factory=dict)
    pop_before: dict[Stmt, list[Stmt]] = field(default_factory=dict)


def find_fences(stmts: Sequence[Stmt], placement: Placement) -> Fences:
    """One fence per tensor that exactly one store writes, on the cube side, and that a later vector load reads."""
    scan = _Scan(placement)
    scan.block(stmts, (), ())
    fences = Fences()
    by_origin: dict[Var, list[_Access]] = {}
    for store in scan.stores:
        by_origin.setdefault(store.origin, []).append(store)
    for origin, stores in by_origin.items():
        if len(stores) != 1 or placement[stores[0].stmt] is not Affinity.CUBE:
            continue
        store = stores[0]
        order = scan.order[store.stmt]
        for load in scan.loads:
            if load.origin is origin and scan.order[load.stmt] > order and store.block in load.blocks:
                _add(fences, store, load, origin)
                break
    return fences


class _Scan:
    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.stores: list[_Access] = []
        self.loads: list[_Access] = []
        self.order: dict[Stmt, int] = {}
        self.origins: dict[Var, Var] = {}
        self.lists = 0

    @goes_deep
    def block(self, stmts: Sequence[Stmt], path: tuple[Stmt, ...], blocks: tuple[int, ...]) -> None:
        self.lists += 1
        here = (*blocks, self.lists)
        for stmt in stmts:
            self.order[stmt] = len(self.order)
            call = leaf_call(stmt)
            if call is not None:
                self.access(stmt, call, path, here)
                continue
            for body in stmt_bodies(stmt):
                inner = path if isinstance(stmt, SeqStmts) else (*path, stmt)
                self.block(stmts_of(body), inner, here)

    def access(self, stmt: Stmt, call: Call, path: tuple[Stmt, ...], blocks: tuple[int, ...]) -> None:
        position = {"tile.store": 2, "tile.load": 0}.get(call.name)
        tensor = as_var(call.args[position]) if position is not None and position < len(call.args) else None
        if tensor is None:
            return
        origin = self.origins.get(tensor, tensor)
        found = _Access(stmt, call, origin, path, blocks[-1], blocks)
        if call.name == "tile.store":
            if isinstance(stmt, AssignStmt):
                self.origins[stmt.var] = origin
            if self.placement[stmt] in (Affinity.CUBE, Affinity.VECTOR):
                self.stores.append(found)
        elif self.placement[stmt] is Affinity.VECTOR:
            self.loads.append(found)


def _add(fences: Fences, store: _Access, load: _Access, origin: Var) -> None:
    tile = store.call.args[0]
    if not isinstance(tile.type, TileType):
        return
    push = untyped_op_call(AIC.push, (tile,), {"split": 0}, span=store.call.span)
    fences.push_after.setdefault(store.stmt, []).append(EvalStmt(push, span=store.stmt.span))
    depth = load.blocks.index(store.block)
    before = load.stmt if depth == len(load.blocks) - 1 else load.path[len(store.path)]
    type_ = TileType(tile.type.shape, tile.type.dtype, None, None, MemorySpace.Vec)
    pop = untyped_op_call(AIV.pop, (), {"split": 0}, result=type_, span=load.call.span)
    var = Var(f"{origin.name_hint}_gm_sync", type_, span=origin.span)
    fences.pop_before.setdefault(before, []).append(AssignStmt(var, pop, span=load.stmt.span))
