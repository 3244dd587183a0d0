"""Repairs of kernels that stand elsewhere: the examples of the rule pages, the marked kernels of the split passes, the golden cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.diagnostics import Diagnostic, Rule, Severity, rules
from pypto_core.fixes import Fix, fixers
from pypto_core.frontend import parse
from tests.fixes.support import FILE, FOLDER, changed, errors, findings, load, repairs
from tests.passes.test_split_rejections import FIXTURES, Fixture
from tests.passes.test_split_rejections import finding_of as rejection

GOLDEN = FOLDER.parent / "golden"
#: Examples on which no repair is offered, or after whose repair the author has to go on: why. Their codes have cases of their own.
AUTHORS_TURN: dict[str, dict[str, str]] = yaml.load(
    (FOLDER / "examples.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
SHOWN = [
    r for r in rules().values() if r.failing and r.code in fixers() and r.code not in AUTHORS_TURN["rules"]
]


def _shown(rule: Rule, text: str, backend: str) -> tuple[Diagnostic, ...]:
    run = {"passes": ["StampTfreeSplit"]} if rule.code.startswith("tfree-") else None
    return findings(text, backend, run)


@pytest.mark.parametrize("rule", SHOWN, ids=lambda r: r.code)
def test_rule_example(rule: Rule) -> None:
    for backend in ("a2a3", "a5"):
        before = _shown(rule, rule.failing, backend)
        found = [d for d in before if d.code == rule.code]
        if found:
            break
    assert found, [d.message for d in before]
    offered = repairs(found[0], rule.failing)
    assert offered, found[0].message
    after = _shown(rule, changed(rule.failing, offered[0]), backend)
    assert sum(d.code == rule.code for d in after) < len(found), offered[0].title
    assert errors(after) <= errors(before), [d.message for d in after]


REJECTED = [f for f in FIXTURES if f.mark is not None and f.mark.code in fixers()]
UNREPAIRED = frozenset(AUTHORS_TURN["rejections"])


def test_reasons_are_about_something() -> None:
    assert set(AUTHORS_TURN["rules"]) <= set(fixers())
    assert {str(f) for f in REJECTED} >= UNREPAIRED


@pytest.mark.parametrize("fixture", REJECTED, ids=str)
def test_rejected_kernel(fixture: Fixture) -> None:
    text = fixture.path.read_text(encoding="utf-8")
    found = _rejection(fixture, text)
    assert found is not None
    offered = repairs(found, text)
    assert bool(offered) == (str(fixture) not in UNREPAIRED), [f.title for f in offered]
    left = [_rejection(fixture, changed(text, fix)) for fix in offered]
    assert not offered or None in left, [d.message for d in left if d is not None]


def _rejection(fixture: Fixture, text: str) -> Diagnostic | None:
    result = parse(text, FILE)
    faults = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    return faults[0] if faults else rejection(result.programs[fixture.entry], fixture.settings)


def _golden() -> list[tuple[Path, dict[str, Any]]]:
    cases = [(path, load(path)) for path in sorted((GOLDEN / "split").glob("*.yaml"))]
    return [(path, case) for path, case in cases if isinstance(case, dict) and "quick_fix" in case]


@pytest.mark.parametrize(
    ("path", "case"), _golden(), ids=lambda value: value.stem if isinstance(value, Path) else ""
)
def test_golden_quick_fix(path: Path, case: dict[str, Any]) -> None:
    """Where a golden case names a repair, there is one, and the finding is gone after it."""
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    backend = case.get("backend", "a2a3")
    for finding in findings(text, backend):
        fix = _first(repairs(finding, text))
        if fix is not None:
            after = findings(changed(text, fix), backend)
            assert sum(d.code == finding.code for d in after) < sum(
                d.code == finding.code for d in findings(text, backend)
            )
            assert not errors(after) - errors(findings(text, backend)), fix.title
            return
    pytest.fail("no repair is offered")


def _first(offered: tuple[Fix, ...]) -> Fix | None:
    return offered[0] if offered else None


@pytest.mark.parametrize("path", sorted((GOLDEN / "kernels").glob("err_*.py")), ids=lambda p: p.stem)
def test_wrong_kernels_are_repaired(path: Path) -> None:
    """The first repair of every error, one after the other, leaves a kernel without errors."""
    text = path.read_text(encoding="utf-8")
    for _ in range(6):
        wrong = [d for d in findings(text) if d.severity is Severity.ERROR]
        if not wrong:
            return
        fix = _first(repairs(wrong[0], text))
        assert fix is not None, wrong[0].message
        text = changed(text, fix)
    pytest.fail(text)
