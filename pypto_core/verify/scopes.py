"""Scopes in the wrong place (docs/spec/verifiers.md §3): what the three outlining properties have in common."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir


def scopes_of(body: ir.Stmt, *kinds: type[ir.ScopeStmt]) -> Iterator[ir.ScopeStmt]:
    """Scopes of the given classes anywhere in ``body``."""
    for stmt in ir.walk_stmts(body):
        if type(stmt) in kinds:
            assert isinstance(stmt, ir.ScopeStmt)
            yield stmt
