"""Addresses of the documentation's pages."""

from __future__ import annotations

SITE = "https://pypto-lsp.readthedocs.io/en/latest/"
RULE_PAGES = SITE + "rules/"


def rule_page(code: str) -> str:
    """Address of the page of a code."""
    return f"{RULE_PAGES}{code}/"
