"""Call hierarchy of kernels: who calls or launches a kernel, and what it calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from pypto_core import FileNames, Finder, FunctionInfo, Role, Target, Use, is_kernel, kernel_form
from pypto_lsp.positions import path_of, uri_of
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import view_of


def uses_in(names: FileNames, function: FunctionInfo) -> Iterator[Use]:
    """Uses inside the body of a function."""
    for use in names.all_uses():
        if use.scope.enclosing_function is function and use.role in (Role.READ, Role.ATTRIBUTE):
            yield use


def outgoing(finder: Finder, names: FileNames, function: FunctionInfo) -> list[tuple[Target, list[Use]]]:
    """Functions that a function calls or launches, with the places."""
    found: dict[int, tuple[Target, list[Use]]] = {}
    for use in uses_in(names, function):
        target = finder.target(names, use)
        if target is not None and target.function is not None and target.function is not function:
            found.setdefault(id(target.function), (target, []))[1].append(use)
    return list(found.values())


def incoming(
    finder: Finder, target: Target, files: Iterable[FileNames]
) -> list[tuple[FileNames, FunctionInfo, list[Use]]]:
    """Functions that call or launch ``target``, with the places."""
    found: dict[int, tuple[FileNames, FunctionInfo, list[Use]]] = {}
    for names, use in finder.references(target, files):
        caller = use.scope.enclosing_function
        if caller is not None and use.role in (Role.READ, Role.ATTRIBUTE) and caller is not target.function:
            found.setdefault(id(caller), (names, caller, []))[2].append(use)
    return list(found.values())


def item_of(server: PyptoServer, names: FileNames, function: FunctionInfo) -> types.CallHierarchyItem:
    """A function in the protocol's form; ``data`` finds it again."""
    positions = server.positions_in(names.path)
    form = kernel_form(function, names)
    last = (
        positions.lines[function.last_line].rstrip("\r\n")
        if function.last_line < len(positions.lines)
        else ""
    )
    return types.CallHierarchyItem(
        name=f"{function.owner}.{function.name}" if function.owner else function.name,
        kind=types.SymbolKind.Method if function.owner else types.SymbolKind.Function,
        detail=f"@pl.{form}" if is_kernel(function, names) else None,
        uri=uri_of(names.path),
        range=types.Range(
            start=positions.position(function.first_line, 0),
            end=positions.position(function.last_line, len(last)),
        ),
        selection_range=positions.range(function.use.span),
        data={"name": function.name, "owner": function.owner},
    )


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/prepareCallHierarchy`` and its two questions."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare(params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
        view = await view_of(server, params.text_document.uri)
        use = view.use_at(params.position) if view is not None else None
        if view is None or use is None or view.lowered:
            return None
        place = use.span.line - 1, use.span.column - 1
        found = await server.ask(lambda: _function_at(view.document.path, *place))
        return (
            [item_of(server, found.names, found.function)] if found is not None and found.function else None
        )

    def _function_at(path: str, line: int, column: int) -> Target | None:
        names = server.core.names(path)
        use = names.at(line, column)
        return server.core.finder().function(names, use) if use is not None else None

    def _target(item: types.CallHierarchyItem) -> Target | None:
        """The function of an item of ours, in the newest version of its file."""
        names = server.core.names(path_of(item.uri))
        data = item.data if isinstance(item.data, dict) else {}
        for function in names.functions:
            if function.name == data.get("name") and function.owner == data.get("owner"):
                symbol = names.module.symbols.get(function.name) if not function.owner else None
                return Target(names, function.name, function.use.span, symbol, function)
        return None

    @server.feature(types.CALL_HIERARCHY_OUTGOING_CALLS)
    async def calls(
        params: types.CallHierarchyOutgoingCallsParams,
    ) -> list[types.CallHierarchyOutgoingCall] | None:
        def job() -> tuple[FileNames, list[tuple[Target, list[Use]]]] | None:
            target = _target(params.item)
            if target is None or target.function is None:
                return None
            return target.names, outgoing(server.core.finder(), target.names, target.function)

        found = await server.ask(job)
        if found is None:
            return None
        positions = server.positions_in(found[0].path)
        return [
            types.CallHierarchyOutgoingCall(
                to=item_of(server, target.names, target.function),
                from_ranges=[positions.range(use.span) for use in uses],
            )
            for target, uses in found[1]
            if target.function is not None
        ]

    @server.feature(types.CALL_HIERARCHY_INCOMING_CALLS)
    async def callers(
        params: types.CallHierarchyIncomingCallsParams,
    ) -> list[types.CallHierarchyIncomingCall] | None:
        opened = [d.path for d in server.documents.values() if d.ours]

        def job() -> list[tuple[FileNames, FunctionInfo, list[Use]]] | None:
            target = _target(params.item)
            if target is None:
                return None
            paths = dict.fromkeys([target.names.path, *opened, *server.project.mentioning([target.name])])
            return incoming(server.core.finder(), target, map(server.core.names_apart, paths))

        found = await server.ask(job)
        if found is None:
            return None
        return [
            types.CallHierarchyIncomingCall(
                from_=item_of(server, names, function),
                from_ranges=[server.positions_in(names.path).range(use.span) for use in uses],
            )
            for names, function, uses in found
        ]
