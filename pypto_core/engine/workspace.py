"""Open files and the facts about them: the one object that an editor or a terminal talks to.

Texts, settings and files on disk are inputs of a query database; everything else is asked for and remembered there. The workspace
reads nothing by itself: a :class:`~pypto_core.frontend.modules.FileSystem` gives it the texts of files that are not open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine.beside import Beside
from pypto_core.engine.by_chunk import FileFindings, Findings
from pypto_core.engine.database import Database, Input, Query, query
from pypto_core.engine.facts import Document, Entry, FileFacts, Settings
from pypto_core.engine.finder import Finder
from pypto_core.engine.findings import merged
from pypto_core.engine.ignore_comments import (
    IgnoreComment,
    ignore_comments,
    unused_comments,
    wrong_comments,
)
from pypto_core.engine.locate import ProgramValues
from pypto_core.engine.lowering import (
    FAULTS,
    Early,
    Lowering,
    PassMemory,
    early_findings,
    lower,
    with_split_findings,
)
from pypto_core.engine.names import FileNames, NamesMemory, imported_modules, read_names
from pypto_core.engine.sources import Modules, NoFiles, Presence
from pypto_core.engine.told import Analysis, Told
from pypto_core.engine.values import Histories
from pypto_core.frontend import ParseResult, parse
from pypto_core.frontend.chunk_table import SyntaxMemory
from pypto_core.frontend.memory import KernelMemory
from pypto_core.frontend.modules import FileSystem, ModuleFile
from pypto_core.frontend.parse import read_graph
from pypto_core.frontend.printed import is_printed
from pypto_core.frontend.recovery import FileSyntax
from pypto_core.frontend.shape import same_shape
from pypto_core.frontend.static_eval import ModuleGraph
from pypto_core.frontend.static_eval.costly import CostlyStatements
from pypto_core.frontend.units import parse_file
from pypto_core.ir import Chunk, Program, Span
from pypto_core.passes.pipeline import MEMORY_PASSES

__all__ = ["Document", "Entry", "FileFacts", "Settings", "Workspace"]


_DOCUMENT: Input[str, Document | None] = Input("document", None)
_SETTINGS: Input[str, Settings | None] = Input("settings", None)
_ROOTS: Input[str, tuple[str, ...]] = Input("roots", ())
_DISK: Input[str, int] = Input("disk", 0)


#: Findings of the programs of a file, for a backend.
OfPrograms: TypeAlias = "Callable[[Told, list[Program], str | None], list[Findings]]"


def _identity(left: object, right: object) -> bool:
    return left is right


class _Files:
    """The file system behind one computation: what it looks at becomes a dependency."""

    def __init__(self, db: Database, disk: FileSystem) -> None:
        self._db = db
        self._disk = disk

    def read(self, path: str) -> str | None:
        document = self._db.read(_DOCUMENT, path)
        if document is not None:
            return document.text
        self._db.read(_DISK, path)
        self._db.read(_DISK, "")
        return self._disk.read(path)

    def is_directory(self, path: str) -> bool:
        self._db.read(_DISK, "")
        return self._disk.is_directory(path)


class Workspace:
    """Facts about open files. Methods may be called from one thread at a time; :meth:`open` and its relatives interrupt a running one."""

    def __init__(self, files: FileSystem | None = None, settings: Settings | None = None) -> None:
        self.db = Database()
        self._disk: FileSystem = files or NoFiles()
        self._default = settings or Settings()
        self._backends = {self._default.backend}
        self._passes = PassMemory()
        self._open: set[str] = set()
        self._syntaxes: dict[str, SyntaxMemory] = {}
        self._costly = CostlyStatements()
        self._names: dict[str, NamesMemory] = {}
        self._kernels: dict[str, KernelMemory] = {}
        self._told: dict[str, Told] = {}
        self._values: dict[str, Beside[ProgramValues]] = {}
        self._traced: dict[str, Beside[Histories]] = {}
        self._listed: dict[str, tuple[ParseResult, list[Program]]] = {}
        self._define_queries()

    # ------------------------------------------------------------------------------------------------------- changing
    def open(self, path: str, text: str, version: int = 0) -> None:
        """A file is open with this text, or has become this text."""
        self._open.add(path)
        self.db.set(_DOCUMENT, path, Document(path, text, version))

    def close(self, path: str) -> None:
        """Forget a file."""
        self._open.discard(path)
        self.db.set(_DOCUMENT, path, None)
        self._forget(path)

    def _forget(self, path: str) -> None:
        self._beside(path, [])
        for memory in (
            self._kernels, self._told, self._values, self._traced, self._listed, self._syntaxes, self._names,
        ):  # fmt: skip
            memory.pop(path, None)
        queries: tuple[Query[str, Any], ...] = (
            self._syntax, self._shape, self._faulty, self._comments, self._graph, self._named, self._parsed, self._typing,
            self._full,
        )  # fmt: skip
        for known in queries:
            self.db.forget(known, path)

    def configure(self, settings: Settings, path: str = "") -> None:
        """Settings of one file, or with no path those of all files that have none of their own."""
        self._backends.add(settings.backend)
        self.db.set(_SETTINGS, path, settings)

    def set_roots(self, roots: Iterable[str]) -> None:
        """Folders in which imported modules are looked for after the importing file's own."""
        self.db.set(_ROOTS, "", tuple(roots))

    def disk_changed(self, path: str = "") -> None:
        """A file changed on disk (no path: any may have): what was read from it is looked at again."""
        self.db.set(_DISK, path, self.db.revision)

    def interrupt(self) -> None:
        """Stop the running computation, and every other one until :meth:`resume`."""
        self.db.request_cancel()

    def resume(self) -> None:
        """Computations may run again."""
        self.db.resume()

    # --------------------------------------------------------------------------------------------------------- asking
    def document(self, path: str) -> Document | None:
        """The text that is open under this path, None when none is."""
        return self.db.read(_DOCUMENT, path)

    def settings(self, path: str) -> Settings:
        """The settings of a file: its own, else those of all files."""
        return self.db.read(_SETTINGS, path) or self.db.read(_SETTINGS, "") or self._default

    def names(self, path: str) -> FileNames:
        """Scopes and uses of names; of an open file or of one on disk."""
        return self.db.get(self._named, path)

    def names_apart(self, path: str) -> FileNames:
        """The same for a look at many files: of one that nothing else asks about nothing is remembered."""
        if self.document(path) is not None or path in self._syntaxes:
            return self.names(path)
        text = self._disk.read(path) or ""
        if len(text) > self.settings(path).max_bytes:
            return FileNames(path, ())
        return read_names(path, parse_file(path, text, self.db.check), self.db.check)

    def trim(self) -> None:
        """Forget all of files that are neither open nor imported by open ones."""
        needed = set(self._open)
        for path in self._open:
            parsed = self.db.peek(self._parsed, path)
            if parsed is not None and parsed.graph is not None:
                needed.update(parsed.graph.modules)
        for path in {*self._syntaxes, *self._names} - needed:
            self._forget(path)

    @property
    def remembered_files(self) -> int:
        """Of how many files trees or names are kept, for tests and debug information."""
        return len({*self._syntaxes, *self._names})

    def parsed(self, path: str) -> ParseResult:
        """Programs and findings of the front end."""
        return self.db.get(self._parsed, path)

    def facts(self, path: str, lowered: bool) -> FileFacts:
        """A picture of the newest version; with ``lowered`` every kernel has been lowered and its values can be followed."""
        document = self.document(path)
        parsed = self.parsed(path)
        settings = self.settings(path)
        programs = self._programs_of(path, parsed)
        beside, entries = self._beside(path, programs), list(parsed.programs)
        for number, program in beside.missing():
            self.db.check()
            beside.put(number, ProgramValues(entries[number], program))
        values: dict[str, ProgramValues] = dict(zip(entries, beside.facts, strict=True))  # type: ignore[arg-type]
        histories: dict[str, Histories] = {}
        if lowered:
            traced = self._traced.setdefault(path, Beside())
            traced.enter(programs, settings.backend)
            found = traced.complete(lambda program: self.db.get(self._histories, (program, settings.backend)))
            histories = dict(zip(entries, found, strict=True))
        text = document.text if document is not None else ""
        own = self.names(path)
        imported = {
            other: self.names(other) for other in (parsed.graph.modules if parsed.graph is not None else ())
        }
        imported.pop(path, None)
        paths = {
            (names.path, module): self.find_module(names.path, module)
            for names in (own, *imported.values())
            for module in imported_modules(names)
        }
        return FileFacts(path, text, settings, own, parsed, histories, values, imported, paths)

    def _programs_of(self, path: str, parsed: ParseResult) -> list[Program]:
        """The programs of a file, the same list while they are the same."""
        known = self._listed.get(path)
        if known is None or known[0] is not parsed:
            known = self._listed[path] = parsed, list(parsed.programs.values())
        return known[1]

    def warm(self, path: str) -> None:
        """Have everything ready that is asked of the newest values; worth doing while nobody waits."""
        traced = self._traced.get(path)
        for histories in traced.facts if traced is not None else ():
            if histories is not None:
                histories.warm(self.db.check)

    def _beside(self, path: str, programs: list[Program]) -> Beside[ProgramValues]:
        """What is kept beside the programs that the file has now; all that is remembered of those that are gone is dropped."""
        beside = self._values.setdefault(path, Beside())
        queries: tuple[Query[tuple[Program, str | None], Any], ...] = (
            self._early, self._lowered, self._planned, self._histories,
        )  # fmt: skip
        for program in beside.enter(programs):
            for backend in self._backends:
                for known in queries:
                    self.db.forget(known, (program, backend))
        return beside

    def entries(self, path: str) -> tuple[Entry, ...]:
        """The kernels of a file in source order."""
        return tuple(Entry(name, program) for name, program in self.parsed(path).programs.items())

    def lowering(self, path: str, entry: str) -> Lowering | None:
        """The stages of a kernel; None when the file has no such kernel."""
        program = self.parsed(path).programs.get(entry)
        return None if program is None else self.db.get(self._lowered, (program, self.settings(path).backend))

    def planned(self, path: str, entry: str) -> Lowering | None:
        """:meth:`lowering` with the stages of the passes that plan the on-chip memory, which make no findings of the file."""
        program = self.parsed(path).programs.get(entry)
        return None if program is None else self.db.get(self._planned, (program, self.settings(path).backend))

    def histories(self, path: str, entry: str) -> Histories | None:
        """Values of a kernel through the stages."""
        program = self.parsed(path).programs.get(entry)
        return (
            None if program is None else self.db.get(self._histories, (program, self.settings(path).backend))
        )

    def typing_diagnostics(self, path: str) -> Findings:
        """What is known without lowering: syntax, names, types, operator contracts, early split checks."""
        return self.db.get(self._typing, path).own

    def first_diagnostics(self, path: str) -> Findings:
        """What can be said at once: :meth:`typing_diagnostics`, and everything about kernels whose lowering is remembered."""

        def first(told: Told, programs: list[Program], backend: str | None) -> list[Findings]:
            early, before = self._early_of(self.db, backend), self._lowered_before(self.db, backend)
            return told.first(programs, backend, early, before)

        return self._findings(self.db, path, first).own

    def diagnostics(self, path: str) -> Findings:
        """Everything that stands in the file, lowering included."""
        return self.db.get(self._full, path).own

    def diagnostics_elsewhere(self, path: str) -> dict[str, Findings]:
        """Findings that the kernels of the file make in files that it imports, by path."""
        return dict(self.db.get(self._full, path).elsewhere)

    def finder(self) -> Finder:
        """Follows names through all files, open or on disk."""
        return Finder(self.names, self.find_module)

    def find_module(self, importer: str, module: str) -> str | None:
        """Path of the file that an import means, seen from ``importer``; leading dots are relative."""
        return self.db.get(self._module_paths, (importer, module))

    # -------------------------------------------------------------------------------------------------------- queries
    def _modules(self, db: Database, path: str) -> Modules:
        """Modules as files of a known shape: an edit inside a kernel is none of their business."""

        def syntax_of(name: str) -> FileSyntax:
            db.get(self._shape, name)
            newest = db.peek(self._syntax, name)
            return newest if newest is not None else db.get(self._syntax, name)

        roots = (*self.settings(path).search_path, *db.read(_ROOTS, ""))
        files = Presence(lambda name: db.get(self._present, name), _Files(db, self._disk).is_directory)
        return Modules(files, roots, syntax_of)

    def _define_queries(self) -> None:
        @query(keep=1024, equal=_identity)
        def syntax(db: Database, path: str) -> FileSyntax:
            text = _Files(db, self._disk).read(path) or ""
            memory = self._syntaxes.get(path)
            if memory is None:
                memory = self._syntaxes[path] = SyntaxMemory(path)
            return memory.parse(text)

        @query(keep=1024, equal=same_shape)
        def shape(db: Database, path: str) -> FileSyntax:
            return db.get(syntax, path)

        @query(keep=1024)
        def faulty(db: Database, path: str) -> bool:
            return bool(db.get(syntax, path).faults)

        @query(keep=4096)
        def present(db: Database, path: str) -> bool:
            return _Files(db, self._disk).read(path) is not None

        @query(keep=256, equal=_identity)
        def graph(db: Database, path: str) -> ModuleGraph | Exception:
            """The evaluated module; a fault of the evaluation in place of it."""
            modules = self._modules(db, path)
            try:
                root = ModuleFile(modules.root_name(path), path, "", False, modules.syntax_of(path))
                made = ModuleGraph(root, modules, checkpoint=db.check, costly=self._costly)
            except FAULTS as fault:
                return fault
            for name in made.evaluated_bodies():
                db.get(syntax, name)
            for module in made.modules.values():
                if module.asked_complete:
                    db.get(faulty, module.filename)
            return made

        @query(keep=256)
        def comments(db: Database, path: str) -> tuple[IgnoreComment, ...]:
            """The ignore comments of an open file; of one that is too large, none."""
            document = db.read(_DOCUMENT, path)
            if document is None or len(document.text) > self.settings(path).max_bytes:
                return ()
            return ignore_comments(document.text)

        @query(keep=1024, equal=_identity)
        def named(db: Database, path: str) -> FileNames:
            document = db.read(_DOCUMENT, path)
            if document is not None and len(document.text) > self.settings(path).max_bytes:
                return FileNames(path, ())
            return self._names.setdefault(path, NamesMemory()).read(path, db.get(syntax, path))

        @query(keep=4096)
        def module_paths(db: Database, key: tuple[str, str]) -> str | None:
            return _module_path(self._modules(db, key[0]), *key)

        @query(keep=256, equal=_identity)
        def parsed(db: Database, path: str) -> ParseResult:
            document = db.read(_DOCUMENT, path)
            if document is None:
                return ParseResult(None)
            settings = self.settings(path)
            if len(document.text) > settings.max_bytes:
                return ParseResult(None, diagnostics=(too_large(document, settings),))
            try:
                if is_printed(document.text):
                    return parse(document.text, path)
                evaluated = db.get(graph, path)
                if isinstance(evaluated, Exception):
                    return ParseResult(None, diagnostics=(reading_fault(document, evaluated),))
                evaluated.follow(lambda name: db.get(syntax, name))
                return read_graph(evaluated, db.check, self._kernels.setdefault(path, KernelMemory()))
            except FAULTS as fault:
                return ParseResult(None, diagnostics=(reading_fault(document, fault),))

        # What is remembered of a program goes with it (``_beside``).
        @query(equal=_identity)
        def early(db: Database, key: tuple[Program, str | None]) -> Early:
            return with_split_findings(early_findings(*key), *key, self._passes, db.check)

        @query(equal=_identity)
        def lowered(db: Database, key: tuple[Program, str | None]) -> Lowering:
            known = db.get(early, key)
            return lower(key[0], key[1], memory=self._passes, checkpoint=db.check, early=known)

        @query(equal=_identity)
        def planned(db: Database, key: tuple[Program, str | None]) -> Lowering:
            known, last = db.get(early, key), MEMORY_PASSES[-1]
            return lower(key[0], key[1], until=last, memory=self._passes, checkpoint=db.check, early=known)

        @query(equal=_identity)
        def histories(db: Database, key: tuple[Program, str | None]) -> Histories:
            return Histories(db.get(lowered, key))

        @query(keep=256, equal=_identity)
        def typing(db: Database, path: str) -> FileFindings:
            return self._findings(db, path, lambda told, *of: told.early(*of, self._early_of(db, of[1])))

        @query(keep=256, equal=_identity)
        def full(db: Database, path: str) -> FileFindings:
            return self._findings(
                db, path, lambda told, *of: told.full(*of, self._lowered_of(db, of[1])), True
            )

        self._faulty, self._comments = faulty, comments
        self._syntax, self._shape, self._present, self._graph = syntax, shape, present, graph
        self._named, self._module_paths = named, module_paths
        self._parsed, self._early = parsed, early
        self._lowered, self._planned, self._histories = lowered, planned, histories
        self._typing, self._full = typing, full

    def _early_of(self, db: Database, backend: str | None) -> Analysis:
        def analyse(program: Program) -> tuple[Diagnostic, ...]:
            db.check()
            return db.get(self._early, (program, backend)).diagnostics

        return analyse

    def _lowered_of(self, db: Database, backend: str | None) -> Analysis:
        def analyse(program: Program) -> tuple[Diagnostic, ...]:
            db.check()
            return db.get(self._lowered, (program, backend)).diagnostics

        return analyse

    def _lowered_before(self, db: Database, backend: str | None) -> Analysis:
        """Only what is remembered; it depends on the program alone."""

        def analyse(program: Program) -> tuple[Diagnostic, ...] | None:
            known = db.peek(self._lowered, (program, backend))
            return known.diagnostics if known is not None else None

        return analyse

    def _findings(
        self, db: Database, path: str, of_programs: OfPrograms, whole: bool = False
    ) -> FileFindings:
        """The front end's findings and those of every kernel that it could read completely; ``whole``: these are all there are."""
        document = db.read(_DOCUMENT, path)
        if document is None:
            return FileFindings()
        result = db.get(self._parsed, path)
        settings = self.settings(path)
        programs = self._programs_of(path, result)
        self._beside(path, programs)
        broken = {entry for entry, _ in result.incomplete}
        if broken:
            programs = [program for entry, program in result.programs.items() if entry not in broken]
        told = self._told.setdefault(path, Told())
        found = of_programs(told, programs, settings.backend)
        told_now = told.by_chunk.update(result.diagnostics, found, document, settings, result.graph)
        comments = db.get(self._comments, path)
        if not comments:
            return told_now
        of_comments = [*wrong_comments(path, document.text, comments)]
        placed = told.by_chunk.found()
        if whole and not broken and not any(d.severity is Severity.ERROR for d in placed):
            of_comments += unused_comments(path, document.text, comments, placed, programs)
        of_comments = [d for d in of_comments if _is_wanted(d, settings)]
        return replace(told_now, own=merged(told_now.own, of_comments)) if of_comments else told_now


