"""The configurations that the pages of docs/editors show, run in the editors as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pypto_lsp.cli import main
from pypto_lsp.config import _EDITOR_NAMES, Config, _flatten, with_editor_settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "editors"
SCRIPTS = Path(__file__).parent / "pages"
PACKAGES = Path("/usr/share/emacs/site-lisp/elpa")
WRONG = (ROOT / "docs" / "samples" / "wrong_column_peak.py").read_text(encoding="utf-8")
CODE, ENTRY = "aiv-reduce-split-axis", "WrongColumnPeak"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """The configurations on a page, as they stand there."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return [body for name, body in _BLOCK.findall(text) if name == language]


def needs(program: str) -> str:
    """Path of an editor; without it the test is left out, or fails where editors are required."""
    found = shutil.which(program)
    if found is None:
        if os.environ.get("PYPTO_EDITORS") == "required":
            pytest.fail(f"there is no {program}")
        pytest.skip(f"there is no {program}")
    return found


def environment(home: Path, **more: str) -> dict[str, str]:
    """That of a user who has installed the server: the command is on PATH, and their settings are in ``home``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "PYTHON"))}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "PATH": path, **more}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a wrong kernel, and modules that must not be taken for Python's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "kernel.py").write_text(WRONG, encoding="utf-8")
    for name in ("importlib", "runpy", "click", "logging"):
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / 'imported')!r}, 'w')\nraise SystemExit(9)\n", encoding="utf-8"
        )
    return folder


def seen(arguments: list[str], project: Path, env: dict[str, str]) -> dict[str, Any]:
    """What the script in the editor saw: the last line that it printed."""
    more = {"PYPTO_FILE": str(project / "kernel.py"), "PYPTO_ENTRY": ENTRY}
    done = subprocess.run(
        arguments, cwd=project, env={**env, **more}, capture_output=True, text=True, timeout=240, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(lines[-1])
    assert "fault" not in found, found["fault"] + done.stderr
    assert not (project.parent / "imported").exists()
    return found


def test_neovim(project: Path, tmp_path: Path) -> None:
    """The configuration for the client without ``vim.lsp.config``, and the command for lowered documents."""
    program = needs("nvim")
    shown = blocks("neovim.md", "lua")
    config = tmp_path / ".config" / "nvim"
    config.mkdir(parents=True)
    init = [block for block in shown if "nvim_create_autocmd" in block or "PyptoLowered" in block]
    assert len(init) == 2
    (config / "init.lua").write_text("\n".join(init), encoding="utf-8")
    script = str(SCRIPTS / "neovim.lua")
    found = seen([program, "--headless", "-n", "-c", f"luafile {script}"], project, environment(tmp_path))
    assert found["code"] == CODE
    assert found["command"] == ["pypto-lsp", "serve"]
    assert found["lowered"].startswith("# pypto.program: WrongColumnPeak")
    assert found["modifiable"] is False


def test_neovim_with_configuration_files(tmp_path: Path) -> None:
    """What newer versions read from ``lsp/pypto.lua``: the file gives a table with a command that the server has."""
    program = needs("nvim")
    file = tmp_path / "pypto.lua"
    file.write_text(blocks("neovim.md", "lua")[0], encoding="utf-8")
    show = f"lua io.stdout:write(vim.fn.json_encode(dofile('{file}')) .. '\\n')"
    done = subprocess.run(
        [program, "--headless", "-u", "NONE", "-c", show, "-c", "qall!"],
        capture_output=True,
        text=True,
        check=True,
    )
    config = json.loads(done.stdout or done.stderr)
    assert_starts(config["cmd"])
    assert config["filetypes"] == ["python"]
    assert_settings(config["settings"]["pypto"])


def test_emacs(project: Path, tmp_path: Path) -> None:
    """The lines for the init file, and the settings of a project."""
    program = needs("emacs")
    init, local, _ = blocks("emacs.md", "elisp")
    (project / ".dir-locals.el").write_text(local, encoding="utf-8")
    file = tmp_path / "init.el"
    file.write_text(init, encoding="utf-8")
    load = [
        part
        for name in ("eglot", "xref", "project", "seq")
        for folder in sorted(PACKAGES.glob(f"{name}-*"))
        for part in ("-L", str(folder))
    ]
    script = str(SCRIPTS / "emacs.el")
    arguments = [program, "--batch", "-q", *load, "--load", str(file), "--load", script]
    found = seen(arguments, project, environment(tmp_path))
    assert CODE in found["text"]
    assert found["command"][-2:] == ["pypto-lsp", "serve"]
    assert found["backend"] == "a5"


def test_emacs_blocks_are_lisp(tmp_path: Path) -> None:
    program = needs("emacs")
    for number, block in enumerate(blocks("emacs.md", "elisp")):
        file = tmp_path / f"{number}.el"
        file.write_text(block, encoding="utf-8")
        read = f'(with-temp-buffer (insert-file-contents "{file}") (check-parens) (read (current-buffer)))'
        subprocess.run([program, "--batch", "-q", "--eval", read], capture_output=True, check=True)


def test_helix() -> None:
    """There is no Helix to run; the file is read, and its command and settings are those of the server."""
    config = tomllib.loads("\n".join(blocks("helix.md", "toml")))
    server = config["language-server"]["pypto"]
    assert_starts([server["command"], *server["args"]])
    assert_settings(server["config"]["pypto"])
    (language,) = config["language"]
    assert language["name"] == "python"
    assert "pypto" in language["language-servers"]


def test_sublime() -> None:
    """There is no Sublime Text to run; the file is read, and its command and settings are those of the server."""
    (text,) = blocks("sublime.md", "json")
    client = json.loads(text)["clients"]["pypto"]
    assert client["enabled"] is True
    assert_starts(client["command"])
    assert all(name.startswith("pypto.") for name in client["settings"])
    assert_settings({name.removeprefix("pypto."): value for name, value in client["settings"].items()})


def assert_starts(command: list[str]) -> None:
    """The console script with a subcommand that there is."""
    assert command[0] == "pypto-lsp"
    result = CliRunner().invoke(main, [*command[1:], "--help"])
    assert result.exit_code == 0, result.output
    assert (Path(sys.executable).parent / "pypto-lsp").exists()


def assert_settings(section: dict[str, Any]) -> None:
    """Every setting is one of the server's, with a value that it takes."""
    assert set(_flatten(section)) <= set(_EDITOR_NAMES)
    with_editor_settings(Config(), section)
