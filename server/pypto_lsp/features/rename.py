"""Rename values, functions, parameters, constants and dimension names, across files."""

from __future__ import annotations

import keyword

from lsprotocol import types

from pypto_core import FileNames, Role, Scope, Target, Use
from pypto_lsp.features.references import references_at
from pypto_lsp.guard import RequestFailed
from pypto_lsp.positions import uri_of
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import Places, view_of


def refusal(target: Target | None, lowered: bool) -> str:
    """Why the name at the cursor cannot be renamed; empty when it can."""
    if lowered:
        return "lowered IR is read-only"
    if target is None:
        return "this is no name of yours: names of the language and of other libraries stay as they are"
    if target.is_module:
        return "this names a file; rename the file instead"
    return ""


def conflict(new: str, target: Target, found: list[tuple[FileNames, Use]]) -> str:
    """Why a name cannot become ``new``; empty when it can."""
    if not new.isidentifier() or keyword.iskeyword(new):
        return f"'{new}' is no name in Python"
    symbol = target.symbol
    if symbol is not None and new in symbol.scope.symbols and new != symbol.name:
        return f"'{new}' is already a name in the same scope"
    if symbol is not None and new != symbol.name:
        owner = next((names for names, use in found if use.symbol is symbol), None)
        if owner is not None and _is_read_inside(new, symbol.scope, owner):
            return f"'{new}' already means something else in '{symbol.scope.name}'"
    for names, use in found:
        scope = use.scope
        while scope is not None and scope is not names.module and scope.parent is not None:
            if new in scope.symbols and scope.symbols[new] is not symbol:
                return f"'{new}' already means something else in '{scope.name}'"
            scope = scope.parent
        if (
            new != target.name
            and new in names.module.symbols
            and symbol is not None
            and symbol.scope is names.module
        ):
            return f"'{new}' is already a name of {names.path}"
    return ""


def _is_read_inside(name: str, scope: Scope, names: FileNames) -> bool:
    """Whether something inside a function reads ``name`` from outside: a new local of that name would take its place."""
    if scope is names.module:
        return False
    for use in names.all_uses():
        if use.name != name or use.role in (Role.ATTRIBUTE, Role.KEYWORD):
            continue
        around: Scope | None = use.scope
        while around is not None and around is not scope:
            around = around.parent
        if around is scope:
            return True
    return False


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/prepareRename`` and ``textDocument/rename``."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        view = await view_of(server, params.text_document.uri)
        use = view.use_at(params.position) if view is not None else None
        if view is None or use is None:
            return None
        _, target, _ = await references_at(server, params.text_document.uri, params.position)
        reason = refusal(target, view.lowered)
        if reason:
            raise RequestFailed(reason)
        return types.PrepareRenamePlaceholder(range=view.positions.range(use.span), placeholder=use.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        view, target, found = await references_at(server, params.text_document.uri, params.position)
        if view is None:
            return None
        reason = refusal(target, view.lowered)
        if reason:
            raise RequestFailed(reason)
        assert target is not None
        same = [(names, use) for names, use in found if use.name == target.name]
        reason = conflict(params.new_name, target, same)
        if reason:
            raise RequestFailed(reason)
        places = Places(server, view)
        edits: dict[str, list[types.TextEdit]] = {}
        for names, use in same:
            place = places.location(names, use.span)
            edits.setdefault(place.uri, []).append(
                types.TextEdit(range=place.range, new_text=params.new_name)
            )
        return workspace_edit(server, edits)


def workspace_edit(server: PyptoServer, edits: dict[str, list[types.TextEdit]]) -> types.WorkspaceEdit:
    """Edits tied to the versions of open documents, where the client takes such; plain changes otherwise."""
    workspace = server.client_capabilities.workspace
    edit = workspace.workspace_edit if workspace is not None else None
    if edit is None or not edit.document_changes:
        return types.WorkspaceEdit(changes=dict(edits))
    versions = {uri_of(d.path): d.version for d in server.documents.values()}
    versions.update({d.uri: d.version for d in server.documents.values()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                text_document=types.OptionalVersionedTextDocumentIdentifier(
                    uri=uri, version=versions.get(uri)
                ),
                edits=list(changes),
            )
            for uri, changes in edits.items()
        ]
    )
