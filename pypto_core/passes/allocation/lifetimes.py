"""How long tiles and allocations are alive (docs/spec/passes_tile.md §9.4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MemorySpace,
    MemRef,
    Span,
    Stmt,
    TileType,
    TupleGetItem,
    TupleType,
    Var,
    WhileStmt,
    body_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import collect_uses, stmt_bodies, stmt_exprs
from pypto_core.passes.allocation.conflicts import conflicting_operands
from pypto_core.passes.allocation.references import memref_of, reused_operand, viewed_operand

Pair = frozenset[Var]
"""Two allocations."""


@dataclass(slots=True)
class Lifetime:
    """Places of the first definition and of the last read, in statements; ``var`` is defined first."""

    var: Var
    span: Span
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Whether both are alive at one time; one may end where the other begins."""
        return self.last > other.first and other.last > self.first


@dataclass(slots=True)
class Lifetimes:
    """Lifetimes of the tile variables of one function, and what keeps their allocations apart or lets them meet."""

    of: dict[Var, Lifetime] = field(default_factory=dict)
    roots: dict[Var, Var] = field(default_factory=dict)
    """Variable -> the variable whose memory it is by construction (view, copy, carried value)."""
    apart: set[Pair] = field(default_factory=set)
    """Allocations that one call reads and writes and that must not be one."""
    exclusive: set[Pair] = field(default_factory=set)
    """Allocations of which one branch or the other fills a result: they may be one."""

    def root(self, var: Var) -> Var:
        """The variable that owns the memory of ``var``."""
        while var in self.roots:
            var = self.roots[var]
        return var


def lifetimes(function: Function, chip: Backend | None) -> Lifetimes:
    """Lifetimes in the program order of ``function``.

    What is defined before a loop and read in it lives until the loop ends.
    """
    walker = _Walker(chip)
    walker.stmts(function.body)
    return walker.found


def tile_memref(expr: Expr) -> MemRef | None:
    """Where a tile value lies, None for anything else."""
    var = as_var(expr)
    return memref_of(var.type) if var is not None and isinstance(var.type, TileType) else None


