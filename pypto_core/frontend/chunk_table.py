"""The chunk table of a file under edits: what stays of it when its text changes (docs/architecture.md §3, §4).

An edit changes the text of a chunk or two. Every other chunk stays the very object it was, with its tree, so its spans and everything
computed from it stay valid; chunks below the edit are only moved. The answer is exactly what a fresh reading gives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from pypto_core.frontend.chunks import Block, Unit, blocks, cut_scanned
from pypto_core.frontend.lines import Line, Scan, scan_until
from pypto_core.frontend.recovery import FileSyntax, OldTrees, parse_unit


@dataclass(slots=True)
class _Piece:
    """A unit in its place: its trees, and the offset and line at which it ends. It begins where the piece before it ends."""

    unit: Unit
    syntax: FileSyntax
    end: int
    last_line: int


class SyntaxMemory:
    """The chunk table of one file with the trees of its chunks.

    A new text is compared with the old one; only the units around the difference are scanned again, and of those only the chunks whose
    text is new are parsed. All other chunks and trees are the same objects; chunks below the edit are moved.
    """

    def __init__(self) -> None:
        self._file = ""
        self._text = ""
        self._pieces: list[_Piece] = []
        self._open_strings: list[int] = []
        #: Chunks parsed by the last call, for tests and measurements.
        self.parsed = 0

    def parse(self, file: str, text: str) -> FileSyntax:
        """What :func:`~pypto_core.frontend.recovery.parse_file` gives, with the trees of before where nothing has changed."""
        if file != self._file:
            self._file, self._text, self._pieces, self._open_strings = file, "", [], []
        old = self._pieces
        first, last, found = self._rescan(text)
        start, line = (old[first - 1].end, old[first - 1].last_line) if first else (0, 0)
        cut = cut_scanned(file, text, found, start, line)
        changed = self._parsed(cut, old[first:last])
        below = old[last:]
        if below:
            shift, down = changed[-1].end - old[last - 1].end, changed[-1].last_line - old[last - 1].last_line
            if shift or down:
                _move(below, shift, down)
        if self._open_strings or found.open_strings:
            shift = len(text) - len(self._text)
            beyond = [o + shift for o in self._open_strings if below and o + shift >= found.end]
            self._open_strings = [*(o for o in self._open_strings if o < start), *found.open_strings, *beyond]
        self._text = text
        self._pieces = [*old[:first], *changed, *below]
        whole = FileSyntax([], [])
        for piece in self._pieces:
            whole.items += piece.syntax.items
            if piece.syntax.faults:
                whole.faults += piece.syntax.faults
        return whole

    def _rescan(self, text: str) -> tuple[int, int, Scan]:
        """The pieces to be replaced (from, to) and the lines that replace them.

        Scanning ends where a unit ends that stood behind the difference and is the same as before: from there on nothing depends on
        what stands above.
        """
        old, pieces = self._text, self._pieces
        prefix, suffix = common_ends(old, text)
        ends = [piece.end for piece in pieces]
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
        while last + step <= len(pieces):
            # The piece at ``last`` begins behind the difference.
            target = pieces[last + step - 1]
            stop = target.end + shift
            scan_until(text, stop, found)
            if found.end == stop and self._ends_with(text, found, target.unit):
                return first, last + step, found
            step *= 2
        scan_until(text, len(text), found)
        return first, len(pieces), found

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
        for unit, end, line in cut:
            same = known.get(_key(unit))
            if same:
                kept = same.pop(0)
                for before, here in zip(kept.unit.chunks(), unit.chunks(), strict=True):
                    before.first_line = here.first_line
                pieces.append(_Piece(kept.unit, kept.syntax, end, line))
            else:
                pieces.append(None)
        trees = OldTrees()
        for left in known.values():
            for piece in left:
                trees.remember(piece.syntax)
        made: list[_Piece] = []
        self.parsed = 0
        for (unit, end, line), whole in zip(cut, pieces, strict=True):
            if whole is None:
                whole = _Piece(unit, FileSyntax([], []), end, line)
                parse_unit(unit, whole.syntax, trees)
                self.parsed += 1
            made.append(whole)
        return made


def _key(unit: Unit) -> tuple[str, ...]:
    return tuple(chunk.text for chunk in unit.chunks())


def _of(block: Block) -> list[Line]:
    """All lines of a block in source order."""
    found: list[Line] = []
    for line, body in zip(block.lines, block.bodies, strict=True):
        found.append(line)
        for inner in body:
            found += _of(inner)
    return found


def _move(pieces: list[_Piece], shift: int, down: int) -> None:
    """Pieces below an edit stand ``shift`` characters and ``down`` lines further down."""
    for piece in pieces:
        piece.end += shift
        piece.last_line += down
        if down:
            unit = piece.unit
            unit.header.first_line += down
            for chunk in unit.body:
                chunk.first_line += down
            for member in unit.members:
                for chunk in member.chunks():
                    chunk.first_line += down


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Lengths of what two texts have in common at their beginning and, apart from that, at their end."""
    most = min(len(old), len(new))
    prefix = _agreement(most, lambda n, m: old[n:m] == new[n:m])
    from_end_old, from_end_new = len(old), len(new)
    suffix = _agreement(
        most - prefix,
        lambda n, m: old[from_end_old - m : from_end_old - n] == new[from_end_new - m : from_end_new - n],
    )
    return prefix, suffix


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
