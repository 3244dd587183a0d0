"""The server object: open documents, settings, the analysis thread and what it found last."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pypto_core import Diagnostic, FileFacts, FileNames, Histories, Source, Workspace, merged
from pypto_lsp import __version__
from pypto_lsp.config import Config, ConfigError, checked_section, from_pyproject, with_editor_settings
from pypto_lsp.guard import EXPECTED, ContentModified, Expected, guarded
from pypto_lsp.heap import Collector
from pypto_lsp.modules import Disk
from pypto_lsp.positions import Positions, Text, path_of, split_lines, uri_of
from pypto_lsp.project import Project
from pypto_lsp.protocol import Protocol
from pypto_lsp.repairs import Repairs, prepared
from pypto_lsp.wire import Wire
from pypto_lsp.worker import Worker

if TYPE_CHECKING:
    from pypto_lsp.features.lowered_ir import Lowered

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
log = logging.getLogger("pypto_lsp")
IR_SCHEME = "pypto-ir"
#: Notification to our own extension: a fault of the server, to be shown with a button for the log.
FAULT = "pypto/fault"
#: Cheap test whether a Python file is one of ours: other files cost nothing.
_OURS = re.compile(r"pypto", re.ASCII)


class Tier(IntEnum):
    """How much is known of a version: its names, what typing reveals, everything."""

    NAMES = 0
    TYPED = 1
    FULL = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one analysis found of one revision of a document."""

    revision: int
    tier: Tier
    findings: tuple[Diagnostic, ...]
    facts: FileFacts
    repairs: Repairs = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Open:
    """An open file: its newest text, and the newest facts that were computed of it. ``revision`` counts every change
    of it and of what it depends on."""

    uri: str
    path: str
    text: str
    version: int
    ours: bool
    lines: list[str]
    revision: int = 0
    #: How far the newest revision is going to be analysed.
    expected: Tier = Tier.FULL
    names: tuple[int, FileNames] | None = None
    typed: Snapshot | None = None
    full: Snapshot | None = None
    #: Findings in imported files, by path.
    elsewhere: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    waiters: list[asyncio.Future[None]] = field(default_factory=list)
    wire: Wire = field(default_factory=Wire)

    @property
    def newest(self) -> Snapshot | None:
        """The newest findings: everything, if that is known of the revision that typing knows."""
        full, typed = self.full, self.typed
        if full is not None and (typed is None or full.revision >= typed.revision):
            return full
        return typed

    @property
    def facts(self) -> FileFacts | None:
        return self.newest.facts if self.newest is not None else None

    @property
    def repairs(self) -> Repairs:
        """Repairs of the newest findings, as far as they were made in advance."""
        return self.newest.repairs if self.newest is not None else {}

    def reached(self, tier: Tier) -> bool:
        """Whether the newest revision has been analysed so far."""
        if tier is Tier.NAMES:
            return self.names is not None and self.names[0] == self.revision
        found = self.full if tier is Tier.FULL else self.newest
        return found is not None and found.revision == self.revision

    def histories(self, entry: str) -> Histories | None:
        """Values of a kernel through the passes; those of an older revision hold while the kernel is the same object."""
        typed, full = self.facts, self.full
        if typed is None or typed.parsed is None or full is None or full.facts.parsed is None:
            return None
        program = typed.parsed.programs.get(entry)
        return full.facts.histories.get(entry) if full.facts.parsed.programs.get(entry) is program else None


