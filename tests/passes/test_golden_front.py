"""The front passes: every case of ``tests/golden/front``, and their stages of the kernels."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pypto_core.diagnostics import PassError, Severity
from pypto_core.frontend import parse
from pypto_core.ir import Program, calls_in, walk_stmts
from pypto_core.passes.pipeline import PIPELINE
from tests.support.golden import (
    GOLDEN,
    Case,
    Stage,
    assert_mentions,
    cases,
    kernel_records,
    kernel_stages,
    make_pass,
    read_program,
    recorded_stages,
    same_text,
    text_of,
)

FRONT = cases("front")
PASSES: tuple[str, ...] = (
    "InlineFunctions",
    "UnrollLoops",
    "CtrlFlowTransform",
    "ConvertToSSA",
    "Simplify",
    "NormalizeStmtStructure",
    "FlattenCallExpr",
    "OutlineHierarchyScopes",
    "OutlineIncoreScopes",
    "OutlineClusterScopes",
)
_INLINE = re.compile(r"_inline(\d+)")


def _renumbered(text: str) -> str:
    """``_inline<N>`` numbers by first appearance (docs/spec/passes_front.md, appendix A)."""
    numbers: dict[str, int] = {}
    return _INLINE.sub(lambda m: f"_inline{numbers.setdefault(m[1], len(numbers))}", text)


def _same(case: Case, actual: str, expected: str) -> None:
    if case.data.get("compare") == "inline-renumber":
        actual, expected = _renumbered(actual), _renumbered(expected)
    same_text(actual, expected)


@pytest.mark.parametrize("case", [c for c in FRONT if "before" in c.data and "after" in c.data], ids=str)
def test_chain_from_recorded_text(case: Case) -> None:
    program = read_program(case.data["before"])
    for index, name in enumerate(case.data["passes"]):
        if index == len(case.data["passes"]) - 1 and "before_last" in case.data:
            _same(case, text_of(program), case.data["before_last"])
        program = make_pass(name, case.backend)(program)
    _same(case, text_of(program), case.data["after"])


@pytest.mark.parametrize("case", [c for c in FRONT if "before_last" in c.data and "after" in c.data], ids=str)
def test_last_pass_from_recorded_text(case: Case) -> None:
    program = read_program(case.data["before_last"])
    program = make_pass(case.data["passes"][-1], case.backend)(program)
    _same(case, text_of(program), case.data["after"])


@pytest.mark.parametrize("case", [c for c in FRONT if "error" in c.data and "before" in c.data], ids=str)
def test_error(case: Case) -> None:
    program = read_program(case.data["before"])
    with pytest.raises(PassError) as caught:
        for name in case.data["passes"]:
            program = make_pass(name, case.backend)(program)
    assert_mentions(caught.value.diagnostic, case.data["error"]["must_contain"])
    assert caught.value.diagnostic.span.is_valid


def _from_source(case: Case) -> Program:
    result = parse(case.source, case.source_path.name)
    errors = [d.message for d in result.diagnostics if d.severity is Severity.ERROR]
    assert not errors
    assert result.program is not None
    return result.program


@pytest.mark.parametrize("case", [c for c in FRONT if "error" in c.data and "before" not in c.data], ids=str)
def test_parse_error(case: Case) -> None:
    found = [d for d in parse(case.source, case.source_path.name).diagnostics if d.severity is Severity.ERROR]
    assert found
    assert_mentions(found[0], case.data["error"]["must_contain"])
    assert found[0].span.line == case.data["error"]["line"]


@pytest.mark.parametrize("case", [c for c in FRONT if "error" in c.data and "before" in c.data], ids=str)
def test_error_has_a_place_in_the_source(case: Case) -> None:
    program = _from_source(case)
    with pytest.raises(PassError) as caught:
        for name in case.data["passes"]:
            program = make_pass(name, case.backend)(program)
    assert caught.value.diagnostic.span.filename == case.source_path.name


@pytest.mark.parametrize("case", [c for c in FRONT if "after" in c.data], ids=str)
def test_statements_keep_their_source(case: Case) -> None:
    """Every statement and call that a pass makes has the place of what it stands for."""
    program = _from_source(case)
    for name in case.data["passes"]:
        program = make_pass(name, case.backend)(program)
        for function in program.functions:
            assert function.span.is_valid
            for stmt in walk_stmts(function.body):
                assert stmt.span.filename == case.source_path.name, (name, stmt)
            for call in calls_in(function.body):
                assert call.span.filename == case.source_path.name, (name, call)


@pytest.mark.parametrize("case", [c for c in FRONT if "after" in c.data], ids=str)
def test_chain_from_source(case: Case) -> None:
    program = _from_source(case)
    if "before" in case.data:
        same_text(text_of(program), case.data["before"])
    for name in case.data["passes"]:
        program = make_pass(name, case.backend)(program)
    _same(case, text_of(program), case.data["after"])


STAGES = kernel_stages(PASSES, PIPELINE)


@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_kernel_stage(stage: Stage) -> None:
    program = make_pass(stage.pass_name, stage.backend)(read_program(stage.before))
    actual, expected = text_of(program), stage.after
    if stage.pass_name == "InlineFunctions":
        actual, expected = _renumbered(actual), _renumbered(expected)
    same_text(actual, expected)


RECORDS = [(k, b, n, e) for k, b, n, e in kernel_records()]


@pytest.mark.parametrize(
    ("backend", "entry"), [(b, e) for _, b, _, e in RECORDS], ids=[f"{k}.{b}-{n}" for k, b, n, _ in RECORDS]
)
def test_kernel_chain(backend: str, entry: dict[str, Any]) -> None:
    """All front passes in memory, compared after every one that is recorded."""
    stages = recorded_stages(GOLDEN / "kernels", entry)
    program, expected = read_program(str(entry["program"])), str(entry["program"])
    for name in PASSES:
        if name not in stages and name not in (entry.get("unchanged") or ()):
            break
        program = make_pass(name, backend)(program)
        expected = stages.get(name, expected)
        same_text(_renumbered(text_of(program)), _renumbered(expected))
