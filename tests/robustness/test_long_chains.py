"""A chain of ``elif`` is a nest of branches as deep as it is long; it lowers all the same, from every door."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

import pypto_core as pc
from pypto_core import ir
from pypto_core.ir.deep import goes_deep
from pypto_lsp.check import Checker

CLAUSES = 1000


def chain(clauses: int) -> str:
    """A kernel that chooses among so many constants."""
    arms = "".join(
        f"        {'elif' if i else 'if'} n == {i}:\n            y = pl.add(x, {i}.0)\n"
        for i in range(clauses)
    )
    return (
        "import pypto.language as pl\n\n\n@pl.jit\n"
        "def choose(x: pl.Tensor[[64, 128], pl.FP32], o: pl.Out[pl.Tensor[[64, 128], pl.FP32]], n: pl.Scalar[pl.INT64]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        f"{arms}        else:\n            y = pl.mul(x, 2.0)\n        o[0:64, 0:128] = y\n    return o\n"
    )


@pytest.fixture(scope="module")
def text() -> str:
    return chain(CLAUSES)


def test_the_editor_has_nothing_to_say(text: str) -> None:
    workspace = pc.Workspace()
    workspace.open("/k.py", text)
    assert list(workspace.diagnostics("/k.py")) == []


def test_the_command_line_says_the_same(text: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(text)
    assert list(Checker().check(str(file)).findings) == []


def test_every_clause_is_there_at_the_end(text: str) -> None:
    program = pc.run_pipeline(pc.parse(text).program, backend="a2a3")
    kernel = next(f for f in program.functions if "incore" in f.name)
    branches = [s for s in ir.walk_stmts(kernel.body) if isinstance(s, ir.IfStmt)]
    assert len(branches) == CLAUSES
    assert pc.print_ir(program).count("pl.tile.adds(") == CLAUSES
    again = pc.run_pipeline(pc.parse(text).program, backend="a2a3")
    assert pc.structural_equal(program, again)


# -- the means ---------------------------------------------------------------------------------------------------------
@goes_deep
def _down(levels: int, fault: Exception | None = None) -> int:
    if levels == 0:
        if fault is not None:
            raise fault
        return 0
    return 1 + _down(levels - 1, fault)


def test_it_goes_deeper_than_the_limit_and_leaves_the_limit_alone() -> None:
    before, running = sys.getrecursionlimit(), threading.active_count()
    assert _down(5 * before) == 5 * before
    assert (sys.getrecursionlimit(), threading.active_count()) == (before, running)


def test_a_fault_from_below_comes_up_with_its_frames() -> None:
    fault = ValueError("below")
    with pytest.raises(ValueError) as caught:
        _down(2 * sys.getrecursionlimit(), fault)
    assert caught.value is fault
    assert len(caught.traceback) > 2 * sys.getrecursionlimit()


def test_what_has_no_bottom_ends() -> None:
    with pytest.raises(RecursionError):
        _down(10**9)
    assert _down(3) == 3
