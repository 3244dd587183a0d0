"""A file being typed: every prefix of every kernel parses, and only the unfinished statement is complained about."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pypto_core.diagnostics import Severity
from pypto_core.frontend import parse

KERNELS = Path(__file__).parents[1] / "golden" / "kernels"
FILES = sorted(KERNELS.rglob("*.py"))
#: One prefix in so many lines is tried, in long files about twelve; each file starts at another line.
STEP = 7


def unfinished(tree: ast.Module, line: int) -> int:
    """First line of the innermost statement in which the text stops; the line behind when it stops between statements."""
    start = line + 1
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            if first <= line <= (node.end_lineno or line) and (start > line or first >= start):
                start = first
    return start


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_prefixes(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)

    def text_of(module: str) -> str | None:
        file = path.parent / (module.replace(".", "/") + ".py")
        return file.read_text() if file.exists() else None

    for count in range(1 + FILES.index(path) % STEP, len(lines) + 1, max(STEP, len(lines) // 12)):
        result = parse("".join(lines[:count]), path.name, resolver=text_of)
        errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
        begin = unfinished(tree, count)
        outside = [(count, d.span.line, d.message) for d in errors if d.span.line < begin]
        assert outside == []


def test_prefixes_by_character() -> None:
    path = KERNELS / "lanes_two_phase.py"
    text = path.read_text()
    for end in range(200, len(text), 61):
        parse(text[:end], path.name)
