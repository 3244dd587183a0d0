"""Every rejection that the specification of the split passes names (docs/spec/passes_split.md §16): it has a code, a kernel that
raises it, a place on the author's own characters, and a repair or a reason why there is none."""

from __future__ import annotations

import re
from functools import cache

import pytest

from pypto_core.diagnostics import Diagnostic, PassError, Severity, rules
from pypto_core.fixes import fixers
from pypto_core.frontend import parse
from pypto_core.passes.pipeline import check_pipeline
from tests.passes.test_golden_split import REFUSED, prepared, refusal_of
from tests.passes.test_split_rejections import FIXTURES, REFUSES_HALVES, finding_of
from tests.support.golden import GOLDEN, make_pass, read_program

_SPEC = GOLDEN.parent.parent / "docs" / "spec"
_SECTION = re.compile(r"^## 16\. Rejections$.*?^---", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"R-[A-Z0-9-]+|(?<=/ )-[A-Z]+")

#: Rows without an identifier of their own: the code that stands for them.
_UNNAMED = {"carrier (2.2)": "split-ragged-columns", "deferred wait (10.1)": "deferred-waiter"}

#: Codes that offer no repair, and why.
NO_REPAIR = {
    "split-gather-odd": "the axis is padded where its tensors are made, which may be in other functions",
    "split-chained-store": "the stores of one buffer are joined by hand: what each of them means to cover is not in the text",
    "deferred-waiter": "what a waiter must not have may be meant, and then it is no waiter",
}


def _identifiers() -> list[str]:
    """Identifiers in the first column of the table of §16; ``R-TFREE-ORIGIN / -DIR`` is two of one stem."""
    section = _SECTION.search((_SPEC / "passes_split.md").read_text(encoding="utf-8"))
    assert section is not None
    found: list[str] = []
    for row in section.group().splitlines():
        first = row.split("|")[1].strip() if row.startswith("| ") else ""
        names = _NAME.findall(first)
        stem = names[0].rpartition("-")[0] if names else ""
        found += [stem + name if name.startswith("-") else name for name in names]
        if first in _UNNAMED:
            found.append(_UNNAMED[first])
    return found


IDENTIFIERS = _identifiers()


def _codes() -> dict[str, set[str]]:
    """Identifier -> codes, as docs/spec/design/codes.md says."""
    out: dict[str, set[str]] = {}
    for row in (_SPEC / "design" / "codes.md").read_text(encoding="utf-8").splitlines():
        if row.startswith("| R-"):
            names, codes = row.split("|")[1:3]
            ids = _NAME.findall(names)
            stem = ids[0].rpartition("-")[0]
            listed = re.findall(r"`([a-z-]+)`", codes)
            for index, name in enumerate(ids):
                whole = stem + name if name.startswith("-") else name
                out.setdefault(whole, set()).update(listed if len(listed) != len(ids) else [listed[index]])
    return out


@cache
def _raised() -> dict[str, list[tuple[Diagnostic, str]]]:
    """Identifier, or code -> findings of the marked kernels and of the golden cases, each with the text that it is about."""
    every: list[tuple[Diagnostic, str]] = []
    for fixture in FIXTURES:
        if fixture.mark is not None:
            text = fixture.path.read_text(encoding="utf-8")
            finding = finding_of(parse(text, fixture.path.name).programs[fixture.entry], fixture.settings)
            assert finding is not None
            every.append((finding, text))
    text = REFUSES_HALVES.format(rows=16)
    with pytest.raises(PassError) as refused:
        make_pass("lower_auto_vector_split", "a5")(read_program(text))
    every.append((refused.value.diagnostic, text))
    every += ((refusal_of(case, prepared(case)), case.source) for case in REFUSED)
    found: dict[str, list[tuple[Diagnostic, str]]] = {}
    for finding, about in every:
        for name in (finding.rule, finding.code):
            found.setdefault(name, []).append((finding, about))
    return found


def test_the_table_was_read() -> None:
    assert len(IDENTIFIERS) > 40 and {"R-REDUCE", "R-TFREE-DIR", "R-TUPLE-STATIONARY"} <= set(IDENTIFIERS)


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_has_a_code_and_a_kernel_that_raises_it(name: str) -> None:
    found = _raised().get(name)
    assert found, f"no kernel raises {name}"
    expected = _codes().get(name, set())
    for finding, _ in found:
        assert finding.code in rules()
        assert not expected or finding.code in expected


def _stands_in(finding: Diagnostic, text: str) -> bool:
    """Whether the finding covers characters of the text, at the place that it names."""
    line = text.splitlines()[finding.span.line - 1]
    first = finding.span.text.split("\n")[0]
    return bool(first) and line[finding.span.column - 1 :].startswith(first)


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_stands_on_the_authors_characters(name: str) -> None:
    for finding, text in _raised()[name]:
        assert _stands_in(finding, text)


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_has_a_repair_or_a_reason(name: str) -> None:
    for finding, _ in _raised()[name]:
        repaired, reasoned = finding.code in fixers(), finding.code in NO_REPAIR
        assert repaired is not reasoned, finding.code


CHECKS = re.findall(
    r"^\| \([a-k]\) \| `([a-z-]+)` \|$", (_SPEC / "design" / "codes.md").read_text("utf-8"), re.MULTILINE
)


def test_every_check_of_lane_regions_has_a_code() -> None:
    """Checks (a) to (k) of AivSplitValid (docs/spec/verifiers.md §4), to which the seeds refer."""
    assert len(CHECKS) == 11


@pytest.mark.parametrize("code", CHECKS)
def test_check_of_lane_regions(code: str) -> None:
    failing = rules()[code].failing
    program = parse(failing).program
    assert program is not None
    found = [f for f in check_pipeline(program, None, "a5")[1] if f.severity is Severity.ERROR]
    assert found and found[0].code == code
    assert _stands_in(found[0], failing)
    assert (code in fixers()) is not (code in NO_REPAIR)
