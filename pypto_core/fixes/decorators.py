"""Repairs of decorators, signatures and prologues (docs/spec/language.md §7.1, §7.2)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.editing import Editor
from pypto_core.fixes.functions import (
    drop_decorator_keywords,
    is_prologue,
    kernel_decorator,
    set_decorator_keyword,
)
from pypto_core.fixes.model import Fix, Fixer
from pypto_core.fixes.splits import drop_attribute
from pypto_core.fixes.tree import Function, SourceTree, binds, fresh, keyword, on_tree
from pypto_core.frontend.syntax import dotted, string_literal


def _function(finding: Diagnostic, tree: SourceTree) -> Function | None:
    node = tree.at(finding.span, ast.FunctionDef, ast.AsyncFunctionDef)
    return node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _no_async(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    function = _function(finding, tree)
    if not isinstance(function, ast.AsyncFunctionDef):
        return
    found = re.compile(r"async\s+").match(tree.text, tree.start(function))
    waits = any(isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith) for n in ast.walk(function))
    if found is not None:
        yield Editor(tree).replace(found.start(), found.end(), "").fix("Remove 'async'", safe=not waits)


def _enum_prefix(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    node, enum = tree.at(finding.span, ast.Attribute), str(finding.data["enum"])
    path = dotted(node) if node is not None else None
    if node is not None and path:
        yield Editor(tree).rewrite(node, f"pl.{enum}.{path[-1]}").fix(f"Change to pl.{enum}.{path[-1]}")


def _attrs_to_prologue(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``attrs={...}`` of the decorator becomes ``pl.func_attr({...})``, where a bare name would be a parameter instead of a value."""
    function = _function(finding, tree)
    decorator = kernel_decorator(function) if function is not None else None
    given = keyword(decorator, "attrs") if isinstance(decorator, ast.Call) else None
    if function is None or given is None or not isinstance(given.value, ast.Dict):
        return
    assert isinstance(decorator, ast.Call)
    if any(isinstance(value, ast.Name) for value in given.value.values):
        return
    editor = Editor(tree)
    drop_decorator_keywords(editor, decorator, "attrs")
    first = next((s for s in function.body if not _is_docstring(s)), None)
    if first is None or not tree.owns_lines(function.body):
        return
    editor.before(first, f"pl.func_attr({tree.words(given.value)})")
    yield editor.fix("Write pl.func_attr({...}) in the body", safe=True)


