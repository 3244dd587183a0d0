"""A folder of many files costs what is told of them: no trees, no names and few texts stay of files that nobody has open."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pypto_core import Cancelled, Settings, Workspace
from pypto_lsp import modules
from pypto_lsp.features.references import all_references
from pypto_lsp.features.workspace_diagnostics import analyse
from pypto_lsp.modules import Disk
from pypto_lsp.project import Project

FILES = 60
KERNEL = """import pypto.language as pl
from sizes import ROWS


@pl.jit
def kernel_{number}(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:, :] = pl.mul(x, undefined_{number})
    return y
"""


def server(core: Workspace) -> Any:
    """What :func:`analyse` needs of a server."""
    config = SimpleNamespace(core=lambda: Settings("a2a3"))
    return SimpleNamespace(core=core, config_of=lambda path: config)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sizes.py").write_text("# pypto\nROWS = 32\n", encoding="utf-8")
    for number in range(FILES):
        (tmp_path / f"k{number}.py").write_text(KERNEL.format(number=number), encoding="utf-8")
    return tmp_path


def project(folder: Path) -> Project:
    disk = Disk()
    made = Project(Workspace(disk, Settings("a2a3")), disk)
    for path in made.discover([folder.as_posix()]):
        made.look_at(path)
    return made


def test_a_look_at_them_keeps_what_they_define(folder: Path) -> None:
    known = project(folder)
    assert len(known.files()) == FILES + 1
    assert known.core.remembered_files == 0
    assert sum(d.kind == "kernel" for found in known.defined.values() for d in found) == FILES


def test_uses_in_all_of_them_are_found_without_keeping_them(folder: Path) -> None:
    known, path = project(folder), (folder / "sizes.py").as_posix()
    target, uses = all_references(known.core, known, (), path, 1, 0)
    assert target is not None and len(uses) == 1 + 3 * FILES
    assert known.core.remembered_files <= 2


def test_what_an_open_file_imports_stays(folder: Path) -> None:
    known, path, sizes = project(folder), (folder / "k0.py").as_posix(), (folder / "sizes.py").as_posix()
    core = known.core
    core.open(path, (folder / "k0.py").read_text(encoding="utf-8"))
    core.diagnostics(path)
    core.trim()
    assert core.remembered_files == 2
    core.db.computed.clear()
    core.diagnostics(path)
    assert core.names_apart(sizes) is core.names(sizes)
    assert "parsed" not in core.db.computed
    core.close(path)
    core.trim()
    assert core.remembered_files == 0


def test_findings_of_closed_files_leave_nothing_behind(folder: Path) -> None:
    known = project(folder)
    core = known.core
    found = [analyse(server(core), path) for path in sorted(known.files())]
    assert sum(len(told or ()) for told in found) == FILES
    memos = core.db.memo_count()
    kept = {"present", "module_paths"}  # whether a file is there: a word each
    assert {name: count for name, count in memos.items() if count and name not in kept} == {}
    assert core.remembered_files == 0
    core.open("/w/open.py", "x = 1\n")
    assert analyse(server(core), "/w/open.py") is None


def test_a_look_at_a_file_stops_for_a_keystroke(folder: Path) -> None:
    known = project(folder)
    known.core.interrupt()
    with pytest.raises(Cancelled):
        known.look_at((folder / "k1.py").as_posix())
    known.core.resume()
    known.look_at((folder / "k1.py").as_posix())


def test_texts_that_were_read_least_recently_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "_MAX_REMEMBERED", 5_000)
    disk = Disk()
    for number in range(FILES):
        assert disk.read((folder / f"k{number}.py").as_posix()) == KERNEL.format(number=number)
    assert 1 < len(disk._texts) < 20
    assert disk._remembered <= 5_000
    (folder / "k3.py").unlink()
    assert disk.read((folder / "k3.py").as_posix()) is None
