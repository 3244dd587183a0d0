"""Findings in the words of the author: names and operators as they stand in the source.

Verifiers and passes speak of the program that they see, in which ``pl.mul(x, 2.0)`` has become ``tile.muls`` of
``x__ssa_v0__tile``. What is published says ``pl.mul`` and ``x``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.engine.plain_words import plain_message
from pypto_core.ir import Span
from pypto_core.ops.dsl import find_callable

#: A generated name of docs/spec/ir.md §1.9: ``acc__ssa_v0``, ``t__tile``, ``s__tile_Vec``.
_GENERATED = re.compile(r"\b([A-Za-z]\w*?)__(?:\w+)\b")
#: An operator of the IR, in quotes or not; ``pl.tile.add`` and ``pld.tensor.put`` are the author's own.
_OPERATOR = re.compile(r"(?<![\w.])((?:cube|vector) op )?('?)((?:tile|tensor|system|array)\.\w+)\2(?![\w.(])")
_CALLEE = re.compile(r"\b[A-Za-z_]\w*(?:\.\w+)*(?=\()")
#: ``kernel_aiv`` and ``main_incore_0`` are made from ``kernel`` and ``main``.
_MADE_FUNCTION = re.compile(r"'(\w+?)(?:_aic|_aiv|_incore_\d+|_spmd_\d+|_cluster_\d+|_host_\d+)'")
_DOUBLED_FUNCTION = re.compile(r"'(\w+)_\1'")

_TYPE = re.compile(r"(?<![\w.])(Tile|Tensor|Scalar|Tuple|Array)Type\b")

_DISTRIBUTED = re.compile(r"(?<![\w.])DistributedTensorType\b")

_NAME = re.compile(r"(\w+)")
_SUBSCRIPT = re.compile(r"(\w+)\s*\[")
_SUBSCRIPT_WRITE = re.compile(r"(\w+)\s*\[[^=]*\]\s*[-+*/]?=(?!=)")
_PARAMETER = re.compile(r"(\w+)\s*:")

#: Transfers that the compiler makes where the author wrote something else.
_READS = frozenset({"load", "slice", "extract"})
_WRITES = frozenset({"store", "assemble", "write"})
#: Operators that the compiler puts around those of the author.
_OWN = _READS | _WRITES | {"create", "fillpad", "full", "move", "reshape", "transpose", "transpose_view"}
_CROSSINGS = {"aiv_shard": "the crossing to the vector side", "aic_gather": "the crossing to the cube side"}


def in_authors_words(finding: Diagnostic) -> Diagnostic:
    """The finding with the author's names and operators, in its message and in its related places."""
    related = tuple(replace(r, message=author_text(r.message, r.span)) for r in finding.related)
    places = [(r.message, r.span) for r in finding.related if "." in r.message]
    message = author_text(plain_message(finding), finding.span, places)
    calls = finding.data.get("calls", ())
    if finding.code == "split-region-full-width" and calls and calls[0].is_valid:
        # The statement that runs twice is underlined rather than the region around it.
        header = Related("the region is here", finding.span)
        others = tuple(r for r in related if r.span != calls[0])
        return replace(finding, message=message, span=calls[0], related=(header, *others))
    if message == finding.message and all(a.message == b.message for a, b in zip(related, finding.related)):
        return finding
    return replace(finding, message=message, related=related)


def author_text(text: str, span: Span, places: Sequence[tuple[str, Span]] = ()) -> str:
    """``text`` about the source at ``span``; an operator that a text of ``places`` names stands at that place."""
    if "__" in text:
        text = _GENERATED.sub(r"\1", text)
    if "." in text:

        def operator(match: re.Match[str]) -> str:
            side, quote, name = match.group(1) or "", match.group(2), match.group(3)
            words = _operator(name, next((s for t, s in places if name in t), span))
            if " " not in words:
                return f"{side}{quote}{words}{quote}"
            return words.replace("the ", f"the {side.partition(' ')[0]} side's ", 1) if side else words

        text = _OPERATOR.sub(operator, text)
    if "::" in text:
        text = text.replace("FunctionType::", "pl.FunctionType.")
    if "Type" in text:
        text = _TYPE.sub(r"pl.\1", text)
        text = _DISTRIBUTED.sub("pld.DistributedTensor", text)
    return _functions(text, span)


def _operator(name: str, span: Span) -> str:
    """How the author wrote an operator, or a phrase for a transfer that has no name in the source."""
    leaf, whole = name.rpartition(".")[2], span.chunk.text if span.chunk is not None else ""
    return (
        _called(leaf, span.text)
        or _becomes(name, span.text)
        or _transfer(leaf, span.text)
        or _called(leaf, whole)
        or _CROSSINGS.get(leaf)
        or _made_from(span.text, leaf)
        or _spelled(name, leaf)
    )


def _called(leaf: str, source: str) -> str:
    """The first call in ``source`` that an operator may have been."""
    callees = _CALLEE.findall(source)
    return next((c for form in _forms(leaf) for c in callees if c.rpartition(".")[2] == form), "")


def _becomes(name: str, source: str) -> str:
    """The first call in ``source`` that becomes this operator and has another name (``pl.arange`` is ``tile.ci``)."""
    leaf = name.rpartition(".")[2]
    for spelled in _CALLEE.findall(source):
        callee = find_callable(spelled)
        if callee is not None and any(op.rpartition(".")[2] == leaf for op in callee.operators):
            return str(spelled)
    return ""


def _made_from(source: str, leaf: str) -> str:
    """The operator that the author wrote at a place where the compiler put one of its own."""
    written = _CALLEE.match(source) if leaf in _OWN else None
    return written.group() if written is not None and "." in written.group() else ""


def _forms(leaf: str) -> Iterator[str]:
    """What an author may have written for an operator: ``muls`` is ``mul`` with a number, ``row_expand_mul`` with a column."""
    yield leaf
    if leaf.endswith("s"):
        yield leaf[:-1]
    for prefix in ("row_expand_", "col_expand_", "batch_"):
        if leaf.startswith(prefix):
            yield leaf.removeprefix(prefix)


def _transfer(leaf: str, source: str) -> str:
    """A read or write that stands for a subscript, a parameter or a result."""
    if leaf in _WRITES:
        write = _SUBSCRIPT_WRITE.match(source)
        if write is not None:
            return f"the write to '{write.group(1)}'"
        return "" if _CALLEE.match(source) else "the write of the result"
    if leaf in _READS:
        parameter, subscript = _PARAMETER.match(source), _SUBSCRIPT.match(source)
        read = parameter or subscript or _NAME.fullmatch(source)
        if read is not None and _SUBSCRIPT_WRITE.match(source) is None:
            return f"the read of '{read.group(1)}'"
    return ""


def _spelled(name: str, leaf: str) -> str:
    """The name under which the language has an operator that does not stand in the source."""
    for path in (f"pl.{leaf}", f"pl.{name}"):
        if find_callable(path) is not None:
            return path
    return f"pl.{leaf}"


def _functions(text: str, span: Span) -> str:
    if span.chunk is None or "'" not in text:
        return text
    source = span.chunk.text

    def base(match: re.Match[str]) -> str:
        made, own = match.group()[1:-1], match.group(1)
        return match.group() if _stands_in(made, source) or not _stands_in(own, source) else f"'{own}'"

    return _DOUBLED_FUNCTION.sub(base, _MADE_FUNCTION.sub(base, text))


def _stands_in(name: str, source: str) -> bool:
    return name in source and re.search(rf"\b{re.escape(name)}\b", source) is not None
