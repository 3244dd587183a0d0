"""Halving one statement (docs/spec/passes_split.md §4)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.analysis.lanes import const_value
from pypto_core.analysis.split_axis import is_reduce_on_split_axis, is_singleton
from pypto_core.analysis.statements import as_var, leaf_call
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    MakeTuple,
    ReturnStmt,
    Stmt,
    TileType,
    TupleGetItem,
    TupleType,
    Type,
    Var,
    dim_equal,
)
from pypto_core.ir.rewrite import map_tuple
from pypto_core.ir.scalar import make_binary
from pypto_core.ops.registry import OpError, create_op_call
from pypto_core.passes.split_axis.codes import gather_split_code, shard_split_code
from pypto_core.passes.split_axis.extents import (
    adjust_offsets,
    half,
    halve_tile,
    halve_tuple,
    index,
    lane_step,
    localize_tuple,
    localize_valid,
    replace_at,
)
from pypto_core.passes.split_axis.gates import check_absolute_indices, check_halved, halved_tuple_type
from pypto_core.passes.split_axis.rejections import operand_label, reject, reject_operator
from pypto_core.passes.split_axis.state import SplitState, TileInfo, moved_axis
from pypto_core.passes.split_axis.views import migrated_axis, slice_axes

_POSITIONAL = frozenset({"tile.ci", "tile.random"})
_RESHAPES = frozenset({"tile.reshape", "tile.reinterpret_view"})
_GENERATORS = frozenset({"tile.full", "tile.create"})


def process_stmt(stmt: Stmt, state: SplitState) -> list[Stmt]:
    """The statements that replace an assignment or evaluation; `state` learns what was split.

    Compound statements are the caller's business. A statement that the split does not touch is returned as it is.
    """
    bound = bind_replaced(stmt, state)
    if bound is not None:
        return [bound]
    call = leaf_call(stmt)
    if call is None:
        return [stmt]
    handler = _HANDLERS.get(call.name)
    if handler is not None:
        return handler(stmt, call, state)
    if state.is_aiv and isinstance(stmt, AssignStmt):
        return _compute(stmt, call, state)
    return [stmt]


def bind_replaced(stmt: Stmt, state: SplitState) -> Stmt | None:
    """A projection or plain alias of a replaced value follows it (§5.4); None for any other statement."""
    if not isinstance(stmt, AssignStmt):
        return None
    value = stmt.value
    if as_var(value) is None and not isinstance(value, TupleGetItem):
        return None
    new = state.replaced_operand(value)
    if new is None:
        return None
    target = Var(stmt.var.name_hint, new.type, span=stmt.var.span)
    info = state.operand_info(value)
    if isinstance(value, TupleGetItem) and moved_axis(value.type, new.type) is None:
        info = None
    state.replace(stmt.var, target, info)
    return stmt.with_(var=target, value=new)


def localize_return_stores(stmt: ReturnStmt, state: SplitState) -> ReturnStmt:
    """Stores written as return expressions reach the lane's own half too (§5.6)."""

    def one(value: Expr) -> Expr:
        return (
            _localized_store(value, state)
            if isinstance(value, Call) and value.name == "tile.store"
            else value
        )

    return stmt.with_(values=map_tuple(stmt.values, one))


# -- transport ---------------------------------------------------------------------------------------------------------


def _with_call(stmt: Stmt, call: Call) -> Stmt:
    if isinstance(stmt, AssignStmt):
        return stmt.with_(value=call)
    assert isinstance(stmt, EvalStmt)
    return stmt.with_(expr=call)


def _with_split(call: Call, code: int) -> Call:
    if call.kwargs.get("split") == code:
        return call
    return call.with_(kwargs={**call.kwargs, "split": code})


