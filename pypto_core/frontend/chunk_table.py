"""The chunk table of a file under edits: what stays of it when its text changes (docs/architecture.md §3, §4).

An edit changes the text of a chunk or two. Every other chunk stays the very object it was, with its tree, so its spans and everything
computed from it stay valid; chunks below the edit are only moved. The answer is exactly what a fresh reading gives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import is_not
from typing import TypeVar

from pypto_core.frontend.chunks import Block, Unit, blocks, cut_scanned
from pypto_core.frontend.lines import Line, Scan, scan_until
from pypto_core.frontend.recovery import FileSyntax
from pypto_core.frontend.units import OldTrees, parse_unit

_T = TypeVar("_T")


@dataclass(slots=True)
class _Piece:
    """A unit with its trees."""

    unit: Unit
    syntax: FileSyntax


class SyntaxMemory:
    """The chunk table of one file with the trees of its chunks.

    A new text is compared with the old one; only the units around the difference are scanned again, and of those only the chunks whose
    text is new are parsed. All other chunks and trees are the same objects; chunks below the edit are moved.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._text = ""
        self._pieces: list[_Piece] = []
        # Beside each piece: the offset and the line at which it ends (it begins where the one before ends), and the numbers
        # of its items and faults. Lists of numbers, for an edit passes over all of them.
        self._ends: list[int] = []
        self._lines: list[int] = []
        self._items: list[int] = []
        self._faults: list[int] = []
        self._whole = FileSyntax([], [])
        self._open_strings: list[int] = []
        #: Units parsed by the last call, for tests and measurements.
        self.parsed = 0

    def parse(self, text: str) -> FileSyntax:
        """What :func:`~pypto_core.frontend.units.parse_file` gives, with the trees of before where nothing has changed."""
        first, last, found = self._rescan(text)
        start, line = (self._ends[first - 1], self._lines[first - 1]) if first else (0, 0)
        cut = cut_scanned(self._file, text, found, start, line)
        changed = self._parsed(cut, self._pieces[first:last])
        if self._open_strings or found.open_strings:
            shift = len(text) - len(self._text)
            beyond = [
                o + shift for o in self._open_strings if last < len(self._pieces) and o + shift >= found.end
            ]
            self._open_strings = [*(o for o in self._open_strings if o < start), *found.open_strings, *beyond]
        self._whole = FileSyntax(
            _spliced(self._whole.items, self._items, first, last, [p.syntax.items for p in changed]),
            _spliced(self._whole.faults, self._faults, first, last, [p.syntax.faults for p in changed]),
        )
        self._move(first, last, cut)
        self._text = text
        self._pieces[first:last] = changed
        self._items[first:last] = [len(p.syntax.items) for p in changed]
        self._faults[first:last] = [len(p.syntax.faults) for p in changed]
        return self._whole

    def _move(self, first: int, last: int, cut: list[tuple[Unit, int, int]]) -> None:
        """Put the new ends in place of the old ones, and all that stands below where it stands now."""
        if last < len(self._ends):
            shift, down = cut[-1][1] - self._ends[last - 1], cut[-1][2] - self._lines[last - 1]
            if shift:
                self._ends[last:] = [end + shift for end in self._ends[last:]]
            if down:
                self._lines[last:] = [line + down for line in self._lines[last:]]
                for piece in self._pieces[last:]:
                    piece.unit.anchor.line += down
        self._ends[first:last] = [end for _, end, _ in cut]
        self._lines[first:last] = [line for _, _, line in cut]

    def _rescan(self, text: str) -> tuple[int, int, Scan]:
        """The pieces to be replaced (from, to) and the lines that replace them.

        Scanning ends where a unit ends that stood behind the difference and is the same as before: from there on nothing depends on
        what stands above.
        """
        old, ends = self._text, self._ends
        prefix, suffix = common_ends(old, text)
        first = bisect_left(ends, prefix)
        if self._open_strings:
            first = min(first, bisect_right(ends, self._open_strings[0]))
        # What a line is may depend on the line below it, and an edit may join a statement to the one above.
        while first and not 0 <= old.find("\n", ends[first - 1]) < prefix:
            first -= 1
        first = max(first - 1, 0)
        start = ends[first - 1] if first else 0
        found = Scan(end=start)
        shift = len(text) - len(old)
        last, step = bisect_left(ends, len(old) - suffix, first) + 1, 1
        while last + step <= len(ends):
            # The piece at ``last`` begins behind the difference.
            stop = ends[last + step - 1] + shift
            scan_until(text, stop, found)
            if found.end == stop and self._ends_with(text, found, self._pieces[last + step - 1].unit):
                return first, last + step, found
            step *= 2
        scan_until(text, len(text), found)
        return first, len(ends), found

    def _ends_with(self, text: str, found: Scan, unit: Unit) -> bool:
        """Whether the last unit of the lines found is ``unit``."""
        made = blocks(found.lines, text)
        if not made:
            return False
        begin = made[-1].start
        if len(made) > 1:
            begin = made[-2].end
        last = cut_scanned(
            self._file,
            text,
            Scan(_of(made[-1]), [c for c in found.comments if c.offset >= begin], found.end),
            begin,
        )
        return [c.text for c in last[-1][0].chunks()] == [c.text for c in unit.chunks()]

    def _parsed(self, cut: list[tuple[Unit, int, int]], gone: list[_Piece]) -> list[_Piece]:
        """Pieces for new units; a unit that is only moved keeps everything, a changed one its unchanged chunks."""
        known: dict[tuple[str, ...], list[_Piece]] = {}
        for piece in gone:
            known.setdefault(_key(piece.unit), []).append(piece)
        pieces: list[_Piece | None] = []
        for unit, _, _ in cut:
            same = known.get(_key(unit))
            if same:
                kept = same.pop(0)
                for before, here in zip(kept.unit.chunks(), unit.chunks(), strict=True):
                    before.take_place(here)
                kept.unit.anchor = unit.anchor
                pieces.append(kept)
            else:
                pieces.append(None)
        trees = OldTrees()
        for left in known.values():
            for piece in left:
                trees.remember(piece.syntax)
        made: list[_Piece] = []
        self.parsed = 0
        for (unit, _, _), whole in zip(cut, pieces, strict=True):
            if whole is None:
                whole = _Piece(unit, FileSyntax([], []))
                parse_unit(unit, whole.syntax, trees)
                self.parsed += 1
            made.append(whole)
        return made


