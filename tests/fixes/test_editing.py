"""What every repair keeps: line breaks, comments, strings, and a distance from text that has changed."""

from __future__ import annotations

from typing import Any

import pytest

from pypto_core.fixes import Source, fixes_for
from tests.fixes.support import FILE, FOLDER, changed, findings, framed, load, repairs

CASES = [case for path in sorted((FOLDER / "cases").glob("*.yaml")) for case in load(path)]
IDS = [case["name"] for case in CASES]


def _found(case: dict[str, Any], text: str) -> Any:
    found = findings(text, case.get("backend", "a2a3"), case.get("run"))
    return next(d for d in found if d.code == case["code"])


@pytest.mark.parametrize("case", CASES[::4], ids=IDS[::4])
def test_carriage_returns_stay(case: dict[str, Any]) -> None:
    text = framed(case["frame"], case["text"])
    windows = text.replace("\n", "\r\n")
    plain = [changed(text, fix) for fix in repairs(_found(case, text), text)]
    mixed = [changed(windows, fix) for fix in repairs(_found(case, windows), windows)]
    assert mixed == [after.replace("\n", "\r\n") for after in plain]


@pytest.mark.parametrize("case", CASES[::4], ids=IDS[::4])
def test_changed_text_gets_no_edits(case: dict[str, Any]) -> None:
    text = framed(case["frame"], case["text"])
    finding = _found(case, text)
    edited = text.replace(finding.span.text, "?" * len(finding.span.text))
    assert fixes_for(finding, Source("other.py", text)) == ()
    assert fixes_for(finding, Source(FILE, edited)) == ()


def test_a_broken_neighbour_does_not_matter() -> None:
    text = framed("core", "b = 2.0 * a")
    broken = text + "\n\ndef unfinished(:\n    pass\n"
    finding = next(d for d in findings(broken) if d.code == "python-operator-on-tensor")
    (fix,) = repairs(finding, broken)
    assert changed(broken, fix) == broken.replace("2.0 * a", "pl.mul(a, 2.0)")


def test_strings_keep_their_indentation() -> None:
    body = 'e = pl.exp(x)\npl.static_print("""one\ntwo\n""")\nout[:, :] = e'
    text = framed("plain", body).replace(
        "    @pl.function\n", "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    )
    finding = next(d for d in findings(text) if d.code == "orphan-operator")
    (fix,) = repairs(finding, text)
    after = changed(text, fix)
    assert after.count("pl.at(level=pl.Level.CORE_GROUP)") == 1
    assert '"""one\n' in after
    assert [line for line in after.splitlines() if line.lstrip().startswith("two")] == [
        line for line in text.splitlines() if line.lstrip().startswith("two")
    ]


def test_statements_on_one_line_are_left_alone() -> None:
    text = framed(
        "region",
        "mm = pl.matmul(a, b, out_dtype=pl.FP32)\nfor lane in pl.split_aiv(2, mode=pl.SplitMode.NONE): out[:, :] = pl.exp(mm)",
    )
    finding = next(d for d in findings(text) if d.code == "aiv-unnamed-shard")
    assert repairs(finding, text) == ()
