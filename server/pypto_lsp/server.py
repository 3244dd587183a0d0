"""The server object: open documents, settings, the analysis thread and what it published last."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pypto_core import Diagnostic, Entry, Lowering, ParseResult, Workspace
from pypto_lsp import __version__
from pypto_lsp.config import Config, ConfigError, from_pyproject, with_editor_settings
from pypto_lsp.modules import Disk
from pypto_lsp.positions import Positions, path_of
from pypto_lsp.worker import Worker

T = TypeVar("T")
log = logging.getLogger("pypto_lsp")
IR_SCHEME = "pypto-ir"
#: Cheap test whether a Python file is one of ours: other files cost nothing.
_OURS = re.compile(r"pypto", re.ASCII)


class ContentModified(JsonRpcException):
    """The document changed while the answer was computed; clients ask again by themselves."""

    CODE = -32801
    MESSAGE = "Content Modified"


@dataclass(slots=True)
class Open:
    """An open file: its newest text, and the newest facts that were computed of it."""

    uri: str
    path: str
    text: str
    version: int
    ours: bool
    lines: list[str]
    #: Version whose findings were computed last, and those findings (with and without lowering).
    typed: tuple[int, tuple[Diagnostic, ...]] | None = None
    full: tuple[int, tuple[Diagnostic, ...]] | None = None
    waiters: list[asyncio.Future[None]] = field(default_factory=list)


class PyptoServer(LanguageServer):
    """One workspace, one analysis thread. Features reach the core through :meth:`ask` only."""

    def __init__(self) -> None:
        super().__init__("pypto-lsp", __version__, max_workers=2)
        self.core = Workspace(Disk())
        self.worker = Worker(self.core)
        self.documents: dict[str, Open] = {}
        self.config = Config()
        self.editor_section: dict[str, Any] = {}
        self.client_commands = False
        self.listeners: list[Callable[[Open, bool], None]] = []
        self.closed_listeners: list[Callable[[str], None]] = []
        self.loop: asyncio.AbstractEventLoop | None = None

    # ------------------------------------------------------------------------------------------------------- settings
    def configure(self, section: dict[str, Any] | None) -> None:
        """Take over the editor's ``pypto`` section; every open file is looked at again."""
        self.editor_section = section or {}
        for document in list(self.documents.values()):
            self.apply_config(document)
            self.schedule(document)

    def config_of(self, path: str) -> Config:
        """Settings of a file: project file first, the editor's on top; faults are logged and shown once."""
        config = Config()
        folder = next((r for r in self.modules.roots if path.startswith(r)), "")
        try:
            if Path(path).is_absolute():
                config = from_pyproject(Path(path), config)
        except ConfigError as fault:
            self.complain(str(fault))
        try:
            return with_editor_settings(config, self.editor_section, folder)
        except ConfigError as fault:
            self.complain(str(fault))
            return config

    def complain(self, message: str) -> None:
        """A fault of the user's configuration: a warning in the log and one message."""
        log.warning(message)
        self.window_show_message(
            types.ShowMessageParams(type=types.MessageType.Warning, message=f"PyPTO: {message}")
        )

    def apply_config(self, document: Open) -> None:
        settings = self.config_of(document.path).core()
        self.worker.edit(f"settings:{document.path}", lambda: self.core.configure(settings, document.path))

    # ------------------------------------------------------------------------------------------------------ documents
    def opened(self, uri: str, text: str, version: int) -> None:
        path = path_of(uri)
        document = Open(uri, path, text, version, bool(_OURS.search(text)), text.splitlines(keepends=True))
        self.documents[uri] = document
        self.modules.opened[path] = text
        self.apply_config(document)
        self.schedule(document)

    def changed(self, uri: str, text: str, version: int) -> None:
        document = self.documents.get(uri)
        if document is None:
            self.opened(uri, text, version)
            return
        document.text, document.version = text, version
        document.lines = text.splitlines(keepends=True)
        document.ours = document.ours or bool(_OURS.search(text))
        self.modules.opened[document.path] = text
        self.schedule(document)

    def closed(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is None:
            return
        self.modules.opened.pop(document.path, None)
        self.worker.edit(document.path, lambda: self.core.close(document.path))
        for listener in self.closed_listeners:
            listener(uri)

    def schedule(self, document: Open, lower: bool | None = None) -> None:
        """Have the newest text of a document analysed: the quick findings at once, the lowering after them."""
        if not document.ours:
            return
        path, text, version = document.path, document.text, document.version
        if lower is None:
            lower = self.config_of(path).run == "onType" or document.full is None
        loop = self.loop or asyncio.get_running_loop()
        self.loop = loop

        def quick() -> None:
            self.core.open(path, text, version)
            found = self.core.typing_diagnostics(path)
            loop.call_soon_threadsafe(self._computed, document, version, found, False)
            if lower:
                self.worker.background(path, slow)

        def slow() -> None:
            found = self.core.diagnostics(path)
            self.core.warm(path)
            loop.call_soon_threadsafe(self._computed, document, version, found, True)

        self.worker.edit(path, quick)

    def _computed(self, document: Open, version: int, found: tuple[Diagnostic, ...], full: bool) -> None:
        if document.version != version or self.documents.get(document.uri) is not document:
            return
        if full:
            document.full = (version, found)
        document.typed = (version, found) if not full else document.typed or (version, found)
        waiters, document.waiters = document.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        for listener in self.listeners:
            listener(document, full)

    # ------------------------------------------------------------------------------------------------------- requests
    def document(self, uri: str) -> Open | None:
        """An open file of ours, None for anything else."""
        found = self.documents.get(uri)
        return found if found is not None and found.ours else None

    def positions(self, document: Open) -> Positions:
        return Positions(document.lines, self.workspace.position_codec)

    async def settled(self, document: Open, full: bool = False) -> None:
        """Wait until the newest version has been analysed (with lowering when ``full``); raises :class:`ContentModified` when it changes meanwhile."""
        version = document.version
        while True:
            state = document.full if full else (document.typed or document.full)
            if state is not None and state[0] == document.version:
                return
            if document.version != version or self.documents.get(document.uri) is not document:
                raise ContentModified
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            document.waiters.append(waiter)
            await waiter

    async def ask(self, job: Callable[[], T]) -> T:
        """Run ``job`` on the analysis thread."""
        return await self.worker.ask(job)

    def parsed(self, document: Open) -> ParseResult | None:
        """The newest parse result, without waiting."""
        return self.core.last_parsed(document.path)

    def lowering(self, document: Open, entry: Entry) -> Lowering | None:
        return self.core.lowering(document.path, entry.name)


def create_server() -> PyptoServer:
    """A server with all features registered."""
    from pypto_lsp import lifecycle
    from pypto_lsp.features import ALL

    server = PyptoServer()
    lifecycle.register(server)
    for feature in ALL:
        feature.register(server)
    return server
