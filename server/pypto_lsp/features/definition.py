"""Go to definition: values of kernels, functions, constants and dimension names, across files; inside lowered documents."""

from __future__ import annotations

from lsprotocol import types

from pypto_core import Finder, Target
from pypto_lsp.server import PyptoServer, Tier
from pypto_lsp.views import Places, View, view_of

__all__ = ["Finder", "Target", "definition_in", "register"]


def definition_in(view: View, position: types.Position) -> Target | None:
    """What the name at a place refers to."""
    use = view.use_at(position)
    return view.finder().target(view.names, use) if use is not None else None


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/definition``."""
    from pypto_lsp.features.lowered_ir import source_location

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        view = await view_of(server, params.text_document.uri)
        if view is None:
            return None
        if not view.lowered and view.document.facts is None:
            view = await view_of(server, params.text_document.uri, Tier.TYPED)
            assert view is not None
        use = view.use_at(params.position)
        if use is None:
            return None
        if view.lowered and use.role.binds:
            return await source_location(server, view.uri, params.position.line)
        target = view.finder().target(view.names, use)
        return Places(server, view).location(target.names, target.span) if target is not None else None
