"""Repairs as data (``cases/*.yaml``): a kernel, the finding, every repair that is offered with the lines it changes, and a near
twin about which nothing is said.

``leaves`` names errors that a repair uncovers or leaves to the author; otherwise the finding is gone and nothing new is wrong.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixes.support import FOLDER, changed, difference, errors, findings, framed, load, repairs

CASES = [(path.stem, case) for path in sorted((FOLDER / "cases").glob("*.yaml")) for case in load(path)]
IDS = [f"{stem}-{case['name']}" for stem, case in CASES]


def _finding(case: dict[str, Any], text: str) -> Any:
    found = [
        d for d in findings(text, case.get("backend", "a2a3"), case.get("run")) if d.code == case["code"]
    ]
    assert found, f"{case['code']} is not reported"
    return found[case.get("nth", 0)]


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=IDS)
def test_edits(case: dict[str, Any]) -> None:
    text = framed(case["frame"], case["text"])
    offered = repairs(_finding(case, text), text)
    assert [f.title for f in offered] == [f["title"] for f in case["fixes"]]
    for fix, expected in zip(offered, case["fixes"]):
        assert fix.safe == expected.get("safe", False), fix.title
        assert difference(text, changed(text, fix)) == expected["lines"], fix.title


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=IDS)
def test_finding_is_gone(case: dict[str, Any]) -> None:
    text = framed(case["frame"], case["text"])
    run = case.get("backend", "a2a3"), case.get("run")
    before = findings(text, *run)
    for fix, expected in zip(repairs(_finding(case, text), text), case["fixes"], strict=True):
        after = findings(changed(text, fix), *run)
        assert sum(d.code == case["code"] for d in after) < sum(d.code == case["code"] for d in before), (
            fix.title
        )
        new = errors(after) - errors(before)
        assert sorted(new) == expected.get("leaves", []), (
            fix.title,
            [d.message for d in after if d.code in new],
        )


@pytest.mark.parametrize(
    "case", [c for _, c in CASES if "twin" in c], ids=[i for i, (_, c) in zip(IDS, CASES) if "twin" in c]
)
def test_twin_is_silent(case: dict[str, Any]) -> None:
    found = findings(framed(case["frame"], case["twin"]), case.get("backend", "a2a3"), case.get("run"))
    assert [d.message for d in found if d.code == case["code"]] == []
    assert not errors(found), [d.message for d in found]
