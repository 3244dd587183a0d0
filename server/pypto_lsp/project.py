"""The Python files of the workspace folders: which hold kernels, and what they define.

Files are looked at once, one at a time, when the analysis thread has nothing else to do; a file that no line names the
language in costs one read. What a file defines is kept, its text and trees are not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pypto_core import FileNames, OutlineItem, Workspace, outline
from pypto_lsp.modules import Disk

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "build", "dist", "site-packages", "venv", "env"})
#: More files than this are not looked at.
MAX_FILES = 20_000


def python_files(root: str) -> Iterator[str]:
    """Python files below a folder; hidden folders and environments are left out."""
    for folder, folders, files in os.walk(root):
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
        for file in sorted(files):
            if file.endswith(".py"):
                yield (Path(folder) / file).as_posix()


@dataclass(frozen=True, slots=True)
class Defined:
    """Something a file defines. Lines and columns are 0-based characters."""

    path: str
    name: str
    kind: str
    container: str
    line: int
    start: int
    end: int


@dataclass(slots=True)
class Project:
    """What the files of the workspace define, by path."""

    core: Workspace
    disk: Disk
    defined: dict[str, tuple[Defined, ...]] = field(default_factory=dict)
    complete: bool = False

    def discover(self, roots: Iterable[str]) -> list[str]:
        """All Python files of the folders, each once."""
        found: dict[str, None] = {}
        for root in roots:
            for path in python_files(root):
                found[path] = None
                if len(found) >= MAX_FILES:
                    return list(found)
        return list(found)

    def look_at(self, path: str) -> None:
        """Index one file; forget it when it is gone, or not of ours. Runs on the analysis thread."""
        text = self.disk.read(path)
        if text is None or "pypto" not in text:
            self.defined.pop(path, None)
            return
        self.defined[path] = tuple(_defined(path, outline(self.core.names_apart(path)), ""))

    def files(self) -> list[str]:
        """Paths of all files that name the language."""
        return list(self.defined)

    def mentioning(self, names: Iterable[str]) -> list[str]:
        """Files of ours whose text holds one of the names."""
        wanted = list(names)
        found = []
        for path in list(self.defined):
            text = self.disk.read(path)
            if text is not None and any(name in text for name in wanted):
                found.append(path)
        return found


def _defined(path: str, items: Iterable[OutlineItem], container: str) -> Iterator[Defined]:
    for item in items:
        if item.kind in ("scope", "region", "loop"):
            continue
        span = item.name_span
        yield Defined(
            path, item.name, item.kind, container, span.line - 1, span.column - 1, span.end_column - 1
        )
        yield from _defined(path, item.children, item.name)


def defined_in(names: FileNames) -> tuple[Defined, ...]:
    """What one version of an open file defines."""
    return tuple(_defined(names.path, outline(names), ""))
