"""A document as features see it: its lines, its names, its positions. Sources and lowered documents alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

from pypto_core import FileNames, Finder, Span, Use
from pypto_lsp.positions import Positions, uri_of
from pypto_lsp.server import IR_SCHEME, Open, PyptoServer, Tier


@dataclass(frozen=True, slots=True)
class View:
    """``document`` is the source; of a lowered document the one that it was made from."""

    uri: str
    lines: Sequence[str]
    names: FileNames
    positions: Positions
    document: Open
    lowered: bool = False

    def use_at(self, position: types.Position) -> Use | None:
        """The identifier at a client position."""
        if position.line >= len(self.lines):
            return None
        return self.names.at(position.line, self.positions.column(position))

    def finder(self) -> Finder:
        """Follows names; inside a lowered document to places inside it."""
        facts = self.document.facts
        if self.lowered or facts is None:
            return Finder(lambda path: self.names if path == self.names.path else None, lambda a, b: None)
        return facts.finder(self.names)


async def view_of(server: PyptoServer, uri: str, tier: Tier = Tier.NAMES) -> View | None:
    """The newest version of an open document once it has been analysed up to ``tier``; None for anything that is not ours."""
    if uri.startswith(f"{IR_SCHEME}:"):
        from pypto_lsp.features.lowered_ir import lowered_view

        return await lowered_view(server, uri)
    document = server.document(uri)
    if document is None:
        return None
    if tier is not Tier.NAMES:
        await server.settled(document, tier)
    names = await server.names_of(document)
    return View(uri, document.lines, names, server.positions(document), document)


class Places:
    """Locations of one answer: the text of every file is looked at once."""

    def __init__(self, server: PyptoServer, view: View | None = None) -> None:
        self._server = server
        self._view = view
        self._positions: dict[str, Positions] = {}

    def location(self, names: FileNames, span: Span | None) -> types.Location:
        """Where something is; without a span at the start of its file."""
        view = self._view
        if view is not None and names.path == view.names.path:
            positions, uri = view.positions, view.uri
        else:
            positions, uri = self.positions(names.path), uri_of(names.path)
        if span is None:
            origin = types.Position(line=0, character=0)
            return types.Location(uri=uri, range=types.Range(start=origin, end=origin))
        return types.Location(uri=uri, range=positions.range(span))

    def positions(self, path: str) -> Positions:
        found = self._positions.get(path)
        if found is None:
            found = self._positions[path] = self._server.positions_in(path)
        return found
