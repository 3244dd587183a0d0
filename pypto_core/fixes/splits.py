"""What splits the vector work around a place, and how a kernel is edited for its lanes.

The split is a ``pl.split_aiv`` region, a ``pl.split(...)`` among the optimizations of a scope, or the attribute ``split`` of a
function. Reads and writes that a lane makes for itself carry its index in their offset; :func:`localise` puts it there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pypto_core.fixes.editing import Editor
from pypto_core.fixes.model import Fix
from pypto_core.fixes.tree import SourceTree, binds, bound_value, call_name, fresh, keyword, reads
from pypto_core.frontend.syntax import dotted, int_literal, string_literal

AXES = {"UP_DOWN": 0, "LEFT_RIGHT": 1}
OTHER = {"UP_DOWN": "LEFT_RIGHT", "LEFT_RIGHT": "UP_DOWN"}
BOUNDARIES = ("aiv_shard", "aic_gather")


@dataclass(frozen=True, slots=True)
class Split:
    """Where a split is written: the ``pl.SplitMode.X`` expression, its mode, and the region, scope or function."""

    kind: Literal["region", "scope", "function"]
    mode: str
    node: ast.expr
    owner: ast.stmt

    @property
    def axis(self) -> int | None:
        return AXES.get(self.mode)


def region_call(stmt: ast.AST) -> ast.Call | None:
    """``pl.split_aiv(...)`` of a lane region."""
    if isinstance(stmt, ast.For) and call_name(stmt.iter) == "split_aiv":
        assert isinstance(stmt.iter, ast.Call)
        return stmt.iter
    return None


def region_of(tree: SourceTree, node: ast.AST) -> ast.For | None:
    """The lane region around a node."""
    return next((n for n in tree.outwards(node) if isinstance(n, ast.For) and region_call(n)), None)


def region_split(region: ast.For) -> Split | None:
    call = region_call(region)
    given = keyword(call, "mode") if call is not None else None
    mode = _mode(given.value) if given is not None else None
    return Split("region", mode, given.value, region) if given is not None and mode is not None else None


def _mode(node: ast.expr) -> str | None:
    path = dotted(node)
    return path[-1] if path and len(path) > 1 and path[-2] == "SplitMode" else None


def split_of(tree: SourceTree, node: ast.AST) -> Split | None:
    """The innermost split around a node."""
    for outer in tree.outwards(node):
        found = None
        if isinstance(outer, ast.For) and region_call(outer):
            return region_split(outer)
        if isinstance(outer, ast.With):
            found = _scope_split(outer, outer.items[0].context_expr)
        elif isinstance(outer, ast.For):
            found = _scope_split(outer, outer.iter)
        elif isinstance(outer, ast.FunctionDef):
            found = _function_split(outer)
        if found is not None:
            return found
    return None


def _scope_split(owner: ast.stmt, call: ast.expr) -> Split | None:
    given = keyword(call, "optimizations") if isinstance(call, ast.Call) else None
    for entry in given.value.elts if given is not None and isinstance(given.value, ast.List) else ():
        if isinstance(entry, ast.Call) and call_name(entry) == "split":
            values = [*entry.args[:1], *(k.value for k in entry.keywords if k.arg == "mode")]
            mode = _mode(values[0]) if values else None
            if mode is not None:
                return Split("scope", mode, values[0], owner)
    return None


def _function_split(function: ast.FunctionDef) -> Split | None:
    for attrs in attribute_dicts(function):
        for key, value in zip(attrs.keys, attrs.values):
            mode = _mode(value) if string_literal(key) == "split" else None
            if mode is not None:
                return Split("function", mode, value, function)
    return None


def attribute_dicts(function: ast.FunctionDef) -> list[ast.Dict]:
    """The dictionaries of ``pl.func_attr({...})`` and of ``attrs=`` on the decorator."""
    found: list[ast.Dict] = []
    for stmt in function.body:
        value = stmt.value if isinstance(stmt, ast.Expr) else None
        if isinstance(value, ast.Call) and call_name(value) == "func_attr" and value.args:
            if isinstance(value.args[0], ast.Dict):
                found.append(value.args[0])
    for decorator in function.decorator_list:
        given = keyword(decorator, "attrs") if isinstance(decorator, ast.Call) else None
        if given is not None and isinstance(given.value, ast.Dict):
            found.append(given.value)
    return found


# --- another split, or none ------------------------------------------------------------------------------------------


def lane_unused(region: ast.For) -> bool:
    """Whether nothing in the region asks which lane it runs on."""
    calls = any(call_name(n) == "get_subblock_idx" for s in region.body for n in ast.walk(s))
    return not calls and binds(region.target).isdisjoint(reads(region.body))


def has_boundary(stmts: Iterable[ast.stmt]) -> bool:
    return any(call_name(n) in BOUNDARIES for s in stmts for n in ast.walk(s))


def unsplit(tree: SourceTree, node: ast.AST) -> Fix | None:
    """Every lane does the whole: always the same meaning, without the gain of the split."""
    split = split_of(tree, node)
    if split is None or split.mode == "NONE":
        return None
    if split.kind == "region":
        assert isinstance(split.owner, ast.For)
        if not lane_unused(split.owner):
            return None
        return set_mode(tree, split, "NONE", "Run this region on whole tiles (pl.SplitMode.NONE)")
    return drop_split(tree, split)


def other_axis(tree: SourceTree, node: ast.AST) -> Fix | None:
    """The same work shared out along the other axis, where the compiler does the sharing."""
    split = split_of(tree, node)
    if split is None or split.mode not in OTHER:
        return None
    if split.kind == "region":
        assert isinstance(split.owner, ast.For)
        if not lane_unused(split.owner) or has_boundary(split.owner.body):
            return None
    new = OTHER[split.mode]
    return set_mode(tree, split, new, f"Split along the other axis (pl.SplitMode.{new})")


def set_mode(tree: SourceTree, split: Split, mode: str, title: str, *, safe: bool = False) -> Fix | None:
    """Another mode at the place where the split is written."""
    text = tree.words(split.node)
    return Editor(tree).rewrite(split.node, text[: -len(split.mode)] + mode).fix(title, safe=safe)


def drop_split(tree: SourceTree, split: Split) -> Fix | None:
    """The split taken out of a scope's optimizations or a function's attributes."""
    editor = Editor(tree)
    holder = tree.around(split.node, ast.Dict) if split.kind == "function" else None
    if holder is not None:
        drop_attribute(editor, holder, "split")
        return editor.fix("Do not split this function")
    entry = tree.around(split.node, ast.Call)
    found = tree.parent(entry) if entry is not None else None
    if not isinstance(found, ast.List) or entry is None:
        return None
    if len(found.elts) > 1:
        editor.drop(entry, list(found.elts))
    else:
        given = tree.around(found, ast.keyword)
        call = tree.parent(given) if given is not None else None
        if given is None or not isinstance(call, ast.Call):
            return None
        editor.drop_argument(call, given)
    return editor.fix("Do not split this scope (drop pl.split)")


def drop_attribute(editor: Editor, attrs: ast.Dict, name: str) -> None:
    """One key out of an attribute dictionary; an empty one goes as a whole."""
    tree = editor.tree
    index = next(i for i, k in enumerate(attrs.keys) if string_literal(k) == name)
    if len(attrs.keys) == 1:
        call = tree.parent(attrs)
        stmt = tree.around(attrs, ast.Expr)
        if stmt is not None:
            editor.delete(stmt)
        elif isinstance(call, ast.keyword) and isinstance(outer := tree.parent(call), ast.Call):
            editor.drop_argument(outer, call)
        return
    key, value = attrs.keys[index], attrs.values[index]
    assert key is not None
    if index + 1 < len(attrs.keys):
        following = attrs.keys[index + 1]
        assert following is not None
        editor.replace(tree.start(key), tree.start(following), "")
    else:
        editor.replace(tree.end(attrs.values[index - 1]), tree.end(value), "")


# --- addresses of a lane ---------------------------------------------------------------------------------------------


def lane_name(editor: Editor, region: ast.For) -> str | None:
    """Name of the lane index; a region that throws it away gets one."""
    if not isinstance(region.target, ast.Name):
        return None
    name = region.target.id
    if name.startswith("_"):
        name = fresh(editor.tree, region, "lane")
        editor.rewrite(region.target, name)
    return name


@dataclass(frozen=True, slots=True)
class Window:
    """One axis of a read or write: the offset as written (empty for 0), the extent, and how to write another one."""

    offset: str
    extent: int
    bounds: ast.Slice | None
    offset_node: ast.expr | None = None
    extent_node: ast.expr | None = None


def window(tree: SourceTree, node: ast.AST, axis: int) -> Window | None:
    """The constant extent along ``axis`` of ``x[a:b, c:d]``, ``pl.load(x, [a, c], [m, n])`` or ``pl.slice(x, [m, n], [a, c])``."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        bounds = parts[axis] if axis < len(parts) else None
        return (
            _slice_window(tree, bounds, _declared(tree, node.value, axis))
            if isinstance(bounds, ast.Slice)
            else None
        )
    order = {"load": (1, 2), "slice": (2, 1)}.get(call_name(node))
    if order is None or not isinstance(node, ast.Call) or len(node.args) <= max(order):
        return None
    offsets, extents = node.args[order[0]], node.args[order[1]]
    if not isinstance(offsets, ast.List) or not isinstance(extents, ast.List):
        return None
    if axis >= min(len(offsets.elts), len(extents.elts)):
        return None
    extent = int_literal(extents.elts[axis])
    if extent is None:
        return None
    offset = offsets.elts[axis]
    text = "" if int_literal(offset) == 0 else tree.words(offset)
    return Window(text, extent, None, offset, extents.elts[axis])


