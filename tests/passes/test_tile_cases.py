"""Rules of the tile passes on small programs: ``cases/tile/*.txt`` (``tests/support/pass_cases.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_core.diagnostic_rules import memory_passes, tile_passes
from pypto_core.diagnostics import PassError, Rule
from pypto_core.passes.pipeline import MEMORY_PASSES, PIPELINE
from tests.support.golden import make_pass, read_program
from tests.support.pass_cases import PassCase, check_case, load_cases

CASES = load_cases(Path(__file__).parent / "cases" / "tile")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tile_rule(case: PassCase) -> None:
    check_case(case)


WITH_EXAMPLES = [rule for rule in (*tile_passes.RULES, *memory_passes.RULES) if rule.failing]


def lowered(text: str) -> None:
    """Run the passes up to the end of the tile stage, and those of memory, on a kernel of the author."""
    program = read_program(text)
    for name in (*PIPELINE[: PIPELINE.index("ResolveBackendOpLayouts") + 1], *MEMORY_PASSES):
        program = make_pass(name, "a2a3")(program)


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda rule: rule.code)
def test_examples_of_codes(rule: Rule) -> None:
    with pytest.raises(PassError) as caught:
        lowered(rule.failing)
    assert caught.value.diagnostic.code == rule.code
    lowered(rule.repaired)
