"""Lowered IR as read-only documents (LSP 3.18 ``workspace/textDocumentContent``) under the scheme ``pypto-ir``.

The address is ``pypto-ir:/<entry>.<pass>.pypto-ir?{"uri": ..., "entry": ..., "pass": ...}``; open documents are refreshed after every
analysis. Hover, definition, references, symbols and folding work inside them: the text is Python to the reader of names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from pypto_core import AssignStmt, FileNames, Histories, Span, author_name, parse_file, read_names
from pypto_lsp.features.hover import HoverText, to_hover
from pypto_lsp.lowered import LoweredText, UnknownName, lowered_text, pass_name
from pypto_lsp.positions import Positions, columns_of, split_lines, uri_of
from pypto_lsp.render.language import function_markdown, language_markdown
from pypto_lsp.render.value import crossing_text, history_rows, markdown, type_text
from pypto_lsp.server import IR_SCHEME, Open, PyptoServer, Tier
from pypto_lsp.views import View

#: Lowered documents that are remembered.
KEEP = 16
#: Addresses that are refreshed when their source changes.
SHOWN = 64


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


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered document: its text, its names, and the values of the kernel through the passes."""

    revision: int
    text: LoweredText
    names: FileNames
    histories: Histories | None


async def content(server: PyptoServer, address: dict[str, str]) -> LoweredText:
    """The text of a lowered document, for the newest version of its source."""
    document = server.document(address["uri"])
    if document is None:
        return LoweredText("# The source file is not open.\n", (), "")
    try:
        name = pass_name(address["pass"])
    except UnknownName as fault:
        return LoweredText(f"# {fault}\n", (), "")
    found = await lowered(server, document, address["entry"], name)
    return found.text


async def lowered(server: PyptoServer, document: Open, entry: str, name: str) -> Lowered:
    """The newest text of a kernel after a pass; remembered while its source does not change."""
    await server.settled(document)
    key = (document.uri, entry, name)
    known = server.lowered.get(key)
    if known is not None and known.revision == document.revision:
        return known
    revision = document.revision

    def job() -> Lowered:
        text = lowered_text(server.core, document.path, entry, name)
        path = f"{IR_SCHEME}:{entry}.{name}"
        names = read_names(path, parse_file(path, text.text))
        return Lowered(revision, text, names, server.core.histories(document.path, entry))

    found = await server.ask(job)
    server.lowered.pop(key, None)
    server.lowered[key] = found
    while len(server.lowered) > KEEP:
        server.lowered.pop(next(iter(server.lowered)))
    return found


async def _lowered_at(server: PyptoServer, uri: str) -> tuple[Open, Lowered] | None:
    address = parse_address(uri)
    document = server.document(address["uri"]) if address is not None else None
    if address is None or document is None:
        return None
    try:
        name = pass_name(address["pass"])
    except UnknownName:
        return None
    return document, await lowered(server, document, address["entry"], name)


async def lowered_view(server: PyptoServer, uri: str) -> View | None:
    """A lowered document for the features that only need names."""
    found = await _lowered_at(server, uri)
    if found is None:
        return None
    document, made = found
    lines = split_lines(made.text.text)
    positions = Positions(lines, server.workspace.position_codec)
    return View(uri, lines, made.names, positions, document, lowered=True)


async def source_location(server: PyptoServer, uri: str, line: int) -> types.Location | None:
    """The source statement that the lowered line stands for."""
    found = await _lowered_at(server, uri)
    if found is None:
        return None
    document, made = found
    stmt = made.text.stmts.get(line)
    if stmt is None or not stmt.span.is_valid:
        return None
    positions = server.positions_in(stmt.span.filename)
    target = document.uri if stmt.span.filename == document.path else uri_of(stmt.span.filename)
    return types.Location(uri=target, range=positions.range(stmt.span))


async def lowered_hover(server: PyptoServer, uri: str, position: types.Position) -> types.Hover | None:
    """Hover inside a lowered document."""
    found = await _lowered_at(server, uri)
    if found is None:
        return None
    document, made = found
    lines = split_lines(made.text.text)
    if position.line >= len(lines):
        return None
    positions = Positions(lines, server.workspace.position_codec)
    backend = server.config_of(document.path).backend
    hover = hover_in(made, position.line, positions.column(position), backend)
    return to_hover(server, hover, positions) if hover is not None else None


def hover_in(made: Lowered, line: int, column: int, backend: str | None) -> HoverText | None:
    """A value with its type, where it comes from and what became of it; or a name of the language."""
    names = made.names
    use = names.at(line, column)
    if use is None:
        return None
    start, end = columns_of(use.span)
    path = names.language_path(use)
    if path:
        text = language_markdown(path, backend, [])
        return HoverText(text, line, start, end) if text else None
    method = names.method(use)
    if method is not None:
        return HoverText(function_markdown(method, names), line, start, end)
    symbol = names.symbol(use)
    if symbol is None:
        return None
    for definition in reversed(symbol.definitions):
        stmt = made.text.stmts.get(definition.span.line - 1)
        if (
            definition.span.line - 1 <= line
            and isinstance(stmt, AssignStmt)
            and stmt.var.name_hint == use.name
        ):
            return HoverText(_value(made, use.name, stmt, backend), line, start, end)
    function = use.scope.enclosing_function
    parameter = (
        next((p for p in function.parameters if p.name == use.name), None) if function is not None else None
    )
    return HoverText(markdown(parameter.label, []), line, start, end) if parameter is not None else None


def _value(made: Lowered, name: str, stmt: AssignStmt, backend: str | None) -> str:
    rows: list[tuple[str, str]] = []
    span: Span = stmt.span
    if span.is_valid:
        first = " ".join(span.text.split("\n", 1)[0].split())
        rows.append((f"line {span.line}", f"`{first}`"))
    history = (
        made.histories.of(span, author_name(name)) if made.histories is not None and span.is_valid else None
    )
    if history is not None:
        rows += history_rows(history, backend)
    crossing = made.histories.crossings().get(span) if made.histories is not None and span.is_valid else None
    if crossing is not None:
        rows.append(("crosses", crossing_text(crossing, backend)))
    return markdown(f"{name}: {type_text(stmt.var.type)}", rows)


def register(server: PyptoServer) -> None:
    """Answer content requests; refresh what a client may be showing.

    A client does not say which of these documents it still shows, and it keeps the text of one for a while behind an editor that
    was closed. So an address is remembered beyond the end of its source, until others take its place.
    """
    shown: dict[str, str] = {}

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def text(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        address = parse_address(params.uri)
        if address is None:
            return types.TextDocumentContentResult(
                text=f"# {params.uri} is not the address of a lowered kernel.\n"
            )
        shown.pop(params.uri, None)
        shown[params.uri] = address["uri"]
        if len(shown) > SHOWN:
            del shown[next(iter(shown))]
        return types.TextDocumentContentResult(text=(await content(server, address)).text)

    def refresh(document: Open, tier: Tier) -> None:
        if tier is not Tier.FULL or not _refreshes(server):
            return
        for uri, source in list(shown.items()):
            if source == document.uri:
                server.workspace_text_document_content_refresh(
                    types.TextDocumentContentRefreshParams(uri=uri)
                )

    def forget(document: Open) -> None:
        for key in [k for k in server.lowered if k[0] == document.uri]:
            del server.lowered[key]

    server.listeners.append(refresh)
    server.closed_listeners.append(forget)


def _refreshes(server: PyptoServer) -> bool:
    workspace = server.client_capabilities.workspace
    return workspace is not None and getattr(workspace, "text_document_content", None) is not None