def _declared(tree: SourceTree, node: ast.expr, axis: int) -> int | None:
    """Constant extent of a parameter that is declared ``pl.Tensor[[...], ...]``."""
    function = tree.function(node)
    if function is None or not isinstance(node, ast.Name):
        return None
    annotation = next((a.annotation for a in function.args.args if a.arg == node.id), None)
    while isinstance(annotation, ast.Subscript) and (dotted(annotation.value) or ("",))[-1] in (
        "Out",
        "InOut",
    ):
        annotation = annotation.slice
    parts = annotation.slice if isinstance(annotation, ast.Subscript) else None
    dims = parts.elts[0] if isinstance(parts, ast.Tuple) else None
    return int_literal(dims.elts[axis]) if isinstance(dims, ast.List) and axis < len(dims.elts) else None


def _slice_window(tree: SourceTree, bounds: ast.Slice, whole: int | None) -> Window | None:
    if bounds.step is not None:
        return None
    if bounds.upper is None:
        return Window("", whole, bounds) if bounds.lower is None and whole is not None else None
    low = int_literal(bounds.lower) if bounds.lower is not None else 0
    high = int_literal(bounds.upper)
    offset = "" if bounds.lower is None or low == 0 else tree.words(bounds.lower)
    if low is not None and high is not None:
        return Window(offset, high - low, bounds)
    upper = bounds.upper
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add) and bounds.lower is not None:
        extent = int_literal(upper.right)
        if extent is not None and ast.dump(upper.left) == ast.dump(bounds.lower):
            return Window(offset, extent, bounds)
    return None


