"""The table of golden cases counts what the tests compare."""

from __future__ import annotations

import pytest

from pypto_core.passes.pipeline import MEMORY_PASSES, PIPELINE
from tools import score


def test_every_pass_and_kind_of_case_is_counted() -> None:
    rows = {check.label(*args) for check in score.CHECKS for _, args in score.cases_of(check)}
    others = {"parse", "print and read", "chain", "verify", "whole files", "reports"}
    assert rows == {*PIPELINE, *MEMORY_PASSES, *others}


def test_exact_cases_give_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert score.main(["--only", "reports"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "8", "/", "8"]


def test_a_case_that_is_not_exact_is_counted_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(number: int) -> None:
        assert number != 2, "two is wrong"

    monkeypatch.setattr(score, "cases_of", lambda _: [(check, (number,)) for number in (1, 2, 3)])
    monkeypatch.setattr(score, "CHECKS", (score.Check("module", "check", lambda number: "numbers"),))
    assert score.main(["--failures"]) == 1
    printed = capsys.readouterr().out
    assert "numbers     2 / 3" in printed
    assert "module::check [2] AssertionError: two is wrong" in printed
