"""Folding: definitions, scopes and lane regions, loops, imports, comments."""

from __future__ import annotations

from lsprotocol import types

from pypto_core import folds
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import view_of

_KINDS = {
    "imports": types.FoldingRangeKind.Imports,
    "comment": types.FoldingRangeKind.Comment,
    "region": types.FoldingRangeKind.Region,
}


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/foldingRange``."""

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        view = await view_of(server, params.text_document.uri)
        if view is None:
            return None
        return [
            types.FoldingRange(start_line=fold.first, end_line=fold.last, kind=_KINDS.get(fold.kind))
            for fold in folds(view.names, view.lines)
        ]
