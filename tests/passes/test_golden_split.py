"""The split passes on ``tests/golden/split``: each pass from the recorded text before it, whole chains, errors, checks."""

from __future__ import annotations

import re

import pytest

from pypto_core.diagnostics import Diagnostic, PassError
from pypto_core.frontend import parse
from pypto_core.ir import Program
from pypto_core.passes.pipeline import PIPELINE
from pypto_core.verify.aiv_split import verify_aiv_split, verify_aiv_split_lowered
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

SPLIT = [c for c in cases("split") if c.data.get("passes")]
VERIFIERS = {"AivSplitValid": verify_aiv_split, "AivSplitLoweredValid": verify_aiv_split_lowered}

STEPS = [
    (case, step)
    for case in SPLIT
    for step in range(len(case.data["passes"]))
    if case.data["passes"][step] in (case.data.get("after") or {})
]


def _before(case: Case, step: int) -> str:
    """The recorded text before a step: the nearest earlier recorded one, else the case's own."""
    for name in reversed(case.data["passes"][:step]):
        if name in case.data["after"]:
            return str(case.data["after"][name])
    return str(case.data["before"])


@pytest.mark.parametrize(("case", "step"), STEPS, ids=[f"{c.name}-{c.data['passes'][s]}" for c, s in STEPS])
def test_pass_from_recorded_text(case: Case, step: int) -> None:
    name = case.data["passes"][step]
    program = make_pass(name, case.backend)(read_program(_before(case, step)))
    same_text(text_of(program), case.data["after"][name])


@pytest.mark.parametrize("case", [c for c in SPLIT if c.data.get("after")], ids=str)
def test_chain(case: Case) -> None:
    program = read_program(case.data["before"])
    for name in case.data["passes"]:
        if name not in case.data["after"]:
            break
        program = make_pass(name, case.backend)(program)
        same_text(text_of(program), case.data["after"][name])


def refusal_of(case: Case, program: Program) -> Diagnostic:
    for name in case.data["passes"]:
        try:
            program = make_pass(name, case.backend)(program)
        except PassError as error:
            return error.diagnostic
    pytest.fail("no pass refused the program")


REFUSED = [c for c in SPLIT if "error" in c.data and "rule" not in c.data["error"]]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refused_from_recorded_text(case: Case) -> None:
    found = refusal_of(case, read_program(case.data["before"]))
    assert_mentions(found, case.data["error"]["must_contain"])
    assert found.span.is_valid


def prepared(case: Case) -> Program:
    """The source, parsed and taken through the case's `prepare` passes."""
    result = parse(case.source, f"{case.name}.py")
    assert result.program is not None
    program = result.program
    for name in case.data.get("prepare") or ():
        program = make_pass(name, case.backend)(program)
    return program


@pytest.mark.parametrize("case", [c for c in cases("split") if c.data.get("before")], ids=str)
def test_source_gives_recorded_text(case: Case) -> None:
    same_text(text_of(prepared(case)), case.data["before"])


@pytest.mark.parametrize("case", [c for c in SPLIT if c.data.get("after")], ids=str)
def test_chain_from_source(case: Case) -> None:
    program = prepared(case)
    for name in case.data["passes"]:
        if name not in case.data["after"]:
            break
        program = make_pass(name, case.backend)(program)
        same_text(text_of(program), case.data["after"][name])


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refused_in_source(case: Case) -> None:
    found = refusal_of(case, prepared(case))
    # From the source a message uses the author's names, not those that passes made of them.
    assert_mentions(found, [re.sub(r"__\w+", "", t) for t in case.data["error"]["must_contain"]])
    line = case.data["error"]["line"]
    assert found.span.line == line if line is not None else found.span.is_valid


VERIFIED = [c for c in cases("split") if c.data.get("verify") in VERIFIERS]


@pytest.mark.parametrize("case", VERIFIED, ids=str)
def test_verifier(case: Case) -> None:
    found = VERIFIERS[case.data["verify"]](read_program(case.data["before"]))
    expected = case.data["diagnostics"]
    assert len(found) == len(expected), [d.message for d in found]
    for diagnostic, want in zip(found, expected):
        assert_mentions(diagnostic, want["must_contain"])
        assert (diagnostic.rule, diagnostic.number) == (want["rule"], want["code"])
        assert diagnostic.span.is_valid


@pytest.mark.parametrize("case", VERIFIED, ids=str)
def test_verifier_in_source(case: Case) -> None:
    found = VERIFIERS[case.data["verify"]](prepared(case))
    expected = case.data["diagnostics"]
    assert len(found) == len(expected), [d.message for d in found]
    for diagnostic, want in zip(found, expected):
        assert_mentions(diagnostic, want["must_contain"])
        assert diagnostic.span.is_valid
        if want.get("line") is not None:
            assert diagnostic.span.line == want["line"]


KERNEL_PASSES = (
    "LowerAutoVectorSplit",
    "ExpandMixedKernel",
    "InjectGMPipeBuffer",
    "SplitVectorKernel",
    "StampTfreeSplit",
    "NormalizeReturnOrder",
    "SkewCrossCorePipeline",
)
STAGES = kernel_stages(KERNEL_PASSES, PIPELINE)


@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_kernel_stage(stage: Stage) -> None:
    program = make_pass(stage.pass_name, stage.backend)(read_program(stage.before))
    same_text(text_of(program), stage.after)


def _chains() -> list[tuple[str, list[Stage]]]:
    """Consecutive stages of one entry, in pipeline order."""
    chains: dict[tuple[str, str | None, str], list[Stage]] = {}
    for stage in STAGES:
        chains.setdefault((stage.kernel, stage.backend, stage.entry), []).append(stage)
    return [(f"{k}.{b}-{e}", stages) for (k, b, e), stages in chains.items()]


CHAINS = _chains()


@pytest.mark.parametrize("stages", [c[1] for c in CHAINS], ids=[c[0] for c in CHAINS])
def test_kernel_chain(stages: list[Stage]) -> None:
    program = read_program(stages[0].before)
    for stage in stages:
        program = make_pass(stage.pass_name, stage.backend)(program)
        same_text(text_of(program), stage.after)
