"""Completion: names of the language ranked by where the cursor stands, keywords, values, kernels; snippets for constructs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lsprotocol import types

from pypto_core import (
    ENUMERATIONS,
    FORMS,
    MEMBERS,
    CallContext,
    Cursor,
    DataType,
    DslCallable,
    Form,
    FunctionInfo,
    Kind,
    MemorySpace,
    Symbol,
    core_of,
    find_callable,
    find_op,
    members,
    rules,
)
from pypto_lsp.features.hover import documentation_of
from pypto_lsp.place import Place, place_at
from pypto_lsp.render.language import language_markdown
from pypto_lsp.render.value import type_text
from pypto_lsp.server import PyptoServer

NAMESPACES = ("tensor", "tile", "system", "array", "prefetch")
_ITEM_KINDS = {
    "operator": types.CompletionItemKind.Function,
    "form": types.CompletionItemKind.Keyword,
    "type": types.CompletionItemKind.Class,
    "dtype": types.CompletionItemKind.Constant,
    "enum": types.CompletionItemKind.Enum,
    "member": types.CompletionItemKind.EnumMember,
    "namespace": types.CompletionItemKind.Module,
    "keyword": types.CompletionItemKind.Field,
    "value": types.CompletionItemKind.Variable,
    "parameter": types.CompletionItemKind.Variable,
    "constant": types.CompletionItemKind.Constant,
    "kernel": types.CompletionItemKind.Function,
    "class": types.CompletionItemKind.Class,
    "code": types.CompletionItemKind.Value,
    "snippet": types.CompletionItemKind.Snippet,
    "property": types.CompletionItemKind.Property,
}


@dataclass(frozen=True, slots=True)
class Item:
    """One proposal; a lower ``rank`` comes first. ``snippet`` is inserted where the client understands snippets, ``label`` elsewhere."""

    label: str
    kind: str
    rank: int
    detail: str = ""
    snippet: str = ""
    path: str = ""


def completions(place: Place) -> list[Item]:
    """Everything that may stand at the cursor."""
    cursor = place.cursor
    if cursor.comment:
        return _codes(cursor.comment)
    if cursor.in_string or cursor.head in ("import", "from", "class"):
        return []
    if cursor.owner:
        path = place.names.alias_path(cursor.owner)
        return _members(path, place) if path else _attributes(place)
    return [*_keywords(place), *_expected(place), *_plain(place)]


# ------------------------------------------------------------------------------------------------------ of the language
def _codes(comment: str) -> list[Item]:
    """Codes behind ``# pypto: ignore[``."""
    if re.search(r"#\s*pypto:\s*ignore\[[^\]]*$", comment) is None:
        return []
    return [Item(rule.code, "code", 1, rule.title) for rule in rules().values()]


def _members(path: str, place: Place) -> list[Item]:
    """Names below ``pl``, ``pl.tile``, ``pl.Mem`` ..."""
    if path in ENUMERATIONS:
        return [
            Item(name, "member", 1, MEMBERS.get(f"{path}.{name}", ""), path=f"{path}.{name}")
            for name in ENUMERATIONS[path].__members__
        ]
    cursor = place.cursor
    if path == "pl.jit" or (cursor.head == "@" and not cursor.calls):
        return [
            _form_item(form, 1, form.path.removeprefix(f"{path}."))
            for form in FORMS.values()
            if form.place == "decorator" and form.path.startswith(f"{path}.")
        ]
    found: list[Item] = []
    if path in ("pl", "pld"):
        found += _constants(path, place)
    for callee in members(path):
        if not callee.printed_only:
            found.append(_operator(callee, place))
    return found


def _constants(path: str, place: Place) -> Iterator[Item]:
    """Forms, dtypes, enumerations and namespaces directly below ``pl``."""
    cursor = place.cursor
    wanted = _wanted(place)
    for form in FORMS.values():
        if form.path.startswith(f"{path}.") and "." not in form.name and form.place != "decorator":
            yield _form_item(form, _form_rank(form, cursor))
    for name, enum in ENUMERATIONS.items():
        owner, _, last = name.rpartition(".")
        if owner == path:
            fits = enum.__name__ in wanted or last in wanted or (last == "Mem" and _slot(cursor) == "memory")
            yield Item(last, "enum", 0 if fits else 6, path=name)
    if path == "pl":
        types_first = cursor.annotation or "DataType" in wanted
        for dtype in DataType.by_name.values():
            yield _dtype_item(dtype, "", 1 if types_first else 7)
        for namespace in NAMESPACES:
            yield Item(namespace, "namespace", 5, path=f"pl.{namespace}")


