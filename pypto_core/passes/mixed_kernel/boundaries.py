"""Cube/vector crossings of one kernel and their two ends (docs/spec/passes_split.md §10.3, §10.4)."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.affinity import MoveDirection, classify_move_direction
from pypto_core.analysis.lanes import AIC, AIV, TILE_BOUNDARY_OPS, Side, kwarg_int
from pypto_core.analysis.statements import as_var, leaf_call, walk_stmts
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    MemorySpace,
    Span,
    SplitMode,
    Stmt,
    TileLayout,
    TileType,
    TileView,
    Var,
    effective_tile_view,
    implicit_tile_view,
)
from pypto_core.ops.registry import untyped_op_call
from pypto_core.passes.split_axis.codes import gather_split_code, shard_split_code
from pypto_core.passes.split_axis.rejections import reject_internal

_BOXED = frozenset({MemorySpace.Left, MemorySpace.Right, MemorySpace.Mat})


def transfer_view(space: MemorySpace, view: TileView) -> TileView:
    """View of a tile on its way into `space`: the cube spaces want column-major blocks of row-major cells."""
    if space in _BOXED:
        return view.with_(blayout=TileLayout.col_major, slayout=TileLayout.row_major)
    return view


@dataclass(frozen=True, slots=True)
class Boundary:
    """One crossing statement ``dest = op(source)``.

    `op_driven` crossings (shard/gather) carry the mode and, on a rebalanced shard, the lane stride; a plain move crosses
    whole.
    """

    stmt: AssignStmt
    call: Call
    direction: MoveDirection
    op_driven: bool

    @property
    def source(self) -> Expr:
        return self.call.args[0]

    @property
    def dest(self) -> Var:
        return self.stmt.var

    @property
    def dest_type(self) -> TileType:
        type_ = self.stmt.var.type
        if not isinstance(type_, TileType):
            raise reject_internal(f"the crossing '{self.call.name}' has no tile result", self.call.span)
        return type_

    @property
    def stride(self) -> int:
        return kwarg_int(self.call, "lane_stride") if self.op_driven else 0

    def code(self) -> int:
        """Transport code of both ends.

        Raises:
            PassError: ``split-ragged-columns``, ``split-unplaceable`` or ``split-gather-odd``.
        """
        if not self.op_driven:
            return 0
        stated = kwarg_int(self.call, "split")
        span = self.call.span if self.call.span.is_valid else self.stmt.span
        if stated not in (0, 1, 2):
            raise reject_internal(
                f"'{self.call.name}' has split mode {stated}; a boundary carries 0, 1 or 2", span
            )
        mode = SplitMode(stated)
        if self.direction is MoveDirection.CUBE_TO_VECTOR:
            return shard_split_code(mode, self.source.type, self.stride or None, self.call, span)
        return gather_split_code(mode, self.dest_type, self.call, span)

    def kwargs(self) -> dict[str, int]:
        found = {"split": self.code()}
        if self.stride > 0 and self.direction is MoveDirection.CUBE_TO_VECTOR:
            found["lane_stride"] = self.stride
        return found

    def pushes(self, side: Side) -> bool:
        """Whether `side` is the sending one."""
        return (side is AIC) == (self.direction is MoveDirection.CUBE_TO_VECTOR)


def find_boundaries(body: Stmt, crossed: frozenset[Var]) -> dict[Stmt, Boundary]:
    """Every crossing below `body`; a move of a value that has already crossed is none."""
    found: dict[Stmt, Boundary] = {}
    for stmt in walk_stmts(body):
        call = leaf_call(stmt)
        if call is None or not isinstance(stmt, AssignStmt):
            continue
        name = call.op.name
        if name in TILE_BOUNDARY_OPS:
            shard = name == "tile.aiv_shard"
            way = MoveDirection.CUBE_TO_VECTOR if shard else MoveDirection.VECTOR_TO_CUBE
            found[stmt] = Boundary(stmt, call, way, True)
        elif name == "tile.move":
            way = classify_move_direction(call)
            if way is not MoveDirection.NONE and as_var(call.args[0]) not in crossed:
                found[stmt] = Boundary(stmt, call, way, False)
    return found


def fractal_adapter(value: Expr, view: TileView, span_of: Stmt) -> AssignStmt:
    """``<value>_nz = tile.move(value, Vec, ...)``: the layout that the cube's L1 wants, made before the push."""
    assert isinstance(value.type, TileType)
    var = as_var(value)
    base = var.name_hint if var is not None else "tile"
    suffix = "_nz" if view.blayout is TileLayout.col_major else "_zn"
    type_ = TileType(value.type.shape, value.type.dtype, None, view, MemorySpace.Vec)
    call = _placed(value, MemorySpace.Vec, view, type_, span_of)
    return AssignStmt(Var(base + suffix, type_, span=value.span), call, span=span_of.span)


