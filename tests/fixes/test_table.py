"""The table of codes and the fixers say the same (pypto_core/diagnostic_rules, pypto_core/fixes)."""

from __future__ import annotations

from importlib import import_module

import pypto_core.fixes as fixes
from pypto_core.diagnostics import rules
from tests.fixes.support import FOLDER, load

CASES = [case for path in sorted((FOLDER / "cases").glob("*.yaml")) for case in load(path)]


def test_one_fixer_per_code() -> None:
    tables = [import_module(f"pypto_core.fixes.{family}").FIXERS for family in fixes._FAMILIES]
    codes = [code for table in tables for code in table]
    assert sorted(codes) == sorted(set(codes))
    assert set(codes) == set(fixes.fixers())


def test_codes_with_fixers_are_those_of_the_table() -> None:
    promised = {code for code, rule in rules().items() if rule.fix != "none"}
    assert promised == set(fixes.fixers())


def test_safe_in_the_table_means_a_safe_repair() -> None:
    """The first repair of every case is safe, or it is so in some cases and not in others, or in none."""
    shown: dict[str, set[bool]] = {}
    for case in CASES:
        if case["fixes"]:
            shown.setdefault(case["code"], set()).add(bool(case["fixes"][0].get("safe")))
    words = {"safe": {True}, "sometimes": {True, False}, "review": {False}}
    wrong = {
        code: (rule.fix, shown[code])
        for code, rule in rules().items()
        if rule.fix in words and shown.get(code, words[rule.fix]) != words[rule.fix]
    }
    assert wrong == {}
    assert {code for code, rule in rules().items() if rule.fix in ("safe", "sometimes")} <= set(shown)


#: Codes whose repairs are tried on marked kernels (tests/passes/split_rejections) or on the examples of the table only, for want of a near twin.
TRIED_ELSEWHERE = frozenset(
    {
        "break-in-parallel", "break-in-unroll", "condition-not-bool", "continue-in-parallel", "continue-in-unroll",
        "split-gather-axis", "split-tuple-refused",
    }
)  # fmt: skip


def test_every_code_with_a_fixer_has_a_silent_twin() -> None:
    """Either a case with a near twin or the repaired example of the table, about which nothing may be said."""
    twins = {case["code"] for case in CASES if "twin" in case}
    without = {c for c in fixes.fixers() if c not in twins and not rules()[c].repaired}
    assert without == TRIED_ELSEWHERE


def test_every_family_is_loaded() -> None:
    helpers = {"__init__", "model", "tree", "editing", "splits", "phases", "functions"}
    modules = {path.stem for path in (FOLDER.parent.parent / "pypto_core" / "fixes").glob("*.py")}
    assert modules - helpers == set(fixes._FAMILIES)
