"""`pl.xxx(...)` to IR: the one entry point that the frontend calls.

    expr = resolve_dsl_call("pl.add", [x, y], {}, span=call_span, arg_spans=[...])

The frontend evaluates the arguments first (see :data:`~pypto_core.ops.dsl.values.DslValue`), this module finds the
callable, binds, chooses the operator from the kinds of the operands, normalises literals, fills defaults and creates the
typed call. Statement forms (`pl.range`, `pl.at`, `pl.submit` ...) are not calls and never come here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import ERROR_TYPE, Call, Expr, Op, Span, SplitMode
from pypto_core.ops.dsl.catalogue import NAMESPACES, find_callable, near_names
from pypto_core.ops.dsl.forms import SHARD_PATHS, lower, shard_call
from pypto_core.ops.dsl.lowering import Lowering
from pypto_core.ops.dsl.model import DslCallable
from pypto_core.ops.dsl.printed import operator_of, read_printed_call
from pypto_core.ops.dsl.signature import BindError, BoundArguments, bind
from pypto_core.ops.dsl.unified import lower_unified
from pypto_core.ops.dsl.values import CallSite, DslFault, DslValue, is_unevaluated
from pypto_core.ops.registry import OpDef, OpError

#: Callables whose malformed calls have a code of their own.
_FORM_CODES: Final[Mapping[str, str]] = {
    "pl.tile.alloc": "alloc-form",
    "pl.tensor.alloc": "alloc-form",
    "pl.system.task_dummy": "task-dummy-form",
}
#: Callables that also accept their printed argument order: gather(x, index, dim=), matmul_acc(acc, a, b, init_cond, ..).
_PRINTED_ORDER: Final = frozenset({"pl.tensor.gather", "pl.tensor.scatter", "pl.tensor.matmul_acc"})
_NO_SPANS: Final[Mapping[str, Span]] = {}


def resolve_dsl_call(
    path: str,
    args: Sequence[DslValue],
    kwargs: Mapping[str, DslValue] | None = None,
    *,
    span: Span,
    arg_spans: Sequence[Span] = (),
    keyword_spans: Mapping[str, Span] = _NO_SPANS,
    region_split: SplitMode | None = None,
    target_name: str | None = None,
    printed: bool = False,
    attrs: Mapping[str, Any] | None = None,
    backend: Any = None,
) -> Expr:
    """The expression that a call of the language means, with its deduced type.

    Args:
        path: the callee as written, ``"pl.tile.load"``, ``"pld.tensor.put"``.
        args, kwargs: evaluated arguments. A positional literal is a constant expression, a keyword constant a Python
            value; a list may hold either. Pass ``UNEVALUATED`` for what could not be evaluated and an expression of
            :class:`~pypto_core.ir.ErrorType` for what is already reported: the result then has that type and
            no check that depends on the value speaks.
        span, arg_spans, keyword_spans: source of the call and of its arguments (value text, without the keyword).
        region_split: mode of the innermost ``pl.split_aiv`` region.
        target_name: name that the statement assigns the result to, if it is a plain assignment.
        printed: the text is printed IR: arguments in IR order, keywords kept in the order read.
        attrs: compiler attributes of the call (``attrs={...}`` of printed text).

    Raises:
        OpError: one diagnostic at the argument at fault. ``arg_index`` / ``keyword`` refer to the written call.
            Codes: ``op-unknown``, ``op-unknown-in-namespace``, ``op-bad-arguments`` (signature), ``op-arity``,
            ``op-keyword``, ``op-kind``, ``op-dtype``, ``op-shape``, ``op-rank``, ``op-memory``, ``op-value`` (operator
            contracts), ``scalar-left-operand``, ``index-scalar-operand``, ``scalar-category-mismatch``,
            ``shard-gather-form``, ``alloc-form``, ``task-dummy-form``.
    """
    keywords = dict(kwargs or {})
    site = CallSite(span, arg_spans, keyword_spans, region_split, target_name, printed, attrs, backend)
    op = operator_of(path)
    callee = find_callable(path)
    if printed and op is not None:
        try:
            return _read(op, path, args, keywords, site)
        except OpError:
            if callee is None:
                raise
        except DslFault as fault:
            if callee is None:
                _raise(fault.code, f"'{path}': {fault.text}", site.span_of(fault.param), {"op": op.name})
    if callee is None:
        _unknown(path, span)
    try:
        return _resolve(callee, list(args), keywords, site)
    except DslFault as fault:
        raise _error(callee, fault, site) from fault
    except BindError as error:
        if op is not None and callee.path in _PRINTED_ORDER:
            try:
                return _read(op, path, args, keywords, site)
            except (OpError, DslFault):
                pass
        raise _bind_error(callee, error, site) from error
    except OpError as error:
        raise _with_signature(callee, error) from error


def _read(
    op: OpDef, path: str, args: Sequence[DslValue], kwargs: Mapping[str, DslValue], site: CallSite
) -> Expr:
    if any(is_unevaluated(value) for value in (*args, *kwargs.values())):
        return _silent(op.name, args, site)
    return read_printed_call(op, path, args, kwargs, site)


def _resolve(callee: DslCallable, args: list[DslValue], kwargs: dict[str, DslValue], site: CallSite) -> Expr:
    unevaluated = any(is_unevaluated(value) for value in (*args, *kwargs.values()))
    if callee.path in SHARD_PATHS:
        low = Lowering(callee, {}, {key: key for key in kwargs}, site)
        if unevaluated:
            return _silent(callee.operators[0], args, site)
        return shard_call(callee.path, args, kwargs, low)
    bound: BoundArguments[DslValue] = bind(callee, args, kwargs)
    if unevaluated:
        return _silent(callee.operators[0] if callee.operators else callee.path, args, site)
    low = Lowering(callee, bound.values, bound.origin, site, bound.rest, bound.rest_keywords)
    return lower_unified(low) if callee.namespace == "pl" else lower(_canonical(low))


def _canonical(low: Lowering) -> Lowering:
    """``pld.X`` stands for ``pld.<category>.X``."""
    target = find_callable(low.callee.same_as) if low.callee.same_as is not None else None
    return (
        low
        if target is None
        else Lowering(target, low.values, low.origin, low.site, low.rest, low.rest_keywords)
    )


def _silent(operator: str, args: Sequence[DslValue], site: CallSite) -> Expr:
    """A call that nothing can be said about: its type silences every later check."""
    operands = tuple(value for value in args if isinstance(value, Expr))
    return Call(Op.get(operator), operands, {}, dict(site.attrs or {}), ERROR_TYPE, span=site.span)


# -- errors ----------------------------------------------------------------------------------------------------------


def _raise(code: str, message: str, span: Span, data: Mapping[str, Any]) -> NoReturn:
    raise OpError(Diagnostic(code, message, span, data=data))


def _unknown(path: str, span: Span) -> NoReturn:
    namespace, _, name = path.rpartition(".")
    near = near_names(path)
    hint = f"; did you mean {' or '.join(near[:2])}?" if near else ""
    data = {"path": path, "name": name, "near": near}
    if namespace == "pl":
        _raise("op-unknown", f"{path} is not an operator of the language{hint}", span, data)
    if namespace not in NAMESPACES:
        known = ", ".join(n for n in NAMESPACES if n.startswith(path.split(".")[0] + "."))
        _raise(
            "op-unknown-in-namespace",
            f"{namespace} is not a namespace of operators (there are: {known})",
            span,
            data,
        )
    _raise("op-unknown-in-namespace", f"{namespace} has no operator '{name}'{hint}", span, data)


def _expected(callee: DslCallable) -> str:
    return f"\nExpected: {callee.signature()}"


def _bind_error(callee: DslCallable, error: BindError, site: CallSite) -> OpError:
    data: dict[str, Any] = {"op": callee.path, "fault": error.fault, "suggestion": error.suggestion}
    span = site.span_of(error.argument)
    code = _FORM_CODES.get(callee.path, "op-bad-arguments")
    diagnostic = Diagnostic(code, f"'{callee.path}': {error.reason}{_expected(callee)}", span, data=data)
    return OpError(
        diagnostic,
        error.argument if isinstance(error.argument, int) else None,
        error.argument if isinstance(error.argument, str) else None,
    )


def _error(callee: DslCallable, fault: DslFault, site: CallSite) -> OpError:
    origin = _origin(callee, fault.param, site)
    data = {"op": callee.path, "param": fault.param, **fault.data}
    diagnostic = Diagnostic(
        fault.code, f"'{callee.path}': {fault.text}{_expected(callee)}", site.span_of(origin), data=data
    )
    return OpError(
        diagnostic, origin if isinstance(origin, int) else None, origin if isinstance(origin, str) else None
    )


def _origin(callee: DslCallable, param: str | None, site: CallSite) -> int | str | None:
    """The written argument of a parameter: its keyword if it was given by keyword, else its position."""
    if param is None:
        return None
    if param in site.keyword_spans:
        return param
    names = [p.name for p in callee.params if p.kind == "positional"]
    return names.index(param) if param in names else None


def _with_signature(callee: DslCallable, error: OpError) -> OpError:
    """An operator's own complaint, with the callable in front and its signature below."""
    found = error.diagnostic
    message = f"'{callee.path}': {found.message}{_sibling_hint(callee, error)}{_expected(callee)}"
    return OpError(replace(found, message=message), error.arg_index, error.keyword, error.unproven)


def _sibling_hint(callee: DslCallable, error: OpError) -> str:
    """Names the callable of the other level when a tile stands where a tensor belongs, or the reverse."""
    if error.diagnostic.code != "op-kind" or callee.namespace not in ("pl.tensor", "pl.tile"):
        return ""
    other = "tile" if callee.namespace == "pl.tensor" else "tensor"
    if f"got {other.capitalize()}Type" not in error.diagnostic.message:
        return ""
    sibling = find_callable(f"pl.{other}.{callee.name}")
    return f"; for a {other.capitalize()} use {sibling.path}" if sibling is not None else ""
