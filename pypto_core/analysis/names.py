"""Names and expressions as the author wrote them.

Passes rename (``x__ssa_v3``, ``x__tile``, ``x_mat``), and so does the reader of JIT bodies where a name is bound again
(``x_v1``); a message must use the author's word. A name stands as it is when the source text that the variable comes from
contains it (printed IR is a source too), else the part before ``__`` and before a version number.
"""

from __future__ import annotations

import re

from pypto_core.ir import Chunk, Expr, IterArg, Span, TupleGetItem, Var, print_ir

_WORD = re.compile(r"\w+")
_TAIL = re.compile(r"__\w*")
_TEMPORARY = re.compile(r"t__tmp_v\d+")
"""Results of nested calls that FlattenCallExpr named."""


_VERSION = re.compile(r"(\w+?)_v\d+")
"""A name that a JIT body binds again."""


def written_name(name: str, span: Span | None = None) -> str:
    """Author's spelling of a variable name; `span` says where to look for it."""
    chunk = span.chunk if span is not None else None
    if chunk is None or not chunk.text:
        return name.split("__", 1)[0] or name
    if _stands_in(name, chunk):
        return name
    base = name.split("__", 1)[0] or name
    version = _VERSION.fullmatch(base)
    if version is not None and not _stands_in(base, chunk) and _stands_in(version[1], chunk):
        return version[1]
    return base


def _stands_in(name: str, chunk: Chunk) -> bool:
    if name in chunk.words():
        return True
    # Only a name with other characters (``a.b``) may stand there all the same.
    return not _WORD.fullmatch(name) and re.search(rf"\b{re.escape(name)}\b", chunk.text) is not None


def is_invented(name: str, span: Span | None = None) -> bool:
    """Whether the compiler made the name up: no part of it stands in the source text that `span` comes from."""
    if _TEMPORARY.fullmatch(name):
        return True
    if span is None or span.chunk is None:
        return False
    return not _stands_in(written_name(name, span), span.chunk)


def describe(expr: Expr, span: Span | None = None) -> str:
    """A value in a message: the author's name, ``name[i]`` for a projection, what the author wrote for a value without
    a name, else the printed expression."""
    if isinstance(expr, (Var, IterArg)):
        where = expr.span if expr.span.is_valid else span
        if is_invented(expr.name_hint, where):
            written = expr.span.text
            if written and "\n" not in written and len(written) <= 60 and expr.span != span:
                return written
        return written_name(expr.name_hint, where)
    if isinstance(expr, TupleGetItem):
        return f"{describe(expr.tuple, span)}[{expr.index}]"
    return written_text(expr)


def written_text(expr: Expr) -> str:
    """Printed expression with generated name tails removed (``n__ssa_v0`` -> ``n``)."""
    return _TAIL.sub("", print_ir(expr))


def dsl_name(op_name: str) -> str:
    """``pl.aiv_shard`` for ``tile.aiv_shard`` or ``tensor.aiv_shard``."""
    return "pl." + op_name.rpartition(".")[2]
