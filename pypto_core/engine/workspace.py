"""Open files and the facts about them: the one object that an editor or a terminal talks to.

Texts, settings and imported files are inputs of a query database; everything else is asked for and remembered there. The workspace does no
reading of its own: ``read_module`` gives it the text of files that are not open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine.database import Database, Input, query
from pypto_core.engine.findings import on_file, unique, without_ignored
from pypto_core.engine.locate import function_lines
from pypto_core.engine.lowering import Lowering, PassMemory, lower
from pypto_core.engine.values import Histories
from pypto_core.frontend import ParseResult, parse
from pypto_core.frontend.parse import Resolver
from pypto_core.ir import Chunk, Program, Span

#: (module name, importing file, search path) -> text, None when there is no such module.
ReadModule = Callable[[str, str, "tuple[str, ...]"], "str | None"]


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


_DOCUMENT: Input[str, Document | None] = Input("document", None)
_SETTINGS: Input[str, Settings | None] = Input("settings", None)
_MODULE: Input[tuple[str, str], int] = Input("module", 0)


def _identity(left: object, right: object) -> bool:
    return left is right


class Workspace:
    """Facts about open files. Methods may be called from one thread at a time; :meth:`open` and its relatives interrupt a running one."""

    def __init__(self, read_module: ReadModule | None = None, settings: Settings | None = None) -> None:
        self.db = Database()
        self._read_module = read_module
        self._default = settings or Settings()
        self._memory = PassMemory()
        self._define_queries()

    # ------------------------------------------------------------------------------------------------------- changing
    def open(self, path: str, text: str, version: int = 0) -> None:
        """A file is open with this text, or has become this text."""
        self.db.set(_DOCUMENT, path, Document(path, text, version))

    def close(self, path: str) -> None:
        """Forget a file."""
        self.db.set(_DOCUMENT, path, None)
        for key in (path,):
            self.db.forget(self._parsed, key)
            self.db.forget(self._typing, key)
            self.db.forget(self._full, key)

    def configure(self, settings: Settings, path: str = "") -> None:
        """Settings of one file, or with no path those of all files that have none of their own."""
        self.db.set(_SETTINGS, path, settings)

    def module_changed(self, name: str, importer: str = "") -> None:
        """An imported file changed on disk: everything that read it is looked at again."""
        self.db.set(_MODULE, ("", ""), self.db.revision)

    def interrupt(self) -> None:
        """Stop the running computation."""
        self.db.request_cancel()

    # --------------------------------------------------------------------------------------------------------- asking
    def document(self, path: str) -> Document | None:
        return self.db.read(_DOCUMENT, path)

    def settings(self, path: str) -> Settings:
        return self.db.read(_SETTINGS, path) or self.db.read(_SETTINGS, "") or self._default

    def parsed(self, path: str) -> ParseResult:
        """Programs and findings of the front end."""
        return self.db.get(self._parsed, path)

    def last_parsed(self, path: str) -> ParseResult | None:
        """The newest parse result there is, without waiting for a newer one."""
        return self.db.peek(self._parsed, path)

    def entries(self, path: str) -> tuple[Entry, ...]:
        """The kernels of a file in source order."""
        return tuple(Entry(name, program) for name, program in self.parsed(path).programs.items())

    def lowering(self, path: str, entry: str) -> Lowering | None:
        """The stages of a kernel; None when the file has no such kernel."""
        program = self.parsed(path).programs.get(entry)
        return None if program is None else self.db.get(self._lowered, (program, self.settings(path).backend))

    def histories(self, path: str, entry: str) -> Histories | None:
        """Values of a kernel through the stages."""
        program = self.parsed(path).programs.get(entry)
        return (
            None if program is None else self.db.get(self._histories, (program, self.settings(path).backend))
        )

    def warm(self, path: str) -> None:
        """Build what hovers read, so that the first one is quick."""
        for program in self.parsed(path).programs.values():
            self.db.check()
            self.db.get(self._histories, (program, self.settings(path).backend))

    def typing_diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        """What is known without lowering: syntax, names, types, operator contracts, early split checks."""
        return self.db.get(self._typing, path)

    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        """Everything, lowering included."""
        return self.db.get(self._full, path)

    # -------------------------------------------------------------------------------------------------------- queries
    def _resolver(self, db: Database, path: str) -> Resolver:
        settings = self.settings(path)

        def resolve(name: str) -> str | None:
            db.read(_MODULE, ("", ""))
            return None if self._read_module is None else self._read_module(name, path, settings.search_path)

        return resolve

    def _define_queries(self) -> None:
        @query(keep=256, equal=_identity)
        def parsed(db: Database, path: str) -> ParseResult:
            document = db.read(_DOCUMENT, path)
            if document is None:
                return ParseResult(None)
            settings = self.settings(path)
            if len(document.text) > settings.max_bytes:
                return ParseResult(None, diagnostics=(too_large(document, settings),))
            return parse(document.text, path, self._resolver(db, path))

        @query(keep=512, equal=_identity)
        def lowered(db: Database, key: tuple[Program, str | None]) -> Lowering:
            return lower(key[0], key[1], memory=self._memory, checkpoint=db.check)

        @query(keep=64, equal=_identity)
        def histories(db: Database, key: tuple[Program, str | None]) -> Histories:
            return Histories(db.get(lowered, key))

        @query(keep=256)
        def typing(db: Database, path: str) -> tuple[Diagnostic, ...]:
            return self._published(db, path, db.get(parsed, path).diagnostics)

        @query(keep=256)
        def full(db: Database, path: str) -> tuple[Diagnostic, ...]:
            result = db.get(parsed, path)
            found = list(result.diagnostics)
            broken = any(d.severity is Severity.ERROR for d in found)
            backend = self.settings(path).backend
            for program in result.programs.values():
                db.check()
                lowering = db.get(lowered, (program, backend))
                found.extend(d for d in lowering.diagnostics if not (broken and d.code == "internal"))
            return self._published(db, path, found)

        self._parsed, self._lowered, self._histories = parsed, lowered, histories
        self._typing, self._full = typing, full

    def _published(
        self, db: Database, path: str, found: list[Diagnostic] | tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        document = db.read(_DOCUMENT, path)
        if document is None:
            return ()
        settings = self.settings(path)
        placed = [with_place(d, path, document) for d in on_file(unique(found), path)]
        return without_ignored(placed, document.text, settings.ignore, settings.select)


def with_place(finding: Diagnostic, path: str, document: Document) -> Diagnostic:
    """A finding without a place stands at the start of the file that was asked about."""
    if finding.span.is_valid:
        return finding
    return replace(finding, span=Span(Chunk(path, document.text[:1000]), 0, 0))


def too_large(document: Document, settings: Settings) -> Diagnostic:
    size, limit = len(document.text) / 2**20, settings.max_bytes / 2**20
    return Diagnostic(
        "file-too-large",
        f"This file has {size:.1f} MiB; files above {limit:.1f} MiB are not analysed. Split it, or raise the limit (pypto.maxFileSize).",
        Span(Chunk(document.path, document.text[:200]), 0, 0),
        Severity.INFORMATION,
    )
