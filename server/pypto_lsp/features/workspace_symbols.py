"""Workspace symbols: programs, kernels, constants and dimension names of all files of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from lsprotocol import types

from pypto_lsp.features.document_symbols import KINDS
from pypto_lsp.positions import Positions, uri_of
from pypto_lsp.project import Defined, defined_in
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import Places

LIMIT = 500


def score(query: str, name: str) -> int | None:
    """How well a name fits: 0 is best, None is not at all. The letters of the query appear in the name in order."""
    wanted, text = query.lower(), name.lower()
    if not wanted or text == wanted:
        return 0
    if text.startswith(wanted):
        return 1
    if wanted in text:
        return 2
    position = -1
    for letter in wanted:
        position = text.find(letter, position + 1)
        if position < 0:
            return None
    return 3


def search(query: str, defined: Iterable[Defined]) -> list[Defined]:
    """The definitions that fit, best first."""
    found = [(score(query, d.name), d) for d in defined]
    ranked = sorted(((s, d.name, d.path, d.line, d) for s, d in found if s is not None), key=lambda r: r[:4])
    return [entry[4] for entry in ranked[:LIMIT]]


def register(server: PyptoServer) -> None:
    """Answer ``workspace/symbol``."""

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        opened = {d.path: defined_in(d.names[1]) for d in server.documents.values() if d.names is not None}
        everything = {**server.project.defined, **opened}
        places = Places(server)

        def job() -> list[types.SymbolInformation]:
            found = search(params.query, (d for defined in everything.values() for d in defined))
            return [information(d, places.positions(d.path)) for d in found]

        return await asyncio.get_running_loop().run_in_executor(None, job)


def information(found: Defined, positions: Positions) -> types.SymbolInformation:
    """A definition in the protocol's form."""
    span = types.Range(
        start=positions.position(found.line, found.start), end=positions.position(found.line, found.end)
    )
    return types.SymbolInformation(
        name=found.name,
        kind=KINDS[found.kind],
        location=types.Location(uri=uri_of(found.path), range=span),
        container_name=found.container or None,
    )
