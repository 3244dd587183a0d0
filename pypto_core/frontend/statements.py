"""Statements of kernel bodies (docs/spec/language.md §4)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from pypto_core.frontend.assignments import annotated, assign, poison_targets
from pypto_core.frontend.branches import if_statement
from pypto_core.frontend.context import LOOP_KINDS, Fault, FunctionContext, Silent, body_of, is_poison
from pypto_core.frontend.expressions import SYMBOLS, expr, scalar_expr
from pypto_core.frontend.loops import for_statement, while_statement
from pypto_core.frontend.recovery import Broken, Statement
from pypto_core.frontend.scopes import with_statement
from pypto_core.frontend.static_statements import static_statement
from pypto_core.frontend.submits import submit_name
from pypto_core.frontend.syntax import dotted
from pypto_core.frontend.yields import bare_yield, is_yield
from pypto_core.ir import (
    BreakStmt,
    Call,
    ContinueStmt,
    EvalStmt,
    Expr,
    ReturnStmt,
    Span,
    Stmt,
    Submit,
    TensorType,
    TileType,
)

#: The header of a lane region that is being written.
_UNREAD_REGION = re.compile(r"\bpl\.split_a")
_KINDS: dict[str, str] = {
    "AugAssign": "an augmented assignment",
    "Assert": "an assert (pl.static_assert checks while compiling)",
    "Import": "an import",
    "ImportFrom": "an import",
    "Global": "a global statement",
    "Nonlocal": "a nonlocal statement",
    "Delete": "a del statement",
    "Try": "a try statement",
    "TryStar": "a try statement",
    "Match": "a match statement",
    "Raise": "a raise statement",
    "FunctionDef": "a function definition",
    "AsyncFunctionDef": "a function definition",
    "ClassDef": "a class definition",
    "AsyncFor": "an async for",
    "AsyncWith": "an async with",
}
_OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
    "LShift": "<<", "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "MatMult": "@",
}  # fmt: skip


def block(ctx: FunctionContext, nodes: Iterable[ast.stmt], span: Span) -> Stmt:
    """The statements of a nested body as one statement."""
    with ctx.collecting() as out:
        for node in nodes:
            statement(ctx, node)
    return body_of(out, span)


def function_body(ctx: FunctionContext, statements: Iterable[Statement], span: Span) -> Stmt:
    """The statements of a function; each comes with the map of its own chunk."""
    with ctx.collecting() as out:
        outer = ctx.source
        for item in statements:
            ctx.source = item.source
            _piece(ctx, item.node)
        ctx.source = outer
    return body_of(out, span)


def statement(ctx: FunctionContext, node: ast.stmt) -> None:
    """One statement: emits what it means, reports what is wrong with it, never raises."""
    outer = ctx.source
    if outer.parts:
        ctx.source = outer.of(node)
        if ctx.source is not outer:
            _piece(ctx, node)
            ctx.source = outer
            return
    _read(ctx, node, ctx.comments(node))


def _piece(ctx: FunctionContext, node: ast.stmt) -> None:
    """A statement with a chunk of its own: it may have been read before."""
    comments = ctx.comments(node)
    recall = ctx.program.recall
    if recall is None:
        _read(ctx, node, comments)
    else:
        recall.replay.statement(ctx, node, comments, _read)


def _read(ctx: FunctionContext, node: ast.stmt, comments: tuple[str, ...]) -> None:
    before = len(ctx.out)
    try:
        if not ctx.dialect.statement(ctx, node):
            _dispatch(ctx, node)
    except Fault as fault:
        ctx.report(fault)
        poison_targets(ctx, node)
    except Silent:
        ctx.mark_incomplete()
        poison_targets(ctx, node)
    except RecursionError:
        ctx.error(
            "python-syntax",
            "too deeply nested: split the expression or the chain of branches",
            ctx.first_line(node),
        )
        poison_targets(ctx, node)
    if comments and len(ctx.out) > before:
        ctx.out[before] = ctx.out[before].with_(leading_comments=comments)


def _dispatch(ctx: FunctionContext, node: ast.stmt) -> None:
    handler = _STATEMENTS.get(node.__class__)
    if handler is not None:
        handler(ctx, node)
        return
    kind = _KINDS.get(type(node).__name__, f"a {type(node).__name__}")
    hint, on_tile = "", False
    if isinstance(node, ast.AugAssign):
        operator = _OPERATORS[type(node.op).__name__]
        target, value = ctx.text(node.target), ctx.text(node.value)
        base = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        known = ctx.names.lookup(base.id) if isinstance(base, ast.Name) else None
        on_tile = known is not None and isinstance(known.type, TensorType | TileType)
        function = SYMBOLS.get(type(node.op), ("", ""))[1]
        if isinstance(node.value, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp) and not on_tile:
            value = f"({value})"
        written = (
            f"pl.{function}({target}, {value})" if on_tile and function else f"{target} {operator} {value}"
        )
        hint = f": write {target} = {written}"
    ctx.fail(
        "stmt-unsupported",
        f"a kernel cannot contain {kind}{hint}",
        ctx.first_line(node),
        kind=type(node).__name__,
        on_tile=on_tile,
    )


def _broken(ctx: FunctionContext, node: Broken) -> None:
    """A statement that does not parse (told already): its names are unknown, what stands below it is read."""
    ctx.mark_incomplete()
    at = ctx.span(node)
    for name in node.names:
        if ctx.names.lookup(name) is None:
            ctx.names.bind(name, ctx.poison(at, name))
    ctx.region_cut = ctx.region_cut or _UNREAD_REGION.search(ctx.text(node)) is not None
    for inner in node.body:
        statement(ctx, inner)


def _return(ctx: FunctionContext, node: ast.Return) -> None:
    value = node.value
    parts = list(value.elts) if isinstance(value, ast.Tuple) else [] if value is None else [value]
    values = [expr(ctx, p) for p in parts]
    if ctx.result is None and values:
        ctx.result = tuple(v.type for v in values)
    if any(is_poison(v) for v in values):
        ctx.mark_incomplete()
    if ctx.inlining:
        from pypto_core.frontend.external import inline_return

        inline_return(ctx, values, node)
        return
    ctx.emit(ReturnStmt(tuple(values), span=ctx.span(node)))


def _expression(ctx: FunctionContext, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant) and (value.value is Ellipsis or isinstance(value.value, str)):
        ctx.program.traces += 1  # a docstring goes to the next statement
        return
    if is_yield(value):
        assert isinstance(value, ast.Call)
        bare_yield(ctx, value)
        return
    if isinstance(value, ast.Call):
        if submit_name(value) is not None:
            ctx.fail("submit-form", "a submit is assigned: result, task = pl.submit(...)", value)
        if static_statement(ctx, node, value):
            return
        path = dotted(value.func)
        if path is not None and path[-1] == "cond" and len(path) <= 2:
            ctx.fail("while-form", "pl.cond is the first statement of a pl.while_ body", value)
    result = scalar_expr(ctx, value)
    emit_expression(ctx, node, result)


def emit_expression(ctx: FunctionContext, node: ast.Expr, result: Expr) -> None:
    """An expression for its effect: a call, nothing else."""
    if is_poison(result):
        ctx.mark_incomplete()
        return
    if not isinstance(result, Call | Submit):
        if isinstance(node.value, ast.Call):
            return  # an inline template's value that nobody takes
        ctx.fail("expr-not-ir", f"'{ctx.text(node)}' has no effect", node)
    ctx.emit(EvalStmt(result, span=ctx.span(node)))


def _break(ctx: FunctionContext, node: ast.Break | ast.Continue) -> None:
    word = "break" if isinstance(node, ast.Break) else "continue"
    for region in reversed(ctx.regions):
        if region.kind in LOOP_KINDS or region.kind == "split_aiv":
            if region.kind in ("parallel", "unroll", "split_aiv"):
                name = f"pl.{region.kind}"
                ctx.fail(
                    "loop-escape",
                    f"{word} cannot leave a {name} loop: its iterations run {_WHY[region.kind].format(word=word)}",
                    _conditional_exit(ctx, node),
                )
            span = ctx.span(node)
            ctx.emit(BreakStmt(span=span) if isinstance(node, ast.Break) else ContinueStmt(span=span))
            return
    ctx.fail("loop-escape", f"{word} outside a loop", node)


def _conditional_exit(ctx: FunctionContext, node: ast.Break | ast.Continue) -> Span:
    """The jump, with the condition that guards it: ``if ready: break`` is what cannot stand there."""
    span = ctx.span(node)
    guard = ctx.regions[-1]
    return guard.span.to(span) if guard.kind == "if" else span


_WHY = {
    "parallel": "in any order ('{word}' would stop nothing in parallel)",
    "unroll": "as copies of the body",
    "split_aiv": "on two lanes",
}


def _pass(ctx: FunctionContext, node: ast.Pass) -> None:
    """Nothing."""


_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.For: for_statement,
    ast.While: while_statement,
    ast.If: if_statement,
    ast.With: with_statement,
    ast.Return: _return,
    ast.Expr: _expression,
    ast.Break: _break,
    ast.Continue: _break,
    ast.Pass: _pass,
    Broken: _broken,
}
