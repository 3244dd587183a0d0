"""Rows of the table of codes."""

from __future__ import annotations

from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = ()
