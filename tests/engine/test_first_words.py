"""Ordinary slips and all that is said about each (``data/first_words.yaml``): the slip itself, its repair, and nothing that only follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.fixes import Source, apply_edits, fixes_for
from tests.support.golden import load_yaml

DATA = load_yaml(Path(__file__).parent / "data" / "first_words.yaml")
FILE = "kernel.py"


def _text(case: dict[str, Any]) -> str:
    text: str = DATA["frames"][case["frame"]]
    if "swap" in case:
        assert case["swap"][0] in text
        text = text.replace(*case["swap"])
    line = next((line for line in text.splitlines() if line.strip() == "BODY"), None)
    if line is None:
        return text
    indent = line[: line.index("BODY")]
    return text.replace(line, "\n".join(indent + part for part in case["body"].split("\n")))


def _published(text: str) -> list[Diagnostic]:
    workspace = Workspace(settings=Settings(backend="a2a3"))
    workspace.open(FILE, text)
    return [d for d in workspace.diagnostics(FILE) if d.severity is not Severity.HINT]


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["name"])
def test_slip(case: dict[str, Any]) -> None:
    text = _text(case)
    found = _published(text)
    assert [d.code for d in found] == [told.partition(": ")[0] for told in case["told"]], [
        d.message for d in found
    ]
    for finding, told in zip(found, case["told"]):
        assert told.partition(": ")[2] in finding.message
        assert case.get("lacks", "\0") not in finding.message
    if "marks" in case:
        assert found[0].span.text == case["marks"]
    offered = {f.title: f for f in fixes_for(found[0], Source(FILE, text))} if found else {}
    if "fix" in case:
        after = _published(apply_edits(text, offered[case["fix"]].edits))
        assert [d.message for d in after if d.severity is Severity.ERROR] == []
    assert not set(case.get("refused", ())) & set(offered)
