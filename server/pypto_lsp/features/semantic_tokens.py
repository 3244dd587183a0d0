"""Semantic tokens: cube, vector and boundary operations in colours of their own, dtypes and enumerations, parameters, kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from lsprotocol import types

from pypto_core import (
    Call,
    FileFacts,
    FileNames,
    Kind,
    Role,
    Span,
    Use,
    common_ends,
    core_of,
    find_callable,
    find_constant,
    find_form,
    is_kernel,
)
from pypto_lsp.positions import Positions
from pypto_lsp.server import Open, PyptoServer
from pypto_lsp.views import View, view_of

TYPES = (
    "cubeOp", "vectorOp", "boundaryOp", "function", "namespace", "type", "enum", "enumMember", "class", "decorator",
    "parameter", "variable", "property",
)  # fmt: skip
MODIFIERS = ("declaration", "readonly", "defaultLibrary")
_CORES = {"cube": "cubeOp", "vector": "vectorOp", "boundary": "boundaryOp"}
_DECLARATION, _READONLY, _LIBRARY = 1, 2, 4

#: Documents whose last answer is remembered, for answers that tell only what has changed.
KEEP = 32

Token = tuple[Span, str, int]


def tokens(names: FileNames, calls: Mapping[Span, Call]) -> Iterator[Token]:
    """Identifiers worth a colour: their span, type and modifiers, in no order. ``calls`` are those that could be read."""
    made = {id(c.callee): calls.get(c.span) for item in names.items for c in item.calls}
    for use in names.all_uses():
        path = names.language_path(use)
        if path:
            found = _language(path, use, made.get(id(use)))
        else:
            found = _own(names, use)
        if found is not None:
            yield use.span, *found


def _language(path: str, use: Use, call: Call | None) -> tuple[str, int] | None:
    if path in ("pl", "pld"):
        return "namespace", _LIBRARY
    callee = find_callable(path)
    if callee is not None:
        return _CORES.get(core_of(callee, call), "function"), _LIBRARY
    form = find_form(path)
    if form is not None:
        kinds = {"decorator": "decorator", "type": "type"}
        return kinds.get(form.place, "function"), _LIBRARY
    name = use.name
    if path in (
        "pl.tensor",
        "pl.tile",
        "pl.system",
        "pl.array",
        "pl.prefetch",
        "pld.tensor",
        "pld.tile",
        "pld.system",
    ):
        return "namespace", _LIBRARY
    try:
        value = find_constant(path)
    except KeyError:
        return ("enum", _LIBRARY) if name[:1].isupper() and path.count(".") == 1 else None
    return ("type" if hasattr(value, "bits") else "enumMember"), _READONLY | _LIBRARY


def _own(names: FileNames, use: Use) -> tuple[str, int] | None:
    if use.role is Role.KEYWORD:
        return None
    if use.role is Role.ATTRIBUTE:
        method = names.method(use)
        return ("function", 0) if method is not None else None
    symbol = names.symbol(use)
    if symbol is None:
        return None
    declaration = _DECLARATION if use.role.binds else 0
    if symbol.kind is Kind.PARAMETER:
        return ("parameter", declaration) if symbol.name != "self" else None
    if symbol.scope is names.module:
        if symbol.kind is Kind.FUNCTION:
            function = symbol.function
            return ("function", declaration) if function is not None and is_kernel(function, names) else None
        if symbol.kind is Kind.CLASS:
            return "class", declaration
        if symbol.kind is Kind.CONSTANT:
            return "variable", declaration | _READONLY
    return None


def encode(found: Iterator[Token], positions: Positions) -> list[int]:
    """The protocol's form: five numbers per token, relative to the one before."""
    placed = []
    for span, kind, modifiers in found:
        spot = positions.range(span)
        if spot.start.line == spot.end.line and spot.end.character > spot.start.character:
            length = spot.end.character - spot.start.character
            placed.append((spot.start.line, spot.start.character, length, TYPES.index(kind), modifiers))
    data: list[int] = []
    line = start = 0
    last = (-1, -1)
    for token in sorted(set(placed)):
        if token[:2] == last:
            continue
        last = token[:2]
        data += [token[0] - line, token[1] - start if token[0] == line else token[1], *token[2:]]
        line, start = token[0], token[1]
    return data


def calls_of(facts: FileFacts | None) -> dict[Span, Call]:
    """All calls that could be read. Those of statements that have changed since are not found any more."""
    if facts is None:
        return {}
    return {span: call for values in facts.values.values() for span, call in values.calls.items()}


def difference(before: list[int], after: list[int]) -> list[types.SemanticTokensEdit]:
    """The one run of numbers that has changed; nothing when none has."""
    if before == after:
        return []
    start, end = common_ends(before, after)
    return [
        types.SemanticTokensEdit(
            start=start, delete_count=len(before) - start - end, data=after[start : len(after) - end]
        )
    ]


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/semanticTokens/full``, ``/full/delta`` and ``/range``."""
    legend = types.SemanticTokensLegend(token_types=list(TYPES), token_modifiers=list(MODIFIERS))
    #: The last whole answer for a document, with its number.
    answered: dict[str, tuple[str, list[int]]] = {}
    numbers = count(1)

    async def view_for(uri: str) -> View | None:
        view = await view_of(server, uri)
        if view is None or not server.config_of(view.document.path).semantic_tokens:
            return None
        if not view.lowered:
            server.refreshes.note("semantic tokens", view.document)
        return view

    async def numbers_of(uri: str, lines: range | None) -> list[int] | None:
        view = await view_for(uri)
        if view is None:
            return None
        calls = calls_of(view.document.facts) if not view.lowered else {}

        def job() -> list[int]:
            found = tokens(view.names, calls)
            return encode((t for t in found if lines is None or t[0].line - 1 in lines), view.positions)

        return await server.aside(view.document, job)

    def remember(uri: str, data: list[int]) -> str:
        number = str(next(numbers))
        answered.pop(uri, None)
        answered[uri] = number, data
        while len(answered) > KEEP:
            answered.pop(next(iter(answered)))
        return number

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def full(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        uri = params.text_document.uri
        data = await numbers_of(uri, None)
        return types.SemanticTokens(data=data, result_id=remember(uri, data)) if data is not None else None

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, legend)
    async def delta(
        params: types.SemanticTokensDeltaParams,
    ) -> types.SemanticTokens | types.SemanticTokensDelta | None:
        uri = params.text_document.uri
        data = await numbers_of(uri, None)
        if data is None:
            return None
        before = answered.get(uri)
        number = remember(uri, data)
        if before is None or before[0] != params.previous_result_id:
            return types.SemanticTokens(data=data, result_id=number)
        return types.SemanticTokensDelta(edits=difference(before[1], data), result_id=number)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)
    async def part(params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        lines = range(params.range.start.line, params.range.end.line + 1)
        data = await numbers_of(params.text_document.uri, lines)
        return types.SemanticTokens(data=data) if data is not None else None

    def forget(document: Open) -> None:
        answered.pop(document.uri, None)

    server.closed_listeners.append(forget)