def _key(unit: Unit) -> tuple[str, ...]:
    """Equal for units of equal text, the blank lines inside divided statements included."""
    parts = [
        unit.header.text,
        *(inner.whole or inner.chunk.text for part in unit.body for inner in part.all()),
    ]
    return (*parts, *(text for member in unit.members for text in _key(member)))


def _of(block: Block) -> list[Line]:
    """All lines of a block in source order."""
    found: list[Line] = []
    for line, body in zip(block.lines, block.bodies, strict=True):
        found.append(line)
        for inner in body:
            found += _of(inner)
    return found


def _spliced(whole: list[_T], sizes: list[int], first: int, last: int, parts: list[list[_T]]) -> list[_T]:
    """``whole`` with the parts from ``first`` to ``last`` replaced; ``sizes`` are those of its parts."""
    before = sum(sizes[:first])
    after = before + sum(sizes[first:last])
    made = whole[:before]
    for part in parts:
        made += part
    made += whole[after:]
    return made


def common_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Lengths of what two texts (or lists) have in common at their beginning and, apart from that, at their end."""
    most = min(len(old), len(new))
    prefix = _agreement(most, lambda n, m: old[n:m] == new[n:m])
    from_end_old, from_end_new = len(old), len(new)
    suffix = _agreement(
        most - prefix,
        lambda n, m: old[from_end_old - m : from_end_old - n] == new[from_end_new - m : from_end_new - n],
    )
    return prefix, suffix


def same_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """:func:`common_ends` of lists whose elements are compared by identity."""
    most = min(len(old), len(new))
    prefix = _first(map(is_not, old, new), most)
    return prefix, _first(map(is_not, reversed(old), reversed(new)), most - prefix)


def _first(differences: Iterable[bool], most: int) -> int:
    """Index of the first difference, at most ``most``."""
    return next(compress(range(most), differences), most)


def _agreement(most: int, equal: Callable[[int, int], bool]) -> int:
    """The largest n up to ``most`` for which the first n characters are equal, by comparing doubling, then halving, stretches."""
    sure, step = 0, 4096
    while sure < most and equal(sure, min(sure + step, most)):
        sure = min(sure + step, most)
        step *= 2
    bad = min(sure + step, most)
    while bad - sure > 1:
        middle = (sure + bad) // 2
        if equal(sure, middle):
            sure = middle
        else:
            bad = middle
    return sure if sure == most or not equal(sure, bad) else bad
