"""Names of ``pl.dynamic`` symbols (docs/spec/language.md §7.1, ``dynvar-name``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pypto_core.diagnostics import Diagnostic, error
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax, Statement
from pypto_core.frontend.syntax import SourceMap, dotted


def check_symbols(item: FunctionSyntax | ClassSyntax | Statement) -> Iterator[Diagnostic]:
    """Every ``pl.dynamic(...)`` is given an identifier in a string."""
    for source, node in _statements(item):
        if "dynamic" not in source.chunk.text:
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and dotted(inner.func) == ("pl", "dynamic"):
                yield from _check(source, inner)


def _statements(item: FunctionSyntax | ClassSyntax | Statement) -> Iterator[tuple[SourceMap, ast.stmt]]:
    if isinstance(item, Statement):
        yield item.source, item.node
        return
    for function in item.functions if isinstance(item, ClassSyntax) else [item]:
        for statement in function.body:
            yield statement.source, statement.node


def _check(source: SourceMap, call: ast.Call) -> Iterator[Diagnostic]:
    name = call.args[0] if call.args else None
    if isinstance(name, ast.Constant) and not (isinstance(name.value, str) and name.value.isidentifier()):
        yield error(
            "dynvar-name",
            f"the name of a dynamic size is an identifier in quotes, not {source.source(name)}",
            source.span(name),
        )
