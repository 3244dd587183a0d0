"""The structure of a file: programs, kernels, scopes and lane regions, constants; and what of it folds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pypto_core.engine.names import FileNames
from pypto_core.engine.scopes import ClassInfo, FunctionInfo, ItemNames, Kind
from pypto_core.frontend.per_item import Item
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.syntax import SourceMap, dotted, string_literal
from pypto_core.ir import Span
from pypto_core.ir.deep import goes_deep

#: Last part of a decorator -> what the function is for the outline.
_KERNEL_FORMS = frozenset({"jit", "function", "inline", "incore", "opaque", "extern", "host"})
_FOLDING = (ast.With, ast.For, ast.If, ast.While, ast.Try, ast.FunctionDef, ast.ClassDef)


@dataclass(slots=True)
class OutlineItem:
    """``kind``: program, kernel, method, function, class, constant, dimension, scope, region or loop. Lines are 0-based."""

    name: str
    kind: str
    detail: str
    first_line: int
    last_line: int
    name_span: Span
    children: list[OutlineItem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines ``first`` to ``last`` (0-based) that an editor may fold; ``kind``: code, region, imports or comment."""

    first: int
    last: int
    kind: str


def is_kernel(function: FunctionInfo, names: FileNames) -> bool:
    """Whether the function is one of the language: ``@pl.jit``, ``@pl.function``, ``@pl.jit.incore`` ..."""
    return bool(kernel_form(function, names))


def kernel_form(function: FunctionInfo, names: FileNames) -> str:
    """``jit``, ``function``, ``jit.incore`` ...; empty for a function that is no kernel."""
    for decorator in function.decorators:
        path = names.alias_path(".".join(decorator))
        if path.startswith("pl.") and path.rpartition(".")[2] in _KERNEL_FORMS:
            return path[3:]
    return ""


def is_program(cls: ClassInfo, names: FileNames) -> bool:
    """Whether a class stands under ``@pl.program``, by whatever name the file imports the language."""
    return any(names.alias_path(".".join(d)) == "pl.program" for d in cls.decorators)


def outline(names: FileNames) -> list[OutlineItem]:
    """Top-level structure in source order."""
    found: list[OutlineItem] = []
    for item in names.items:
        if isinstance(item.item, FunctionSyntax):
            found += [
                _function(f, names, item.item if f.use.name == item.item.name and not f.nested else None)
                for f in item.functions
                if not f.nested
            ]
        elif isinstance(item.item, ClassSyntax):
            found += [_class(c, names, item.item) for c in item.classes[:1]]
        else:
            found += _statement(item, names)
    return found


def _function(function: FunctionInfo, names: FileNames, syntax: FunctionSyntax | None) -> OutlineItem:
    form = kernel_form(function, names)
    kind = "kernel" if form else "method" if function.owner else "function"
    item = OutlineItem(
        function.name,
        kind,
        f"@pl.{form}" if form else "",
        function.first_line,
        function.last_line,
        function.use.span,
    )
    if syntax is not None and form:
        for statement in syntax.body:
            item.children += _scopes([statement.node], statement.source, names)
    return item


def _class(cls: ClassInfo, names: FileNames, syntax: ClassSyntax) -> OutlineItem:
    program = is_program(cls, names)
    item = OutlineItem(
        cls.name,
        "program" if program else "class",
        "@pl.program" if program else "",
        cls.first_line,
        cls.last_line,
        cls.use.span,
    )
    bodies = {function.name: function for function in syntax.functions}
    item.children = [_function(f, names, bodies.get(f.name)) for f in cls.functions]
    return item


def _statement(item: ItemNames, names: FileNames) -> Iterator[OutlineItem]:
    """Constants and dimension names that a statement binds; definitions inside ``if`` and the like."""
    for use in item.free:
        if not use.role.binds:
            continue
        symbol = names.module.symbols.get(use.name)
        if symbol is None or symbol.kind is not Kind.CONSTANT or symbol.definitions[0] is not use:
            continue
        value = _value_text(item.item)
        dimension = isinstance(item.item.node, ast.Assign) and _is_dynamic(item.item.node.value, names)
        line = use.span.line - 1
        yield OutlineItem(
            use.name, "dimension" if dimension else "constant", value, line, use.span.end_line - 1, use.span
        )
    for cls in item.classes:
        yield OutlineItem(
            cls.name, "program" if is_program(cls, names) else "class", "", cls.first_line, cls.last_line, cls.use.span,
            [_function(f, names, None) for f in cls.functions],
        )  # fmt: skip
    for function in item.functions:
        if not function.owner and not function.nested:
            yield _function(function, names, None)


