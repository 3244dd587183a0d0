"""Checking files from the terminal: one workspace for one process, findings of imported files shown in their own file."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pypto_core import (
    Chunk,
    Diagnostic,
    Severity,
    Source,
    Span,
    Workspace,
    apply_edits,
    fixes_for,
    merged,
)
from pypto_lsp.config import Config, from_pyproject
from pypto_lsp.discover import STDIN, is_regular
from pypto_lsp.modules import Disk, encoding_of
from pypto_lsp.safe import safe_repairs, verified

_BOM = b"\xef\xbb\xbf"
#: With fewer files than this, starting more processes costs more than it gains.
PARALLEL_FROM = 12
_MOST_PROCESSES = 8


@dataclass(slots=True)
class Checked:
    """One file under the name the caller gave it: its text (empty when unreadable) and its findings.

    ``analysed`` is False for a file that does not name the language. ``elsewhere`` holds findings of its kernels in files that it imports, by absolute
    path, ``faults`` the details of faults of the product.
    """

    path: str
    text: str
    findings: tuple[Diagnostic, ...]
    analysed: bool = True
    elsewhere: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def absolute(path: str) -> str:
    """The name under which the analysis knows a file: absolute, so that the same folders are searched for its imports however it was spelled."""
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


def read_source(path: str, max_bytes: int) -> tuple[str, Diagnostic | None]:
    """The text of a file, or the finding that says why it cannot be analysed."""
    if not is_regular(path):
        return "", _unreadable(path, "cannot read the file: it is missing, or no ordinary file")
    try:
        size = Path(path).stat().st_size
        if size > max_bytes:
            limit = max_bytes / 2**20
            return "", Diagnostic(
                "file-too-large",
                f"This file has {size / 2**20:.1f} MiB; files above {limit:.1f} MiB are not analysed. Split it, or raise the limit (max-file-size).",
                Span(Chunk(path, ""), 0, 0),
                Severity.INFORMATION,
            )
        data = Path(path).read_bytes()
    except OSError as fault:
        return "", _unreadable(path, f"cannot read the file: {fault.strerror or fault}")
    return decoded(path, data)


def decoded(path: str, data: bytes) -> tuple[str, Diagnostic | None]:
    """The text of some bytes."""
    if b"\0" in data:
        return "", _unreadable(path, "this is no text file (it holds zero bytes)")
    try:
        return data.decode(encoding_of(data)), None
    except UnicodeDecodeError as fault:
        return "", _unreadable(path, f"the file is not UTF-8: byte {fault.start} does not decode")


def is_python(path: str, text: str) -> bool:
    """Whether a file can be meant as Python: by its name, or by its text."""
    if Path(path).suffix in ("", ".py", ".pyi", ".pyw"):
        return True
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _unreadable(path: str, message: str) -> Diagnostic:
    return Diagnostic("file-unreadable", message, Span(Chunk(path, ""), 0, 0), Severity.ERROR)


class Checker:
    """A workspace for the terminal; settings come from the nearest pyproject.toml, overridden by ``overrides``.

    ``repairs``: findings get their repairs as ``data["repairs"]``, a tuple of :class:`~pypto_core.Fix`.
    """

    def __init__(self, overrides: Mapping[str, object] | None = None, repairs: bool = False) -> None:
        self.overrides = dict(overrides or {})
        self.repairs = repairs
        self.disk = Disk()
        self.core = Workspace(self.disk)
        self.core.set_roots([str(Path.cwd())])
        self._configs: dict[str, Config] = {}

    def config(self, path: str) -> Config:
        """Settings of a file.

        Raises:
            ConfigError: the project file has a setting that cannot be.
        """
        folder = os.path.dirname(absolute(path))  # noqa: PTH120
        if folder not in self._configs:
            config = from_pyproject(Path(folder))
            more = self.overrides.get("exclude", ())
            assert isinstance(more, tuple)
            overrides = {**self.overrides, "exclude": (*config.exclude, *more)}
            self._configs[folder] = replace(config, **overrides)  # type: ignore[arg-type]
        return self._configs[folder]

    def read(self, path: str) -> tuple[str, Diagnostic | None]:
        """The text of a file on disk, or why there is none."""
        return read_source(absolute(path), self.config(path).core().max_bytes)

    def open(self, path: str, text: str) -> str:
        """Put a text into the workspace; the name the workspace knows it by."""
        name = absolute(path)
        self.core.configure(self.config(path).core(), name)
        self.core.open(name, text)
        return name

    def check(self, path: str) -> Checked:
        """All findings of a file on disk. Files that do not name the language are not analysed."""
        text, fault = self.read(path)
        if fault is None and "pypto" in text and not is_python(path, text):
            fault = _unreadable(path, "this is no Python file: neither by its name nor by its text")
        if fault is not None:
            return Checked(path, text, (fault,))
        return self.check_text(path, text)

    def check_text(self, path: str, text: str) -> Checked:
        """All findings of a text that stands for the file ``path``; the file is closed again."""
        if "pypto" not in text:
            return Checked(path, text, (), analysed=False)
        name = self.open(path, text)
        findings = self.core.diagnostics(name)
        elsewhere = self.core.diagnostics_elsewhere(name)
        self.core.close(name)
        made = [*findings, *(f for found in elsewhere.values() for f in found)]
        faults = tuple(_details(f) for f in made if f.code == "internal")
        if self.repairs:
            findings = _with_repairs(findings, Source(name, text))
            elsewhere = {
                other: _with_repairs(found, Source(other, self.disk.read(other) or ""))
                for other, found in elsewhere.items()
            }
        return Checked(path, text, findings, True, elsewhere, faults)

    def fix(self, path: str, rounds: int = 20) -> int:
        """Apply safe fixes that do repair until none is left; the number applied. The file is written once, at the end."""
        text, fault = self.read(path)
        if fault is not None or "pypto" not in text or not is_python(path, text):
            return 0
        name = self.open(path, text)
        wanted = self.config(path).core()
        # What a repair brings is judged by all codes, also by those that are not asked for.
        self.core.configure(replace(wanted, ignore=frozenset(), select=frozenset()), name)

        def tried(changed: str) -> tuple[Diagnostic, ...]:
            self.core.open(name, changed)
            return self.core.diagnostics(name)

        applied = 0
        for _ in range(rounds):
            found = tried(text)
            asked = [
                f
                for f in found
                if f.code not in wanted.ignore and (not wanted.select or f.code in wanted.select)
            ]
            fixes = verified(safe_repairs(asked, Source(name, text)), found, text, tried)
            changed = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
            if changed == text:
                break
            text, applied = changed, applied + len(fixes)
        self.core.close(name)
        if applied:
            data = Path(path).read_bytes()
            mark = _BOM if data.startswith(_BOM) else b""
            Path(path).write_bytes(mark + text.encode(encoding_of(data).removesuffix("-sig")))
        return applied


def _with_repairs(found: Iterable[Diagnostic], source: Source) -> tuple[Diagnostic, ...]:
    return tuple(replace(f, data={**f.data, "repairs": fixes_for(f, source)}) for f in found)


def _details(finding: Diagnostic) -> str:
    fault = finding.data.get("fault")
    where = f"{finding.span.filename}:{finding.span.line}"
    return f"{where}: {type(fault).__name__}: {fault}" if fault is not None else f"{where}: {finding.message}"


# ------------------------------------------------------------------------------------------------------------ many files
def check_files(
    files: list[str],
    overrides: Mapping[str, object],
    stdin: bytes = b"",
    stdin_name: str = "stdin.py",
    processes: int | None = None,
    repairs: bool = False,
) -> Iterator[Checked]:
    """Check files, in order; with many of them on several processors. ``stdin`` is the text of the file ``-``, to be taken for ``stdin_name``;
    ``repairs`` as for :class:`Checker`.

    Raises:
        ConfigError: a project file has a setting that cannot be.
    """
    wanted = processes or min(os.cpu_count() or 1, _MOST_PROCESSES)
    if wanted == 1 or len(files) < PARALLEL_FROM or STDIN in files:
        checker = Checker(overrides, repairs)
        for file in files:
            if file == STDIN:
                text, fault = decoded(stdin_name, stdin)
                yield Checked(stdin_name, text, (fault,)) if fault else checker.check_text(stdin_name, text)
            else:
                yield checker.check(file)
        return
    # Neighbours import the same modules, so a process gets runs of them.
    run = max(1, min(16, len(files) // (wanted * 4)))
    from concurrent.futures import ProcessPoolExecutor  # the server never needs it

    with ProcessPoolExecutor(wanted, initializer=_start_process, initargs=(dict(overrides), repairs)) as pool:
        yield from pool.map(_check_one, files, chunksize=run)


_process_checker: Checker | None = None


def _start_process(overrides: dict[str, object], repairs: bool) -> None:
    global _process_checker
    _process_checker = Checker(overrides, repairs)


def _check_one(file: str) -> Checked:
    """Runs in another process; what goes back is plain: facts for fixes stay here, the fixes go."""
    assert _process_checker is not None
    made = _process_checker.check(file)
    made.findings = _plain(made.findings)
    made.elsewhere = {path: _plain(found) for path, found in made.elsewhere.items()}
    return made


def _plain(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(replace(f, data={k: v for k, v in f.data.items() if k == "repairs"}) for f in found)


# ------------------------------------------------------------------------------------------------------------- together
@dataclass(slots=True)
class Report:
    """What a run found: files in the order of the call, then imported files that have findings."""

    files: list[Checked]
    #: Absolute path -> the name to show.
    names: dict[str, str]

    @property
    def findings(self) -> list[Diagnostic]:
        return [f for file in self.files for f in file.findings]

    @property
    def analysed(self) -> int:
        return sum(file.analysed for file in self.files)

    @property
    def sources(self) -> dict[str, str]:
        """Texts by absolute path."""
        return {absolute(file.path): file.text for file in self.files}

    @property
    def faults(self) -> list[str]:
        """Details of faults of the product, each once."""
        return list(dict.fromkeys(fault for file in self.files for fault in file.faults))

    def shown(self, path: str) -> str:
        """A file as the caller spelled it, below the current folder relative to that."""
        known = self.names.get(path)
        if known is not None:
            return known
        try:
            return Path(path).relative_to(Path.cwd()).as_posix()
        except ValueError:
            return path


def gathered(checked: Iterable[Checked]) -> Report:
    """The findings of a run, each once: those made in imported files join the findings of these files."""
    files = list(checked)
    names = {absolute(file.path): file.path for file in files}
    by_path = {absolute(file.path): file for file in files}
    others: dict[str, Checked] = {}
    for file in files:
        for path, found in file.elsewhere.items():
            target = by_path.get(path) or others.get(path)
            if target is None:
                target = others[path] = Checked(path, Disk().read(path) or "", ())
            target.findings = merged(target.findings, found)
    report = Report([*files, *(others[path] for path in sorted(others))], names)
    for path, other in others.items():
        other.path = report.shown(path)
    return report
