"""Names of the language for hovers, completion and signature help."""

from __future__ import annotations

import inspect

from pypto_core import (
    ENUMERATIONS,
    MEMBERS,
    SPACE_NAMES,
    DslCallable,
    FileNames,
    Form,
    FunctionInfo,
    Type,
    find_callable,
    find_constant,
    find_form,
    find_op,
    hover_text,
    kernel_form,
    memory_capacity,
    print_ir,
)
from pypto_lsp.render.sizes import size_text
from pypto_lsp.render.value import markdown, type_text

_NAMESPACES = {
    "pl": "The language: operators on tensors, tiles and scalars, and the constructs of kernels.",
    "pl.tensor": "Operators on tensors.",
    "pl.tile": "Operators on tiles.",
    "pl.system": "Synchronisation, pipes between the cores, tasks.",
    "pl.array": "Arrays of scalars on the core.",
    "pl.prefetch": "Prefetching of global memory.",
    "pld": "Distributed kernels: windows, transfers, collectives.",
    "pld.tensor": "Distributed operators on tensors.",
    "pld.tile": "Distributed operators on tiles.",
    "pld.system": "Signals between ranks.",
}


def shape_rules(callee: DslCallable) -> list[tuple[str, str]]:
    """How the result follows from the operands, per operator that the call can become."""
    rules: dict[str, list[str]] = {}
    for name in callee.operators:
        op = find_op(name)
        doc = inspect.getdoc(op.deduce) if op is not None else None
        if op is None or not doc:
            continue
        first = " ".join(doc.split("\n\n")[0].split())
        text = first.partition(": ")[2] if first.startswith(op.rule) else first
        rules.setdefault(text[:1].upper() + text[1:], []).append(name)
    return [(f"result of `{'`, `'.join(names)}`", text) for text, names in rules.items()]


def callable_markdown(callee: DslCallable, facts: list[tuple[str, str]]) -> str:
    """Hover of an operator; ``facts`` are those of the call at the cursor."""
    text = hover_text(callee)
    rules = [f"{title[:1].upper()}{title[1:]}: {rule}" for title, rule in shape_rules(callee)]
    if rules:
        text += "\n\n" + "\n\n".join(rules)
    return markdown(callee.signature(), facts, text, "python")


def form_markdown(form: Form) -> str:
    return markdown(form.signature(), [], form.doc, "python")


def constant_markdown(path: str, backend: str | None) -> str:
    """Hover of ``pl.FP32``, ``pl.Mem.Vec``, ``pl.SplitMode``, ``pl.tile``; empty when there is no such name."""
    if path in _NAMESPACES:
        return markdown(path, [], _NAMESPACES[path])
    if path in ENUMERATIONS:
        members = ENUMERATIONS[path].__members__
        lines = [f"- `{name}`{_meaning(f'{path}.{name}')}" for name in members]
        return markdown(path, [], "\n".join(lines))
    try:
        value = find_constant(path)
    except KeyError:
        return ""
    owner, _, name = path.rpartition(".")
    rows: list[tuple[str, str]] = []
    bits = getattr(value, "bits", None)
    if isinstance(bits, int):
        kind = "floating point" if value.is_float else "integer" if value.is_int else "special"
        return markdown(path, [("dtype", f"{kind}, {bits} bits")])
    if owner in ("pl.Mem", "pl.MemorySpace"):
        capacity = memory_capacity(backend, value)
        if name in SPACE_NAMES:
            rows.append(("memory", SPACE_NAMES[name]))
        if capacity:
            rows.append((f"usable on {backend}", size_text(capacity)))
    meaning = MEMBERS.get(path.replace("pl.MemorySpace", "pl.Mem"), "")
    head = f"{path} = {int(value)}" if isinstance(value, int) else path
    return markdown(head, rows, meaning)


def _meaning(path: str) -> str:
    text = MEMBERS.get(path.replace("pl.MemorySpace", "pl.Mem"), "")
    return f": {text}" if text else ""


def language_markdown(path: str, backend: str | None, facts: list[tuple[str, str]]) -> str:
    """Hover of any name of the language; empty for names that it does not have."""
    callee = find_callable(path)
    if callee is not None:
        return callable_markdown(callee, facts)
    form = find_form(path)
    return form_markdown(form) if form is not None else constant_markdown(path, backend)


def function_markdown(function: FunctionInfo, names: FileNames, where: str = "") -> str:
    """Hover of a function of the user's."""
    form = kernel_form(function, names)
    head = f"@pl.{form}\ndef {function.signature()}" if form else f"def {function.signature()}"
    rows = [("defined in", where)] if where else []
    return markdown(head, rows, function.doc, "python")


def call_facts(result: Type) -> list[tuple[str, str]]:
    """The type that a call has here."""
    printed = print_ir(result)
    return (
        []
        if printed.endswith("UnknownType") or type(result).__name__ in ("ErrorType", "PartlyKnown")
        else [("here", type_text(result))]
    )
