"""Repairs of crossings between the cube and the lanes: checks (c), (d), (f), (g), (i), (j) and (k) of AivSplitValid
(docs/spec/verifiers.md §4)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor, arguments
from pypto_core.fixes.functions import make_plain
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.phases import is_cube
from pypto_core.fixes.splits import (
    AXES,
    has_boundary,
    lane_name,
    lane_unused,
    localise,
    partners,
    region_call,
    region_of,
    region_split,
    share,
    split_of,
    window,
)
from pypto_core.fixes.tree import (
    SourceTree,
    binds,
    bound_value,
    call_name,
    fresh,
    keyword,
    names_in,
    on_tree,
    pl_path,
    reads,
)
from pypto_core.frontend.syntax import int_literal
from pypto_core.ir import Span

_MODES = ("NONE", "UP_DOWN", "LEFT_RIGHT")


def crossing_name(tree: SourceTree, near: ast.AST, name: str, mode: str, suffix: str) -> str:
    """Name of a crossing's result: the same where the shape and memory stay what they are."""
    function = tree.function(near)
    tiles = function is not None and any(
        pl_path(c).startswith("pl.tile.") or call_name(c) == "load" for c in tree.nodes_of(function, ast.Call)
    )
    return name if mode == "NONE" and not tiles else fresh(tree, near, f"{name}_{suffix}")


def cross_in(editor: Editor, region: ast.For, name: str, stmts: list[ast.stmt]) -> bool:
    """``name`` crosses to the vector side as the first thing that ``stmts`` of the region do."""
    tree, split = editor.tree, region_split(region)
    if split is None or not stmts:
        return False
    crossed = crossing_name(tree, region, name, split.mode, "half" if split.mode in AXES else "vec")
    editor.before(stmts[0], f"{crossed} = pl.aiv_shard({name})")
    if crossed != name:
        editor.rename_reads(stmts, name, crossed)
    if split.mode in AXES:
        localise(editor, region, [s for s in partners(region, {name}) if s in stmts])
    return True


