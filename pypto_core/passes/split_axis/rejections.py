"""Building the one exception that a split pass raises (docs/spec/passes_split.md §16, docs/spec/design/codes.md)."""

from __future__ import annotations

from dataclasses import replace

from pypto_core.analysis.names import describe
from pypto_core.diagnostics import PassError, Related
from pypto_core.diagnostics import error as diagnostic_error
from pypto_core.ir import Call, Expr, Span
from pypto_core.ops.registry import OpError


def reject(
    rule: str, code: str, message: str, span: Span, related: tuple[Related, ...] = (), **data: object
) -> PassError:
    """The error for one rejection rule. `data` holds what a quick fix or a test needs."""
    return PassError(diagnostic_error(code, message, span, related=related, data=data, rule=rule))


def reject_internal(message: str, span: Span) -> PassError:
    """For input on which no correct rewrite exists although no rule names it: say what and where."""
    return PassError(diagnostic_error("compiler-internal", message, span))


def reject_operator(error: OpError, call: Call) -> PassError:
    """An operator's own refusal, at its own span when it has one, else at the call."""
    diagnostic = error.diagnostic
    if not diagnostic.span.is_valid:
        diagnostic = replace(diagnostic, span=call.span)
    return PassError(diagnostic)


def operand_label(call: Call, index: int) -> str:
    """``'bias'`` for a named operand, ``argument 2`` for an anonymous one."""
    name = describe(call.args[index], call.span)
    return f"'{name}'" if _is_name(name) else f"argument {index}"


def label(expr: Expr, span: Span) -> str:
    """The author's name of a value in quotes, or "this value"."""
    name = describe(expr, span)
    return f"'{name}'" if _is_name(name) else "this value"


def _is_name(text: str) -> bool:
    return text.split("[", 1)[0].isidentifier()
