"""Repairs of assignments, subscript writes and yields (docs/spec/language.md §7.4)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.crossings import shard_fixes
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.phases import is_cube
from pypto_core.fixes.splits import lane_name, move_window, region_of, region_split, window
from pypto_core.fixes.tree import (
    SourceTree,
    binds,
    bound_value,
    call_name,
    fresh,
    keyword,
    on_tree,
    pl_path,
    reads,
)
from pypto_core.frontend.syntax import dotted

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip
_TENSOR_FUNCTIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}


def _plain_assignment(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x += e`` becomes ``x = x + e``."""
    stmt = tree.statement(finding.span)
    if not isinstance(stmt, ast.AugAssign):
        return
    target, value = tree.words(stmt.target), tree.words(stmt.value)
    if isinstance(stmt.value, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp):
        value = f"({value})"
    symbol = _SYMBOLS[type(stmt.op)]
    on_tile = bool(finding.data.get("on_tile"))
    if not on_tile:
        yield (
            Editor(tree)
            .rewrite(stmt, f"{target} = {target} {symbol} {value}")
            .fix(f"Write {target} = {target} {symbol} ...", safe=isinstance(stmt.target, ast.Name))
        )
    if symbol in _TENSOR_FUNCTIONS:
        function = _TENSOR_FUNCTIONS[symbol]
        text = f"{target} = pl.{function}({target}, {tree.words(stmt.value)})"
        yield (
            Editor(tree)
            .rewrite(stmt, text)
            .fix(f"Write {target} = pl.{function}({target}, ...)", safe=on_tile)
        )


def _one_target(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``a = b = e`` becomes two statements."""
    stmt = tree.statement(finding.span)
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) < 2 or not tree.owns_lines([stmt]):
        return
    if not all(isinstance(t, ast.Name) for t in stmt.targets):
        return
    names = [tree.words(t) for t in stmt.targets]
    last = names[-1]
    lines = [f"{last} = {tree.words(stmt.value)}", *(f"{n} = {last}" for n in names[:-1])]
    joined = f"{tree.newline}{tree.indent(stmt)}".join(lines)
    yield Editor(tree).rewrite(stmt, joined).fix("Split into one assignment per name", safe=True)


def _other_name(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The new value gets a name of its own, and what reads it afterwards follows."""
    stmt, name = tree.statement(finding.span), str(finding.data["name"])
    function = tree.function(stmt) if stmt is not None else None
    if function is None or not isinstance(stmt, ast.Assign | ast.AnnAssign):
        return
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else stmt.target
    outer = next((n for n in tree.outwards(stmt) if isinstance(n, ast.For | ast.While)), None)
    others = [
        n
        for n in tree.nodes_of(function, ast.Name)
        if n.id == name and isinstance(n.ctx, ast.Store) and tree.start(n) > tree.end(stmt)
    ]
    if (
        not isinstance(target, ast.Name)
        or others
        or (
            outer is not None
            and outer in tree.outwards(stmt)
            and _first_read(tree, outer, name) < tree.start(stmt)
        )
    ):
        return
    new = fresh(tree, stmt, f"{name}_2")
    editor = Editor(tree).rewrite(target, new)
    for node in tree.nodes_of(function, ast.Name):
        if node.id == name and isinstance(node.ctx, ast.Load) and tree.start(node) > tree.end(stmt):
            editor.rewrite(node, new)
    yield editor.fix(f"Give the new value its own name ('{new}')")


def _first_read(tree: SourceTree, root: ast.AST, name: str) -> int:
    found = [
        tree.start(n) for n in tree.nodes_of(root, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)
    ]
    return min(found, default=len(tree.text))


# --- subscript writes ------------------------------------------------------------------------------------------------


def _indices(target: ast.Subscript) -> list[ast.expr]:
    return target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]


