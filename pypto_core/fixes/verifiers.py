"""Repairs of what the verifiers and warnings find, and of tensor work without a core (docs/spec/verifiers.md §3, §5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.functions import CORE_GROUP
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.phases import is_tensor_work, phase
from pypto_core.fixes.tree import SourceTree, bound_value, call_name, keyword, on_tree
from pypto_core.ir import Span

# --- values ----------------------------------------------------------------------------------------------------------


def _unused(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The assignment goes, or keeps its effect without the name."""
    stmt, name = tree.statement(finding.span), str(finding.data["name"])
    target = tree.at(finding.span, ast.Name)
    if stmt is None:
        return
    value = bound_value(stmt)
    if value is not None and tree.owns_lines([stmt]):
        if not finding.data.get("has_effect"):
            yield Editor(tree).delete(stmt).fix(f"Delete the assignment to '{name}'")
        else:
            editor = Editor(tree).replace(tree.start(stmt), tree.start(value), "")
            yield editor.fix(f"Keep the call, drop '{name}'")
    if target is None or target.id != name:
        target = next(
            (n for n in tree.nodes_of(stmt, ast.Name) if n.id == name and isinstance(n.ctx, ast.Store)), None
        )
    if target is not None:
        yield Editor(tree).rewrite(target, f"_{name}").fix(f"Rename to '_{name}'")


