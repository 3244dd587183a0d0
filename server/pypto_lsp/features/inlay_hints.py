"""Inlay hints: types of un-annotated values, what each lane holds, parameter names of long calls, trip counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lsprotocol import types

from pypto_core import (
    Argument,
    CallSite,
    FileFacts,
    FileNames,
    Finder,
    Histories,
    Role,
    Span,
    Use,
    find_callable,
    trip_count,
)
from pypto_lsp.config import Config
from pypto_lsp.features.hover import Subject, content_of, hover_formats, subject_of, value_text
from pypto_lsp.positions import uri_of
from pypto_lsp.render.value import dtype_shape_text, lane_shape_text, shape_text
from pypto_lsp.server import PyptoServer
from pypto_lsp.views import Places

#: Calls with fewer positional arguments than this need no names.
LONG_CALL = 3


@dataclass(frozen=True, slots=True)
class Hint:
    """``label`` before or behind the character at a 0-based place; ``name`` is the value that a tooltip is about. The part of the label
    from ``link_from`` on leads to ``link``: a lane's share to what shares out, a parameter to where it is declared."""

    line: int
    column: int
    label: str
    kind: str
    name: str = ""
    link: Span | None = None
    link_from: int = 0


def hints(
    facts: FileFacts,
    names: FileNames,
    histories: Callable[[str], Histories | None],
    config: Config,
    finder: Finder,
) -> Iterator[Hint]:
    """All hints of a file that the settings allow."""
    if config.hint_types or config.hint_lanes:
        for use in names.all_uses():
            if use.role is Role.WRITE and use.scope.enclosing_function is not None:
                hint = _type_hint(facts, use, histories, config)
                if hint is not None:
                    yield hint
    if config.hint_parameters:
        for call in names.calls:
            yield from _parameter_hints(call, names, finder)
    if config.hint_trip_counts:
        yield from _trip_counts(facts)


def _type_hint(
    facts: FileFacts, use: Use, histories: Callable[[str], Histories | None], config: Config
) -> Hint | None:
    """``: [128, 128] FP32 → [64, 128]/lane`` behind the target of an assignment that has no annotation."""
    span = use.span
    text = span.chunk.text if span.chunk is not None else ""
    if text[span.end : span.end + 1] == ":" or text[span.end :].lstrip(" \t").startswith(":"):
        return None
    for entry, values in facts.values.items():
        found = values.defined_at(use.name, span)
        if found is None or found.stmt is None:
            continue
        shown = dtype_shape_text(found.type)
        if not shown:
            return None
        label = f": {shown}" if config.hint_types else ""
        known = histories(entry) if config.hint_lanes else None
        history = known.of(found.stmt.span, use.name) if known is not None else None
        link, link_from = None, len(label)
        if history is not None and history.lanes is not None:
            share = lane_shape_text(history.lanes)
            if config.hint_types and share == f" → {shape_text(found.type)}/lane":
                share = "/lane"  # a value that is a share from the start: its shape stands there already
            label += share
            link = found.region.span if found.region is not None else found.function.span
        if not label:
            return None
        return Hint(span.line - 1, span.end_column - 1, label, "type", use.name, link, link_from)
    return None


def _parameter_hints(call: CallSite, names: FileNames, finder: Finder) -> Iterator[Hint]:
    """``lhs=`` before the positional arguments of a long call; not where the argument says it already."""
    positional = [a for a in call.arguments if not a.keyword]
    if len(positional) < LONG_CALL or any(a.starred for a in positional):
        return
    for argument, (name, declared) in zip(positional, positional_parameters(call, names, finder)):
        if name and not _says_it(argument, name):
            place = argument.span.line - 1, argument.span.column - 1
            yield Hint(*place, f"{name}=", "parameter", link=declared)


