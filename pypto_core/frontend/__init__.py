"""Text to IR: the author's language and the printed form (docs/spec/language.md, docs/spec/ir.md §4.12)."""

from pypto_core.frontend.parse import ParseResult, Resolver, parse

__all__ = ["ParseResult", "Resolver", "parse"]
