"""Comments that ignore findings: ``# pypto: ignore[CODE, ...]``, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from pypto_core.diagnostics import Diagnostic, rules
from pypto_core.frontend.jit import PROGRAM_PREFIX
from pypto_core.frontend.lines import scan
from pypto_core.ir import Chunk, Function, FunctionType, Program, Span, walk_stmts

_MARK = re.compile(r"#[^\S\n]*pypto:[^\S\n]*ignore")
#: Behind the mark: codes in brackets, codes behind a colon, or nothing that belongs to it (all codes). Anything else is no such
#: comment: half a bracket must not silence more than what the author wanted.
_CODES = re.compile(
    r"[^\S\n]*:?[^\S\n]*\[(?P<listed>[^\]\n]*)\]"
    r"|[^\S\n]*:[^\S\n]*(?P<named>[\w*?-]+(?:[^\S\n]*,[^\S\n]*[\w*?-]+)*)"
    r"|(?P<all>(?![\w:\[-])(?![^\S\n]+[:\[]))"
)
_CODE = re.compile(r"[^\s,](?:[^,]*[^\s,])?")
#: The beginning of a list of codes that does not end.
_OPEN = re.compile(r"[^\S\n]*:?[^\S\n]*\[")
#: What a JIT function is that another one calls.
_CALLED = frozenset({FunctionType.InCore, FunctionType.Inline, FunctionType.Opaque})


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """One comment: its place (0-based ``line``, offsets in the text of the file), and the codes or patterns of codes that it names with
    their places, None when it ignores all. ``open`` when its bracket is not closed: then it ignores nothing."""

    line: int
    start: int
    end: int
    codes: tuple[tuple[str, int, int], ...] | None
    open: bool = False

    def covers(self, code: str) -> bool:
        """Whether it ignores a code."""
        if self.open:
            return False
        return self.codes is None or any(code == c or fnmatchcase(code, c) for c, _, _ in self.codes)

    def names(self, code: str) -> bool:
        """Whether it names a code, without a pattern."""
        return any(code == c for c, _, _ in self.codes or ())


def ignore_comments(text: str) -> tuple[IgnoreComment, ...]:
    """The comments of a file that ignore findings. The same words inside a string are no comment."""
    if "pypto:" not in text or _MARK.search(text) is None:
        return ()
    rows = Chunk("", text)
    made = (_read(rows, comment.offset, comment.text) for comment in scan(text).comments)
    return tuple(comment for comment in made if comment is not None)


def _read(rows: Chunk, offset: int, comment: str) -> IgnoreComment | None:
    mark = _MARK.search(comment)
    if mark is None:
        return None
    line, start = rows.position(offset)[0], offset + mark.start()
    match = _CODES.match(comment, mark.end())
    if match is None:
        opened = _OPEN.match(comment, mark.end())
        if opened is None:
            return None
        return IgnoreComment(line, start, offset + len(comment.rstrip()), (), open=True)
    group = "listed" if match["listed"] is not None else "named"
    codes = None
    if match[group] is not None:
        first = offset + match.start(group)
        codes = tuple((m[0], first + m.start(), first + m.end()) for m in _CODE.finditer(match[group]))
    return IgnoreComment(line, start, offset + match.end(), codes)


def wrong_comments(path: str, text: str, comments: Iterable[IgnoreComment]) -> Iterator[Diagnostic]:
    """Codes that do not exist, and lists of codes that do not end. A comment may ignore that by name."""
    for comment in comments:
        if comment.names("ignore-unknown"):
            continue
        if comment.open:
            yield _finding(
                "ignore-unknown",
                "the bracket is not closed, so this comment ignores nothing",
                _span(path, text, comment, comment.start, comment.end),
            )
        for code, start, end in comment.codes or ():
            if any(fnmatchcase(known, code) for known in rules()):
                continue
            near = get_close_matches(code.lower(), rules(), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            what = "no code is named like" if any(c in code for c in "*?[") else "there is no code"
            yield _finding(
                "ignore-unknown",
                f"{what} '{code}', so this comment ignores nothing by it{hint}",
                _span(path, text, comment, start, end),
                {"suggestion": near[0]} if near else {},
            )


def unused_comments(
    path: str,
    text: str,
    comments: Iterable[IgnoreComment],
    found: Iterable[Diagnostic],
    programs: Iterable[Program],
) -> Iterator[Diagnostic]:
    """Comments, or codes of them, that no finding is ignored by; ``found`` are all findings of the file, none left out.

    Only those inside ``programs`` are told: what stands elsewhere, a template for instance, is judged where another file uses it. So is a
    JIT function that others call: its parameters are what the caller hands over (docs/spec/language.md §2.3), and a comment in it may
    silence what is found for a caller in another file.
    """
    at: dict[int, set[str]] = {}
    for finding in found:
        if finding.span.is_valid and finding.span.filename == path:
            for line in {finding.span.line, finding.span.end_line}:
                at.setdefault(line - 1, set()).add(finding.code)
    unused = [(c, idle) for c in comments if (idle := list(_unused_codes(c, at.get(c.line, set()))))]
    if not unused:
        return  # as nearly always, so no program is walked over
    judged = [
        rows
        for program in programs
        for function in program.functions
        if not (program.name.startswith(PROGRAM_PREFIX) and function.func_type in _CALLED)
        for rows in _rows(function, path)
    ]
    for comment, idle in unused:
        if any(first <= comment.line + 1 <= last for first, last in judged):
            for what, start, end in idle:
                words = f"there is {what} on this line that the comment ignores"
                yield _finding("ignore-unused", words, _span(path, text, comment, start, end))


def _unused_codes(comment: IgnoreComment, here: set[str]) -> Iterator[tuple[str, int, int]]:
    """What a comment ignores for nothing where the codes ``here`` stand: in words, with its place."""
    if comment.names("ignore-unused"):
        return
    if comment.codes is None and not here:
        yield "nothing", comment.start, comment.end
    for code, start, end in comment.codes or ():
        known = any(fnmatchcase(one, code) for one in rules())
        if known and not any(fnmatchcase(one, code) for one in here):
            yield f"no {code}", start, end


def _rows(function: Function, path: str) -> Iterator[tuple[int, int]]:
    """First and last line of a function in a file."""
    spans = [
        s for s in (function.span, *(stmt.span for stmt in walk_stmts(function.body))) if s.filename == path
    ]
    if spans:
        yield min(s.line for s in spans), max(s.end_line for s in spans)


def _finding(code: str, message: str, span: Span, data: dict[str, object] | None = None) -> Diagnostic:
    return Diagnostic(code, message, span, rules()[code].severity, data=data or {})


def _span(path: str, text: str, comment: IgnoreComment, start: int, end: int) -> Span:
    """A span on the line of the comment; the chunk is that line."""
    first = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    return Span(Chunk(path, text[first:end], comment.line), start - first, end - first)
