"""Cutting one mixed kernel in two (docs/spec/passes_split.md §10.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pypto_core.analysis.affinity import Affinity
from pypto_core.analysis.lanes import AIC, AIV, BOUNDARY_OPS, Side
from pypto_core.analysis.names import describe
from pypto_core.analysis.statements import as_var, block, leaf_call, stmts_of, walk_stmts
from pypto_core.analysis.uses import defs_of, type_vars, uses_of
from pypto_core.backend import Backend
from pypto_core.diagnostics import Related
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    ParamDirection,
    ReturnStmt,
    SeqStmts,
    Stmt,
    TupleType,
    Type,
    Var,
)
from pypto_core.ir.basic_types import UNKNOWN
from pypto_core.ir.walk import called_names, expr_vars, stmt_defs, stmt_exprs
from pypto_core.passes.clone import deep_clone
from pypto_core.passes.mixed_kernel.boundaries import find_boundaries
from pypto_core.passes.mixed_kernel.build import SideBuilder
from pypto_core.passes.mixed_kernel.fences import find_fences
from pypto_core.passes.mixed_kernel.finalize import finalize_split_core_body
from pypto_core.passes.mixed_kernel.lineage import gm_origins, return_params
from pypto_core.passes.mixed_kernel.pipe import add_pipe_setup
from pypto_core.passes.mixed_kernel.placement import Placement
from pypto_core.passes.mixed_kernel.tfree import finalize_tfrees
from pypto_core.passes.split_axis.rejections import reject_internal


@dataclass(frozen=True, slots=True)
class Expanded:
    """The two cores' functions of a kernel and the Group that may take its name."""

    aic: Function
    aiv: Function
    group: Function


def expand(function: Function, placement: Placement, backend: Backend | None) -> Expanded:
    """The AIC and AIV functions of a mixed kernel whose regions have been consumed.

    Raises:
        PassError: the transport codes' rejections, or ``op-value`` for a bad ``slot_num``.
    """
    stmts = stmts_of(function.body)
    boundaries = find_boundaries(function.body, placement.crossed)
    fences = find_fences(stmts, placement)
    origins = gm_origins(function, stmts)
    written = frozenset(
        p for p, d in zip(function.params, function.param_directions) if d != ParamDirection.In
    )
    reachable = frozenset(v for v, p in origins.items() if p in written)
    outside = {*function.params, *_sizes(function)}
    bodies: dict[str, list[Stmt]] = {}
    remaps: dict[str, dict[Var, Var]] = {}
    for side in (AIC, AIV):
        builder = SideBuilder(side, placement, boundaries, fences, backend)
        built = builder.block(stmts)
        finished = finalize_split_core_body(
            built,
            original=stmts,
            placement=placement,
            other=builder.other,
            received=builder.remap,
            reachable=reachable,
            outside=outside,
        )
        bodies[side.name] = finalize_tfrees(finished, side, builder.remap)
        remaps[side.name] = builder.remap
    names = {AIC.name: f"{function.name}_aic", AIV.name: f"{function.name}_aiv"}
    bodies[AIC.name], bodies[AIV.name] = add_pipe_setup(
        function, bodies[AIC.name], bodies[AIV.name], names[AIC.name], names[AIV.name]
    )
    dual = backend is not None and backend.requires_no_split_dual_aiv_dispatch and function.split is None
    cut = {
        side.name: _function(function, side, names, bodies, remaps, origins, written, dual)
        for side in (AIC, AIV)
    }
    for half in cut.values():
        _check_no_boundary(half.body, function)
    return Expanded(cut[AIC.name], cut[AIV.name], _group(function, names))


def _check_no_boundary(body: Stmt, function: Function) -> None:
    if BOUNDARY_OPS.isdisjoint(called_names(body)):
        return
    for stmt in walk_stmts(body):
        call = leaf_call(stmt)
        if call is not None and call.name in BOUNDARY_OPS:
            raise reject_internal(
                f"'{call.name}' in '{function.name}' was not turned into a transfer", call.span
            )


def _sizes(function: Function) -> Iterator[Var]:
    """Variables that the types of the signature name."""
    for type_ in (*(p.type for p in function.params), *function.return_types):
        yield from type_vars(type_)


def _check_nothing_is_lost(function: Function, side: Side, body: Sequence[Stmt], lost: set[Var]) -> None:
    """Refuse a read of what this side does not have: the result of the other core's operator that no move brings across, or
    what a loop or branch hands on that has it from the other core alone. The sizes that the signature names are known everywhere.

    Raises:
        PassError: ``compiler-internal``.
    """
    here, there = ("cube", "vector") if side is AIC else ("vector", "cube")
    lost.difference_update(_sizes(function))
    made = {stmt.var for stmt in walk_stmts(function.body) if isinstance(stmt, AssignStmt)}
    for stmt in walk_stmts(body):
        for var in (v for expr in stmt_exprs(stmt) for v in expr_vars(expr) if v in lost):
            call = leaf_call(stmt)
            span = call.span if call is not None and call.span.is_valid else stmt.span
            if var in made:
                why, where = f"it is made on the {there} side and no move brings it across", "made here"
            else:
                why = f"the loop or branch that hands it on has it from {there} work only; hand it on outside of it"
                where = "handed on from here"
            raise reject_internal(
                f"'{describe(var, span)}' is read on the {here} side, but {why}",
                span,
                (Related(where, var.span),) if var.span.is_valid else (),
            )


