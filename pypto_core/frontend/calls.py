"""Calls in kernel bodies: operators, kernels, ``pl.const`` and friends (docs/spec/language.md §5.5)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import Any, NoReturn

from pypto_core.frontend.attributes import read_attrs
from pypto_core.frontend.closure import is_fault, plain, sequence
from pypto_core.frontend.context import Fault, FunctionContext, Silent, did_you_mean, is_poison, nearest
from pypto_core.frontend.dimensions import value_dim
from pypto_core.frontend.expressions import expr, undefined_name
from pypto_core.frontend.folding import as_constant, enum_or_dtype, evaluate, outer_only
from pypto_core.frontend.partly_known import call_partly_known, fails_for_every_size, is_partly_known
from pypto_core.frontend.static_eval.values import (
    BuiltinFunction,
    DimExpr,
    DynVar,
    PlSymbol,
    PyFunction,
    Value,
)
from pypto_core.frontend.symbols import ENUMS, NAMESPACE_ENUMS, nearest_dtype
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import (
    UNKNOWN,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    FunctionType,
    Level,
    Role,
    Span,
    TupleType,
)
from pypto_core.ops.dsl import UNEVALUATED, DslValue, find_callable, resolve_dsl_call
from pypto_core.ops.dsl.signature import UNKNOWN_KEYWORD
from pypto_core.ops.registry import OpError

_PREFIXES = ("pl", "pld")
#: ``pl.AUTO``: the compiler places the buffer.
AUTO_BASE = -1
_ITERATORS = frozenset({"range", "parallel", "unroll", "pipeline", "while_", "spmd", "split_aiv"})
_CONTEXTS = frozenset({"at", "cluster", "scope", "manual_scope"})
_MARKERS = frozenset(
    {"no_dep", "split", "cross_core_slot", "func_attr", "dump_tag", "cond", "static_print", "static_assert"}
)


def call(ctx: FunctionContext, node: ast.Call) -> Expr:
    """A call in value position. Raises Fault or Silent."""
    path = dotted(node.func)
    if path is None:
        ctx.fail("call-unsupported", f"'{ctx.text(node.func)}' cannot be called in a kernel", node.func)
    if path[0] == "self" and "self" not in ctx.names:
        from pypto_core.frontend.kernel_calls import kernel_call

        if len(path) != 2:
            ctx.fail("call-unsupported", f"'{'.'.join(path)}' cannot be called", node.func)
        return kernel_call(ctx, node, path[1], node.func)
    if len(path) == 1:
        return _bare_call(ctx, node, path[0])
    root = prefix(ctx, path, node.func)
    if root is None:
        return _method_call(ctx, node, path)
    return language_call(ctx, node, (root, *path[1:]))


def prefix(ctx: FunctionContext, path: tuple[str, ...], node: ast.expr) -> str | None:
    """``pl`` or ``pld`` behind the first name; an alias of the module counts but is told."""
    name = path[0]
    if name in ctx.names:
        return None
    if name in _PREFIXES:
        return name
    value = ctx.closure.lookup(name)
    if value is None or not isinstance(value.data, PlSymbol):
        return None
    root = value.data.path
    if root in (("pl",), ("pld",)):
        ctx.warn(
            "module-alias-not-pl",
            f"the compiler recognises the language only under the names pl and pld, not '{name}'",
            node,
            alias=name,
            name=root[0],
        )
        return root[0]
    return None


def language_call(ctx: FunctionContext, node: ast.Call, path: tuple[str, ...]) -> Expr:
    """``pl.X(...)`` and ``pld.X(...)``."""
    last = path[-1]
    if path[0] == "pl" and len(path) == 2:
        if last == "const":
            return _const(ctx, node)
        _reject_constructs(ctx, node, last)
    if last == "get_byte" and len(path) >= 2:
        return _get_byte(ctx, node, path)
    check = _CONTEXT_CHECKS.get(path[-1])
    if check is not None:
        check(ctx, node)
    return operator_call(ctx, node, ".".join(path))


def _keyword_name(ctx: FunctionContext, node: ast.Call, name: str) -> Span:
    """The name of a keyword argument, without its value."""
    span = next(ctx.span(k) for k in node.keywords if k.arg == name)
    written = span.text.partition("=")[0].rstrip()
    return Span(span.chunk, span.start, span.start + len(written))


def _reject_constructs(ctx: FunctionContext, node: ast.Call, last: str) -> None:
    if last in ("submit", "spmd_submit"):
        ctx.fail("submit-form", f"pl.{last} is written 'result, task = pl.{last}(self.kernel, ...)'", node)
    if last == "yield_":
        ctx.fail("yield-in-expression", "pl.yield_ stands alone or on the right of an assignment", node)
    if last in _ITERATORS:
        ctx.fail("call-unsupported", f"pl.{last} is a loop iterator: for i in pl.{last}(...)", node)
    if last in _CONTEXTS:
        ctx.fail("call-unsupported", f"pl.{last} is a scope: with pl.{last}(...):", node)
    if last in _MARKERS:
        ctx.fail("call-unsupported", f"pl.{last} has no value here", node)


def operator_call(ctx: FunctionContext, node: ast.Call, path: str) -> Expr:
    """An operator of the language; all arguments are read before anything is reported about the call."""
    args = [positional(ctx, a) for a in node.args]
    kwargs: dict[str, DslValue] = {}
    spans = {}
    attrs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.error("op-bad-arguments", f"{path} cannot take '**': write the keywords out", keyword)
            raise Silent
        if keyword.arg == "attrs":
            attrs = read_attrs(ctx, keyword.value, "op-attrs")
            continue
        if keyword.arg == "deps" and path.endswith("task_dummy"):
            from pypto_core.frontend.submits import read_deps

            kwargs["deps"] = list(read_deps(ctx, keyword.value))
        else:
            kwargs[keyword.arg] = keyword_value(ctx, keyword.value)
        spans[keyword.arg] = ctx.span(keyword.value)

    def resolve(args: list[DslValue], kwargs: dict[str, DslValue]) -> Expr:
        return resolve_dsl_call(
            path,
            args,
            kwargs,
            span=ctx.span(node),
            arg_spans=[ctx.span(a) for a in node.args],
            keyword_spans=spans,
            region_split=ctx.region_split,
            target_name=ctx.target_name,
            attrs=attrs or None,
            backend=ctx.program.backend,
        )

    given = (*args, *kwargs.values())
    if is_partly_known(given):
        return call_partly_known(ctx, node, args, kwargs, resolve)
    try:
        result = resolve(args, kwargs)
    except OpError as error:
        if _depends_on_unknown(ctx, error, args, kwargs):
            raise Silent from error
        in_region = ctx.region_cut or ctx.inside("unread_aiv") is not None
        if error.diagnostic.code == "shard-gather-form" and in_region and ctx.region_split is None:
            raise Silent from error  # the header of the region around it is at fault
        if ctx.program.unknown_dims and not fails_for_every_size(ctx, args, kwargs, resolve):
            raise Silent from error
        found = ctx.program.softened(error.diagnostic, given)
        if found.code in ("op-unknown", "op-unknown-in-namespace"):
            found = replace(found, span=ctx.span(node.func))
        elif found.data.get("fault") == UNKNOWN_KEYWORD and error.keyword is not None:
            found = replace(found, span=_keyword_name(ctx, node, error.keyword))
        raise Fault(found) from error
    if is_poison(result):
        ctx.mark_incomplete()
    return result


def _depends_on_unknown(
    ctx: FunctionContext, error: OpError, args: list[DslValue], kwargs: dict[str, DslValue]
) -> bool:
    """A complaint that follows from an operand of unknown type or an invented symbol is not told."""
    if error.diagnostic.code in ("op-unknown", "op-unknown-in-namespace"):
        return False
    if error.unproven and ctx.program.unknown_dims:
        return True
    return any(_unknown(value) for value in (*args, *kwargs.values()))


def _unknown(value: object) -> bool:
    if isinstance(value, Expr):
        return value.type is UNKNOWN or (
            isinstance(value.type, TupleType) and any(t is UNKNOWN for t in value.type.types)
        )
    return isinstance(value, list | tuple) and any(_unknown(v) for v in value)


# --- arguments ----------------------------------------------------------------------------------------------------------


def positional(ctx: FunctionContext, node: ast.expr) -> DslValue:
    """A positional argument: literals and outer numbers are constant expressions, symbols Python values."""
    if isinstance(node, ast.List | ast.Tuple):
        return [positional(ctx, e) for e in node.elts]
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) or node.value is None:
            return node.value
    elif isinstance(node, ast.Name | ast.Attribute):
        found = _outer(ctx, node)
        if found is not None and is_fault(found):
            return _guarded_value(ctx, node)
        if found is not None:
            return _as_argument(ctx, found, node)
        special = _symbol(ctx, node)
        if special is not None:
            return special
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Attribute) and outer_only(ctx, node):
        return _guarded_value(ctx, node)
    return expr(ctx, node)


def _symbol(ctx: FunctionContext, node: ast.Name | ast.Attribute) -> DslValue:
    symbol = _language_symbol(ctx, node)
    return symbol if symbol is not None else ctx.dialect.keyword_value(ctx, node)  # type: ignore[return-value]


def _language_symbol(ctx: FunctionContext, node: ast.expr) -> object | None:
    """A symbol written out; None for anything else. An enumeration of one namespace is none of another one's (Fault)."""
    symbol = enum_or_dtype(node)
    path = dotted(node)
    if symbol is None or path is None or path[0] != "pl" or path[-2] not in NAMESPACE_ENUMS:
        return symbol
    home = NAMESPACE_ENUMS[path[-2]]
    if path[1:-2] != (home,):
        module = f"pypto.language.op.{path[1]}_ops" if len(path) > 3 else "pypto.language"
        _fail_evaluation(
            ctx,
            node,
            f"module '{module}' has no attribute '{path[-2]}'; write pl.{home}.{'.'.join(path[-2:])}",
        )
    return symbol


