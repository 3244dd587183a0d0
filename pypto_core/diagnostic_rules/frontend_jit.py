"""Rows of the table of codes: JIT programs (docs/spec/language.md §7.2)."""

from __future__ import annotations

from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = ()
