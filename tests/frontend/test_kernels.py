"""User-level kernel files parse to the recorded programs, correct ones without a diagnostic (tests/golden/README.md, kernels step 1)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.diagnostics import Severity
from pypto_core.frontend import ParseResult, parse
from pypto_core.ir import print_ir

KERNELS = Path(__file__).parents[1] / "golden" / "kernels"
REPORTS = Path(__file__).parents[1] / "golden" / "reports"


@cache
def case(path: Path) -> dict[str, Any]:
    return yaml.load(path.read_text(), yaml.CSafeLoader)  # type: ignore[no-any-return]


@cache
def parsed(path: Path) -> ParseResult:
    main = KERNELS / case(path).get("main", path.name.split(".")[0] + ".py")

    def text_of(module: str) -> str | None:
        file = main.parent / (module.replace(".", "/") + ".py")
        return file.read_text() if file.exists() else None

    return parse(main.read_text(), main.name, resolver=text_of)


FILES = sorted(KERNELS.glob("*.yaml"))
ENTRIES = [(path, name) for path in FILES for name in case(path)["entries"]]


@pytest.mark.parametrize(("path", "entry"), ENTRIES, ids=lambda v: v.stem if isinstance(v, Path) else v)
def test_program(path: Path, entry: str) -> None:
    program = parsed(path).programs[entry]
    assert print_ir(program).rstrip("\n") == case(path)["entries"][entry]["program"].rstrip("\n")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_nothing_is_wrong_for_the_frontend(path: Path) -> None:
    """The ``err_*`` files are wrong for a verifier or a pass, not for the frontend."""
    result = parsed(path)
    assert [d.message for d in result.diagnostics if d.severity <= Severity.WARNING] == []
    assert result.incomplete == frozenset()
    assert list(result.programs) == list(case(path)["entries"])


def _expected(path: Path) -> list[dict[str, Any]]:
    wanted = case(path)["expect"].get("diagnostic", [])
    return wanted if isinstance(wanted, list) else [wanted]


UNLOWERED = [p for p in sorted(REPORTS.glob("*.yaml")) if not case(p)["passes"]]


@pytest.mark.parametrize("path", UNLOWERED, ids=lambda p: p.stem)
def test_report_without_passes(path: Path) -> None:
    """What is the frontend's to tell is told at the right place, and nothing else is an error."""
    source = path.with_suffix(".py")
    result = parse(source.read_text(), source.name)
    wanted = [e for e in _expected(path) if str(e.get("rule")).startswith("parser.")]
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    assert len(errors) == len(wanted)
    for found, expected in zip(errors, wanted, strict=True):
        assert found.span.line == expected["line"]
        assert found.severity.text == expected["severity"]
        assert found.span.text == expected.get("covers", found.span.text)
        assert all(word in found.message for word in expected["must_contain"])
