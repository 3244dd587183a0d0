"""Where a definition stands in the source."""

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