def _value_text(item: Item) -> str:
    node = item.node
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    text = " ".join(item.source.source(value).split()) if value is not None else ""
    return text if len(text) <= 60 else text[:57] + "..."


def _is_dynamic(node: ast.expr, names: FileNames) -> bool:
    path = dotted(node.func) if isinstance(node, ast.Call) else None
    return path is not None and names.alias_path(".".join(path)) == "pl.dynamic"


@goes_deep
def _scopes(body: Sequence[ast.stmt], source: SourceMap, names: FileNames) -> list[OutlineItem]:
    """Scopes, lane regions and loops of the language among some statements, and below them."""
    found: list[OutlineItem] = []
    for node in body:
        call = _scope_call(node)
        path = dotted(call.func) if call is not None else None
        callee = names.alias_path(".".join(path)) if path is not None else ""
        inner = [
            child for name in ("body", "orelse", "handlers", "finalbody") for child in getattr(node, name, ())
        ]
        children = _scopes(inner, source, names)
        if call is None or not callee.startswith("pl"):
            found += children
            continue
        span = source.span(node)
        name = callee.rpartition(".")[2]
        kind = "region" if name == "split_aiv" else "loop" if isinstance(node, ast.For) else "scope"
        detail = " ".join(source.source(call).split())
        hint = next((string_literal(k.value) for k in call.keywords if k.arg == "name_hint"), None)
        title = f'{name} "{hint}"' if hint else name
        if kind == "loop":
            assert isinstance(node, ast.For)
            title = f"for {source.source(node.target)}"
        elif kind == "region":
            mode = next(
                (
                    k.value.attr
                    for k in call.keywords
                    if k.arg == "mode" and isinstance(k.value, ast.Attribute)
                ),
                "",
            )
            title = f"split_aiv {mode}".rstrip()
        found.append(
            OutlineItem(
                title,
                kind,
                detail,
                span.line - 1,
                source.last(node).end_line - 1,
                source.span(call),
                children,
            )
        )
    return found


def _scope_call(node: ast.stmt) -> ast.Call | None:
    if isinstance(node, ast.With) and node.items and isinstance(node.items[0].context_expr, ast.Call):
        return node.items[0].context_expr
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        return node.iter
    return None


def folds(names: FileNames, lines: Sequence[str]) -> list[Fold]:
    """Definitions, compound statements, import blocks and runs of comments that take more than one line."""
    found: list[Fold] = []
    imports: list[tuple[int, int]] = []
    for item in names.items:
        node = item.item.node
        if isinstance(item.item, FunctionSyntax):
            found += [_fold(f.use.span.line - 1, f.last_line, "code") for f in item.functions if not f.nested]
            for statement in item.item.body:
                found += _statement_folds([statement.node], statement.source, names)
        elif isinstance(item.item, ClassSyntax):
            found += [_fold(c.use.span.line - 1, c.last_line, "code") for c in item.classes]
            found += [_fold(f.use.span.line - 1, f.last_line, "code") for f in item.functions]
            for function in item.item.functions:
                for statement in function.body:
                    found += _statement_folds([statement.node], statement.source, names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            span = item.item.source.span(node)
            if imports and imports[-1][1] >= span.line - 2:
                imports[-1] = (imports[-1][0], span.end_line - 1)
            else:
                imports.append((span.line - 1, span.end_line - 1))
        else:
            found += _statement_folds([item.item.node], item.item.source, names)
    found += [Fold(first, last, "imports") for first, last in imports]
    found += _comment_folds(lines)
    return sorted({f for f in found if f.last > f.first}, key=lambda f: (f.first, f.last))


def _fold(first: int, last: int, kind: str) -> Fold:
    return Fold(first, last, kind)


def _statement_folds(body: Sequence[ast.AST], source: SourceMap, names: FileNames) -> Iterator[Fold]:
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, _FOLDING):
            span = source.span(node)
            call = _scope_call(node)
            path = dotted(call.func) if call is not None else None
            region = path is not None and names.alias_path(".".join(path)).startswith("pl.")
            yield Fold(span.line - 1, source.last(node).end_line - 1, "region" if region else "code")
        todo += [c for n in ("body", "orelse", "handlers", "finalbody") for c in getattr(node, n, ())]


def _comment_folds(lines: Sequence[str]) -> Iterator[Fold]:
    first = -1
    for number, line in enumerate([*lines, ""]):
        if line.lstrip().startswith("#"):
            first = number if first < 0 else first
            continue
        if first >= 0 and number - first > 1:
            yield Fold(first, number - 1, "comment")
        first = -1
