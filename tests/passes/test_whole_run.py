"""User files through everything: the chain in memory gives the recorded last text, sound kernels stay silent, wrong ones do not
(tests/golden/README.md, kernels steps 3 and 4, and reports)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.frontend import ParseResult, parse
from pypto_core.ir import Program, print_ir
from pypto_core.passes.pipeline import PIPELINE, run_pipeline
from pypto_lsp.modules import Disk
from tests.support.golden import GOLDEN, load_yaml, make_pass, recorded_stages, same_text

KERNELS = sorted((GOLDEN / "kernels").glob("*.yaml"))
REPORTS = sorted((GOLDEN / "reports").glob("*.yaml"))
BACKENDS = {"Ascend910B": "a2a3", "Ascend950": "a5"}


def source_of(record: Path) -> Path:
    return GOLDEN / "kernels" / load_yaml(record).get("main", record.name.split(".")[0] + ".py")


def module_reader(main: Path) -> Any:
    def read(name: str, *_: object) -> str | None:
        for file in (
            main.parent / (name.replace(".", "/") + ".py"),
            main.parent / name.replace(".", "/") / "__init__.py",
        ):
            if file.exists():
                return file.read_text(encoding="utf-8")
        return None

    return read


@cache
def parsed(record: Path) -> ParseResult:
    main = source_of(record)
    return parse(main.read_text(encoding="utf-8"), str(main), resolver=module_reader(main))


ENTRIES = [(record, name) for record in KERNELS for name in load_yaml(record)["entries"]]


@pytest.mark.parametrize(("record", "entry"), ENTRIES, ids=lambda v: v.stem if isinstance(v, Path) else v)
def test_chain(record: Path, entry: str) -> None:
    """All passes in memory, without printing in between, end in the recorded text."""
    data = load_yaml(record)
    recorded = data["entries"][entry]
    stages = recorded_stages(record.parent, recorded)
    ran = [name for name in PIPELINE if name in stages or name in (recorded.get("unchanged") or ())]
    if not ran:
        assert recorded["kind"] == "jit.inline"
        return
    expected = list(stages.values())[-1] if stages else recorded["program"]
    program = run_pipeline(parsed(record).programs[entry], until=ran[-1], backend=data["backend"])
    same_text(print_ir(program), expected)


def findings(main: Path, backend: str) -> tuple[Diagnostic, ...]:
    core = Workspace(Disk(), Settings(backend=backend))
    core.open(str(main), main.read_text(encoding="utf-8"))
    return core.diagnostics(str(main))


@pytest.mark.parametrize("record", KERNELS, ids=lambda p: p.stem)
def test_whole_run(record: Path) -> None:
    """Sound kernels have no finding above a hint; the wrong ones have the recorded one on the recorded line."""
    data = load_yaml(record)
    found = [d for d in findings(source_of(record), data["backend"]) if d.severity <= Severity.WARNING]
    error = data.get("error")
    if error is None:
        assert [(d.code, d.span.line, d.message) for d in found] == []
        return
    assert [d.span.line for d in found if d.severity is Severity.ERROR] == [error["line"]]


def lowered(program: Program, passes: list[str], backend: str) -> Program:
    """The passes of a record: single ones by factory name, ``pipeline:X`` everything up to X."""
    for name in passes:
        if name.startswith("pipeline:"):
            program = run_pipeline(program, until=name.removeprefix("pipeline:"), backend=backend)
        else:
            program = make_pass(name, backend)(program)
    return program


def wanted(record: Path) -> list[dict[str, Any]]:
    expected = load_yaml(record)["expect"].get("diagnostic", [])
    return expected if isinstance(expected, list) else [expected]


@pytest.mark.parametrize("record", REPORTS, ids=lambda p: p.stem)
def test_report(record: Path) -> None:
    """Kernels behind bug reports show the right finding at the right characters, or the right lowering."""
    data = load_yaml(record)
    main = record.with_suffix(".py")
    expect = data["expect"]
    found = findings(main, BACKENDS.get(data["backend"], data["backend"]))
    for one in wanted(record):
        lines = one.get("line_any") or [one["line"]]
        fitting = [
            d for d in found if d.span.line in lines and d.severity.text == one.get("severity", "error")
        ]
        assert fitting, [(d.code, d.span.line, d.severity.text, d.message) for d in found]
        finding = fitting[0]
        words = finding.message + "".join(r.message for r in finding.related)
        assert all(token in words for token in one.get("must_contain", ())), words
        assert not any(token in words for token in one.get("must_not_contain", ())), words
        assert finding.span.text == one.get("covers", finding.span.text)
    silent = set(expect.get("no_diagnostic_lines", ()))
    assert [d.message for d in found if d.span.line in silent] == []
    if expect.get("no_diagnostic"):
        assert [d.message for d in found if d.severity < Severity.HINT] == []
    if "after_contains" in expect or "after_not_contains" in expect:
        program = parse(main.read_text(encoding="utf-8"), main.name).program
        assert program is not None
        text = print_ir(lowered(program, data["passes"], data["backend"]))
        assert [t for t in expect.get("after_contains", ()) if t not in text] == []
        assert [t for t in expect.get("after_not_contains", ()) if t in text] == []
