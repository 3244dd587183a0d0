"""Statements and scopes of printed text (docs/spec/ir.md §4.3, §4.7)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.printed.expressions import dtype_of, read_attrs
from pypto_core.frontend.printed.faults import PrintedFault
from pypto_core.frontend.printed.names import condition_of, is_yield, tail_yield, target_names, yield_names
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import dotted, int_literal, string_literal
from pypto_core.ir import (
    UNKNOWN,
    AssignStmt,
    BreakStmt,
    Call,
    ClusterScopeStmt,
    ConstInt,
    ContinueStmt,
    DataType,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    HierarchyScopeStmt,
    IfStmt,
    InCoreScopeStmt,
    IterArg,
    Level,
    Op,
    ReturnStmt,
    Role,
    RuntimeScopeStmt,
    ScalarType,
    SeqStmts,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    SpmdScopeStmt,
    Stmt,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    walk,
)
from pypto_core.ops.dsl.constants import ScopeMode

if TYPE_CHECKING:
    from pypto_core.frontend.printed.reader import FunctionReader

_INDEX = ScalarType.of(DataType.INDEX)
_TASK_ID = ScalarType.of(DataType.TASK_ID)
_LOOP_KINDS = {
    "range": ForKind.Sequential,
    "parallel": ForKind.Parallel,
    "unroll": ForKind.Unroll,
    "pipeline": ForKind.Pipeline,
}


def read_body(reader: FunctionReader, body: list[ast.stmt], first: Stmt | None = None) -> Stmt:
    """Statements of a block; ``first`` is a binding that the header stands for."""
    stmts: list[Stmt] = [] if first is None else [first]
    for node in body:
        if isinstance(node, ast.Pass):
            continue
        read_statement(reader, node, stmts)
    return SeqStmts.flatten(stmts, stmts[0].span if stmts else Span.unknown())


def read_statement(reader: FunctionReader, node: ast.stmt, stmts: list[Stmt]) -> None:
    """Append what ``node`` stands for."""
    handler = _STATEMENTS.get(node.__class__)
    if handler is None:
        raise PrintedFault(
            "stmt-unsupported", f"'{reader.source.source(node)}' is no printed statement", node
        )
    comments = reader.comments(node)
    before = len(stmts)
    handler(reader, node, stmts)
    if comments and len(stmts) > before:
        stmts[-1] = stmts[-1].with_(leading_comments=comments)


def _annotated(reader: FunctionReader, node: ast.AnnAssign, stmts: list[Stmt]) -> None:
    if is_yield(node.value):
        _yield(reader, node.value, stmts)
        return
    if not isinstance(node.target, ast.Name) or node.value is None:
        raise PrintedFault("assign-unsupported", "a printed assignment binds one name", node)
    _assign_to(reader, node, node.target.id, reader.type(node.annotation), node.value, stmts)


def _assign(reader: FunctionReader, node: ast.Assign, stmts: list[Stmt]) -> None:
    if is_yield(node.value):
        _yield(reader, node.value, stmts)
        return
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Name):
        raise PrintedFault("assign-unsupported", "a printed assignment binds one name", node)
    _assign_to(reader, node, target.id, None, node.value, stmts)


def _assign_to(
    reader: FunctionReader, node: ast.stmt, name: str, type_: Type | None, value: ast.expr, stmts: list[Stmt]
) -> None:
    reader.target = name
    expr = reader.expr(value, type_)
    reader.target = None
    var = reader.names.define(name, expr.type if type_ is None else type_)
    stmts.append(AssignStmt(var, expr, span=reader.source.span(node)))


def _expression(reader: FunctionReader, node: ast.Expr, stmts: list[Stmt]) -> None:
    if is_yield(node.value):
        _yield(reader, node.value, stmts)
        return
    if isinstance(node.value, ast.Constant):
        return  # `...` and docstrings
    stmts.append(EvalStmt(reader.expr(node.value), span=reader.source.span(node)))


def _yield(reader: FunctionReader, node: ast.expr | None, stmts: list[Stmt]) -> None:
    assert isinstance(node, ast.Call)
    values = tuple(reader.expr(a) for a in node.args)
    stmts.append(YieldStmt(values, span=reader.source.span(node)))


def _return(reader: FunctionReader, node: ast.Return, stmts: list[Stmt]) -> None:
    value = node.value
    parts = value.elts if isinstance(value, ast.Tuple) else [] if value is None else [value]
    stmts.append(ReturnStmt(tuple(reader.expr(p) for p in parts), span=reader.source.span(node)))


def _if(reader: FunctionReader, node: ast.If, stmts: list[Stmt]) -> None:
    condition = reader.expr(node.test)
    then_body = reader.body(node.body)
    else_body = reader.body(node.orelse) if node.orelse else None
    closing = yield_names(tail_yield(node.body) or tail_yield(node.orelse))
    return_vars = _return_vars(reader, closing, _tail_values(then_body) or _tail_values(else_body))
    stmts.append(IfStmt(condition, then_body, else_body, return_vars, span=reader.source.span(node)))


def _tail_values(body: Stmt | None) -> tuple[Expr, ...]:
    """Values of the yield that closes a body, AUTO scopes looked through."""
    while body is not None:
        stmts = body_stmts(body)
        last = stmts[-1] if stmts else None
        if isinstance(last, YieldStmt):
            return last.values
        body = last.body if isinstance(last, RuntimeScopeStmt) and len(stmts) == 1 else None
    return ()


def _return_vars(
    reader: FunctionReader, closing: list[tuple[str, ast.expr | None]], values: tuple[Expr, ...]
) -> tuple[Var, ...]:
    made: list[Var] = []
    for i, (name, annotation) in enumerate(closing):
        type_ = reader.type(annotation) if annotation is not None else None
        if type_ is None:
            type_ = values[i].type if i < len(values) else UNKNOWN
        made.append(reader.names.define(name, type_))
    return tuple(made)


def _iter_args(
    reader: FunctionReader,
    names: list[str],
    inits: ast.expr | None,
    closing: list[tuple[str, ast.expr | None]],
) -> tuple[IterArg, ...]:
    values = inits.elts if isinstance(inits, ast.Tuple | ast.List) else []
    if len(values) != len(names):
        raise PrintedFault(
            "loop-init-count", f"{len(names)} carried names, {len(values)} initial values", inits
        )
    made: list[IterArg] = []
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        init = reader.expr(value)
        type_ = init.type
        annotation = closing[i][1] if i < len(closing) else None
        if type_ is UNKNOWN and annotation is not None:
            type_ = reader.type(annotation)
        known = reader.names.vars.get(name)
        if not isinstance(known, IterArg):
            known = reader.names.vars[name] = IterArg(reader.names.hint(name), type_, init)
        made.append(known)
    return tuple(made)


def _closing_names(
    reader: FunctionReader, body: list[ast.stmt], carried: int
) -> list[tuple[str, ast.expr | None]]:
    """Return-variable names of a loop. A yield inside a MANUAL scope does not print them: then they are the names that
    the function uses without ever binding them (ir.md §4.12, lossy points)."""
    closing = yield_names(tail_yield(body))
    while len(closing) < carried:
        orphan = reader.next_orphan()
        if orphan is None:
            break
        closing.append((orphan, None))
    return closing


def _for(reader: FunctionReader, node: ast.For, stmts: list[Stmt]) -> None:
    call = node.iter
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        raise PrintedFault("loop-iterator", f"'{reader.source.source(call)}' is no loop", call)
    kind = call.func.attr
    if kind == "while_":
        _while_loop(reader, node, call, stmts)
    elif kind == "spmd":
        _spmd_loop(reader, node, call, stmts)
    elif kind == "split_aiv":
        _split_aiv(reader, node, call, stmts)
    elif kind in _LOOP_KINDS:
        _counted_loop(reader, node, call, _LOOP_KINDS[kind], stmts)
    else:
        raise PrintedFault("loop-iterator", f"'{kind}' is no loop", call)


def _counted_loop(
    reader: FunctionReader, node: ast.For, call: ast.Call, kind: ForKind, stmts: list[Stmt]
) -> None:
    span = reader.source.span(node)
    given = {k.arg: k.value for k in call.keywords}
    bounds = [reader.expr(a) for a in call.args]
    if not 1 <= len(bounds) <= 3:
        raise PrintedFault("loop-no-args", "a loop has one to three bounds", call)
    start = bounds[0] if len(bounds) > 1 else ConstInt(0, span=span)
    stop = bounds[1] if len(bounds) > 1 else bounds[0]
    step = bounds[2] if len(bounds) > 2 else ConstInt(1, span=span)
    attrs: dict[str, Any] = {}
    stage = int_literal(given.get("stage"))
    if stage is not None:
        attrs["pipeline_stages"] = stage
    if "attrs" in given:
        attrs.update(read_attrs(reader, given["attrs"]))
    target, carried = node.target, []
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        carried = target_names(target.elts[1])
        target = target.elts[0]
    closing = _closing_names(reader, node.body, len(carried))
    loop_var = reader.names.define(_one_name(reader, target), ScalarType.of(loop_dtype(bounds)))
    iter_args = _iter_args(reader, carried, given.get("init_values"), closing) if carried else ()
    body = reader.body(node.body)
    return_vars = _return_vars(reader, closing, _tail_values(body) or iter_args)
    stmts.append(ForStmt(loop_var, start, stop, step, iter_args, body, return_vars, kind, attrs, span=span))


def loop_dtype(bounds: list[Expr]) -> DataType:
    """dtype of a loop variable: INT64 when every written bound is, a constant's own dtype, else INDEX."""
    dtypes = [dtype_of(b) for b in bounds]
    if all(d is DataType.INT64 for d in dtypes):
        return DataType.INT64
    for bound, dtype in zip(bounds, dtypes, strict=True):
        if isinstance(bound, ConstInt) and dtype not in (DataType.INDEX, DataType.INT64):
            return dtype
    return DataType.INDEX