class PyptoServer(LanguageServer):
    """One workspace, one analysis thread. Features read snapshots on the loop and reach the core through :meth:`ask` only."""

    protocol: Protocol

    def __init__(self) -> None:
        from pypto_lsp.refresh import Refreshes
        from pypto_lsp.scan import Scan

        super().__init__("pypto-lsp", __version__, protocol_cls=Protocol, max_workers=2)
        self.disk = Disk()
        self.core = Workspace(self.disk)
        self.worker = Worker(self.core)
        self.project = Project(self.core, self.disk)
        self.documents: dict[str, Open] = {}
        self.roots: list[str] = []
        self.root_uris: dict[str, str] = {}
        #: The editor's ``pypto`` section, per workspace folder ("" for all others).
        self.sections: dict[str, dict[str, Any]] = {"": {}}
        self.client_commands = False
        self.listeners: list[Callable[[Open, Tier], None]] = []
        self.repairs_listeners: list[Callable[[Open], None]] = []
        self.closed_listeners: list[Callable[[Open], None]] = []
        self.settings_listeners: list[Callable[[], None]] = []
        self.loop: asyncio.AbstractEventLoop | None = None
        #: Lowered texts that were shown last: (uri of the source, entry, pass) -> document.
        self.lowered: dict[tuple[str, str, str], Lowered] = {}
        self.refreshes = Refreshes(self)
        self.scan = Scan(self)
        self.collector = Collector(lambda job: self.worker.idle("garbage", job))
        self._configs: dict[str, Config] = {}
        self._complained: set[str] = set()
        self._shown_faults: set[int] = set()
        for name in ("pygls.protocol.json_rpc", "pygls.server"):
            logging.getLogger(name).addFilter(Expected())

    # ------------------------------------------------------------------------------------------------------- handlers
    def feature(self, feature_name: str, options: Any | None = None) -> Callable[[F], F]:
        """As in pygls, with a guard around the handler."""
        register = super().feature(feature_name, options)

        def wrap(handler: F) -> F:
            register(guarded(feature_name, handler, self.report_fault))
            return handler

        return wrap

    def command(self, command_name: str) -> Callable[[F], F]:
        register = super().command(command_name)

        def wrap(handler: F) -> F:
            register(guarded(command_name, handler, self.report_fault))
            return handler

        return wrap

    def report_fault(self, what: str) -> None:
        """One message per kind of fault; the log has every one. Our own extension adds a button that shows the log."""
        message, key = f"internal error in {what}; the log has the details", f"fault:{what}"
        if not self.client_commands:
            self.complain(message, types.MessageType.Error, key=key)
        elif key not in self._complained:
            self._complained.add(key)
            self.protocol.notify(FAULT, {"message": f"PyPTO: {message}"})

    def report_server_error(self, error: Exception, source: type[Any]) -> None:
        """Faults of the transport: a message that is no message is logged, nothing more."""
        if not isinstance(error, EXPECTED):
            log.warning("%s: %s", source.__name__, error)

    def complain(
        self, message: str, kind: types.MessageType = types.MessageType.Warning, key: str | None = None
    ) -> None:
        """Show a message once."""
        if (key or message) in self._complained:
            return
        self._complained.add(key or message)
        self.window_show_message(types.ShowMessageParams(type=kind, message=f"PyPTO: {message}"))

    # ------------------------------------------------------------------------------------------------------- settings
    def configure(self, sections: dict[str, dict[str, Any]]) -> None:
        """Take over the editor's ``pypto`` sections; every open file is looked at again."""
        faults = self.take_sections(sections)
        self.settings_changed()
        self.wrong_settings(faults)

    def take_sections(self, sections: dict[str, dict[str, Any]]) -> list[str]:
        """Keep of the editor's sections what can be followed; what is wrong with the rest."""
        checked = {folder: checked_section(section) for folder, section in sections.items()}
        self.sections = {"": {}, **{folder: good for folder, (good, _) in checked.items()}}
        return [fault for _, faults in checked.values() for fault in faults]

    def settings_changed(self) -> None:
        """Read all settings again."""
        self._configs.clear()
        self._complained.clear()
        for document in list(self.documents.values()):
            self.apply_config(document)
            self.look_again(document)
        for listener in self.settings_listeners:
            listener()

    def folder_of(self, path: str) -> str:
        """The workspace folder around a file, the innermost if there are several; empty for none."""
        around = [r for r in self.roots if path == r or path.startswith(r.rstrip("/") + "/")]
        return max(around, key=len, default="")

    def config_of(self, path: str) -> Config:
        """Settings of a file: project file first, the editor's on top; faults are logged and shown once."""
        known = self._configs.get(path)
        if known is not None:
            return known
        config = Config()
        folder = self.folder_of(path)
        try:
            if Path(path).is_absolute():
                config = from_pyproject(Path(path), config)
        except ConfigError as fault:
            self.wrong_settings([str(fault)])
        config = with_editor_settings(config, self.sections.get(folder) or self.sections[""], folder)
        self._configs[path] = config
        return config

    def wrong_settings(self, faults: Iterable[str]) -> None:
        """Log and show each fault of the settings once."""
        for fault in faults:
            if fault not in self._complained:
                log.warning("%s", fault)
            self.complain(fault)

    def apply_config(self, document: Open) -> None:
        settings = self.config_of(document.path).core()
        self.worker.edit(f"settings:{document.path}", lambda: self.core.configure(settings, document.path))

    def set_roots(self, roots: list[str]) -> None:
        """The workspace folders."""
        self.roots = roots
        self._configs.clear()
        self.worker.edit("roots", lambda: self.core.set_roots(roots))

    # ------------------------------------------------------------------------------------------------------ documents
    def opened(self, uri: str, text: str, version: int) -> None:
        path = path_of(uri)
        self._configs.pop(path, None)
        document = Open(uri, path, text, version, bool(_OURS.search(text)), split_lines(text), revision=1)
        previous = self.documents.get(uri)
        if previous is not None:
            document.revision = previous.revision + 1
            self._release(previous)
        self.documents[uri] = document
        if document.ours:
            self.apply_config(document)
            self.schedule(document)
        else:
            self.worker.edit(path, lambda: self.core.open(path, text, version))
        self._look_again_at_importers(document)

    def changed(self, uri: str, text: Text, version: int) -> None:
        document = self.documents.get(uri)
        if document is None:
            self.opened(uri, text.text, version)
            return
        document.text, document.lines, document.version = text.text, text.lines, version
        document.revision += 1
        self._release(document)
        if not document.ours:
            document.ours = bool(_OURS.search(text.text))
            if document.ours:
                self.apply_config(document)
        self.schedule(document)
        self._look_again_at_importers(document)

    def closed(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is None:
            return
        self._release(document)
        self.worker.edit(document.path, lambda: self.core.close(document.path))
        for listener in self.closed_listeners:
            listener(document)
        self._look_again_at_importers(document)

    def look_again(self, document: Open) -> None:
        """Something that the document depends on has changed: what is known of it is out of date."""
        document.revision += 1
        self._release(document)
        self.schedule(document)

    def _look_again_at_importers(self, document: Open) -> None:
        for other in list(self.documents.values()):
            if other is not document and document.path in other.elsewhere:
                # They are about a text that is gone.
                other.elsewhere = {p: found for p, found in other.elsewhere.items() if p != document.path}
            if other is not document and other.facts is not None and document.path in other.facts.modules:
                self.look_again(other)

    def _release(self, document: Open) -> None:
        """Wake everybody who waits for a version that has gone."""
        waiters, document.waiters = document.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def schedule(self, document: Open, lower: bool | None = None) -> None:
        """Have the newest text of a document analysed: names, then the quick findings, the lowering after them."""
        if not document.ours:
            if document.revision > 1:
                plain, body, number = document.path, document.text, document.version
                self.worker.edit(plain, lambda: self.core.open(plain, body, number))
            return
        path, text, version, revision = document.path, document.text, document.version, document.revision
        if lower is None:
            lower = self.config_of(path).run == "onType" or document.full is None
        document.expected = Tier.FULL if lower else Tier.TYPED
        loop = self.loop or asyncio.get_running_loop()
        self.loop = loop
        self.collector.edited()

        def quick() -> None:
            self.core.open(path, text, version)
            names = self.core.names(path)
            loop.call_soon_threadsafe(self._named, document, revision, names)
            found = self.core.first_diagnostics(path)
            facts = self.core.facts(path, lowered=False)
            loop.call_soon_threadsafe(
                self._computed, document, Snapshot(revision, Tier.TYPED, found, facts), {}
            )
            if lower:
                self.worker.background(path, slow)

        def slow() -> None:
            found = self.core.diagnostics(path)
            elsewhere = self.core.diagnostics_elsewhere(path)
            snapshot = Snapshot(revision, Tier.FULL, found, self.core.facts(path, lowered=True))
            loop.call_soon_threadsafe(self._computed, document, snapshot, elsewhere)
            self.worker.background(f"repairs:{path}", lambda: mend(snapshot))
            self.worker.idle(path, warm)

        def mend(snapshot: Snapshot) -> None:
            repairs = prepared(snapshot.findings, Source(path, text), self.core.db.check)
            loop.call_soon_threadsafe(self._mended, document, snapshot, repairs)

        def warm() -> None:
            self.core.warm(path)

        self.worker.edit(path, quick)

    def _named(self, document: Open, revision: int, names: FileNames) -> None:
        if document.revision == revision:
            document.names = (revision, names)
            self._release(document)

    def _computed(
        self, document: Open, found: Snapshot, elsewhere: dict[str, tuple[Diagnostic, ...]]
    ) -> None:
        if document.revision != found.revision or self.documents.get(document.uri) is not document:
            return
        if found.tier is Tier.FULL:
            document.full, document.elsewhere = found, elsewhere
        else:
            document.typed = found
        self._release(document)
        self._log_faults(document, found.findings)
        for listener in self.listeners:
            listener(document, found.tier)

    def _mended(self, document: Open, found: Snapshot, repairs: Repairs) -> None:
        """The repairs of the newest findings, which have been told already, are known."""
        if document.full is not found or self.documents.get(document.uri) is not document:
            return
        if document.revision != found.revision:
            return  # newer findings will be told with theirs
        document.full = replace(found, repairs=repairs)
        for listener in self.repairs_listeners:
            listener(document)

    def _log_faults(self, document: Open, findings: tuple[Diagnostic, ...]) -> None:
        """Faults of the product that the analysis survived: the log gets the details, once each."""
        for finding in findings:
            fault = finding.data.get("fault")
            if isinstance(fault, Exception) and id(fault) not in self._shown_faults:
                self._shown_faults.add(id(fault))
                log.error("%s: %s", document.path, finding.message, exc_info=fault)

    def findings(self, document: Open) -> tuple[Diagnostic, ...]:
        """The newest findings of a document, those made in it by the kernels of other open files included."""
        newest = document.newest
        own = newest.findings if newest is not None else ()
        others = [
            found
            for other in self.documents.values()
            if other is not document
            for found in other.elsewhere.get(document.path, ())
        ]
        return merged(own, others) if others else own

    # ------------------------------------------------------------------------------------------------------- requests
    def document(self, uri: str) -> Open | None:
        """An open file of ours, None for anything else."""
        found = self.documents.get(uri)
        return found if found is not None and found.ours else None

    def positions(self, document: Open) -> Positions:
        return Positions(document.lines, self.workspace.position_codec)

    def positions_in(self, path: str) -> Positions:
        """Positions in any file: an open one, or one on disk."""
        for document in self.documents.values():
            if document.path == path:
                return self.positions(document)
        return Positions(split_lines(self.disk.read(path) or ""), self.workspace.position_codec)

    async def settled(self, document: Open, tier: Tier = Tier.TYPED, timeout: float | None = None) -> bool:
        """Wait until the newest revision has been analysed so far; False when ``timeout`` (seconds) came first.

        Raises:
            ContentModified: the text changed, or the document was closed, meanwhile.
        """
        lines = document.lines
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout if timeout is not None else None
        while not document.reached(tier):
            waiter: asyncio.Future[None] = loop.create_future()
            document.waiters.append(waiter)
            try:
                await asyncio.wait_for(waiter, None if end is None else max(end - loop.time(), 0))
            except asyncio.TimeoutError:
                return False
            if document.lines is not lines or self.documents.get(document.uri) is not document:
                raise ContentModified
        return True

    async def names_of(self, document: Open) -> FileNames:
        """The names of the newest revision; they come before everything else."""
        await self.settled(document, Tier.NAMES)
        assert document.names is not None
        return document.names[1]

    async def scanned(self) -> None:
        """Wait until the files of the workspace have been looked at."""
        await self.scan.done.wait()

    def uri_of_root(self, root: str) -> str:
        """The address of a workspace folder as the client wrote it."""
        return self.root_uris.get(root, uri_of(root))

    async def aside(self, document: Open, job: Callable[[], T]) -> T:
        """Run ``job``, which only reads snapshots, beside the loop: for answers that take more than a few milliseconds.

        Raises:
            ContentModified: the text changed meanwhile.
        """
        lines = document.lines
        answer = await asyncio.get_running_loop().run_in_executor(None, job)
        if document.lines is not lines:
            raise ContentModified
        return answer

    async def ask(self, job: Callable[[], T]) -> T:
        """Run ``job`` on the analysis thread."""
        return await self.worker.ask(job)


def create_server() -> PyptoServer:
    """A server with all features registered."""
    from pypto_lsp import lifecycle
    from pypto_lsp.features import ALL

    server = PyptoServer()
    lifecycle.register(server)
    for feature in ALL:
        feature.register(server)
    return server
