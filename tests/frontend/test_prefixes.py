"""A file being typed: every prefix of every kernel parses, and only the unfinished statement is complained about.

``PREFIXES=all`` (``make prefixes``) tries every line, and every line once more cut in the middle; else a sample of them is tried.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from pypto_core import Workspace
from pypto_core.diagnostics import Severity
from pypto_core.engine.workspace import Settings
from pypto_core.frontend import parse

KERNELS = Path(__file__).parents[1] / "golden" / "kernels"
FILES = sorted(KERNELS.rglob("*.py"))
ALL = os.environ.get("PREFIXES") == "all"
#: One prefix in so many lines is tried, in long files about twelve; each file starts at another line.
STEP = 1 if ALL else 7


def sample(path: Path, lines: int, most: int) -> range:
    return range(1 + FILES.index(path) % STEP, lines + 1, 1 if ALL else max(STEP, lines // most))


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


def headers(tree: ast.Module, line: int) -> set[int]:
    """First lines of the statements that go on behind the line."""
    return {
        n.lineno for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line < (n.end_lineno or 0)
    }


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_prefixes(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)

    def text_of(module: str) -> str | None:
        file = path.parent / (module.replace(".", "/") + ".py")
        return file.read_text() if file.exists() else None

    for count in sample(path, len(lines), 12):
        result = parse("".join(lines[:count]), path.name, resolver=text_of)
        errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
        begin, whole = unfinished(tree, count), "python-syntax" not in {d.code for d in errors}
        # A text that parses may stop before the else, or the end, of a statement around.
        around = headers(tree, count) if whole else set()
        assert [
            (count, d.span.line, d.message)
            for d in errors
            if d.span.line < begin and d.span.line not in around
        ] == []


def test_prefixes_by_character() -> None:
    path = KERNELS / "lanes_two_phase.py"
    text = path.read_text()
    for end in range(200, len(text), 61):
        parse(text[:end], path.name)


class Folder:
    """The files beside a kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: str) -> str | None:
        file = self.folder / path.removeprefix("/w/")
        return file.read_text() if file.is_file() else None

    def is_directory(self, path: str) -> bool:
        return path == "/w" or (self.folder / path.removeprefix("/w/")).is_dir()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_half_a_line(path: Path) -> None:
    """The text stops in the middle of a line that does not parse: one complaint there, and none about what is not used yet."""
    text = path.read_text()
    tree, lines, name = ast.parse(text), text.splitlines(keepends=True), f"/w/{path.name}"
    workspace = Workspace(Folder(path.parent), Settings("a2a3"))
    for count in sample(path, len(lines), 6):
        line = lines[count - 1]
        words = line.strip()
        if len(words) < 4 or words.startswith(("#", '"""')):
            continue
        cut = "".join(lines[: count - 1]) + line[: len(line) - len(line.lstrip()) + len(words) * 2 // 3]
        workspace.open(name, cut)
        found = [d for d in workspace.typing_diagnostics(name) if d.severity <= Severity.WARNING]
        begin = unfinished(tree, count)
        if "python-syntax" in {d.code for d in found}:
            assert [(count, d.code, d.span.line) for d in found if d.code != "python-syntax"] == []
        assert [
            (count, d.code, d.span.line) for d in found if d.span.line < begin and d.code != "unused-variable"
        ] == []
