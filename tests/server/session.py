"""A session with a server process over standard input and output, as an editor has one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from pypto_lsp.server import FAULT
from tests.server.cursor import source

TIMEOUT = 60.0


class Client(LanguageClient):
    """Remembers everything that was published, and what the server asked for."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.refreshed: list[str] = []
        self.registered: list[types.Registration] = []
        self.lowered_refreshed: list[str] = []
        self.changed = asyncio.Event()

    def report_server_error(self, error: Exception, source: Any) -> None:
        self.error = error


def make_client() -> Client:
    client = Client()
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **_FEATURES})
    return client


def _publish(client: Client, params: types.PublishDiagnosticsParams) -> None:
    client.published.append(params)
    client.diagnostics[params.uri] = params.diagnostics
    client.changed.set()


def _refresh(method: str) -> Callable[..., None]:
    def refresh(client: Client, params: None) -> None:
        client.refreshed.append(method)
        client.changed.set()

    return refresh


def _register(client: Client, params: types.RegistrationParams) -> None:
    client.registered.extend(params.registrations)


def _lowered(client: Client, params: types.TextDocumentContentRefreshParams) -> None:
    client.lowered_refreshed.append(params.uri)
    client.changed.set()


def _fault(client: Client, params: Any) -> None:
    """A fault of the server, as our own extension is told of it."""
    client.messages.append(types.ShowMessageParams(types.MessageType.Error, params.message))


_FEATURES: dict[str, Any] = {
    FAULT: _fault,
    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _publish,
    types.CLIENT_REGISTER_CAPABILITY: _register,
    types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH: _lowered,
    **{
        method: _refresh(method)
        for method in (
            types.WORKSPACE_INLAY_HINT_REFRESH,
            types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
            types.WORKSPACE_CODE_LENS_REFRESH,
            types.WORKSPACE_DIAGNOSTIC_REFRESH,
        )
    },
}


class Session:
    """Open documents and the usual questions; positions are those of ``$0`` or of a word."""

    def __init__(self, client: Client, root: Path, result: types.InitializeResult) -> None:
        self.client = client
        self.root = root
        self.capabilities = result.capabilities
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self._number = 0

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    async def open(self, text: str, name: str = "", wait: bool = True) -> str:
        """Open a file with this text, under a name of its own if none is given; waits until everything is known of it."""
        if not name:
            self._number += 1
            name = f"kernel{self._number}.py"
        uri = self.uri(name)
        self.texts[uri], self.versions[uri] = text, 1
        document = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        if wait:
            await self.analysed(uri)
        return uri

    async def change(self, uri: str, text: str, wait: bool = True) -> None:
        """Replace the whole text."""
        self.texts[uri] = text
        self.versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
        if wait:
            await self.analysed(uri)

    async def edit(self, uri: str, old: str, new: str, wait: bool = True) -> None:
        """Replace the first ``old``, as an incremental change."""
        text = self.texts[uri]
        start = self.position(uri, old)
        place = text.index(old)
        self.texts[uri] = text[:place] + new + text[place + len(old) :]
        self.versions[uri] += 1
        lines = old.split("\n")
        end = types.Position(
            start.line + len(lines) - 1,
            len(lines[-1].encode("utf-16-le")) // 2 + (start.character if len(lines) == 1 else 0),
        )
        change = types.TextDocumentContentChangePartial(range=types.Range(start, end), text=new)
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
        if wait:
            await self.analysed(uri)

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(uri)))
        del self.texts[uri], self.versions[uri]

    def document(self, uri: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(uri)

    def position(self, uri: str, word: str, inside: int = 0) -> types.Position:
        """UTF-16 position of the first ``word``, ``inside`` characters behind its start."""
        text = self.texts[uri]
        place = text.index(word) + inside
        line = text.count("\n", 0, place)
        before = text[text.rfind("\n", 0, place) + 1 : place]
        return types.Position(line, len(before.encode("utf-16-le")) // 2)

    async def marked(self, text: str, name: str = "") -> tuple[types.TextDocumentIdentifier, types.Position]:
        """Open a text with ``$0`` in it."""
        at = source(text)
        uri = await self.open(at.text, name)
        return self.document(uri), types.Position(at.line, at.column)

    async def analysed(self, uri: str) -> None:
        """Wait until everything is known of the newest version."""
        await self.command("pypto.server.analysed", uri)

    async def until(self, condition: Callable[[], bool], timeout: float = TIMEOUT) -> None:
        """Wait until something that the server sends makes ``condition`` true."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while not condition():
            self.client.changed.clear()
            if loop.time() > end:
                raise TimeoutError
            try:
                await asyncio.wait_for(self.client.changed.wait(), 0.2)
            except asyncio.TimeoutError:
                continue

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(command=name, arguments=list(arguments))
        return await asyncio.wait_for(self.client.workspace_execute_command_async(params), TIMEOUT)

    async def request(self, method: str, params: Any) -> Any:
        """Any request, answered within the time limit."""
        return await asyncio.wait_for(self.client.protocol.send_request_async(method, params), TIMEOUT)

    def codes(self, uri: str) -> list[str]:
        """Codes published last for a document."""
        return [str(d.code) for d in self.client.diagnostics.get(uri, ())]

    async def alive(self) -> bool:
        """Whether the server still answers."""
        return "pypto-lsp" in await self.command("pypto.server.debugInformation")


@asynccontextmanager
async def session(
    root: Path,
    capabilities: types.ClientCapabilities,
    *,
    options: dict[str, Any] | None = None,
    configuration: dict[str, Any] | None = None,
    roots: list[Path] | None = None,
) -> AsyncIterator[Session]:
    """Start a server, initialise it, and end it."""
    client = make_client()
    for scope, settings in (configuration or {}).items():
        client.set_configuration(settings, scope_uri=scope)
    await client.start_io(sys.executable, "-m", "pypto_lsp", "serve", "--log-level", "error")
    folders = [types.WorkspaceFolder(uri=r.as_uri(), name=r.name) for r in roots or [root]]
    params = types.InitializeParams(
        capabilities=capabilities,
        root_uri=root.as_uri(),
        workspace_folders=folders,
        initialization_options=options if options is not None else {"clientCommands": True},
    )
    result = await client.initialize_session(params)
    try:
        yield Session(client, root, result)
    finally:
        try:
            await asyncio.wait_for(client.shutdown_session(), 20)
        finally:
            await client.stop()
