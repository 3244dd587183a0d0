"""Logical lines of a text: the scanner under the chunk table (docs/spec/design/architecture.md §3).

It understands strings, brackets, comments, continuation lines and indentation, nothing else, and it never fails. A
text that is being typed has open brackets and open strings; :func:`scan` then ends the broken line where the next
statement evidently begins, so that the damage stays where it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

_TOKEN = re.compile(
    r"""
    (?P<triple>\"\"\"|\'\'\')
  | (?P<string>"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"?|'[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'?)
  | (?P<comment>\#[^\r\n]*)
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | (?P<join>\\(?:\r\n|\r|\n))
  | (?P<newline>\r\n|\r|\n)
    """,
    re.VERBOSE | re.DOTALL,
)
_END_OF_TRIPLE = {
    '"""': re.compile(r'[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*"""', re.DOTALL),
    "'''": re.compile(r"[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*'''", re.DOTALL),
}
_NEWLINE = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"[ \t\f]*")
#: No expression continues with one of these at the start of a line.
_STATEMENT_WORD = re.compile(
    r"(?:def|class|return|with|while|import|from|pass|break|continue|raise|try|del|global|nonlocal|assert)\b|@"
    r"|for\b[^\n]*:[ \t]*(?:#[^\n]*)?$|if\b[^\n]*:[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_STATEMENT_SHAPE = re.compile(
    r"[A-Za-z_][\w.]*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*[ \t]*(?::[^=\n]*)?=(?!=)|[A-Za-z_][\w.]*\("
)


@dataclass(slots=True)
class Line:
    """A logical line: ``start`` is the beginning of its first physical line, ``code`` its first character, ``end`` is
    behind its line break. ``indent`` counts columns (a tab goes to the next multiple of 8). ``opens``: ends with ``:``.
    """

    start: int
    code: int
    end: int
    indent: int
    opens: bool


@dataclass(slots=True)
class Comment:
    """``offset`` of the ``#``; ``own_line``: nothing else stands on the line."""

    offset: int
    text: str
    own_line: bool


@dataclass(slots=True)
class Scan:
    """What was found up to ``end``, the beginning of a line. ``open_strings`` are the starts of lines with a string that is never
    closed: how far those reach depends on the rest of the text."""

    lines: list[Line] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    end: int = 0
    open_strings: list[int] = field(default_factory=list)


def scan(text: str, recover: bool = False) -> Scan:
    """All logical lines and comments of ``text``.

    Inside open brackets, a line that starts with a word that only starts statements (``def``, ``return``, ``with`` ...) at
    the indentation of the broken line or left of it ends that line. With ``recover`` so does a line there that has
    the shape of an assignment or a call; correct texts may contain such lines, so it is for texts that do not parse.
    """
    result = Scan()
    scan_until(text, len(text), result, recover)
    return result


def scan_until(text: str, stop: int, result: Scan, recover: bool = False) -> None:
    """Go on from where ``result`` ends until a line begins at ``stop`` or behind it.

    A line depends on nothing before it, and on the text behind it no further than to the next line feed unless it has an open
    string.
    """
    position = result.end
    while position < stop:
        end = text.find("\n", position) + 1
        known = _complete_line(text[position:end]) if end else None
        if known is None:
            position = _logical_line(text, position, recover, result)
            continue
        line, comments = known
        if line is not None:
            code, indent, opens = line
            result.lines.append(Line(position, position + code, end, indent, opens))
        for offset, words, own_line in comments:
            result.comments.append(Comment(position + offset, words, own_line))
        position = end
    result.end = position


@lru_cache(maxsize=1 << 14)
def _complete_line(
    line: str,
) -> tuple[tuple[int, int, bool] | None, tuple[tuple[int, str, bool], ...]] | None:
    """What a physical line holds that is a logical line by itself: where its code begins, its indentation and whether it opens a block
    (None for a blank line), and its comments. None for a line that goes on or ends inside.

    Nearly all lines of a text are those of the text before an edit, so the answers are remembered.
    """
    alone = Scan()
    # Whatever is open at the end of the line takes in the letter behind it.
    if _logical_line(line + "x", 0, False, alone) != len(line) or alone.open_strings:
        return None
    found = alone.lines[0] if alone.lines else None
    comments = tuple((c.offset, c.text, c.own_line) for c in alone.comments)
    return (found.code, found.indent, found.opens) if found is not None else None, comments


def _logical_line(text: str, start: int, recover: bool, result: Scan) -> int:
    """Scan from the beginning of a physical line; returns the beginning of the line after the logical line."""
    space = _SPACE.match(text, start)
    assert space is not None
    code = space.end()
    indent = len(text[start:code].expandtabs(8)) if "\t" in text[start:code] else code - start
    depth = 0
    position = code
    code_end = code
    while True:
        token = _TOKEN.search(text, position)
        if token is None:
            code_end = _last_code(text, position, len(text), code_end)
            return _finish(text, start, code, len(text), indent, code_end, result)
        code_end = _last_code(text, position, token.start(), code_end)
        kind = token.lastgroup
        position = token.end()
        if kind == "newline":
            if depth == 0 or code_end == code:
                return _finish(text, start, code, position, indent, code_end, result)
            if _starts_statement(text, position, indent, recover):
                return _finish(text, start, code, position, indent, code_end, result)
        elif kind == "comment":
            result.comments.append(Comment(token.start(), token.group(), _alone(text, token.start())))
        elif kind == "open":
            depth += 1
            code_end = position
        elif kind == "close":
            depth = max(depth - 1, 0)
            code_end = position
        elif kind == "triple":
            closing = _END_OF_TRIPLE[token.group()].match(text, position)
            if closing is None:
                result.open_strings.append(start)
                end = _end_of_open_string(text, position, indent)
                return _finish(text, start, code, end, indent, position, result)
            position = closing.end()
            code_end = position
        elif kind == "string":
            code_end = position


def _last_code(text: str, start: int, end: int, before: int) -> int:
    """End of the last character between ``start`` and ``end`` that is no blank, ``before`` if there is none."""
    stripped = len(text[start:end].rstrip())
    return start + stripped if stripped else before


def _alone(text: str, offset: int) -> bool:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return not text[start:offset].strip()


def _starts_statement(text: str, position: int, indent: int, recover: bool) -> bool:
    """Whether the line at ``position`` cannot belong to the open bracket of a line indented by ``indent``."""
    space = _SPACE.match(text, position)
    assert space is not None
    code = space.end()
    column = len(text[position:code].expandtabs(8))
    if column > indent:
        return False
    return _STATEMENT_WORD.match(text, code) is not None or (
        recover and _STATEMENT_SHAPE.match(text, code) is not None
    )


def _end_of_open_string(text: str, position: int, indent: int) -> int:
    """Where a string that is never closed ends: before the next line that evidently starts a statement."""
    for line_break in _NEWLINE.finditer(text, position):
        if _starts_statement(text, line_break.end(), indent, recover=False):
            return line_break.end()
    return len(text)


def _finish(text: str, start: int, code: int, end: int, indent: int, code_end: int, result: Scan) -> int:
    if code_end > code:
        result.lines.append(Line(start, code, end, indent, text[code_end - 1] == ":"))
    return end
