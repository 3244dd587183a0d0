"""One function of the author's language (docs/spec/language.md §1.1 to §1.5)."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from pypto_core.frontend.annotations import direction_of, read_param, returns_or_error
from pypto_core.frontend.closure import Closure
from pypto_core.frontend.comments import CommentReader
from pypto_core.frontend.context import Callee, Fault, FunctionContext, ProgramContext, Silent
from pypto_core.frontend.decorators import FunctionOptions, read_function_decorator, split_prologue
from pypto_core.frontend.dialect import Dialect
from pypto_core.frontend.dimensions import read_shape
from pypto_core.frontend.partly_known import PartlyKnown
from pypto_core.frontend.recovery import FunctionSyntax, Statement
from pypto_core.frontend.statements import function_body
from pypto_core.frontend.syntax import dotted
from pypto_core.ir import (
    ERROR_TYPE,
    DataType,
    ErrorType,
    Function,
    InlineStmt,
    Level,
    ParamDirection,
    Role,
    ScalarType,
    SeqStmts,
    Span,
    Stmt,
    TensorType,
    Type,
    Var,
)

PLAIN = Dialect()


@dataclass(slots=True)
class FunctionSpec:
    """How to read a function.

    ``closure`` serves the body, ``annotations`` the decorator and parameter annotations (JIT bodies see less). ``options``
    None: read them from the decorator. ``strict``: the program says ``strict_ssa=True``.
    """

    syntax: FunctionSyntax
    closure: Closure
    annotations: Closure | None = None
    dialect: Dialect = PLAIN
    options: FunctionOptions | None = None
    name: str | None = None
    strict: bool = False


def parse_function(spec: FunctionSpec, program: ProgramContext) -> Function | None:
    """Read one function; faults go to the program's diagnostics.

    Returns None when nothing of it can be read (its name is kept in ``program.incomplete``).
    """
    ctx = function_context(spec, program)
    return _Reader(ctx, spec).read()


def function_context(spec: FunctionSpec, program: ProgramContext) -> FunctionContext:
    """The reading state at the beginning of a function."""
    ctx = FunctionContext(
        program,
        spec.closure,
        spec.annotations if spec.annotations is not None else spec.closure,
        spec.dialect,
        spec.syntax.source,
        spec.name or spec.syntax.name,
    )
    comments = CommentReader()
    ctx.comments = lambda node: comments.take(ctx.source, node)
    return ctx


def header_span(syntax: FunctionSyntax) -> Span:
    """``def name(...) -> T:`` of a function."""
    whole = syntax.source.span(syntax.node)
    chunk = syntax.source.chunk
    text = chunk.text
    start = whole.start
    end = len(text.rstrip())
    colon = text.rfind(":", start)
    return Span(
        chunk,
        start,
        colon + 1 if colon > start and syntax.body and syntax.body[0].source.chunk is not chunk else end,
    )


def declare(spec: FunctionSpec, program: ProgramContext, options: FunctionOptions) -> Callee:
    """Make a function known to the others before its body is read."""
    node = spec.syntax.node
    outer = spec.annotations if spec.annotations is not None else spec.closure
    names = tuple(a.arg for a in node.args.args if a.arg != "self")
    directions = tuple(
        direction_of(a.annotation, outer)[0] if a.annotation is not None else ParamDirection.In
        for a in node.args.args
        if a.arg != "self"
    )
    name = spec.name or node.name
    callee = Callee(name, header_span(spec.syntax), options.role, options.func_type, names, directions)
    program.callees[name] = callee
    return callee


class _Reader:
    def __init__(self, ctx: FunctionContext, spec: FunctionSpec) -> None:
        self.ctx = ctx
        self.spec = spec
        self.node = spec.syntax.node

    def read(self) -> Function | None:
        ctx, syntax, node = self.ctx, self.spec.syntax, self.node
        if syntax.faults:
            ctx.mark_incomplete()
        if isinstance(node, ast.AsyncFunctionDef):
            ctx.error(
                "kernel-not-found",
                f"'{node.name}' is an async function: only 'def' is supported",
                header_span(syntax),
            )
            return None
        options = self.spec.options if self.spec.options is not None else read_function_decorator(ctx, node)
        ctx.func_type, ctx.level, ctx.role = options.func_type, options.level, options.role
        ctx.auto_scope, ctx.strict = options.auto_scope, options.strict or self.spec.strict
        callee = ctx.program.callees.get(ctx.name) or declare(self.spec, ctx.program, options)
        callee.role, callee.func_type = options.role, options.func_type
        plain = options.role is Role.SubWorker and options.level is not None and options.level >= Level.HOST
        params, directions = self._params(plain)
        callee.params, callee.directions = params, directions
        given = ctx.dialect.returns(ctx, node, params)
        returns = returns_or_error(ctx, node.returns) if given is None else given
        callee.result, callee.declared = (
            returns or (),
            bool(given) if given is not None else node.returns is not None,
        )
        attrs, statements = split_prologue(ctx, syntax)
        stored: dict[str, Any] = {**options.attrs, **attrs}
        if not options.auto_scope:
            stored["auto_scope"] = False
        if options.external_source is not None:
            stored["external_source"] = options.external_source
        span = header_span(syntax)
        abstract = _is_abstract(statements)
        if options.external_source is not None:
            callee.external = True
            body = self._external_body(statements, span)
        elif plain:
            body = InlineStmt("" if abstract else _verbatim(statements), span=span)
        else:
            ctx.dialect.begin_body(ctx)
            if ctx.program.recall is not None:
                ctx.program.recall.replay.enter(ctx)
            body = function_body(ctx, statements, span)
        if not callee.declared and ctx.result is not None:
            callee.result = ctx.result
        callee.parsed = True
        if any(isinstance(t, ErrorType) for t in returns):
            ctx.mark_incomplete()
        return self._build(params, directions, returns, body, options, stored, plain and abstract, span)

    def _build(
        self,
        params: tuple[Var, ...],
        directions: tuple[ParamDirection, ...],
        returns: tuple[Type, ...],
        body: Stmt,
        options: FunctionOptions,
        attrs: dict[str, Any],
        abstract: bool,
        span: Span,
    ) -> Function | None:
        try:
            return Function(
                self.ctx.name,
                params,
                directions,
                returns,
                body,
                options.func_type,
                options.level,
                options.role,
                attrs,
                requires_runtime_binding=abstract,
                span=span,
            )
        except (ValueError, TypeError) as error:
            self.ctx.error("function-wrapper", f"function '{self.node.name}': {error}", span)
            return None

    # --- signature ---------------------------------------------------------------------------------------------------

    def _params(self, plain: bool) -> tuple[tuple[Var, ...], tuple[ParamDirection, ...]]:
        ctx, arguments = self.ctx, self.node.args
        self._warn_ignored(arguments)
        params: list[Var] = []
        directions: list[ParamDirection] = []
        for i, arg in enumerate(arguments.args):
            if arg.arg == "self" and i == 0:
                if plain:
                    ctx.error(
                        "subworker-self", f"'{self.node.name}' runs as plain Python: it has no self", arg
                    )
                continue
            var, direction = self._param(arg)
            direction = ctx.dialect.direction(ctx, arg, direction)
            if ctx.program.recall is not None:
                var = ctx.program.recall.replay.param(ctx, arg, var)
            params.append(var)
            directions.append(direction)
            ctx.names.bear(arg.arg, var)
            ctx.params[arg.arg] = var
        return tuple(params), tuple(directions)

    def _warn_ignored(self, arguments: ast.arguments) -> None:
        ignored: list[tuple[ast.expr | ast.arg, str]] = [
            *((a, "a positional-only parameter") for a in arguments.posonlyargs if a.arg != "self"),
            *((a, "a keyword-only parameter") for a in arguments.kwonlyargs),
            *((d, "a default value") for d in arguments.defaults if not self.ctx.dialect.takes_defaults),
            *((a, "a variadic parameter") for a in (arguments.vararg, arguments.kwarg) if a is not None),
        ]
        for node, what in ignored:
            self.ctx.warn("param-kind-ignored", f"the compiler ignores {what}", node)

    def _param(self, arg: ast.arg) -> tuple[Var, ParamDirection]:
        ctx = self.ctx
        span = ctx.span(arg)
        kind: Type = ERROR_TYPE
        try:
            given = ctx.dialect.param_type(ctx, arg)
            if given is not None:
                return Var(arg.arg, given, span=span), self._direction(arg)
            if arg.annotation is None:
                ctx.fail(
                    "param-no-annotation",
                    f"parameter '{arg.arg}' needs a type, for example {arg.arg}: pl.Tensor[[64, 64], pl.FP32]",
                    arg,
                    name=arg.arg,
                )
            type_, direction = read_param(ctx, arg.annotation)
            self._check_symbol_order(arg, type_)
            return Var(arg.arg, type_, span=span), direction
        except Fault as fault:
            ctx.report(fault)
        except Silent:
            ctx.mark_incomplete()
            kind = _known_part(ctx, arg)
        return Var(arg.arg, kind, span=span), self._direction(arg)

    def _direction(self, arg: ast.arg) -> ParamDirection:
        if arg.annotation is None:
            return ParamDirection.In
        return direction_of(arg.annotation, self.ctx.annotations)[0]

    def _check_symbol_order(self, arg: ast.arg, kind: Type) -> None:
        """A scalar parameter that is a symbol (§1.3: named like it) stands before the types that use it."""
        ctx = self.ctx
        if isinstance(kind, ScalarType) and arg.arg in ctx.used_symbols:
            ctx.error(
                "dynvar-param-order",
                f"'{arg.arg}' is used in the type of an earlier parameter: move it in front of that one",
                arg,
                name=arg.arg,
            )

    # --- bodies that are no DSL ------------------------------------------------------------------------------------------

    def _external_body(self, statements: list[Statement], span: Span) -> Stmt:
        for item in statements:
            node = item.node
            empty = isinstance(node, ast.Pass) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
            if not empty:
                self.ctx.error(
                    "external-body",
                    f"'{self.node.name}' is external: its body is '...'",
                    item.source.span(node),
                )
                break
        return SeqStmts((), span=span)


def _known_part(ctx: FunctionContext, arg: ast.arg) -> Type:
    """What can be said of a parameter whose annotation depends on an unknown value: the shape of a tensor without dtype."""
    node = direction_of(arg.annotation, ctx.annotations)[1] if arg.annotation is not None else None
    path = dotted(node.value) if isinstance(node, ast.Subscript) else None
    if path is None or path[-1] != "Tensor" or not isinstance(node, ast.Subscript):
        return ERROR_TYPE
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if len(parts) != 2:
        return ERROR_TYPE
    try:
        return PartlyKnown(TensorType(read_shape(ctx, parts[0]), DataType.FP32))
    except (Fault, Silent, ValueError):
        return ERROR_TYPE


def _is_abstract(statements: list[Statement]) -> bool:
    """A body that is only ``...``."""
    nodes = [
        s.node
        for s in statements
        if not (
            isinstance(s.node, ast.Expr)
            and isinstance(s.node.value, ast.Constant)
            and isinstance(s.node.value.value, str)
        )
    ]
    only = nodes[0] if len(nodes) == 1 else None
    return (
        isinstance(only, ast.Expr) and isinstance(only.value, ast.Constant) and only.value.value is Ellipsis
    )


def _verbatim(statements: list[Statement]) -> str:
    """The body as written, without its indentation."""
    import textwrap

    texts = {
        id(item.source.chunk): item.source.whole if item.source.parts else item.source.chunk.text
        for item in statements
    }
    return textwrap.dedent("\n".join(text.rstrip("\r\n") for text in texts.values()))
