"""Lane regions: ``for lane in pl.split_aiv(2, mode=...)`` (docs/spec/language.md §4.8)."""

from __future__ import annotations

import ast

from pypto_core.diagnostics import Related
from pypto_core.frontend.branches import header_span
from pypto_core.frontend.context import INDEX_TYPE, FunctionContext, Region, did_you_mean, nearest
from pypto_core.frontend.folding import enum_or_dtype
from pypto_core.frontend.syntax import dotted, string_literal
from pypto_core.ir import (
    AssignStmt,
    Call,
    FunctionType,
    InCoreScopeStmt,
    Op,
    SeqStmts,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    Var,
)


def split_aiv_loop(ctx: FunctionContext, node: ast.For, call: ast.Call) -> None:
    """A region whose body runs on both lanes; wrapped in an InCore scope where there is none."""
    span = header_span(ctx, node, call)
    single_target(ctx, node, "split-aiv-form", "pl.split_aiv")
    mode = _mode(ctx, call)
    outer = ctx.inside("split_aiv")
    if outer is not None:
        ctx.error(
            "split-aiv-nested",
            "a pl.split_aiv region cannot contain another one",
            span,
            related=(Related("the region around it", outer.span),),
        )
    # The body is read as a region all the same: what stands in it is not at fault.
    wrote = next((r.wrote_split for r in reversed(ctx.regions) if r.wrote_split is not None), None)
    if wrote is not None:
        text, where = wrote
        ctx.error(
            "split-aiv-in-split",
            f"this scope combines a function-level {text} (optimizations=[pl.split(...)]) with a pl.split_aiv region; "
            "these are mutually exclusive AIV-split mechanisms: remove pl.split",
            span,
            related=(Related("pl.split is written here", where),),
        )
    body = _body(ctx, node, span, mode)
    region = SplitAivScopeStmt(body, mode, span=span)
    if ctx.inside("incore") is not None or ctx.func_type is FunctionType.InCore:
        ctx.emit(region)
    else:
        ctx.emit(InCoreScopeStmt(region, span=span))


def _body(ctx: FunctionContext, node: ast.For, span: Span, mode: SplitMode) -> Stmt:
    from pypto_core.frontend.statements import block

    assert isinstance(node.target, ast.Name)
    with ctx.region(Region("split_aiv", span, split=mode)), ctx.names.block(leak=True):
        binding = scope_binding(ctx, node.target, "tile.get_subblock_idx", span)
        inner = block(ctx, node.body, span)
    return SeqStmts.flatten((binding, inner), span)


def scope_binding(ctx: FunctionContext, target: ast.Name, op: str, span: Span) -> AssignStmt:
    """The statement that gives the loop variable of a scope in loop form its value."""
    var = Var(target.id, INDEX_TYPE, span=ctx.span(target))
    ctx.names.bind(target.id, var)
    return AssignStmt(var, Call(Op.get(op), (), type=INDEX_TYPE, span=span), span=span)


def _mode(ctx: FunctionContext, call: ast.Call) -> SplitMode:
    code = "split-aiv-form"
    args, mode_node = list(call.args), None
    for keyword in call.keywords:
        if keyword.arg == "mode":
            mode_node = keyword.value
        else:
            given = keyword.arg or "**"
            ctx.fail(
                code,
                f"pl.split_aiv takes no keyword '{given}'{did_you_mean(given, ['mode'])}: write pl.split_aiv(2, mode=...)",
                keyword,
                name=given,
                suggestion=nearest(given, ["mode"]),
            )
    if len(args) == 2 and mode_node is None:
        mode = enum_or_dtype(args[1])
        if isinstance(mode, SplitMode):
            ctx.fail(code, f"the mode is given by keyword: write mode={ctx.text(args[1])}", args[1])
    if len(args) != 1:
        ctx.fail(
            code,
            f"pl.split_aiv takes the number of lanes, got {len(args)} arguments: write pl.split_aiv(2, mode=...)",
            call,
        )
    if not (isinstance(args[0], ast.Constant) and type(args[0].value) is int and args[0].value == 2):
        ctx.fail(code, f"a core has 2 vector lanes, not {ctx.text(args[0])}", args[0])
    if mode_node is None:
        ctx.fail(code, "pl.split_aiv needs mode=pl.SplitMode.UP_DOWN, LEFT_RIGHT or NONE", call)
    mode = enum_or_dtype(mode_node)
    if not isinstance(mode, SplitMode):
        written = string_literal(mode_node) or (dotted(mode_node) or ("",))[-1]
        near = nearest(written.upper(), SplitMode.__members__)
        ctx.fail(
            code,
            f"mode is written pl.SplitMode.UP_DOWN, LEFT_RIGHT or NONE, not '{ctx.text(mode_node)}'"
            + (f" (did you mean 'pl.SplitMode.{near}'?)" if near else ""),
            mode_node,
            mode=near,
        )
    return mode


def single_target(ctx: FunctionContext, node: ast.For, code: str, what: str) -> None:
    """Scopes in loop form have one loop variable."""
    if not isinstance(node.target, ast.Name):
        ctx.fail(code, f"{what} has one loop variable, not '{ctx.text(node.target)}'", node.target)