def _boundary_outside(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    yield from boundary_into_region(tree, finding.span, finding.data.get("extents", ()))


def boundary_into_region(
    tree: SourceTree, span: Span, extents: tuple[int | None, ...] = ()
) -> Iterator[Fix | None]:
    """A crossing outside every region goes into the region next to it, or gets a region with what depends on it."""
    call = next((c for c in tree.calls(span) if call_name(c) in ("aiv_shard", "aic_gather")), None)
    stmt = tree.around(call, ast.stmt) if call is not None else None
    if call is None or stmt is None or not tree.owns_lines(tree.block(stmt)):
        return
    given = keyword(call, "split")
    code = int_literal(given.value) if given is not None else None
    mode = _MODES[code] if code is not None and 0 <= code < 3 else None
    shard = call_name(call) == "aiv_shard"
    block = tree.block(stmt)
    neighbours = block[block.index(stmt) + 1 :] if shard else list(reversed(block[: block.index(stmt)]))
    for near in neighbours:
        split = region_split(near) if isinstance(near, ast.For) else None
        if split is None:
            continue
        assert isinstance(near, ast.For)
        uses = reads(near.body) & binds(stmt) if shard else binds(near.body) & reads(stmt)
        if uses and mode in (None, split.mode) and tree.owns_lines(near.body):
            editor = Editor(tree)
            target = near.body[0] if shard else near.body[-1]
            line = _without_split(tree, stmt, call)
            (editor.before if shard else editor.after)(target, line)
            yield editor.delete(stmt).fix("Move the crossing into its region")
        break
    yield _region_around(tree, stmt, call, mode or "UP_DOWN", shard, extents)


def _without_split(tree: SourceTree, stmt: ast.stmt, call: ast.Call) -> str:
    """The statement on one line, the crossing taking its mode from the region."""
    text = tree.words(stmt)
    given = keyword(call, "split")
    if given is not None:
        parts = [tree.words(a) for a in arguments(call) if a is not given]
        old = tree.words(call)
        text = text.replace(old, f"{tree.words(call.func)}({', '.join(parts)})", 1)
    return text


def _region_around(
    tree: SourceTree,
    stmt: ast.stmt,
    call: ast.Call,
    mode: str,
    shard: bool,
    extents: tuple[int | None, ...],
) -> Fix | None:
    block = tree.block(stmt)
    at = block.index(stmt)
    first = last = at
    if shard:
        derived = set(binds(stmt))
        for i in range(at + 1, len(block)):
            if isinstance(block[i], ast.Return) or is_cube(block[i]):
                break
            if derived & reads(block[i]):
                derived |= binds(block[i])
                last = i
    else:
        wanted = set(reads(stmt))
        for i in range(at - 1, -1, -1):
            if is_cube(block[i]) or not binds(block[i]) & wanted:
                break
            wanted |= reads(block[i])
            first = i
    if any(region_call(n) for s in block[first : last + 1] for n in ast.walk(s)):
        return None
    editor = Editor(tree)
    make_plain(editor, stmt)
    lane = fresh(tree, stmt, "lane")
    editor.wrap(block[first], block[last], f"for {lane} in pl.split_aiv(2, mode=pl.SplitMode.{mode}):")
    given = keyword(call, "split")
    if given is not None:
        editor.drop_argument(call, given)
    axis = AXES.get(mode)
    half = extents[axis] if axis is not None and axis < len(extents) else None
    if shard and axis is not None and half is not None:
        _share_stores(editor, block[at + 1 : last + 1], lane, axis, half)
    return editor.fix(f"Wrap the crossing in a pl.split_aiv region (pl.SplitMode.{mode})")


def _share_stores(editor: Editor, stmts: list[ast.stmt], lane: str, axis: int, half: int) -> None:
    """The lane's own rows or columns in the offsets of ``pl.store(tile, [r, c], out)``."""
    for call in editor.tree.nodes_of(stmts, ast.Call):
        if call_name(call) == "store" and len(call.args) > 1 and isinstance(call.args[1], ast.List):
            offsets = call.args[1].elts
            if axis < len(offsets):
                base = "" if int_literal(offsets[axis]) == 0 else f"{editor.tree.words(offsets[axis])} + "
                editor.rewrite(offsets[axis], f"{base}{lane} * {half}")


def _boundary_memory(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    wrong = {"aiv_shard": ("Vec",), "aic_gather": ("Acc", "Mat")}
    for call in tree.calls(finding.span):
        name = call_name(call)
        if name not in wrong or len(call.args) != 1 or "name" not in finding.data:
            continue
        if finding.data.get("space") not in wrong[name]:
            return
        yield _read_lane_share(tree, call)
        if _is_read_as_tile(tree, call):
            return
        side = "vector" if name == "aiv_shard" else "cube"
        yield (
            Editor(tree)
            .rewrite(call, tree.words(call.args[0]))
            .fix(f"Delete pl.{name}: the value is on the {side} side already")
        )
        return


def _is_read_as_tile(tree: SourceTree, crossing: ast.Call) -> bool:
    """Whether the crossing makes a tile of a tensor parameter for operators that take tiles only: without it there would be none."""
    function, stmt, operand = tree.function(crossing), tree.around(crossing, ast.stmt), crossing.args[0]
    if function is None or stmt is None or not isinstance(operand, ast.Name):
        return False
    if operand.id not in {a.arg for a in function.args.args}:
        return False
    made = binds(stmt)
    return any(
        pl_path(call).startswith("pl.tile.") and (reads(call.args) & made or crossing in ast.walk(call))
        for call in tree.nodes_of(function, ast.Call)
        if call is not crossing
    )


def _read_lane_share(tree: SourceTree, call: ast.Call) -> Fix | None:
    """Instead of sharing out a value that the vector side read whole, each lane reads its share."""
    region = region_of(tree, call)
    operand = call.args[0]
    split = region_split(region) if region is not None else None
    if call_name(call) != "aiv_shard" or region is None or split is None or split.axis is None:
        return None
    editor = Editor(tree)
    source: ast.expr | None = operand
    if isinstance(operand, ast.Name):
        stmt = next((s for s in region.body if bound_value(s) is not None and operand.id in binds(s)), None)
        source = bound_value(stmt) if stmt is not None else None
    lane = lane_name(editor, region)
    found = window(tree, source, split.axis) if source is not None else None
    if found is None or lane is None or source is None or found.extent % 2 or lane in reads(source):
        return None
    if source is operand:
        return None
    localise(editor, region, [s for s in region.body if bound_value(s) is source])
    editor.rewrite(call, tree.words(operand))
    return editor.fix(f"Let each lane read its own half (index {lane})")


def _region_at(tree: SourceTree, span: object) -> ast.For | None:
    """The region whose header a span of ``data`` marks."""
    stmt = tree.statement(span) if isinstance(span, Span) else None
    return region_of(tree, stmt) if stmt is not None else None


def _unnamed_gather(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    region = _region_at(tree, finding.data.get("region"))
    stmt = tree.statement(finding.span)
    name = str(finding.data["name"])
    split = region_split(region) if region is not None else None
    if region is None or stmt is None or split is None or name not in binds(region.body):
        return
    if not tree.owns_lines(region.body):
        return
    editor = Editor(tree)
    whole = split.mode == "NONE"
    if not whole and not has_boundary(region.body):
        if not lane_unused(region):
            return
        editor.rewrite(split.node, tree.words(split.node)[: -len(split.mode)] + "NONE")
        whole = True
    crossed = crossing_name(tree, region, name, "NONE" if whole else split.mode, "full")
    editor.after(region.body[-1], f"{crossed} = pl.aic_gather({name})")
    if crossed != name:
        block = tree.block(region)
        editor.rename_reads(block[block.index(region) + 1 :], name, crossed)
    yield editor.fix(f"Gather '{name}' at the end of its region (pl.aic_gather)", safe=split.mode == "NONE")


def _unnamed_shard(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    region = region_of(tree, stmt) if stmt is not None else None
    name = str(finding.data["name"])
    split = region_split(region) if region is not None else None
    if region is None or split is None or stmt is None or not tree.owns_lines(region.body):
        return
    yield from shard_fixes(tree, region, stmt, name)


def shard_fixes(tree: SourceTree, region: ast.For, stmt: ast.stmt, name: str) -> Iterator[Fix | None]:
    """Read the cube value ``name`` through ``pl.aiv_shard``: one that is there already, one in front, or a whole one."""
    split = region_split(region)
    member = tree.member(stmt, region.body)
    if split is None or member is None:
        return
    for earlier in region.body[: region.body.index(member)]:
        value = bound_value(earlier)
        if isinstance(value, ast.Call) and call_name(value) == "aiv_shard" and reads(value.args) == {name}:
            crossed = next(iter(binds(earlier)))
            yield Editor(tree).rename_reads([stmt], name, crossed).fix(f"Read the lane's share '{crossed}'")
            return
    editor = Editor(tree)
    if cross_in(editor, region, name, region.body):
        yield editor.fix(f"Read '{name}' as pl.aiv_shard({name})", safe=split.mode == "NONE")
    if split.mode != "NONE" and lane_unused(region) and not has_boundary(region.body):
        whole = Editor(tree)
        whole.rewrite(split.node, tree.words(split.node)[: -len(split.mode)] + "NONE")
        crossed = crossing_name(tree, region, name, "NONE", "vec")
        whole.before(region.body[0], f"{crossed} = pl.aiv_shard({name})")
        if crossed != name:
            whole.rename_reads(region.body, name, crossed)
        yield whole.fix(f"Read '{name}' whole on both lanes (pl.SplitMode.NONE)")


def _loop_carried(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The crossing before the loop and the one inside are the same: one inside, in front of its reader, is enough."""
    loop = tree.statement(finding.data["loop"])
    name = str(finding.data["name"])
    if not isinstance(loop, ast.For | ast.While):
        return
    function = tree.function(loop)
    if function is None:
        return
    crossings = [s for s in tree.nodes_of(function, ast.Assign) if name in binds(s.targets)]
    inside = [s for s in crossings if loop in tree.outwards(s)]
    outside = [s for s in crossings if s not in inside]
    same = {ast.dump(s.value) for s in crossings}
    if len(inside) != 1 or len(outside) != 1 or len(same) != 1 or not _is_crossing(inside[0].value):
        return
    if reads(inside[0].value) & binds(loop):
        return
    home = tree.block(inside[0])
    uses = [n for n in tree.nodes_of(function, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    members = [tree.member(use, home) for use in uses]
    if not uses or any(m is None for m in members):
        return
    first = min((m for m in members if m is not None), key=home.index)
    editor = Editor(tree)
    if home.index(first) < home.index(inside[0]):
        editor.move_before(inside[0], first)
    region = region_of(tree, outside[0])
    if region is not None and region.body == [outside[0]]:
        editor.delete(region)
    else:
        editor.delete(outside[0])
    yield editor.fix(f"Cross inside the loop, in front of the reader of '{name}'")


def _is_crossing(value: ast.AST) -> bool:
    return call_name(value) in ("aiv_shard", "aic_gather")


def _other_region(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    crossing = tree.statement(finding.data["crossing"])
    region = region_of(tree, stmt) if stmt is not None else None
    name = str(finding.data["name"])
    if stmt is None or crossing is None or region is None or not tree.owns_lines([*region.body, crossing]):
        return
    value = bound_value(crossing)
    if not isinstance(value, ast.Call) or call_name(value) != "aiv_shard" or tree.function(crossing) is None:
        return
    home = region_of(tree, crossing)
    inner = binds(home.body) | binds(home.target) if home is not None else set()
    if reads(value) & inner:
        return
    editor = Editor(tree)
    function = tree.function(stmt)
    assert function is not None
    uses = [n for n in tree.nodes_of(function, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    if all(region in tree.outwards(n) for n in uses):
        text = editor.moved(crossing, crossing, tree.indent(region.body[0]))
        editor.insert(tree.lines(region.body[0], region.body[0])[0], text)
        if home is not None and home.body == [crossing]:
            editor.delete(home)
        else:
            editor.delete(crossing)
        yield editor.fix(f"Move the crossing of '{name}' into this region")
        return
    again = fresh(tree, stmt, f"{name}_2" if name not in names_in(region) else f"{name}_here")
    editor.before(region.body[0], f"{again} = {tree.words(value)}")
    editor.rename_reads(region.body, name, again)
    yield editor.fix(f"Cross again in this region ('{again}')")


def _mixed_modes(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """One of the two regions takes the mode of the other."""
    for span, other in (
        (finding.span, finding.data["other_mode"]),
        (finding.data["earlier"], finding.data["mode"]),
    ):
        stmt = tree.statement(span)
        split = split_of(tree, stmt) if stmt is not None else None
        if split is None or split.kind != "region":
            continue
        mode = str(other).rpartition(".")[2]
        assert isinstance(split.owner, ast.For)
        if mode == "NONE" and not lane_unused(split.owner):
            continue
        which = "this" if span is finding.span else "the earlier"
        editor = Editor(tree).rewrite(split.node, tree.words(split.node)[: -len(split.mode)] + mode)
        if split.mode == "NONE" and lane_unused(split.owner):
            share(editor, split.owner, AXES[mode], split.owner.body)
        yield editor.fix(f"Give {which} region pl.SplitMode.{mode}")


FIXERS: Final[dict[str, Fixer]] = {
    "aiv-boundary-outside-region": on_tree(_boundary_outside),
    "aiv-boundary-memory": on_tree(_boundary_memory),
    "aiv-unnamed-gather": on_tree(_unnamed_gather),
    "aiv-unnamed-shard": on_tree(_unnamed_shard),
    "aiv-boundary-loop-carried": on_tree(_loop_carried),
    "aiv-boundary-other-region": on_tree(_other_region),
    "aiv-mixed-boundary-modes": on_tree(_mixed_modes),
}
