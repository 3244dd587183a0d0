"""Hover: values with what each lane holds, names of the language, constants and how they came about, functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from lsprotocol import types

from pypto_core import (
    LANE_INDEX_OP,
    AssignStmt,
    Call,
    Crossing,
    Extent,
    FileFacts,
    FileNames,
    Finder,
    Histories,
    Kind,
    Known,
    ParamDirection,
    Role,
    Span,
    Symbol,
    Target,
    Use,
    ValueAt,
    dim_text,
    extent_of,
    find_callable,
    find_form,
    is_kernel,
    is_program,
    module_value,
    rules,
)
from pypto_lsp.positions import Positions, columns_of
from pypto_lsp.render.language import call_facts, function_markdown, language_markdown
from pypto_lsp.render.value import crossing_text, history_rows, markdown, value_head
from pypto_lsp.server import IR_SCHEME, Open, PyptoServer

_IGNORED_CODE = re.compile(r"[a-z0-9-]+")
#: How long a hover waits for the lowering of a kernel that has just been edited, in seconds.
PATIENCE = 0.3


@dataclass(frozen=True, slots=True)
class HoverText:
    """Markdown for the characters ``start`` to ``end`` of ``line`` (0-based, columns in characters)."""

    markdown: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Subject:
    """What a hover looks at: facts of the file, and the values of kernels that have been lowered, by entry."""

    names: FileNames
    facts: FileFacts | None
    histories: Callable[[str], Histories | None]
    finder: Finder | None = None

    @property
    def backend(self) -> str | None:
        return self.facts.settings.backend if self.facts is not None else None


def hover_at(subject: Subject, lines: Sequence[str], line: int, column: int) -> HoverText | None:
    """What stands at a 0-based place."""
    use = subject.names.at(line, column)
    if use is None:
        return _code_in_comment(lines[line] if line < len(lines) else "", line, column)
    text = _of_use(subject, use, line, column)
    if not text:
        return None
    start, end = columns_of(use.span)
    return HoverText(text, line, start, end)


def _code_in_comment(text: str, line: int, column: int) -> HoverText | None:
    """The code inside ``# pypto: ignore[...]``."""
    start = text.find("# pypto: ignore[")
    if start < 0 or column < start:
        return None
    for match in _IGNORED_CODE.finditer(text, start + 16):
        rule = rules().get(match.group())
        if match.start() <= column <= match.end() and rule is not None:
            head = f"{rule.code} ({rule.severity.text})"
            return HoverText(
                markdown(head, [], f"{rule.title}\n\n{rule.explanation}"), line, match.start(), match.end()
            )
    return None


def _of_use(subject: Subject, use: Use, line: int, column: int) -> str:
    names = subject.names
    path = names.language_path(use)
    if path:
        return language_markdown(path, subject.backend, _call_facts(subject, use))
    if use.role is Role.KEYWORD:
        return _keyword(subject, use)
    method = names.method(use)
    if method is not None:
        return function_markdown(method, names)
    symbol = names.symbol(use)
    if symbol is not None and symbol.scope is not names.module:
        found = _value(subject, use.name, line, column, use.role is Role.WRITE)
        if found is not None:
            return value_text(subject, use.name, found)
        if symbol.function is not None:
            return function_markdown(symbol.function, names)
        extent = _extent(subject, symbol, line, column)
        if extent is not None:
            return extent_text(use.name, extent)
        function = use.scope.enclosing_function
        if function is None or not is_kernel(function, names) or symbol.name == "self":
            return ""
        return markdown(
            f"{use.name}: type unknown", [("unknown", "it depends on something that is not known here")]
        )
    if symbol is not None and symbol.kind is Kind.FUNCTION and symbol.function is not None:
        return function_markdown(symbol.function, names)
    return _module_level(subject, use, symbol)


def _value(subject: Subject, name: str, line: int, column: int, writes: bool) -> ValueAt | None:
    if subject.facts is None:
        return None
    for values in subject.facts.values.values():
        found = values.value(subject.facts.path, name, line, column, writes)
        if found is not None:
            return found
    return None


def _extent(subject: Subject, symbol: Symbol, line: int, column: int) -> Extent | None:
    if subject.facts is None:
        return None
    for values in subject.facts.values.values():
        if any(values.functions_at(subject.facts.path, line)):
            return extent_of(values, subject.facts.path, symbol, line, column)
    return None


