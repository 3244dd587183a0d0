"""Per-lane valid extents of an explicit region's crossings (docs/spec/passes_split.md §8).

A boundary operator's type function knows no lane, so it can only halve a ragged extent. Here the region's lane index is
in scope: the extent is repaired, carried to the consumers that pass it through, and an empty lane's store is guarded.
An extent known at run time only cannot sit on the boundary tile (one code serves both lanes): the boundary pops its
full box and the first consumer gets the lane's extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core.analysis.lanes import LANE_INDEX_OP, const_value, lane_extents, valid_shape_of
from pypto_core.analysis.names import describe, written_text
from pypto_core.analysis.statements import as_var, block, leaf_call, stmts_of, walk_stmts
from pypto_core.diagnostics import Related
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    IfStmt,
    SeqStmts,
    Span,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    dim_equal,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.rewrite import substitute
from pypto_core.ir.scalar import make_binary
from pypto_core.passes.split_axis.extents import (
    half,
    index,
    is_odd,
    localize_valid,
    with_full_valid,
    with_valid,
)
from pypto_core.passes.split_axis.rejections import label, reject, reject_internal

_FILLS = frozenset({"tile.fillpad", "tile.fillpad_inplace", "tile.fillpad_expand"})


@dataclass(frozen=True, slots=True)
class _Lane:
    """Extent facts of one crossing value: the lane's extent, the joined one, the type it was deduced with."""

    extent: Expr
    joined: Expr
    before: TileType
    deferred: bool


def localize_explicit_boundary_valid(
    stmts: Sequence[Stmt], dim: int, region: Span
) -> tuple[list[Stmt], dict[Var, Expr]]:
    """The region body with every ragged crossing typed for its lane, and what the retyped variables became.

    Statements behind the region read them as well: the cube takes the joined tile.

    Raises:
        PassError: ``split-shard-carried``, ``split-deferred-extent``, ``split-gather-hole``, ``split-chained-store`` or
            ``split-reshape-valid``.
    """
    walk = _Walk(dim, region, _store_destinations(stmts))
    out = walk.block(stmts)
    return [substitute(stmt, walk.repl) for stmt in out] if walk.repl else out, walk.repl


def _store_destinations(stmts: Sequence[Stmt]) -> set[Var]:
    found: set[Var] = set()
    for stmt in walk_stmts(stmts):
        call = leaf_call(stmt)
        if (
            isinstance(stmt, AssignStmt)
            and call is not None
            and call.name == "tile.store"
            and len(call.args) > 2
        ):
            var = as_var(call.args[2])
            if var is not None:
                found.add(var)
    return found