def _one_name(reader: FunctionReader, target: ast.expr) -> str:
    if not isinstance(target, ast.Name):
        raise PrintedFault("loop-target", f"'{reader.source.source(target)}' is no loop variable", target)
    return target.id


def _while_loop(reader: FunctionReader, node: ast.For, call: ast.Call, stmts: list[Stmt]) -> None:
    condition = condition_of(node.body[0])
    if condition is None:
        raise PrintedFault("while-form", "the body of pl.while_ starts with pl.cond", node)
    given = {k.arg: k.value for k in call.keywords}
    body_nodes = node.body[1:]
    closing = _closing_names(reader, body_nodes, len(target_names(node.target)))
    iter_args = _iter_args(reader, target_names(node.target), given.get("init_values"), closing)
    test = reader.expr(condition)
    body = reader.body(body_nodes)
    return_vars = _return_vars(reader, closing, _tail_values(body) or iter_args)
    stmts.append(WhileStmt(iter_args, test, body, return_vars, span=reader.source.span(node)))


def _while(reader: FunctionReader, node: ast.While, stmts: list[Stmt]) -> None:
    condition = reader.expr(node.test)
    body = reader.body(node.body)
    stmts.append(WhileStmt((), condition, body, (), span=reader.source.span(node)))


# --- scopes ---------------------------------------------------------------------------------------------------------


