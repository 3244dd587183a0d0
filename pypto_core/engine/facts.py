"""What is known of one version of a file: values that never change, so any thread may read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pypto_core.engine.finder import Finder
from pypto_core.engine.locate import ProgramValues, function_lines
from pypto_core.engine.names import FileNames
from pypto_core.engine.values import Histories
from pypto_core.frontend import ParseResult
from pypto_core.ir import Program, Span


@dataclass(frozen=True, slots=True)
class Settings:
    """What the analysis of a file depends on besides its text. ``max_bytes`` is the size above which a file is left alone."""

    backend: str | None = "a2a3"
    search_path: tuple[str, ...] = ()
    ignore: frozenset[str] = frozenset()
    select: frozenset[str] = frozenset()
    max_bytes: int = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    """One version of the text of a file."""

    path: str
    text: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel that can be lowered: its name and program."""

    name: str
    program: Program

    @property
    def span(self) -> Span:
        """Where it stands in the source."""
        if self.program.span.is_valid:
            return self.program.span
        return next((f.span for f in self.program.functions if f.span.is_valid), self.program.span)

    def last_line(self, path: str) -> int:
        """0-based last line of the kernel's functions in the file ``path``; -1 when none is there."""
        ends = [function_lines(f)[1] for f in self.program.functions if f.span.filename == path]
        return max(ends, default=-1)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All that is known of one version of a file. Nothing in it changes, so any thread may read it.

    ``parsed`` is None while only the names are known; ``values`` and ``histories`` hold the kernels as written and, once they have
    been lowered, through the passes, by entry name; ``imported`` the names of the files that this one imports, ``paths`` which file an
    import statement means.
    """

    path: str
    text: str
    settings: Settings
    names: FileNames
    parsed: ParseResult | None = None
    histories: Mapping[str, Histories] = field(default_factory=dict)
    values: Mapping[str, ProgramValues] = field(default_factory=dict)
    imported: Mapping[str, FileNames] = field(default_factory=dict)
    paths: Mapping[tuple[str, str], str | None] = field(default_factory=dict)

    def finder(self, names: FileNames | None = None) -> Finder:
        """Follows names to their definitions in this file and those that it imports; ``names`` are newer ones of the file itself."""
        own = names or self.names
        return Finder(
            lambda path: own if path == self.path else self.imported.get(path),
            lambda importer, module: self.paths.get((importer, module)),
        )

    @property
    def modules(self) -> frozenset[str]:
        """Paths of the files that this one imports, directly or through others."""
        graph = self.parsed.graph if self.parsed is not None else None
        return frozenset(graph.modules) - {self.path} if graph is not None else frozenset()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The programs and JIT kernels of the file, each lowered on its own."""
        programs = self.parsed.programs if self.parsed is not None else {}
        return tuple(Entry(name, program) for name, program in programs.items())