class _Walk:
    def __init__(self, dim: int, region: Span, destinations: set[Var]) -> None:
        self.dim = dim
        self.region = region
        self.destinations = destinations
        self.lane: Var | None = None
        self.tracked: dict[Var, _Lane] = {}
        self.repl: dict[Var, Expr] = {}

    def facts(self, expr: Expr) -> _Lane | None:
        var = as_var(expr)
        if var is None:
            return None
        new = as_var(self.repl.get(var, var))
        return self.tracked.get(new) if new is not None else None

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for stmt in stmts:
            out.extend(self.stmt(stmt))
        return out

    @goes_deep
    def body(self, body: Stmt) -> Stmt:
        return block(self.block(stmts_of(body)), body)

    def stmt(self, stmt: Stmt) -> list[Stmt]:
        call = leaf_call(stmt)
        if call is not None:
            return self.leaf(stmt, call)
        if isinstance(stmt, (ForStmt, WhileStmt)):
            new = stmt.with_(body=self.body(stmt.body))
            self.check_carries(stmt)
            return [new]
        if isinstance(stmt, IfStmt):
            then = self.body(stmt.then_body)
            other = None if stmt.else_body is None else self.body(stmt.else_body)
            return [stmt.with_(then_body=then, else_body=other)]
        if isinstance(stmt, SeqStmts):
            return self.block(stmt.stmts)
        return [stmt]

    def check_carries(self, loop: ForStmt | WhileStmt) -> None:
        for arg in loop.iter_args:
            lane = self.facts(arg.init_value)
            if lane is None:
                continue
            kind = "pl.range" if isinstance(loop, ForStmt) else "pl.while_"
            raise reject(
                "R-REGION-LOOP-CARRY",
                "split-shard-carried",
                f"{label(arg, loop.span)} of `{kind}` starts with a crossing whose lanes hold different extents "
                f"({written_text(lane.joined)} valid cells in all); shard inside the loop",
                loop.span,
                name=describe(arg, loop.span),
                extent=written_text(lane.joined),
            )

    def leaf(self, stmt: Stmt, call: Call) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            if call.name == LANE_INDEX_OP:
                self.lane = stmt.var
                return [stmt]
            if call.name == "tile.aiv_shard":
                return [self.shard(stmt, call)]
            if call.name == "tile.aic_gather":
                return [self.gather(stmt, call)]
        found = next(((arg, lane) for arg in call.args if (lane := self.facts(arg)) is not None), None)
        if found is None:
            return [stmt]
        return self.consumer(stmt, call, *found)

    # -- crossings -----------------------------------------------------------------------------------

    def retyped(self, stmt: AssignStmt, call: Call, type_: TileType) -> tuple[Stmt, Var]:
        new = Var(stmt.var.name_hint, type_, span=stmt.var.span)
        self.repl[stmt.var] = new
        return stmt.with_(var=new, value=call.with_(type=type_)), new

    def shard(self, stmt: AssignStmt, call: Call) -> Stmt:
        full, deduced, dim = call.args[0].type, stmt.var.type, self.dim
        if not isinstance(full, TileType) or not isinstance(deduced, TileType) or dim >= len(full.shape):
            return stmt
        box, valid = full.shape[dim], valid_shape_of(full)[dim]
        if dim_equal(valid, box) and not is_odd(box):
            return stmt
        if self.lane is None:
            raise reject_internal(
                "this crossing needs the region's lane index, which is not bound before it", call.span
            )
        extent = localize_valid(valid, box, half(box), self.lane)
        deferred = lane_extents(full, dim, None) is None
        typed = with_full_valid(deduced, dim) if deferred else with_valid(deduced, dim, extent)
        made, new = self.retyped(stmt, call, typed)
        self.tracked[new] = _Lane(extent, valid, deduced, deferred)
        return made

    def gather(self, stmt: AssignStmt, call: Call) -> Stmt:
        lane, dim = self.facts(call.args[0]), self.dim
        source, result = call.args[0].type, stmt.var.type
        if lane is not None and isinstance(result, TileType):
            return self.retyped(stmt, call, with_valid(result, dim, lane.joined))[0]
        if lane is None and isinstance(source, TileType) and dim < len(source.shape):
            box, valid = const_value(source.shape[dim]), const_value(valid_shape_of(source)[dim])
            if box is not None and valid is not None and valid < box:
                raise reject(
                    "R-GATHER-HOLE",
                    "split-gather-hole",
                    f"'tile.aic_gather' joins two lanes that each hold {valid} of {box} cells on dim {dim}: the joined tile "
                    f"would have a hole between them; fill the lane's tile with pl.fillpad or widen it with "
                    f"pl.set_validshape first",
                    call.span,
                    op=call.name,
                    valid=valid,
                    box=box,
                    dim=dim,
                )
        return stmt

    # -- consumers -----------------------------------------------------------------------------------

    def consumer(self, stmt: Stmt, call: Call, operand: Expr, lane: _Lane) -> list[Stmt]:
        if call.name == "tile.store" and lane.deferred:
            raise self.deferred(
                call,
                "R-DEFER-STORE",
                "store",
                "put an elementwise operator between the crossing and the store",
            )
        result = call.type
        if not isinstance(result, TileType) or not isinstance(stmt, AssignStmt):
            if call.name == "tile.store" and isinstance(stmt, AssignStmt):
                return [self.guarded_store(stmt, call, lane)]
            return [stmt]
        if lane.deferred and call.name in _FILLS:
            raise self.deferred(call, "R-DEFER-FILL", "fill", "fill on the cube side, before the crossing")
        valid = valid_shape_of(result)
        if all(dim_equal(v, s) for v, s in zip(valid, result.shape)):
            return [stmt]
        before = lane.before
        same_box = len(result.shape) == len(before.shape) and all(
            dim_equal(a, b) for a, b in zip(result.shape, before.shape)
        )
        if same_box and all(dim_equal(a, b) for a, b in zip(valid, valid_shape_of(before))):
            made, new = self.retyped(stmt, call, with_valid(result, self.dim, lane.extent))
            self.tracked[new] = _Lane(lane.extent, lane.joined, result, False)
            return [made]
        raise reject(
            "R-RESHAPE-VALID",
            "split-reshape-valid",
            f"'{call.name}' reshapes the valid rectangle of {label(operand, call.span)}, of which the lanes hold different "
            f"parts ({written_text(lane.joined)} valid cells in all on dim {self.dim}); do it on the cube side, before the "
            f"crossing",
            call.span,
            op=call.name,
            extent=written_text(lane.joined),
            dim=self.dim,
        )

    def deferred(self, call: Call, rule: str, verb: str, remedy: str) -> Exception:
        return reject(
            rule,
            "split-deferred-extent",
            f"'{call.name}' cannot {verb} a crossing directly whose extent is known at RUNTIME only: the lane's share of it "
            f"appears at the first consumer; {remedy}",
            call.span,
            op=call.name,
        )

    def guarded_store(self, stmt: AssignStmt, call: Call, lane: _Lane) -> Stmt:
        """A lane that the extent does not reach must not store: a store of no rows is outside the device's contract."""
        extent = const_value(lane.extent)
        if extent is not None and extent > 0:
            return stmt
        if stmt.var in self.destinations:
            raise reject(
                "R-CHAINED-STORE",
                "split-chained-store",
                f"a lane may hold none of the {written_text(lane.joined)} valid cells, so this store must be guarded, but "
                f"a later store writes on into its result; write the tile with one subscript assignment",
                call.span,
                (Related("the region", self.region),),
                op=call.name,
                extent=written_text(lane.joined),
            )
        return IfStmt(make_binary("gt", lane.extent, index(0)), stmt, span=stmt.span)
