"""Safe repairs that do repair: what they make of the text is checked before any is applied unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from pypto_core import Diagnostic, Fix, Severity, Source, apply_edits, fixes_for

#: The findings of a text that stands for the file.
Check = Callable[[str], Sequence[Diagnostic]]
#: A finding and its first safe repair.
Repair = tuple[Diagnostic, Fix]


def safe_repairs(
    found: Iterable[Diagnostic],
    source: Source,
    code: str | None = None,
    repairs: Mapping[int, tuple[Fix, ...]] | None = None,
) -> list[Repair]:
    """The first safe fix of every finding (of one code, when given) that does not overlap an earlier one; ``repairs`` are those that
    are known already, by ``id`` of the finding."""
    taken: list[tuple[tuple[int, int], tuple[int, int]]] = []
    chosen = []
    for finding in found:
        if code is not None and finding.code != code:
            continue
        known = repairs.get(id(finding)) if repairs is not None else None
        fix = next((f for f in (fixes_for(finding, source) if known is None else known) if f.safe), None)
        if fix is None:
            continue
        places = [((e.span.line, e.span.column), (e.span.end_line, e.span.end_column)) for e in fix.edits]
        if any(start < end_t and start_t < end for start, end in places for start_t, end_t in taken):
            continue
        taken += places
        chosen.append((finding, fix))
    return chosen


def verified(candidates: Sequence[Repair], found: Sequence[Diagnostic], text: str, check: Check) -> list[Fix]:
    """Those repairs of ``text``, whose findings are ``found``, after which their own findings are gone and nothing as bad has come.

    All are tried at once, and one after the other when that does not hold.
    """
    if not candidates:
        return []
    whole = apply_edits(text, [edit for _, fix in candidates for edit in fix.edits])
    if _better([finding for finding, _ in candidates], found, check(whole)):
        return [fix for _, fix in candidates]
    kept: list[Fix] = []
    if len(candidates) == 1:
        return kept
    for finding, fix in candidates:
        after = check(apply_edits(text, [edit for one in (*kept, fix) for edit in one.edits]))
        if _better([finding], found, after):
            kept.append(fix)
            found = after
    return kept


def _better(gone: Sequence[Diagnostic], before: Iterable[Diagnostic], after: Iterable[Diagnostic]) -> bool:
    """Whether the findings ``gone`` are, and of no code that is as severe as they are there are more than before."""
    old, new = _counted(before), _counted(after)
    wanted = Counter(finding.code for finding in gone)
    worst: Severity = max(finding.severity for finding in gone)
    return all(new[code][0] <= old[code][0] - count for code, count in wanted.items()) and all(
        count <= old[code][0] for code, (count, severity) in new.items() if severity <= worst
    )


class _Counts(dict[str, "tuple[int, Severity]"]):
    def __missing__(self, code: str) -> tuple[int, Severity]:
        return 0, Severity.HINT


def _counted(found: Iterable[Diagnostic]) -> _Counts:
    """Code -> number and worst severity; a hint stands for all of its places."""
    counts = _Counts()
    for finding in found:
        places = 1 + len(finding.related) if finding.severity is Severity.HINT else 1
        number, severity = counts[finding.code]
        counts[finding.code] = number + places, min(severity, finding.severity)
    return counts