def _placed(value: Expr, space: MemorySpace, view: TileView, type_: TileType, stmt: Stmt) -> Call:
    layouts = {"blayout": view.blayout, "slayout": view.slayout}
    return untyped_op_call(
        "tile.move", (value,), {"target_memory": space, **layouts}, result=type_, span=_call_span(stmt)
    )


def _call_span(stmt: Stmt) -> Span:
    call = leaf_call(stmt)
    return call.span if call is not None and call.span.is_valid else stmt.span


def push_stmts(boundary: Boundary, side: Side, backend: Backend | None) -> list[Stmt]:
    """The sending end."""
    value, stmt, out = boundary.source, boundary.stmt, list[Stmt]()
    if side is AIV and backend is not None and backend.requires_v_to_c_fractal_adapt:
        if boundary.op_driven:
            assert isinstance(value.type, TileType)
            view = transfer_view(MemorySpace.Mat, effective_tile_view(value.type))
        else:
            dest = boundary.dest_type
            view = transfer_view(dest.memory_space or MemorySpace.Mat, effective_tile_view(dest))
        adapter = fractal_adapter(value, view, stmt)
        out.append(adapter)
        value = adapter.var
    call = untyped_op_call(side.push, (value,), boundary.kwargs(), span=_call_span(stmt))
    out.append(EvalStmt(call, span=stmt.span, leading_comments=stmt.leading_comments))
    return out


def pop_stmts(boundary: Boundary, side: Side, remap: dict[Var, Var]) -> list[Stmt]:
    """The receiving end; `remap` learns which variable stands for the received tile on this side."""
    dest, stmt = boundary.dest, boundary.stmt
    type_ = boundary.dest_type
    space, lands = type_.memory_space, side.transfer_memory
    if boundary.op_driven:
        view = implicit_tile_view(type_.shape, lands).with_(valid_shape=type_.valid_shape)
        pop = _pop(boundary, side, dest.name_hint, transfer_view(lands, view))
        remap[dest] = pop.var
        return [pop]
    source = as_var(boundary.source)
    view = effective_tile_view(type_)
    if space is lands or space is None:
        pop = _pop(boundary, side, dest.name_hint, transfer_view(lands, view))
        remap[dest] = pop.var
        out: list[Stmt] = [pop]
    else:
        suffix = "_mat" if side is AIC else "_vec"
        pop = _pop(boundary, side, dest.name_hint + suffix, transfer_view(lands, view))
        out = [pop, stmt.with_(value=_placed(pop.var, space, view, type_, stmt), leading_comments=())]
    if source is not None:
        remap[source] = pop.var
    return out


def _pop(boundary: Boundary, side: Side, name: str, view: TileView) -> AssignStmt:
    dest = boundary.dest_type
    type_ = TileType(dest.shape, dest.dtype, None, view, side.transfer_memory)
    stmt = boundary.stmt
    call = untyped_op_call(side.pop, (), boundary.kwargs(), result=type_, span=_call_span(stmt))
    var = Var(name, type_, span=boundary.dest.span)
    return AssignStmt(var, call, span=stmt.span, leading_comments=stmt.leading_comments)
