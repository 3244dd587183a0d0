"""Building the one exception that a split pass raises (docs/spec/passes_split.md §16, docs/spec/design/codes.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pypto_core.analysis.names import describe, is_invented
from pypto_core.diagnostics import PassError, Related
from pypto_core.diagnostics import error as diagnostic_error
from pypto_core.ir import Call, Expr, Span, Var
from pypto_core.ops.registry import OpError


def reject(
    rule: str, code: str, message: str, span: Span, related: tuple[Related, ...] = (), **data: object
) -> PassError:
    """The error for one rejection rule. `data` holds what a quick fix or a test needs."""
    return PassError(diagnostic_error(code, message, span, related=related, data=data, rule=rule))


def reject_internal(message: str, span: Span, related: tuple[Related, ...] = ()) -> PassError:
    """For input on which no correct rewrite exists although no rule names it: say what and where."""
    return PassError(diagnostic_error("compiler-internal", message, span, related=related))


def reject_operator(error: OpError, call: Call) -> PassError:
    """An operator's own refusal, at its own span when it has one, else at the call."""
    diagnostic = error.diagnostic
    if not diagnostic.span.is_valid:
        diagnostic = replace(diagnostic, span=call.span)
    return PassError(diagnostic)


def operand_label(call: Call, index: int, made: Mapping[Var, Call]) -> str:
    """``'bias'`` for an operand that the author named, ``argument 2`` for one that only the compiler knows.

    `made` gives the call that made a variable: a table which the compiler loaded goes by the tensor's name.
    """
    expr = call.args[index]
    if isinstance(expr, Var) and is_invented(expr.name_hint, expr.span if expr.span.is_valid else call.span):
        source = made.get(expr)
        if source is not None and source.name == "tile.load":
            return operand_label(source, 0, made)
        if not expr.span.text or expr.span.contains(call.span):
            return f"argument {index}"
    name = describe(expr, call.span)
    return f"'{name}'" if _is_name(name) or name == expr.span.text else f"argument {index}"


def label(expr: Expr, span: Span) -> str:
    """The author's name of a value in quotes, or "this value"."""
    name = describe(expr, span)
    return f"'{name}'" if _is_name(name) or name == expr.span.text else "this value"


def _is_name(text: str) -> bool:
    return text.split("[", 1)[0].isidentifier()