class _Walker:
    def __init__(self, chip: Backend | None) -> None:
        self.chip = chip
        self.found = Lifetimes()
        self._now = 0
        self._reads: list[tuple[Var, int]] = []
        self._tuples: dict[Var, tuple[Call, int]] = {}
        """Tuples -> the call that makes their members, and its place."""

    @goes_deep
    def stmts(self, body: Stmt) -> None:
        for stmt in body_stmts(body):
            self._stmt(stmt)

    def _stmt(self, stmt: Stmt) -> None:
        self._now += 1
        for expr in stmt_exprs(stmt):
            self._read(expr)
        if isinstance(stmt, AssignStmt):
            if isinstance(stmt.var.type, TupleType) and isinstance(stmt.value, Call):
                self._tuples[stmt.var] = stmt.value, self._now
            self._define(stmt.var, stmt)
            self._share(stmt)
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            self._loop(stmt)
        else:
            branches: list[range] = []
            for body in stmt_bodies(stmt):
                begin = self._now
                self.stmts(body)
                branches.append(range(begin + 1, self._now + 1))
            if isinstance(stmt, IfStmt):
                self._join(stmt, branches)

    def _define(self, var: Var, stmt: Stmt) -> None:
        if isinstance(var.type, TileType) and var.type.memref is not None:
            span = stmt.span if isinstance(stmt, AssignStmt) else var.span
            self.found.of[var] = Lifetime(var, span, self._now, self._now)

    def _read(self, expr: Expr) -> None:
        for var in collect_uses(expr):
            if var in self.found.of:
                self.found.of[var].last = max(self.found.of[var].last, self._now)
                self._reads.append((var, self._now))

    def _share(self, stmt: AssignStmt) -> None:
        value = stmt.value
        if as_var(value) is not None:
            self._link(stmt.var, value)
            return
        if isinstance(value, TupleGetItem) and isinstance(value.tuple, Var) and value.tuple in self._tuples:
            # A member is there as soon as the call has run.
            call, place = self._tuples[value.tuple]
            if stmt.var in self.found.of:
                self.found.of[stmt.var].first = place
            self._keep_apart(stmt.var, call)
        if not isinstance(value, Call):
            return
        index = viewed_operand(value)
        index = reused_operand(value) if index is None else index
        if index is not None:
            self._link(stmt.var, value.args[index])
        self._keep_apart(stmt.var, value)

    def _keep_apart(self, result: Var, call: Call) -> None:
        own = tile_memref(result)
        for position in () if own is None else conflicting_operands(call, self.chip):
            other = tile_memref(call.args[position])
            if own is not None and other is not None and other.base is not own.base:
                self.found.apart.add(frozenset((own.base, other.base)))

    def _link(self, var: Var, source: Expr) -> None:
        """``var`` is the memory of ``source`` if both say so."""
        origin = as_var(source)
        own, other = tile_memref(var), tile_memref(source)
        if origin is not None and own is not None and other is not None and own.base is other.base:
            self.found.roots[var] = origin

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        start = self._now
        for arg in stmt.iter_args:
            self._define(arg, stmt)
            self._link(arg, arg.init_value)
        before, self._reads = self._reads, []
        self.stmts(stmt.body)
        self._now += 1
        for var, _ in self._reads:
            lifetime = self.found.of[var]
            if lifetime.first <= start:
                lifetime.last = max(lifetime.last, self._now)
        self._reads = before + self._reads
        for result, arg in zip(stmt.return_vars, stmt.iter_args):
            self._define(result, stmt)
            self._link(result, arg)

    def _join(self, stmt: IfStmt, branches: list[range]) -> None:
        """``branches`` are the places of the statements in each branch."""
        self._now += 1
        yields = [trailing_yield(body) for body in stmt_bodies(stmt)]
        for position, result in enumerate(stmt.return_vars):
            values = [y.values[position] for y in yields if y is not None and position < len(y.values)]
            bases = [place.base for value in values if (place := tile_memref(value)) is not None]
            if len(bases) == len(branches) == 2 and bases[0] is not bases[1]:
                if all(self._made_within(base, branch) for base, branch in zip(bases, branches)):
                    self.found.exclusive.add(frozenset(bases))
            self._define(result, stmt)
            for value in values:
                self._link(result, value)

    def _made_within(self, base: Var, places: range) -> bool:
        """Whether everything in an allocation so far is defined at ``places``: what was there before a branch may be read
        behind it."""
        return all(
            lifetime.first in places
            for var, lifetime in self.found.of.items()
            if (place := tile_memref(var)) is not None and place.base is base
        )


@dataclass(slots=True)
class Interval:
    """All tiles of one allocation taken together."""

    base: Var
    memref: MemRef
    space: MemorySpace
    lifetime: Lifetime

    @property
    def size(self) -> int:
        """Bytes of the tile that is defined first."""
        return self.memref.size


def intervals(found: Lifetimes) -> list[Interval]:
    """One interval per allocation, by first definition."""
    merged: dict[Var, Interval] = {}
    for var, lifetime in found.of.items():
        kind = var.type
        assert isinstance(kind, TileType)
        memref = kind.memref
        if memref is None or kind.memory_space is None or kind.memory_space is MemorySpace.DDR:
            continue
        known = merged.get(memref.base)
        if known is None:
            whole = Lifetime(var, lifetime.span, lifetime.first, lifetime.last)
            merged[memref.base] = Interval(memref.base, memref, kind.memory_space, whole)
        else:
            known.lifetime.first = min(known.lifetime.first, lifetime.first)
            known.lifetime.last = max(known.lifetime.last, lifetime.last)
    return list(merged.values())
