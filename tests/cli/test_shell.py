"""How the commands behave in a shell: pipes, signals, full disks, closed outputs, odd folders, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.cli.kernels import BAD, BAD_CODE, GOOD

COMMAND = [sys.executable, "-m", "pypto_lsp"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and links of Unix")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(GOOD)
    Path("bad.py").write_text(BAD)
    return tmp_path


def run(*arguments: str, stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], stdout=stdout, stderr=subprocess.PIPE, timeout=250)


def closed_after(count: int, *arguments: str) -> tuple[int, bytes]:
    """Exit code and standard error of a command whose reader goes away after some bytes."""
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as made:
        assert made.stdout is not None and made.stderr is not None
        made.stdout.read(count)
        made.stdout.close()
        return made.wait(60), made.stderr.read()


@pytest.mark.parametrize("arguments", [("check", "."), ("check", ".", "--format", "json"), ("explain",)])
def test_a_reader_that_goes_away(folder: Path, arguments: tuple[str, ...]) -> None:
    for number in range(10):
        Path(f"bad{number}.py").write_text(BAD.replace("import", "# " + "x" * 9_000 + "\nimport", 1))
    code, said = closed_after(10, *arguments)
    assert code in (0, 1)
    assert said == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [("check", "bad.py"), ("explain",), ("lower", "good.py")])
def test_a_full_disk(folder: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        made = run(*arguments, stdout=full)
    assert made.returncode == 2
    assert made.stderr == b"Error: cannot write the output: No space left on device\n"


def test_a_closed_output(folder: Path) -> None:
    made = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "check", "bad.py"], stderr=subprocess.PIPE, timeout=250
    )
    assert (made.returncode, made.stderr) == (1, b"")


def interrupted(made: subprocess.Popen[bytes]) -> int:
    """Exit code after an interrupt. One that comes between two reads of Python's is noticed with the next one only."""
    while True:
        made.send_signal(signal.SIGINT)
        try:
            return made.wait(3)
        except subprocess.TimeoutExpired:
            continue


@pytest.mark.parametrize("command", ["check", "lower", "lanes"])
def test_an_interrupt(folder: Path, command: str) -> None:
    """It waits for standard input, so the interrupt comes in the middle of the command."""
    with subprocess.Popen(
        [*COMMAND, command, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that starts the tests in the background has interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as made:
        assert made.stdin is not None and made.stderr is not None
        # More than a pipe holds: when this returns, the command has begun to read.
        made.stdin.write(b"# pypto\n" * 50_000)
        made.stdin.flush()
        assert interrupted(made) == 130
        assert made.stderr.read() == b"interrupted\n"


def test_a_loop_of_links_and_a_folder_without_kernels(folder: Path) -> None:
    Path("empty").mkdir()
    made = run("check", "empty")
    assert (made.returncode, made.stdout) == (0, b"no findings in 0 files\n")
    Path("sub").mkdir()
    Path("sub/bad.py").write_text(BAD)
    Path("sub/loop").symlink_to(".")
    Path("sub/one.py").symlink_to("two.py")
    Path("sub/two.py").symlink_to("one.py")
    made = run("check", "sub", "--format", "json")
    assert [f["file"] for f in json.loads(made.stdout)] == ["sub/bad.py"]
    made = run("check", "sub/one.py")
    assert (made.returncode, made.stderr) == (2, b"Error: sub/one.py: no such file or folder\n")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    Path("bad.py").chmod(0)
    made = run("check", "bad.py")
    assert made.returncode == 1
    assert b"cannot read the file: Permission denied" in made.stdout


def test_workflow_commands_keep_odd_names_in_one_piece(folder: Path) -> None:
    odd = "a,b:c%d.py"
    Path(odd).write_text(BAD)
    made = run("check", odd, "--format", "github")
    assert made.stdout.startswith(b"::error file=a%2Cb%3Ac%25d.py,line=12,")
    assert len(made.stdout.splitlines()) == 1


def test_nothing_but_findings_goes_to_standard_output(folder: Path) -> None:
    """No progress without a terminal; counts do not mix with a form for machines."""
    made = run("check", ".", "--format", "json", "--statistics")
    assert [f["code"] for f in json.loads(made.stdout)] == [BAD_CODE]
    assert made.stderr == f"     1 {BAD_CODE}\n".encode()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "good.py"), 0),
        (("check", "bad.py"), 1),
        (("check", "missing.py"), 2),
        (("lower", "good.py"), 0),
        (("lower", "bad.py"), 1),
        (("lower", "missing.py"), 2),
        (("lanes", "good.py"), 0),
        (("lanes", "bad.py"), 1),
        (("memory", "good.py"), 0),
        (("passes", "good.py"), 0),
        (("passes", "missing.py"), 2),
        (("explain", BAD_CODE), 0),
        (("explain", "no-such-code"), 2),
        (("no-such-command",), 2),
        ((), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_exit_codes(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments).returncode == code
