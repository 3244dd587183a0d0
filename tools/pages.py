"""Generated pages of the documentation: prose to Markdown, writing them, and finding those that are not current."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: What is code in a sentence that has no backticks around it.
_CODE = re.compile(
    r"@?\b(?:pl|pld|self)\.\w[\w.]*(?<!\.)(?:\.<\w+>)?(?:\([^()]*\)|\[[^\[\]]*\])?"
    r"|\b[A-Za-z]\w*_\w+\b(?:=(?:<[^<>]*>|[\w.]*\w))?"
    r"|\b[a-z]+=<[^<>]*>"
)
_SPECIAL = re.compile(r"([\\*_<>\[\]|])")


def markdown(text: str) -> str:
    """Plain prose as Markdown: what stands in backticks stays, code words get them, special characters are escaped."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else _prose(part) for part in parts)


def _prose(text: str) -> str:
    out, at = [], 0
    for match in _CODE.finditer(text):
        out += [_SPECIAL.sub(r"\\\1", text[at : match.start()]), f"`{match.group()}`"]
        at = match.end()
    return "".join([*out, _SPECIAL.sub(r"\\\1", text[at:])])


def in_table(text: str) -> str:
    """Prose for a table's cell."""
    return re.sub(r"`[^`]*`", lambda m: m.group().replace("|", r"\|"), markdown(text))


def listing(text: str, marked: list[int]) -> list[str]:
    """A Python listing whose lines ``marked`` (1-based) stand out."""
    lines = f' hl_lines="{" ".join(map(str, marked))}"' if marked else ""
    return [f"```python{lines}", *text.strip("\n").split("\n"), "```", ""]


def changed_lines(before: str, after: str) -> tuple[list[int], list[int]]:
    """Lines (1-based) of the one that are not in the other, and the other way round."""
    left, right = before.strip("\n").split("\n"), after.strip("\n").split("\n")
    gone: list[int] = []
    new: list[int] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += range(a + 1, b + 1)
            new += range(c + 1, d + 1)
    return gone, new


def stale(folder: Path, wanted: Mapping[str, str]) -> list[str]:
    """Names of the pages in ``folder`` that are missing, left over, or not what is wanted."""
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in present.keys() | wanted.keys() if present.get(name) != wanted.get(name))


def run(
    module: str, folder: Path, pages: Callable[[], Mapping[str, str]], arguments: list[str] | None
) -> int:
    """Write the pages that are not current; with ``--check`` name them and return 1."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument(
        "--check", action="store_true", help="report pages that are not current instead of writing them"
    )
    check = parser.parse_args(arguments).check
    wanted = pages()
    names = stale(folder, wanted)
    shown = folder.relative_to(ROOT).as_posix()
    if check:
        for name in names:
            sys.stdout.write(f"{shown}/{name} is not current: run python -m {module}\n")
        return 1 if names else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 0
