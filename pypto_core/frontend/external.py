"""Calls by bare name: external and stand-alone functions, ``@pl.inline`` templates (docs/spec/language.md §1.5 to §1.7)."""

from __future__ import annotations

import ast

from pypto_core.diagnostics import Related
from pypto_core.frontend.calls import unsupported_callee
from pypto_core.frontend.context import FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import expr, undefined_name
from pypto_core.frontend.folding import PYTHON_CALLS
from pypto_core.frontend.kernel_calls import build_call, check_arity, read_arguments
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.values import KernelFunction
from pypto_core.ir import Expr, MakeTuple


def _kernel(ctx: FunctionContext, name: str) -> KernelFunction | None:
    value = ctx.closure.lookup(name)
    return value.data if value is not None and isinstance(value.data, KernelFunction) else None


def is_kernel(ctx: FunctionContext, name: str) -> bool:
    """Whether calling ``name`` dispatches a kernel: an external function or a template."""
    kernel = _kernel(ctx, name)
    return kernel is not None and kernel.form in ("function", "inline")


def called_by_name(ctx: FunctionContext, node: ast.Call, name: str) -> Expr:
    """``name(...)`` for a name that is neither DSL value nor of the dialect."""
    value = ctx.closure.lookup(name)
    if value is None:
        if name == "print" or name in PYTHON_CALLS:
            ctx.fail("call-unsupported", f"'{name}' runs in Python, not in a kernel", node.func, name=name)
        if not ctx.closure.complete:
            raise Silent
        assert isinstance(node.func, ast.Name)
        raise undefined_name(ctx, node.func)
    kernel = value.data
    if isinstance(kernel, KernelFunction):
        if kernel.form == "inline":
            return _inline(ctx, node, kernel)
        if kernel.form == "function":
            return _stand_alone(ctx, node, kernel)
        ctx.fail(
            "call-unsupported",
            f"'{name}' is a @pl.{kernel.form} function; a @pl.function cannot call it",
            node.func,
            name=name,
        )
    unsupported_callee(ctx, node, name, value)
    raise Silent


def _stand_alone(ctx: FunctionContext, node: ast.Call, kernel: KernelFunction) -> Expr:
    """A ``@pl.function`` becomes a function of the caller's program under its own name."""
    from pypto_core.frontend.function import FunctionSpec, header_span, parse_function
    from pypto_core.frontend.static_closure import ScopeClosure

    name = kernel.name
    ctx.program.traces += 1
    known = ctx.program.callees.get(name)
    own = header_span(kernel.syntax)
    other = ctx.program.defined.get(name)
    if other is None and known is not None:
        other = known.span
    if other is not None and other != own:
        added = name in ctx.program.added
        ctx.fail(
            "external-name-conflict",
            f"the program already has another function '{name}'"
            if added
            else f"the program has a function '{name}' of its own",
            node.func,
            related=(
                Related("the one of the program is defined here", other),
                Related("this one is defined here", own),
            ),
            name=name,
        )
    if known is None:
        ctx.program.defined[name] = own
        interpreter = _interpreter(ctx)
        inner = ctx.closure
        if interpreter is not None:
            inner = ScopeClosure(interpreter, kernel.scope, kernel.source, kernel.order)
        before = len(ctx.program.diagnostics)
        function = parse_function(FunctionSpec(kernel.syntax, inner, name=name), ctx.program)
        ctx.program.relate(before, _called(ctx, node, name))
        if function is not None:
            ctx.program.added[name] = function
        known = ctx.program.callees.get(name)
        if known is None:
            raise Silent
        known.external = True
    for keyword in node.keywords:
        ctx.error("external-call", f"'{name}' takes arguments by position only", keyword)
    if node.keywords:
        raise Silent
    arguments = read_arguments(ctx, node.args)
    check_arity(ctx, known, arguments.values, node, 0)
    return build_call(ctx, known, arguments, {}, None, node)


def _interpreter(ctx: FunctionContext) -> Interpreter | None:
    """The evaluator behind the closure; None for a closure over given values."""
    return getattr(ctx.closure, "interpreter", None)