def _slot(cursor: Cursor) -> str:
    """What stands at the cursor inside the brackets of a type: ``dtype``, ``memory``, or nothing in particular."""
    inner = cursor.calls[-1] if cursor.calls else None
    if inner is None or inner.bracket != "[":
        return ""
    return _TYPE_SLOTS.get((inner.callee.rpartition(".")[2], inner.index), "")


_TYPE_SLOTS = {
    ("Tensor", 1): "dtype",
    ("DistributedTensor", 1): "dtype",
    ("Tile", 1): "dtype",
    ("Tile", 2): "memory",
    ("Array", 1): "dtype",
    ("Scalar", 0): "dtype",
}


def _dtype_item(dtype: DataType, before: str, rank: int) -> Item:
    bits = f"{dtype.bits} bit{'s' if dtype.bits != 1 else ''}"
    return Item(f"{before}{dtype.printed}", "dtype", rank, bits, path=f"pl.{dtype.printed}")


def _form_rank(form: Form, cursor: Cursor) -> int:
    if _slot(cursor):
        return 9
    if cursor.annotation:
        return 0 if form.place == "type" else 9
    # An argument of the loop's or scope's own call is neither a loop nor a scope.
    if cursor.head == "for" and cursor.after_in:
        return 0 if form.place == "loop" and not cursor.calls else 9
    if cursor.head == "with":
        if cursor.calls:
            return 9
        return 0 if form.place == "scope" or form.path == "pl.spmd" else 9
    start = re.match(r"\s*\w*\.?\w*$", cursor.statement) is not None
    if form.place == "statement":
        return 2 if start else 7
    return {"value": 4, "type": 8, "loop": 8, "scope": 8}.get(form.place, 8)


def _form_item(form: Form, rank: int, label: str = "") -> Item:
    return Item(
        label or form.name.rpartition(".")[2],
        "type" if form.place == "type" else "form",
        rank,
        form.signature(),
        form.snippet,
        form.path,
    )


def _operator(callee: DslCallable, place: Place) -> Item:
    """An operator, ranked by the core that surrounding work runs on: in a lane region cube operations come last."""
    core = core_of(callee, None)
    if (
        place.cursor.annotation
        or place.cursor.head in ("with", "@")
        or (place.cursor.head == "for" and place.cursor.after_in)
    ):
        rank = 9
    elif core == "boundary":
        rank = 2
    elif not core or not place.core:
        rank = 3
    elif core == place.core:
        rank = 1
    else:
        rank = 8 if place.region else 4
    required = [p for p in callee.params if p.required]
    stops = [
        f"{p.name + '=' if p.kind == 'keyword' else ''}${{{i}:{p.name}}}" for i, p in enumerate(required, 1)
    ]
    detail = f"{core} · {callee.summary}" if core else callee.summary
    return Item(callee.name, "operator", rank, detail, f"{callee.name}({', '.join(stops)})$0", callee.path)


def _wanted(place: Place) -> set[str]:
    """Kinds that the argument at the cursor takes, as the callee's annotation words them."""
    call = place.cursor.call
    if call is None:
        return set()
    callee = find_callable(place.names.alias_path(call.callee))
    if callee is not None:
        param = active_parameter(callee, call)
        return set(callee.params[param].alternatives) if param is not None else set()
    form = FORMS.get(place.names.alias_path(call.callee))
    if form is None or not call.keyword:
        return set()
    label = next((p for p in form.parameters if p.split(":")[0].strip() == call.keyword), "")
    return set(re.findall(r"[A-Z]\w+", label.partition(":")[2]))


def active_parameter(callee: DslCallable, call: CallContext) -> int | None:
    """Index of the parameter that the argument at the cursor binds to."""
    if call.keyword:
        return next((i for i, p in enumerate(callee.params) if p.name == call.keyword), None)
    positional = [i for i, p in enumerate(callee.params) if p.kind in ("positional", "rest")]
    if call.index < len(positional):
        return positional[call.index]
    return positional[-1] if positional and callee.params[positional[-1]].kind == "rest" else None


def _expected(place: Place) -> Iterator[Item]:
    """Whole values for an argument that takes a dtype or a member of an enumeration: ``pl.FP32``, ``pl.Mem.Vec``."""
    wanted = _wanted(place)
    alias = place.names.alias_of("pl")
    slot = _slot(place.cursor)
    if "DataType" in wanted or slot == "dtype":
        for dtype in DataType.by_name.values():
            yield _dtype_item(dtype, f"{alias}.", 1)
    if slot == "memory":
        wanted = {"Mem"}
    for name, enum in ENUMERATIONS.items():
        if (enum.__name__ in wanted or name.rpartition(".")[2] in wanted) and name != "pl.MemorySpace":
            owner, _, rest = name.partition(".")
            for member in enum.__members__:
                path = f"{name}.{member}"
                yield Item(
                    f"{place.names.alias_of(owner)}.{rest}.{member}",
                    "member",
                    1,
                    MEMBERS.get(path, ""),
                    path=path,
                )
    if "bool" in wanted and place.cursor.call is not None and place.cursor.call.keyword:
        yield Item("True", "constant", 1)
        yield Item("False", "constant", 1)


