"""Repairs as they travel: in the ``data`` of a finding to the client, and from there into code actions.

A client that keeps ``data`` sends it back with its next code action request, which then needs no analysis at all. The edits are
good for one version of the document; :func:`carried_fixes` gives nothing for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from pypto_core import Diagnostic, Edit, Fix, Source, fixers, fixes_for
from pypto_lsp.positions import Positions

#: Findings with repairs of one file whose repairs are made before anybody asks for them.
PREPARED = 50
#: Characters of a file up to which that is done: a larger one is read for repairs when somebody asks, not after every keystroke.
PREPARED_SIZE = 24_000

#: Repairs by finding (``id``): findings are compared by identity within one snapshot.
Repairs = Mapping[int, tuple[Fix, ...]]


@dataclass(frozen=True, slots=True)
class Offer:
    """A repair in the protocol's form; ``trial`` says that it has to be tried before it is preferred."""

    title: str
    safe: bool
    edits: tuple[types.TextEdit, ...]
    trial: bool = False


def prepared(found: Iterable[Diagnostic], source: Source, check: Callable[[], None]) -> Repairs:
    """Repairs of the findings, none included; ``check`` is called between two steps and may stop the work."""
    repairs: dict[int, tuple[Fix, ...]] = {}
    left = PREPARED if len(source.text) <= PREPARED_SIZE else 0
    for finding in found:
        if finding.code not in fixers():
            repairs[id(finding)] = ()
        elif left:
            check()
            repairs[id(finding)] = fixes_for(finding, source)
            left -= 1
    return repairs


def load() -> None:
    """Load what makes repairs before the first one is wanted."""
    fixers()


def text_edits(edits: Iterable[Edit], positions: Positions) -> tuple[types.TextEdit, ...]:
    return tuple(types.TextEdit(range=positions.range(e.span), new_text=e.text) for e in edits)


def offers(fixes: Iterable[Fix], positions: Positions) -> list[Offer]:
    return [Offer(fix.title, fix.safe, text_edits(fix.edits, positions), fix.trial) for fix in fixes]


def data_of(fixes: Sequence[Fix], positions: Positions, version: int) -> dict[str, Any]:
    """What a finding carries to the client."""
    return {
        "version": version,
        "fixes": [
            {
                "title": o.title,
                "safe": o.safe,
                "edits": [plain_edit(e) for e in o.edits],
                **({"trial": True} if o.trial else {}),
            }
            for o in offers(fixes, positions)
        ],
    }


def carried_fixes(data: Any, version: int) -> list[Offer] | None:
    """The repairs that a finding brings back; None where it has none, or those of another version of the text."""
    if _get(data, "version") != version:
        return None
    made = []
    for fix in _get(data, "fixes") or ():
        title, edits = _get(fix, "title"), [text_edit(e) for e in _get(fix, "edits") or ()]
        if not isinstance(title, str) or None in edits:
            return None
        trial = _get(fix, "trial") is True
        made.append(Offer(title, _get(fix, "safe") is True, tuple(e for e in edits if e is not None), trial))
    return made


def plain_edit(edit: types.TextEdit) -> dict[str, Any]:
    """A text edit inside ``data``."""
    start, end = edit.range.start, edit.range.end
    return {"place": [start.line, start.character, end.line, end.character], "text": edit.new_text}


def text_edit(value: Any) -> types.TextEdit | None:
    """The inverse; None for anything that it did not make."""
    place, text = _get(value, "place"), _get(value, "text")
    if not isinstance(place, (list, tuple)) or len(place) != 4 or not isinstance(text, str):
        return None
    if not all(isinstance(n, (int, float)) for n in place):
        return None
    line, character, end_line, end_character = map(int, place)
    span = types.Range(types.Position(line, character), types.Position(end_line, end_character))
    return types.TextEdit(range=span, new_text=text)


def _get(value: Any, key: str) -> Any:
    """Field of something that a client sends back: the protocol library may have made an attribute bag of an object."""
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
