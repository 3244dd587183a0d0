"""From raw findings to what is published: each once, none that only follows another, none that the author ignores.

docs/spec/design/codes.md: a finding that shows at several stages, or once per lowered copy of a source statement, is reported by the earliest stage only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import is_
from typing import TypeAlias

from pypto_core.diagnostics import Diagnostic, Related, Severity, rules
from pypto_core.engine.ignore_comments import IgnoreComment, ignore_comments
from pypto_core.ir import Chunk, Function, FunctionType, GlobalVar, Program, Span, calls_in, walk_stmts


def unique(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each code once per place, the first one found, without what only follows from another finding; in source order.

    Messages are in the author's words already (:func:`in_authors_words`).
    """
    kept: dict[tuple[str, object, int, int], Diagnostic] = {}
    # One statement of the author's may be lowered into several operators; of those the one that stands in the text is named.
    once = one_per_line(list(found))
    replaced = {(code, d.span.chunk, d.span.start) for d in once for code in _replaced_by(d.code)}
    for finding in once:
        if finding.data.get("follow_up"):
            continue
        span = finding.span
        if (finding.code, span.chunk, span.start) in replaced:
            continue
        key = (finding.code, span.chunk if span.chunk is not None else finding.message, span.start, span.end)
        kept.setdefault(key, finding)
    return tuple(sorted(kept.values(), key=_order))


def _replaced_by(code: str) -> tuple[str, ...]:
    rule = rules().get(code)
    return rule.replaces if rule is not None else ()


def _has_places_of_its_own(code: str) -> bool:
    rule = rules().get(code)
    return rule is not None and rule.each_place


def _order(finding: Diagnostic) -> tuple[str, int, int, int]:
    """The order of :func:`_place` without looking for lines: chunks are runs of whole lines, one below the other."""
    chunk = finding.span.chunk
    if chunk is None:
        return "", -1, 0, finding.severity
    return chunk.file, chunk.first_line, finding.span.start, finding.severity


def one_per_line(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Keep one check (a) finding per source line: that of the operator which the author wrote there.

    Lowering turns one ``pl.matmul`` into loads, moves and a matmul; for the author it is one fault.
    """
    best: dict[tuple[str, int], Diagnostic] = {}
    for d in diagnostics:
        if d.code == "aiv-cube-in-region":
            key = (d.span.filename, d.span.line)
            if key not in best or (_written(d) and not _written(best[key])):
                best[key] = d
    keep = {id(d) for d in best.values()}
    return [d for d in diagnostics if d.code != "aiv-cube-in-region" or id(d) in keep]


def _written(diagnostic: Diagnostic) -> bool:
    """Whether the operator's own name stands in the source text of the finding."""
    op = str(diagnostic.data.get("op", "")).rpartition(".")[2]
    return f"pl.{op}(" in diagnostic.span.text.replace("pl.tile.", "pl.").replace("pl.tensor.", "pl.")


def merged(own: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings of several analyses of one file, each code once per place: places are compared by line and column."""
    kept: dict[tuple[str, int, int, int, int], Diagnostic] = {}
    for finding in (*own, *others):
        span = finding.span
        kept.setdefault((finding.code, span.line, span.column, span.end_line, span.end_column), finding)
    return tuple(sorted(kept.values(), key=_place))


def _place(finding: Diagnostic) -> tuple[str, int, int, int]:
    span = finding.span
    return span.filename, span.line, span.column, finding.severity


def without_ignored(
    found: Iterable[Diagnostic], ignore: frozenset[str] = frozenset(), select: frozenset[str] = frozenset()
) -> tuple[Diagnostic, ...]:
    """Findings of one chunk that neither a comment on their first or last line nor the settings ignore; ``select`` limits the codes
    when not empty."""
    kept = []
    comments: tuple[IgnoreComment, ...] | None = None
    for finding in found:
        if finding.code in ignore or (select and finding.code not in select):
            continue
        chunk = finding.span.chunk
        if chunk is not None:
            if comments is None:
                comments = ignore_comments(chunk.text)
            lines = [line - 1 - chunk.first_line for line in (finding.span.line, finding.span.end_line)]
            if any(comment.line in lines and comment.covers(finding.code) for comment in comments):
                continue
        kept.append(finding)
    return tuple(kept)


def of_kernel(finding: Diagnostic, program: Program) -> Diagnostic:
    """The finding; a performance hint with the kernel that it is about, for :func:`joined_hints`."""
    if finding.severity is not Severity.HINT or _has_places_of_its_own(finding.code):
        return finding
    return replace(finding, data={**finding.data, "kernel": program.name})


#: What hints are told as, by ``id`` of the first of those that are told together: these, and what is told.
Joined: TypeAlias = "dict[int, tuple[list[Diagnostic], Diagnostic]]"


def joined_hints(hints: Iterable[Diagnostic], known: Joined) -> Joined:
    """The hints of a kernel, in source order, each once per operator and file: at its first place; the others are related ones.

    A hint is about the kernel rather than about a line, and an ordinary kernel has one for nearly every transfer. ``known`` is what
    the last call for the kernel made: the same hints become the same object again.
    """
    groups: dict[tuple[str, object, str], list[Diagnostic]] = {}
    for hint in hints:
        groups.setdefault((hint.code, hint.data.get("op"), hint.span.filename), []).append(hint)
    joined: Joined = {}
    for group in groups.values():
        before = known.get(id(group[0]))
        if before is None or len(before[0]) != len(group) or not all(map(is_, before[0], group)):
            before = group, _together(*group)
        joined[id(group[0])] = before
    return joined


#: How many other places of a hint are named.
_PLACES = 20


def _together(first: Diagnostic, *others: Diagnostic) -> Diagnostic:
    if not others:
        return first
    more = f"and {len(others)} more place{'s' if len(others) > 1 else ''} in this kernel"
    places = tuple(Related(other.message, other.span) for other in others[:_PLACES])
    return replace(first, message=f"{first.message} ({more})", related=first.related + places)


#: How many calls of an inlined function are named with a finding in it.
_CALLS = 3


def related_to_calls(found: Iterable[Diagnostic], program: Program) -> Iterator[Diagnostic]:
    """Findings inside functions that are inlined, with the calls through which the kernel reaches them."""
    inlined = {
        id(chunk): function.name
        for function in program.functions
        if function.func_type is FunctionType.Inline
        for chunk in _chunks(function)
    }
    if not inlined:
        yield from found
        return
    calls = _calls(program)
    for finding in found:
        name = inlined.get(id(finding.span.chunk)) if finding.span.is_valid else None
        places = calls.get(name, ()) if name is not None else ()
        more = tuple(Related(f"'{name}' is called here", span) for span in places[:_CALLS])
        yield replace(finding, related=finding.related + more) if more else finding


def _chunks(function: Function) -> Iterator[Chunk]:
    for span in (function.span, *(stmt.span for stmt in walk_stmts(function.body))):
        if span.chunk is not None:
            yield span.chunk


def _calls(program: Program) -> dict[str, list[Span]]:
    """Calls of functions of the program, by the name of the function."""
    found: dict[str, list[Span]] = {}
    for function in program.functions:
        for call in calls_in(function.body):
            if isinstance(call.op, GlobalVar) and call.span.is_valid:
                places = found.setdefault(call.name, [])
                if call.span not in places:
                    places.append(call.span)
    return found
