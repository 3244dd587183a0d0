"""The examples of the operator contract codes report what they claim."""

from __future__ import annotations

import pytest

import pypto_core as pc
from pypto_core.diagnostic_rules.operators import RULES
from pypto_core.diagnostics import Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_examples(rule: Rule) -> None:
    assert [d.code for d in pc.parse(rule.failing, filename="k.py").diagnostics] == [rule.code]
    assert [d.code for d in pc.parse(rule.repaired, filename="k.py").diagnostics] == []