def _binding(reader: FunctionReader, node: ast.For, op: str) -> Stmt:
    """``i = tile.get_block_idx()``: what the loop variable of a scope in loop form stands for."""
    var = reader.names.define(_one_name(reader, node.target), _INDEX)
    span = reader.source.span(node)
    return AssignStmt(var, Call(Op.get(op), (), type=_INDEX, span=span), span=span)


def _split_aiv(reader: FunctionReader, node: ast.For, call: ast.Call, stmts: list[Stmt]) -> None:
    given = {k.arg: k.value for k in call.keywords}
    mode = _symbol(given.get("mode"))
    if not isinstance(mode, SplitMode):
        raise PrintedFault("split-aiv-form", "pl.split_aiv needs mode=pl.SplitMode.X", call)
    binding = _binding(reader, node, "tile.get_subblock_idx")
    outer, reader.region = reader.region, mode
    body = reader.body(node.body, binding)
    reader.region = outer
    stmts.append(SplitAivScopeStmt(body, mode, span=reader.source.span(node)))


def _spmd_fields(
    reader: FunctionReader, call: ast.Call
) -> tuple[Expr, bool, str, SplitMode, dict[str, Any], dict[str, Any]]:
    """core_num, sync_start, name hint, split mode, attributes of the inner InCore and of the Spmd."""
    given = {k.arg: k.value for k in call.keywords}
    core_num = reader.expr(call.args[0] if call.args else given["core_num"])
    split, inner = _optimizations(given.get("optimizations"))
    attrs: dict[str, Any] = {}
    if "deps" in given:
        attrs["manual_dep_edges"] = _deps(reader, given["deps"])
    return (
        core_num,
        _true(given.get("sync_start")),
        string_literal(given.get("name_hint")) or "",
        split,
        inner,
        attrs,
    )


