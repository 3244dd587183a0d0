"""CommDomainScopesMaterialized and DistTensorCtxMaterialized: windows and contexts of host code (verifiers.md §3)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, best_span
from pypto_core.verify.scopes import scopes_of

_domain = Finding("CommDomainScopesMaterialized")
_context = Finding("DistTensorCtxMaterialized")


def is_host_orchestration(function: ir.Function) -> bool:
    """Whether the function runs on the host and dispatches work."""
    return function.level is ir.Level.HOST and function.role is ir.Role.Orchestrator


def check_domains(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if not is_host_orchestration(function):
        return
    owners: dict[ir.WindowBuffer, ir.Stmt] = {}
    for scope in scopes_of(function.body, ir.CommDomainScopeStmt):
        assert isinstance(scope, ir.CommDomainScopeStmt)
        if not scope.slots:
            yield _domain(
                "comm-domain-scopes",
                0,
                f"Communication domain without windows in '{function.name}'",
                scope.span,
            )
        for slot in scope.slots:
            if slot is None:
                yield _domain(
                    "comm-domain-scopes",
                    0,
                    f"Communication domain with an empty slot in '{function.name}'",
                    scope.span,
                )
            elif slot in owners:
                yield _domain(
                    "comm-domain-scopes",
                    0,
                    f"Window '{slot.name_hint}' belongs to two communication domains in '{function.name}'",
                    scope.span,
                )
            else:
                owners[slot] = scope


def check_contexts(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    if is_host_orchestration(function):
        return
    for call in ir.calls_in(function.body):
        if call.name == "pld.system.get_comm_ctx":
            yield _context(
                "dist-tensor-ctx",
                0,
                f"'{call.name}' is left in function '{function.name}'; only host orchestration asks for a context",
                best_span(call.span, function.span),
            )


DOMAINS = Verifier("CommDomainScopesMaterialized", "CommDomainScopesMaterialized", check_domains)
CONTEXTS = Verifier("DistTensorCtxMaterialized", "DistTensorCtxMaterialized", check_contexts)
