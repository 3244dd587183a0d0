"""Start, settings and document synchronisation."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types

from pypto_lsp.positions import path_of
from pypto_lsp.server import IR_SCHEME, PyptoServer

log = logging.getLogger("pypto_lsp")


def register(server: PyptoServer) -> None:
    """Attach the handlers of the protocol's life cycle."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.loop = asyncio.get_running_loop()
        options = params.initialization_options
        options = options if isinstance(options, dict) else {}
        server.client_commands = bool(options.get("clientCommands"))
        settings = options.get("settings")
        server.editor_section = settings if isinstance(settings, dict) else {}
        folders = [f.uri for f in params.workspace_folders or ()] or [params.root_uri or ""]
        server.modules.roots = [path_of(uri) for uri in folders if uri]

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await _register_dynamic(server)
        await _pull_settings(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: Any) -> None:
        server.worker.stop()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        section = params.settings.get("pypto") if isinstance(params.settings, dict) else None
        if isinstance(section, dict):
            server.configure(section)
        else:
            await _pull_settings(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(f.uri) for f in params.event.removed}
        roots = [r for r in server.modules.roots if r not in gone]
        server.modules.roots = roots + [path_of(f.uri) for f in params.event.added]

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.worker.edit("modules", lambda: server.core.module_changed(""))
        for document in list(server.documents.values()):
            server.apply_config(document)
            server.schedule(document)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        if not document.uri.startswith(f"{IR_SCHEME}:"):
            server.opened(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if not uri.startswith(f"{IR_SCHEME}:"):
            text = server.workspace.get_text_document(uri).source
            server.changed(uri, text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        document = server.document(params.text_document.uri)
        if document is not None and server.config_of(document.path).run == "onSave":
            server.schedule(document, lower=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


async def _register_dynamic(server: PyptoServer) -> None:
    """What has to be registered at run time: virtual documents and watched files."""
    workspace = server.client_capabilities.workspace
    wanted: list[types.Registration] = []
    content = getattr(workspace, "text_document_content", None)
    if content is not None and content.dynamic_registration:
        wanted.append(
            types.Registration(
                id="pypto-lowered-ir",
                method=types.WORKSPACE_TEXT_DOCUMENT_CONTENT,
                register_options={"schemes": [IR_SCHEME]},
            )
        )
    watched = workspace.did_change_watched_files if workspace is not None else None
    if watched is not None and watched.dynamic_registration:
        watchers = [types.FileSystemWatcher(glob_pattern=g) for g in ("**/*.py", "**/pyproject.toml")]
        wanted.append(
            types.Registration(
                id="pypto-watched-files",
                method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
            )
        )
    if wanted:
        try:
            await server.client_register_capability_async(types.RegistrationParams(registrations=wanted))
        except Exception:
            log.exception("the client refused a registration")


async def _pull_settings(server: PyptoServer) -> None:
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    item = types.ConfigurationItem(section="pypto")
    try:
        answer = await server.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    except Exception:
        log.exception("the client gave no settings")
        return
    if answer and isinstance(answer[0], dict):
        server.configure(answer[0])
