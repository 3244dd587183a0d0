"""A module that computes without end keeps nobody waiting: an edit cancels it, and what it did is not done again (docs/architecture.md §4)."""

from __future__ import annotations

import threading
import time

import pytest

from pypto_core import Workspace
from pypto_core.engine.database import Cancelled
from tests.support.costs import calls_counted

_LOOP = "x = 0\nwhile True:\n    for i in range(99999):\n        x = x + i\n"
_KERNEL = """
@pl.jit
def entry(a: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.mul(a, 2.0)
    return y
"""


def _text(number: str) -> str:
    return f"import pypto.language as pl\n\nN = {number}\n\n{_LOOP}\n{_KERNEL}"


class Disk:
    """One file, which others import."""

    def read(self, path: str) -> str | None:
        return _LOOP if path == "/w/endless.py" else None

    def is_directory(self, path: str) -> bool:
        return path in ("/", "/w")


def test_an_edit_cancels_the_evaluation_of_a_module() -> None:
    workspace = Workspace()
    workspace.open("/w/k.py", _text("64"))
    outcomes: list[object] = []

    def ask() -> None:
        try:
            outcomes.append(workspace.typing_diagnostics("/w/k.py"))
        except Cancelled:
            outcomes.append("cancelled")

    thread = threading.Thread(target=ask)
    real = workspace.db.check
    running = threading.Event()

    def check() -> None:
        running.set()
        for _ in range(20):  # slow enough for the edit to come in between
            real()
            time.sleep(0.01)

    workspace.db.check = check  # type: ignore[method-assign]
    thread.start()
    assert running.wait(60)
    workspace.open("/w/k.py", "N = 1\n")
    thread.join(60)
    assert outcomes == ["cancelled"]


@pytest.mark.parametrize("place", ["in the file", "in an imported file"])
def test_typing_beside_an_endless_loop_is_cheap(place: str) -> None:
    def text(number: str) -> str:
        whole = _text(number)
        return whole if place == "in the file" else whole.replace(_LOOP, "from endless import x\n")

    workspace = Workspace(Disk())
    workspace.open("/w/k.py", text("64"))
    assert workspace.typing_diagnostics("/w/k.py") == ()
    for number in ("6", "64 * 2", "8 +", "8 + 8"):
        with calls_counted() as calls:
            workspace.open("/w/k.py", text(number))
            workspace.typing_diagnostics("/w/k.py")
        assert calls[0] < 100_000
    shapes = [str(p.type.shape[0]) for p in workspace.parsed("/w/k.py").programs["entry"].functions[0].params]
    assert len(shapes) == 2
