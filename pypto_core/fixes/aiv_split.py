"""Repairs of lane regions: checks (a), (b), (e) and (h) of AivSplitValid (docs/spec/verifiers.md §4)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.crossings import cross_in, crossing_name
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.functions import make_plain
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.phases import is_cube, is_vector, phase, stores_of
from pypto_core.fixes.splits import (
    has_boundary,
    other_axis,
    region_of,
    region_split,
    unsplit,
)
from pypto_core.fixes.tree import (
    SourceTree,
    binds,
    bound_value,
    call_name,
    fresh,
    on_tree,
    pl_path,
    reads,
)
from pypto_core.ops.dsl import find_callable

NONE_REGION: Final = "for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):"


# --- (a) -------------------------------------------------------------------------------------------------------------


def _cube_in_region(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    region = region_of(tree, stmt) if stmt is not None else None
    if stmt is None or region is None or stmt not in region.body or not tree.owns_lines(region.body):
        return
    body = region.body
    moved = _cube_chain(region, stmt)
    if moved is not None:
        yield _move_above(tree, region, moved)
        return
    later = body[body.index(stmt) + 1 :]
    if binds(stmt).isdisjoint(reads(later)) and binds(region.target).isdisjoint(reads(stmt)):
        yield _move_below(tree, region, stmt)
    elif binds(region.target).isdisjoint(reads(stmt)):
        yield _split_around(tree, region, stmt)


def _cube_chain(region: ast.For, stmt: ast.stmt) -> list[ast.stmt] | None:
    """``stmt``, the cube work in the region that it needs, and the plain stores of the results; None when it needs vector
    work or the lane index."""
    body, lanes = region.body, binds(region.target)
    chain = {stmt}
    wanted = reads(stmt)
    for earlier in reversed(body[: body.index(stmt)]):
        if binds(earlier) & wanted:
            if not is_cube(earlier) and not (stores_of(earlier) & binds(body)):
                return None
            chain.add(earlier)
            wanted |= reads(earlier)
    made = {name for s in chain for name in binds(s)}
    for later in body:
        if (
            later not in chain
            and stores_of(later) & made
            and not reads(later) & (binds(body) - made - binds(later))
        ):
            chain.add(later)
    if any(reads(s) & lanes for s in chain):
        return None
    return [s for s in body if s in chain]


def _move_above(tree: SourceTree, region: ast.For, moved: list[ast.stmt]) -> Fix | None:
    editor, indent = Editor(tree), tree.indent(region)
    above = tree.lines(region, region)[0]
    rest = [s for s in region.body if s not in moved]
    text = "".join(editor.moved(s, s, indent) for s in moved)
    if not rest:
        start, end = tree.lines(region, region, comments=False)
        return editor.replace(start, end, text).fix("Move the cube work out of the region")
    editor.insert(above, text)
    for stmt in moved:
        editor.delete(stmt)
    for name in sorted({n for s in moved for n in binds(s)} & reads(rest)):
        cross_in(editor, region, name, rest)
    return editor.fix("Move the cube work above the region")


def _move_below(tree: SourceTree, region: ast.For, stmt: ast.stmt) -> Fix | None:
    editor = Editor(tree)
    made = binds([s for s in region.body if s is not stmt])
    split = region_split(region)
    if split is None or (split.mode != "NONE" and made & reads(stmt) and not has_boundary(region.body)):
        return None
    text = editor.moved(stmt, stmt, tree.indent(region))
    end = tree.lines(region, region)[1]
    gathered = binds([s for s in region.body if call_name(bound_value(s)) == "aic_gather"])
    for name in sorted((made & reads(stmt)) - binds(stmt) - gathered):
        crossed = crossing_name(tree, region, name, split.mode, "full")
        last = next(s for s in reversed(region.body) if s is not stmt)
        editor.after(last, f"{crossed} = pl.aic_gather({name})")
        text = _renamed(text, name, crossed)
    return editor.insert(end, text).delete(stmt).fix("Move the cube work below the region")


def _split_around(tree: SourceTree, region: ast.For, stmt: ast.stmt) -> Fix | None:
    """Close the region before ``stmt`` and open it again behind: what it reads is gathered, what it makes is shared out again."""
    split, body = region_split(region), region.body
    before, behind = body[: body.index(stmt)], body[body.index(stmt) + 1 :]
    if split is None or not before or not behind or bound_value(stmt) is None:
        return None
    crossings = binds([s for s in before if call_name(bound_value(s)) == "aiv_shard"])
    if split.mode != "NONE" and (not has_boundary(body) or crossings & reads(behind)):
        return None
    editor, made = Editor(tree), binds(before)
    inner, outer = tree.indent(stmt), tree.indent(region)
    start, end = tree.lines(stmt, stmt)
    text = editor.moved(stmt, stmt, outer)
    gathered = binds([s for s in before if call_name(bound_value(s)) == "aic_gather"])
    for name in sorted((made & reads(stmt)) - gathered):
        still = name in reads(behind)
        crossed = (
            fresh(tree, region, f"{name}_full")
            if still
            else crossing_name(tree, region, name, split.mode, "full")
        )
        text = f"{inner}{crossed} = pl.aic_gather({name}){tree.newline}{_renamed(text, name, crossed)}"
    header = tree.text[tree.start(region) : tree.end(region.iter)]
    editor.replace(start, end, f"{text}{outer}{header}:{tree.newline}")
    for name in sorted(binds(stmt) & reads(behind)):
        cross_in(editor, region, name, behind)
    return editor.fix("Divide the region: gather before the cube work, share its result out behind it")


def _renamed(text: str, name: str, new: str) -> str:
    """``text`` (one statement) with another name for what it reads."""
    return re.sub(rf"(?<![\w.]){re.escape(name)}\b(?!\s*=[^=])", new, text)


# --- (b) -------------------------------------------------------------------------------------------------------------


def reduction_fixes(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A reduction along the split axis: split the other axis, do not split, or reduce the other axis."""
    stmt = tree.statement(finding.span)
    if stmt is None:
        return
    yield other_axis(tree, stmt)
    yield unsplit(tree, stmt)
    leaf = str(finding.data["op"]).rpartition(".")[2]
    other = f"col_{leaf[4:]}" if leaf.startswith("row_") else f"row_{leaf[4:]}"
    written = (
        stmt.value if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript) else None
    )
    if _needs_its_shape(tree, stmt, leaf.partition("_")[0]):
        return
    for call in tree.calls(finding.span):
        # The result has another shape then: it does not fit where it is written to.
        if call_name(call) == leaf and call is not written and _takes(pl_path(call), leaf, other, call):
            end = tree.end(call.func)
            yield Editor(tree).replace(end - len(leaf), end, other).fix(f"Reduce the other axis (pl.{other})")
            return