def _is_wanted(finding: Diagnostic, settings: Settings) -> bool:
    return finding.code not in settings.ignore and (not settings.select or finding.code in settings.select)


def _module_path(modules: Modules, importer: str, module: str) -> str | None:
    dots = len(module) - len(module.lstrip("."))
    name = module[dots:]
    file = ModuleFile(modules.root_name(importer), importer, "", False, FileSyntax([], []))
    if dots:
        found = modules.find_relative(dots, name, file)
    else:
        found = modules.find(name, file, file)
    return found.filename if found is not None else None


def reading_fault(document: Document, fault: Exception) -> Diagnostic:
    """The finding that stands for a fault of the product while it read a file; ``data`` keeps the details for the log."""
    return Diagnostic(
        "internal",
        "internal error while reading this file: nothing in it is analysed. The file itself is not at fault; the log has the details.",
        Span(Chunk(document.path, document.text[:200]), 0, 0),
        Severity.INFORMATION,
        data={"fault": fault},
    )


def too_large(document: Document, settings: Settings) -> Diagnostic:
    size, limit = len(document.text) / 2**20, settings.max_bytes / 2**20
    return Diagnostic(
        "file-too-large",
        f"This file has {size:.1f} MiB; files above {limit:.1f} MiB are not analysed. Split it, or raise the limit (pypto.maxFileSize).",
        Span(Chunk(document.path, document.text[:200]), 0, 0),
        Severity.INFORMATION,
    )
