"""Where a definition and a use stand in the source."""

from __future__ import annotations

from pypto_core.ir import Span, Stmt, Var


def target_span(stmt: Stmt, var: Var) -> Span:
    """Span of ``var`` as the target of ``stmt``.

    Before SSA one variable object serves every assignment of a name and carries the span of the first. The target opens
    its statement, so the name found there is the right place; else the statement stands for it.
    """
    own, whole = var.span, stmt.span
    if not whole.is_valid or (own.is_valid and whole.contains(own)):
        return own if own.is_valid else whole
    name = var.name_hint.partition("__")[0]
    chunk = whole.chunk
    if chunk is not None and chunk.text.startswith(name, whole.start):
        return Span(chunk, whole.start, whole.start + len(name))
    return whole


def use_span(span: Span, name: str) -> Span:
    """The name inside the expression or the header of the block that reads it; the whole of it when it is not found there."""
    if span.chunk is None:
        return span
    position = _find_word(span.text.partition(":\n")[0], name)
    if position < 0:
        return span
    return Span(span.chunk, span.start + position, span.start + position + len(name))


def _find_word(text: str, name: str) -> int:
    start = 0
    while (position := text.find(name, start)) >= 0:
        before = text[position - 1] if position else " "
        after = text[position + len(name) : position + len(name) + 1] or " "
        if not (before.isalnum() or before in "_.") and not (after.isalnum() or after in "_="):
            return position
        start = position + 1
    return -1