def _needs_its_shape(tree: SourceTree, stmt: ast.stmt, axis: str) -> bool:
    """Whether what a reduction makes is spread over the same axis again (``row_expand_sub(x, peak)`` takes a column), or is written as it
    comes to a place of its shape."""
    function, made = tree.function(stmt), binds(stmt)
    if function is None:
        return False
    spread = any(
        call_name(call).startswith(f"{axis}_expand") and reads(call.args) & made
        for call in tree.nodes_of(function, ast.Call)
    )
    written = [
        reads(s.value) - {"pl"}
        for s in tree.nodes_of(function, ast.Assign)
        if isinstance(s.targets[0], ast.Subscript)
    ]
    return spread or any(names and names <= made for names in written)


def _takes(path: str, leaf: str, other: str, call: ast.Call) -> bool:
    """Whether the other reduction can be called with the arguments that are there."""
    callee = find_callable(path.removesuffix(leaf) + other)
    if callee is None:
        return False
    positional = [p for p in callee.params if p.kind == "positional"]
    return sum(p.required for p in positional) <= len(call.args) <= len(positional)


# --- (e) -------------------------------------------------------------------------------------------------------------


def _vector_outside(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    if stmt is None:
        return
    first, last = phase(tree, stmt, is_vector)
    run = tree.block(stmt)
    run = run[run.index(first) : run.index(last) + 1]
    if not tree.owns_lines(run):
        return
    pure = all(bound_value(s) is not None for s in run)
    yield (
        Editor(tree)
        .wrap(first, last, NONE_REGION)
        .fix("Wrap the vector phase in a region of its own", safe=pure, trial=pure)
    )


def _region_in_incore(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    if stmt is not None:
        editor = Editor(tree)
        make_plain(editor, stmt)
        yield editor.fix("Declare an ordinary function (drop type=pl.FunctionType.InCore)")


# --- stores of the lanes -----------------------------------------------------------------------------------------------


def _own_share(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``y[0:32, :] = t`` and ``pl.assemble(y, t, [0, 0])`` at the lane's own rows or columns."""
    stmt, share, axis = tree.statement(finding.span), finding.data.get("share"), finding.data.get("axis")
    region = tree.around(stmt, ast.For) if stmt is not None else None
    if stmt is None or not isinstance(share, int) or not isinstance(axis, int):
        return
    if not isinstance(region, ast.For) or not isinstance(region.target, ast.Name) or region.target.id == "_":
        return
    if region.target.id != finding.data.get("lane"):
        return
    start = f"{region.target.id} * {share}"
    place, text = _place_of(stmt, axis), start
    if isinstance(place, ast.Slice):
        text = f"{start} : {start} + {share}"
        whole = _literal(place.lower, 0) == 0 and _literal(place.upper, share) == share
    else:
        whole = _literal(place, None) == 0
    if place is not None and whole:
        kind = "rows" if axis == 0 else "columns"
        yield Editor(tree).rewrite(place, text).fix(f"Write the lane's own {kind} ({start})")


def _place_of(stmt: ast.stmt, axis: int) -> ast.expr | None:
    """What a write says about one axis of the place: a slice or an offset."""
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
        index = stmt.targets[0].slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        part = parts[axis] if axis < len(parts) else None
        return part if isinstance(part, ast.Slice) and part.step is None else None
    value = stmt.value if isinstance(stmt, ast.Expr) else bound_value(stmt)
    if isinstance(value, ast.Call) and len(value.args) == 3:
        offsets = value.args[{"store": 1, "assemble": 2}.get(call_name(value), 0)]
        if isinstance(offsets, ast.List) and axis < len(offsets.elts):
            return offsets.elts[axis]
    return None


def _literal(node: ast.expr | None, missing: int | None) -> int | None:
    if node is None:
        return missing
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


FIXERS: Final[dict[str, Fixer]] = {
    "lane-store-same-place": on_tree(_own_share),
    "aiv-cube-in-region": on_tree(_cube_in_region),
    "aiv-reduce-split-axis": on_tree(reduction_fixes),
    "aiv-vector-outside-region": on_tree(_vector_outside),
    "aiv-region-in-incore": on_tree(_region_in_incore),
}
