"""Rules of the tile passes on small programs: ``cases/tile/*.txt`` (``tests/support/pass_cases.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pass_cases import PassCase, check_case, load_cases

CASES = load_cases(Path(__file__).parent / "cases" / "tile")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tile_rule(case: PassCase) -> None:
    check_case(case)