def _check_symbol(ctx: FunctionContext, node: ast.expr) -> None:
    """A keyword's ``pl.<Enum>.<name>`` or ``pl.<DTYPE>`` that the language has not."""
    path = dotted(node)
    if path is None or len(path) < 2 or path[0] not in _PREFIXES:
        return
    enum = ENUMS.get(path[-2])
    if enum is not None:
        near = did_you_mean(path[-1], sorted(enum.__members__))
        _fail_evaluation(
            ctx,
            node,
            f"type object '{enum.__name__}' has no attribute '{path[-1]}'{near}",
            name=path[-1],
            suggestion=nearest(path[-1], enum.__members__),
        )
    if len(path) == 2 and path[1].isupper():
        near = did_you_mean(path[1], sorted(DataType.by_name))
        module = "pypto.language" if path[0] == "pl" else "pypto.language.distributed"
        _fail_evaluation(ctx, node, f"module '{module}' has no attribute '{path[1]}'{near}")


def _fail_evaluation(ctx: FunctionContext, node: ast.expr, reason: str, **data: Any) -> NoReturn:
    ctx.fail("closure-eval", f"Failed to evaluate expression '{ctx.text(node)}': {reason}", node, **data)


def _outer(ctx: FunctionContext, node: ast.Name | ast.Attribute) -> Value | None:
    """Outer value of a name or attribute chain that no DSL name shadows; None when it has none of its own."""
    path = dotted(node)
    if path is None or path[0] in _PREFIXES or path[0] in ctx.names or path[0] == "self":
        return None
    if len(path) == 1:
        return ctx.closure.lookup(path[0])
    head = ctx.closure.lookup(path[0])
    if head is None:
        return None
    return ctx.closure.evaluate(node)