def extent_text(name: str, extent: Extent) -> str:
    """A name for a dimension: the number or the symbol that it stands for, and where that comes from."""
    if not extent.tensor:
        return markdown(f"{name} = {extent.written}", [("dimension", "known at run time only")])
    source = ("from", f"`{extent.written}`")
    if extent.dim is None:
        return markdown(
            f"{name}: Scalar INDEX", [source, ("unknown", f"'{extent.tensor}' has no shape here")]
        )
    return markdown(f"{name}: Scalar INDEX = {dim_text(extent.dim)}", [source])


_DIRECTIONS = {
    ParamDirection.In: "read",
    ParamDirection.Out: "written (Out)",
    ParamDirection.InOut: "read and written (InOut)",
}


def value_text(subject: Subject, name: str, found: ValueAt) -> str:
    """A value: type, lanes, bytes, transfers, stages."""
    backend = subject.backend
    rows: list[tuple[str, str]] = []
    if found.direction is not None:
        rows.append(("parameter", _DIRECTIONS[found.direction]))
    if found.is_carried:
        rows.append(("loop", "carried from one turn to the next"))
    elif found.is_result:
        rows.append(("loop", "what the loop or branch leaves behind"))
    if is_lane_index(found):
        rows.append(("lane", "0 or 1: which of the two vector lanes runs"))
    turns = found.trip_count
    if turns is not None:
        rows.append(("turns", str(turns)))
    histories = subject.histories(found.entry)
    history = (
        histories.of(found.stmt.span, name) if histories is not None and found.stmt is not None else None
    )
    placed = history.placed if history is not None else None
    if history is not None:
        rows += history_rows(history, backend)
    if histories is not None and found.stmt is not None:
        crossing = histories.crossings().get(found.stmt.span)
        if crossing is not None:
            stages = [i for i, (title, _) in enumerate(rows) if title == "stages"]
            rows.insert(stages[0] if stages else len(rows), ("crosses", crossing_text(crossing, backend)))
    return markdown(value_head(name, found.type, placed), rows)


def is_lane_index(found: ValueAt) -> bool:
    """Whether the value is the number of the vector lane."""
    stmt = found.stmt
    return isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call) and stmt.value.name == LANE_INDEX_OP


def _call_facts(subject: Subject, use: Use) -> list[tuple[str, str]]:
    """What is known of the call whose callee stands at the cursor."""
    if subject.facts is None:
        return []
    call = next((c for item in subject.names.items for c in item.calls if c.callee is use), None)
    if call is None:
        return []
    for entry, values in subject.facts.values.items():
        made = values.calls.get(call.span)
        if made is None:
            continue
        rows = call_facts(made.type)
        histories = subject.histories(entry)
        if histories is not None:
            rows += [
                ("crosses", crossing_text(c, subject.backend)) for c in _crossings_at(histories, call.span)
            ]
        return rows
    return []


def _crossings_at(histories: Histories, span: Span) -> list[Crossing]:
    return [c for s, c in histories.crossings().items() if s == span or s.contains(span)][:1]


def _keyword(subject: Subject, use: Use) -> str:
    """A keyword of a call: the parameter that it names."""
    if use.call is None:
        return ""
    callee = find_callable(subject.names.language_path(use.call.callee))
    if callee is not None:
        param = callee.param(use.name)
        return markdown(param.label(), [("parameter of", callee.path)], param.doc, "python") if param else ""
    form = find_form(subject.names.language_path(use.call.callee))
    if form is not None:
        label = next((p for p in form.parameters if p.partition(":")[0] == use.name), "")
        return markdown(label, [("parameter of", form.path)], form.doc, "python") if label else ""
    target = subject.finder.function(subject.names, use.call.callee) if subject.finder is not None else None
    if target is None:
        return ""
    found = (
        next((p for p in target.function.parameters if p.name == use.name), None) if target.function else None
    )
    return markdown(found.label, [("parameter of", target.name)], "", "python") if found else ""


