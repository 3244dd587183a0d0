"""Transcripts of commands in the documentation are what the commands print.

In a page of :data:`PAGES`, a block ``python title="kernel.py"`` writes that file, and a ``console`` block holds commands
(``$ pypto-lsp ...``) and what they print in the folder where those files and ``docs/samples`` are.
``python -m tools.transcripts`` writes the outputs anew, ``python -m tools.transcripts --check`` fails when one is not current.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from pypto_lsp.cli import main as command
from tools.pages import ROOT

PAGES = tuple(ROOT / "docs" / name for name in ("quickstart.md", "tutorial.md", "configuration.md", "ci.md"))
_BLOCK = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r'^\w+ title="(?P<name>[\w./-]+)"')


def renewed(page: str) -> str:
    """The page with the outputs that its commands have now."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "docs" / "samples", Path(folder) / "docs" / "samples")
        with _inside(folder):
            return _BLOCK.sub(lambda block: _block(block["info"], block["body"]), page)


def _block(info: str, body: str) -> str:
    title = _TITLE.match(info)
    if title is not None:
        Path(title["name"]).write_text(body, encoding="utf-8")
    elif info == "console":
        body = "\n".join(_transcript(line) for line in body.split("\n") if line.startswith("$ "))
    return f"```{info}\n{body}```"


def _transcript(line: str) -> str:
    program, *arguments = shlex.split(line.removeprefix("$ "))
    if program != "pypto-lsp":
        raise ValueError(f"a console block runs pypto-lsp only, not {program}")
    result = CliRunner().invoke(command, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    printed = "\n".join(row.rstrip() for row in result.output.strip("\n").split("\n"))
    return f"{line}\n{printed.strip()}\n"


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.transcripts")
    parser.add_argument(
        "--check", action="store_true", help="report pages that are not current instead of writing them"
    )
    check = parser.parse_args(arguments).check
    old = 0
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        new = renewed(text)
        if new == text:
            continue
        old += 1
        if check:
            sys.stdout.write(
                f"{path.relative_to(ROOT).as_posix()} is not current: run python -m tools.transcripts\n"
            )
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if check and old else 0


if __name__ == "__main__":
    raise SystemExit(main())
