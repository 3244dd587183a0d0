"""Quick fixes: a diagnostic and the source in, text edits out (docs/spec/design/decisions.md 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import Chunk, Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of ``span`` by ``text`` (an empty span inserts)."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One repair. ``safe`` fixes may be applied unseen (preferred, part of fix-all); ``edits`` do not overlap.

    ``trial``: whether a safe fix does repair shows only in what the compiler makes of the changed text, since it moves work to another
    core or region, or is right for one type of value and not for another. An editor prefers it once that has been tried.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False
    trial: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The file that a diagnostic points into: its path and whole text."""

    path: str
    text: str


#: Makes the repairs of one finding; an empty result where the source does not fit.
Fixer = Callable[[Diagnostic, Source], Iterable[Fix]]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after the edits; positions are absolute (through the chunk of each span)."""
    whole = Chunk("", text)
    changes = sorted(
        (
            whole.offset(e.span.line - 1, e.span.column - 1),
            whole.offset(e.span.end_line - 1, e.span.end_column - 1),
            e.text,
        )
        for e in edits
    )
    parts, position = [], 0
    for start, end, new in changes:
        if start < position:
            raise ValueError("edits overlap")
        parts += [text[position:start], new]
        position = end
    parts.append(text[position:])
    return "".join(parts)
