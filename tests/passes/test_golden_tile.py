"""Tile passes against the recorded texts of ``tests/golden/tile`` and the tile stages of ``tests/golden/kernels``."""

from __future__ import annotations

import pytest

from pypto_core.diagnostics import Diagnostic, PassError
from pypto_core.frontend import parse
from pypto_core.ir import Call, stmt_exprs, walk_stmts
from pypto_core.passes.auto_tile_matmul_l0 import auto_tile_matmul_l0
from pypto_core.passes.pipeline import MEMORY_PASSES, PIPELINE
from tests.support.golden import (
    Case,
    Stage,
    assert_mentions,
    cases,
    kernel_stages,
    make_pass,
    read_program,
    same_text,
    text_of,
)

TILE_PASSES = (
    "LowerCompositeOps",
    "FlattenTileNdTo2D",
    "LegalizeTileCast",
    "AutoTileMatmulL0",
    "CanonicalizeTileSlice",
    "InferTileMemorySpace",
    "InsertMxScaleAddr",
    "ResolveBackendOpLayouts",
)
CASES = list(cases("tile"))
assert {case.data["passes"][-1] for case in CASES} <= {*TILE_PASSES, *MEMORY_PASSES}
WITH_TEXT = [case for case in CASES if "before" in case.data]


@pytest.mark.parametrize("case", [c for c in WITH_TEXT if "after" in c.data], ids=str)
def test_tile_case(case: Case) -> None:
    program = read_program(case.data["before"])
    result = make_pass(case.data["passes"][-1], case.backend)(program)
    same_text(text_of(result), case.data["after"])
    if case.data["after"] == case.data["before"]:
        assert result is program, "nothing changed, so the same object is returned"


@pytest.mark.parametrize("case", [c for c in WITH_TEXT if "error" in c.data], ids=str)
def test_tile_error(case: Case) -> None:
    program = read_program(case.data["before"])
    with pytest.raises(PassError) as caught:
        make_pass(case.data["passes"][-1], case.backend)(program)
    diagnostic = caught.value.diagnostic
    assert_mentions(diagnostic, case.data["error"]["must_contain"])
    line = diagnostic.span.text
    assert diagnostic.span.is_valid and line, "the editor points at a statement"


@pytest.mark.parametrize("case", [c for c in CASES if "after" in c.data], ids=str)
def test_chain_from_source(case: Case) -> None:
    program = read_program(case.source, case.source_path.name)
    for name in case.data["passes"]:
        program = make_pass(name, case.backend)(program)
    same_text(text_of(program), case.data["after"])


@pytest.mark.parametrize("case", [c for c in CASES if "error" in c.data], ids=str)
def test_error_from_source(case: Case) -> None:
    expected = case.data["error"]
    parsed = parse(case.source, case.source_path.name)
    if expected["stage"] == "parse":
        (diagnostic,) = parsed.diagnostics
    else:
        assert not parsed.diagnostics
        assert parsed.program is not None
        program = parsed.program
        with pytest.raises(PassError) as caught:
            for name in case.data["passes"]:
                program = make_pass(name, case.backend)(program)
        diagnostic = caught.value.diagnostic
    assert_mentions(diagnostic, expected["must_contain"])
    assert diagnostic.span.is_valid
    if expected["line"] is not None:
        assert diagnostic.span.line == expected["line"]


@pytest.mark.parametrize(
    "case",
    [c for c in WITH_TEXT if c.data["passes"][-1] == "AutoTileMatmulL0" and "after" in c.data],
    ids=str,
)
def test_tile_hints(case: Case) -> None:
    hints: list[Diagnostic] = []
    auto_tile_matmul_l0(backend=case.backend, on_hint=hints.append)(read_program(case.data["before"]))
    assert sorted({hint.rule for hint in hints}) == sorted(case.data.get("hints", []))
    assert all(hint.span.is_valid for hint in hints)


@pytest.mark.parametrize("case", [c for c in WITH_TEXT if "after" in c.data], ids=str)
def test_everything_made_has_a_span(case: Case) -> None:
    program = make_pass(case.data["passes"][-1], case.backend)(read_program(case.data["before"]))
    for function in program.functions:
        for stmt in walk_stmts(function.body):
            assert stmt.span.is_valid, stmt
            assert all(call.span.is_valid for call in stmt_exprs(stmt) if isinstance(call, Call)), stmt


@pytest.mark.parametrize("stage", kernel_stages(TILE_PASSES, PIPELINE), ids=str)
def test_kernel_stage(stage: Stage) -> None:
    program = read_program(stage.before)
    result = make_pass(stage.pass_name, stage.backend)(program)
    same_text(text_of(result), stage.after)
    if stage.after == stage.before:
        assert result is program, "nothing changed, so the same object is returned"
