"""Rules of the split and cross-core passes on small programs: ``cases/split/*.txt`` (``tests/support/pass_cases.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pass_cases import PassCase, check_case, load_cases

CASES = load_cases(Path(__file__).parent / "cases" / "split")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_split_rule(case: PassCase) -> None:
    check_case(case)
