"""Repairs of scopes and their options (docs/spec/language.md §7.4)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from keyword import iskeyword
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.crossings import boundary_into_region
from pypto_core.fixes.editing import Editor, arguments
from pypto_core.fixes.functions import kernel_decorator, set_decorator_keyword
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.splits import drop_split, region_of, split_of
from pypto_core.fixes.tree import SourceTree, call_name, keyword, on_tree
from pypto_core.frontend.syntax import int_literal, string_literal


def _nested(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``with a, b:`` becomes two statements."""
    stmt = tree.statement(finding.span)
    if not isinstance(stmt, ast.With) or len(stmt.items) < 2 or not tree.owns_lines(stmt.body):
        return
    first, rest = stmt.items[0], stmt.items[1:]
    end_of_first = tree.end(first.optional_vars or first.context_expr)
    last = rest[-1]
    editor = Editor(tree).replace(end_of_first, tree.end(last.optional_vars or last.context_expr), "")
    texts = [
        tree.text[tree.start(i.context_expr) : tree.end(i.optional_vars or i.context_expr)] for i in rest
    ]
    for text in texts:
        editor.wrap(stmt.body[0], stmt.body[-1], f"with {text}:")
    yield editor.fix("Nest the scopes", safe=True)


def _drop_as(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    item = stmt.items[0] if isinstance(stmt, ast.With) else None
    if item is not None and item.optional_vars is not None:
        editor = Editor(tree).replace(tree.end(item.context_expr), tree.end(item.optional_vars), "")
        yield editor.fix("Delete 'as'")


def _drop_keyword(name: str, *, safe: bool = False) -> Fixer:
    def make(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
        node = tree.at(finding.span, ast.expr, ast.keyword)
        for outer in tree.outwards(node) if node is not None else ():
            given = keyword(outer, name) if isinstance(outer, ast.Call) else None
            if given is not None:
                assert isinstance(outer, ast.Call)
                yield Editor(tree).drop_argument(outer, given).fix(f"Delete {name}=", safe=safe)
                return

    return on_tree(make)


def _slot_option(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.split(m, slot_num=N)`` becomes ``pl.split(m), pl.cross_core_slot(slot_num=N)``."""
    given = tree.at(finding.span, ast.keyword)
    call = tree.parent(given) if given is not None else None
    if given is None or not isinstance(call, ast.Call):
        return
    text = f", pl.cross_core_slot({tree.words(given)})"
    editor = Editor(tree).drop_argument(call, given).insert(tree.end(call), text)
    yield editor.fix("Write pl.cross_core_slot", safe=True)


def _option_list(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``optimizations=pl.split(...)`` becomes a list of one."""
    node = tree.at(finding.span, ast.expr)
    given = tree.parent(node) if node is not None else None
    if node is not None and isinstance(given, ast.keyword) and given.arg == "optimizations":
        if isinstance(node, ast.Tuple):
            text = f"[{', '.join(tree.words(e) for e in node.elts)}]"
            yield Editor(tree).rewrite(node, text).fix("Write a list", safe=True)
        elif isinstance(node, ast.Call):
            yield Editor(tree).surround(node, "[", "]").fix("Write a list", safe=True)


def _optimizations_inside(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The options go to the ``pl.at`` that is the whole body."""
    stmt = tree.statement(finding.span)
    inner = stmt.body[0] if isinstance(stmt, ast.With) and len(stmt.body) == 1 else None
    outer_call = stmt.items[0].context_expr if isinstance(stmt, ast.With) else None
    inner_call = inner.items[0].context_expr if isinstance(inner, ast.With) else None
    if not isinstance(outer_call, ast.Call) or not isinstance(inner_call, ast.Call):
        return
    given = keyword(outer_call, "optimizations")
    if given is not None and keyword(inner_call, "optimizations") is None:
        editor = Editor(tree).drop_argument(outer_call, given).add_argument(inner_call, tree.words(given))
        yield editor.fix("Move the optimizations to pl.at", safe=True)


def _cluster_metadata(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Inside a cluster the launch says nothing of its own."""
    stmt = tree.statement(finding.span)
    call = next(
        (n for n in tree.nodes_of(stmt, ast.Call) if call_name(n) in ("spmd", "submit", "spmd_submit"))
        if stmt
        else iter(()),
        None,
    )
    if stmt is None or call is None:
        return
    names = ["allow_early_resolve", "predicate"]
    if call_name(call) != "spmd":
        names += ["deps", "core_num", "sync_start"]
    dropped = [k for k in call.keywords if k.arg in names]
    editor = Editor(tree)
    if dropped:
        kept = ", ".join(tree.words(a) for a in arguments(call) if a not in dropped)
        editor.rewrite(call, f"{tree.words(call.func)}({kept})")
    item = stmt.items[0] if isinstance(stmt, ast.With) else None
    if item is not None and item.optional_vars is not None:
        editor.replace(tree.end(item.context_expr), tree.end(item.optional_vars), "")
    yield editor.fix("Delete what the cluster decides")


def _identifier(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node = tree.at(finding.span, ast.expr)
    text = string_literal(node)
    if node is None or not text:
        return
    new = re.sub(r"\W+", "_", text).strip("_") or "scope"
    new = f"_{new}" if new[0].isdigit() else f"{new}_" if iskeyword(new) else new
    yield Editor(tree).rewrite(node, f'"{new}"').fix(f'Use "{new}"', safe=True)


def _manual_scopes(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``auto_scope=False`` on the function."""
    stmt = tree.statement(finding.span)
    function = tree.function(stmt) if stmt is not None else None
    decorator = kernel_decorator(function) if function is not None else None
    if decorator is not None:
        editor = set_decorator_keyword(Editor(tree), decorator, "auto_scope", "False")
        yield editor.fix("Declare the function with auto_scope=False")


def _region_header(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The mode, and two lanes."""
    call = tree.at(finding.span, ast.Call)
    if call is None:
        node = tree.at(finding.span, ast.expr)
        call = tree.around(node, ast.Call) if node is not None else None
    if call is None or call_name(call) != "split_aiv":
        return
    if call.args and len(call.args) == 1 and int_literal(call.args[0]) != 2 and tree.range_of(finding.span) == (
        tree.start(call.args[0]), tree.end(call.args[0]),
    ):  # fmt: skip
        yield Editor(tree).rewrite(call.args[0], "2").fix("Use 2 lanes")
        return
    marked, new = tree.range_of(finding.span), finding.data.get("suggestion")
    if len(call.args) == 2 and marked == (tree.start(call.args[1]), tree.end(call.args[1])):
        yield Editor(tree).insert(marked[0], "mode=").fix("Write mode=")
        return
    written = next((k for k in call.keywords if marked and tree.start(k) == marked[0]), None)
    if written is not None and written.arg is not None and new:
        start = tree.start(written)
        yield Editor(tree).replace(start, start + len(written.arg), f"{new}").fix(f"Change to '{new}='")
        return
    given = keyword(call, "mode")
    if given is not None and finding.data.get("mode"):
        text = f"pl.SplitMode.{finding.data['mode']}"
        yield Editor(tree).rewrite(given.value, text).fix(f"Change to {text}")
        return
    if keyword(call, "mode") is None:
        for mode in ("UP_DOWN", "LEFT_RIGHT", "NONE"):
            text = f"mode=pl.SplitMode.{mode}"
            yield Editor(tree).add_argument(call, text if call.args else f"2, {text}").fix(f"Add {text}")


def _one_mechanism(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.split`` of the scope goes: its regions share the work out."""
    stmt = tree.statement(finding.span)
    for outer in tree.outwards(tree.parent(stmt)) if stmt is not None else ():
        if isinstance(outer, ast.With):
            split = split_of(tree, outer)
            if split is not None and split.kind == "scope":
                yield drop_split(tree, split)
                return


def _crossing_form(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Inside a region a crossing takes no keyword; outside it needs a region."""
    node = tree.at(finding.span, ast.expr, ast.keyword)
    call = next(
        (
            n
            for n in tree.outwards(node)
            if isinstance(n, ast.Call) and call_name(n) in ("aiv_shard", "aic_gather")
        ),
        None,
    )
    if node is None or call is None:
        return
    extra = [
        k
        for k in call.keywords
        if k.arg not in (("split", "lane_stride") if region_of(tree, call) is None else ())
    ]
    if call_name(call) == "aic_gather":
        extra += [k for k in call.keywords if k.arg == "lane_stride" and k not in extra]
    if extra:
        kept = ", ".join(tree.words(a) for a in arguments(call) if a not in extra)
        names = ", ".join(f"{k.arg}=" for k in extra)
        yield Editor(tree).rewrite(call, f"{tree.words(call.func)}({kept})").fix(f"Delete {names}")
    elif region_of(tree, call) is None:
        yield from boundary_into_region(tree, finding.span)


FIXERS: Final[dict[str, Fixer]] = {
    "with-items": on_tree(_nested),
    "with-as": on_tree(_drop_as),
    "at-role-core-group": _drop_keyword("role", safe=True),
    "optimizations-level": _drop_keyword("optimizations"),
    "optimizations-form": on_tree(_option_list),
    "split-slot-num-deprecated": on_tree(_slot_option),
    "spmd-optimizations-twice": on_tree(_optimizations_inside),
    "spmd-cluster-metadata": on_tree(_cluster_metadata),
    "name-hint": on_tree(_identifier),
    "scope-auto-needs-flag": on_tree(_manual_scopes),
    "split-aiv-form": on_tree(_region_header),
    "split-aiv-in-split": on_tree(_one_mechanism),
    "shard-gather-form": on_tree(_crossing_form),
}
