"""Loops (docs/spec/language.md §4.5)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pypto_core.frontend.attributes import read_attrs
from pypto_core.frontend.branches import header_span
from pypto_core.frontend.context import (
    Fault,
    FunctionContext,
    Region,
    RegionKind,
    Silent,
    is_poison,
    nearest,
)
from pypto_core.frontend.expressions import condition, expr, type_words
from pypto_core.frontend.folding import check_defined, outer_only
from pypto_core.frontend.recovery import is_cut
from pypto_core.frontend.split_aiv import split_aiv_loop
from pypto_core.frontend.spmd import spmd_loop
from pypto_core.frontend.syntax import dotted, string_literal
from pypto_core.frontend.yields import has_yield
from pypto_core.ir import (
    UNKNOWN,
    ConstInt,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    IterArg,
    ScalarType,
    Span,
    Type,
    Var,
    WhileStmt,
)

_KINDS: dict[str, ForKind] = {
    "range": ForKind.Sequential,
    "parallel": ForKind.Parallel,
    "unroll": ForKind.Unroll,
    "pipeline": ForKind.Pipeline,
}
_KEYWORDS: dict[str, tuple[str, ...]] = {
    "range": ("init_values", "attrs"),
    "parallel": ("init_values", "attrs"),
    "unroll": ("attrs",),
    "pipeline": ("stage", "init_values", "attrs"),
}
_LOOPS = (*_KINDS, "while_", "spmd", "split_aiv")
_ITERATORS = "pl.range, pl.parallel, pl.unroll, pl.pipeline, pl.while_, pl.spmd, pl.split_aiv"


def for_statement(ctx: FunctionContext, node: ast.For) -> None:
    """A for loop over one of the iterators of the language."""
    if node.orelse:
        ctx.warn(
            "loop-else-dropped",
            "the else of a loop is discarded by the compiler",
            ctx.first_line(node.orelse[0]),
        )
    kind = _iterator(ctx, node)
    if kind is None:
        _body_alone(ctx, node, "unread_aiv" if _nearly(node.iter) == "split_aiv" else "range")
        return
    call = node.iter
    assert isinstance(call, ast.Call)
    if kind == "while_":
        _carried_while(ctx, node, call)
    elif kind == "spmd":
        _or_body(ctx, node, lambda: spmd_loop(ctx, node, call))
    elif kind == "split_aiv":
        _or_body(ctx, node, lambda: split_aiv_loop(ctx, node, call), "unread_aiv")
    else:
        _counted(ctx, node, call, kind)


def _or_body(ctx: FunctionContext, node: ast.For, read: Any, kind: RegionKind = "range") -> None:
    """Read a loop; when its header is faulty, still read its body."""
    try:
        read()
    except (Fault, Silent) as problem:
        if isinstance(problem, Fault):
            ctx.report(problem)
        _body_alone(ctx, node, kind)


def _body_alone(ctx: FunctionContext, node: ast.For, kind: RegionKind = "range") -> None:
    """The body of a loop whose header is faulty: its names are unknown, its statements are checked."""
    from pypto_core.frontend.assignments import poison_targets
    from pypto_core.frontend.statements import block

    ctx.mark_incomplete()
    span = ctx.span(node.target)
    with ctx.region(Region(kind, span)), ctx.names.block(leak=True):
        for inner in ast.walk(node.target):
            if isinstance(inner, ast.Name):
                ctx.names.bind(inner.id, ctx.poison(inner, inner.id))
        block(ctx, node.body, span)
    poison_targets(ctx, node)


def _iterator(ctx: FunctionContext, node: ast.For) -> str | None:
    """Attribute name of the iterator; a wrong one is told."""
    call = node.iter
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    if path is not None and len(path) >= 2 and path[-1] in _LOOPS:
        return path[-1]
    hint, near = "", _nearly(call)
    if path == ("range",):
        hint = ": write pl.range(...)"
    elif near is not None:
        hint = f" (did you mean 'pl.{near}'?)"
    ctx.error(
        "loop-iterator",
        f"'{ctx.text(call)}' is no loop of the language{hint}; loops are {_ITERATORS}",
        call,
        name=path[-1] if path is not None else "",
        suggestion=near,
    )
    return None


def _nearly(call: ast.expr) -> str | None:
    """``split_aiv`` for ``pl.split_avi(...)``."""
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    return nearest(path[1], _LOOPS) if path is not None and len(path) == 2 and path[0] == "pl" else None


# --- counted loops ------------------------------------------------------------------------------------------------------


def _counted(ctx: FunctionContext, node: ast.For, call: ast.Call, kind: str) -> None:
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, call)
    carrying = next((k for k in call.keywords if k.arg == "init_values"), None)
    if kind == "unroll" and carrying is not None:
        ctx.error("unroll-init", "pl.unroll carries no values: use pl.range", carrying)
        _body_alone(ctx, node)
        return
    given = _keywords(ctx, call, kind)
    bounds = _bounds(ctx, call, kind)
    attrs = _attrs(ctx, call, kind, given)
    loop_target, carried = _target(ctx, node, given)
    start, stop, step = _triple(bounds, span)
    loop_var = (
        Var(loop_target.id, ScalarType.of(_loop_dtype(bounds)), span=ctx.span(loop_target))
        if loop_target
        else None
    )
    poisoned = loop_var is None or any(is_poison(b) for b in bounds) or attrs is None
    iter_args = _iter_args(ctx, carried, given.get("init_values"), call)
    leaks = not given.get("init_values") and not has_yield(node.body)
    region_kind: RegionKind = kind  # type: ignore[assignment]
    with (
        ctx.region(Region(region_kind, span, carried=bool(iter_args))) as region,
        ctx.names.block(leak=leaks),
    ):
        if loop_var is not None:
            ctx.names.bind(loop_var.name_hint, loop_var)
        for name, arg in zip(carried, iter_args):
            ctx.names.bind(name.id, arg)
        _bind_misplaced(ctx, node.target)
        body = block(ctx, node.body, span)
    if carrying is not None and not iter_args:
        for yielded, _, _ in region.yields or []:
            ctx.names.bind(yielded, ctx.poison(node.target, yielded))  # a wrong target has been told
    return_vars = _loop_results(ctx, node, region, iter_args)
    if poisoned or any(is_poison(a) for a in iter_args) or loop_var is None or attrs is None:
        ctx.mark_incomplete()
        return
    ctx.emit(
        ForStmt(loop_var, start, stop, step, iter_args, body, return_vars, _KINDS[kind], attrs, span=span)
    )


def _keywords(ctx: FunctionContext, call: ast.Call, kind: str) -> dict[str, ast.expr]:
    given: dict[str, ast.expr] = {}
    allowed = _KEYWORDS[kind]
    for keyword in call.keywords:
        if keyword.arg in allowed:
            given[keyword.arg] = keyword.value
            continue
        where = " (only pl.pipeline has stages)" if keyword.arg == "stage" else ""
        ctx.error(
            "loop-keyword",
            f"pl.{kind} takes no keyword '{keyword.arg or '**'}'{where}; it takes {', '.join(allowed)}",
            keyword,
            name=keyword.arg,
        )
    return given


def _bounds(ctx: FunctionContext, call: ast.Call, kind: str) -> list[Expr]:
    if not call.args:
        ctx.error("loop-no-args", f"pl.{kind} needs a bound: pl.{kind}(stop)", call)
        return [ctx.poison(call)]
    if len(call.args) > 3:
        ctx.warn(
            "loop-extra-arg", "a loop has at most start, stop and step: the rest is ignored", call.args[3]
        )
    bounds: list[Expr] = []
    for node in call.args[:3]:
        bound = expr(ctx, node)
        if not is_poison(bound) and bound.type is not UNKNOWN:
            type_ = bound.type
            if not (isinstance(type_, ScalarType) and type_.dtype.is_int):
                ctx.error(
                    "loop-bound",
                    f"a loop bound is an integer, but '{ctx.text(node)}' is {type_words(type_)}",
                    node,
                )
                bound = ctx.poison(node)
        bounds.append(bound)
    if kind == "unroll":
        _check_unroll(ctx, call, bounds)
    elif len(bounds) == 3 and isinstance(bounds[2], ConstInt) and bounds[2].value == 0:
        ctx.warn("loop-bound", f"pl.{kind} with a step of 0 never gets to its end", call.args[2])
    return bounds


def _check_unroll(ctx: FunctionContext, call: ast.Call, bounds: list[Expr]) -> None:
    for node, bound in zip(call.args, bounds):
        if ctx.program.is_invented(bound):
            ctx.mark_incomplete()
        elif not isinstance(bound, ConstInt) and not is_poison(bound):
            ctx.error(
                "unroll-const",
                f"pl.unroll() requires compile-time constant integer bounds, but '{ctx.text(node)}' is none: "
                "use pl.range for a bound known at run time",
                node,
            )
    if len(bounds) == 3 and isinstance(bounds[2], ConstInt) and bounds[2].value == 0:
        ctx.error("unroll-step", "pl.unroll() step cannot be zero", call.args[2])


def _triple(bounds: Sequence[Expr], span: Span) -> tuple[Expr, Expr, Expr]:
    zero, one = ConstInt(0, span=span), ConstInt(1, span=span)
    if len(bounds) == 1:
        return zero, bounds[0], one
    return bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else one


def _loop_dtype(bounds: Sequence[Expr]) -> DataType:
    """INT64 when every bound with a type of its own is INT64; a constant of another dtype decides; else INDEX."""
    typed = [
        b.type.dtype
        for b in bounds
        if isinstance(b.type, ScalarType) and not (isinstance(b, ConstInt) and b.dtype is DataType.INDEX)
    ]
    for bound in bounds:
        if isinstance(bound, ConstInt) and bound.dtype not in (DataType.INDEX, DataType.INT64):
            return bound.dtype
    return DataType.INT64 if typed and all(d is DataType.INT64 for d in typed) else DataType.INDEX


def _attrs(
    ctx: FunctionContext, call: ast.Call, kind: str, given: dict[str, ast.expr]
) -> dict[str, Any] | None:
    attrs: dict[str, Any] = {}
    if kind == "pipeline":
        stage = _stage(ctx, call, given.get("stage"))
        if stage is None:
            return None
        attrs["pipeline_stages"] = stage
    if "attrs" in given:
        with ctx.guarded():
            attrs.update(_loop_attrs(ctx, given["attrs"]))
    return attrs


def _loop_attrs(ctx: FunctionContext, node: ast.expr) -> dict[str, Any]:
    if not isinstance(node, ast.Dict) or any(string_literal(k) is None for k in node.keys):
        ctx.fail("loop-keyword", "attrs of a loop is a dict literal with string keys", node)
    for value in node.values:
        if not isinstance(value, ast.Constant | ast.UnaryOp):
            ctx.fail("loop-keyword", f"attrs of a loop holds constants, not '{ctx.text(value)}'", value)
    return read_attrs(ctx, node, "loop-keyword")


def _stage(ctx: FunctionContext, call: ast.Call, node: ast.expr | None) -> int | None:
    if node is None:
        ctx.error("pipeline-stage", "pl.pipeline needs stage=<number of stages>", call)
        return None
    value = ctx.closure.evaluate(node) if outer_only(ctx, node) else None
    if value is not None and value.is_unknown:
        ctx.mark_incomplete()
        with ctx.guarded():
            check_defined(ctx, node)
        return None
    stage = value.data if value is not None and type(value.data) is int else None
    if stage is None or stage < 1:
        ctx.error(
            "pipeline-stage",
            f"stage is a positive integer known while compiling, not '{ctx.text(node)}'",
            node,
        )
        return None
    return stage


def _target(
    ctx: FunctionContext, node: ast.For, given: dict[str, ast.expr]
) -> tuple[ast.Name | None, list[ast.Name]]:
    """Loop variable and carried names."""
    target = node.target
    has_init = "init_values" in given
    if isinstance(target, ast.Name):
        if has_init:
            ctx.error(
                "loop-target",
                f"with init_values the target names the carried values: for {target.id}, (name,) in ...",
                target,
            )
        return target, []
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(target.elts[0], ast.Name):
        names = _carried_names(ctx, target.elts[1])
        if names is None:
            return target.elts[0], []
        if not has_init:
            ctx.error("loop-init-form", "carried values need init_values=(...)", node.iter)
        return target.elts[0], names
    ctx.error("loop-target", f"'{ctx.text(target)}': write 'for i in ...' or 'for i, (a, b) in ...'", target)
    return None, []


def _bind_misplaced(ctx: FunctionContext, target: ast.expr) -> None:
    """Names of a target of another form, which has been told, are of unknown value."""
    for inner in ast.walk(target):
        if isinstance(inner, ast.Name) and not ctx.names.in_this_scope(inner.id):
            ctx.names.bind(inner.id, ctx.poison(inner, inner.id))


def _carried_names(ctx: FunctionContext, node: ast.expr) -> list[ast.Name] | None:
    if isinstance(node, ast.Tuple) and all(isinstance(e, ast.Name) for e in node.elts):
        return [e for e in node.elts if isinstance(e, ast.Name)]
    ctx.error(
        "loop-target", f"'{ctx.text(node)}': the carried values are a tuple of names, (a,) or (a, b)", node
    )
    return None


def _iter_args(
    ctx: FunctionContext, names: list[ast.Name], node: ast.expr | None, call: ast.Call
) -> tuple[IterArg, ...]:
    """One IterArg per carried name; faulty ones are of unknown type."""
    inits: list[ast.expr] = []
    if node is not None:
        if not isinstance(node, ast.Tuple | ast.List):
            ctx.error("loop-init-form", "init_values is a tuple or list literal", node)
        else:
            inits = list(node.elts)
            if names and len(inits) != len(names):
                ctx.error(
                    "loop-init-count",
                    f"{len(names)} carried name{'s' if len(names) != 1 else ''}, {len(inits)} initial "
                    f"value{'s' if len(inits) != 1 else ''}",
                    node,
                )
    made: list[IterArg] = []
    for i, name in enumerate(names):
        init = expr(ctx, inits[i]) if i < len(inits) else ctx.poison(name, name.id)
        made.append(IterArg(name.id, init.type, init, span=ctx.span(name)))
    for extra in inits[len(names) :]:
        expr(ctx, extra)
    return tuple(made)


def _loop_results(
    ctx: FunctionContext, node: ast.For, region: Region, iter_args: tuple[IterArg, ...]
) -> tuple[Var, ...]:
    """Return variables: the names of the yields, else ``<iter_arg>_out`` which nobody sees."""
    if not iter_args:
        if region.yields:
            for name, _, span in region.yields:
                ctx.names.vanish(name, span)
        return ()
    collected = region.yields or []
    if not collected:
        return tuple(Var(f"{a.name_hint}_out", a.type, span=a.span) for a in iter_args)
    if len(collected) != len(iter_args) and not is_cut(node):
        ctx.error(
            "loop-yield-count",
            f"the loop carries {len(iter_args)} value{'s' if len(iter_args) != 1 else ''}, but its body yields {len(collected)}",
            collected[0][2],
        )
    made: list[Var] = []
    for i, (name, type_, span) in enumerate(collected):
        fallback: Type = iter_args[i].type if i < len(iter_args) else UNKNOWN
        var = Var(name, type_ if type_ is not None else fallback, span=span)
        ctx.names.bind(name, var)
        made.append(var)
    return tuple(made)


# --- while ----------------------------------------------------------------------------------------------------------------


def while_statement(ctx: FunctionContext, node: ast.While) -> None:
    """``while cond:``; names bound inside stay visible."""
    from pypto_core.frontend.statements import block

    if node.orelse:
        ctx.warn(
            "loop-else-dropped",
            "the else of a loop is discarded by the compiler",
            ctx.first_line(node.orelse[0]),
        )
    span = header_span(ctx, node, node.test)
    test = condition(ctx, node.test)
    with ctx.region(Region("while", span)), ctx.names.block(leak=True):
        body = block(ctx, node.body, span)
    if is_poison(test):
        return
    ctx.emit(WhileStmt((), test, body, (), span=span))


def _carried_while(ctx: FunctionContext, node: ast.For, call: ast.Call) -> None:
    """``for (a, b) in pl.while_(init_values=(x, y))`` with ``pl.cond(...)`` first."""
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, call)
    if call.args:
        ctx.error("while-form", "pl.while_ takes init_values=(...) only", call.args[0])
    inits = next((k.value for k in call.keywords if k.arg == "init_values"), None)
    if inits is None:
        ctx.error("while-form", "pl.while_ needs init_values=(...)", call)
    elif not isinstance(inits, ast.Tuple | ast.List):
        ctx.error("while-form", "init_values is a tuple or list literal", inits)
        inits = None
    names: list[ast.Name] | None = None
    if isinstance(node.target, ast.Tuple):
        names = _carried_names(ctx, node.target)
    else:
        written = [n for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        listed = ", ".join(n.id for n in written) or "a"
        ctx.error(
            "while-form",
            f"the target of pl.while_ is a tuple of names: for ({listed}{',' if len(written) < 2 else ''}) in ...",
            node.target,
        )
        names = written
    iter_args = _iter_args(ctx, names or [], inits, call)
    test_node = _condition_node(ctx, node)
    with ctx.region(Region("while", span, carried=True)) as region, ctx.names.block(leak=False):
        for name, arg in zip(names or [], iter_args):
            ctx.names.bind(name.id, arg)
        test = condition(ctx, test_node) if test_node is not None else ctx.poison(call)
        body = block(ctx, node.body[1:] if test_node is not None else node.body, span)
    return_vars = _loop_results(ctx, node, region, iter_args)
    if is_poison(test) or any(is_poison(a) for a in iter_args) or not iter_args:
        ctx.mark_incomplete()
        return
    ctx.emit(WhileStmt(iter_args, test, body, return_vars, span=span))


def _condition_node(ctx: FunctionContext, node: ast.For) -> ast.expr | None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Call):
        path = dotted(first.value.func)
        if path is not None and path[-1] == "cond" and len(path) <= 2:
            if len(first.value.args) == 1 and not first.value.keywords:
                return first.value.args[0]
            ctx.error("while-form", "pl.cond takes one condition", first.value)
            return None
    if first is not None and is_cut(first):
        ctx.mark_incomplete()
        return None
    ctx.error(
        "while-form",
        "the first statement of a pl.while_ body is pl.cond(condition)",
        first if first is not None else node.iter,
    )
    return None
