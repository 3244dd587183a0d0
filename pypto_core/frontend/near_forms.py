"""Decorators and imports that are almost those of the language: with them a file has no kernel, and nothing else would be told."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain
from operator import attrgetter

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.per_item import Item
from pypto_core.frontend.recovery import ClassSyntax, FileSyntax, FunctionSyntax, Statement
from pypto_core.frontend.static_eval.values import KERNEL_FORMS
from pypto_core.frontend.syntax import SourceMap, dotted
from pypto_core.ops.dsl import find_callable

_LANGUAGE = "pypto.language"
_MODULES = (_LANGUAGE, f"{_LANGUAGE}.distributed")

#: An imported module as written, the name it is bound to, and its place.
_Import = tuple[str, str, SourceMap, ast.alias]


@dataclass(frozen=True, slots=True)
class ItemForms:
    """What an item imports, the names under which it decorates with forms of the language, and its decorators that are none."""

    imports: tuple[_Import, ...] = ()
    roots: frozenset[str] = frozenset()
    others: tuple[tuple[SourceMap, ast.expr, tuple[str, ...]], ...] = ()


_NONE = ItemForms()


@cache
def _usual(roots: frozenset[str]) -> ItemForms:
    """One object for all items that are decorated alike: an edit looks at those of all items."""
    return ItemForms(roots=roots)


def forms_of(item: Item) -> ItemForms:
    """Imports and decorators of one item."""
    if isinstance(item, Statement):
        imports = tuple(_imports(item))
        return ItemForms(imports) if imports else _NONE
    decorators = list(_decorators(item))
    others = tuple(d for d in decorators if ".".join(d[2][1:]) not in KERNEL_FORMS)
    roots = frozenset(path[0] for _, _, path in decorators if ".".join(path[1:]) in KERNEL_FORMS)
    return ItemForms((), roots, others) if others else _usual(roots)


def check_forms(syntax: FileSyntax, forms: Sequence[ItemForms]) -> Iterator[Diagnostic]:
    """Findings about decorators near a known form (``decorator-unknown``) and imports near the language (``language-import``).

    ``forms`` are those of the items of the file.
    """
    imports = list(chain.from_iterable(map(attrgetter("imports"), forms)))
    aliases = {name for module, name, _, _ in imports if module == _LANGUAGE and name != _LANGUAGE}
    for source, decorator, path in chain.from_iterable(map(attrgetter("others"), forms)):
        if path[0] in aliases and (near := near_form(path)):
            yield error(
                "decorator-unknown",
                f"'{'.'.join(path)}' is no decorator of the language, so this is no kernel and nothing in it is checked; "
                f"did you mean '{path[0]}.{near}'?",
                source.span(decorator.func if isinstance(decorator, ast.Call) else decorator),
                data={"name": ".".join(path), "suggestion": f"{path[0]}.{near}"},
            )
    if imports:
        roots: set[str] = set().union(*map(attrgetter("roots"), forms))
        for module, name, source, node in imports:
            yield from _check_import(syntax, roots, module, name, source, node)


def near_form(path: tuple[str, ...]) -> str | None:
    """``jit`` for ``("pl", "jitt")``; None for known forms, other names of the language, and what is near nothing."""
    form = ".".join(path[1:])
    if len(path) < 2 or form in KERNEL_FORMS or find_callable(f"pl.{form}") is not None:
        return None
    return next(iter(get_close_matches(form, sorted(KERNEL_FORMS), 1, 0.65)), None)


def _check_import(
    syntax: FileSyntax, roots: set[str], module: str, name: str, source: SourceMap, node: ast.alias
) -> Iterator[Diagnostic]:
    near = next(iter(get_close_matches(module, _MODULES, 1, 0.85)), None)
    if (
        name in roots
        and near is not None
        and module not in _MODULES
        and not module.startswith(_LANGUAGE + ".")
    ):
        last, wanted = module.rpartition(".")[2], near.rpartition(".")[2]
        whole = node.name == module
        yield error(
            "language-import",
            f"there is no module '{module}', so '{name}' is not the language and no kernel is checked; did you mean '{near}'?",
            source.span(node),
            data={"name": module if whole else last, "suggestion": near if whole else wanted},
        )
    elif name == _LANGUAGE and "pl" in roots and not _binds(syntax, "pl"):
        yield error(
            "language-import",
            "'import pypto.language' does not bind 'pl', so no kernel is checked: write 'import pypto.language as pl'",
            source.span(node),
            data={"name": _LANGUAGE, "suggestion": f"{_LANGUAGE} as pl"},
        )


def _imports(item: Statement) -> Iterator[_Import]:
    if isinstance(item.node, ast.Import | ast.ImportFrom | ast.If | ast.Try):
        for node in ast.walk(item.node):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, alias.asname or alias.name, item.source, alias
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    yield f"{node.module}.{alias.name}", alias.asname or alias.name, item.source, alias


def _decorators(
    item: FunctionSyntax | ClassSyntax,
) -> Iterator[tuple[SourceMap, ast.expr, tuple[str, ...]]]:
    owners: list[FunctionSyntax | ClassSyntax] = (
        [item, *item.functions] if isinstance(item, ClassSyntax) else [item]
    )
    for owner in owners:
        for decorator in owner.node.decorator_list:
            path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if path is not None and len(path) > 1:
                yield owner.source, decorator, path


def _binds(syntax: FileSyntax, name: str) -> bool:
    """Whether anything at module level may give ``name`` a value."""
    for item in syntax.items:
        if not isinstance(item, Statement):
            if item.node.name == name:
                return True
            continue
        for node in ast.walk(item.node):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
                return True
    return False
