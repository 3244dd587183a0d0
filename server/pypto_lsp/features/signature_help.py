"""Signature help: operators and constructs of the language, kernels and functions of the author's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types

from pypto_core import (
    CallContext,
    FileFacts,
    FileNames,
    FunctionInfo,
    cursor_at,
    find_callable,
    find_form,
)
from pypto_lsp.features.completion import active_parameter
from pypto_lsp.features.hover import documentation_of
from pypto_lsp.server import PyptoServer


@dataclass(frozen=True, slots=True)
class Signature:
    """``parameters`` are (start, end) of each parameter in ``label``, with what is said about it; ``active`` is one of them."""

    label: str
    doc: str
    parameters: tuple[tuple[int, int, str], ...]
    active: int | None


def signature_at(
    lines: Sequence[str], line: int, column: int, names: FileNames, facts: FileFacts | None
) -> Signature | None:
    """The signature of the innermost call that is open at a 0-based place."""
    cursor = cursor_at(lines, line, column)
    call = cursor.call
    if call is None or cursor.comment:
        return None
    path = names.alias_path(call.callee)
    callee = find_callable(path)
    if callee is not None:
        labels = list(callee.param_labels())
        docs = {p.label(): p.doc for p in callee.params}
        active = active_parameter(callee, call)
        shown = labels.index(callee.params[active].label()) if active is not None else _by_label(labels, call)
        result = f" -> {callee.returns}" if callee.returns else ""
        return _signature(callee.path, labels, result, callee.summary, docs, shown)
    form = find_form(path)
    if form is not None:
        return _signature(
            form.path, list(form.parameters), "", form.doc, {}, _by_label(form.parameters, call)
        )
    function = _function(names, facts, call, line)
    if function is None:
        return None
    parameters = function.shown_parameters
    labels = [p.label for p in parameters]
    result = f" -> {function.returns}" if function.returns else ""
    return _signature(function.name, labels, result, function.doc, {}, _by_label(labels, call))


def _by_label(labels: Sequence[str], call: CallContext) -> int | None:
    """The parameter at the cursor of a callee that is only known by its labels."""
    names = [label.split(":")[0].split("=")[0].strip() for label in labels]
    if call.keyword:
        return names.index(call.keyword) if call.keyword in names else None
    positional = [i for i, name in enumerate(names[: names.index("*")] if "*" in names else names)]
    if call.index < len(positional):
        return positional[call.index]
    if positional and names[positional[-1]].startswith("*"):
        return positional[-1]
    # Only keywords may follow: the first that is not written yet.
    after = names.index("*") + 1 if "*" in names else len(names)
    return next((i for i in range(after, len(names)) if names[i] not in call.given), None)


def _function(names: FileNames, facts: FileFacts | None, call: CallContext, line: int) -> FunctionInfo | None:
    """A function of the author's, by the name in front of the bracket: of the file, of the class, or imported."""
    owner, _, name = call.callee.rpartition(".")
    if owner:
        around = names.function_at(line)
        if around is not None and around.owner and around.parameters and around.parameters[0].name == owner:
            cls = names.class_named(around.owner)
            return next((f for f in cls.functions if f.name == name), None) if cls is not None else None
    symbol = names.module.symbols.get(owner or name)
    if symbol is None:
        return None
    if symbol.function is not None and not owner:
        return symbol.function
    if facts is None or not symbol.uses:
        return None
    finder = facts.finder(names)
    target = finder.target(names, symbol.uses[0])
    if target is None:
        return None
    if owner and target.is_module:
        found = target.names.module.symbols.get(name)
        return found.function if found is not None else None
    return target.function


def _signature(
    name: str, labels: Sequence[str], result: str, doc: str, docs: dict[str, str], active: int | None
) -> Signature:
    text = f"{name}("
    spots = []
    for number, label in enumerate(labels):
        if number:
            text += ", "
        spots.append((len(text), len(text) + len(label), docs.get(label, "")))
        text += label
    return Signature(f"{text}){result}", doc, tuple(spots), active)


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/signatureHelp``."""

    @server.feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=["="]),
    )
    async def help_(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = server.document(params.text_document.uri)
        if document is None or params.position.line >= len(document.lines):
            return None
        names = document.names[1] if document.names is not None else await server.names_of(document)
        column = server.positions(document).column(params.position)
        found = signature_at(document.lines, params.position.line, column, names, document.facts)
        if found is None:
            return None
        wanted = getattr(server.client_capabilities.text_document, "signature_help", None)
        information = wanted.signature_information if wanted is not None else None
        formats = information.documentation_format if information is not None else None
        offsets = (
            information is not None
            and information.parameter_information is not None
            and bool(information.parameter_information.label_offset_support)
        )
        parameters = [
            types.ParameterInformation(
                label=(start, end) if offsets else found.label[start:end],
                documentation=documentation_of(doc, formats) if doc else None,
            )
            for start, end, doc in found.parameters
        ]
        signature = types.SignatureInformation(
            label=found.label,
            documentation=documentation_of(found.doc, formats) if found.doc else None,
            parameters=parameters,
            active_parameter=found.active,
        )
        active = found.active if found.active is not None else len(parameters)
        return types.SignatureHelp(signatures=[signature], active_signature=0, active_parameter=active)
