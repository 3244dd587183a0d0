"""Rows of the table of codes: rejections of the split and cross-core passes (docs/spec/passes_split.md §16)."""

from __future__ import annotations

from pypto_core.diagnostic_rules import split_auto, split_regions, split_transfers
from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = (*split_auto.RULES, *split_regions.RULES, *split_transfers.RULES)