def _check_nothing_is_early(side: Side, body: Sequence[Stmt], received: dict[Var, Var]) -> None:
    """Refuse a read of the other core's value that stands before the move that brings it across: whatever way the body takes,
    nothing has been received there.

    Raises:
        PassError: ``compiler-internal``.
    """
    here, there = ("cube", "vector") if side is AIC else ("vector", "cube")
    awaited = set(received.values())
    for stmt in walk_stmts(block(body)):
        for var in (v for expr in stmt_exprs(stmt) for v in expr_vars(expr)):
            if var in received and received[var] in awaited:
                call = leaf_call(stmt)
                span = call.span if call is not None and call.span.is_valid else stmt.span
                raise reject_internal(
                    f"'{describe(var, span)}' is made on the {there} side and read on the {here} side before the move that brings "
                    "it across",
                    span,
                    (Related("made here", var.span),) if var.span.is_valid else (),
                )
        awaited.difference_update(stmt_defs(stmt))


def _function(
    function: Function,
    side: Side,
    names: dict[str, str],
    bodies: dict[str, list[Stmt]],
    remaps: dict[str, dict[Var, Var]],
    origins: dict[Var, Var],
    written: frozenset[Var],
    dual: bool,
) -> Function:
    body, remap = bodies[side.name], remaps[side.name]
    params = fresh_params(function)
    own = dict(zip(function.params, params))
    seeds: dict[Var, Expr] = dict(own)
    for old, new in remap.items():
        seeds[old] = seeds[new] = new
    defined = defs_of(body)
    if side is AIV:
        for stmt in walk_stmts(function.body):
            call = leaf_call(stmt)
            if call is not None and call.op.name == "tile.store" and isinstance(stmt, AssignStmt):
                dest = as_var(call.args[2]) if len(call.args) > 2 else None
                if stmt.var not in defined and dest in own:
                    seeds[stmt.var] = own[dest]
    lost: set[Var] = set()
    for var in uses_of(body):
        param = origins.get(var)
        if var not in defined and var not in seeds:
            if param is not None and param in written:
                seeds[var] = own[param]
            else:
                lost.add(var)
    if lost:
        _check_nothing_is_lost(function, side, body, lost)
    _check_nothing_is_early(side, body, {old: new for old, new in remap.items() if old not in defined})
    attrs = dict(function.attrs)
    if side is AIV and dual:
        attrs.pop("dual_aiv_dispatch", None)
        attrs["dual_aiv_dispatch"] = True
    return function.with_(
        name=names[side.name],
        params=params,
        return_types=function.return_types if side is AIV else (),
        body=deep_clone(block(body), seeds),
        func_type=FunctionType.AIC if side is AIC else FunctionType.AIV,
        level=None,
        role=None,
        attrs=attrs,
    )


def fresh_params(function: Function) -> tuple[Var, ...]:
    """New parameter variables; their types still name the old ones (docs/spec/passes_split.md §10.9 b)."""
    return tuple(Var(p.name_hint, p.type, span=p.span) for p in function.params)


def call_type(return_types: Sequence[Type]) -> Type:
    """Type of a call of a function with these return types."""
    if not return_types:
        return UNKNOWN
    return return_types[0] if len(return_types) == 1 else TupleType(tuple(return_types))


def _group(function: Function, names: dict[str, str]) -> Function:
    """The Group under the kernel's old name: both cores, then what the kernel returned."""
    params = fresh_params(function)
    own = dict(zip(function.params, params))
    span = function.span
    aic = Call(GlobalVar(names[AIC.name]), params, type=UNKNOWN, span=span)
    aiv = Call(GlobalVar(names[AIV.name]), params, type=call_type(function.return_types), span=span)
    body: list[Stmt] = [EvalStmt(aic, span=span)]
    traced = return_params(function)
    if not function.return_types:
        body.append(EvalStmt(aiv, span=span))
    elif len(traced) == len(function.return_types) and all(t is not None for t in traced):
        body.append(EvalStmt(aiv, span=span))
        body.append(ReturnStmt(tuple(own[t] for t in traced if t is not None), span=span))
    else:
        result = Var("result", aiv.type, span=span)
        body += [AssignStmt(result, aiv, span=span), ReturnStmt((result,), span=span)]
    return function.with_(
        params=params,
        body=SeqStmts.flatten(body),
        func_type=FunctionType.Group,
        level=None,
        role=None,
    )


def plain_function(function: Function, combined: Affinity) -> Function:
    """A kernel whose work belongs to one core kind: the same body under that type, without the split mode."""
    return function.with_(
        func_type=FunctionType.AIC if combined is Affinity.CUBE else FunctionType.AIV,
        level=None,
        role=None,
        attrs={k: v for k, v in function.attrs.items() if k != "split"},
    )
