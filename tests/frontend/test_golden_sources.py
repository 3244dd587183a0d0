"""Sources of the golden cases parse to the recorded text, wrong ones give the recorded line and words (tests/golden/README.md)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.diagnostics import Severity
from pypto_core.frontend import parse
from pypto_core.ir import print_ir

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def case(path: Path) -> dict[str, Any]:
    return yaml.load(path.read_text(), yaml.CSafeLoader)  # type: ignore[no-any-return]


def _stands_for_parse_result(path: Path) -> bool:
    """Whether ``before`` is what the parser made: front/ always, tile/ with one pass, split/ without preparation."""
    data = case(path)
    if not data.get("before"):
        return False
    if path.parent.name == "tile":
        return len(data["passes"]) == 1
    return not data.get("prepare")


CASES = [p for folder in ("front", "tile", "split") for p in sorted((GOLDEN / folder).glob("*.yaml"))]
PARSED = [p for p in CASES if _stands_for_parse_result(p)]
REFUSED = [p for p in CASES if not case(p).get("before")]
OTHERS = [p for p in CASES if p not in PARSED and p not in REFUSED]
PROGRAMS = [
    (path, name)
    for path in sorted((GOLDEN / "kernels").glob("*.yaml"))
    for name, entry in case(path).get("entries", {}).items()
    if entry["kind"] == "program"
]


def _name(value: object) -> str:
    return f"{value.parent.name}/{value.stem}" if isinstance(value, Path) else str(value)


def _source(path: Path) -> str:
    return (path.parent / (path.name.split(".")[0] + ".py")).read_text()


@pytest.mark.parametrize("path", PARSED, ids=_name)
def test_source_parses_to_recorded_text(path: Path) -> None:
    result = parse(_source(path), path.with_suffix(".py").name)
    assert [d for d in result.diagnostics if d.severity is Severity.ERROR] == []
    assert result.program is not None
    assert result.incomplete == frozenset()
    assert print_ir(result.program).rstrip("\n") == case(path)["before"].rstrip("\n")


@pytest.mark.parametrize("path", OTHERS, ids=_name)
def test_source_of_prepared_case_is_clean(path: Path) -> None:
    result = parse(_source(path), path.with_suffix(".py").name)
    assert [d for d in result.diagnostics if d.severity is Severity.ERROR] == []
    assert result.program is not None


@pytest.mark.parametrize("path", REFUSED, ids=_name)
def test_refused_source_is_told_in_place(path: Path) -> None:
    result = parse(_source(path), path.with_suffix(".py").name)
    expected = case(path)["error"]
    words = expected["must_contain"]
    words = [words] if isinstance(words, str) else words
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    assert len(errors) == 1
    assert all(word in errors[0].message for word in words)
    if expected["line"] is not None:
        assert errors[0].span.line == expected["line"]


@pytest.mark.parametrize(("path", "entry"), PROGRAMS, ids=_name)
def test_program_of_kernel_file(path: Path, entry: str) -> None:
    result = parse(_source(path), path.with_suffix(".py").name)
    assert [d for d in result.diagnostics if d.severity is Severity.ERROR] == []
    assert print_ir(result.programs[entry]).rstrip("\n") == case(path)["entries"][entry]["program"].rstrip(
        "\n"
    )
