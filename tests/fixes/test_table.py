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
    shown = {case["code"] for case in CASES if any(fix.get("safe") for fix in case["fixes"])}
    assert {code for code, rule in rules().items() if rule.fix == "safe"} == shown


def test_every_family_is_loaded() -> None:
    helpers = {"__init__", "model", "tree", "editing", "splits", "phases", "functions"}
    modules = {path.stem for path in (FOLDER.parent.parent / "pypto_core" / "fixes").glob("*.py")}
    assert modules - helpers == set(fixes._FAMILIES)
