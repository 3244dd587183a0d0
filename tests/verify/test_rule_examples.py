"""The examples of the table of codes: the failing one reports its code, the repaired one reports nothing."""

from __future__ import annotations

import pytest

from pypto_core.diagnostic_rules import front_passes, verifiers
from pypto_core.diagnostics import Diagnostic, Rule
from pypto_core.frontend import parse
from pypto_core.passes.pipeline import check_pipeline
from pypto_core.verify import verify

EXAMPLES = [r for r in (*front_passes.RULES, *verifiers.RULES) if r.failing]
#: Properties that are verified on request only.
_ON_REQUEST = {"dangling-call": ("InlineFunctions", "InlineFunctionsEliminated")}


def _findings(text: str, code: str) -> list[Diagnostic]:
    result = parse(text, "k.py")
    found = list(result.diagnostics)
    for program in result.programs.values():
        lowered, more = check_pipeline(
            program, _ON_REQUEST.get(code, ("OutlineClusterScopes", ""))[0], "a2a3"
        )
        found += more
        if code in _ON_REQUEST:
            found += verify(lowered, {_ON_REQUEST[code][1]})
    return [d for d in found if d.code != "tile-innermost-dim"]


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: r.code)
def test_failing(rule: Rule) -> None:
    found = _findings(rule.failing, rule.code)
    assert [d.code for d in found if d.severity <= rule.severity] == [rule.code]


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda r: r.code)
def test_repaired(rule: Rule) -> None:
    assert rule.repaired
    assert [d.message for d in _findings(rule.repaired, rule.code)] == []
