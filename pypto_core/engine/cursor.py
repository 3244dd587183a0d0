"""What surrounds the cursor in a text that is being typed: the word, the open calls, the kind of statement.

Works on the characters alone, so it answers in any state of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<triple>[rRbBuUfF]{0,2}(?:\"\"\"|'''))
  | (?P<string>"(?:\\.|[^"\\\n])*(?P<end1>")?|'(?:\\.|[^'\\\n])*(?P<end2>')?)
  | (?P<comment>\#[^\n]*)
  | (?P<name>[A-Za-z_]\w*(?:[ \t]*\.[ \t]*[A-Za-z_]\w*)*)
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | (?P<newline>\n)
  | (?P<equals>(?<![=!<>:])=(?!=))
  | (?P<comma>,)
    """,
    re.VERBOSE | re.DOTALL,
)
_DOTTED = re.compile(r"([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)?(\s*\.\s*)?([A-Za-z_]\w*)?$")
#: How far back the text is looked at.
_LINES_BACK = 200
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class CallContext:
    """A call (or subscript) that is open at the cursor.

    ``callee`` is the dotted name in front of the bracket (may be empty), ``index`` the number of arguments before the cursor,
    ``keyword`` the keyword of the argument at the cursor, ``given`` all keywords written so far.
    """

    callee: str
    bracket: str
    index: int = 0
    keyword: str = ""
    given: set[str] = field(default_factory=set)
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Cursor:
    """``owner`` and ``word``: ``pl.tile`` and ``lo`` for ``pl.tile.lo|``. ``head``: the words that begin the statement
    (``with``, ``for``, ``@`` ...), empty for a plain one. ``annotation``: the cursor stands where a type is written."""

    owner: str
    word: str
    calls: tuple[CallContext, ...]
    in_string: bool
    comment: str
    head: str
    after_in: bool
    annotation: bool
    statement: str

    @property
    def call(self) -> CallContext | None:
        """The innermost open call with a name."""
        for call in reversed(self.calls):
            if call.bracket == "(" and call.callee:
                return call
            if call.bracket != "(":
                continue
        return None


def cursor_at(lines: Sequence[str], line: int, column: int) -> Cursor:
    """The surroundings of a 0-based place (columns in characters)."""
    first = max(0, line - _LINES_BACK)
    rows = [row.rstrip("\r\n") for row in lines[first:line]]
    text = "\n".join([*rows, lines[line][:column] if line < len(lines) else ""])
    stack: list[CallContext] = []
    statement_start = 0
    in_string, comment = False, ""
    name, name_end = "", -1
    position = 0
    while position < len(text):
        match = _TOKEN.search(text, position)
        if match is None:
            break
        kind, position = match.lastgroup, match.end()
        if kind in ("end1", "end2"):
            kind = "string"
        if kind == "triple":
            quote = match.group()[-3:]
            end = text.find(quote, position)
            if end < 0:
                in_string = True
                break
            position = end + 3
        elif kind == "string":
            in_string = position == len(text) and not (match.group("end1") or match.group("end2"))
        elif kind == "comment":
            comment = match.group() if position == len(text) else ""
        elif kind == "name":
            name, name_end = match.group(), position
        elif kind == "open":
            callee = name if name_end >= 0 and not text[name_end : match.start()].strip() else ""
            row = text.rfind("\n", 0, match.start()) + 1
            indent = len(text[row:]) - len(text[row:].lstrip(" \t"))
            stack.append(CallContext("".join(callee.split()), match.group(), indent=indent))
        elif kind == "close":
            while stack and stack[-1].bracket != _PAIRS[match.group()]:
                stack.pop()
            if stack:
                stack.pop()
            name, name_end = "", -1
        elif kind == "comma" and stack:
            stack[-1].index += 1
            stack[-1].keyword = ""
        elif kind == "equals" and stack and stack[-1].bracket == "(" and name_end >= 0 and "." not in name:
            if not text[name_end : match.start()].strip():
                stack[-1].keyword = name
                stack[-1].given.add(name)
        elif kind == "newline":
            statement_start = _next_line(text, position, stack, statement_start)
    statement = text[statement_start:]
    owner, word = _word(text)
    head, after_in = _head(statement)
    return Cursor(
        owner,
        word,
        tuple(stack),
        in_string,
        comment,
        head,
        after_in,
        _is_annotation(statement, stack),
        statement,
    )


def _next_line(text: str, position: int, stack: list[CallContext], start: int) -> int:
    """At a line break: the start of the statement. A bracket that was never closed ends where the next statement evidently begins."""
    row = text[position : text.find("\n", position) if "\n" in text[position:] else len(text)]
    content = row.lstrip(" \t")
    if stack and content and content[0] not in ")]}" and len(row) - len(content) <= stack[0].indent:
        stack.clear()
    return start if stack else position


def _word(text: str) -> tuple[str, str]:
    match = _DOTTED.search(text)
    if match is None:
        return "", ""
    chain, dot, word = match.groups()
    if dot:
        return "".join((chain or "").split()), word or ""
    parts = "".join((chain or "").split()).rpartition(".")
    return parts[0], parts[2]


def _head(statement: str) -> tuple[str, bool]:
    text = statement.lstrip()
    if text.startswith("@"):
        return "@", False
    match = re.match(r"(async\s+)?(with|for|if|elif|while|return|import|from|def|class|assert|yield)\b", text)
    if match is None:
        return "", False
    head = match.group(2)
    return head, head == "for" and re.search(r"\bin\b", text) is not None


def _is_annotation(statement: str, stack: list[CallContext]) -> bool:
    """Whether a type is written here: behind the colon of a parameter, of a variable, behind ``->``, or inside such a type's brackets."""
    text = statement.lstrip()
    inside = [c for c in stack if c.bracket == "["]
    if inside and inside[0].callee.rpartition(".")[2] in _TYPE_HEADS:
        return True
    if text.startswith(("def ", "async def ")):
        if "->" in text:
            return True
        last = re.split(r"[,(]", text)[-1]
        return ":" in last and "=" not in last
    return re.match(r"[A-Za-z_]\w*\s*:(?!=)[^=]*$", text) is not None and not re.match(
        r"(else|try|finally)\b", text
    )


_TYPE_HEADS = frozenset({"Tensor", "Tile", "Scalar", "Array", "Tuple", "Out", "InOut", "DistributedTensor"})
