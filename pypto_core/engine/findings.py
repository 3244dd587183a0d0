"""From raw findings to what is published: each once, none that only follows another, none that the author ignores.

docs/spec/design/codes.md: a finding that shows at several stages, or once per lowered copy of a source statement, is reported by the earliest stage only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.ir import Span
from pypto_core.verify.aiv_split import one_per_line

#: A generated name of docs/spec/ir.md §1.9: ``acc__ssa_v0``, ``t__tile``, ``s__tile_Vec``.
_GENERATED = re.compile(r"\b([A-Za-z]\w*?)__(?:\w+)\b")
_IGNORE = re.compile(r"#\s*pypto:\s*ignore(?:\[([^\]\n]*)\])?")


def unique(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each code once per place, the first one found; then in source order."""
    kept: dict[tuple[str, object, int, int], Diagnostic] = {}
    # One statement of the author's may be lowered into several operators; of those the one that stands in the text is named.
    for finding in one_per_line(list(found)):
        span = finding.span
        key = (finding.code, span.chunk if span.is_valid else finding.message, span.start, span.end)
        kept.setdefault(key, in_authors_words(finding))
    return tuple(sorted(kept.values(), key=_place))


def in_authors_words(finding: Diagnostic) -> Diagnostic:
    """The finding with generated names replaced by the author's, in its message and in its related places."""
    message = _GENERATED.sub(r"\1", finding.message)
    related = tuple(replace(r, message=_GENERATED.sub(r"\1", r.message)) for r in finding.related)
    if message == finding.message and related == finding.related:
        return finding
    return replace(finding, message=message, related=related)


def _place(finding: Diagnostic) -> tuple[str, int, int, int]:
    span = finding.span
    return span.filename, span.line, span.column, finding.severity


def ignored_codes(text: str) -> dict[int, frozenset[str] | None]:
    """``# pypto: ignore[CODE, ...]`` comments: 0-based line -> codes, None for a bare ``ignore`` (all codes)."""
    found: dict[int, frozenset[str] | None] = {}
    if "pypto:" not in text:
        return found
    for number, line in enumerate(text.split("\n")):
        match = _IGNORE.search(line)
        if match is not None:
            codes = match.group(1)
            found[number] = None if codes is None else frozenset(c.strip() for c in codes.split(","))
    return found


def without_ignored(
    found: Iterable[Diagnostic],
    text: str,
    ignore: frozenset[str] = frozenset(),
    select: frozenset[str] = frozenset(),
) -> tuple[Diagnostic, ...]:
    """Findings that neither a comment on their first or last line nor the settings ignore; ``select`` limits the codes when not empty."""
    comments = ignored_codes(text)
    kept = []
    for finding in found:
        if finding.code in ignore or (select and finding.code not in select):
            continue
        span = finding.span
        if comments and span.is_valid:
            if any(
                _covers(comments.get(line - 1, frozenset()), finding.code)
                for line in {span.line, span.end_line}
            ):
                continue
        kept.append(finding)
    return tuple(kept)


def _covers(codes: frozenset[str] | None, code: str) -> bool:
    return codes is None or code in codes


def has_errors(found: Iterable[Diagnostic]) -> bool:
    return any(f.severity is Severity.ERROR for f in found)


def on_file(found: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """The findings whose place is in ``file``; one without a place belongs to the file that was asked about."""
    return tuple(f for f in found if not f.span.is_valid or f.span.filename == file)


def first_line(span: Span) -> int:
    """0-based first line of a span, 0 when unknown."""
    return max(span.line - 1, 0)
