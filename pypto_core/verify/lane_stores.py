"""Stores of the two lanes that cannot be meant: both at one place, or one behind the end of the tensor
(docs/spec/passes_split.md §5.3: the body of an explicit region is taken as it stands, offsets included).

The checks read a program after LowerAutoVectorSplit, where every share and every offset is what it is going to be, and speak only where
nothing depends on a value that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.analysis.lanes import LANE_INDEX_OP, SHARD_OPS, const_value, split_dimension, valid_shape_of
from pypto_core.analysis.statements import trailing_yield
from pypto_core.analysis.trace import Tracer
from pypto_core.arith import Analyzer
from pypto_core.diagnostics import Diagnostic, Related, Severity
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.walk import own_calls
from pypto_core.verify.base import Context, Finding, Verifier, author_name

#: The pass after which lanes and offsets are decided.
LANES_DECIDED = "LowerAutoVectorSplit"

_report = Finding("LaneStores", Severity.WARNING)
_LANES = (0, 1)


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    regions = [s for s in ir.walk_stmts(function.body) if isinstance(s, ir.SplitAivScopeStmt)]
    if not regions:
        return
    tracer = Tracer(function.body, None)
    for region in regions:
        if _shares_are_even(region):
            yield from _Region(region, function, tracer).run()


def _shares_are_even(region: ir.SplitAivScopeStmt) -> bool:
    """Whether both lanes have as much of everything that crosses: a lane may have none of a ragged tile, and its store is left out."""
    if region.split is ir.SplitMode.NONE:
        return True
    dim = split_dimension(region.split)
    for call in ir.calls_in(region.body):
        if call.name in SHARD_OPS:
            kind = call.args[0].type
            if not isinstance(kind, ir.TileType) or dim >= len(kind.shape):
                return False
            box, valid = const_value(kind.shape[dim]), const_value(valid_shape_of(kind)[dim])
            if box is None or box != valid or box % 2:
                return False
    return True


class _Region:
    """One region. ``differs`` holds the variables whose values depend on the lane."""

    def __init__(self, region: ir.SplitAivScopeStmt, function: ir.Function, tracer: Tracer) -> None:
        self.region = region
        self.params = function.params
        self.tracer = tracer
        self.lanes: set[ir.Var] = set()
        self.differs: set[ir.Var] = set()
        self.found: list[Diagnostic] = []

    def run(self) -> list[Diagnostic]:
        self.block(self.region.body, False)
        return self.found

    def depends(self, expr: ir.Expr) -> bool:
        """Whether the value of an expression depends on the lane."""
        if not self.differs.isdisjoint(ir.collect_uses(expr)):
            return True
        return any(isinstance(e, ir.Call) and self.is_source(e) for e in ir.walk_exprs(expr))

    def is_source(self, call: ir.Call) -> bool:
        shared = call.name in SHARD_OPS and self.region.split is not ir.SplitMode.NONE
        return shared or call.name == LANE_INDEX_OP

    @goes_deep
    def block(self, stmt: ir.Stmt, guarded: bool) -> None:
        """``guarded``: whether a condition stands around the statement."""
        if isinstance(stmt, ir.AssignStmt):
            self.assign(stmt)
        elif isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
            self.loop(stmt, guarded)
            return
        elif isinstance(stmt, ir.IfStmt):
            arms = [stmt.then_body, *([stmt.else_body] if stmt.else_body is not None else [])]
            for arm in arms:
                self.block(arm, True)
            yielded = [value for arm in arms for value in self.yielded(arm)]
            if self.depends(stmt.condition) or any(map(self.depends, yielded)):
                self.differs.update(stmt.return_vars)
            return
        for call in own_calls(stmt):
            if isinstance(call, ir.Call) and call.name == "tile.store" and not guarded:
                self.store(call)
        for body in ir.stmt_bodies(stmt):
            self.block(body, guarded)

    def assign(self, stmt: ir.AssignStmt) -> None:
        value = stmt.value
        if isinstance(value, ir.Call) and value.name == LANE_INDEX_OP:
            self.lanes.add(stmt.var)
        # What a store gives stands for the place, not for what was written there.
        if isinstance(value, ir.Call) and value.name == "tile.store":
            value = value.args[2]
        if self.depends(value):
            self.differs.add(stmt.var)

    def loop(self, stmt: ir.ForStmt | ir.WhileStmt, guarded: bool) -> None:
        """What a loop carries differs when a start, an end of a turn or the number of turns does; looked at until nothing changes."""
        turns = any(map(self.depends, ir.stmt_exprs(stmt))) or isinstance(stmt, ir.WhileStmt)
        if turns:
            self.differs.update((*stmt.iter_args, *stmt.return_vars))
            if isinstance(stmt, ir.ForStmt):
                self.differs.add(stmt.loop_var)
        while True:
            told, known = len(self.found), len(self.differs)
            self.block(stmt.body, guarded or turns)
            if any(map(self.depends, self.yielded(stmt.body))):
                self.differs.update((*stmt.iter_args, *stmt.return_vars))
            if len(self.differs) == known:
                return
            del self.found[told:]

    @staticmethod
    def yielded(body: ir.Stmt) -> tuple[ir.Expr, ...]:
        ending = trailing_yield(body)
        return tuple(ending.values) if ending is not None else ()

    # -- stores ----------------------------------------------------------------------------------------------------------

    def store(self, call: ir.Call) -> None:
        tile, offsets, target = call.args[0], call.args[1], call.args[2]
        root = self.tracer.root(target)
        if (
            len(call.args) != 3
            or call.kwargs.get("atomic")
            or self.depends(target)
            or not isinstance(root, ir.Var)
            or root not in self.params
            or not isinstance(tile.type, ir.TileType)
            or not isinstance(root.type, ir.TensorType)
            or not isinstance(offsets, ir.MakeTuple)
            or not len(offsets.elements) == len(tile.type.shape) == len(root.type.shape)
        ):
            return
        extents = [const_value(extent) for extent in valid_shape_of(tile.type)]
        if None in extents or 0 in extents:
            return
        if not self.depends(offsets):
            if self.depends(tile):
                self.same_place(call, root, root.type, extents)
        else:
            self.behind_the_end(call, root, root.type, offsets, extents)

    def same_place(self, call: ir.Call, root: ir.Var, kind: ir.TensorType, extents: list[int | None]) -> None:
        name = author_name(root)
        lane = next((author_name(v) for v in self.lanes if v.span.is_valid), "")
        data: dict[str, object] = {"name": name, "lane": lane}
        if self.region.split is not ir.SplitMode.NONE:
            axis = split_dimension(self.region.split)
            share = extents[axis]
            if share is not None and const_value(kind.shape[axis]) == 2 * share:
                # The tensor holds both shares: this is where the lane's own belongs.
                data |= {"axis": axis, "share": share}
        self.found.append(
            _report(
                "lane-store-same-place",
                0,
                f"both lanes write their share to the same place of '{name}', so that one overwrites the other: the offset does not "
                f"depend on the lane; add the lane index{f' ({lane})' if lane else ''} to it",
                call.span,
                related=(Related("the lane region opens here", self.region.span),),
                data=data,
            )
        )

    def behind_the_end(
        self,
        call: ir.Call,
        root: ir.Var,
        kind: ir.TensorType,
        offsets: ir.MakeTuple,
        extents: list[int | None],
    ) -> None:
        for axis, (offset, extent, dim) in enumerate(zip(offsets.elements, extents, kind.shape, strict=True)):
            size = const_value(dim)
            for lane in _LANES:
                start = self.at(offset, lane)
                if start is None or size is None or extent is None or start + extent <= size:
                    continue
                name = author_name(root)
                self.found.append(
                    _report(
                        "lane-store-behind-end",
                        0,
                        f"lane {lane} writes {start} to {start + extent - 1} on dim {axis} of '{name}', which ends at {size - 1}",
                        call.span,
                        related=(Related("the lane region opens here", self.region.span),),
                        data={"name": name, "lane": lane, "axis": axis, "start": start, "size": size},
                    )
                )
                return

    def at(self, offset: ir.Expr, lane: int) -> int | None:
        """The offset of one lane, when that is a number."""
        bound = ir.substitute(offset, {var: ir.ConstInt(lane) for var in self.lanes})
        return const_value(Analyzer().simplify(bound))


VERIFIER = Verifier("LaneStores", "LaneStores", check)