def _as_argument(ctx: FunctionContext, value: Value, node: ast.expr) -> DslValue:
    """An outer value in positional place."""
    data = value.data
    if value.is_unknown:
        ctx.mark_incomplete()
        return UNEVALUATED
    constant = as_constant(data, ctx.span(node))
    if constant is not None:
        return ctx.program.assume(constant, value.assumed)
    if isinstance(data, DynVar | DimExpr):
        return value_dim(ctx, value, node, ctx.text(node))
    if data is None or isinstance(data, str | DataType | Enum):
        return data  # type: ignore[return-value]
    elements = sequence(value)
    if elements is not None:
        return [_as_argument(ctx, e, node) for e in elements]
    return expr(ctx, node)


def _guarded_value(ctx: FunctionContext, node: ast.expr) -> DslValue:
    try:
        return _as_argument(ctx, evaluate(ctx, node), node)
    except Fault as fault:
        ctx.report(fault)
        return ctx.poison(node)


def keyword_value(ctx: FunctionContext, node: ast.expr) -> DslValue:
    """A keyword argument: a Python value where only outer names take part, an expression otherwise."""
    if isinstance(node, ast.Constant):
        return node.value if not isinstance(node.value, bytes | complex) else expr(ctx, node)  # type: ignore[return-value]
    number = int_literal(node)
    if number is not None:
        return number
    if isinstance(node, ast.List | ast.Tuple):
        return [keyword_value(ctx, e) for e in node.elts]
    symbol = _language_symbol(ctx, node)
    if symbol is not None:
        return symbol  # type: ignore[return-value]
    special = ctx.dialect.keyword_value(ctx, node)
    if special is not None:
        return special  # type: ignore[return-value]
    _check_symbol(ctx, node)
    base = _reserved_base(ctx, node)
    if base is not None:
        return base
    if not outer_only(ctx, node) or _root_is_language(node):
        return expr(ctx, node)
    try:
        value = evaluate(ctx, node)
    except Fault as fault:
        ctx.report(fault)
        return ctx.poison(node)
    return _plain(ctx, value, node)