# -------------------------------------------------------------------------------------------------------- of the author
def _keywords(place: Place) -> Iterator[Item]:
    """Keywords of the callee that are not written yet."""
    call = place.cursor.call
    if call is None or call.keyword or place.cursor.calls[-1] is not call:
        return
    path = place.names.alias_path(call.callee)
    callee = find_callable(path)
    if callee is not None:
        active = active_parameter(callee, call)
        # While an operand is missing, values come first.
        later = 3 if active is not None and callee.params[active].required else 0
        for index, param in enumerate(callee.params):
            free = param.kind == "keyword" or (
                param.kind == "positional" and index >= call.index and param.default is not None
            )
            if free and param.name not in call.given:
                yield Item(
                    f"{param.name}=",
                    "keyword",
                    later + (1 if param.kind == "keyword" else 2),
                    param.doc or param.label(),
                    path=path,
                )
        return
    form = FORMS.get(path)
    if form is not None and form.brackets == "()":
        for number, label in enumerate(form.parameters):
            name = label.split(":")[0].strip()
            filled = number < call.index and "*" not in form.parameters[: number + 1]
            if name.isidentifier() and name not in call.given and not filled:
                yield Item(f"{name}=", "keyword", 1, label, path=path)


def _attributes(place: Place) -> list[Item]:
    """What stands behind the dot of a name of the author's: methods behind ``self``, names of an imported module, ``x.shape``."""
    owner = place.cursor.owner
    function = place.function
    names = place.names
    if (
        function is not None
        and function.owner
        and function.parameters
        and owner == function.parameters[0].name
    ):
        cls = names.class_named(function.owner)
        return [_function_item(f, 1) for f in cls.functions if f is not function] if cls is not None else []
    symbol = names.module.symbols.get(owner)
    if symbol is not None and symbol.imported is not None and place.facts is not None:
        path = place.facts.paths.get(
            (names.path, symbol.imported.module if symbol.imported.attribute is None else _joined(symbol))
        )
        other = place.facts.imported.get(path) if path is not None else None
        if other is not None:
            return [
                item
                for name, s in other.module.symbols.items()
                if (item := _symbol_item(name, s, 1)) is not None
            ]
    if place.in_kernel and place.facts is not None:
        for values in place.facts.values.values():
            found = values.value(place.facts.path, owner, place.line, 10_000, writes=False)
            if found is not None and hasattr(found.type, "shape"):
                return [
                    Item("shape", "property", 1, type_text(found.type)),
                    Item("dtype", "property", 1, type_text(found.type)),
                ]
    return []


def _joined(symbol: Symbol) -> str:
    imported = symbol.imported
    assert imported is not None
    return f"{imported.module}{'' if imported.module.endswith('.') else '.'}{imported.attribute}"


def _plain(place: Place) -> Iterator[Item]:
    """Names that can be read here, those that fit the argument first."""
    cursor = place.cursor
    if cursor.head == "@":
        yield Item(place.names.alias_of("pl"), "namespace", 1)
        return
    if not place.in_kernel:
        if not cursor.calls and cursor.statement.strip() == cursor.word and place.function is None:
            yield from _skeletons(place.names.alias_of("pl"))
        if not cursor.annotation:
            return
    wanted, spaces = _wanted(place), _spaces(place)
    known = _value_kinds(place)
    visible = place.names.visible(place.line)
    placed = any(known[name][2] in spaces for name in visible if name in known)
    for name, symbol in visible.items():
        if name == "self":
            continue
        kind, detail, space = known.get(name, ("", "", None))
        rank = 3 if not wanted or not kind else 2 if kind in wanted else 5
        if placed and kind and space not in spaces:
            rank = max(rank, 3)
        item = _symbol_item(name, symbol, rank, detail)
        if item is not None:
            yield item


def _spaces(place: Place) -> set[MemorySpace]:
    """Memories in which the operand at the cursor may lie when it is a tile; empty when any will do."""
    call = place.cursor.call
    callee = find_callable(place.names.alias_path(call.callee)) if call is not None else None
    if call is None or callee is None or call.keyword:
        return set()
    found: set[MemorySpace] = set()
    for name in callee.operators:
        op = find_op(name) if name.startswith("tile.") else None
        if op is not None and call.index < len(op.params):
            found.update(op.params[call.index].memory or ())
    return found