def _module_level(subject: Subject, use: Use, symbol: Symbol | None) -> str:
    """A name of the module, or ``module.name``: a kernel, a constant, a dimension."""
    target: Target | None = subject.finder.target(subject.names, use) if subject.finder is not None else None
    if target is not None and target.function is not None and target.names is not subject.names:
        return function_markdown(target.function, target.names, PurePath(target.names.path).name)
    names = subject.names
    facts = subject.facts
    graph = facts.parsed.graph if facts is not None and facts.parsed is not None else None
    if graph is None or facts is None:
        return ""
    known: Known | None = None
    if use.base is None:
        known = module_value(graph, facts.path, use.name)
    if target is not None and (known is None or target.names is not subject.names):
        elsewhere = module_value(graph, target.names.path, target.name)
        known = elsewhere or known
    if known is None:
        if target is not None and target.is_module:
            return markdown(f"module {use.name}", [("file", target.names.path)])
        return class_text(names, use.name) if symbol is not None and symbol.kind is Kind.CLASS else ""
    return constant_text(known, facts.path)


def class_text(names: FileNames, name: str) -> str:
    """A class of the file; of a program its kernels."""
    cls = names.class_named(name)
    if cls is None:
        return ""
    program = is_program(cls, names)
    kernels = [f.name for f in cls.functions if is_kernel(f, names)]
    rows = [("kernels", ", ".join(kernels))] if program and kernels else []
    return markdown(f"{'@pl.program' + chr(10) if program else ''}class {name}", rows, cls.doc, "python")


def constant_text(known: Known, path: str) -> str:
    """A constant or dimension name: its value and how it was computed, or why it is unknown."""
    rows: list[tuple[str, str]] = []
    if known.unknown:
        rows.append(("unknown", known.unknown))
    elif known.dimension:
        rows.append(("dimension", "known at run time only"))
    if known.steps:
        rows.append(("from", "; ".join(f"`{step}`" for step in known.steps)))
    if known.module != path:
        rows.append(("defined in", PurePath(known.module).name))
    head = f"{known.name} = {known.value}" if not known.unknown else known.name
    return markdown(head, rows, "", "python")


def plain(text: str) -> str:
    """The same for clients without Markdown."""
    lines = [line.rstrip() for line in text.split("\n") if not line.startswith("```")]
    return "\n".join(lines).replace("**", "").replace("`", "").strip()


def content_of(text: str, formats: Sequence[types.MarkupKind] | None) -> types.MarkupContent:
    """Markdown for clients that say they show it, plain text for all others."""
    if types.MarkupKind.Markdown in (formats or ()):
        return types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
    return types.MarkupContent(kind=types.MarkupKind.PlainText, value=plain(text))


def documentation_of(text: str, formats: Sequence[types.MarkupKind] | None) -> types.MarkupContent | str:
    """The same for fields that may be a plain string, which is what clients get that name no form."""
    return content_of(text, formats) if formats else plain(text)


async def subject_of(server: PyptoServer, document: Open, line: int | None = None) -> Subject:
    """Facts of the newest version. A kernel that is just being lowered is waited for a moment when the 0-based ``line`` is in it, or when no
    line is given."""
    await server.settled(document)
    if line is None or not _is_lowered(document, line):
        await server.settled(document, document.expected, PATIENCE)
    names = await server.names_of(document)
    facts = document.facts
    return Subject(names, facts, document.histories, facts.finder(names) if facts is not None else None)


def _is_lowered(document: Open, line: int) -> bool:
    """Whether the kernels at a line have been lowered as they are now."""
    facts = document.facts
    if facts is None:
        return False
    around = [e for e, values in facts.values.items() if any(values.functions_at(facts.path, line))]
    return all(document.histories(entry) is not None for entry in around)


def hover_formats(server: PyptoServer) -> Sequence[types.MarkupKind] | None:
    """Forms of text that the client shows in hovers."""
    wanted = getattr(server.client_capabilities.text_document, "hover", None)
    return wanted.content_format if wanted is not None else None


def to_hover(server: PyptoServer, found: HoverText, positions: Positions) -> types.Hover:
    formats = hover_formats(server)
    span = types.Range(
        start=positions.position(found.line, found.start), end=positions.position(found.line, found.end)
    )
    return types.Hover(contents=content_of(found.markdown, formats), range=span)


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/hover``, in sources and in lowered documents."""
    from pypto_lsp.features.lowered_ir import lowered_hover

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        if uri.startswith(f"{IR_SCHEME}:"):
            return await lowered_hover(server, uri, params.position)
        document = server.document(uri)
        if document is None or params.position.line >= len(document.lines):
            return None
        subject = await subject_of(server, document, params.position.line)
        positions = server.positions(document)
        found = hover_at(subject, document.lines, params.position.line, positions.column(params.position))
        return to_hover(server, found, positions) if found is not None else None
