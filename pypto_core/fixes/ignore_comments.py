"""Repairs of comments that ignore findings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pypto_core.diagnostics import Diagnostic
from pypto_core.fixes.model import Edit, Fix, Fixer, Source
from pypto_core.ir import Chunk, Span

_COMMENT = re.compile(r"[^\S\n]*#[^\S\n]*pypto:[^\S\n]*ignore")
_BRACKETS = re.compile(r"[^\S\n]*:?[^\S\n]*\[[^\]\n]*\]|[^\S\n]*:[^\S\n]*[\w*?, -]+")


def _near(finding: Diagnostic, source: Source) -> Iterator[Fix]:
    new = finding.data.get("suggestion")
    if new:
        yield Fix(f"Change to {new}", (Edit(finding.span, str(new)),))


def _deleted(finding: Diagnostic, source: Source) -> Iterator[Fix]:
    """The whole comment, or the one code of several with its comma."""
    whole = Chunk(source.path, source.text)
    row = finding.span.line - 1
    first = whole.offset(row, 0)
    start, end = (first + c - 1 for c in (finding.span.column, finding.span.end_column))
    line = source.text[first : whole.offset(row, len(source.text))].rstrip("\r\n")
    comment = next(
        (m for m in _COMMENT.finditer(line) if first + m.end() <= end or m.start() <= start - first), None
    )
    if comment is None:
        return
    listed = _BRACKETS.match(line, comment.end())
    codes = line[comment.end() : listed.end()].strip(" :[]\t").split(",") if listed is not None else []
    if len(codes) > 1:
        while source.text[end] in " \t":
            end += 1
        if source.text[end] == ",":
            end += 1
            while source.text[end] in " \t":
                end += 1
        else:
            start = source.text.rindex(",", first, start)
        yield Fix("Delete the code", (Edit(Span(whole, start, end), ""),))
        return
    stop = listed.end() if listed is not None else comment.end()
    begin = comment.start()
    if line[stop:].strip():  # something else follows in the comment
        begin = comment.end() - len(comment.group().lstrip())
    yield Fix("Delete the comment", (Edit(Span(whole, first + begin, first + stop), ""),))


FIXERS: dict[str, Fixer] = {"ignore-unknown": _near, "ignore-unused": _deleted}
