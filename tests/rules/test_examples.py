"""The examples of the rule pages, as an editor shows them: the failing kernel reports its code at the marked characters and nothing
else of its weight, the repaired one reports nothing."""

from __future__ import annotations

import pytest

from pypto_core.diagnostics import Diagnostic, PassError, Rule, Severity, rules
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.passes.pipeline import MEMORY_PASSES, PIPELINE, make_pass
from tests.support.golden import read_program

FILE = "kernel.py"
SHOWN = [rule for rule in rules().values() if rule.failing]
#: What the examples leave aside: their tiles are small, some take tiles, some make a value that they do not go on with, and no
#: C++ file is beside them.
ADVICE = {"tile-innermost-dim", "tile-parameter", "unused-variable", "extern-source-missing"}


def findings(rule: Rule, text: str) -> list[Diagnostic]:
    if rule.on_request:
        return refused(text, rule.chip)
    workspace = Workspace(settings=Settings(backend=rule.chip or "a2a3"))
    workspace.open(FILE, text)
    return [d for d in workspace.diagnostics(FILE) if d.code == rule.code or d.code not in ADVICE]


def refused(text: str, chip: str) -> list[Diagnostic]:
    """What the passes of on-chip memory refuse, and those before them."""
    program = read_program(text)
    try:
        for name in (*PIPELINE[: PIPELINE.index("ResolveBackendOpLayouts") + 1], *MEMORY_PASSES):
            program = make_pass(name, chip)(program)
    except PassError as error:
        return [error.diagnostic]
    return []


def offsets(text: str, found: Diagnostic) -> tuple[int, int]:
    """Span in characters of the whole text."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    span = found.span
    return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1


@pytest.mark.parametrize("rule", rules().values(), ids=lambda r: r.code)
def test_a_code_has_both_examples_or_a_reason(rule: Rule) -> None:
    assert bool(rule.failing) == bool(rule.repaired)
    assert bool(rule.failing) != bool(rule.no_source)


@pytest.mark.parametrize("rule", [r for r in SHOWN if r.replaces], ids=lambda r: r.code)
def test_what_a_code_replaces_says_the_same_with_less(rule: Rule) -> None:
    assert rule.code not in rule.replaces
    assert all(rules()[code].severity >= rule.severity for code in rule.replaces)


@pytest.mark.parametrize("rule", SHOWN, ids=lambda r: r.code)
def test_failing(rule: Rule) -> None:
    found = findings(rule, rule.failing)
    own = [d for d in found if d.code == rule.code]
    assert own, [f"{d.code}: {d.message}" for d in found]
    others = [d for d in found if d.code != rule.code and d.severity <= min(rule.severity, Severity.WARNING)]
    assert [f"{d.code}: {d.message}" for d in others] == []
    assert {d.severity for d in own} == {rule.severity}
    if rule.mark is not None:
        first = offsets(rule.failing, own[0])
        assert rule.failing[slice(*first)] == rule.failing[slice(*rule.mark)]
        assert first == rule.mark


@pytest.mark.parametrize("rule", SHOWN, ids=lambda r: r.code)
def test_repaired(rule: Rule) -> None:
    assert [f"{d.code}: {d.message}" for d in findings(rule, rule.repaired)] == []


@pytest.mark.parametrize("rule", [r for r in SHOWN if not r.on_request], ids=lambda r: r.code)
def test_what_is_told_holds_where_the_lines_have_moved(rule: Rule) -> None:
    """A finding is remembered while its kernel stays as it is, so its words name no line."""
    moved = f"\n\n{rule.failing}"
    edited, fresh = (Workspace(settings=Settings(backend=rule.chip or "a2a3")) for _ in range(2))
    edited.open(FILE, rule.failing)
    edited.diagnostics(FILE)
    for workspace in (edited, fresh):
        workspace.open(FILE, moved)
    assert [told(d) for d in edited.diagnostics(FILE)] == [told(d) for d in fresh.diagnostics(FILE)]


def told(found: Diagnostic) -> object:
    others = [(other.message, other.span.line) for other in found.related]
    return found.code, found.message, found.span.line, found.span.column, others
