"""Admission of a split body: which tiles are provably one lane's share (docs/spec/passes_split.md §7).

A body that runs on both vector lanes must do different work on each. Tiles gain the fact "lane-local" from a shard or
from a read whose address names the lane; operators pass it on, merges keep it only when both sides have it. Broadcast
reads, singleton arithmetic and generators stay neutral, so that accepting them vouches for nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pypto_core.analysis.affinity import Affinity, classify_call_affinity
from pypto_core.analysis.lanes import LANE_INDEX_OP
from pypto_core.analysis.split_axis import is_broadcast_on, is_singleton
from pypto_core.analysis.statements import as_var, leaf_call, stmts_of, trailing_yield
from pypto_core.analysis.uses import expr_vars
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    GlobalVar,
    IfStmt,
    MakeTuple,
    ScalarType,
    SeqStmts,
    Stmt,
    TileType,
    TupleGetItem,
    TupleType,
    Var,
    WhileStmt,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ops.registry import Effect, find_op

ADDRESS_ARGS: Mapping[str, tuple[int, ...]] = {
    "tile.load": (1,),
    "tile.slice": (2,),
    "tile.extract": (1, 2),
    "tile.gather_row": (3,),
}
"""Arguments that place the window which an operator reads; only these localise a read."""

GENERATORS = frozenset({"tile.full", "tile.create", "tile.ci", "tile.random"})
_VIEWS = frozenset({"tile.reshape", "tile.reinterpret_view"})

Facts = bool | tuple[bool, ...]
"""Whether a value is lane-local; one answer per element for a tuple."""


@dataclass(frozen=True, slots=True)
class CarryMismatch:
    """A loop whose body loses the lane-local fact of an initial value."""

    name: str
    loop: Stmt


@dataclass(slots=True)
class SplitBodyFacts:
    """Result of :func:`analyze_split_body`."""

    half_tiles: set[Var] = field(default_factory=set)
    lane_scalars: set[Var] = field(default_factory=set)
    full_width: list[Call] = field(default_factory=list)
    carry_mismatches: list[CarryMismatch] = field(default_factory=list)
    tuple_facts: dict[Var, tuple[bool, ...]] = field(default_factory=dict)

    @property
    def full_width_ops(self) -> list[str]:
        """Names of the operators that both lanes would run on the whole tile, in order, duplicates kept."""
        return [call.name for call in self.full_width]


def analyze_split_body(
    stmts: Sequence[Stmt],
    dim: int,
    known_tiles: Sequence[Var] = (),
    replaced: Mapping[Var, Var] | None = None,
) -> SplitBodyFacts:
    """Walk a region or AUTO body in order. `known_tiles` and `replaced` are what a halving already established."""
    walk = _Walk(dim)
    replaced = replaced or {}
    for var in known_tiles:
        walk.facts.half_tiles.add(var)
        if var in replaced:
            walk.facts.half_tiles.add(replaced[var])
    for old, new in replaced.items():
        if isinstance(old.type, TupleType) and isinstance(new.type, TupleType):
            if len(old.type.types) == len(new.type.types):
                changed = tuple(_moved(a, b) for a, b in zip(old.type.types, new.type.types))
                walk.facts.tuple_facts[old] = walk.facts.tuple_facts[new] = changed
    walk.block(stmts)
    return walk.facts


def _moved(before: object, after: object) -> bool:
    """Whether some constant or symbolic extent of a tile changed."""
    if not isinstance(before, TileType) or not isinstance(after, TileType):
        return False
    return any(
        a is not b and getattr(a, "value", a) != getattr(b, "value", b)
        for a, b in zip(before.shape, after.shape)
    )


class _Walk:
    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.facts = SplitBodyFacts()

    # -- facts ---------------------------------------------------------------------------------------

    def is_half(self, expr: Expr) -> bool:
        var = as_var(expr)
        if var is not None:
            return var in self.facts.half_tiles
        if isinstance(expr, TupleGetItem):
            elements = self.elements(expr.tuple)
            return elements is not None and elements[expr.index]
        return False

    def elements(self, expr: Expr) -> tuple[bool, ...] | None:
        var = as_var(expr)
        if var is not None:
            return self.facts.tuple_facts.get(var)
        if isinstance(expr, MakeTuple):
            return tuple(self.is_half(e) for e in expr.elements)
        return None

    def get(self, expr: Expr) -> Facts:
        if isinstance(expr.type, TupleType):
            return self.elements(expr) or (False,) * len(expr.type.types)
        return self.is_half(expr)

    def put(self, var: Var, facts: Facts) -> None:
        if isinstance(facts, tuple):
            self.facts.tuple_facts[var] = facts
        elif facts:
            self.facts.half_tiles.add(var)

    # -- statements ----------------------------------------------------------------------------------

    def block(self, stmts: Sequence[Stmt]) -> None:
        for stmt in stmts:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        call = leaf_call(stmt)
        if isinstance(stmt, AssignStmt):
            self.assign(stmt)
        if call is not None:
            self.call(call, stmt.var if isinstance(stmt, AssignStmt) else None)
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            self.loop(stmt)
        elif isinstance(stmt, IfStmt):
            self.branch(stmt)
        elif isinstance(stmt, SeqStmts):
            self.block(stmt.stmts)

    def assign(self, stmt: AssignStmt) -> None:
        facts = self.get(stmt.value)
        if facts is True or (isinstance(facts, tuple) and self.elements(stmt.value) is not None):
            self.put(stmt.var, facts)
        if isinstance(stmt.var.type, ScalarType):
            value = stmt.value
            lane = isinstance(value, Call) and value.name == LANE_INDEX_OP
            if lane or self.names_lane(value):
                self.facts.lane_scalars.add(stmt.var)

    def names_lane(self, expr: Expr) -> bool:
        lanes = self.facts.lane_scalars
        return bool(lanes) and any(var in lanes for var in expr_vars(expr))

    def loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            self.put(arg, self.get(arg.init_value))
        self.block(stmts_of(stmt.body))
        last = trailing_yield(stmt.body)
        if last is None or len(last.values) != len(stmt.iter_args):
            return
        for slot, arg in enumerate(stmt.iter_args):
            init, back = self.get(arg.init_value), self.get(last.values[slot])
            if _lost(init, back):
                self.facts.carry_mismatches.append(CarryMismatch(arg.name_hint, stmt))
            if slot < len(stmt.return_vars):
                self.put(stmt.return_vars[slot], _both(init, back))

    @goes_deep
    def branch(self, stmt: IfStmt) -> None:
        self.block(stmts_of(stmt.then_body))
        if stmt.else_body is None:
            return
        self.block(stmts_of(stmt.else_body))
        then, other = trailing_yield(stmt.then_body), trailing_yield(stmt.else_body)
        if then is None or other is None:
            return
        for var, a, b in zip(stmt.return_vars, then.values, other.values):
            self.put(var, _both(self.get(a), self.get(b)))

    # -- calls ---------------------------------------------------------------------------------------

    def call(self, call: Call, target: Var | None) -> None:
        name = call.name
        if name == "tile.aiv_shard":
            if target is not None:
                self.facts.half_tiles.add(target)
            return
        if name == "tile.aic_gather" or self.is_neutral(call):
            return
        if not isinstance(call.type, (TileType, TupleType)):
            return
        known = target is not None and target in self.facts.half_tiles
        if known or any(self.is_half(arg) for arg in call.args) or self.reads_own_window(call):
            if target is not None:
                if isinstance(call.type, TupleType):
                    self.put(target, tuple(isinstance(t, TileType) for t in call.type.types))
                else:
                    self.facts.half_tiles.add(target)
        elif name not in _VIEWS and classify_call_affinity(call) is Affinity.VECTOR:
            self.facts.full_width.append(call)

    def is_neutral(self, call: Call) -> bool:
        result = call.type
        if call.name == "tile.load" and isinstance(result, TileType):
            if len(result.shape) < 2 or is_singleton(result, self.dim):
                return True
        return call.name in GENERATORS or self.is_broadcast_computation(call)

    def is_broadcast_computation(self, call: Call) -> bool:
        """Read-only arithmetic whose operands and result are the same for both lanes."""
        op = None if type(call.op) is GlobalVar else find_op(call.name)
        if op is None or op.no_duplicate or not is_singleton(call.type, self.dim):
            return False
        assert isinstance(call.type, TileType)
        rank, tiles = len(call.type.shape), 0
        for index, arg in enumerate(call.args):
            if op.effect(index, call.kwargs) is not Effect.READ:
                return False
            if isinstance(arg.type, TileType):
                tiles += 1
                if not is_broadcast_on(arg.type, self.dim, rank):
                    return False
            elif not isinstance(arg.type, ScalarType):
                return False
        return tiles > 0

    def reads_own_window(self, call: Call) -> bool:
        positions = ADDRESS_ARGS.get(call.name, ())
        return any(i < len(call.args) and self.names_lane(call.args[i]) for i in positions)


def _both(a: Facts, b: Facts) -> Facts:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(x and y for x, y in zip(a, b))
    return a is True and b is True


def _lost(a: Facts, b: Facts) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return any(x and not y for x, y in zip(a, b))
    return a is True and b is not True