def _value_kinds(place: Place) -> dict[str, tuple[str, str, MemorySpace | None]]:
    """Name -> (``Tensor``, ``Tile`` or ``Scalar``, its type as text, its memory) for the values of the kernel around the cursor."""
    if place.facts is None:
        return {}
    found: dict[str, tuple[str, str, MemorySpace | None]] = {}
    for values in place.facts.values.values():
        for function, names in values.functions_at(place.facts.path, place.line):
            kinds = [(v.name_hint, v.type) for v in function.params]
            kinds += [(name, occurrences[-1].var.type) for name, occurrences in names.items()]
            for name, kind in kinds:
                word = type(kind).__name__.removesuffix("Type")
                found.setdefault(name, (word, type_text(kind), getattr(kind, "memory_space", None)))
    return found


def _symbol_item(name: str, symbol: Symbol, rank: int, detail: str = "") -> Item | None:
    if symbol.function is not None:
        return _function_item(symbol.function, rank)
    if (
        symbol.kind is Kind.IMPORT
        and symbol.imported is not None
        and symbol.imported.module.startswith("pypto")
    ):
        return Item(name, "namespace", rank + 1)
    kinds = {
        Kind.PARAMETER: "parameter",
        Kind.CONSTANT: "constant",
        Kind.CLASS: "class",
        Kind.IMPORT: "constant",
    }
    return Item(name, kinds.get(symbol.kind, "value"), rank, detail)


def _function_item(function: FunctionInfo, rank: int) -> Item:
    stops = [
        f"${{{i}:{p.name}}}"
        for i, p in enumerate(function.shown_parameters, 1)
        if not p.default and not p.prefix
    ]
    return Item(function.name, "kernel", rank, function.signature(), f"{function.name}({', '.join(stops)})$0")


def _skeletons(alias: str) -> Iterator[Item]:
    """Whole kernels to start from."""
    tensor = f"{alias}.Tensor[[${{2:rows}}, ${{3:cols}}], {alias}.FP32]"
    yield Item(
        "kernel", "snippet", 4, "A JIT kernel", "\n".join((
            f"@{alias}.jit",
            f"def ${{1:kernel}}(x: {tensor}, y: {alias}.Out[{tensor}]):",
            f"    with {alias}.at(level={alias}.Level.CORE_GROUP, name_hint=\"${{1:kernel}}\"):",
            f"        y[:, :] = {alias}.${{4:exp}}(x)",
            "    return y$0",
        )))  # fmt: skip
    yield Item(
        "program", "snippet", 4, "A program with one function", "\n".join((
            f"@{alias}.program",
            "class ${1:Program}:",
            f"    @{alias}.function",
            f"    def ${{4:kernel}}(self, x: {tensor}, y: {alias}.Out[{tensor}]) -> {tensor}:",
            f"        with {alias}.at(level={alias}.Level.CORE_GROUP):",
            f"            y[:, :] = {alias}.${{5:exp}}(x)",
            "        return y$0",
        )))  # fmt: skip


def to_protocol(item: Item, snippets: bool) -> types.CompletionItem:
    """A proposal in the protocol's form; documentation follows on request."""
    use_snippet = snippets and item.snippet
    return types.CompletionItem(
        label=item.label,
        kind=_ITEM_KINDS[item.kind],
        detail=item.detail or None,
        sort_text=f"{item.rank}{item.label.lower()}",
        insert_text=item.snippet if use_snippet else None,
        insert_text_format=types.InsertTextFormat.Snippet if use_snippet else None,
        data={"path": item.path} if item.path else None,
    )


def register(server: PyptoServer) -> None:
    """Answer ``textDocument/completion`` and ``completionItem/resolve``."""

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=[".", "@", "=", "["], resolve_provider=True),
    )
    async def completion(params: types.CompletionParams) -> types.CompletionList | None:
        document = server.document(params.text_document.uri)
        if document is None or params.position.line >= len(document.lines):
            return None
        names = document.names[1] if document.names is not None else await server.names_of(document)
        column = server.positions(document).column(params.position)
        place = place_at(document.lines, params.position.line, column, names, document.facts)
        text_document = server.client_capabilities.text_document
        wanted = (
            text_document.completion.completion_item if text_document and text_document.completion else None
        )
        snippets = bool(wanted is not None and wanted.snippet_support)
        items = [to_protocol(item, snippets) for item in completions(place)]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolve(item: types.CompletionItem) -> types.CompletionItem:
        path = item.data.get("path") if isinstance(item.data, dict) else None
        text = language_markdown(str(path), None, []) if path else ""
        if text:
            text_document = server.client_capabilities.text_document
            wanted = (
                text_document.completion.completion_item
                if text_document and text_document.completion
                else None
            )
            item.documentation = documentation_of(
                text, wanted.documentation_format if wanted is not None else None
            )
        return item
