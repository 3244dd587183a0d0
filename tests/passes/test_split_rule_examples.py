"""The examples of the rule pages: the failing kernel reports its code, the repaired one nothing."""

from __future__ import annotations

import pytest

from pypto_core.diagnostic_rules import aiv_split, split_passes
from pypto_core.diagnostics import Diagnostic, PassError, Rule, Severity
from pypto_core.frontend import parse
from pypto_core.passes.pipeline import check_pipeline
from tests.support.golden import make_pass

EXAMPLES = [r for r in (*aiv_split.RULES, *split_passes.RULES) if r.failing]
LAST = "SkewCrossCorePipeline"


def _errors(text: str) -> list[Diagnostic]:
    result = parse(text)
    assert result.program is not None
    assert not result.diagnostics, [d.message for d in result.diagnostics]
    _, found = check_pipeline(result.program, LAST, "a5")
    return [d for d in found if d.severity is Severity.ERROR]


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: r.code)
def test_failing_example(rule: Rule) -> None:
    if rule.code.startswith("tfree-"):
        program = parse(rule.failing).program
        assert program is not None
        with pytest.raises(PassError) as caught:
            make_pass("StampTfreeSplit", "a5")(program)
        assert caught.value.diagnostic.code == rule.code
        return
    found = _errors(rule.failing)
    assert found
    assert found[0].code == rule.code, found[0].message


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: r.code)
def test_repaired_example(rule: Rule) -> None:
    assert [f"{d.code}: {d.message}" for d in _errors(rule.repaired)] == []
