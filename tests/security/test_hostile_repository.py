"""Checking a hostile repository executes nothing of it, writes nothing into it, and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pypto_lsp.cli import main
from tests.cli.kernels import GOOD
from tests.security.hostile import build


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    root, mark = tmp_path / "repo", tmp_path / "mark"
    build(root, mark)
    return root, mark


def everything_below(folder: Path) -> dict[str, tuple[int, int, int]]:
    """All entries with size, time and mode; links are not followed."""
    found = {}
    for where, folders, files in os.walk(folder):
        for name in (*folders, *files):
            status = os.lstat(Path(where) / name)
            found[str(Path(where) / name)] = (status.st_size, status.st_mtime_ns, status.st_mode)
    return found


def run(root: Path, *arguments: str, module: bool = False) -> subprocess.CompletedProcess[str]:
    """The command in the hostile folder, as a shell would start it."""
    start = (
        [sys.executable, "-m", "pypto_lsp"] if module else [str(Path(sys.executable).parent / "pypto-lsp")]
    )
    return subprocess.run(
        [*start, *arguments], cwd=root, capture_output=True, text=True, timeout=250, stdin=subprocess.DEVNULL
    )


def untouched(root: Path, mark: Path, before: dict[str, tuple[int, int, int]]) -> None:
    assert not mark.exists()
    assert sorted(p.name for p in root.parent.iterdir()) == ["repo"]
    assert everything_below(root) == before


def test_checking_everything(hostile: tuple[Path, Path]) -> None:
    root, mark = hostile
    before = everything_below(root)
    made = run(root, "check", ".", "--format", "json")
    assert made.returncode in (0, 1), made.stderr
    found = json.loads(made.stdout)
    assert {f["file"] for f in found} >= {"kernels.py"}
    assert "internal" not in {f["code"] for f in found}
    untouched(root, mark, before)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "kernels.py"),
        ("check", "**/*.py", "--jobs", "2"),
        ("check", ".", "--fix", "--statistics"),
        ("lower", "kernels.py", "--entry", "entry"),
        ("lanes", "kernels.py"),
        ("passes", "kernels.py", "--entry", "entry"),
        ("explain", "aiv-cube-in-region"),
    ],
    ids=" ".join,
)
def test_every_command(hostile: tuple[Path, Path], arguments: tuple[str, ...]) -> None:
    root, mark = hostile
    before = everything_below(root)
    made = run(root, *arguments)
    assert made.returncode in (0, 1, 2)
    assert "Traceback" not in made.stderr
    untouched(root, mark, before)


def test_started_as_a_module_in_the_folder(hostile: tuple[Path, Path]) -> None:
    """``python -m`` looks for libraries in the current folder first; ours leaves that out as soon as it runs."""
    root, mark = hostile
    (root / "importlib.py").unlink()  # this one Python itself imports, before anything of ours
    before = everything_below(root)
    made = run(root, "check", "kernels.py", module=True)
    assert made.returncode == 1, made.stderr
    untouched(root, mark, before)


def test_a_module_that_never_ends(tmp_path: Path) -> None:
    root, mark = tmp_path / "repo", tmp_path / "mark"
    build(root, mark, endless=True)
    made = run(root, "check", "endless.py")
    assert made.returncode == 0
    assert not mark.exists()


@pytest.mark.parametrize("name", ["pipe.py", "device.py", "self.py", "nothing.py", "folder.py"])
def test_files_that_are_none_are_wrong_calls_or_findings(
    hostile: tuple[Path, Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile[0])
    assert CliRunner().invoke(main, ["check", name]).exit_code in (0, 1, 2)
    assert CliRunner().invoke(main, ["lower", name]).exit_code == 2


def test_imports_of_pipes_and_devices_end(hostile: tuple[Path, Path]) -> None:
    root, mark = hostile
    assert run(root, "check", "uses_pipes.py").returncode in (0, 1)
    assert not mark.exists()


@pytest.mark.parametrize(
    "table",
    [
        'search-path = ["/dev", "/proc/self", "/", "~", "../../../..", "$(touch mark)", "`touch mark`", "\\u0000"]',
        'exclude = ["[", "**/**/**/**/**/**/**/**/x", "(a+)+$", "\\u0000"]',
        'ignore = ["*", "[", "$(touch mark)"]',
        "max-file-size = 1e308",
        "max-file-size = inf",
        "max-file-size = nan",
        'backend = "/bin/sh"',
        'plugins = ["evil"]',
        "ignore = { a = 1 }",
        "[[tool.pypto-lsp]]",
        "x = " + "[" * 2000 + "]" * 2000,
    ],
)
def test_settings(tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "k.py").write_text("import evil\nfrom dev import zero\nfrom null import N\n" + GOOD)
    (root / "pyproject.toml").write_text(
        f"[tool.pypto-lsp]\n{table}\n" if "[[" not in table[:3] else table + "\nx = 1\n"
    )
    before = everything_below(root)
    monkeypatch.chdir(root)
    made = CliRunner().invoke(main, ["check", "."])
    assert made.exception is None or isinstance(made.exception, SystemExit)
    assert made.exit_code in (0, 1, 2)
    assert everything_below(root) == before


def test_output_names_do_not_break_the_lines_of_a_report(hostile: tuple[Path, Path]) -> None:
    """A file name with a line break must not make a workflow command of its own."""
    root, _ = hostile
    name = "x\n::error file=a::b.py"
    (root / name).write_bytes(b"# pypto \xff")
    made = run(root, "check", name, "--format", "github")
    assert [line[:8] for line in made.stdout.splitlines()] == ["::error "]
