"""Lowering a full-width body to per-lane form: crossings made explicit, vector work halved (docs/spec/passes_split.md §9.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pypto_core.analysis.affinity import (
    Affinity,
    MoveDirection,
    classify_call_affinity,
    classify_move_direction,
)
from pypto_core.analysis.lanes import const_value
from pypto_core.analysis.names import describe, written_text
from pypto_core.analysis.statements import block, leaf_call, stmts_of, walk_stmts
from pypto_core.diagnostics import Related
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    IfStmt,
    ReturnStmt,
    SeqStmts,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    dim_equal,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ops.registry import OpError, create_op_call
from pypto_core.passes.split_axis.carries import (
    repair_if_return_vars,
    repair_iter_args,
    repair_return_vars,
    validate_backedge,
)
from pypto_core.passes.split_axis.codes import check_carried
from pypto_core.passes.split_axis.extents import half, localize_shard_valid
from pypto_core.passes.split_axis.rejections import label, reject, reject_internal, reject_operator
from pypto_core.passes.split_axis.state import SplitState, TileInfo
from pypto_core.passes.split_axis.statement import bind_replaced, localize_return_stores, process_stmt

V = TypeVar("V", bound=Var)
Leaf = Callable[[Stmt, Call, SplitState], list[Stmt]]


def lower(stmts: Sequence[Stmt], state: SplitState) -> list[Stmt]:
    """`stmts` with vector work halved on the mode's axis; cube and shared work stays full.

    The result still names replaced variables: substitute ``state.repl`` once at the end.
    """
    return _rewrite(stmts, state, _lower_leaf)


def halve_all(stmts: Sequence[Stmt], state: SplitState) -> list[Stmt]:
    """The same for a body that is one core's already: every leaf statement goes through the halving rules."""
    return _rewrite(stmts, state, lambda stmt, _, s: process_stmt(stmt, s))


def _rewrite(stmts: Sequence[Stmt], state: SplitState, leaf: Leaf) -> list[Stmt]:
    out: list[Stmt] = []
    for stmt in stmts:
        out.extend(_rewrite_stmt(stmt, state, leaf))
    return out


def _rewrite_body(body: Stmt, state: SplitState, leaf: Leaf) -> Stmt:
    return block(_rewrite(stmts_of(body), state, leaf), body)


def _rewrite_stmt(stmt: Stmt, state: SplitState, leaf: Leaf) -> list[Stmt]:
    call = leaf_call(stmt)
    if call is not None:
        if isinstance(stmt, AssignStmt):
            state.made[stmt.var] = call
        return leaf(stmt, call, state)
    if isinstance(stmt, AssignStmt):
        return [bind_replaced(stmt, state) or stmt]
    if isinstance(stmt, (ForStmt, WhileStmt)):
        return [_rewrite_loop(stmt, state, leaf)]
    if isinstance(stmt, IfStmt):
        return [_rewrite_if(stmt, state, leaf)]
    if isinstance(stmt, SeqStmts):
        return _rewrite(stmt.stmts, state, leaf)
    if isinstance(stmt, ReturnStmt):
        return [localize_return_stores(stmt, state)]
    return [stmt]


def _rewrite_loop(stmt: ForStmt | WhileStmt, state: SplitState, leaf: Leaf) -> Stmt:
    iter_args = repair_iter_args(stmt.iter_args, state)
    body = _rewrite_body(stmt.body, state, leaf)
    validate_backedge(stmt, body, state)
    results = repair_return_vars(stmt, iter_args, state)
    return stmt.with_(
        iter_args=_same(iter_args, stmt.iter_args), body=body, return_vars=_same(results, stmt.return_vars)
    )


@goes_deep
def _rewrite_if(stmt: IfStmt, state: SplitState, leaf: Leaf) -> Stmt:
    then = _rewrite_body(stmt.then_body, state, leaf)
    other = None if stmt.else_body is None else _rewrite_body(stmt.else_body, state, leaf)
    results = repair_if_return_vars(stmt, then, other, state)
    return stmt.with_(then_body=then, else_body=other, return_vars=_same(results, stmt.return_vars))


def _same(new: tuple[V, ...], old: tuple[V, ...]) -> tuple[V, ...]:
    """`old` itself when `new` holds the same objects."""
    return old if len(new) == len(old) and all(a is b for a, b in zip(new, old)) else new


