"""Rules of the front passes beyond the golden cases (front_rules.yaml), and the grammar of generated names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pypto_core.passes.ssa_names import AutoName, base_of, build, fresh_like, parse, ssa_name
from tests.support.golden import load_yaml, make_pass, read_program, same_text, text_of

_HEADER = "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
CASES: list[dict[str, Any]] = load_yaml(Path(__file__).parent / "front_rules.yaml")["cases"]


def _program_text(functions: str) -> str:
    return _HEADER + "\n".join("    " + line for line in functions.rstrip("\n").split("\n"))


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_rule(case: dict[str, Any]) -> None:
    program = read_program(_program_text(case["before"]))
    for name in case["passes"]:
        program = make_pass(name, None)(program)
    same_text(text_of(program), _program_text(case["after"]))


def test_names_are_taken_apart() -> None:
    assert parse("x") == AutoName("x")
    assert parse("x__ssa_v3") == AutoName("x", "", "ssa", 3)
    assert parse("y__rm_a0_tmp_v3") == AutoName("y", "rm_a0", "tmp", 3)
    assert parse("o__store") == AutoName("o", "", "store", None)
    assert parse("x__tail") == AutoName("x", "tail", "", None)
    assert base_of("a__b__c") == "a"


def test_names_are_put_together() -> None:
    assert build("x") == "x"
    assert build("x", "q", "tmp", 2) == "x__q_tmp_v2"
    with pytest.raises(ValueError, match="reserved delimiter"):
        build("a__b", "", "ssa", 0)


def test_versions() -> None:
    assert ssa_name("x", "ssa", 0) == "x__ssa_v0"
    assert ssa_name("x__idx_v3", "ssa", 0) == "x__ssa_v0"
    assert ssa_name("y_inline1", "ssa", 0) == "y_inline1__ssa_v0"
    assert ssa_name("break__tmp_v0", "iter", 1) == "break__iter_v1"
    assert ssa_name("x__tail", "ssa", 0) == "x__tail__ssa_v0"


def test_fresh_names() -> None:
    assert fresh_like("tid", ()) == "tid__ssa_v0"
    assert fresh_like("o__ssa_v0", {"o__ssa_v1"}) == "o__ssa_v2"
    assert fresh_like("o__store", {"o__store_v0"}) == "o__store_v1"
