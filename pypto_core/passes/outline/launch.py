"""The statement that replaces an outlined scope (docs/spec/passes_front.md §9.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pypto_core import ir
from pypto_core.diagnostics import error
from pypto_core.passes.base import PassError
from pypto_core.passes.outline.capture import Outputs
from pypto_core.passes.ssa_names import fresh_like

TASK_ID = ir.ScalarType.of(ir.DataType.TASK_ID)
RESULT_TUPLE = "ret__tmp_v0"

Rename = Callable[[ir.Expr], ir.Expr]


@dataclass(slots=True)
class CallSite:
    """Statements of the call and the new names of stored buffers."""

    stmts: list[ir.Stmt] = field(default_factory=list)
    renamed: dict[ir.Var, ir.Expr] = field(default_factory=dict)


def is_submit(scope: ir.ScopeStmt) -> bool:
    """Whether the scope dispatches asynchronously: a task id, dependencies, early resolve or a predicate."""
    attrs = scope.attrs
    return bool(
        attrs.get("task_id_var") is not None
        or attrs.get("manual_dep_edges")
        or attrs.get("allow_early_resolve")
        or attrs.get("predicate") is not None
    )


def call_site(
    scope: ir.ScopeStmt,
    name: str,
    inputs: tuple[ir.Var, ...],
    results: Outputs,
    result_types: tuple[ir.Type, ...],
    *,
    return_types: tuple[ir.Type, ...],
    rename: Rename,
    used_names: set[str],
) -> CallSite:
    """The call of the outlined function ``name``. ``rename`` follows buffers to their latest names.

    ``result_types`` are in terms of the caller's variables, ``return_types`` in terms of the callee's.
    """
    site = CallSite()
    span = scope.span
    targets = _targets(results, result_types, site, used_names)
    args = tuple(rename(v) for v in inputs)
    attrs = _attrs(scope, inputs, rename)
    if is_submit(scope):
        _emit_submit(scope, name, args, attrs, targets, return_types, site, rename, used_names)
        return site
    if isinstance(scope, ir.SpmdScopeStmt):
        attrs["core_num"] = rename(scope.core_num)
        if scope.sync_start:
            attrs["sync_start"] = True
    type_: ir.Type = ir.TupleType(return_types)
    if not targets:
        # A call without results keeps the unknown type: there is nothing to type.
        site.stmts.append(ir.EvalStmt(ir.Call(ir.GlobalVar(name), args, attrs=attrs, span=span), span=span))
        return site
    if len(targets) == 1:
        type_ = return_types[0]
    call = ir.Call(ir.GlobalVar(name), args, attrs=attrs, type=type_, span=span)
    if len(targets) == 1:
        site.stmts.append(ir.AssignStmt(targets[0], call, span=span))
        return site
    _emit_tuple(call, targets, site, span)
    return site


def _targets(
    results: Outputs, types: tuple[ir.Type, ...], site: CallSite, used_names: set[str]
) -> list[ir.Var]:
    """Ordinary results keep their variable; a stored buffer gets a fresh one."""
    targets: list[ir.Var] = list(results.ordinary)
    for target, type_ in zip(results.stored, types[len(targets) :], strict=True):
        name = fresh_like(target.name_hint, used_names)
        used_names.add(name)
        fresh = ir.Var(name, type_, span=target.span)
        site.renamed[target] = fresh
        targets.append(fresh)
    return targets


def _emit_tuple(value: ir.Expr, targets: list[ir.Var], site: CallSite, span: ir.Span) -> ir.Var:
    result = ir.Var(RESULT_TUPLE, value.type, span=span)
    site.stmts.append(ir.AssignStmt(result, value, span=span))
    for i, target in enumerate(targets):
        site.stmts.append(ir.AssignStmt(target, ir.TupleGetItem(result, i, span=span), span=span))
    return result


def _emit_submit(
    scope: ir.ScopeStmt,
    name: str,
    args: tuple[ir.Expr, ...],
    attrs: dict[str, object],
    targets: list[ir.Var],
    return_types: tuple[ir.Type, ...],
    site: CallSite,
    rename: Rename,
    used_names: set[str],
) -> None:
    span = scope.span
    task_id = scope.attrs.get("task_id_var")
    if task_id is None:
        fresh = fresh_like("tid", used_names)
        used_names.add(fresh)
        task_id = ir.Var(fresh, TASK_ID, span=span)
    predicate = scope.attrs.get("predicate")
    spmd = scope if isinstance(scope, ir.SpmdScopeStmt) else None
    submit = ir.Submit(
        ir.GlobalVar(name),
        args,
        tuple(rename(v) for v in scope.attrs.get("manual_dep_edges", ()) if v is not None),
        attrs=attrs,
        type=ir.TupleType((*return_types, TASK_ID)),
        core_num=rename(spmd.core_num) if spmd is not None else None,
        sync_start=spmd is not None and spmd.sync_start,
        allow_early_resolve=bool(scope.attrs.get("allow_early_resolve")),
        predicate=rename(predicate) if predicate is not None else None,
        span=span,
    )
    _emit_tuple(submit, [*targets, task_id], site, span)


def _attrs(scope: ir.ScopeStmt, inputs: tuple[ir.Var, ...], rename: Rename) -> dict[str, object]:
    attrs: dict[str, object] = {}
    dumped = set(scope.attrs.get("dump_vars", ()))
    if dumped:
        kept = tuple(rename(v) for v in inputs if v in dumped)
        if kept:
            attrs["dump_vars"] = kept
    overrides = scope.attrs.get("arg_direction_overrides_vars", ())
    positions = []
    for var in overrides:
        if var not in inputs:
            raise PassError(
                error(
                    "no-dep-not-captured",
                    f"pl.at(no_dep_args=[...]) references tensor '{_written(var)}', which is not captured by the "
                    "scope body. Use the tensor in the body or remove it from no_dep_args.",
                    scope.span,
                )
            )
        positions.append(inputs.index(var))
    if positions:
        attrs["arg_direction_overrides"] = tuple(sorted(set(positions)))
    return attrs


def _written(var: ir.Var) -> str:
    return var.name_hint.partition("__")[0]
