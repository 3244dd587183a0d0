"""``pl.spmd``: one body on many cores, as scope and as loop (docs/spec/language.md §4.8)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from pypto_core.diagnostics import Related
from pypto_core.frontend.branches import header_span
from pypto_core.frontend.context import FunctionContext, Region, Silent, is_poison
from pypto_core.frontend.expressions import expr, type_words
from pypto_core.frontend.recovery import is_cut
from pypto_core.frontend.scope_options import Optimizations, name_hint, read_optimizations, task_id
from pypto_core.frontend.split_aiv import scope_binding, single_target
from pypto_core.frontend.submits import literal_flag, read_deps, read_predicate
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import (
    UNKNOWN,
    ConstInt,
    Expr,
    InCoreScopeStmt,
    ScalarType,
    SeqStmts,
    Span,
    SpmdScopeStmt,
    Stmt,
)

_KEYWORDS = (
    "core_num",
    "sync_start",
    "name_hint",
    "optimizations",
    "deps",
    "allow_early_resolve",
    "predicate",
)
_LOOP_ONLY = ("init_values", "chunk", "chunk_policy", "attrs", "step", "stage")


@dataclass(slots=True)
class _Header:
    core_num: Expr
    sync_start: bool
    hint: str
    options: Optimizations
    given: dict[str, ast.expr]


def core_number(ctx: FunctionContext, node: ast.expr) -> Expr:
    """A number of cores: an integer expression, positive when constant."""
    value = expr(ctx, node)
    if is_poison(value) or value.type is UNKNOWN:
        raise Silent
    kind = value.type
    if not (isinstance(kind, ScalarType) and kind.dtype.is_int):
        ctx.fail(
            "spmd-core-num",
            f"the number of cores is an integer, but '{ctx.text(node)}' is {type_words(kind)}",
            node,
        )
    if isinstance(value, ConstInt) and value.value <= 0:
        ctx.fail("spmd-core-num", f"the number of cores is positive, not {value.value}", node)
    return value


def _header(ctx: FunctionContext, call: ast.Call, loop: bool) -> _Header:
    code = "spmd-form"
    given: dict[str, ast.expr] = {}
    for keyword in call.keywords:
        if loop and keyword.arg in _LOOP_ONLY:
            ctx.fail(code, f"pl.spmd takes no keyword '{keyword.arg}': its iterations are cores", keyword)
        if keyword.arg not in _KEYWORDS:
            ctx.fail(
                code,
                f"pl.spmd takes no keyword '{keyword.arg or '**'}'; it takes {', '.join(_KEYWORDS)}",
                keyword,
            )
        given[keyword.arg] = keyword.value
    if len(call.args) > 1:
        ctx.fail(code, "pl.spmd takes one positional argument, the number of cores", call.args[1])
    if call.args and "core_num" in given:
        ctx.fail(code, "the number of cores is given twice", given["core_num"])
    if not call.args and "core_num" not in given:
        ctx.fail(code, "pl.spmd needs the number of cores: pl.spmd(8)", call)
    if loop and "deps" in given:
        ctx.fail(code, "deps needs a task id: with pl.spmd(..., deps=[...]) as tid", given["deps"])
    core_num = core_number(ctx, call.args[0] if call.args else given["core_num"])
    return _Header(
        core_num,
        literal_flag(ctx, given.get("sync_start"), "sync_start", code),
        name_hint(ctx, given.get("name_hint")),
        read_optimizations(ctx, given.get("optimizations")),
        given,
    )


def _attrs(
    ctx: FunctionContext, header: _Header, task: Expr | None, deps: tuple[Expr, ...]
) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    if deps:
        attrs["manual_dep_edges"] = deps
    if task is not None:
        attrs["task_id_var"] = task
    if literal_flag(ctx, header.given.get("allow_early_resolve"), "allow_early_resolve", "spmd-form"):
        attrs["allow_early_resolve"] = True
    if "predicate" in header.given:
        attrs["predicate"] = read_predicate(ctx, header.given["predicate"], deps)
    return attrs


def _reject_in_cluster(ctx: FunctionContext, header: _Header, node: ast.With | None, span: Span) -> None:
    if ctx.inside("cluster") is None:
        return
    found: list[str] = [k for k in ("allow_early_resolve", "predicate") if k in header.given]
    if node is not None and node.items[0].optional_vars is not None:
        found.insert(0, "as")
    if found:
        ctx.fail(
            "spmd-cluster-metadata",
            f"inside pl.cluster() pl.spmd takes no {', '.join(found)}: the cluster is one task",
            span,
        )


def spmd_loop(ctx: FunctionContext, node: ast.For, call: ast.Call) -> None:
    """``for i in pl.spmd(n)``: ``i`` is the block index."""
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, call)
    single_target(ctx, node, "spmd-form", "pl.spmd")
    assert isinstance(node.target, ast.Name)
    header = _header(ctx, call, loop=True)
    _reject_in_cluster(ctx, header, None, span)
    attrs = _attrs(ctx, header, None, ())
    region = Region("incore", span, wrote_split=header.options.wrote_split)
    with ctx.region(Region("spmd", span)), ctx.region(region), ctx.names.block(leak=True):
        binding = scope_binding(ctx, node.target, "tile.get_block_idx", span)
        inner = block(ctx, node.body, span)
    ctx.emit(_wrapped(header, SeqStmts.flatten((binding, inner), span), attrs, span))


def _wrapped(header: _Header, body: Stmt, attrs: dict[str, Any], span: Span) -> SpmdScopeStmt:
    """Spmd(InCore(body)): the hint ``h`` names them ``h_spmd`` and ``h``."""
    base = header.hint.removesuffix("_spmd")
    outer = f"{base}_spmd" if base else header.hint
    incore = InCoreScopeStmt(
        body, header.options.split, name_hint=base, attrs=header.options.attrs, span=span
    )
    return SpmdScopeStmt(incore, header.core_num, header.sync_start, name_hint=outer, attrs=attrs, span=span)


def spmd_scope(ctx: FunctionContext, node: ast.With, call: ast.Call) -> None:
    """``with pl.spmd(n)[ as tid]``: the body decides what it means."""
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, node.items[0].optional_vars or call)
    header = _header(ctx, call, loop=False)
    _reject_in_cluster(ctx, header, node, span)
    if "deps" in header.given and node.items[0].optional_vars is None:
        ctx.fail(
            "spmd-form", "deps needs a task id: with pl.spmd(..., deps=[...]) as tid", header.given["deps"]
        )
    deps = read_deps(ctx, header.given["deps"]) if "deps" in header.given else ()
    nested = _only_incore(node.body)
    inline = not nested and (header.options.given or _uses_block_index(node.body))
    if nested and header.options.given:
        ctx.fail(
            "spmd-optimizations-twice",
            "the body of this pl.spmd is one pl.at: put the optimizations there",
            header.given["optimizations"],
        )
    if not nested and not inline:
        _check_dispatch(ctx, node.body, span)
    task = task_id(ctx, node, "spmd-form")
    attrs = _attrs(ctx, header, task, deps)
    with ctx.region(Region("spmd", span)), ctx.names.block(leak=True):
        if inline:
            with ctx.region(Region("incore", span, wrote_split=header.options.wrote_split)):
                body = block(ctx, node.body, span)
        else:
            body = block(ctx, node.body, span)
    if inline:
        ctx.emit(_wrapped(header, body, attrs, span))
    else:
        ctx.emit(
            SpmdScopeStmt(
                body, header.core_num, header.sync_start, name_hint=header.hint, attrs=attrs, span=span
            )
        )


def _only_incore(body: list[ast.stmt]) -> bool:
    """The body is exactly one ``with pl.at(level=CORE_GROUP...)``."""
    only = body[0] if len(body) == 1 else None
    call = only.items[0].context_expr if isinstance(only, ast.With) and len(only.items) == 1 else None
    if not isinstance(call, ast.Call) or (dotted(call.func) or ("",))[-1] != "at":
        return False
    level = next((k.value for k in call.keywords if k.arg == "level"), call.args[0] if call.args else None)
    path = dotted(level) if level is not None else None
    return path is not None and path[-1] == "CORE_GROUP"


def _uses_block_index(body: list[ast.stmt]) -> bool:
    for stmt in body:
        for inner in ast.walk(stmt):
            if isinstance(inner, ast.Call):
                path = dotted(inner.func)
                if path is not None and path[-1] == "get_block_idx":
                    return True
    return False


def _check_dispatch(ctx: FunctionContext, body: list[ast.stmt], span: Span) -> None:
    """Without block index the body dispatches exactly one kernel."""
    calls = [c for stmt in body for c in ast.walk(stmt) if isinstance(c, ast.Call) and _is_dispatch(ctx, c)]
    if not calls and not is_cut(*body):
        ctx.fail(
            "spmd-body-uniform",
            "every core would do the same: use the block index (pl.tile.get_block_idx(), or for i in pl.spmd(...)) or "
            "call one kernel",
            span,
        )
    if len(calls) > 1:
        ctx.fail(
            "spmd-multi-dispatch",
            f"a pl.spmd scope dispatches one kernel, this one dispatches {len(calls)}: "
            + ", ".join(ctx.text(c) for c in calls),
            span,
            related=tuple(Related("kernel call", ctx.span(c)) for c in calls),
        )


def _is_dispatch(ctx: FunctionContext, node: ast.Call) -> bool:
    path = dotted(node.func)
    if path is None:
        return False
    if path[0] == "self" and len(path) == 2:
        return True
    return len(path) == 1 and ctx.dialect.dispatches(ctx, path[0])
