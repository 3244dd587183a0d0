"""Rules of a pass on small programs, as text files.

A case is a title, a pass, a backend and the printed program before it, then what the pass makes of it (``after``,
``unchanged`` or ``error <code> line <n>`` with words of the message), and the numbers of the hints it gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pypto_core.diagnostics import Diagnostic, PassError, rules
from pypto_core.passes.auto_tile_matmul_l0 import auto_tile_matmul_l0
from tests.support.golden import make_pass, read_program, same_text, text_of

_SECTION = re.compile(r"^==== (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class PassCase:
    name: str
    pass_name: str
    backend: str | None
    before: str
    hints: list[str]
    outcome: str
    text: str

    def __str__(self) -> str:
        return self.name


def load_cases(folder: Path) -> list[PassCase]:
    """Every case of a folder, in name order."""
    return [_load(path) for path in sorted(folder.glob("*.txt"))]


def _load(path: Path) -> PassCase:
    head, *sections = _SECTION.split(path.read_text(encoding="utf-8"))
    facts = dict(line[2:].split(": ", 1) for line in head.splitlines()[1:])
    backend = facts["backend"]
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    hints = next((title.split()[1:] for title in named if title.startswith("hints")), [])
    outcome, text = list(named.items())[-1]
    return PassCase(
        path.stem,
        facts["pass"],
        None if backend == "none" else backend,
        named["before"],
        hints,
        outcome,
        text,
    )


def check_case(case: PassCase) -> None:
    """Run the case; AssertionError tells the difference."""
    program = read_program(case.before)
    hints: list[Diagnostic] = []
    subject = (
        auto_tile_matmul_l0(backend=case.backend, on_hint=hints.append)
        if case.pass_name == "AutoTileMatmulL0"
        else make_pass(case.pass_name, case.backend)
    )
    if case.outcome.startswith("error"):
        _, code, _, line = case.outcome.split()
        with pytest.raises(PassError) as caught:
            subject(program)
        diagnostic = caught.value.diagnostic
        assert (diagnostic.code, diagnostic.span.line) == (code, int(line))
        assert code in rules()
        for words in case.text.splitlines():
            assert words in diagnostic.message
        return
    result = subject(program)
    if case.outcome == "unchanged":
        assert result is program
    else:
        same_text(text_of(result), case.text)
        again = read_program(text_of(result))
        assert text_of(again) == text_of(result), "what a pass prints reads back"
    assert sorted({hint.rule for hint in hints}) == case.hints
    assert all(hint.code in rules() and hint.span.is_valid for hint in hints)
