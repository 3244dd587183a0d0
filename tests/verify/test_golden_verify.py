"""Verifiers, warnings and hints on the golden cases, and silence on the kernels."""

from __future__ import annotations

import pytest

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.frontend import parse
from pypto_core.ir import Program
from pypto_core.passes.pipeline import AT_INPUT, ORPHAN_POINT, PIPELINE, properties_to_verify
from pypto_core.verify import CHECKS, PROPERTIES, hints_of, orphans_of, verify, warnings_of
from tests.support.golden import (
    GOLDEN,
    Case,
    assert_mentions,
    cases,
    kernel_records,
    make_pass,
    read_program,
    recorded_stages,
)

_OWNED_ELSEWHERE = ("AivSplitValid", "AivSplitLoweredValid")
ASKED = [
    c
    for c in cases("split")
    if ("verify" in c.data and c.data["verify"] not in _OWNED_ELSEWHERE) or "check" in c.data
]


def _findings(case: Case, program: Program) -> list[Diagnostic]:
    if "verify" in case.data:
        assert case.data["verify"] in PROPERTIES
        return verify(program, {case.data["verify"]}, case.backend)
    check = case.data["check"]
    assert check in CHECKS
    if check == "TileInnermostDimGranularity":
        return hints_of(program, case.backend)
    return warnings_of(program, case.backend, {check})


_SEVERITY = {"Error": Severity.ERROR, "Warning": Severity.WARNING, "PerfHint": Severity.HINT}


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_golden(case: Case) -> None:
    found = _findings(case, read_program(case.data["before"]))
    expected = case.data["diagnostics"]
    assert len(found) == len(expected), [d.message for d in found]
    for diagnostic, want in zip(found, expected, strict=True):
        assert_mentions(diagnostic, want["must_contain"])
        assert (diagnostic.rule, diagnostic.number) == (want["rule"], want["code"])
        assert diagnostic.severity is _SEVERITY[want.get("severity", "Error")]
        assert diagnostic.data.get("hint", "") == want.get("hint", "")
        assert diagnostic.span.is_valid


SYNCALL = [c for c in cases("split") if (c.data.get("error") or {}).get("rule") == "HardSyncallOccupancy"]


@pytest.mark.parametrize("case", SYNCALL, ids=str)
def test_hard_syncall(case: Case) -> None:
    program = read_program(case.data["before"])
    for name in case.data["passes"]:
        program = make_pass(name, case.backend)(program)
    (found,) = verify(program, {"HardSyncallOccupancyValid"}, case.backend)
    assert_mentions(found, case.data["error"]["must_contain"])
    assert found.rule == "HardSyncallOccupancy"


RECORDS = [(k, b, n, e) for k, b, n, e in kernel_records() if not k.startswith("err_")]


@pytest.mark.parametrize(
    ("backend", "entry"), [(b, e) for _, b, _, e in RECORDS], ids=[f"{k}.{b}-{n}" for k, b, n, _ in RECORDS]
)
def test_kernels_are_clean(backend: str, entry: dict[str, object]) -> None:
    """Every recorded stage satisfies what is verified after its pass (tests/golden/README.md, kernels step 4)."""
    text = str(entry["program"])
    program = read_program(text)
    assert not verify(program, AT_INPUT, backend)
    assert not warnings_of(program, backend)
    verified = AT_INPUT
    stages = recorded_stages(GOLDEN / "kernels", entry)
    ran = {*stages, *(entry.get("unchanged") or ())}  # type: ignore[misc]
    for name in PIPELINE:
        todo, verified = properties_to_verify(name, verified)
        if name not in ran:
            continue
        if name in stages:
            program = read_program(stages[name])
        # The lane region verifiers have their own tests.
        found = verify(program, todo - set(_OWNED_ELSEWHERE), backend)
        if name == ORPHAN_POINT:
            found += orphans_of(program)
        assert not found, (name, [d.message for d in found])


def test_orphan_operator() -> None:
    (record,) = [e for k, _, _, e in kernel_records() if k == "err_orphan_operator"]
    stages = recorded_stages(GOLDEN / "kernels", record)
    (found,) = orphans_of(read_program(stages["OutlineIncoreScopes"]))
    assert found.code == "orphan-operator"
    assert_mentions(found, "Misplaced tensor op 'tensor.add'")


FROM_SOURCE = [c for c in ASKED if not c.data.get("prepare")]


@pytest.mark.parametrize("case", FROM_SOURCE, ids=str)
def test_golden_lines(case: Case) -> None:
    """From the author's text the findings stand on the recorded lines; a use has its definition as related place."""
    program = parse(case.source, case.source_path.name).program
    assert program is not None
    for diagnostic, want in zip(_findings(case, program), case.data["diagnostics"], strict=True):
        if want.get("line") is not None:
            places = [diagnostic.span, *(r.span for r in diagnostic.related)]
            assert want["line"] in [s.line for s in places]
        assert diagnostic.span.filename == case.source_path.name
