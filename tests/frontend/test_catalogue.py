"""Every code of the frontend: its failing example reports it at the marked characters, the repaired one is clean."""

from __future__ import annotations

import pytest

from pypto_core.diagnostic_rules.frontend import RULES
from pypto_core.diagnostic_rules.frontend_samples import MARKS
from pypto_core.diagnostics import Diagnostic, Rule, Severity
from pypto_core.frontend import parse

EXAMPLES = [rule for rule in RULES if rule.failing]


def _name(rule: Rule) -> str:
    return rule.code


def _offsets(text: str, found: Diagnostic) -> tuple[int, int]:
    """Span in characters of the whole text."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    span = found.span
    return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1


@pytest.mark.parametrize("rule", EXAMPLES, ids=_name)
def test_failing_example_reports_the_code_in_place(rule: Rule) -> None:
    found = parse(rule.failing).diagnostics
    assert [d.code for d in found if d.severity is Severity.ERROR and d.code != rule.code] == []
    own = [d for d in found if d.code == rule.code]
    assert own
    assert own[0].severity is rule.severity
    assert own[0].message
    if rule.code in MARKS:
        start, end = MARKS[rule.code]
        assert rule.failing[slice(*_offsets(rule.failing, own[0]))] == rule.failing[start:end]
        assert _offsets(rule.failing, own[0]) == (start, end)


@pytest.mark.parametrize("rule", EXAMPLES, ids=_name)
def test_repaired_example_is_clean(rule: Rule) -> None:
    assert [
        d for d in parse(rule.repaired).diagnostics if d.severity is Severity.ERROR or d.code == rule.code
    ] == []
