"""Document symbols: programs, kernels, their scopes and lane regions, constants and dimension names."""

from __future__ import annotations

from lsprotocol import types

from pypto_core import OutlineItem, outline
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import View, view_of

KINDS = {
    "program": types.SymbolKind.Class,
    "class": types.SymbolKind.Class,
    "kernel": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "constant": types.SymbolKind.Constant,
    "dimension": types.SymbolKind.TypeParameter,
    "scope": types.SymbolKind.Namespace,
    "region": types.SymbolKind.Event,
    "loop": types.SymbolKind.Array,
}


def symbol_of(item: OutlineItem, view: View) -> types.DocumentSymbol:
    """An outline item in the protocol's form."""
    positions = view.positions
    whole = types.Range(
        start=positions.position(item.first_line, 0),
        end=positions.position(
            item.last_line,
            len(view.lines[item.last_line].rstrip("\r\n")) if item.last_line < len(view.lines) else 0,
        ),
    )
    name = positions.range(item.name_span)
    return types.DocumentSymbol(
        name=item.name,
        kind=KINDS[item.kind],
        detail=item.detail or None,
        range=whole,
        selection_range=name if _within(name, whole) else types.Range(start=whole.start, end=whole.start),
        children=[symbol_of(child, view) for child in item.children] or None,
    )


def _within(inner: types.Range, outer: types.Range) -> bool:
    return (outer.start.line, outer.start.character) <= (inner.start.line, inner.start.character) and (
        inner.end.line,
        inner.end.character,
    ) <= (outer.end.line, outer.end.character)


def flat(symbols: list[types.DocumentSymbol], uri: str, container: str = "") -> list[types.SymbolInformation]:
    """The same for clients without a tree."""
    found = []
    for symbol in symbols:
        place = types.Location(uri=uri, range=symbol.range)
        found.append(
            types.SymbolInformation(
                name=symbol.name, kind=symbol.kind, location=place, container_name=container or None
            )
        )
        found += flat(list(symbol.children or ()), uri, symbol.name)
    return found


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/documentSymbol``."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolOptions(label="PyPTO"))
    async def symbols(
        params: types.DocumentSymbolParams,
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
        view = await view_of(server, params.text_document.uri)
        if view is None:
            return None
        found = [symbol_of(item, view) for item in outline(view.names)]
        text_document = server.client_capabilities.text_document
        wanted = text_document.document_symbol if text_document is not None else None
        if wanted is not None and wanted.hierarchical_document_symbol_support:
            return found
        return flat(found, params.text_document.uri)
