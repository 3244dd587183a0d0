"""``if`` statements (docs/spec/language.md §4.4)."""

from __future__ import annotations

import ast

from pypto_core.frontend.context import FunctionContext, Region, is_poison
from pypto_core.frontend.expressions import condition
from pypto_core.frontend.recovery import is_cut
from pypto_core.frontend.type_check import merges
from pypto_core.frontend.wording import type_texts
from pypto_core.frontend.yields import top_level_yields
from pypto_core.ir import (
    DataType,
    IfStmt,
    Span,
    Stmt,
    TensorType,
    Type,
    Var,
    YieldStmt,
    body_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.types import as_dims

_DEFAULT: Type = TensorType(as_dims([1]), DataType.INT32)


def header_span(ctx: FunctionContext, node: ast.stmt, last: ast.expr) -> Span:
    """A compound statement up to its colon."""
    whole = ctx.span(node)
    chunk = whole.chunk
    assert chunk is not None
    end = ctx.source.end(last)
    colon = chunk.text.find(":", end)
    return Span(chunk, whole.start, colon + 1 if colon >= 0 else end)


@goes_deep
def if_statement(ctx: FunctionContext, node: ast.If) -> None:
    """An if with its else (``elif`` is an if in the else body). Without yields the names of both arms stay visible."""
    from pypto_core.frontend.statements import block

    span = header_span(ctx, node, node.test)
    test = condition(ctx, node.test)
    yields = top_level_yields(node.body) or top_level_yields(node.orelse)
    arms: list[Stmt] = []
    collected: list[list[tuple[str, Type | None, Span]]] = []
    told = len(ctx.program.diagnostics)
    for body in (node.body, node.orelse):
        if not body:
            continue
        with ctx.region(Region("if", span)) as region, ctx.names.block(leak=not yields):
            arms.append(block(ctx, body, span))
        collected.append(region.yields or [])
    return_vars = _return_vars(ctx, collected) if yields else ()
    if is_poison(test):
        for arm in arms:
            ctx.out.extend(body_stmts(arm))
        return
    if yields and len(ctx.program.diagnostics) == told and not is_cut(node):
        _check_arms(ctx, node, arms, collected)
    ctx.emit(IfStmt(test, arms[0], arms[1] if len(arms) > 1 else None, return_vars, span=span))


def _return_vars(
    ctx: FunctionContext, collected: list[list[tuple[str, Type | None, Span]]]
) -> tuple[Var, ...]:
    """Names of the then-arm first, then new ones of the else-arm."""
    made: dict[str, Var] = {}
    for arm in collected:
        for name, type_, span in arm:
            if name not in made:
                made[name] = Var(name, type_ if type_ is not None else _DEFAULT, span=span)
    for name, var in made.items():
        ctx.names.bind(name, var)
    return tuple(made.values())


def _check_arms(
    ctx: FunctionContext, node: ast.If, arms: list[Stmt], collected: list[list[tuple[str, Type | None, Span]]]
) -> None:
    """Both arms yield the same names, numbers and types; later stages rely on it."""
    if len(arms) < 2:
        first = collected[0][0][0] if collected and collected[0] else "a value"
        ctx.error(
            "if-yield-mismatch",
            f"the if yields '{first}' but has no else that yields it too",
            _header(ctx, node),
        )
        return
    names = [[name for name, _, _ in arm] for arm in collected]
    values = [_yielded(arm) for arm in arms]
    if any(v is None for v in values):
        which = "then" if values[0] is None else "else"
        ctx.error(
            "if-yield-mismatch", f"the {which} branch does not yield, the other one does", _header(ctx, node)
        )
        return
    first_values, second_values = values[0], values[1]
    assert first_values is not None and second_values is not None
    if len(first_values.values) != len(second_values.values):
        ctx.error(
            "if-yield-mismatch",
            f"the branches yield {len(first_values.values)} and {len(second_values.values)} values",
            _header(ctx, node),
        )
        return
    if names[0] != names[1]:
        ctx.error(
            "if-yield-mismatch",
            f"the branches yield under different names: {', '.join(names[0]) or 'none'} and {', '.join(names[1]) or 'none'}",
            _header(ctx, node),
        )
        return
    for i, (a, b) in enumerate(zip(first_values.values, second_values.values)):
        if not merges(a.type, b.type):
            name = names[0][i] if i < len(names[0]) else f"value {i}"
            then_words, else_words = type_texts(a.type, b.type)
            ctx.error(
                "if-yield-mismatch",
                f"the branches yield '{name}' as {then_words} and as {else_words}",
                _header(ctx, node),
            )


def _header(ctx: FunctionContext, node: ast.If) -> Span:
    return header_span(ctx, node, node.test)


def _yielded(arm: Stmt) -> YieldStmt | None:
    from pypto_core.ir import RuntimeScopeStmt

    stmts = body_stmts(arm)
    last = stmts[-1] if stmts else None
    if isinstance(last, RuntimeScopeStmt):
        return _yielded(last.body)
    return last if isinstance(last, YieldStmt) else None
