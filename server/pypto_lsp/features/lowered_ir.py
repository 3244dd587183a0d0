"""Lowered IR as read-only documents (LSP 3.18 ``workspace/textDocumentContent``) under the scheme ``pypto-ir``.

The address is ``pypto-ir:/<entry>.<pass>.pypto-ir?{"uri": ..., "entry": ..., "pass": ...}``; open documents are refreshed after every analysis.
"""

from __future__ import annotations

import json
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from pypto_lsp.lowered import LoweredText, UnknownName, lowered_text, pass_name
from pypto_lsp.server import IR_SCHEME, Open, PyptoServer


def parse_address(uri: str) -> dict[str, str] | None:
    """What a lowered document is made from; None for an address that is not one."""
    parts = urlsplit(uri)
    if parts.scheme != IR_SCHEME:
        return None
    try:
        value = json.loads(unquote(parts.query))
    except ValueError:
        return None
    if not isinstance(value, dict) or not all(
        isinstance(value.get(k), str) for k in ("uri", "entry", "pass")
    ):
        return None
    return value


async def content(server: PyptoServer, address: dict[str, str]) -> LoweredText:
    """The text of a lowered document, for the newest version of its source."""
    document = server.document(address["uri"])
    if document is None:
        return LoweredText("# The source file is not open.\n", (), "")
    try:
        name = pass_name(address["pass"])
    except UnknownName as fault:
        return LoweredText(f"# {fault}\n", (), "")
    await server.settled(document)
    return await server.ask(lambda: lowered_text(server.core, document.path, address["entry"], name))


def register(server: PyptoServer) -> None:
    """Answer content requests; refresh what is open."""
    shown: dict[str, str] = {}

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def text(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        address = parse_address(params.uri)
        if address is None:
            return types.TextDocumentContentResult(
                text=f"# {params.uri} is not the address of a lowered kernel.\n"
            )
        shown[params.uri] = address["uri"]
        return types.TextDocumentContentResult(text=(await content(server, address)).text)

    def refresh(document: Open, full: bool) -> None:
        if not full or not _refreshes(server):
            return
        for uri, source in list(shown.items()):
            if source == document.uri:
                server.workspace_text_document_content_refresh(
                    types.TextDocumentContentRefreshParams(uri=uri)
                )

    def forget(uri: str) -> None:
        for address in [a for a, source in shown.items() if source == uri]:
            del shown[address]

    server.listeners.append(refresh)
    server.closed_listeners.append(forget)


def _refreshes(server: PyptoServer) -> bool:
    workspace = server.client_capabilities.workspace
    return workspace is not None and getattr(workspace, "text_document_content", None) is not None