def _spmd_tail(reader: FunctionReader, call: ast.Call, attrs: dict[str, Any]) -> None:
    given = {k.arg: k.value for k in call.keywords}
    if _true(given.get("allow_early_resolve")):
        attrs["allow_early_resolve"] = True
    if "predicate" in given:
        attrs["predicate"] = reader.expr(given["predicate"])


def _spmd_loop(reader: FunctionReader, node: ast.For, call: ast.Call, stmts: list[Stmt]) -> None:
    core_num, sync_start, hint, split, inner, attrs = _spmd_fields(reader, call)
    _spmd_tail(reader, call, attrs)
    span = reader.source.span(node)
    binding = _binding(reader, node, "tile.get_block_idx")
    body = reader.body(node.body, binding)
    incore = InCoreScopeStmt(body, split, name_hint=hint.removesuffix("_spmd"), attrs=inner, span=span)
    stmts.append(SpmdScopeStmt(incore, core_num, sync_start, name_hint=hint, attrs=attrs, span=span))


def _spmd_with(reader: FunctionReader, node: ast.With, call: ast.Call, stmts: list[Stmt]) -> None:
    core_num, sync_start, hint, split, inner, attrs = _spmd_fields(reader, call)
    task = _task_id(reader, node, stmts)
    if task is not None:
        attrs["task_id_var"] = task
    _spmd_tail(reader, call, attrs)
    span = reader.source.span(node)
    body = reader.body(node.body)
    optimized = any(k.arg == "optimizations" for k in call.keywords)
    nested = isinstance(body, InCoreScopeStmt) and len(node.body) == 1
    if not nested and (optimized or _uses_block_index(body)):
        body = InCoreScopeStmt(body, split, name_hint=hint.removesuffix("_spmd"), attrs=inner, span=span)
    stmts.append(SpmdScopeStmt(body, core_num, sync_start, name_hint=hint, attrs=attrs, span=span))


def _uses_block_index(body: Stmt) -> bool:
    return any(isinstance(node, Call) and node.op.name == "tile.get_block_idx" for node in walk(body))


def _optimizations(node: ast.expr | None) -> tuple[SplitMode, dict[str, Any]]:
    """Split mode and attributes of ``optimizations=[...]``."""
    split, attrs = SplitMode.NONE, {}
    for entry in node.elts if isinstance(node, ast.List | ast.Tuple) else []:
        if not isinstance(entry, ast.Call):
            raise PrintedFault("optimizations-form", "unknown optimization", entry)
        head = dotted(entry.func) or ("",)
        if head[-1] == "split":
            mode = _symbol(entry.args[0]) if entry.args else None
            if not isinstance(mode, SplitMode):
                raise PrintedFault("optimizations-form", "pl.split takes a SplitMode", entry)
            split = mode
        elif head[-1] == "cross_core_slot":
            slots = {k.arg: int_literal(k.value) for k in entry.keywords}
            attrs["slot_num"] = slots.get("slot_num")
        else:
            raise PrintedFault("optimizations-form", "unknown optimization", entry)
    return split, attrs


