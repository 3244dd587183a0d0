"""Kernels with a cursor: ``$0`` in a text marks the place that a test asks about."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core import FileFacts, Histories, Settings, Workspace
from pypto_lsp.features.hover import Subject
from pypto_lsp.positions import split_lines

MARK = "$0"


@dataclass(frozen=True)
class Source:
    """A text without its mark, and the 0-based place where that was."""

    text: str
    line: int
    column: int

    @property
    def lines(self) -> list[str]:
        return split_lines(self.text)


def source(marked: str) -> Source:
    """Read a text with one ``$0``."""
    before, mark, after = marked.partition(MARK)
    assert mark and MARK not in after, "one $0"
    return Source(before + after, before.count("\n"), len(before) - before.rfind("\n") - 1)


def facts(
    text: str, lowered: bool = True, files: dict[str, str] | None = None, backend: str = "a2a3"
) -> FileFacts:
    """Everything that is known of a file called ``/w/kernel.py`` beside ``files``."""
    core = Workspace(Files(files or {}), Settings(backend=backend))
    core.open("/w/kernel.py", text)
    return core.facts("/w/kernel.py", lowered)


def subject(text: str, files: dict[str, str] | None = None) -> Subject:
    """What a hover looks at."""
    known = facts(text, files=files)

    def histories(entry: str) -> Histories | None:
        return known.histories.get(entry)

    return Subject(known.names, known, histories, known.finder())


class Files:
    """A file system in memory; paths are below ``/w``."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = {f"/w/{name}": text for name, text in files.items()}

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def is_directory(self, path: str) -> bool:
        return any(name.startswith(path.rstrip("/") + "/") for name in self.files)
