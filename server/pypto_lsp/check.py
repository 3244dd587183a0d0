"""Checking files from the terminal: which files, in which settings, with which findings."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pypto_core import Chunk, Diagnostic, Severity, Source, Span, Workspace, apply_edits, fixes_for
from pypto_lsp.config import Config, from_pyproject
from pypto_lsp.modules import Disk

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "build", "dist", "site-packages"})


@dataclass(slots=True)
class Checked:
    """One file: its text (empty when unreadable) and its findings."""

    path: str
    text: str
    findings: tuple[Diagnostic, ...]


class NoSuchPath(LookupError):
    """A path or pattern names nothing."""


def python_files(paths: Iterable[str]) -> Iterator[str]:
    """Files named, Python files below folders named, files that patterns match; hidden folders are left out.

    Raises:
        NoSuchPath: a path does not exist, or a pattern matches nothing.
    """
    seen: set[str] = set()
    for path in paths:
        found = list(_expand(path))
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _expand(path: str) -> Iterator[str]:
    if Path(path).is_dir():
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
            yield from (str(Path(folder) / f) for f in sorted(files) if f.endswith(".py"))
    elif Path(path).exists():
        yield path
    else:
        matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
        if not matches:
            raise NoSuchPath(f"{path}: no such file or folder")
        for match in matches:
            if Path(match).is_file():
                yield match


def read_source(path: str) -> tuple[str, Diagnostic | None]:
    """The text of a file, or the finding that says why it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as fault:
        return "", _unreadable(path, f"cannot read the file: {fault.strerror or fault}")
    if b"\0" in data[:4096]:
        return "", _unreadable(path, "this is no text file (it holds zero bytes)")
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as fault:
        return "", _unreadable(path, f"the file is not UTF-8: byte {fault.start} does not decode")


def _unreadable(path: str, message: str) -> Diagnostic:
    return Diagnostic("file-unreadable", message, Span(Chunk(path, ""), 0, 0), Severity.ERROR)


class Checker:
    """A workspace for the terminal; settings come from the nearest pyproject.toml, overridden by ``overrides``."""

    def __init__(self, overrides: dict[str, object] | None = None) -> None:
        self.overrides = overrides or {}
        self.core = Workspace(Disk())
        self.core.set_roots([str(Path.cwd())])

    def config(self, path: str) -> Config:
        """Settings of a file."""
        config = from_pyproject(Path(path).absolute())
        return replace(config, **self.overrides)  # type: ignore[arg-type]

    def open(self, path: str) -> tuple[str, Diagnostic | None]:
        """Read a file into the workspace."""
        text, fault = read_source(path)
        if fault is None:
            self.core.configure(self.config(path).core(), path)
            self.core.open(path, text)
        return text, fault

    def check(self, path: str) -> Checked:
        """All findings of a file; the file is closed again."""
        text, fault = self.open(path)
        if fault is not None:
            return Checked(path, text, (fault,))
        findings = self.core.diagnostics(path)
        self.core.close(path)
        return Checked(path, text, findings)

    def fix(self, path: str, limit: int = 20) -> int:
        """Apply safe fixes until none is left; the number applied. The file is written once, at the end."""
        text, fault = self.open(path)
        if fault is not None:
            return 0
        applied = 0
        for _ in range(limit):
            source = Source(path, text)
            fix = next((f for d in self.core.diagnostics(path) for f in fixes_for(d, source) if f.safe), None)
            if fix is None:
                break
            changed = apply_edits(text, fix.edits)
            if changed == text:
                break
            text, applied = changed, applied + 1
            self.core.open(path, text, applied)
        if applied:
            Path(path).write_text(text, encoding="utf-8", newline="")
        self.core.close(path)
        return applied
