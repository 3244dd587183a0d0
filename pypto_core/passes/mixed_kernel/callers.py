"""Callers of expanded kernels and hand-written Groups (docs/spec/passes_split.md §10.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pypto_core.analysis.lanes import FREE_OPS, POP_OPS, PUSH_OPS, kwarg_int
from pypto_core.analysis.statements import as_var, block, leaf_call, stmts_of, walk_stmts
from pypto_core.analysis.uses import expr_vars
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    MemorySpace,
    Stmt,
    TileType,
    Var,
    effective_tile_view,
)
from pypto_core.ir.basic_types import UNKNOWN
from pypto_core.ir.rewrite import Rewriter, substitute
from pypto_core.ir.walk import called_names, calls_in
from pypto_core.passes.clone import deep_clone
from pypto_core.passes.mixed_kernel.boundaries import fractal_adapter, transfer_view
from pypto_core.passes.mixed_kernel.expand import fresh_params
from pypto_core.passes.split_axis.rejections import reject

_TRANSFERS = PUSH_OPS | POP_OPS | FREE_OPS


def direct_callees(function: Function) -> set[str]:
    """Functions called by direct statements of the body; calls inside loops, branches and scopes are not seen."""
    return {
        call.name
        for stmt in stmts_of(function.body)
        if (call := leaf_call(stmt)) is not None and call.is_function_call
    }


def split_group_calls(group: Function, expanded: frozenset[str]) -> Function:
    """A Group that called an expanded kernel calls its two halves."""
    out: list[Stmt] = []
    for stmt in stmts_of(group.body):
        call = leaf_call(stmt)
        if call is None or not call.is_function_call or call.name not in expanded:
            out.append(stmt)
            continue
        aic = call.with_(op=GlobalVar(f"{call.name}_aic"), type=UNKNOWN)
        aiv = call.with_(op=GlobalVar(f"{call.name}_aiv"))
        out.append(EvalStmt(aic, span=stmt.span, leading_comments=stmt.leading_comments))
        if isinstance(stmt, AssignStmt):
            out.append(stmt.with_(value=aiv, leading_comments=()))
        else:
            out.append(EvalStmt(aiv, span=stmt.span))
    return group.with_(body=block(out, group.body))


# -- hand-written groups -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Member:
    function: Function
    call: Call


def share_group_signatures(functions: dict[str, Function], backend: Backend | None) -> dict[str, Function]:
    """Give both members of a hand-written Group the Group's own signature where they differ from it.

    Raises:
        PassError: ``group-member-layout`` for members that cannot be rebuilt.
    """
    out = dict(functions)
    counts = _call_counts(functions.values())
    for group in list(functions.values()):
        if group.func_type is FunctionType.Group:
            _share(out[group.name], out, counts, backend)
    return out


def _share(
    group: Function, functions: dict[str, Function], counts: Counter[str], backend: Backend | None
) -> None:
    """One Group; `counts` are the calls of every function before any Group was changed."""
    aic = _member(group, functions, FunctionType.AIC)
    aiv = _member(group, functions, FunctionType.AIV)
    if aic is None or aiv is None:
        return
    dual = _needs_dual_dispatch(aiv.function, backend)
    same = all(_passes_params(group, m.call) for m in (aic, aiv))
    if same and not dual:
        return
    members = (aic, aiv)
    for member in members:
        _check_rebuildable(group, member, same)
    in_place = all(counts[m.function.name] == 1 for m in members)
    renamed: dict[str, str] = {}
    for member, kind in zip(members, ("aic", "aiv")):
        old = member.function.name
        renamed[old] = old if in_place else _free_name(f"{group.name}_{kind}_adapter", functions)
    for member in members:
        new = _rebuilt(group, member.function, member.call, renamed)
        if dual and member is aiv:
            attrs = {k: v for k, v in new.attrs.items() if k != "dual_aiv_dispatch"}
            new = new.with_(attrs={**attrs, "dual_aiv_dispatch": True})
        functions[new.name] = new
    functions[group.name] = _redirected(group, {m.call: renamed[m.function.name] for m in members})


def _member(group: Function, functions: dict[str, Function], kind: FunctionType) -> _Member | None:
    for call in calls_in(group.body):
        target = functions.get(call.name)
        if (
            isinstance(call, Call)
            and call.is_function_call
            and target is not None
            and target.func_type is kind
        ):
            return _Member(target, call)
    return None


def _passes_params(group: Function, call: Call) -> bool:
    return len(call.args) == len(group.params) and all(a is p for a, p in zip(call.args, group.params))


def _needs_dual_dispatch(aiv: Function, backend: Backend | None) -> bool:
    """Whether an unsplit AIV member must run on both lanes to keep the handshake balanced."""
    if backend is None or not backend.requires_no_split_dual_aiv_dispatch or aiv.split is not None:
        return False
    if aiv.attrs.get("external_source") or aiv.attrs.get("dual_aiv_dispatch"):
        return False
    transfers = [c for s in walk_stmts(aiv.body) if (c := leaf_call(s)) is not None and c.name in _TRANSFERS]
    return bool(transfers) and all(kwarg_int(c, "split") == 0 for c in transfers)


def _check_rebuildable(group: Function, member: _Member, same: bool) -> None:
    function = member.function
    fixed = bool(function.attrs.get("external_source")) or function.requires_runtime_binding
    if fixed and not same:
        raise reject(
            "group-abi",
            "group-member-layout",
            f"Group '{group.name}' calls '{function.name}' with other parameters than its own, and '{function.name}' has no "
            f"body here that could take them; pass the Group's parameters in order",
            member.call.span,
            group=group.name,
            member=function.name,
        )


def _call_counts(functions: Iterable[Function]) -> Counter[str]:
    return Counter(
        [call.op.name for f in functions for call in calls_in(f.body) if call.op.__class__ is GlobalVar]
    )


def _free_name(wanted: str, functions: dict[str, Function]) -> str:
    name, number = wanted, 0
    while name in functions:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _rebuilt(group: Function, member: Function, call: Call, renamed: dict[str, str]) -> Function:
    params = fresh_params(group)
    own: dict[Var, Expr] = dict(zip(group.params, params))
    seeds: dict[Var, Expr] = {}
    for param, arg in zip(member.params, call.args):
        if any(var not in own for var in expr_vars(arg)):
            raise reject(
                "group-abi",
                "group-member-layout",
                f"Group '{group.name}' passes a value of its own body to '{member.name}'; pass its parameters only",
                call.span,
                group=group.name,
                member=member.name,
            )
        seeds[param] = substitute(arg, own)
    body = deep_clone(_RenamePeers(renamed).rewrite(member.body), seeds)
    return member.with_(
        name=renamed[member.name], params=params, param_directions=group.param_directions, body=body
    )


class _RenamePeers(Rewriter):
    """``peer_func`` strings follow their function's new name."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self.renamed = renamed

    def rewrite_Call(self, call: Call) -> Call:
        peer = call.kwargs.get("peer_func")
        if isinstance(peer, str) and self.renamed.get(peer, peer) != peer:
            return call.with_(kwargs={**call.kwargs, "peer_func": self.renamed[peer]})
        return call