def _inline(ctx: FunctionContext, node: ast.Call, kernel: KernelFunction) -> Expr:
    """Expands a template at the call: parameters stand for the argument expressions, names leak into the caller."""
    from pypto_core.frontend.statements import statement
    from pypto_core.frontend.static_closure import ScopeClosure

    names = [a.arg for a in kernel.node.args.args]
    if len(node.args) != len(names) or node.keywords:
        ctx.fail(
            "inline-arity",
            f"'{kernel.name}' takes {len(names)} argument{'s' if len(names) != 1 else ''} by position "
            f"({', '.join(names)}), but got {_counted(node)}",
            node,
            related=(_defined(kernel),),
        )
    if kernel.name in ctx.inlining:
        ctx.fail("call-unsupported", f"the template '{kernel.name}' calls itself", node)
    arguments = [expr(ctx, a) for a in node.args]
    ctx.program.traces += 1
    outer = (
        ctx.source,
        ctx.closure,
        ctx.annotations,
        ctx.inlining,
        ctx.inline_result,
        ctx.result,
        ctx.comments,
    )
    interpreter = _interpreter(ctx)
    if interpreter is not None:
        caller = ctx.closure
        template = ScopeClosure(interpreter, kernel.scope, kernel.source, kernel.order)
        ctx.closure = ctx.annotations = Overlay(caller, template)
    ctx.inlining = (*ctx.inlining, kernel.name)
    ctx.inline_result = None
    ctx.comments = lambda _: ()
    before = len(ctx.program.diagnostics)
    try:
        with ctx.names.lent(dict(zip(names, arguments))):
            for item in kernel.syntax.body:
                ctx.source = item.source
                statement(ctx, item.node)
        result = ctx.inline_result
    finally:
        (
            ctx.source,
            ctx.closure,
            ctx.annotations,
            ctx.inlining,
            ctx.inline_result,
            ctx.result,
            ctx.comments,
        ) = outer
    ctx.program.relate(before, _called(ctx, node, kernel.name))
    if result is None and kernel.syntax.faults:
        raise Silent
    if result is None:
        ctx.fail(
            "inline-no-return",
            f"the template '{kernel.name}' returns no value",
            node,
            related=(_defined(kernel),),
        )
    return result


def _counted(node: ast.Call) -> str:
    by_keyword = f" and {len(node.keywords)} by keyword" if node.keywords else ""
    return f"{len(node.args)}{by_keyword}"


def _called(ctx: FunctionContext, node: ast.Call, name: str) -> Related:
    return Related(f"'{name}' is called here", ctx.span(node))


def _defined(kernel: KernelFunction) -> Related:
    return Related(f"'{kernel.name}' is defined here", kernel.source.span(kernel.node))


def inline_return(ctx: FunctionContext, values: list[Expr], node: ast.Return) -> None:
    """``return`` of a template: the value of its call."""
    if not values:
        return
    if len(values) == 1:
        ctx.inline_result = values[0]
    else:
        ctx.inline_result = MakeTuple(tuple(values), span=ctx.span(node))
    if any(is_poison(v) for v in values):
        ctx.mark_incomplete()


class Overlay:
    """A template's closure with the caller's names in front."""

    def __init__(self, front, back) -> None:  # type: ignore[no-untyped-def]
        self.front = front
        self.back = back

    @property
    def complete(self) -> bool:
        return bool(self.front.complete and self.back.complete)

    def lookup(self, name: str):  # type: ignore[no-untyped-def]
        found = self.front.lookup(name)
        return found if found is not None else self.back.lookup(name)

    def evaluate(self, node: ast.expr):  # type: ignore[no-untyped-def]
        found = self.front.evaluate(node)
        return self.back.evaluate(node) if found.is_unknown else found

    def names(self):  # type: ignore[no-untyped-def]
        return {*self.front.names(), *self.back.names()}

    def elsewhere(self, scope, source):  # type: ignore[no-untyped-def]
        return self.front.elsewhere(scope, source)

    @property
    def interpreter(self):  # type: ignore[no-untyped-def]
        return self.front.interpreter
