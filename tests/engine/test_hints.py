"""Hints about speed appear once per kernel and operator, in the author's words."""

from __future__ import annotations

from pathlib import Path

from pypto_core import Diagnostic, Severity, Workspace, parse, run_pipeline
from pypto_core.verify import hints_of

SAMPLES = Path(__file__).parents[2] / "docs" / "samples"
CODE = "tile-innermost-dim"
RAGGED = (SAMPLES / "ragged_attention.py").read_text(encoding="utf-8")
LANES = (SAMPLES / "lane_regions.py").read_text(encoding="utf-8")
FIRST = "q_l1 = pl.load(q, [0, 0], [16, 64], [15, 64], target_memory=pl.Mem.Mat)"


def _hints(text: str) -> list[Diagnostic]:
    workspace = Workspace()
    workspace.open("kernel.py", text)
    return [d for d in workspace.diagnostics("kernel.py") if d.severity is Severity.HINT]


def test_once_per_operator_of_a_kernel_with_the_other_places() -> None:
    load, store = _hints(RAGGED)
    assert {load.code, store.code} == {CODE}
    assert load.span.text == FIRST.partition(" = ")[2]
    assert load.message == (
        "'pl.load' moves rows of 128B (64 x BF16, Mat); a2a3 is only fast with rows of 512B or more: make the last dimension of "
        "the tile at least 256 where the data allows it (and 2 more places in this kernel)"
    )
    assert [other.span.text.partition("(")[0] for other in load.related] == ["pl.load", "pl.load"]
    assert store.span.text.startswith("pl.store(")
    assert not store.related


def test_each_kernel_has_its_own() -> None:
    second = LANES[LANES.index("@pl.program") :].replace("class LaneRegions", "class Again")
    one, found = _hints(LANES), _hints(f"{LANES}\n\n{second}")
    assert len(found) == 2 * len(one)


def test_an_ignored_place_is_not_counted() -> None:
    hint, _ = _hints(RAGGED.replace(FIRST, f"{FIRST}  # pypto: ignore[{CODE}]"))
    assert "k" in hint.span.text
    assert "(and 1 more place in this kernel)" in hint.message
    everywhere = "\n".join(
        f"{line}  # pypto: ignore" if "pl." in line else line for line in RAGGED.split("\n")
    )
    # Comments on quiet lines are told; nothing else is.
    assert {d.code for d in _hints(everywhere)} == {"ignore-unused"}


def test_the_compilers_report_is_as_it_was() -> None:
    program = parse(RAGGED, "kernel.py").program
    assert program is not None
    raw = hints_of(run_pipeline(program, backend="a2a3"), "a2a3")
    assert len(raw) == 4
    assert "innermost dimension of 128B (bfloat16[64]) in Mat" in raw[0].message
