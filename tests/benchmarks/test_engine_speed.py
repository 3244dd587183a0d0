"""The engine without a server: what a keystroke costs in files of different lengths. ``make bench`` runs these; nothing fails on time."""

from __future__ import annotations

from itertools import count

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pypto_core.engine.workspace import Settings, Workspace
from tests.benchmarks.long_files import PROBE, long_file, long_kernel, suite

PATH = "/w/k.py"


def edited(text: str, marker: str, number: int) -> str:
    """``text`` with another statement in front of the line in which ``marker`` stands."""
    at = text.rindex("\n", 0, text.index(marker)) + 1
    return f"{text[:at]}        zz_v = {number}\n{text[at:]}"


def opened(text: str) -> Workspace:
    workspace = Workspace(settings=Settings("a2a3"))
    workspace.open(PATH, text)
    workspace.diagnostics(PATH)
    workspace.facts(PATH, lowered=True)
    return workspace


@pytest.mark.parametrize("lines", [200, 2_000, 20_000])
def test_keystroke_while_typing(benchmark: BenchmarkFixture, lines: int) -> None:
    """From the new text to what is known while typing; the same function in files of three lengths."""
    text = long_file(lines)
    workspace, numbers = opened(text), count()

    def setup() -> None:
        workspace.diagnostics(PATH)
        workspace.open(PATH, edited(text, "inv = pl.rsqrt(pl.add(m, EPS))", next(numbers)))

    def keystroke() -> None:
        workspace.names(PATH)
        workspace.first_diagnostics(PATH)
        workspace.facts(PATH, lowered=False)

    assert PROBE in text
    benchmark.pedantic(keystroke, setup=setup, rounds=40, warmup_rounds=2)


@pytest.mark.parametrize("lowered", [False, True], ids=["typing", "lowering"])
def test_keystroke_in_a_long_kernel(benchmark: BenchmarkFixture, lowered: bool) -> None:
    """The same in one kernel of 500 statements, without its lowering and with it."""
    text = suite()[0] + long_kernel(500)
    workspace, numbers = opened(text), count()

    def setup() -> None:
        workspace.open(PATH, edited(text, "grown25 =", next(numbers)))

    def keystroke() -> None:
        workspace.first_diagnostics(PATH)
        if lowered:
            workspace.diagnostics(PATH)

    benchmark.pedantic(keystroke, setup=setup, rounds=20, warmup_rounds=2)


def test_open(benchmark: BenchmarkFixture) -> None:
    """A file of 2,000 lines for the first time, as far as it is known while typing."""
    text = long_file(2_000)

    def first() -> None:
        workspace = Workspace(settings=Settings("a2a3"))
        workspace.open(PATH, text)
        workspace.first_diagnostics(PATH)

    benchmark.pedantic(first, rounds=5, warmup_rounds=1)
