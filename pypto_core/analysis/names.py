"""Names and expressions as the author wrote them.

Passes rename (``x__ssa_v3``, ``x__tile``, ``x_mat``); a message must use the author's word. A name stands as it is when
the source text that the variable comes from contains it (printed IR is a source too), else the part before ``__``.
"""

from __future__ import annotations

import re

from pypto_core.ir import Expr, IterArg, Span, TupleGetItem, Var, print_ir

_TAIL = re.compile(r"__\w*")
_TEMPORARY = re.compile(r"t__tmp_v\d+")
"""Results of nested calls that FlattenCallExpr named."""


def written_name(name: str, span: Span | None = None) -> str:
    """Author's spelling of a variable name; `span` says where to look for it."""
    if "__" not in name:
        return name
    text = span.chunk.text if span is not None and span.chunk is not None else ""
    if re.search(rf"\b{re.escape(name)}\b", text):
        return name
    base = name.split("__", 1)[0]
    return base or name


def is_invented(name: str, span: Span | None = None) -> bool:
    """Whether the compiler made the name up: no part of it stands in the source text that `span` comes from."""
    if _TEMPORARY.fullmatch(name):
        return True
    if span is None or span.chunk is None:
        return False
    whole, base = re.escape(name), re.escape(name.split("__", 1)[0])
    return re.search(rf"\b(?:{whole}|{base})\b", span.chunk.text) is None


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