def _symbol(node: ast.expr | None) -> object:
    path = dotted(node) if node is not None else None
    return symbol_value(path) if path is not None else None


def _true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _deps(reader: FunctionReader, node: ast.expr) -> tuple[Expr, ...]:
    elements = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return tuple(reader.expr(e) for e in elements if not (isinstance(e, ast.Constant) and e.value is None))


def _task_id(reader: FunctionReader, node: ast.With, stmts: list[Stmt]) -> Var | None:
    """``as tid``: its variable, defined by a placeholder that the printer hides."""
    target = node.items[0].optional_vars
    if target is None:
        return None
    var = reader.names.define(_one_name(reader, target), _TASK_ID)
    span = reader.source.span(node)
    invalid = Call(Op.get("system.task_invalid"), (), type=_TASK_ID, span=span)
    stmts.append(AssignStmt(var, invalid, span=span))
    return var


def _with(reader: FunctionReader, node: ast.With, stmts: list[Stmt]) -> None:
    call = node.items[0].context_expr
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    handler = _SCOPES.get(path[-1]) if path is not None else None
    if handler is None or len(node.items) != 1:
        raise PrintedFault("with-unsupported", f"'{reader.source.source(call)}' is no scope", call)
    handler(reader, node, call, stmts)


def _at(reader: FunctionReader, node: ast.With, call: ast.Call, stmts: list[Stmt]) -> None:
    given = {k.arg: k.value for k in call.keywords}
    level = _symbol(given.get("level") or (call.args[0] if call.args else None))
    role = _symbol(given.get("role"))
    if not isinstance(level, Level):
        raise PrintedFault("at-form", "pl.at needs level=pl.Level.X", call)
    split, tail = _optimizations(given.get("optimizations"))
    hint = string_literal(given.get("name_hint")) or ""
    attrs: dict[str, Any] = {}
    if "deps" in given:
        attrs["manual_dep_edges"] = _deps(reader, given["deps"])
    if "no_dep_args" in given:
        attrs["arg_direction_overrides_vars"] = _deps(reader, given["no_dep_args"])
    if "dumps" in given:
        attrs["dump_vars"] = _deps(reader, given["dumps"])
    task = _task_id(reader, node, stmts)
    if task is not None:
        attrs["task_id_var"] = task
    if _true(given.get("allow_early_resolve")):
        attrs["allow_early_resolve"] = True
    attrs.update(tail)
    if _true(given.get("windowize")):
        attrs["windowize"] = True
    body = reader.body(node.body)
    span = reader.source.span(node)
    if level is Level.CORE_GROUP:
        stmts.append(InCoreScopeStmt(body, split, name_hint=hint, attrs=attrs, span=span))
    else:
        stmts.append(
            HierarchyScopeStmt(
                body, level, role if isinstance(role, Role) else None, name_hint=hint, attrs=attrs, span=span
            )
        )


def _cluster(reader: FunctionReader, node: ast.With, call: ast.Call, stmts: list[Stmt]) -> None:
    given = {k.arg: k.value for k in call.keywords}
    hint = string_literal(given.get("name_hint")) or ""
    stmts.append(ClusterScopeStmt(reader.body(node.body), name_hint=hint, span=reader.source.span(node)))


def _runtime(reader: FunctionReader, node: ast.With, call: ast.Call, stmts: list[Stmt]) -> None:
    given = {k.arg: k.value for k in call.keywords}
    manual = _symbol(given.get("mode")) is ScopeMode.MANUAL
    stmts.append(RuntimeScopeStmt(reader.body(node.body), manual, span=reader.source.span(node)))


_SCOPES: dict[str, Callable[[FunctionReader, ast.With, Any, list[Stmt]], None]] = {
    "at": _at,
    "spmd": _spmd_with,
    "cluster": _cluster,
    "scope": _runtime,
}

_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.AnnAssign: _annotated,
    ast.Assign: _assign,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.With: _with,
    ast.Break: lambda reader, node, stmts: stmts.append(BreakStmt(span=reader.source.span(node))),
    ast.Continue: lambda reader, node, stmts: stmts.append(ContinueStmt(span=reader.source.span(node))),
}