def move_window(editor: Editor, found: Window, lane: str, extent: int) -> None:
    """``extent`` cells from the lane's share of the window on."""
    offset = found.offset
    start = f"{lane} * {extent}" if not offset else f"{offset} + {lane} * {extent}"
    if found.bounds is not None:
        tree, bounds = editor.tree, found.bounds
        if bounds.lower is None and bounds.upper is None:
            editor.rewrite(bounds, f"{start} : {start} + {extent}")
            return
        first = bounds.lower if bounds.lower is not None else bounds.upper
        assert first is not None and bounds.upper is not None
        editor.replace(tree.start(first), tree.end(bounds.upper), f"{start} : {start} + {extent}")
        if bounds.lower is None:  # the colon of `[:n]` stands in front of the upper bound
            colon = tree.text.rindex(":", 0, tree.start(first))
            editor.replace(colon, tree.start(first), "")
        return
    assert found.offset_node is not None and found.extent_node is not None
    editor.rewrite(found.offset_node, start)
    editor.rewrite(found.extent_node, str(extent))


def windows(tree: SourceTree, stmt: ast.stmt, axis: int, lane: str) -> list[Window]:
    """Reads and writes of a statement that both lanes make alike along ``axis`` and that can be shared out."""
    found = []
    for node in tree.nodes_of(stmt, ast.Subscript, ast.Call):
        place = window(tree, node, axis)
        if place is not None and place.extent > 1 and place.extent % 2 == 0 and lane not in reads(node):
            found.append(place)
    return found


def partners(region: ast.For, seeds: set[str]) -> list[ast.stmt]:
    """Statements of a region that compute with the ``seeds``: what reads them, and what makes their fellow operands."""
    known = set(seeds)
    chosen: list[ast.stmt] = []
    changed = True
    while changed:
        changed = False
        for stmt in region.body:
            if stmt in chosen:
                continue
            inner = {n.id for n in ast.walk(stmt) if isinstance(n, ast.Name)}
            made = binds(stmt)
            if not (known & reads(stmt)) and not (known & made):
                continue
            chosen.append(stmt)
            changed = True
            known |= made if bound_value(stmt) is not None else set()
            known |= {n for n in inner if any(n in binds(s) for s in region.body)}
    return [s for s in region.body if s in chosen]


def localise(editor: Editor, region: ast.For, stmts: Iterable[ast.stmt]) -> bool:
    """The lane's half of every constant window of ``stmts`` along the split axis; False when the region names no lane."""
    split = region_split(region)
    return split is not None and split.axis is not None and share(editor, region, split.axis, stmts)


def share(editor: Editor, region: ast.For, axis: int, stmts: Iterable[ast.stmt]) -> bool:
    """The same along a given axis."""
    lane = lane_name(editor, region)
    if lane is None:
        return False
    for stmt in stmts:
        for found in windows(editor.tree, stmt, axis, lane):
            move_window(editor, found, lane, found.extent // 2)
    return True
