"""Further conditions of the codes (docs/spec/language.md §7): each case of ``data/triggers.txt`` gives its code and no other error.

A case is ``=== code (surroundings)`` and a few lines; the surroundings are those of ``frontend_samples``. Words after a
colon in the first line stand in the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_core.diagnostic_rules import frontend_samples
from pypto_core.diagnostics import Severity
from pypto_core.frontend import parse

_CASE = re.compile(r"^=== ([\w-]+) \((\w+)\)(?:: (.*))?\n", re.MULTILINE)


def _cases() -> list[tuple[str, str, str, str]]:
    parts = _CASE.split((Path(__file__).parent / "data" / "triggers.txt").read_text())[1:]
    return [
        (*parts[i : i + 2], parts[i + 2] or "", parts[i + 3].rstrip("\n")) for i in range(0, len(parts), 4)
    ]


@pytest.mark.parametrize(("code", "around", "words", "body"), _cases())
def test_condition_is_told_alone(code: str, around: str, words: str, body: str) -> None:
    surround: Callable[[str], str] = getattr(frontend_samples, around)
    found = parse(surround(body)).diagnostics
    assert code in {d.code for d in found}
    assert {d.code for d in found if d.severity is Severity.ERROR} <= {code}
    assert any(words in d.message for d in found if d.code == code)
