"""What the evaluation of a module sees of its file: everything but the bodies of kernels (docs/architecture.md §4).

Evaluating a module makes kernels of their headers and never looks into their bodies, so an edit inside one leaves every value what it was.
"""

from __future__ import annotations

import ast
from itertools import compress
from operator import is_not

from pypto_core.frontend.per_item import Item
from pypto_core.frontend.recovery import FileSyntax, Statement
from pypto_core.frontend.static_eval.values import KERNEL_FORMS
from pypto_core.frontend.syntax import dotted

_LAST_NAMES = frozenset(form.rsplit(".", 1)[-1] for form in KERNEL_FORMS)


def same_shape(old: FileSyntax, new: FileSyntax) -> bool:
    """Whether two readings of a file differ in bodies of kernels at most."""
    return old is new or (
        len(old.items) == len(new.items)
        and all(is_set_apart(a) and has_header_of(b, a) for a, b in changed_items(old, new))
    )


def changed_items(old: FileSyntax, new: FileSyntax) -> list[tuple[Item, Item]]:
    """Items of two readings of the same length that are not the same."""
    return list(compress(zip(old.items, new.items, strict=True), map(is_not, old.items, new.items)))


def is_set_apart(item: Item) -> bool:
    """Whether the body of a definition seems to be a kernel's: its one decorator looks like one that makes kernels."""
    node = item.node
    return (
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not isinstance(item, Statement)
        and len(node.decorator_list) == 1
        and is_kernel_definition(node)
    )


def has_header_of(item: Item, other: Item) -> bool:
    """Whether two definitions have the very same header."""
    return item.__class__ is other.__class__ and item.node is other.node


def is_kernel_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition looks like a kernel: a decorator under ``pl`` that makes one."""
    for decorator in node.decorator_list:
        path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if path is not None and path[-1] in _LAST_NAMES and (len(path) > 1 or path[-1] == "jit"):
            return True
    return False
