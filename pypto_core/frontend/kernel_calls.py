"""Calls of functions of the program: ``self.kernel(...)`` and the arguments of submits (docs/spec/language.md §4.9)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pypto_core.diagnostics import Related
from pypto_core.frontend.attributes import read_attrs
from pypto_core.frontend.context import Callee, FunctionContext, Silent, did_you_mean, is_poison, nearest
from pypto_core.frontend.expressions import expr
from pypto_core.frontend.syntax import Located, dotted
from pypto_core.ir import (
    UNKNOWN,
    ArgDirection,
    Call,
    DistributedTensorType,
    Expr,
    GlobalVar,
    ParamDirection,
    Role,
    ScalarType,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
)
from pypto_core.ir.rewrite import map_type

_SUBMIT_ONLY = ("deps", "core_num", "sync_start", "dumps", "allow_early_resolve", "predicate")


def find_callee(ctx: FunctionContext, name: str, at: Located) -> Callee:
    """The function of the program called ``name``."""
    callee = ctx.program.callees.get(name)
    if callee is None:
        known = sorted(ctx.program.callees)
        ctx.fail(
            "kernel-unknown",
            f"the program has no function '{name}'{did_you_mean(name, known)}; it has {', '.join(known) or 'none'}",
            at,
            name=name,
            suggestion=nearest(name, known),
        )
    return callee


def kernel_call(ctx: FunctionContext, node: ast.Call, name: str, at: Located) -> Expr:
    """``self.name(args, device=..., attrs={...})``."""
    callee = find_callee(ctx, name, at)
    arguments = read_arguments(ctx, node.args)
    attrs: dict[str, Any] = {}
    device: Expr | None = None
    refused = False
    for keyword in node.keywords:
        if keyword.arg == "attrs":
            attrs = read_call_attrs(ctx, keyword.value, len(arguments.values), arguments)
        elif keyword.arg == "device" and callee.role is Role.Orchestrator:
            device = expr(ctx, keyword.value)
        else:
            hint = ""
            if keyword.arg in _SUBMIT_ONLY:
                hint = f"; '{keyword.arg}' belongs to pl.submit(self.{name}, ...)"
            elif keyword.arg in callee.param_names:
                hint = ": pass arguments by position"
            refused = True
            ctx.error(
                "kernel-keyword",
                f"a kernel call takes no keyword '{keyword.arg or '**'}'{hint}",
                keyword,
                name=keyword.arg,
            )
    if refused or any(isinstance(a, ast.Starred) for a in node.args):
        raise Silent
    check_arity(ctx, callee, arguments.values, node, 0)
    return build_call(ctx, callee, arguments, attrs, device, node)


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments; ``no_dep`` lists positions wrapped in ``pl.no_dep``."""

    values: list[Expr] = field(default_factory=list)
    no_dep: list[int] = field(default_factory=list)

    @property
    def poisoned(self) -> bool:
        return any(is_poison(v) for v in self.values)


def read_arguments(ctx: FunctionContext, nodes: Sequence[ast.expr]) -> Arguments:
    """All arguments, faults reported one by one."""
    arguments = Arguments()
    for i, node in enumerate(nodes):
        inner = _no_dep(node)
        if inner is not None:
            arguments.no_dep.append(i)
        arguments.values.append(expr(ctx, inner if inner is not None else node))
    return arguments


