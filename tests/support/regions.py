"""Kernels whose lane regions are broken in small ways, as an author's edits would: one change per text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MODES = ("NONE", "UP_DOWN", "LEFT_RIGHT")
_MODE = re.compile(r"(?<=split_aiv\(2, mode=pl\.SplitMode\.)\w+")
_CROSSING = re.compile(r"pl\.(?:aiv_shard|aic_gather)\(")
_CUBE_OR_VECTOR = re.compile(r"= (pl\.\w+\()")


def broken_regions(text: str) -> Iterator[str]:
    """``text`` with one lane region changed: another mode, a statement moved in or out, a crossing removed."""
    yield from _other_modes(text)
    yield from _without_crossing(text)
    lines = text.splitlines(keepends=True)
    for scope in ast.walk(ast.parse(text)):
        if isinstance(scope, ast.With) and "CORE_GROUP" in ast.unparse(scope.items[0]):
            yield from _moved(lines, scope)


def _other_modes(text: str) -> Iterator[str]:
    for match in _MODE.finditer(text):
        for mode in MODES:
            if mode != match.group():
                yield text[: match.start()] + mode + text[match.end() :]


def _without_crossing(text: str) -> Iterator[str]:
    """``pl.aiv_shard(x)`` becomes ``(x)``; and the reverse, a crossing around the first operand of an assignment's call."""
    for match in _CROSSING.finditer(text):
        yield text[: match.start()] + "(" + text[match.end() :]


def _moved(lines: list[str], scope: ast.With) -> Iterator[str]:
    for stmt in ast.walk(scope):
        if _is_region(stmt):
            assert isinstance(stmt, ast.For)
            yield _replaced(lines, stmt, _dedented(_source(lines, *stmt.body)))
            for inner in stmt.body:
                yield _out_of(lines, stmt, inner)
        elif isinstance(stmt, (ast.Assign, ast.AugAssign, ast.For, ast.If)):
            for mode in MODES:
                header = " " * stmt.col_offset + f"for lane_ in pl.split_aiv(2, mode=pl.SplitMode.{mode}):\n"
                yield _replaced(lines, stmt, [header, *_indented(_source(lines, stmt))])


def _is_region(stmt: ast.AST) -> bool:
    return isinstance(stmt, ast.For) and "split_aiv" in ast.unparse(stmt.iter)


def _source(lines: list[str], *stmts: ast.stmt) -> list[str]:
    first, last = stmts[0], stmts[-1]
    assert last.end_lineno is not None
    return lines[first.lineno - 1 : last.end_lineno]


def _replaced(lines: list[str], stmt: ast.stmt, new: list[str]) -> str:
    assert stmt.end_lineno is not None
    return "".join([*lines[: stmt.lineno - 1], *new, *lines[stmt.end_lineno :]])


def _out_of(lines: list[str], region: ast.For, inner: ast.stmt) -> str:
    """``inner`` stands before the region instead of in it."""
    assert inner.end_lineno is not None
    moved = _source(lines, inner)
    kept = [*lines[region.lineno - 1 : inner.lineno - 1]]
    if len(region.body) == 1:
        kept.append(" " * inner.col_offset + "pass\n")
    rest = lines[inner.end_lineno :]
    return "".join([*lines[: region.lineno - 1], *_dedented(moved), *kept, *rest])


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line if line.strip() else line for line in lines]


def _dedented(lines: list[str]) -> list[str]:
    return [line[4:] if line.startswith("    ") else line for line in lines]
