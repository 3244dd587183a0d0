"""Start, settings and document synchronisation."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types

from pypto_lsp import __version__
from pypto_lsp.config import section_of
from pypto_lsp.guard import ClientLog
from pypto_lsp.positions import Text, path_of
from pypto_lsp.repairs import load
from pypto_lsp.server import IR_SCHEME, PyptoServer

log = logging.getLogger("pypto_lsp")
#: Documents of other kinds are left alone: lowered ones, cells of notebooks, revisions of version control.
_LEFT_ALONE = (f"{IR_SCHEME}:", "vscode-notebook-cell:", "git:", "output:")


def register(server: PyptoServer) -> None:
    """Attach the handlers of the protocol's life cycle."""
    wrong: list[str] = []  # in the first settings; nothing may be shown before the client is ready

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.loop = asyncio.get_running_loop()
        handler = ClientLog(server.loop, server.window_log_message)
        log.addHandler(handler)
        for other in logging.getLogger().handlers:
            other.setLevel(
                max(other.level, log.getEffectiveLevel())
            )  # standard error keeps its own threshold
        log.setLevel(min(log.getEffectiveLevel(), logging.INFO))
        options = params.initialization_options
        options = options if isinstance(options, dict) else {}
        server.client_commands = bool(options.get("clientCommands"))
        wrong.extend(server.take_sections({"": section_of(options)}))
        folders = [f.uri for f in params.workspace_folders or ()] or [params.root_uri or ""]
        server.root_uris = {path_of(uri): uri for uri in folders if uri}
        server.set_roots(list(server.root_uris))

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        log.info("pypto-lsp %s serves %s", __version__, ", ".join(server.roots) or "single files")
        await _register_dynamic(server)
        await _pull_settings(server)
        server.wrong_settings(wrong)
        server.worker.idle("repairs", load)
        await server.scan.start(server.roots)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: Any) -> None:
        server.worker.stop()
        for handler in [h for h in log.handlers if isinstance(h, ClientLog)]:
            log.removeHandler(handler)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        settings = params.settings if isinstance(params.settings, dict) else {}
        section = section_of(settings)
        if section or isinstance(settings.get("pypto"), dict):
            server.configure({"": section})
        else:
            await _pull_settings(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(f.uri) for f in params.event.removed}
        added = [path_of(f.uri) for f in params.event.added]
        server.root_uris.update((path_of(f.uri), f.uri) for f in params.event.added)
        server.set_roots([r for r in server.roots if r not in gone] + added)
        for path in server.project.files():
            if server.folder_of(path) == "":
                server.project.defined.pop(path, None)
        await _pull_settings(server)
        await server.scan.start(added)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path_of(change.uri) for change in params.changes]
        if any(path.endswith(".toml") for path in paths):
            server.settings_changed()
        sources = [path for path in paths if path.endswith(".py")]
        opened = {document.path for document in server.documents.values()}
        changed = [path for path in sources if path not in opened]
        if changed:

            def forget() -> None:
                for path in (*changed, ""):
                    server.core.disk_changed(path)

            server.worker.edit("disk", forget)
            server.scan.look_at(changed)
            for document in list(server.documents.values()):
                server.look_again(document)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        if not document.uri.startswith(_LEFT_ALONE):
            server.opened(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.documents.get(params.text_document.uri)
        if document is not None:
            before = Text(document.text, document.lines)
            text = before.changed(params.content_changes, server.workspace.position_codec)
            server.changed(document.uri, text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        document = server.document(params.text_document.uri)
        if document is not None:
            server.scan.look_at([document.path])
            if server.config_of(document.path).run == "onSave":
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
    configuration = workspace.did_change_configuration if workspace is not None else None
    if configuration is not None and configuration.dynamic_registration:
        wanted.append(
            types.Registration(
                id="pypto-configuration",
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options={"section": "pypto"},
            )
        )
    if wanted:
        try:
            await server.client_register_capability_async(types.RegistrationParams(registrations=wanted))
        except Exception:
            log.exception("the client refused a registration")


async def _pull_settings(server: PyptoServer) -> None:
    """Ask for the section of every workspace folder, and for the one that holds outside them."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    roots = list(server.roots)
    scopes = [None, *(server.uri_of_root(root) for root in roots)]
    items = [types.ConfigurationItem(section="pypto", scope_uri=scope) for scope in scopes]
    try:
        answer = await server.workspace_configuration_async(types.ConfigurationParams(items=items))
    except Exception:
        log.exception("the client gave no settings")
        return
    sections = {
        root: section
        for root, section in zip(["", *roots], answer or (), strict=False)
        if isinstance(section, dict) and section
    }
    if sections:
        server.configure(sections)
