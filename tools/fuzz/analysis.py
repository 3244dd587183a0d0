"""Everything the product does with one file, and what counts as a crash."""

from __future__ import annotations

import signal
import traceback
from dataclasses import dataclass
from types import FrameType

import pypto_core as pc

#: Seconds of processor time. A kernel of this size is analysed in well under one; more than this is a hang.
SECONDS = 20
PATH = "/fuzz/k.py"


@dataclass(frozen=True, slots=True)
class Crash:
    """``what`` names the fault and its place in our code; equal ones are one fault."""

    what: str
    details: str


class Hang(BaseException):
    """The analysis did not end in time."""


def _alarm(number: int, frame: FrameType | None) -> None:
    raise Hang


def crash_of(text: str, backend: str | None = "a2a3", seconds: int = SECONDS) -> Crash | None:
    """What is wrong with the analysis of a text; None when all is well."""
    signal.signal(signal.SIGPROF, _alarm)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return _analysed(text, backend)
    except Hang as fault:
        return _crash("hang", fault)
    except Exception as fault:
        return _crash("exception", fault)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _crash(kind: str, fault: BaseException) -> Crash:
    frames = [
        f
        for f in traceback.extract_tb(fault.__traceback__)
        if "pypto_" in f.filename or "tools" in f.filename
    ]
    place = ""
    if frames and kind != "hang":
        where = frames[-1].filename
        place = f" at {where[max(where.find('pypto_core'), where.find('pypto_lsp'), 0) :]}:{frames[-1].name}"
    details = "".join(traceback.format_exception(fault)[-12:])
    return Crash(f"{kind} {type(fault).__name__}{place}", details)


def _analysed(text: str, backend: str | None) -> Crash | None:
    core = pc.Workspace(settings=pc.Settings(backend=backend))
    core.open(PATH, text)
    core.names(PATH)
    core.typing_diagnostics(PATH)
    found = core.diagnostics(PATH)
    for finding in found:
        fault = finding.data.get("fault")
        if finding.code == "internal":
            return (
                _crash("internal", fault)
                if isinstance(fault, BaseException)
                else Crash("internal", finding.message)
            )
        _check_place(finding.span, text, finding.code)
        for other in finding.related:
            _check_place(other.span, text, finding.code)
    source = pc.Source(PATH, text)
    for finding in found:
        for fix in pc.fixes_for(finding, source):
            pc.apply_edits(text, fix.edits)
    incomplete = {name for name, _ in core.parsed(PATH).incomplete}
    for entry in core.entries(PATH):
        pc.print_ir(entry.program)
        histories = core.histories(PATH, entry.name)
        assert histories is not None
        pc.lane_rows(histories)
        for finding in histories.lowering.diagnostics:
            # What becomes of a kernel with errors is shown as far as it goes.
            if finding.code == "internal" and entry.name not in incomplete:
                return _crash("internal", finding.data["fault"])
    return None


def _check_place(span: pc.Span, text: str, code: str) -> None:
    """A finding stands inside the file."""
    if span.is_valid and span.filename == PATH:
        lines = text.count("\n") + text.count("\r") + 1
        assert 1 <= span.line <= span.end_line <= lines + 1, (
            f"{code} at line {span.line} to {span.end_line} of {lines}"
        )
        assert span.column >= 1 and span.end_column >= 1, f"{code} at column {span.column}"


def reduced(text: str, backend: str | None, what: str, budget: int = 400) -> str:
    """A smaller text with the same crash: lines are left out, in ever smaller runs, while it stays."""
    lines = text.splitlines(keepends=True)
    size = max(1, len(lines) // 2)
    while size and budget > 0:
        at, changed = 0, False
        while at < len(lines) and budget > 0:
            shorter = lines[:at] + lines[at + size :]
            budget -= 1
            crash = crash_of("".join(shorter), backend)
            if crash is not None and crash.what == what:
                lines, changed = shorter, True
            else:
                at += size
        if not changed:
            size //= 2
    return "".join(lines)
