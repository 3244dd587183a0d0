"""Repairs of what the split passes refuse (docs/spec/passes_split.md §16)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.aiv_split import NONE_REGION, reduction_fixes
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.functions import CORE_GROUP, make_plain
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.splits import (
    BOUNDARIES,
    Split,
    drop_split,
    lane_name,
    move_window,
    other_axis,
    partners,
    region_of,
    region_split,
    set_mode,
    split_of,
    unsplit,
    window,
    windows,
)
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
from pypto_core.frontend.syntax import int_literal
from pypto_core.ir import Span

Make = Callable[[Diagnostic, SourceTree], Iterator[Fix | None]]


def _unsplit(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    if stmt is not None:
        yield unsplit(tree, stmt)


def _other_axis(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    if stmt is not None:
        yield other_axis(tree, stmt)


def _either(*makers: Make) -> Make:
    """The repairs of several makers, in this order."""

    def make(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
        for maker in makers:
            yield from maker(finding, tree)

    return make


# --- operands at full width ------------------------------------------------------------------------------------------


def _slice_operand(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``x`` becomes ``x[0:64, 0:128]``: a slice inside the split is shared out between the lanes."""
    name, shape = str(finding.data.get("name", "")), finding.data.get("shape", ())
    stmt = tree.statement(finding.span)
    if stmt is None or not name.isidentifier() or not shape or not all(str(e).isdigit() for e in shape):
        return
    split = split_of(tree, stmt)
    if split is None or split.axis is None or split.axis >= len(shape) or str(shape[split.axis]) == "1":
        return
    editor, new = Editor(tree), f"{name}[{', '.join(f'0:{e}' for e in shape)}]"
    function = tree.function(stmt)
    if function is not None and split.kind == "function":
        part = fresh(tree, stmt, f"{name}_part")
        editor.before(stmt, f"{part} = {new}")
        new = part
    for call in tree.calls(finding.span):
        for argument in (*call.args, *(k.value for k in call.keywords)):
            if isinstance(argument, ast.Name) and argument.id == name:
                editor.rewrite(argument, new)
    yield editor.fix(f"Slice '{name}' inside the split, so that each lane reads its half")