def _plain(ctx: FunctionContext, value: Value, node: ast.expr) -> DslValue:
    data = value.data
    if value.is_unknown:
        ctx.mark_incomplete()
        return UNEVALUATED
    if isinstance(data, DynVar | DimExpr):
        return value_dim(ctx, value, node, ctx.text(node))
    elements = sequence(value)
    if elements is not None:
        return [_plain(ctx, e, node) for e in elements]
    result = plain(value)
    return UNEVALUATED if isinstance(result, Value) else result


def _root_is_language(node: ast.expr) -> bool:
    """``pl.something`` that is no symbol: let the expression reader speak about it."""
    path = dotted(node.func) if isinstance(node, ast.Call) else dotted(node)
    return path is not None and path[0] in _PREFIXES and path[-1] != "get_byte"


def _reserved_base(ctx: FunctionContext, node: ast.expr) -> int | None:
    """``buffer.base`` of a buffer from ``reserve_buffer`` or ``import_peer_buffer``."""
    if not (isinstance(node, ast.Attribute) and node.attr == "base" and isinstance(node.value, ast.Name)):
        return None
    found = ctx.names.lookup(node.value.id)
    if found is None:
        return None
    ctx.program.traces += 1
    reserved = ctx.program.reserved.get(f"{ctx.name}/{node.value.id}")
    if reserved is None:
        return None
    base = reserved.get("base")
    return base if isinstance(base, int) else AUTO_BASE


# --- single constructs --------------------------------------------------------------------------------------------------


def _const(ctx: FunctionContext, node: ast.Call) -> Expr:
    from pypto_core.frontend.annotations import read_dtype

    if len(node.args) != 2 or node.keywords:
        ctx.fail("const-form", "write pl.const(value, dtype)", node)
    dtype = read_dtype(ctx, node.args[1])
    value = node.args[0]
    constant = value.operand if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) else value
    if not (isinstance(constant, ast.Constant) and isinstance(constant.value, bool | int | float)):
        ctx.fail("const-form", f"pl.const takes a numeric literal, not '{ctx.text(value)}'", value)
    number = -constant.value if constant is not value else constant.value
    span = ctx.span(node)
    if isinstance(number, bool):
        return (
            ConstBool(number, span=span)
            if dtype is DataType.BOOL
            else ConstInt(int(number), dtype, span=span)
        )
    if isinstance(number, float):
        return ConstFloat(number, dtype, span=span)
    return ConstInt(number, dtype, span=span)


def _get_byte(ctx: FunctionContext, node: ast.Call, path: tuple[str, ...]) -> Expr:
    name = path[-2]
    dtype = DataType.by_name.get(name)
    if dtype is None:
        near = nearest_dtype(name)
        hint = f" (did you mean '{near}'?)" if near is not None else ""
        ctx.fail("get-byte-dtype", f"'{name}' is not a dtype{hint}", node.func, name=name, suggestion=near)
    return ConstInt(dtype.byte, span=ctx.span(node))