def _write_element(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x[i, j] = v`` becomes ``pl.write(x, [i, j], v)``."""
    stmt = tree.statement(finding.span)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if stmt is None or not isinstance(target, ast.Subscript) or not finding.data.get("scalar"):
        return
    assert isinstance(stmt, ast.Assign)
    place = ", ".join(tree.words(i) for i in _indices(target))
    text = f"pl.write({tree.words(target.value)}, [{place}], {tree.words(stmt.value)})"
    yield Editor(tree).rewrite(stmt, text).fix("Write the element with pl.write", safe=True)


def _assemble(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x[a:b, c:d] = v`` becomes a new value under strict SSA."""
    stmt = tree.statement(finding.span)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
    if stmt is None or not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    assert isinstance(stmt, ast.Assign)
    offsets = []
    for index in _indices(target):
        if not isinstance(index, ast.Slice):
            return
        offsets.append(tree.words(index.lower) if index.lower is not None else "0")
    name = target.value.id
    new = fresh(tree, stmt, f"{name}_2")
    editor = Editor(tree)
    editor.rewrite(stmt, f"{new} = pl.assemble({name}, {tree.words(stmt.value)}, [{', '.join(offsets)}])")
    block = tree.block(stmt)
    editor.rename_reads(block[block.index(stmt) + 1 :], name, new)
    yield editor.fix(f"Bind the written tensor to a new name ('{new}')")


def _write_source(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A lane's window takes a lane's share: twice as much is a cube value, or a read, that was not shared out."""
    stmt = tree.statement(finding.span)
    region = region_of(tree, stmt) if stmt is not None else None
    split = region_split(region) if region is not None else None
    want, got = finding.data.get("want"), finding.data.get("got")
    if stmt is None or region is None or split is None or want is None or got != 2 * int(want):
        return
    if split.axis != finding.data.get("axis") or not isinstance(stmt, ast.Assign):
        return
    for name in sorted(reads(stmt.value)):
        made = _definition(tree, stmt, name)
        if made is not None and is_cube(made) and region not in tree.outwards(made):
            yield from shard_fixes(tree, region, stmt, name)
            return
    if split.axis is not None:
        yield _share_reads(tree, region, stmt, split.axis)


def _definition(tree: SourceTree, stmt: ast.stmt, name: str) -> ast.stmt | None:
    """The last statement in front of ``stmt`` that binds ``name``."""
    function = tree.function(stmt)
    if function is None:
        return None
    found = [
        s for s in tree.nodes_of(function, ast.Assign, ast.AnnAssign) if bound_value(s) and name in binds(s)
    ]
    before = [s for s in found if tree.end(s) <= tree.start(stmt)]
    return before[-1] if before else None


def _share_reads(tree: SourceTree, region: ast.For, stmt: ast.Assign, axis: int) -> Fix | None:
    """Windows that the value is made of are read at the lane's place."""
    editor = Editor(tree)
    lane = lane_name(editor, region)
    wanted, changed = reads(stmt.value), False
    sources: list[ast.expr] = [stmt.value]
    for earlier in reversed(region.body[: region.body.index(stmt)] if stmt in region.body else []):
        value = bound_value(earlier)
        if value is not None and binds(earlier) & wanted:
            wanted |= reads(value)
            sources.append(value)
    for source in sources:
        for node in tree.nodes_of(source, ast.Subscript, ast.Call):
            found = window(tree, node, axis)
            if found is not None and lane is not None and found.extent > 1 and found.extent % 2 == 0:
                if lane not in reads(node):
                    move_window(editor, found, lane, found.extent // 2)
                    changed = True
    return editor.fix(f"Let each lane read its own half (index {lane})") if changed else None


# --- yields, submits -------------------------------------------------------------------------------------------------


def _named_yield(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.yield_(v)`` of a loop that carries values names what it hands on."""
    call = tree.at(finding.span, ast.Call)
    loop = tree.around(call, ast.For) if call is not None else None
    if call is None or loop is None:
        return
    target = loop.target
    if isinstance(target, ast.Tuple) and target.elts and isinstance(target.elts[-1], ast.Tuple):
        target = target.elts[-1]
    carried = [e.id for e in target.elts if isinstance(e, ast.Name)] if isinstance(target, ast.Tuple) else []
    if len(carried) != len(call.args):
        return
    names = ", ".join(fresh(tree, loop, f"{n}_next") for n in carried)
    yield Editor(tree).insert(tree.start(call), f"{names} = ").fix("Name the yielded values", safe=True)


def _submit(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``self.`` in front of the kernel, two targets for the result and its task."""
    stmt = tree.statement(finding.span)
    call = next(
        (
            c
            for c in (tree.nodes_of(stmt, ast.Call) if stmt is not None else ())
            if call_name(c) in ("submit", "spmd_submit")
        ),
        None,
    )
    if stmt is None or call is None:
        return
    kernel = call.args[0] if call.args else None
    path = dotted(kernel) if kernel is not None else None
    if isinstance(kernel, ast.Name) and tree.range_of(finding.span) == (tree.start(kernel), tree.end(kernel)):
        yield Editor(tree).insert(tree.start(kernel), "self.").fix(f"Write self.{kernel.id}", safe=True)
    elif isinstance(stmt, ast.Expr) and path and path[0] == "self":
        result, task = fresh(tree, stmt, "result"), fresh(tree, stmt, "task")
        yield (
            Editor(tree).insert(tree.start(stmt), f"{result}, {task} = ").fix("Bind the result and its task")
        )


def _spmd_submit(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``core_num=`` and its like belong to ``pl.spmd_submit``."""
    given = tree.at(finding.span, ast.keyword)
    call = tree.parent(given) if given is not None else None
    if (
        isinstance(call, ast.Call)
        and pl_path(call) == "pl.submit"
        and finding.data.get("name") in ("core_num", "sync_start")
    ):
        yield Editor(tree).rewrite(call.func, "pl.spmd_submit").fix("Use pl.spmd_submit")


def _core_number(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    call = tree.at(finding.span, ast.Call)
    if call is not None:
        yield Editor(tree).add_argument(call, "core_num=1").fix("Add core_num=1")


def _add_dependency(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The task that writes what a predicate reads is a dependency."""
    node, name = tree.at(finding.span, ast.expr), str(finding.data["name"])
    for outer in tree.outwards(node) if node is not None else ():
        if not isinstance(outer, ast.Call) or keyword(outer, "predicate") is None:
            continue
        deps = keyword(outer, "deps")
        if deps is None:
            yield Editor(tree).add_argument(outer, f"deps=[{name}]").fix(f"Depend on '{name}'", safe=True)
        elif isinstance(deps.value, ast.List):
            elements = deps.value.elts
            place = tree.end(elements[-1]) if elements else tree.start(deps.value) + 1
            text = f", {name}" if elements else name
            yield Editor(tree).insert(place, text).fix(f"Depend on '{name}'", safe=True)
        return


def _python_range(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A deps comprehension runs over Python's ``range``."""
    call = tree.at(finding.span, ast.Call)
    if call is not None and pl_path(call) == "pl.range":
        yield Editor(tree).rewrite(call.func, "range").fix("Write range(...)", safe=True)


def _named_call(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A call of an inline function inside an expression becomes a statement of its own."""
    call = tree.at(finding.span, ast.Call)
    while call is not None and (dotted(call.func) or ("",))[0] != "self":
        call = next((c for c in tree.nodes_of(list(ast.iter_child_nodes(call)), ast.Call)), None)
    stmt = tree.around(call, ast.stmt) if call is not None else None
    if call is None or stmt is None or not tree.owns_lines([stmt]) or isinstance(stmt, ast.While):
        return
    name = fresh(tree, stmt, f"{call_name(call)}_result")
    editor = Editor(tree).before(stmt, f"{name} = {tree.words(call)}").rewrite(call, name)
    yield editor.fix("Bind the call's result to a name first", safe=True)


FIXERS: Final[dict[str, Fixer]] = {
    "stmt-unsupported": on_tree(_plain_assignment),
    "assign-unsupported": on_tree(_one_target),
    "reassign-type": on_tree(_other_name),
    "ssa-redefinition": on_tree(_other_name),
    "element-write": on_tree(_write_element),
    "subscript-write-ssa": on_tree(_assemble),
    "subscript-write-source": on_tree(_write_source),
    "yield-bare-init-values": on_tree(_named_yield),
    "submit-form": on_tree(_submit),
    "deps-comprehension": on_tree(_python_range),
    "dangling-call": on_tree(_named_call),
    "kernel-keyword": on_tree(_spmd_submit),
    "spmd-submit-core-num": on_tree(_core_number),
    "predicate-producer-deps": on_tree(_add_dependency),
}