def _hoist(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The statement goes in front of the split scope, into a scope of its own."""
    stmt = tree.statement(finding.span)
    split = split_of(tree, stmt) if stmt is not None else None
    if stmt is None or split is None or split.kind != "scope" or not tree.owns_lines([stmt]):
        return
    body: list[ast.stmt] = split.owner.body  # type: ignore[attr-defined]
    if stmt not in body or binds(body[: body.index(stmt)]) & reads(stmt) or len(body) == 1:
        return
    editor, indent, unit = Editor(tree), tree.indent(split.owner), tree.unit(stmt)
    text = f"{indent}{CORE_GROUP}{tree.newline}" + editor.moved(stmt, stmt, indent + unit)
    editor.insert(tree.lines(split.owner, split.owner)[0], text).delete(stmt)
    yield editor.fix("Make it before the split, in a scope of its own")


def _implied_shape(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.reinterpret_view(x, dtype, shape=[...])`` without the shape."""
    for call in tree.calls(finding.span):
        if call_name(call) == "reinterpret_view":
            given = keyword(call, "shape") or (call.args[2] if len(call.args) > 2 else None)
            if given is not None:
                yield Editor(tree).drop_argument(call, given).fix("Delete the explicit shape")
            return


def _keep_axis(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The split axis stays: out of ``drop_dims``, or ``i:i + 1`` for a single index."""
    dim = int(finding.data["dim"])
    for call in tree.calls(finding.span):
        given = keyword(call, "drop_dims")
        if given is None or not isinstance(given.value, ast.List):
            continue
        entry = next((e for e in given.value.elts if int_literal(e) == dim), None)
        if entry is not None:
            editor = Editor(tree)
            if len(given.value.elts) == 1:
                editor.drop_argument(call, given)
            else:
                editor.drop(entry, list(given.value.elts))
            yield editor.fix(f"Keep dim {dim} (out of drop_dims)")
        return
    place = tree.at(finding.span, ast.Subscript)
    if place is not None and isinstance(place.slice, ast.Tuple) and dim < len(place.slice.elts):
        index = place.slice.elts[dim]
        if not isinstance(index, ast.Slice):
            text = tree.words(index)
            value = int_literal(index)
            end = str(value + 1) if value is not None else f"{text} + 1"
            yield (
                Editor(tree)
                .rewrite(index, f"{text} : {end}" if value is None else f"{text}:{end}")
                .fix(f"Keep dim {dim} as an axis of one")
            )


# --- region bodies ---------------------------------------------------------------------------------------------------


def _region_full(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Full-width work in a region: read at the lane index, or do it in a region of its own."""
    spans = [s for s in finding.data.get("calls", (finding.span,)) if isinstance(s, Span)]
    stmts = [s for span in spans if (s := tree.statement(span)) is not None]
    region = region_of(tree, stmts[0]) if stmts else None
    if region is None or "calls" not in finding.data or not tree.owns_lines(region.body):
        yield from _unsplit(finding, tree)
        return
    yield _read_at_lane(tree, region, stmts, finding.data.get("extents", ()))
    yield _own_region(tree, region, stmts)
    yield unsplit(tree, stmts[0])


def _read_at_lane(
    tree: SourceTree, region: ast.For, stmts: list[ast.stmt], extents: Iterable[tuple[int | None, ...]]
) -> Fix | None:
    split = region_split(region)
    if split is None or split.axis is None:
        return None
    editor = Editor(tree)
    lane = lane_name(editor, region)
    if lane is None:
        return None
    chosen: dict[int, tuple[ast.stmt, int]] = {}
    halved: set[str] = set()
    for stmt, whole in zip(stmts, extents):
        value = bound_value(stmt)
        found = window(tree, value, split.axis) if value is not None else None
        if found is None or value is None or lane in reads(value):
            continue
        room = whole[split.axis] if split.axis < len(whole) else None
        low = int(found.offset) if found.offset.isdigit() else 0 if not found.offset else None
        fits = room is not None and low is not None and low + 2 * found.extent <= room
        if not fits and found.extent % 2:
            return None
        chosen[id(stmt)] = (stmt, found.extent if fits else found.extent // 2)
        if not fits:
            halved |= binds(stmt)
    if not chosen:
        return None
    for stmt, extent in chosen.values():
        value = bound_value(stmt)
        assert value is not None
        found = window(tree, value, split.axis)
        assert found is not None
        move_window(editor, found, lane, extent)
    for stmt in partners(region, halved) if halved else ():
        if id(stmt) not in chosen:
            for found in windows(tree, stmt, split.axis, lane):
                move_window(editor, found, lane, found.extent // 2)
    return editor.fix(f"Read at the lane index ('{lane}')")


def _own_region(tree: SourceTree, region: ast.For, stmts: list[ast.stmt]) -> Fix | None:
    """What both lanes would do alike goes in front, into a region that says so."""
    body, lanes = region.body, binds(region.target)
    members = [m for s in stmts if (m := tree.member(s, body)) is not None]
    moved: set[int] = {id(m) for m in members}
    wanted = reads(members)
    for earlier in reversed(body):
        if binds(earlier) & wanted and bound_value(earlier) is not None:
            moved.add(id(earlier))
            wanted |= reads(earlier)
    run = [s for s in body if id(s) in moved]
    rest = [s for s in body if id(s) not in moved]
    inside = binds([s for s in rest if bound_value(s) is not None])
    if (
        not rest
        or reads(run) & (lanes | inside)
        or any(call_name(n) in BOUNDARIES for s in run for n in ast.walk(s))
    ):
        return None
    editor, indent, unit = Editor(tree), tree.indent(region), tree.unit(body[0])
    text = f"{indent}{NONE_REGION}{tree.newline}" + "".join(editor.moved(s, s, indent + unit) for s in run)
    editor.insert(tree.lines(region, region)[0], text)
    for stmt in run:
        editor.delete(stmt)
    return editor.fix("Do it on whole tiles in a region of its own (pl.SplitMode.NONE)")


def _scope_free(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The scope around (or inside) a region goes, or the function becomes an ordinary one."""
    stmt = tree.statement(finding.span)
    if stmt is None:
        return
    scope = next((n for n in tree.outwards(stmt) if isinstance(n, ast.With)), None)
    if scope is not None and tree.owns_lines(scope.body):
        yield Editor(tree).unwrap(scope).fix("Drop the scope")
    yield from _ordinary(finding, tree)


def _ordinary(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    if stmt is not None:
        editor = Editor(tree)
        make_plain(editor, stmt)
        yield editor.fix("Declare an ordinary function (drop type=pl.FunctionType.InCore)")


def _drop_scope_split(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.split`` of the scope goes: the regions inside say how the work is shared."""
    stmt = tree.statement(finding.span)
    for outer in tree.outwards(stmt) if stmt is not None else ():
        split = split_of(tree, outer) if isinstance(outer, ast.With | ast.FunctionDef) else None
        if split is not None and split.kind != "region":
            yield drop_split(tree, split)
            return


# --- values of a crossing --------------------------------------------------------------------------------------------


def _bind_yield(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``pl.yield_(pl.add(a, b))`` becomes a named value first."""
    loop = tree.statement(finding.span)
    if not isinstance(loop, ast.For | ast.While):
        return
    for stmt in reversed(loop.body):
        for call in tree.nodes_of(stmt, ast.Call):
            if call_name(call) != "yield_" or tree.around(call, ast.For, ast.While) is not loop:
                continue
            name = str(finding.data["name"])
            slot = _slot(loop, name)
            inline = [
                a
                for i, a in enumerate(call.args)
                if not isinstance(a, ast.Name | ast.Subscript) and slot in (i, None)
            ]
            if not inline or not tree.owns_lines([stmt]):
                return
            editor = Editor(tree)
            for value in inline:
                made = fresh(tree, loop, f"{name}_next")
                editor.before(stmt, f"{made} = {tree.words(value)}").rewrite(value, made)
            yield editor.fix("Bind the yielded value to a name first", safe=True)
            return


def _slot(loop: ast.For | ast.While, name: str) -> int | None:
    """Position of a carried value in the target of a loop."""
    target = loop.target if isinstance(loop, ast.For) else None
    if isinstance(target, ast.Tuple) and target.elts and isinstance(target.elts[-1], ast.Tuple):
        target = target.elts[-1]
    for i, element in enumerate(target.elts if isinstance(target, ast.Tuple) else ()):
        if isinstance(element, ast.Name) and element.id == name:
            return i
    return None


def _fill_before_gather(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    for call in tree.calls(finding.span):
        if call_name(call) == "aic_gather" and call.args:
            pad = "pad_value=pl.PadValue.zero"
            yield (
                Editor(tree)
                .surround(call.args[0], "pl.fillpad(", f", {pad})")
                .fix("Fill the lane's tile before the gather (pl.fillpad)")
            )
            return


def _compute_first(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """One element-wise operator between the crossing and its store or fill carries the lane's extent."""
    stmt = tree.statement(finding.span)
    region = region_of(tree, stmt) if stmt is not None else None
    if stmt is None or region is None:
        return
    value: ast.expr | None
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
        value = stmt.value
    else:
        value = next((c.args[0] for c in tree.calls(finding.span) if c.args and pl_path(c)), None)
    if isinstance(value, ast.Call) and call_name(value) in ("fillpad", "store"):
        value = value.args[0] if value.args else None
    if value is not None:
        yield (
            Editor(tree)
            .surround(value, "pl.mul(", ", 1.0)")
            .fix("Compute with the lane's share first (pl.mul(x, 1.0))")
        )


def _ragged_columns(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """Narrowed columns: share out the rows instead, or widen the columns to the box."""
    stmt = tree.statement(finding.span) or tree.at(finding.span, ast.FunctionDef)
    valid = [str(e) for e in finding.data.get("valid", ())]
    shape = [str(e) for e in finding.data.get("shape", ())]
    if stmt is None:
        return
    if isinstance(stmt, ast.FunctionDef):
        split = next((s for n in ast.walk(stmt) if (s := split_of(tree, n)) is not None), None)
    else:
        split = split_of(tree, stmt)
    rows_whole = len(valid) == 2 and valid[0] == shape[0] and valid[1].isdigit()
    if split is not None and split.mode == "LEFT_RIGHT" and rows_whole:
        yield _share_rows(tree, split)
    if len(valid) != 2:
        return
    for span in (finding.span, *(r.span for r in finding.related)):
        for call in _crossings(tree, span):
            yield _widened(tree, call.args[0], valid[0], shape[1])
            return


def _crossings(tree: SourceTree, span: Span) -> list[ast.Call]:
    """Calls at a span, or around it, that bring a value to the vector side."""
    node = tree.at(span, ast.expr)
    around = [n for n in tree.outwards(node) if isinstance(n, ast.Call)] if node is not None else []
    return [c for c in (*around, *tree.calls(span)) if call_name(c) in ("aiv_shard", "move") and c.args]


def _share_rows(tree: SourceTree, split: Split) -> Fix | None:
    if split.kind == "region":
        assert isinstance(split.owner, ast.For)
        region = split.owner
        lanes = binds(region.target)
        addressed = [n for n in tree.nodes_of(region.body, ast.Subscript) if reads(n.slice) & lanes]
        if addressed:
            return _turned(tree, split, addressed)
    return set_mode(tree, split, "UP_DOWN", "Share out the rows instead (pl.SplitMode.UP_DOWN)")


def _turned(tree: SourceTree, split: Split, addressed: list[ast.Subscript]) -> Fix | None:
    """Windows at the lane's columns become windows at its rows."""
    editor = Editor(tree)
    region = split.owner
    assert isinstance(region, ast.For) and isinstance(region.target, ast.Name)
    lane = region.target.id
    for node in addressed:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        rows = window(tree, node, 0)
        columns = window(tree, node, 1)
        if len(parts) != 2 or rows is None or columns is None or rows.extent % 2 or lane in reads(parts[0]):
            return None
        if columns.offset != f"{lane} * {columns.extent}":
            return None
        move_window(editor, rows, lane, rows.extent // 2)
        editor.rewrite(parts[1], f"0:{2 * columns.extent}")
    editor.rewrite(split.node, tree.words(split.node)[: -len(split.mode)] + "UP_DOWN")
    return editor.fix("Share out the rows instead (pl.SplitMode.UP_DOWN)")


def _widened(tree: SourceTree, operand: ast.expr, rows: str, columns: str) -> Fix | None:
    """The crossing takes a value with full columns, made on the cube side."""
    stmt = tree.around(operand, ast.stmt)
    if stmt is None or not isinstance(operand, ast.Name):
        return None
    wide = fresh(tree, stmt, f"{operand.id}_wide")
    place: ast.stmt = region_of(tree, stmt) or stmt
    editor = Editor(tree).before(place, f"{wide} = pl.set_validshape({operand.id}, {rows}, {columns})")
    return editor.rewrite(operand, wide).fix(
        f"Widen the valid columns to the whole box (pl.set_validshape({operand.id}, {rows}, {columns}))"
    )


FIXERS: Final[dict[str, Fixer]] = {
    "split-reduce-axis": on_tree(reduction_fixes),
    "split-generator": on_tree(_either(_hoist, _unsplit)),
    "split-reshape": on_tree(_unsplit),
    "split-reshape-rebalanced": on_tree(_unsplit),
    "split-dynamic-view": on_tree(_either(_implied_shape, _unsplit)),
    "split-dropped-axis": on_tree(_either(_other_axis, _keep_axis, _unsplit)),
    "split-full-width-operand": on_tree(_either(_slice_operand, _unsplit)),
    "split-axis-map": on_tree(_unsplit),
    "split-absolute-index": on_tree(_unsplit),
    "split-tuple-refused": on_tree(_either(_other_axis, _unsplit)),
    "split-tuple-stationary": on_tree(_either(_other_axis, _unsplit)),
    "split-gather-full-width": on_tree(_either(_slice_operand, _unsplit)),
    "split-gather-axis": on_tree(_unsplit),
    "split-carry-mismatch": on_tree(_unsplit),
    "split-yield-inline": on_tree(_bind_yield),
    "split-merge-mismatch": on_tree(_unsplit),
    "split-scope-in-body": on_tree(_ordinary),
    "split-region-full-width": on_tree(_region_full),
    "split-region-carry": on_tree(_unsplit),
    "split-transpose": on_tree(_unsplit),
    "split-region-scope": on_tree(_scope_free),
    "split-region-conflict": on_tree(_drop_scope_split),
    "split-gather-hole": on_tree(_fill_before_gather),
    "split-reshape-valid": on_tree(_unsplit),
    "split-shard-carried": on_tree(_unsplit),
    "split-deferred-extent": on_tree(_compute_first),
    "split-ragged-columns": on_tree(_ragged_columns),
    "split-unplaceable": on_tree(_unsplit),
}