def _redirected(group: Function, targets: dict[Call, str]) -> Function:
    class Redirect(Rewriter):
        def rewrite_Call(self, call: Call) -> Call:
            name = targets.get(call)
            if name is None:
                return call
            op = call.op if call.name == name else GlobalVar(name)
            return call.with_(op=op, args=group.params, attrs=_remapped_overrides(group, call))

    return group.with_(body=Redirect().rewrite(group.body))


def _remapped_overrides(group: Function, call: Call) -> dict[str, object]:
    """``pl.no_dep`` positions, given for the member's own parameters, as positions of the Group's."""
    attrs = dict(call.attrs)
    positions = attrs.get("arg_direction_overrides")
    if not positions:
        return attrs
    new: list[int] = []
    for position in positions:
        var = as_var(call.args[position])
        if var is None or var not in group.params:
            raise reject(
                "group-abi",
                "group-member-layout",
                f"pl.no_dep in Group '{group.name}' needs a plain parameter of the Group as its argument",
                call.args[position].span if call.args[position].span.is_valid else call.span,
                group=group.name,
            )
        new.append(group.params.index(var))
    attrs["arg_direction_overrides"] = type(positions)(sorted(new))
    return attrs


# -- fractal adapter of hand-written pushes ----------------------------------------------------------------------------


def adapt_manual_pushes(function: Function, backend: Backend | None) -> Function:
    """An AIV push to the cube goes through the layout that L1 wants, where the chip needs it."""
    if (
        backend is None
        or not backend.requires_v_to_c_fractal_adapt
        or function.func_type is not FunctionType.AIV
    ):
        return function
    if "tile.tpush_to_aic" not in called_names(function.body):
        return function
    body = _AdaptPushes().rewrite(function.body)
    return function.with_(body=body)


class _AdaptPushes(Rewriter):
    def rewrite_EvalStmt(self, stmt: EvalStmt) -> Stmt:
        call = leaf_call(stmt)
        if call is None or call.name != "tile.tpush_to_aic" or not call.args:
            return stmt
        tile = call.args[0].type
        if not isinstance(tile, TileType):
            return stmt
        have = effective_tile_view(tile)
        want = transfer_view(MemorySpace.Mat, have)
        if (have.blayout, have.slayout) == (want.blayout, want.slayout):
            return stmt
        adapter = fractal_adapter(call.args[0], want, stmt)
        return block([adapter, stmt.with_(expr=call.with_(args=(adapter.var, *call.args[1:])))])