def _is_docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _drop_keyword(name: str) -> Fixer:
    """The contradicting keyword goes: the type implies it."""

    def make(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
        function = _function(finding, tree)
        decorator = kernel_decorator(function) if function is not None else None
        if isinstance(decorator, ast.Call):
            editor = drop_decorator_keywords(Editor(tree), decorator, name)
            yield editor.fix(f"Delete {name}=: the type implies it", safe=True)

    return on_tree(make)


def _decorator_keyword(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    new = finding.data.get("suggestion")
    value = tree.at(finding.span, ast.expr)
    if (
        new
        and value is not None
        and isinstance(outer := tree.parent(value), ast.Call)
        and value in outer.args
    ):
        yield Editor(tree).insert(tree.start(value), f"{new}=").fix(f"Write {new}=")
        return
    given = tree.at(finding.span, ast.keyword)
    call = tree.parent(given) if given is not None else None
    if given is None or given.arg is None or not isinstance(call, ast.Call):
        return
    if new:
        start = tree.start(given)
        yield Editor(tree).replace(start, start + len(given.arg), str(new)).fix(f"Change to '{new}='")
    yield drop_decorator_keywords(Editor(tree), call, given.arg).fix(f"Delete {given.arg}=")


def _core_type(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    function = _function(finding, tree)
    decorator = kernel_decorator(function) if function is not None else None
    if decorator is not None:
        for core in ("AIV", "AIC"):
            editor = set_decorator_keyword(Editor(tree), decorator, "type", f"pl.FunctionType.{core}")
            yield editor.fix(f"Declare type=pl.FunctionType.{core}")


def _signature_only(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    function = _function(finding, tree)
    body = [s for s in function.body if not _is_docstring(s)] if function is not None else []
    if body and tree.owns_lines(body):
        start, end = tree.lines(body[0], body[-1])
        yield (
            Editor(tree)
            .replace(start, end, f"{tree.indent(body[0])}...{tree.newline}")
            .fix("Replace the body by '...'")
        )


def _no_self(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    function = _function(finding, tree)
    if function is not None and function.args.args and function.args.args[0].arg == "self":
        editor = Editor(tree).drop(function.args.args[0], list(function.args.args))
        yield editor.fix(
            "Remove 'self'",
            safe=not any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(function)),
        )


def _attributes_first(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    stmt = tree.statement(finding.span)
    function = tree.function(stmt) if stmt is not None else None
    if stmt is None or function is None or not tree.owns_lines([stmt]):
        return
    first = next(s for s in function.body if not is_prologue(s) or s is stmt)
    if first is not stmt:
        yield Editor(tree).move_before(stmt, first).fix("Move pl.func_attr to the top", safe=True)


def _attribute(finding: Diagnostic, tree: SourceTree) -> tuple[ast.Dict, int] | None:
    """The dictionary entry whose key a finding marks."""
    place = tree.range_of(finding.span)
    node = tree.at(finding.span, ast.Dict)
    if place is None or node is None:
        return None
    for i, key in enumerate(node.keys):
        if key is not None and tree.start(key) == place[0]:
            return node, i
    return None


def _drop_duplicate(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    found = _attribute(finding, tree)
    if found is None:
        return
    attrs, index = found
    editor = Editor(tree)
    if len(attrs.keys) == 1:
        drop_attribute(editor, attrs, str(finding.data["name"]))
    else:
        key, value = attrs.keys[index], attrs.values[index]
        assert key is not None
        if index:
            editor.replace(tree.end(attrs.values[index - 1]), tree.end(value), "")
        else:
            after = attrs.keys[1]
            assert after is not None
            editor.replace(tree.start(key), tree.start(after), "")
    yield editor.fix(f"Delete this '{finding.data['name']}'")


def _to_decorator(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    found = _attribute(finding, tree)
    function = tree.function(found[0]) if found is not None else None
    decorator = kernel_decorator(function) if function is not None else None
    if found is None or decorator is None:
        return
    attrs, index = found
    name = string_literal(attrs.keys[index]) or ""
    editor = Editor(tree)
    set_decorator_keyword(editor, decorator, name, tree.words(attrs.values[index]))
    drop_attribute(editor, attrs, name)
    yield editor.fix(f"Write {name}= on the decorator", safe=True)


def _own_prefix(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """``import pypto.language as L`` becomes ``as pl``, everywhere in the file."""
    alias = str(finding.data["alias"])
    for stmt in (s for s in tree.module.body if isinstance(s, ast.Import)):
        for entry in stmt.names:
            if entry.asname != alias:
                continue
            new = "pld" if entry.name.endswith(".distributed") else "pl"
            editor = Editor(tree).rename(tree.module, alias, new)
            if _imported(tree, entry.name, new):
                editor.delete(stmt) if len(stmt.names) == 1 else editor.drop(entry, list(stmt.names))
            elif new in binds(tree.module):
                return
            else:
                end = tree.end(entry)
                editor.replace(end - len(alias), end, new)
            yield editor.fix(f"Call it {new}", safe=True)
            return


def _imported(tree: SourceTree, module: str, name: str) -> bool:
    """Whether ``import module as name`` stands in the file."""
    return any(
        entry.name == module and entry.asname == name
        for stmt in tree.module.body
        for entry in (stmt.names if isinstance(stmt, ast.Import) else ())
    )


def _decorate_methods(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    owner = tree.at(finding.span, ast.ClassDef)
    methods = (
        [s for s in owner.body if isinstance(s, ast.FunctionDef) and not s.decorator_list] if owner else []
    )
    editor = Editor(tree)
    for method in methods:
        editor.insert_lines(tree.line_start(tree.start(method)), ["@pl.function"], tree.indent(method))
    yield editor.fix("Decorate the methods with @pl.function")


def _annotate(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    arg = tree.at(finding.span, ast.arg)
    if arg is not None and arg.annotation is None:
        for title, text in (
            ("Annotate as a scalar", "pl.Scalar[pl.INDEX]"),
            ("Annotate as a tensor", "pl.Tensor[[64, 64], pl.FP32]"),
        ):
            yield Editor(tree).insert(tree.end(arg), f": {text}").fix(f"{title} ({text})")


def _parameter_first(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    function, name = _function(finding, tree), str(finding.data["name"])
    if function is None:
        return
    args = function.args.args
    moved = next((a for a in args if a.arg == name), None)
    first = next((a for a in args if a.annotation is not None and name in _names(a.annotation)), None)
    if moved is None or first is None or first is moved:
        return
    editor = Editor(tree).drop(moved, list(args)).insert(tree.start(first), f"{tree.words(moved)}, ")
    yield editor.fix(f"Move '{name}' in front (callers pass by position)")


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def unwrap_direction(title: str, *, safe: bool) -> Fixer:
    """``pl.Out[T]`` becomes ``T``."""

    def make(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
        node: ast.AST | None = tree.at(finding.span, ast.Subscript)
        arg = tree.at(finding.span, ast.arg)
        if arg is not None and arg.annotation is not None:
            node = arg.annotation
        if not isinstance(node, ast.Subscript) or (dotted(node.value) or ("",))[-1] not in ("Out", "InOut"):
            return
        yield Editor(tree).rewrite(node, tree.words(node.slice)).fix(title, safe=safe)

    return on_tree(make)


def _named_argument(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A subscript passed to a kernel is bound to a name first."""
    call = tree.at(finding.span, ast.Call)
    stmt = tree.around(call, ast.stmt) if call is not None else None
    if call is None or stmt is None or not tree.owns_lines([stmt]):
        return
    for argument in call.args:
        if isinstance(argument, ast.Subscript) and isinstance(argument.value, ast.Name):
            name = fresh(tree, stmt, f"{argument.value.id}_part")
            editor = Editor(tree).before(stmt, f"{name} = {tree.words(argument)}").rewrite(argument, name)
            yield editor.fix("Bind the argument to a name first", safe=True)
            return


def _own_name(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A kernel is called by the name of its ``def``."""
    node, real = tree.at(finding.span, ast.Name), str(finding.data["name"])
    if node is not None and node.id != real:
        yield Editor(tree).rewrite(node, real).fix(f"Call it '{real}'", safe=True)


def _passed_type(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """The annotation says what the first call passes."""
    node = tree.at(finding.span, ast.expr)
    text = str(finding.data.get("type", ""))
    while isinstance(node, ast.Subscript) and (dotted(node.value) or ("",))[-1] in ("Out", "InOut"):
        node = node.slice
    if node is not None and text.startswith("pl"):
        yield Editor(tree).rewrite(node, text).fix(f"Annotate as {text}")


def _tensor_shape(finding: Diagnostic, tree: SourceTree) -> Iterator[Fix | None]:
    """A bare ``pl.Tensor`` gets a shape and an element type to start from."""
    node = tree.at(finding.span, ast.expr)
    while isinstance(node, ast.Subscript):
        node = node.slice
    if isinstance(node, ast.Attribute | ast.Name):
        text = "pl.Tensor[[64, 64], pl.FP32]"
        yield Editor(tree).rewrite(node, text).fix(f"Annotate as a tensor ({text})")


FIXERS: Final[dict[str, Fixer]] = {
    "kernel-not-found": on_tree(_no_async),
    "decorator-enum-prefix": on_tree(_enum_prefix),
    "attrs-on-decorator": on_tree(_attrs_to_prologue),
    "level-mismatch": _drop_keyword("level"),
    "role-mismatch": _drop_keyword("role"),
    "jit-decorator-keyword": on_tree(_decorator_keyword),
    "external-source-type": on_tree(_core_type),
    "external-body": on_tree(_signature_only),
    "subworker-self": on_tree(_no_self),
    "func-attr-position": on_tree(_attributes_first),
    "func-attr-duplicate": on_tree(_drop_duplicate),
    "func-attr-reserved": on_tree(_to_decorator),
    "module-alias-not-pl": on_tree(_own_prefix),
    "program-empty": on_tree(_decorate_methods),
    "param-no-annotation": on_tree(_annotate),
    "dynvar-param-order": on_tree(_parameter_first),
    "scalar-inout": unwrap_direction("Drop pl.InOut", safe=False),
    "inline-direction-redundant": unwrap_direction("Drop the direction: it has no effect here", safe=True),
    "jit-missing-tensor-meta": on_tree(_named_argument),
    "jit-dep-alias": on_tree(_own_name),
    "jit-dep-annotation-ignored": on_tree(_passed_type),
    "jit-bare-tensor": on_tree(_tensor_shape),
}
