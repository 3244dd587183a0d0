"""Find references, and the highlights of a name in its file."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from pypto_core import FileNames, Role, Target, Use, Workspace, is_local
from pypto_lsp.project import Project
from pypto_lsp.server import PyptoServer, Tier
from pypto_lsp.views import Places, View, view_of


def all_references(
    core: Workspace, project: Project, opened: Iterable[str], path: str, line: int, column: int
) -> tuple[Target | None, list[tuple[FileNames, Use]]]:
    """What stands at a 0-based place of a file, and every use of it in the workspace. Runs on the analysis thread."""
    names = core.names(path)
    use = names.at(line, column)
    finder = core.finder()
    target = finder.target(names, use) if use is not None else None
    if target is None or target.is_module:
        return target, []
    if is_local(target):
        return target, list(finder.references(target, ()))
    paths = dict.fromkeys([path, target.names.path, *opened, *project.mentioning([target.name])])
    return target, list(finder.references(target, map(core.names_apart, paths)))


async def references_at(
    server: PyptoServer, uri: str, position: types.Position
) -> tuple[View | None, Target | None, list[tuple[FileNames, Use]]]:
    """The same for a request."""
    view = await view_of(server, uri)
    if view is None:
        return None, None, []
    column = view.positions.column(position)
    if view.lowered:
        use = view.use_at(position)
        target = view.finder().target(view.names, use) if use is not None else None
        if target is None:
            return view, None, []
        return view, target, list(view.finder().references(target, [view.names]))
    opened = [d.path for d in server.documents.values() if d.ours]
    path = view.document.path
    target, found = await server.ask(
        lambda: all_references(server.core, server.project, opened, path, position.line, column)
    )
    return view, target, found


def highlights(view: View, position: types.Position) -> list[tuple[Use, bool]]:
    """Uses in the same file of the name at a place, with whether each writes."""
    use = view.use_at(position)
    if use is None:
        return []
    path = view.names.language_path(use)
    if path:
        same = [
            u for u in view.names.all_uses() if u.name == use.name and view.names.language_path(u) == path
        ]
        return [(u, False) for u in same]
    target = view.finder().target(view.names, use)
    if target is None:
        symbol = view.names.symbol(use)
        return [(u, u.role.binds) for u in symbol.uses] if symbol is not None else []
    return [(u, u.role.binds) for _, u in view.finder().references(target, [view.names]) if _ is view.names]


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/references`` and ``textDocument/documentHighlight``."""

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        view, _, found = await references_at(server, params.text_document.uri, params.position)
        if view is None:
            return None
        places = Places(server, view)
        definitions = params.context.include_declaration
        return [
            places.location(names, use.span)
            for names, use in found
            if definitions or use.role not in (Role.WRITE, Role.PARAMETER, Role.DEFINITION)
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        view = await view_of(server, params.text_document.uri, Tier.NAMES)
        if view is None:
            return None
        kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
        return [
            types.DocumentHighlight(range=view.positions.range(use.span), kind=kinds[writes])
            for use, writes in highlights(view, params.position)
        ]
