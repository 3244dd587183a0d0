"""MemoryReuse: tiles that are not alive at one time share an allocation (docs/spec/passes_tile.md §9.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pypto_core.analysis.names import describe
from pypto_core.analysis.spans import target_span
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    Function,
    FunctionType,
    MemRef,
    SeqStmts,
    Stmt,
    TileType,
    Type,
    Var,
    body_stmts,
    calls_in,
    walk_stmts,
)
from pypto_core.ir.types import dim_equal
from pypto_core.ir.walk import stmt_defs
from pypto_core.passes.allocation.lifetimes import Interval, Lifetime, Lifetimes, intervals, lifetimes
from pypto_core.passes.allocation.references import memref_of, retyped_function, same_place, with_memref
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.tile_calls import reject

CONTRACT = PassContract.of(
    "SplitIncoreOrch IncoreTileOps HasMemRefs TileOps2D NormalizedStmtStructure",
    "NormalizedStmtStructure",
    function_local=True,
)


def memory_reuse(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip, which says what an operator may overwrite.

    Raises:
        PassError: ``allocation-slot-shared`` for two tiles in one slot of a declared allocation that live at one time.
    """
    chip = get_backend(backend)
    return Pass(
        "MemoryReuse", CONTRACT, lambda program: map_functions(program, lambda f: reuse_function(f, chip))
    )


def reuse_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with fewer allocations; itself when none can be shared and none is unused."""
    if function.func_type is FunctionType.Orchestration:
        return function
    found = lifetimes(function, chip)
    pinned = _pinned(function)
    _check_slots(function, found, pinned)
    shared = _pack([i for i in intervals(found) if i.base not in pinned], found)
    types: dict[Var, Type] = {}
    for stmt in walk_stmts(function.body):
        for var in stmt_defs(stmt):
            memref = memref_of(var.type)
            if isinstance(var.type, TileType) and memref is not None and memref.base in shared:
                types[var] = with_memref(var.type, shared[memref.base].moved(memref))
    return _without_unused(retyped_function(function, types))


# -- declared allocations --------------------------------------------------------------------------------------------


def _pinned(function: Function) -> set[Var]:
    """Bases that the author declared."""
    return {
        stmt.var
        for stmt in walk_stmts(function.body)
        if isinstance(stmt, AssignStmt) and _is_alloc(stmt) and _alloc(stmt).kwargs.get("pinned", False)
    }


def _is_alloc(stmt: Stmt) -> bool:
    return isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == "tile.alloc"


def _alloc(stmt: AssignStmt) -> Call:
    assert isinstance(stmt.value, Call)
    return stmt.value


def _check_slots(function: Function, found: Lifetimes, pinned: set[Var]) -> None:
    """No two tiles of one slot are alive at one time; a view of a tile is that tile."""
    owners: dict[Var, Lifetime] = {}
    for var, lifetime in found.of.items():
        memref = memref_of(var.type)
        if memref is None or memref.base not in pinned:
            continue
        root = found.root(var)
        known = owners.get(root)
        if known is None:
            owners[root] = Lifetime(root, lifetime.span, lifetime.first, lifetime.last)
        else:
            known.first, known.last = min(known.first, lifetime.first), max(known.last, lifetime.last)
    seen: list[Lifetime] = []
    for owner in owners.values():
        for other in seen:
            left, right = memref_of(other.var.type), memref_of(owner.var.type)
            if left is not None and right is not None and same_place(left, right) and owner.meets(other):
                _reject_shared_slot(function, other, owner, right)
        seen.append(owner)


def _reject_shared_slot(function: Function, first: Lifetime, second: Lifetime, memref: MemRef) -> None:
    span = second.span if second.span.is_valid else function.span
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, AssignStmt) and stmt.var is second.var:
            span = target_span(stmt, stmt.var)
    names = [describe(lifetime.var, lifetime.span) for lifetime in (first, second)]
    reject(
        "allocation-slot-shared",
        f"Tiles '{names[0]}' and '{names[1]}' are both bound to the same slot of the declared allocation "
        f"'{memref.name_hint}' but are live at the same time: '{names[1]}' would overwrite '{names[0]}'",
        span,
    )


# -- packing ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Buffer:
    """One allocation and the intervals in it; it is the first one's."""

    members: list[Interval] = field(default_factory=list)

    @property
    def memref(self) -> MemRef:
        return self.members[0].memref

    def accepts(self, interval: Interval, found: Lifetimes) -> bool:
        return all(_may_share(member, interval, found) for member in self.members)


@dataclass(frozen=True, slots=True)
class _Move:
    """From the memory of one interval to that of a buffer."""

    source: MemRef
    target: MemRef

    def moved(self, memref: MemRef) -> MemRef:
        """``memref`` in the buffer: a whole tile takes the buffer, a piece of one keeps its offset and size."""
        if memref.size == self.source.size and dim_equal(memref.byte_offset, self.source.byte_offset):
            return self.target
        return memref.with_(base=self.target.base)


def _may_share(left: Interval, right: Interval, found: Lifetimes) -> bool:
    pair = frozenset((left.base, right.base))
    if left.space is not right.space or pair in found.apart:
        return False
    return pair in found.exclusive or not left.lifetime.meets(right.lifetime)


def _pack(candidates: Iterable[Interval], found: Lifetimes) -> dict[Var, _Move]:
    """Base -> move, for every interval that another one's allocation takes in. Largest first, then by definition."""
    buffers: list[_Buffer] = []
    moves: dict[Var, _Move] = {}
    for interval in sorted(candidates, key=lambda i: (-i.size, i.lifetime.first)):
        for buffer in buffers:
            if buffer.accepts(interval, found):
                buffer.members.append(interval)
                moves[interval.base] = _Move(interval.memref, buffer.memref)
                break
        else:
            buffers.append(_Buffer([interval]))
    return moves


def _without_unused(function: Function) -> Function:
    """``function`` without the allocations that no tile lies in."""
    used = {
        memref.base
        for stmt in walk_stmts(function.body)
        for var in stmt_defs(stmt)
        if (memref := memref_of(var.type)) is not None
    }
    read = {arg for call in calls_in(function.body) for arg in call.args}
    stmts = body_stmts(function.body)
    kept = [
        s for s in stmts if not (isinstance(s, AssignStmt) and _is_alloc(s)) or s.var in used or s.var in read
    ]
    if len(kept) == len(stmts):
        return function
    return function.with_(body=SeqStmts.flatten(kept, function.body.span))
