"""The findings of one file, put together chunk by chunk (docs/architecture.md §4).

Whether a finding is told depends on the others in its chunk and on the comments there; a hint depends on the other hints of its kernel
as well. An edit gives a kernel or two other findings: the chunks of those are looked at again, and those with hints of the same kernels.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic
from pypto_core.engine.facts import Document, Settings
from pypto_core.engine.findings import Joined, joined_hints, unique, without_ignored
from pypto_core.engine.wording import in_authors_words
from pypto_core.frontend.chunk_table import same_ends
from pypto_core.ir import Chunk, Span

#: Findings that come and go together: those of a kernel, one of the front end.
Findings: TypeAlias = "tuple[Diagnostic, ...]"
#: A chunk; None for findings without a place.
Place: TypeAlias = "Chunk | None"

#: So many chunks are put in their places one by one.
_FEW = 16
_line = attrgetter("first_line")
_file_and_line = attrgetter("file", "first_line")


@dataclass(frozen=True, slots=True)
class FileFindings:
    """What the analysis of a file tells: in it, and by path in the files that it imports; both in source order."""

    own: Findings = ()
    elsewhere: Mapping[str, Findings] = field(default_factory=dict)


class FindingsByChunk:
    """What is told of one file. ``looked_at`` counts chunks whose findings were put together, for tests."""

    def __init__(self) -> None:
        self.looked_at = 0
        self._forget()

    def _forget(self) -> None:
        self._settings: Settings | None = None
        #: Findings of the front end, in its words and in the author's, by ``id`` of the former.
        self._worded: dict[int, tuple[Diagnostic, Findings]] = {}
        self._front: list[Findings] = []
        self._programs: list[Findings] = []
        #: All that is found at a place, by ``id`` of the findings among which it is.
        self._raw: dict[Place, dict[int, tuple[Findings, list[Diagnostic]]]] = {}
        #: What is left of that, with each hint by itself; and what is told.
        self._kept: dict[Place, Findings] = {}
        #: The same with what is ignored.
        self._found: dict[Place, Findings] = {}
        self._told: dict[Place, Findings] = {}
        #: By kernel: the places of its hints, and what stands for each hint (:func:`joined_hints`).
        self._hinted: dict[str, set[Place]] = {}
        self._joined: dict[str, Joined] = {}
        #: The chunks of ``_kept`` in source order; whether some are in other files; the shape of the file.
        self._order: list[Chunk] = []
        self._elsewhere = False
        self._shape: object = None

    def update(
        self,
        front: Iterable[Diagnostic],
        programs: Sequence[Findings],
        document: Document,
        settings: Settings,
        shape: object = None,
    ) -> FileFindings:
        """What is told when the front end finds ``front`` and the kernels have ``programs`` to say, in the author's words.

        ``shape`` is the same object as in the last call when only bodies of kernels have changed since.
        """
        if settings != self._settings:
            self._forget()
            self._settings = settings
        try:
            touched = self._enter(front, programs)
            kernels = self._look_at(touched, document, settings, shape)
            for kernel in kernels:
                touched.update(self._hinted.get(kernel, ()))
                self._join(kernel)
            for place in touched:
                self._tell(place)
            return self._result(document.path)
        except BaseException:
            self._forget()
            raise

    def found(self) -> list[Diagnostic]:
        """All that was found the last time, also what is ignored."""
        return list(chain.from_iterable(self._found.values()))

    def _enter(self, front: Iterable[Diagnostic], programs: Sequence[Findings]) -> set[Place]:
        """These are the findings now; the places of those that have come or gone."""
        before, touched = self._worded, set[Place]()
        self._worded = {id(d): before.get(id(d)) or (d, (in_authors_words(d),)) for d in front}
        self._front = self._exchanged(self._front, [words for _, words in self._worded.values()], touched)
        self._programs = self._exchanged(self._programs, list(filter(None, programs)), touched)
        if None in self._raw:
            touched.add(None)  # told at the start of the text, which may be another
        return touched

    def _exchanged(self, old: list[Findings], new: list[Findings], touched: set[Place]) -> list[Findings]:
        before, behind = same_ends(old, new)
        for part in old[before : len(old) - behind]:
            for place in {d.span.chunk for d in part}:
                touched.add(place)
                parts = self._raw[place]
                del parts[id(part)]
                if not parts:
                    del self._raw[place]
        for part in new[before : len(new) - behind]:
            for finding in part:
                place = finding.span.chunk
                touched.add(place)
                self._raw.setdefault(place, {}).setdefault(id(part), (part, []))[1].append(finding)
        return new

    def _look_at(
        self, touched: set[Place], document: Document, settings: Settings, shape: object
    ) -> set[str]:
        """What is left of the findings at some places; the kernels of which hints came, went or changed places."""
        kernels: set[str] = set()
        position: dict[int, int] = {}
        for place in touched:
            self.looked_at += 1
            for kernel in _kernels(self._kept.pop(place, ())):
                kernels.add(kernel)
                self._hinted[kernel].discard(place)
            parts = self._raw.get(place, {})
            if len(parts) > 1 and not position:
                position = {id(part): n for n, part in enumerate((*self._front, *self._programs))}
            ordered = sorted(parts, key=position.__getitem__) if len(parts) > 1 else parts
            kept = unique(finding for part in ordered for finding in parts[part][1])
            if place is None:
                home = Span(Chunk(document.path, document.text[:1000]), 0, 0)
                kept = tuple(replace(finding, span=home) for finding in kept)
            self._found[place] = kept
            if not kept:
                del self._found[place]
            kept = without_ignored(kept, settings.ignore, settings.select)
            for kernel in _kernels(kept):
                kernels.add(kernel)
                self._hinted.setdefault(kernel, set()).add(place)
            if kept:
                self._kept[place] = kept
                self._elsewhere = self._elsewhere or (place is not None and place.file != document.path)
        steady, self._shape = shape is not None and shape is self._shape, shape
        return kernels if self._in_order(touched, steady) else set(self._hinted)

    def _in_order(self, touched: set[Place], steady: bool) -> bool:
        """Bring the chunks into source order; whether those that are not ``touched`` keep theirs, as they do while the shape is
        ``steady``: what stands in a body that has changed is touched."""
        key = _file_and_line if self._elsewhere else _line
        others = [chunk for chunk in self._order if chunk not in touched]
        order = others if steady else sorted(others, key=key)
        kept = order == others
        new = [place for place in touched if place is not None and place in self._kept]
        if len(new) > _FEW:
            order = sorted(order + new, key=key)
        else:
            for chunk in new:
                insort(order, chunk, key=key)
        self._order = order
        return kept

    def _join(self, kernel: str) -> None:
        """Put the hints of a kernel together."""
        places = self._hinted.get(kernel)
        if not places:
            self._hinted.pop(kernel, None)
            self._joined.pop(kernel, None)
            return
        chunks: list[Place] = sorted((chunk for chunk in places if chunk is not None), key=_file_and_line)
        if None in places:
            chunks.insert(0, None)
        hints = [f for chunk in chunks for f in self._kept[chunk] if f.data.get("kernel") == kernel]
        self._joined[kernel] = joined_hints(hints, self._joined.get(kernel, {}))

    def _tell(self, place: Place) -> None:
        told = []
        for finding in self._kept.get(place, ()):
            kernel = finding.data.get("kernel")
            if kernel is None:
                told.append(finding)
            elif (joined := self._joined[kernel].get(id(finding))) is not None:
                told.append(joined[1])
        self._told[place] = tuple(told)
        if not told:
            del self._told[place]

    def _result(self, path: str) -> FileFindings:
        told, nothing = self._told.get, ()
        nowhere = told(None, nothing)
        if not self._elsewhere:
            return FileFindings((*nowhere, *chain.from_iterable([told(c, nothing) for c in self._order])))
        files: dict[str, list[Diagnostic]] = {path: [*nowhere]}
        for chunk in self._order:
            files.setdefault(chunk.file, []).extend(told(chunk, nothing))
        own = tuple(files.pop(path))
        return FileFindings(own, {file: tuple(found) for file, found in files.items() if found})


def _kernels(found: Findings) -> set[str]:
    """The kernels of which there are hints."""
    return {finding.data["kernel"] for finding in found if "kernel" in finding.data}
