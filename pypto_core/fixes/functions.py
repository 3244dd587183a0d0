"""Decorators and bodies of functions: edits that several families make."""

from __future__ import annotations

import ast

from pypto_core.fixes.editing import Editor, arguments
from pypto_core.fixes.splits import region_call
from pypto_core.fixes.tree import SourceTree, call_name, keyword
from pypto_core.frontend.syntax import dotted

CORE_GROUP = "with pl.at(level=pl.Level.CORE_GROUP):"


def kernel_decorator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """The decorator that makes a function a kernel."""
    for decorator in function.decorator_list:
        path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if path and (path[-1] in ("function", "inline", "jit") or "jit" in path[:-1]):
            return decorator
    return None


def set_decorator_keyword(editor: Editor, decorator: ast.expr, name: str, value: str) -> Editor:
    """``name=value`` on a decorator with or without arguments."""
    if isinstance(decorator, ast.Call):
        given = keyword(decorator, name)
        if given is not None:
            return editor.rewrite(given.value, value)
        return editor.add_argument(decorator, f"{name}={value}")
    return editor.insert(editor.tree.end(decorator), f"({name}={value})")


def drop_decorator_keywords(editor: Editor, decorator: ast.Call, *names: str) -> Editor:
    """Keywords out of a decorator; its brackets go with the last one."""
    given = arguments(decorator)
    left = [a for a in given if not (isinstance(a, ast.keyword) and a.arg in names)]
    if len(left) == len(given):
        return editor
    if not left:
        return editor.rewrite(decorator, editor.tree.words(decorator.func))
    text = ", ".join(editor.tree.words(a) for a in left)
    return editor.replace(editor.tree.start(given[0]), editor.tree.end(given[-1]), text)


def is_prologue(stmt: ast.stmt) -> bool:
    """A docstring or a ``pl.func_attr`` directive."""
    value = stmt.value if isinstance(stmt, ast.Expr) else None
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str)
    return isinstance(value, ast.Call) and call_name(value) == "func_attr"


def work(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """The statements between prologue and the final return."""
    body = [s for s in function.body if not is_prologue(s)]
    return body[:-1] if body and isinstance(body[-1], ast.Return) else body


def is_core_type(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is declared as a core kernel."""
    decorator = kernel_decorator(function)
    path = (
        dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if decorator is not None
        else None
    )
    if path and path[-1] == "incore":
        return True
    given = keyword(decorator, "type") if isinstance(decorator, ast.Call) else None
    return given is not None and (dotted(given.value) or ("",))[-1] == "InCore"


def make_plain(editor: Editor, node: ast.AST) -> bool:
    """The core kernel around ``node`` becomes an ordinary function whose work stands in a CORE_GROUP scope.

    False when the function is none. Lines are shifted: do this before other edits of the body.
    """
    tree: SourceTree = editor.tree
    function = tree.function(node)
    decorator = kernel_decorator(function) if function is not None else None
    if function is None or decorator is None or not is_core_type(function):
        return False
    if isinstance(decorator, ast.Call) and keyword(decorator, "type") is not None:
        drop_decorator_keywords(editor, decorator, "type", "level", "role")
    else:
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        end = tree.end(callee)
        editor.replace(end - len("incore"), end, "opaque")
    stmts = work(function)
    scoped = any(
        isinstance(n, ast.With) and call_name(n.items[0].context_expr) == "at" for n in ast.walk(function)
    )
    if stmts and not scoped and not (len(stmts) == 1 and region_call(stmts[0])) and tree.owns_lines(stmts):
        editor.wrap(stmts[0], stmts[-1], CORE_GROUP)
    return True