def _write_through(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``out = e`` becomes ``out[:] = e``."""
    stmt = tree.statement(finding.span)
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
        yield (
            Editor(tree).insert(tree.end(stmt.targets[0]), "[:]").fix(f"Write {stmt.targets[0].id}[:] = ...")
        )
    elif isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
        editor = Editor(tree).replace(tree.end(stmt.target), tree.end(stmt.annotation), "[:]")
        yield editor.fix(f"Write {stmt.target.id}[:] = ...")


def _shadowed(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The new buffer in the place of an Out parameter goes, or gets its own name."""
    stmt, name = tree.statement(finding.span), str(finding.data["name"])
    if stmt is None or bound_value(stmt) is None or not tree.owns_lines([stmt]):
        return
    created = str(finding.data.get("op", "")).endswith(".create")
    yield Editor(tree).delete(stmt).fix(f"Delete the line: '{name}' is the caller's buffer", safe=created)


def _declared(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A parameter that the kernel writes says so."""
    arg, direction = tree.at(finding.span, ast.arg), str(finding.data["direction"])
    if arg is None or arg.annotation is None:
        return
    editor = Editor(tree).surround(arg.annotation, f"pl.{direction}[", "]")
    yield editor.fix(f"Mark '{arg.arg}' as pl.{direction}", safe=True, trial=True)


def _result_instead(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """After a buffer was passed for writing, its content is the result of that call."""
    new, name = finding.data.get("replacement"), str(finding.data["name"])
    node = tree.at(finding.span, ast.Name)
    if not new:
        return
    if node is not None and node.id == name:
        yield Editor(tree).rewrite(node, str(new)).fix(f"Read '{new}' instead of '{name}'", safe=True)
        return
    stmt = tree.statement(finding.span)
    if stmt is not None:
        editor = Editor(tree).rename_reads([stmt], name, str(new))
        yield editor.fix(f"Read '{new}' instead of '{name}'")


def _cast_stored(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The value is cast to the element type of its destination before it is stored."""
    dtype = finding.data.get("dtype")
    stmt = tree.statement(finding.span)
    if not dtype or stmt is None:
        return
    value: ast.expr | None = None
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
        value = stmt.value
    else:
        for call in tree.nodes_of(stmt, ast.Call):
            place = {"store": 0, "assemble": 1}.get(call_name(call))
            if place is not None and len(call.args) > place:
                value = call.args[place]
                break
    if value is not None:
        yield Editor(tree).surround(value, "pl.cast(", f", pl.{dtype})").fix(f"Cast it (pl.{dtype})")


# --- scopes ----------------------------------------------------------------------------------------------------------


def _dedent(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The inner scope goes, its body stays."""
    stmt = tree.statement(finding.span)
    if isinstance(stmt, ast.With) and tree.owns_lines(stmt.body):
        yield Editor(tree).unwrap(stmt).fix("Drop the inner scope")


def _give_core(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Tensor work of the control plane goes into a CORE_GROUP scope, with its neighbours of the same kind."""
    stmt = tree.statement(finding.span)
    if stmt is None:
        return
    first, last = phase(tree, stmt, is_tensor_work)
    block = tree.block(stmt)
    run = block[block.index(first) : block.index(last) + 1]
    if not tree.owns_lines(run):
        return
    if isinstance(stmt, ast.Return):
        yield _return_from_core(tree, stmt)
        return
    yield (
        Editor(tree)
        .wrap(first, last, CORE_GROUP)
        .fix("Wrap the tensor work in pl.at(level=CORE_GROUP)", safe=True)
    )


def _return_from_core(tree: SourceTree, stmt: ast.Return) -> Fix | None:
    """``return pl.add(a, b)`` computes in a scope and returns the name."""
    if stmt.value is None or isinstance(stmt.value, ast.Tuple):
        return None
    indent, unit = tree.indent(stmt), tree.unit(stmt)
    lines = [CORE_GROUP, f"{indent}{unit}result = {tree.words(stmt.value)}", f"{indent}return result"]
    text = tree.newline.join(lines)
    return Editor(tree).rewrite(stmt, text).fix("Wrap the tensor work in pl.at(level=CORE_GROUP)", safe=True)


# --- launches --------------------------------------------------------------------------------------------------------


def _barrier(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The launch fits the barrier, or the barrier waits for the cores that were launched."""
    core_type = finding.data.get("right_core_type")
    call = next((c for c in tree.calls(finding.span) if call_name(c) == "syncall"), None)
    if core_type and call is not None:
        given = keyword(call, "core_type")
        editor = Editor(tree)
        if given is not None:
            editor.rewrite(given.value, f'"{core_type}"')
        else:
            editor.add_argument(call, f'core_type="{core_type}"')
        yield editor.fix(f'Wait for the launched cores (core_type="{core_type}")')
    launch = finding.data.get("launch")
    at = _launch(tree, launch) if isinstance(launch, Span) else None
    if at is None:
        return
    width = keyword(at, "core_num") or (at.args[0] if call_name(at) == "spmd" and at.args else None)
    node = width.value if isinstance(width, ast.keyword) else width
    query, required = finding.data.get("query"), finding.data.get("required")
    if query and node is not None:
        yield _together(Editor(tree).rewrite(node, f"pl.{query}()"), at).fix(f"Launch pl.{query}() blocks")
    if required and node is not None and finding.data.get("fault") == "occupancy":
        yield _together(Editor(tree).rewrite(node, str(required)), at).fix(f"Launch {required} blocks")
    if finding.data.get("fault") == "co-residency" and keyword(at, "sync_start") is None:
        yield Editor(tree).add_argument(at, "sync_start=True").fix("Add sync_start=True", safe=True)


def _together(editor: Editor, launch: ast.Call) -> Editor:
    """The blocks of a hard barrier start together."""
    return (
        editor
        if keyword(launch, "sync_start") is not None
        else editor.add_argument(launch, "sync_start=True")
    )


def _launch(tree: SourceTree, span: Span) -> ast.Call | None:
    """The ``pl.spmd`` or ``pl.spmd_submit`` of a dispatch."""
    stmt = tree.statement(span)
    for outer in tree.outwards(stmt) if stmt is not None else ():
        heads: list[ast.AST] = []
        if isinstance(outer, ast.With):
            heads = [i.context_expr for i in outer.items]
        elif isinstance(outer, ast.For):
            heads = [outer.iter]
        elif isinstance(outer, ast.Assign):
            heads = [outer.value]
        for head in heads:
            if isinstance(head, ast.Call) and call_name(head) in ("spmd", "spmd_submit"):
                return head
    return None


FIXERS: Final[dict[str, Fixer]] = {
    "unused-variable": on_tree(_unused),
    "out-param-write-dropped": on_tree(_write_through),
    "out-param-shadowed": on_tree(_shadowed),
    "out-param-undeclared": on_tree(_declared),
    "inout-use": on_tree(_result_instead),
    "acc-store-dtype": on_tree(_cast_stored),
    "nested-incore": on_tree(_dedent),
    "orphan-operator": on_tree(_give_core),
    "hard-syncall-occupancy": on_tree(_barrier),
}