def _bare_call(ctx: FunctionContext, node: ast.Call, name: str) -> Expr:
    if name in ctx.names:
        found = ctx.names.lookup(name)
        if found is not None and is_poison(found):
            raise Silent
        ctx.fail("call-unsupported", f"'{name}' is a value, not a function", node.func)
    special = ctx.dialect.call(ctx, node, name)
    if special is not None:
        return special
    from pypto_core.frontend.external import called_by_name

    return called_by_name(ctx, node, name)


def _method_call(ctx: FunctionContext, node: ast.Call, path: tuple[str, ...]) -> Expr:
    if path[0] in ctx.names:
        found = ctx.names.lookup(path[0])
        if found is not None and is_poison(found):
            raise Silent
    else:
        if path[-1] == "get_byte":
            value = ctx.closure.evaluate(node)
            if type(value.data) is int:
                return ConstInt(value.data, span=ctx.span(node))
        head = ctx.closure.lookup(path[0])
        if head is None:
            if not ctx.closure.complete:
                raise Silent
            root = node.func
            while isinstance(root, ast.Attribute):
                root = root.value
            assert isinstance(root, ast.Name)
            raise undefined_name(ctx, root)
        # Only a bare name is a kernel, so whatever stands behind the name of an operator here is none.
        if head.is_unknown and find_callable(f"pl.{path[-1]}") is None:
            raise Silent
    written, operator = ".".join(path), f"pl.{path[-1]}"
    known = find_callable(operator) is not None
    raise ctx.fault(
        "call-unsupported",
        f"a kernel cannot call '{written}'{f'; the operator of the language is {operator}' if known else ''}",
        node.func,
        name=written,
        suggestion=operator if known and path[0] not in ctx.names else None,
    )


def unsupported_callee(ctx: FunctionContext, node: ast.Call, name: str, value: Value) -> None:
    """Says why a resolved outer name cannot be called."""
    data = value.data
    if value.is_unknown:
        raise Silent
    if isinstance(data, PyFunction):
        ctx.fail(
            "call-unsupported",
            f"'{name}' is a plain Python function: a kernel can call it when it is a @pl.jit.inline or @pl.inline",
            node.func,
            name=name,
        )
    if isinstance(data, BuiltinFunction):
        ctx.fail("call-unsupported", f"'{name}' runs in Python, not in a kernel", node.func, name=name)
    ctx.fail("call-unsupported", f"'{name}' cannot be called in a kernel", node.func, name=name)


# --- context conditions -------------------------------------------------------------------------------------------------


def _host_only(ctx: FunctionContext) -> bool:
    host = ctx.level is not None and ctx.level >= Level.HOST and ctx.role is not Role.SubWorker
    return host and ctx.func_type is FunctionType.Opaque and ctx.inside("incore", "spmd") is None


def _world_size(ctx: FunctionContext, node: ast.Call) -> None:
    if not _host_only(ctx):
        ctx.fail(
            "world-size-context",
            "pld.world_size() belongs into a HOST function, outside InCore and SPMD scopes",
            node,
        )


def _window_buffer(ctx: FunctionContext, node: ast.Call) -> None:
    if not _host_only(ctx):
        ctx.fail(
            "window-buffer",
            "a window buffer is allocated in a HOST function, outside InCore and SPMD scopes",
            node,
        )
    if ctx.target_name is None or ctx.target_value is not node:
        ctx.fail(
            "window-buffer",
            "a window buffer is assigned to a single name: buf = pld.alloc_window_buffer(...)",
            node,
        )
    for keyword in node.keywords:
        if keyword.arg == "name":
            ctx.fail(
                "window-buffer", "the buffer takes its name from the assignment: leave name= out", keyword
            )
    known = ctx.program.window_buffers.get(ctx.target_name)
    if known is not None:
        ctx.fail("window-buffer", f"the program already has a window buffer named '{ctx.target_name}'", node)
    ctx.program.window_buffers[ctx.target_name] = ctx.span(node)


_CONTEXT_CHECKS: dict[str, Callable[[FunctionContext, ast.Call], None]] = {
    "world_size": _world_size,
    "alloc_window_buffer": _window_buffer,
}
