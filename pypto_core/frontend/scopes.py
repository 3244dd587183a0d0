"""``with`` scopes (docs/spec/language.md §4.7)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pypto_core.frontend.branches import header_span
from pypto_core.frontend.calls import prefix
from pypto_core.frontend.context import (
    Fault,
    FunctionContext,
    Region,
    Silent,
    did_you_mean,
    enum_list,
    nearest,
)
from pypto_core.frontend.folding import check_defined
from pypto_core.frontend.scope_options import name_hint, read_optimizations, task_id, tensor_list
from pypto_core.frontend.spmd import spmd_scope
from pypto_core.frontend.submits import literal_flag, read_deps
from pypto_core.frontend.symbols import enum_member
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import (
    ClusterScopeStmt,
    HierarchyScopeStmt,
    InCoreScopeStmt,
    Level,
    Role,
    RuntimeScopeStmt,
)
from pypto_core.ops.dsl.constants import ScopeMode

_AT_KEYWORDS = (
    "level", "role", "optimizations", "deps", "no_dep_args", "dumps", "allow_early_resolve", "name_hint", "windowize",
)  # fmt: skip
_NAMES = "pl.at, pl.cluster, pl.spmd, pl.scope, pl.manual_scope"


def with_statement(ctx: FunctionContext, node: ast.With) -> None:
    """A scope; when its header is faulty its body is still read."""
    try:
        _dispatch(ctx, node)
    except Fault as fault:
        ctx.report(fault)
        _body_alone(ctx, node)
    except Silent:
        _body_alone(ctx, node)


def _body_alone(ctx: FunctionContext, node: ast.With) -> None:
    from pypto_core.frontend.assignments import poison_targets
    from pypto_core.frontend.statements import block

    ctx.mark_incomplete()
    span = ctx.span(node.items[0].context_expr)
    poison_targets(ctx, node)
    with ctx.names.block(leak=True):
        block(ctx, node.body, span)


def _dispatch(ctx: FunctionContext, node: ast.With) -> None:
    if len(node.items) != 1:
        ctx.fail("with-items", "a with statement opens one scope: nest them", node.items[1].context_expr)
    item = node.items[0]
    call = item.context_expr
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    name = path[-1] if path is not None and len(path) == 2 else ""
    handler = _SCOPES.get(name)
    if handler is not None and path is not None and prefix(ctx, path, call) != "pl":
        ctx.fail(
            "with-unsupported", f"'{ctx.text(call)}' is no scope of the language: write pl.{name}(...)", call
        )
    if handler is None or not isinstance(call, ast.Call):
        ctx.fail(
            "with-unsupported",
            f"'{ctx.text(call)}' is no scope of the language{did_you_mean(name, _SCOPES)}; scopes are {_NAMES}",
            call,
            name=name,
            suggestion=nearest(name, _SCOPES),
        )
    if item.optional_vars is not None and name not in ("at", "spmd"):
        ctx.fail(
            "with-as",
            f"pl.{name} gives no task id: leave 'as {ctx.text(item.optional_vars)}' out",
            item.optional_vars,
        )
    handler(ctx, node, call)


# --- pl.at ----------------------------------------------------------------------------------------------------------------


def _at(ctx: FunctionContext, node: ast.With, call: ast.Call) -> None:
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, node.items[0].optional_vars or call)
    given = _at_keywords(ctx, call)
    level = _enum(ctx, given["level"], "Level", Level)
    role = (
        _enum(ctx, given["role"], "Role", Role) if "role" in given and not _is_none(given["role"]) else None
    )
    hint = name_hint(ctx, given.get("name_hint"))
    core_group = level is Level.CORE_GROUP
    if core_group and role is not None:
        ctx.fail("at-role-core-group", "a CORE_GROUP scope has no role", given["role"])
    if role is Role.SubWorker and level >= Level.HOST:
        ctx.fail(
            "at-subworker-scope",
            f"work of a {level.name} SubWorker is a function of its own, not a scope",
            given["role"],
        )
    if "optimizations" in given and not core_group:
        ctx.fail(
            "optimizations-level",
            "optimizations belong to pl.at(level=pl.Level.CORE_GROUP)",
            given["optimizations"],
        )
    options = read_optimizations(ctx, given.get("optimizations"))
    attrs: dict[str, Any] = {}
    deps = read_deps(ctx, given["deps"]) if "deps" in given else ()
    if deps:  # an empty list is not printed, so it says nothing either
        attrs["manual_dep_edges"] = deps
    if "no_dep_args" in given:
        attrs["arg_direction_overrides_vars"] = tensor_list(ctx, given["no_dep_args"], "no_dep_args")
    dumps = [*(tensor_list(ctx, given["dumps"], "dumps") if "dumps" in given else ()), *_tagged(ctx, node)]
    if dumps:
        attrs["dump_vars"] = tuple(dict.fromkeys(dumps))
    task = task_id(ctx, node, "at-form")
    if task is not None:
        attrs["task_id_var"] = task
    if literal_flag(ctx, given.get("allow_early_resolve"), "allow_early_resolve", "at-form"):
        attrs["allow_early_resolve"] = True
    attrs.update(options.attrs)
    if literal_flag(ctx, given.get("windowize"), "windowize", "at-form"):
        attrs["windowize"] = True
    region = Region("incore" if core_group else "hierarchy", span, wrote_split=options.wrote_split)
    with ctx.region(region), ctx.names.block(leak=True):
        body = block(ctx, node.body, span)
    if core_group:
        ctx.emit(InCoreScopeStmt(body, options.split, name_hint=hint, attrs=attrs, span=span))
    else:
        ctx.emit(HierarchyScopeStmt(body, level, role, name_hint=hint, attrs=attrs, span=span))


def _tagged(ctx: FunctionContext, node: ast.With) -> list[Any]:
    """Tensors under ``pl.dump_tag`` that the scope mentions."""
    if not ctx.dump_tags:
        return []
    names = {inner.id for stmt in node.body for inner in ast.walk(stmt) if isinstance(inner, ast.Name)}
    return [var for var in ctx.dump_tags if any(ctx.names.lookup(name) is var for name in names)]


def _at_keywords(ctx: FunctionContext, call: ast.Call) -> dict[str, ast.expr]:
    code = "at-form"
    if len(call.args) > 2:
        ctx.fail(code, "pl.at takes level and role by position, the rest by keyword", call.args[2])
    given: dict[str, ast.expr] = dict(zip(("level", "role"), call.args))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in _AT_KEYWORDS:
            name = keyword.arg or "**"
            ctx.fail(
                code,
                f"pl.at takes no keyword '{name}'{did_you_mean(name, _AT_KEYWORDS)}; it takes {', '.join(_AT_KEYWORDS)}",
                keyword,
                name=name,
                suggestion=nearest(name, _AT_KEYWORDS),
            )
        if keyword.arg in given:
            ctx.fail(code, f"'{keyword.arg}' is given twice", keyword)
        given[keyword.arg] = keyword.value
    if "level" not in given:
        ctx.fail(code, "pl.at needs a level: pl.at(level=pl.Level.CORE_GROUP)", call)
    return given


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _enum(ctx: FunctionContext, node: ast.expr, name: str, cls: Any) -> Any:
    path = dotted(node)
    member = enum_member(name, path[-1]) if path is not None and len(path) >= 2 and path[-2] == name else None
    if member is None:
        value = ctx.closure.evaluate(node) if path is not None and path[0] not in ("pl", "pld") else None
        if value is not None and isinstance(value.data, cls):
            return value.data
        if value is not None and value.is_unknown:
            check_defined(ctx, node)
            raise Silent
        last = path[-1] if path is not None else ""
        ctx.fail(
            "at-form",
            f"'{ctx.text(node)}' is no pl.{name}{did_you_mean(last, cls.__members__)}; there are {enum_list(cls)}",
            node,
            name=last,
            suggestion=nearest(last, cls.__members__),
        )
    return member


# --- the others -------------------------------------------------------------------------------------------------------------


def _cluster(ctx: FunctionContext, node: ast.With, call: ast.Call) -> None:
    from pypto_core.frontend.statements import block

    given = {k.arg: k.value for k in call.keywords}
    if call.args or any(k != "name_hint" for k in given):
        ctx.fail("scope-form", "pl.cluster takes name_hint only", call)
    span = header_span(ctx, node, call)
    hint = name_hint(ctx, given.get("name_hint"))
    with ctx.region(Region("cluster", span)), ctx.names.block(leak=True):
        body = block(ctx, node.body, span)
    ctx.emit(ClusterScopeStmt(body, name_hint=hint, span=span))


def _runtime(ctx: FunctionContext, node: ast.With, call: ast.Call) -> None:
    mode = ScopeMode.AUTO
    if call.args:
        ctx.fail(
            "scope-form",
            "the mode of pl.scope is a keyword: pl.scope(mode=pl.ScopeMode.MANUAL)",
            call.args[0],
        )
    for keyword in call.keywords:
        if keyword.arg != "mode":
            ctx.fail("scope-form", f"pl.scope takes no keyword '{keyword.arg or '**'}'", keyword)
        mode = _enum_scope(ctx, keyword.value)
    _open_runtime(ctx, node, call, mode is ScopeMode.MANUAL)


def _enum_scope(ctx: FunctionContext, node: ast.expr) -> ScopeMode:
    path = dotted(node)
    member = enum_member("ScopeMode", path[-1]) if path is not None else None
    if not isinstance(member, ScopeMode):
        ctx.fail(
            "scope-form", f"'{ctx.text(node)}' is no scope mode: write pl.ScopeMode.AUTO or MANUAL", node
        )
    return member


def _manual(ctx: FunctionContext, node: ast.With, call: ast.Call) -> None:
    if call.args or call.keywords:
        ctx.fail("scope-form", "pl.manual_scope takes no arguments", call)
    _open_runtime(ctx, node, call, True)


def _open_runtime(ctx: FunctionContext, node: ast.With, call: ast.Call, manual: bool) -> None:
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, call)
    if ctx.inside("manual") is not None:
        if manual:
            ctx.fail("scope-manual-nested", "a manual scope cannot contain another one", call)
        ctx.fail("scope-auto-in-manual", "an automatic scope cannot stand inside a manual one", call)
    if not manual and ctx.auto_scope:
        ctx.fail(
            "scope-auto-needs-flag",
            "pl.scope() needs a function with auto_scope=False: the compiler places its scopes otherwise",
            call,
        )
    with ctx.region(Region("manual" if manual else "auto", span)), ctx.names.block(leak=True):
        body = block(ctx, node.body, span)
    ctx.emit(RuntimeScopeStmt(body, manual, span=span))


_SCOPES: dict[str, Callable[[FunctionContext, ast.With, ast.Call], None]] = {
    "at": _at,
    "cluster": _cluster,
    "spmd": spmd_scope,
    "scope": _runtime,
    "manual_scope": _manual,
}