def positional_parameters(call: CallSite, names: FileNames, finder: Finder) -> list[tuple[str, Span | None]]:
    """Names of the positional parameters of a callee, and where the author declared them; empty when it is not known."""
    callee = find_callable(names.language_path(call.callee))
    if callee is not None:
        return [(p.name, None) for p in callee.params if p.kind == "positional"]
    target = finder.function(names, call.callee)
    if target is None or target.function is None:
        return []
    return [(p.name, p.span) for p in target.function.shown_parameters if not p.keyword_only and not p.prefix]


def _says_it(argument: Argument, name: str) -> bool:
    text = argument.span.text.strip()
    return text.rpartition(".")[2].lower().strip("_") == name.lower().strip("_")


def _trip_counts(facts: FileFacts) -> Iterator[Hint]:
    """`` × 16`` behind the iterator of a loop whose bounds are known."""
    seen: set[tuple[int, int]] = set()
    for values in facts.values.values():
        for loop in values.loops:
            count = trip_count(loop)
            span = loop.span
            if count is None or not span.is_valid or span.filename != facts.path:
                continue
            header = span.text.split("\n", 1)[0].rstrip()
            if not header.endswith(":"):
                continue
            place = span.line - 1, span.column - 1 + len(header) - 1
            if place not in seen:
                seen.add(place)
                yield Hint(*place, f" × {count}", "count")


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/inlayHint`` and ``inlayHint/resolve``."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=True))
    async def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint] | None:
        document = server.document(params.text_document.uri)
        if document is None:
            return None
        subject = await subject_of(server, document)
        server.refreshes.note("inlay hints", document)
        if subject.facts is None or subject.finder is None:
            return None
        positions = server.positions(document)
        config = server.config_of(document.path)
        first, last = params.range.start.line, params.range.end.line
        facts, finder = subject.facts, subject.finder

        def job() -> list[Hint]:
            found = hints(facts, subject.names, subject.histories, config, finder)
            return [hint for hint in found if first <= hint.line <= last]

        places = Places(server)

        def label_of(hint: Hint) -> str | list[types.InlayHintLabelPart]:
            link = hint.link
            if link is None or not link.is_valid:
                return hint.label
            start = places.positions(link.filename).position(*link.chunk.position(link.start))  # type: ignore[union-attr]
            where = types.Location(uri=uri_of(link.filename), range=types.Range(start=start, end=start))
            parts = [types.InlayHintLabelPart(value=hint.label[: hint.link_from])] if hint.link_from else []
            return [*parts, types.InlayHintLabelPart(value=hint.label[hint.link_from :], location=where)]

        answer = []
        for hint in await server.aside(document, job):
            answer.append(
                types.InlayHint(
                    position=positions.position(hint.line, hint.column),
                    label=label_of(hint),
                    kind=types.InlayHintKind.Parameter
                    if hint.kind == "parameter"
                    else types.InlayHintKind.Type,
                    padding_right=True if hint.kind == "parameter" else None,
                    data={
                        "uri": document.uri,
                        "version": document.version,
                        "line": hint.line,
                        "column": hint.column,
                        "name": hint.name,
                    }
                    if hint.name
                    else None,
                )
            )
        return answer

    @server.feature(types.INLAY_HINT_RESOLVE)
    async def resolve(hint: types.InlayHint) -> types.InlayHint:
        data = hint.data if isinstance(hint.data, dict) else {}
        document = server.document(str(data.get("uri", "")))
        if document is None or document.version != data.get("version"):
            return hint
        subject = await subject_of(server, document)
        text = tooltip(subject, str(data["name"]), int(data["line"]), int(data["column"]))
        if text:
            hint.tooltip = content_of(text, hover_formats(server))
        return hint


def tooltip(subject: Subject, name: str, line: int, column: int) -> str:
    """What a hover on the value says."""
    if subject.facts is None:
        return ""
    for values in subject.facts.values.values():
        found = values.value(subject.facts.path, name, line, column, writes=True)
        if found is not None:
            return value_text(subject, name, found)
    return ""