def _no_dep(node: ast.expr) -> ast.expr | None:
    """``x`` of ``pl.no_dep(x)`` or ``no_dep(x)``."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        path = dotted(node.func)
        if path is not None and path[-1] == "no_dep" and len(path) <= 2:
            return node.args[0]
    return None


def check_arity(
    ctx: FunctionContext, callee: Callee, args: Sequence[Expr], node: ast.Call, optional: int
) -> None:
    """``optional`` parameters (the Out ones of a submit) may be left out."""
    high = len(callee.param_names)
    low = high - optional
    if low <= len(args) <= high:
        return
    expected = f"{high}" if low == high else f"{low} to {high}"
    directions = callee.directions or (ParamDirection.In,) * high
    signature = ", ".join(f"{n}: {d.name}" for n, d in zip(callee.param_names, directions))
    ctx.fail(
        "external-call" if callee.external else "kernel-arity",
        f"'{callee.name}' takes {expected} argument{'s' if high != 1 else ''} ({signature}), but got {len(args)}",
        node,
        related=(Related(f"'{callee.name}' is defined here", callee.span),),
    )


def build_call(
    ctx: FunctionContext,
    callee: Callee,
    arguments: Arguments,
    attrs: dict[str, Any],
    device: Expr | None,
    node: ast.Call,
) -> Expr:
    """The call with its attributes in stored order and its result type."""
    ctx.program.traces += 1
    if arguments.poisoned or (device is not None and is_poison(device)):
        raise Silent
    stored = stored_attrs(ctx, arguments, attrs, device)
    type_ = result_type(callee, arguments.values)
    return Call(
        GlobalVar(callee.name), tuple(arguments.values), attrs=stored, type=type_, span=ctx.span(node)
    )


def stored_attrs(
    ctx: FunctionContext, arguments: Arguments, attrs: dict[str, Any], device: Expr | None = None
) -> dict[str, Any]:
    """Attributes of a call or submit in stored order: dumps, directions, overrides, device, then what was written."""
    stored: dict[str, Any] = {}
    dumps = [*attrs.pop("dump_vars", ()), *(v for v in arguments.values if v in ctx.dump_tags)]
    if dumps:
        chosen = {v: None for v in arguments.values if any(v is d for d in dumps)}
        stored["dump_vars"] = tuple(chosen)
    directions = attrs.pop("arg_directions", None)
    if directions is not None:
        stored["arg_directions"] = directions
    overrides = attrs.pop("arg_direction_overrides", None)
    if arguments.no_dep or overrides:
        stored["arg_direction_overrides"] = tuple(sorted({*arguments.no_dep, *(overrides or ())}))
    if device is not None:
        stored["device"] = device
    stored.update(attrs)
    return stored


def result_type(callee: Callee, args: Sequence[Expr]) -> Type:
    """What a call gives: the callee's result with its symbols replaced by what the arguments say; unknown when the callee
    has not been read yet."""
    if not callee.parsed or not callee.result:
        return UNKNOWN
    mapping = symbol_mapping(callee.params, args)
    types = (
        tuple(map_type(t, lambda e: _replace(e, mapping)) for t in callee.result)
        if mapping
        else callee.result
    )
    return types[0] if len(types) == 1 else TupleType(types)


def symbol_mapping(params: Sequence[Var], args: Sequence[Expr]) -> dict[Var, Expr]:
    """Symbols of a callee's parameter types -> what the arguments have there; scalar parameters -> their arguments."""
    mapping: dict[Var, Expr] = {}
    for param, arg in zip(params, args):
        if isinstance(param.type, ScalarType):
            if isinstance(arg.type, ScalarType):
                mapping.setdefault(param, arg)
        elif isinstance(param.type, TensorType | TileType) and isinstance(arg.type, TensorType | TileType):
            for dim, given in zip(param.type.shape, arg.type.shape):
                if isinstance(dim, Var) and dim is not given:
                    mapping.setdefault(dim, given)
    return mapping


def _replace(expr_: Expr, mapping: dict[Var, Expr]) -> Expr:
    from pypto_core.ir import substitute

    replaced: Expr = substitute(expr_, mapping)
    return replaced


def read_call_attrs(ctx: FunctionContext, node: ast.expr, count: int, arguments: Arguments) -> dict[str, Any]:
    """``attrs={...}`` of a kernel call or submit, checked."""
    attrs = read_attrs(ctx, node)
    if "manual_dep_edges" in attrs:
        ctx.fail(
            "call-attrs",
            "'manual_dep_edges' cannot be written on a call: use pl.submit(..., deps=[...])",
            node,
        )
    directions = attrs.get("arg_directions")
    if directions is not None:
        if not isinstance(directions, tuple) or not all(isinstance(d, ArgDirection) for d in directions):
            ctx.fail("call-arg-directions", "arg_directions is a list of pl.adir.<name>", node)
        if directions and len(directions) != count:
            ctx.fail(
                "call-arg-directions",
                f"arg_directions has {len(directions)} entries for {count} arguments",
                node,
            )
    dumps = attrs.get("dump_vars")
    if dumps is not None:
        if not isinstance(dumps, tuple) or not all(any(d is a for a in arguments.values) for d in dumps):
            ctx.fail("call-dump-vars", "dump_vars lists tensors that are arguments of this call", node)
    return attrs


def is_tensor(type_: Type) -> bool:
    return isinstance(type_, TensorType | DistributedTensorType)
