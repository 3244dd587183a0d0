"""Imports that kernels need and that are not found (docs/spec/static-eval.md §7.4)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.static_eval.builtin_functions import BUILTINS
from pypto_core.frontend.static_eval.scopes import ModuleEnvironment

#: Names that a kernel loads, and those it binds itself.
UsedNames: TypeAlias = "tuple[set[str], set[str]]"


def unresolved_imports(module: ModuleEnvironment, kernels: Iterable[UsedNames]) -> list[Diagnostic]:
    """One finding per import of which a kernel uses something."""
    used: set[str] = set()
    free: set[str] = set()
    for loaded, stored in kernels:
        used |= loaded
        free |= loaded - stored
    free = {n for n in free if n not in BUILTINS and module.binding(n) is None}
    found: list[Diagnostic] = []
    for missing in module.unresolved:
        taken = [n for n in missing.names if n in used] if missing.names != ("*",) else sorted(free)
        if taken:
            names = ", ".join(f"'{n}'" for n in taken)
            found.append(
                Diagnostic(
                    "import-unresolved",
                    f"module '{missing.module}' is not found: {names} and what depends on it are unknown to the analysis",
                    missing.site.span,
                    Severity.INFORMATION,
                    data={"module": missing.module},
                )
            )
    return found


def used_names(syntax: FunctionSyntax | ClassSyntax) -> UsedNames:
    """Names that a kernel loads, and those it binds itself."""
    loaded: set[str] = set()
    stored: set[str] = set()
    for node in _trees(syntax):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                (loaded if isinstance(inner.ctx, ast.Load) else stored).add(inner.id)
            elif isinstance(inner, ast.arg):
                stored.add(inner.arg)
    return loaded, stored


def _trees(syntax: FunctionSyntax | ClassSyntax) -> Iterator[ast.AST]:
    if isinstance(syntax, FunctionSyntax):
        yield syntax.node
        for statement in syntax.body:
            yield statement.node
    else:
        for function in syntax.functions:
            yield from _trees(function)