def _push_to_aiv(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    code = shard_split_code(state.mode, call.args[0].type, _stride(state), call, call.span)
    return [_with_call(stmt, _with_split(call, code))]


def _push_to_aic(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    return [
        _with_call(stmt, _with_split(call, gather_split_code(state.mode, call.args[0].type, call, call.span)))
    ]


def _pop_from_aiv(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    return [_with_call(stmt, _with_split(call, gather_split_code(state.mode, call.type, call, call.span)))]


def _pop_from_aic(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    if not isinstance(stmt, AssignStmt) or not isinstance(stmt.var.type, TileType):
        return [stmt]
    full = stmt.var.type
    code = shard_split_code(state.mode, full, _stride(state), call, call.span)
    if state.dim >= len(full.shape):
        return [_with_call(stmt, _with_split(call, code))]
    halved = halve_tile(full, state.dim, state.lane, state.stride)
    info = TileInfo(half(full.shape[state.dim]), state.dim)
    return [_replace(stmt, _with_split(call, code).with_(type=halved), halved, state, info)]


def _stride(state: SplitState) -> int | None:
    return const_value(state.stride)


# -- memory ------------------------------------------------------------------------------------------------------------


def _replace(stmt: AssignStmt, call: Call, type_: Type, state: SplitState, info: TileInfo | None) -> Stmt:
    target = Var(stmt.var.name_hint, type_, span=stmt.var.span)
    state.replace(stmt.var, target, info)
    return AssignStmt(target, call, span=stmt.span, leading_comments=stmt.leading_comments)


def _load(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    result, dim = call.type, state.dim
    if not state.is_aiv or not isinstance(stmt, AssignStmt) or not isinstance(result, TileType):
        return [stmt]
    if len(result.shape) < 2 or dim >= len(result.shape) or is_singleton(result, dim):
        return [stmt]
    full, part = result.shape[dim], half(result.shape[dim])
    step = lane_step(state.stride, part)
    args = list(call.args)
    args[1] = adjust_offsets(args[1], dim, step, state.lane)
    args[2] = halve_tuple(args[2], dim)
    if len(args) > 3:
        args[3] = localize_tuple(args[3], dim, full, step, state.lane)
    halved = halve_tile(stmt.var.type, dim, state.lane, state.stride)
    return [_replace(stmt, call.with_(args=tuple(args), type=halved), halved, state, TileInfo(part, dim))]


def _localized_store(call: Call, state: SplitState) -> Call:
    info = state.operand_info(call.args[0]) if call.args else None
    if info is None or not state.is_aiv:
        return call
    offsets = adjust_offsets(call.args[1], info.dim, lane_step(state.stride, info.half), state.lane)
    return call.with_(args=replace_at(call.args, 1, offsets))


def _store(stmt: Stmt, call: Call, state: SplitState) -> list[Stmt]:
    return [_with_call(stmt, _localized_store(call, state))]


# -- compute -----------------------------------------------------------------------------------------------------------


def _compute(stmt: AssignStmt, call: Call, state: SplitState) -> list[Stmt]:
    tracked = next(((arg, info) for arg in call.args if (info := state.operand_info(arg)) is not None), None)
    info = tracked[1] if tracked is not None else None
    axis = info.dim if info is not None else state.dim
    if is_reduce_on_split_axis(call, axis):
        raise reject(
            "R-REDUCE",
            "split-reduce-axis",
            f"'{call.name}' reduces dim {axis}, the axis that the split shares out: each lane would hold only a partial "
            f"reduction; reduce the other axis or move the reduction out of the split",
            call.span,
            op=call.name,
            dim=axis,
        )
    check_absolute_indices(call, state)
    if isinstance(call.type, TupleType) and tracked is not None:
        type_ = halved_tuple_type(call, call.args, state)
        return [_replace(stmt, call.with_(type=type_), type_, state, None)]
    if call.name == "tile.reinterpret_view" and len(call.args) > 1:
        _check_inferred_view(call)
    if call.name == "tile.reshape" and tracked is not None:
        moved = _migrate(stmt, call, tracked[0], axis, state)
        if moved is not None:
            return [moved]
    if call.name == "tile.slice" and tracked is not None:
        found = _sliced_axis(call, tracked[0], axis)
        if found is None:
            return [stmt]
        axis = found
    result = call.type
    if not isinstance(result, TileType) or axis >= len(result.shape) or is_singleton(result, axis):
        return [stmt]
    if call.name in _POSITIONAL:
        raise reject(
            "R-GENERATOR",
            "split-generator",
            f"'{call.name}' makes values that depend on position on dim {axis}, which the split halves: both lanes would "
            f"get the first half; make the tile before the split",
            call.span,
            op=call.name,
            dim=axis,
        )
    if call.name in _RESHAPES and tracked is None:
        return _view_then_slice(stmt, call, axis, state)
    halved = halve_tile(stmt.var.type, axis, state.lane, state.stride)
    args = _rewritten_args(call, axis, tracked is not None, state)
    check_halved(call, args, halved, axis, state, stmt.var)
    new = TileInfo(half(result.shape[axis]), axis)
    made = Call(call.op, args, call.kwargs, call.attrs, halved, span=call.span)
    return [_replace(stmt, made, halved, state, new)]


def _rewritten_args(call: Call, axis: int, tracked: bool, state: SplitState) -> tuple[Expr, ...]:
    """Arguments of the halved node where the operator states its shape in them."""
    args, name = list(call.args), call.name
    assert isinstance(call.type, TileType)
    full = call.type.shape[axis]
    step = lane_step(state.stride, half(full))
    if name in _GENERATORS:
        args[0] = halve_tuple(args[0], axis)
    elif name in _RESHAPES and len(args) > 1:
        args[1] = halve_tuple(args[1], axis)
    elif name == "tile.slice":
        source = slice_axes(call).to_source(axis)
        args[1] = halve_tuple(args[1], source)
        if not tracked:
            args[2] = adjust_offsets(args[2], source, step, state.lane)
        if len(args) > 3:
            args[3] = localize_tuple(args[3], source, full, step, state.lane)
    elif name == "tile.set_validshape" and len(args) == 3 and axis < 2:
        operand = args[1 + axis]
        value, reach = const_value(operand), const_value(step)
        if dim_equal(operand, full) or (value is not None and reach is not None and value > reach):
            args[1 + axis] = localize_valid(operand, full, step, state.lane)
    return tuple(args) if any(a is not b for a, b in zip(args, call.args)) else call.args


def _sliced_axis(call: Call, source: Expr, axis: int) -> int | None:
    """Result axis of a tracked slice source; None when a singleton split axis was dropped."""
    found = slice_axes(call).to_result(axis)
    if found is None and not is_singleton(source.type, axis):
        raise reject(
            "R-DROP-SPLIT",
            "split-dropped-axis",
            f"'tile.slice' drops dim {axis}, the axis that the split shares out; keep that dim out of drop_dims",
            call.span,
            op=call.name,
            dim=axis,
        )
    return found


def _check_inferred_view(call: Call) -> None:
    """An explicit shape of a reinterpret_view must be the one that it would have anyway."""
    try:
        inferred = create_op_call(call.name, call.args[:1], call.kwargs, span=call.span).type
    except OpError as error:
        raise reject_operator(error, call) from error
    stated = call.args[1].elements if isinstance(call.args[1], MakeTuple) else ()
    if isinstance(inferred, TileType) and len(stated) == len(inferred.shape):
        if all(dim_equal(a, b) for a, b in zip(stated, inferred.shape)):
            return
    raise reject(
        "R-REINTERPRET",
        "split-dynamic-view",
        f"'{call.name}' with an explicit shape other than the auto-inferred shape cannot be split over the lanes; delete "
        f"`shape=`",
        call.span,
        op=call.name,
    )


def _migrate(stmt: AssignStmt, call: Call, source: Expr, axis: int, state: SplitState) -> Stmt | None:
    """A reshape that moves the split axis to another result axis; None when ordinary halving applies."""
    assert isinstance(source.type, TileType)
    target = migrated_axis(call, source.type, axis)
    if target is None:
        return None
    if state.stride is not None:
        raise reject(
            "R-REBALANCE-RESHAPE",
            "split-reshape-rebalanced",
            f"'tile.reshape' moves the split axis from dim {axis} to dim {target}, but the lanes' shares are balanced on dim "
            f"{axis}: widen the valid extent to the whole box with `pl.tile.set_validshape` first",
            call.span,
            op=call.name,
            dim=axis,
            target=target,
        )
    assert isinstance(call.type, TileType)
    halved = halve_tile(stmt.var.type, target, state.lane)
    args = replace_at(call.args, 1, halve_tuple(call.args[1], target))
    info = TileInfo(half(call.type.shape[target]), target)
    return _replace(stmt, call.with_(args=args, type=halved), halved, state, info)


def _view_then_slice(stmt: AssignStmt, call: Call, axis: int, state: SplitState) -> list[Stmt]:
    """A view of a full-width value stays full; each lane then takes its own window of it."""
    result = call.type
    assert isinstance(result, TileType)
    part = half(result.shape[axis])
    others = [e for i, e in enumerate(result.shape) if i != axis]
    if const_value(part) is None or (
        call.name == "tile.reinterpret_view" and any(const_value(e) is None for e in others)
    ):
        raise reject(
            "R-VIEW-DYNAMIC",
            "split-dynamic-view",
            f"'{call.name}' views the full-width value {operand_label(call, 0, state.made)} with a run-time extent on dim {axis}; the "
            f"lane's window of it needs a constant one: load or slice the lane's share first",
            call.span,
            op=call.name,
            dim=axis,
        )
    view = Var(stmt.var.name_hint, stmt.var.type, span=stmt.var.span)
    shape = tuple(
        index(value) if (value := const_value(e)) is not None else e
        for e in replace_at(result.shape, axis, part)
    )
    size = index(const_value(part) or 0)
    offset: list[Expr] = [index(0)] * len(shape)
    if state.lane is not None:
        offset[axis] = make_binary("mul", state.lane, size)
    window = create_op_call(
        "tile.slice",
        (view, MakeTuple(shape, span=call.span), MakeTuple(tuple(offset), span=call.span)),
        span=call.span,
    )
    target = Var(stmt.var.name_hint, window.type, span=stmt.var.span)
    state.replace(stmt.var, target, TileInfo(part, axis))
    return [stmt.with_(var=view), AssignStmt(target, window, span=stmt.span)]


_HANDLERS: dict[str, Callable[[Stmt, Call, SplitState], list[Stmt]]] = {
    "tile.tpush_to_aiv": _push_to_aiv,
    "tile.tpush_to_aic": _push_to_aic,
    "tile.tpop_from_aiv": _pop_from_aiv,
    "tile.tpop_from_aic": _pop_from_aic,
    "tile.load": _load,
    "tile.store": _store,
}
