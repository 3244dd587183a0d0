"""The kernels of a file: those that evaluation makes, and those that it does not reach (docs/spec/static-eval.md §4.3, §4.6)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.shape import is_kernel_definition
from pypto_core.frontend.static_eval.control import Signal
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import CannotEvaluate, LimitReached
from pypto_core.frontend.static_eval.payloads import PYTHON_ERRORS
from pypto_core.frontend.static_eval.scopes import ModuleEnvironment, Scope
from pypto_core.frontend.static_eval.statements import define_class, define_function
from pypto_core.frontend.static_eval.values import (
    KernelFunction,
    ProgramClass,
    PyFunction,
    Value,
    unknown,
)
from pypto_core.frontend.syntax import SourceMap

#: How many captured environments of one definition are analysed.
_VARIANTS = 4


def file_kernels(graph: ModuleGraph, filename: str) -> list[KernelFunction | ProgramClass]:
    """Kernels and programs defined in a file in source order; a factory's kernel once per captured environment.

    ``@pl.inline`` templates are not among them: they mean something at their calls only.
    """
    module = graph.modules.get(filename)
    if module is None:
        return []
    _reach(graph, module)
    found: dict[int, list[KernelFunction | ProgramClass]] = {}
    for kernel in graph.kernels:
        if kernel.module is module and not _is_template(kernel):
            variants = found.setdefault(_definition(kernel), [])
            if len(variants) < _VARIANTS and not any(v.scope is kernel.scope for v in variants):
                variants.append(kernel)
    kernels = [kernel for variants in found.values() for kernel in variants]
    return sorted(kernels, key=lambda k: k.source.span(k.node).line)


def _is_template(kernel: KernelFunction | ProgramClass) -> bool:
    return isinstance(kernel, KernelFunction) and (kernel.form == "inline" or kernel.owner is not None)


def _definition(kernel: KernelFunction | ProgramClass) -> int:
    """Where a kernel is written: the same for all copies that a factory makes."""
    span = kernel.source.span(kernel.node)
    return (span.line << 16) + span.column


def _reach(graph: ModuleGraph, module: ModuleEnvironment) -> None:
    """Make the kernels that evaluation did not come to: in branches not taken, in factories that nothing calls."""
    known = {_definition(k) for k in graph.kernels if k.module is module}
    it = graph.interpreter
    for item in module.syntax.items if module.syntax is not None else ():
        if isinstance(item, FunctionSyntax):
            _reach_factory(it, module, item, known)
        elif not isinstance(item, ClassSyntax):
            for node in _definitions(item.node):
                if _place(item.source, node) not in known and is_kernel_definition(node):
                    _attempt(it, item.source, node, module.scope)


def _reach_factory(it: Interpreter, module: ModuleEnvironment, item: FunctionSyntax, known: set[int]) -> None:
    """Call a factory with its defaults, unknown values elsewhere."""
    value = module.value(item.name)
    if value is None or not isinstance(value.data, PyFunction):
        return
    inside = [(s.source, n) for s in item.body for n in _definitions(s.node) if is_kernel_definition(n)]
    if all(_place(source, node) in known for source, node in inside):
        return
    function = value.data
    spec = function.node.args
    arguments: dict[str, Value] = {}
    for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        default = function.defaults.get(parameter.arg)
        kind = parameter.annotation.id if isinstance(parameter.annotation, ast.Name) else None
        arguments[parameter.arg] = (
            default
            if default is not None
            else unknown(f"{parameter.arg} of {function.name}, which nothing calls", parameter.arg, kind)
        )
    scope = Scope("function", module, function.scope)
    scope.variables.update(arguments)
    body = [s.node for s in function.body]
    sources = [s.source for s in function.body]
    _guarded(it, item.source, lambda: it.execute(body, scope, sources))
    made = {_definition(k) for k in it.kernels if k.module is module}
    for source, node in inside:
        if _place(source, node) not in made:
            _attempt(it, source, node, scope)


def _attempt(it: Interpreter, source: SourceMap, node: ast.stmt, scope: Scope) -> None:
    def define() -> Signal | None:
        if isinstance(node, ast.ClassDef):
            from pypto_core.frontend.recovery import Statement

            define_class(it, node, scope, [Statement(s, source) for s in node.body], None)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            define_function(it, node, scope)
        return None

    _guarded(it, source, define)


def _guarded(it: Interpreter, source: SourceMap, action: Callable[[], Signal | None]) -> None:
    """Run something for the kernels it makes; all its other effects are taken back."""
    saved = (it.source, it.taint, it.reads)
    it.source, it.reads = source, set()
    it.budget.refill()
    try:
        it.journals.attempt(action)
    except (LimitReached, CannotEvaluate, *PYTHON_ERRORS):
        pass
    finally:
        it.source, it.taint, it.reads = saved


def _definitions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Definitions among statements and the statements below them."""
    todo = [node]
    while todo:
        inner = todo.pop()
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield inner
        if isinstance(inner, (ast.stmt, ast.excepthandler, ast.match_case)):
            for name in ("body", "orelse", "handlers", "finalbody", "cases"):
                todo.extend(getattr(inner, name, ()))


def _place(source: SourceMap, node: ast.stmt) -> int:
    span = source.span(node)
    return (span.line << 16) + span.column
