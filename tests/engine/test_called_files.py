"""A finding in the text of something that is called stands in the called file, with the call beside it, whichever file is open (docs/spec/language.md §1.6, §2.5)."""

from __future__ import annotations

from pypto_core import Workspace
from pypto_core.engine.workspace import Settings

_T = "pl.Tensor[[64, 64], pl.FP32]"
_LIBRARY = """import pypto.language as pl
@pl.inline
def joined(x, y):
    return pl.add(x, y)
@pl.jit.inline
def step(x: pl.Tensor, y: pl.Tensor):
    y = pl.add(x, y)
    z = pl.mul(y, nope)
    return y
"""
_KERNELS = f"""import pypto.language as pl
from lib import joined, step
@pl.program
class P:
    @pl.function
    def main(self, x: {_T}, w: pl.Tensor[[64, 32], pl.FP32]):
        a = joined(x, x)
        return joined(x, w)
@pl.jit
def entry(x: {_T}, w: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[{_T}]):
    with pl.at(level=pl.Level.CORE_GROUP):
        w = step(x, w)
    return y
"""


class Disk:
    def __init__(self, library: str) -> None:
        self.files = {"/w/lib.py": library, "/w/k.py": _KERNELS}

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def is_directory(self, path: str) -> bool:
        return path in ("/", "/w")


Found = set[tuple[str, int, str, int]]


def _errors(workspace: Workspace, path: str) -> tuple[set[int], Found]:
    """Lines of the errors in the file itself; code, line and calling lines of those in the library."""
    here = {d.span.line for d in workspace.diagnostics(path) if d.severity.text == "error"}
    elsewhere = workspace.diagnostics_elsewhere(path).get("/w/lib.py", ())
    return here, {
        (d.code, d.span.line, r.span.filename, r.span.line)
        for d in elsewhere
        if d.severity.text == "error"
        for r in d.related
    }


def test_faults_stand_where_they_are_written() -> None:
    workspace = Workspace(Disk(_LIBRARY), Settings("a2a3"))
    workspace.open("/w/k.py", _KERNELS)
    here, library = _errors(workspace, "/w/k.py")
    assert here == set()
    assert library == {
        ("op-shape", 4, "/w/k.py", 8),
        ("op-shape", 7, "/w/k.py", 12),
        ("name-undefined", 8, "/w/k.py", 12),
    }


def test_the_called_file_alone_has_its_own_faults_only() -> None:
    workspace = Workspace(Disk(_LIBRARY), Settings("a2a3"))
    workspace.open("/w/lib.py", _LIBRARY)
    assert _errors(workspace, "/w/lib.py") == ({8}, set())


def test_edits_on_either_side_take_them_away() -> None:
    workspace = Workspace(Disk(_LIBRARY), Settings("a2a3"))
    workspace.open("/w/k.py", _KERNELS)
    workspace.open("/w/lib.py", _LIBRARY.replace("nope", "2.0"))
    assert {line for _, line, _, _ in _errors(workspace, "/w/k.py")[1]} == {4, 7}
    workspace.open("/w/k.py", _KERNELS.replace("[64, 32]", "[64, 64]"))
    assert _errors(workspace, "/w/k.py") == (set(), set())
