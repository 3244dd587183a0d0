"""Findings as they travel: the JSON of each is written once, and moved with its lines (docs/architecture.md §5).

A client gets all findings of a file after every edit, of which an edit changes one or two, and the lines of those below it. So nothing
but the lines is left open in what is kept of a finding: words and columns depend on its chunk, whose text never changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any

from pypto_core import Anchor, Chunk, Diagnostic, Span

#: Stands for a line in data that becomes JSON, in front of its number among the lines of the finding.
_LINE = "\0"
_OPEN = re.compile(r'"\\u0000(\d+)"')
#: Gives a finding in the protocol's form, as plain data.
Plain = Callable[[Diagnostic], "dict[str, Any]"]


class Wire:
    """The findings of one document. ``written`` counts findings of which JSON was made, for tests."""

    def __init__(self) -> None:
        self.written = 0
        self._known: dict[int, _Finding] = {}

    def texts(self, findings: Collection[Diagnostic], plain: Plain) -> list[bytes]:
        """The JSON of each finding, with the lines on which it stands now."""
        known = self._known
        if len(known) > 2 * len(findings) + 100:
            now = set(map(id, findings))
            known = self._known = {key: found for key, found in known.items() if key in now}
        texts = []
        for finding in findings:
            found = known.get(id(finding))  # which keeps the finding, so the key is no other's
            if found is None:
                found = known[id(finding)] = _Finding(finding, plain(finding))
                self.written += 1
            texts.append(found.text())
        return texts


class _Finding:
    """One finding: its text, open at its lines, and the lines of a chunk on which they are."""

    __slots__ = (
        "_anchor",
        "_chunk",
        "_chunks",
        "_finding",
        "_from_anchor",
        "_lines",
        "_rows",
        "_template",
        "_text",
    )

    def __init__(self, finding: Diagnostic, plain: dict[str, Any]) -> None:
        self._finding = finding
        places: list[tuple[Chunk, int]] = []
        for span, shown in _places(finding, plain):
            assert span.chunk is not None
            for end, offset in (("start", span.start), ("end", span.end)):
                shown[end]["line"] = f"{_LINE}{len(places)}"
                places.append((span.chunk, span.chunk.row(offset)))
        text = json.dumps(plain).replace("%", "%%")
        ordered = [places[int(number)] for number in _OPEN.findall(text)]
        self._template = _OPEN.sub("%d", text).encode()
        self._chunks = tuple(chunk for chunk, _ in ordered)
        self._rows = tuple(row for _, row in ordered)
        self._lines: object = None
        self._text = b""
        self._chunk = finding.span.chunk
        self._bind()

    def _bind(self) -> None:
        """While one anchor moves all chunks, the lines are counted from there; :attr:`_anchor` is None where there is no such anchor."""
        anchors = {chunk.anchor for chunk in self._chunks}
        self._anchor: Anchor | None = None
        if self._chunk is not None and anchors == {self._chunk.anchor}:
            self._anchor = self._chunk.anchor
            line = self._anchor.line
            self._from_anchor = tuple(
                chunk.first_line - line + row for chunk, row in zip(self._chunks, self._rows, strict=True)
            )
        self._lines = None

    def text(self) -> bytes:
        """The JSON now."""
        anchor = self._anchor
        if anchor is not None and self._chunk.anchor is not anchor:  # type: ignore[union-attr]
            self._bind()
            anchor = self._anchor
        if anchor is not None:
            line = anchor.line
            if line != self._lines:
                self._lines = line
                self._text = self._template % tuple(map(line.__add__, self._from_anchor))
            return self._text
        lines = [chunk.first_line for chunk in self._chunks]
        if lines != self._lines:
            self._lines = lines
            self._text = self._template % tuple(map(int.__add__, lines, self._rows))
        return self._text


def _places(finding: Diagnostic, plain: dict[str, Any]) -> list[tuple[Span, dict[str, Any]]]:
    """The spans that the finding shows, each with its range in ``plain``; those that stand nowhere have none."""
    spans = [finding.span, *(other.span for other in finding.related if other.span.is_valid)]
    shown = [plain["range"], *(other["location"]["range"] for other in plain.get("relatedInformation") or ())]
    return [(span, place) for span, place in zip(spans, shown, strict=False) if span.is_valid]
