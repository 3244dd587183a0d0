"""Findings for a terminal: one block each, with the source line and a marker under the author's characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from rich.console import Console
from rich.text import Text

from pypto_core import Diagnostic, Severity, Span

COLOURS = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFORMATION: "bold cyan",
    Severity.HINT: "bold blue",
}
_MAX_LINES = 6
#: Columns of a table that goes to a file or a pipe.
PLAIN_WIDTH = 150


#: Lines as Python counts them: a form feed or a Unicode line separator ends none.
_LINE_END = re.compile("\r\n|\r|\n")


def report(finding: Diagnostic, sources: Mapping[str, str], shown: Callable[[str], str] = str) -> Text:
    """One finding; ``sources`` are the texts by file name, ``shown`` says how a file is to be called::

    error[aiv-reduce-split-axis]: ...
      --> kernel.py:14:20
       |
    14 |         m = pl.row_max(x)
       |             ^^^^^^^^^^^^^
       = note: ...
    """
    out = Text()
    colour = COLOURS[finding.severity]
    head, *rest = finding.message.split("\n")
    out.append(f"{finding.severity.text}[{finding.code}]", style=colour)
    out.append(f": {head}\n", style="bold")
    span = finding.span
    if span.is_valid:
        width = len(str(span.end_line))
        out.append(" " * width + "--> ", style="blue")
        out.append(f"{shown(span.filename)}:{span.line}:{span.column}\n")
        out.append(excerpt(span, sources.get(span.filename, ""), width, "^", colour))
    else:
        width = 1
    for line in rest:
        if line.strip():
            out.append(" " * width + " = ", style="blue")
            out.append(f"{line.strip()}\n")
    for other in finding.related:
        out.append(" " * width + " = ", style="blue")
        out.append("note", style="bold")
        out.append(f": {other.message}\n")
        if other.span.is_valid:
            out.append(" " * width + "   --> ", style="blue")
            out.append(f"{shown(other.span.filename)}:{other.span.line}:{other.span.column}\n")
            out.append(excerpt(other.span, sources.get(other.span.filename, ""), width, "-", "blue"))
    return out


def excerpt(span: Span, source: str, width: int, marker: str, colour: str) -> Text:
    """The lines of a span with markers below each."""
    out = Text()
    lines = _LINE_END.split(source)
    gutter = " " * width + " |"
    out.append(gutter + "\n", style="blue")
    first, last = span.line, min(span.end_line, len(lines))
    for number in range(first, min(last, first + _MAX_LINES - 1) + 1):
        text = lines[number - 1] if number <= len(lines) else ""
        start = span.column - 1 if number == first else len(text) - len(text.lstrip())
        end = span.end_column - 1 if number == span.end_line else len(text.rstrip())
        expanded = text.expandtabs(4)
        start, end = len(text[:start].expandtabs(4)), max(len(text[:end].expandtabs(4)), start + 1)
        out.append(f"{number:>{width}} | ", style="blue")
        out.append(_printable(expanded) + "\n")
        out.append(gutter + " ", style="blue")
        out.append(" " * start + marker * max(end - start, 1) + "\n", style=colour)
    if last - first >= _MAX_LINES:
        out.append(gutter + f" ... {last - first + 1 - _MAX_LINES} more lines\n", style="blue")
    return out


def _printable(line: str) -> str:
    """Control characters of a file must not reach the terminal."""
    return "".join(
        char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in line
    )


def summary(found: Iterable[Diagnostic], files: int, others: int = 0, hidden: int = 0) -> str:
    """``2 errors, 1 warning in 3 files``; ``others`` were looked at and hold no kernels, ``hidden`` hints are not shown."""
    counts = dict.fromkeys(Severity, 0)
    for finding in found:
        counts[finding.severity] += 1
    words = {Severity.INFORMATION: "note", Severity.HINT: "hint"}
    parts = []
    for severity, count in counts.items():
        word = words.get(severity, severity.text)
        if count:
            parts.append(f"{count} {word}{'s' if count > 1 else ''}")
    checked = f"{files} file{'s' if files != 1 else ''}"
    if others:
        checked += f" ({others} other{'s' if others > 1 else ''} without kernels)"
    told = f"{', '.join(parts)} in {checked}" if parts else f"no findings in {checked}"
    return f"{told}; {hidden} hint{'s' if hidden > 1 else ''} not shown (--hints)" if hidden else told


def console(stderr: bool = False) -> Console:
    """A console that keeps lines whole and stays plain when it is not a terminal."""
    plain = Console(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)
    if not plain.is_terminal:
        plain.width = PLAIN_WIDTH
    return plain
