"""Rows of the table of codes: everything that reading a kernel can report (docs/spec/language.md §7)."""

from __future__ import annotations

from pypto_core.diagnostic_rules import (
    frontend_annotations,
    frontend_expressions,
    frontend_jit,
    frontend_programs,
    frontend_scopes,
    frontend_statements,
)
from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = (
    *frontend_programs.RULES,
    *frontend_jit.RULES,
    *frontend_annotations.RULES,
    *frontend_statements.RULES,
    *frontend_scopes.RULES,
    *frontend_expressions.RULES,
)