def _lower_leaf(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    if isinstance(stmt, AssignStmt):
        direction = classify_move_direction(call)
        if direction is MoveDirection.CUBE_TO_VECTOR:
            return [_shard(stmt, call, state)]
        if direction is MoveDirection.VECTOR_TO_CUBE:
            return _gather(stmt, call, state)
    if classify_call_affinity(call) is Affinity.VECTOR:
        return process_stmt(stmt, state)
    return [stmt]


def _shard(stmt: AssignStmt, call: Call, state: SplitState) -> Stmt:
    """A Cube->Vector move becomes a shard; the cube operand stays full."""
    full, dim = call.args[0].type, state.dim
    kwargs: dict[str, int] = {"split": int(state.mode)}
    stride = const_value(state.stride)
    if stride is not None:
        kwargs["lane_stride"] = stride
    if isinstance(full, TileType):
        operand = call.args[0].span
        at = operand if operand.is_valid else call.span
        crossing = (Related("the value crosses to the vector side here", call.span),)
        check_carried(state.mode, full, "tile.aiv_shard", at, crossing)
    try:
        shard = create_op_call("tile.aiv_shard", call.args[:1], kwargs, span=call.span)
    except OpError as error:
        raise reject_operator(error, call) from error
    type_ = localize_shard_valid(shard.type, full, dim, state.lane, state.stride)
    target = Var(stmt.var.name_hint, type_, span=stmt.var.span)
    assert isinstance(full, TileType)
    state.replace(stmt.var, target, TileInfo(half(full.shape[dim]), dim))
    return stmt.with_(var=target, value=shard.with_(type=type_))


def _gather(stmt: AssignStmt, call: Call, state: SplitState) -> list[Stmt]:
    """A Vector->Cube move becomes a gather of the lanes' halves and the placement move on the joined tile."""
    source = call.args[0]
    info = state.operand_info(source)
    if info is None:
        raise reject(
            "R-V2C-FULL",
            "split-gather-full-width",
            f"the move to the cube side reads {label(source, call.span)}, which is full-width: tile.aic_gather joins the "
            f"lanes' halves and this value has none; load or slice the value inside the split function, or keep it on the "
            f"vector side",
            call.span,
            name=describe(source, call.span),
            shape=tuple(written_text(e) for e in source.type.shape)
            if isinstance(source.type, TileType)
            else (),
        )
    if info.dim not in (0, 1):
        raise reject(
            "R-V2C-DIM",
            "split-gather-axis",
            f"the move to the cube side reads {label(source, call.span)}, split on dim {info.dim}: tile.aic_gather joins "
            f"dim 0 or dim 1 only; cross to the cube side earlier",
            call.span,
            name=describe(source, call.span),
            dim=info.dim,
        )
    operand = state.probe(source)
    _check_even(call, source, info.dim)
    try:
        gather = create_op_call("tile.aic_gather", (operand,), {"split": info.dim + 1}, span=call.span)
    except OpError as error:
        raise reject_operator(error, call) from error
    joined = Var(f"{stmt.var.name_hint}_mat", gather.type, span=stmt.var.span)
    moved = call.type
    if isinstance(moved, TileType) and isinstance(gather.type, TileType):
        if not all(dim_equal(a, b) for a, b in zip(gather.type.shape, moved.shape)):
            raise reject_internal("the joined tile and the moved tile have different shapes", call.span)
    placed = call.with_(args=(joined, *call.args[1:]))
    return [AssignStmt(joined, gather, span=stmt.span), stmt.with_(value=placed)]


def _check_even(call: Call, source: Expr, dim: int) -> None:
    """The lanes of an odd axis hold different extents, for which a gather has no form."""
    assert isinstance(source.type, TileType)
    extent = const_value(source.type.shape[dim])
    if extent is not None and extent % 2:
        first, second = (extent + 1) // 2, extent // 2
        raise reject(
            "R-GATHER-ODD",
            "split-gather-odd",
            f"the move to the cube side reads {label(source, call.span)}, whose lanes hold {first} and {second} cells of dim "
            f"{dim}: tile.aic_gather has no odd form; pad the axis to an even extent and narrow the result on the cube side",
            call.span,
            op="tile.aic_gather",
            dim=dim,
            extents=(first, second),
        )


def check_no_cube_tile_halved(stmts: Sequence[Stmt], state: SplitState) -> None:
    """Backstop of the affinity gate: no cube operator touches a lane's half."""
    for stmt in walk_stmts(stmts):
        call = leaf_call(stmt)
        if call is None or classify_call_affinity(call) is not Affinity.CUBE:
            continue
        target = stmt.var if isinstance(stmt, AssignStmt) else None
        if (target is not None and target in state.tile_vars) or any(
            state.operand_info(arg) is not None for arg in call.args
        ):
            raise reject_internal(f"cube op '{call.name}' would work on one lane's half", call.span)
