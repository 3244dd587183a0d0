"""Edits as people make them, as data: each is a pure function of the text and of a few numbers, so a failing history shrinks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
_TOP = re.compile(r"^(?=[@\w])", re.MULTILINE)
_KEYWORDS = frozenset(
    [
        "def",
        "class",
        "for",
        "in",
        "with",
        "as",
        "if",
        "else",
        "elif",
        "return",
        "while",
        "import",
        "from",
        "pl",
        "pld",
        "and",
        "or",
        "not",
        "None",
        "True",
        "False",
        "lambda",
    ]
)

#: What fingers type: pieces of statements, brackets without partners, tabs, characters outside the basic plane, line ends.
TYPED: tuple[str, ...] = (
    "x", "_", "0", ".", ",", "(", ")", "[", "]", ":", "=", "\n", " ", "    ", "\t", "\r\n", "\r", "#", "# note 𝛼🚀\n", "\\", "\"", "'''",
    "pl.", "pl.add(", "pl.exp(x)", "if x:\n", "else:\n", "return y\n", "@pl.jit\n", "def f(", "class C:\n", "ROWS = 3\n", "é",
    "        t = pl.mul(x, 2.0)\n", "        y[:, :] = t\n", "import os\n", "pass\n", "x = 𝐱\n", "\f", "\u2028", "\0",
    "  # pypto: ignore\n", "  # pypto: ignore[op-*, name-undefined]\n",
)  # fmt: skip
NUMBERS: tuple[str, ...] = (
    "0",
    "1",
    "2",
    "8",
    "16",
    "31",
    "32",
    "33",
    "64",
    "128",
    "4096",
    "-1",
    "0.5",
    "1e30",
)


@dataclass(frozen=True)
class Edit:
    """``kind`` names a function below; ``at``, ``size`` and ``pick`` are taken modulo what the text offers."""

    kind: str
    at: int
    size: int
    pick: int


History: TypeAlias = "Sequence[Edit]"


def edits() -> st.SearchStrategy[Edit]:
    """One edit of any kind."""
    return st.builds(
        Edit,
        st.sampled_from(tuple(KINDS)),
        st.integers(0, 2**20),
        st.integers(0, 2**8),
        st.integers(0, 2**16),
    )


def play(start: str, history: History) -> list[str]:
    """The texts after each edit."""
    texts = [start]
    for edit in history:
        if edit.kind == "undo":
            texts.append(texts[-2 - edit.size % min(len(texts) - 1, 3)] if len(texts) > 1 else start)
        else:
            texts.append(KINDS[edit.kind](texts[-1], edit))
    return texts[1:]


def _insert(text: str, edit: Edit) -> str:
    at = edit.at % (len(text) + 1)
    return text[:at] + TYPED[edit.pick % len(TYPED)] + text[at:]


def _delete(text: str, edit: Edit) -> str:
    at = edit.at % (len(text) + 1)
    return text[:at] + text[at + 1 + edit.size % 40 :]


def _line_bounds(text: str, edit: Edit, most: int) -> tuple[list[str], int, int]:
    lines = text.splitlines(keepends=True)
    first = edit.at % (len(lines) + 1)
    return lines, first, min(first + 1 + edit.size % most, len(lines))


def _delete_lines(text: str, edit: Edit) -> str:
    lines, first, last = _line_bounds(text, edit, 4)
    return "".join(lines[:first] + lines[last:])


def _paste(text: str, edit: Edit) -> str:
    """Lines of somewhere else."""
    lines, first, last = _line_bounds(text, edit, 12)
    to = edit.pick % (len(lines) + 1)
    return "".join(lines[:to] + lines[first:last] + lines[to:])


def _duplicate(text: str, edit: Edit) -> str:
    lines, first, last = _line_bounds(text, edit, 1)
    return "".join(lines[:last] + lines[first:last] + lines[last:])


def _comment(text: str, edit: Edit) -> str:
    lines, first, last = _line_bounds(text, edit, 3)
    return "".join(lines[:first] + ["# " + line for line in lines[first:last]] + lines[last:])


def _indent(text: str, edit: Edit) -> str:
    lines, first, last = _line_bounds(text, edit, 6)
    if edit.pick % 2:
        changed = ["    " + line for line in lines[first:last]]
    else:
        changed = [line[min(4, len(line) - len(line.lstrip(" "))) :] for line in lines[first:last]]
    return "".join(lines[:first] + changed + lines[last:])


def _constant(text: str, edit: Edit) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    match = found[edit.at % len(found)]
    return text[: match.start()] + NUMBERS[edit.pick % len(NUMBERS)] + text[match.end() :]


def _words(text: str) -> list[re.Match[str]]:
    return [m for m in _WORD.finditer(text) if m.group() not in _KEYWORDS]


def _rename(text: str, edit: Edit) -> str:
    """One name everywhere."""
    found = _words(text)
    if not found:
        return text
    old = found[edit.at % len(found)].group()
    new = found[edit.pick % len(found)].group() if edit.size % 3 == 0 else f"{old}_{edit.pick % 3}"
    return re.sub(rf"\b{old}\b", new, text)


def _misspell(text: str, edit: Edit) -> str:
    """One name at one place becomes another, or another's part."""
    found = _words(text)
    if not found:
        return text
    match, other = found[edit.at % len(found)], found[edit.pick % len(found)].group()
    return text[: match.start()] + other[: 1 + edit.size] + text[match.end() :]


def top_level(text: str) -> list[str]:
    """The text cut before each line that starts at the margin with a word or a decorator; decorators stay with what they decorate."""
    cuts = [m.start() for m in _TOP.finditer(text)]
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    joined: list[str] = []
    for part in parts:
        if joined and (
            joined[-1].startswith("@") and "\ndef" not in joined[-1] and "\nclass" not in joined[-1]
        ):
            joined[-1] += part
        elif part:
            joined.append(part)
    return joined


def _reorder(text: str, edit: Edit) -> str:
    """A top-level statement moves to another place."""
    parts = top_level(text)
    if len(parts) < 2:
        return text
    part = parts.pop(edit.at % len(parts))
    parts.insert(edit.pick % (len(parts) + 1), part)
    return "".join(parts)


def _line_ends(text: str, edit: Edit) -> str:
    """The editor changes the line ends of the file, or of one line."""
    if edit.size % 4:
        lines, first, last = _line_bounds(text, edit, 1)
        return "".join(
            lines[:first] + [line.rstrip("\r\n") + "\r\n" for line in lines[first:last]] + lines[last:]
        )
    plain = text.replace("\r\n", "\n")
    return plain if "\r\n" in text else plain.replace("\n", "\r\n")


def _undo(text: str, edit: Edit) -> str:
    raise AssertionError("undo needs the history")


KINDS: dict[str, Callable[[str, Edit], str]] = {
    "insert": _insert,
    "delete": _delete,
    "undo": _undo,
    "constant": _constant,
    "misspell": _misspell,
    "rename": _rename,
    "delete_lines": _delete_lines,
    "paste": _paste,
    "duplicate": _duplicate,
    "comment": _comment,
    "indent": _indent,
    "reorder": _reorder,
    "line_ends": _line_ends,
}
