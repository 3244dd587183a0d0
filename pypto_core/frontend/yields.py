"""``pl.yield_``: values that a loop or an if hands on (docs/spec/language.md §4.4 to §4.6)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pypto_core.frontend.context import FunctionContext, Region, Silent, is_poison
from pypto_core.frontend.expressions import expr
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import Type, YieldStmt

_LOOPS_AND_IFS = frozenset({"range", "parallel", "unroll", "pipeline", "while", "if"})


def is_yield(node: ast.expr | None) -> bool:
    """``<prefix>.yield_(...)``."""
    if not isinstance(node, ast.Call):
        return False
    path = dotted(node.func)
    return path is not None and path[-1] == "yield_"


def assign_yield(ctx: FunctionContext, node: ast.stmt, target: ast.expr, annotation: Type | None) -> None:
    """``x = pl.yield_(...)``: the names become those of the statement around it."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    assert isinstance(value, ast.Call)
    names = _names(ctx, target)
    region = _region(ctx, value)
    stmt = _read(ctx, value)
    if region is None:
        return
    collected = region.yields
    if collected is None:
        collected = region.yields = []
    for i, name in enumerate(names):
        type_ = annotation
        if type_ is None and i < len(stmt.values):
            type_ = stmt.values[i].type
        if all(name.id != known for known, _, _ in collected):
            collected.append((name.id, type_, ctx.span(name)))
    ctx.emit(stmt)


def _names(ctx: FunctionContext, target: ast.expr) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, ast.Tuple) and all(isinstance(e, ast.Name) for e in target.elts):
        return [e for e in target.elts if isinstance(e, ast.Name)]
    raise ctx.fault("tuple-unpack-target", "pl.yield_ is assigned to a name or a tuple of names", target)


def bare_yield(ctx: FunctionContext, node: ast.Call) -> None:
    """``pl.yield_(...)`` as a statement."""
    region = _region(ctx, node)
    loop = next((r for r in reversed(ctx.regions) if r.kind in _LOOPS_AND_IFS and r.kind != "if"), None)
    if region is not None and loop is not None and loop.carried:
        ctx.fail(
            "yield-bare-init-values",
            "in a loop with init_values pl.yield_ is assigned: name = pl.yield_(value)",
            node,
        )
    ctx.emit(_read(ctx, node))


def _region(ctx: FunctionContext, node: ast.Call) -> Region | None:
    """The loop or if that a yield belongs to; a yield outside is told and kept."""
    for region in reversed(ctx.regions):
        if region.kind in _LOOPS_AND_IFS:
            return region
    ctx.error("yield-outside", "pl.yield_ belongs into the body of a loop or an if", node)
    return None


def _read(ctx: FunctionContext, node: ast.Call) -> YieldStmt:
    for keyword in node.keywords:
        ctx.fail("expr-not-ir", f"pl.yield_ takes no keyword '{keyword.arg or '**'}'", keyword)
    values = tuple(expr(ctx, a) for a in node.args)
    if any(is_poison(v) for v in values):
        ctx.mark_incomplete()
        if not node.args:
            raise Silent
    return YieldStmt(values, span=ctx.span(node))


def top_level_yields(body: list[ast.stmt]) -> bool:
    """Whether an arm of an if yields: nested ifs and loops are not looked into, runtime scopes are."""
    for stmt in body:
        if isinstance(stmt, ast.Assign | ast.AnnAssign) and is_yield(stmt.value):
            return True
        if isinstance(stmt, ast.Expr) and is_yield(stmt.value):
            return True
        if isinstance(stmt, ast.With) and _is_runtime_scope(stmt) and top_level_yields(stmt.body):
            return True
    return False


def _is_runtime_scope(stmt: ast.With) -> bool:
    call = stmt.items[0].context_expr if stmt.items else None
    path = dotted(call.func) if isinstance(call, ast.Call) else None
    return path is not None and path[-1] in ("scope", "manual_scope")


def has_yield(body: list[ast.stmt]) -> bool:
    """Whether a loop body yields for its own loop: nested loops and ifs keep theirs."""
    return any(True for _ in _own_yields(body))


def _own_yields(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for stmt in body:
        if isinstance(stmt, ast.Assign | ast.AnnAssign | ast.Expr) and is_yield(stmt.value):
            yield stmt
        elif isinstance(stmt, ast.With):
            yield from _own_yields(stmt.body)
