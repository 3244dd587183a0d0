"""Keywords that scopes share: optimizations, name hints, dependency and tensor lists (docs/spec/language.md §4.7)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from pypto_core.frontend.context import TASK_ID_TYPE, FunctionContext, is_poison
from pypto_core.frontend.expressions import task_invalid
from pypto_core.frontend.folding import enum_or_dtype
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import AssignStmt, Expr, Span, SplitMode, TensorType, Var


@dataclass(slots=True)
class Optimizations:
    """``optimizations=[...]``: split mode, attributes, and where ``pl.split`` was written."""

    split: SplitMode = SplitMode.NONE
    attrs: dict[str, Any] = field(default_factory=dict)
    wrote_split: tuple[str, Span] | None = None
    given: bool = False


def read_optimizations(ctx: FunctionContext, node: ast.expr | None) -> Optimizations:
    """A list literal of ``pl.split(mode)`` and ``pl.cross_core_slot(slot_num=N)``."""
    code = "optimizations-form"
    result = Optimizations(given=node is not None)
    if node is None:
        return result
    if not isinstance(node, ast.List):
        ctx.fail(
            code, "optimizations is a list literal: optimizations=[pl.split(pl.SplitMode.UP_DOWN)]", node
        )
    seen: set[str] = set()
    for entry in node.elts:
        path = dotted(entry.func) if isinstance(entry, ast.Call) else None
        name = path[-1] if path is not None else ""
        if not isinstance(entry, ast.Call) or name not in ("split", "cross_core_slot"):
            ctx.fail(
                code,
                f"'{ctx.text(entry)}' is no optimization: there are pl.split and pl.cross_core_slot",
                entry,
            )
        if name in seen:
            ctx.fail(code, f"pl.{name} is given twice", entry)
        seen.add(name)
        if name == "split":
            _split(ctx, entry, result)
        else:
            _slot(ctx, entry, result)
    return result


def _split(ctx: FunctionContext, entry: ast.Call, result: Optimizations) -> None:
    code = "optimizations-form"
    mode_nodes = [*entry.args, *(k.value for k in entry.keywords if k.arg == "mode")]
    for keyword in entry.keywords:
        if keyword.arg == "slot_num":
            slots = int_literal(keyword.value)
            if slots is None or slots <= 0:
                ctx.fail(code, "slot_num is a positive integer literal", keyword.value)
            if "slot_num" in result.attrs:
                ctx.fail(code, "the slot count is given twice", keyword)
            ctx.warn(
                "split-slot-num-deprecated",
                f"slot_num belongs to pl.cross_core_slot(slot_num={slots})",
                keyword,
                slots=slots,
            )
            result.attrs["slot_num"] = slots
        elif keyword.arg != "mode":
            ctx.fail(code, f"pl.split takes no keyword '{keyword.arg or '**'}'", keyword)
    if len(mode_nodes) != 1:
        ctx.fail(code, "pl.split takes one mode: pl.split(pl.SplitMode.UP_DOWN)", entry)
    mode = enum_or_dtype(mode_nodes[0])
    if not isinstance(mode, SplitMode):
        ctx.fail(
            code,
            f"'{ctx.text(mode_nodes[0])}' is no split mode: write pl.SplitMode.UP_DOWN or LEFT_RIGHT",
            mode_nodes[0],
        )
    result.split = mode
    result.wrote_split = (f"pl.split(pl.SplitMode.{mode.name})", ctx.span(entry))


def _slot(ctx: FunctionContext, entry: ast.Call, result: Optimizations) -> None:
    code = "optimizations-form"
    if entry.args or len(entry.keywords) != 1 or entry.keywords[0].arg != "slot_num":
        ctx.fail(code, "write pl.cross_core_slot(slot_num=<number>)", entry)
    slots = int_literal(entry.keywords[0].value)
    if slots is None or slots <= 0:
        ctx.fail(code, "slot_num is a positive integer literal", entry.keywords[0].value)
    if "slot_num" in result.attrs:
        ctx.fail(code, "the slot count is given twice", entry)
    result.attrs["slot_num"] = slots


def name_hint(ctx: FunctionContext, node: ast.expr | None) -> str:
    """``name_hint="..."``: a string literal that is an identifier."""
    if node is None:
        return ""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        ctx.fail("name-hint", f"name_hint is a string literal, not '{ctx.text(node)}'", node)
    if node.value and (not node.value.isidentifier() or iskeyword(node.value)):
        ctx.fail("name-hint", f"name_hint '{node.value}' is no identifier", node, name=node.value)
    return node.value


def tensor_list(ctx: FunctionContext, node: ast.expr, keyword: str) -> tuple[Expr, ...]:
    """``no_dep_args`` / ``dumps``: a list of tensor names, each once."""
    code = "scope-tensor-list"
    if not isinstance(node, ast.List | ast.Tuple):
        ctx.fail(code, f"{keyword} is a list of tensor names", node)
    found: list[Expr] = []
    for element in node.elts:
        if not isinstance(element, ast.Name):
            ctx.error(code, f"{keyword} lists names, not '{ctx.text(element)}'", element)
            continue
        value = ctx.names.lookup(element.id)
        if value is None:
            ctx.error(code, f"'{element.id}' is not defined", element)
        elif is_poison(value):
            ctx.mark_incomplete()
        elif not isinstance(value.type, TensorType):
            ctx.error(code, f"'{element.id}' is no tensor", element)
        elif any(value is f for f in found):
            ctx.error(code, f"'{element.id}' is listed twice", element)
        else:
            found.append(value)
    return tuple(found)


def task_id(ctx: FunctionContext, node: ast.With, code: str) -> Var | None:
    """``as tid``: a task id in the scope around, with its placeholder."""
    target = node.items[0].optional_vars
    if target is None:
        return None
    if not isinstance(target, ast.Name):
        ctx.fail("with-as", "'as' takes a name", target)
    span = ctx.span(target)
    known = ctx.names.lookup(target.id)
    if isinstance(known, Var) and type(known) is Var and known.type is TASK_ID_TYPE:
        var = known
    else:
        var = Var(target.id, TASK_ID_TYPE, span=span)
        ctx.names.bind(target.id, var)
    ctx.emit(AssignStmt(var, task_invalid(span), span=span))
    return var
