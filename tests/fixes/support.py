"""Texts of the cases, their findings, and what a repair changes."""

from __future__ import annotations

import difflib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.engine.workspace import Settings, Workspace
from pypto_core.fixes import Fix, Source, apply_edits, fixes_for
from pypto_core.frontend import parse
from pypto_core.verify import verify
from tests.support.golden import make_pass

FOLDER = Path(__file__).parent
FILE = "kernel.py"


@cache
def _frames() -> dict[str, str]:
    found: dict[str, str] = yaml.load((FOLDER / "frames.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return found


def framed(frame: str, body: str) -> str:
    """The whole text of a body; ``file`` is no frame."""
    if frame == "file":
        return body
    text = _frames()[frame]
    line = next(line for line in text.splitlines() if "{body}" in line)
    indent = line[: line.index("{")]
    lines = [indent + part if part else "" for part in body.rstrip("\n").split("\n")]
    return text.replace(line, "\n".join(lines))


def findings(
    text: str, backend: str = "a2a3", run: dict[str, list[str]] | None = None
) -> tuple[Diagnostic, ...]:
    """What is said about a text: by the editor, or with ``run`` by single passes and the verifiers of properties, for what a
    whole run of the compiler does not look at."""
    if run is None:
        workspace = Workspace(settings=Settings(backend=backend))
        workspace.open(FILE, text)
        return workspace.diagnostics(FILE)
    result = parse(text, FILE)
    program = result.program
    assert program is not None, [d.message for d in result.diagnostics]
    for name in run.get("passes", ()):
        try:
            program = make_pass(name, backend)(program)
        except PassError as error:
            return (*result.diagnostics, error.diagnostic)
    return (*result.diagnostics, *verify(program, run.get("verify", ()), backend))


def errors(found: tuple[Diagnostic, ...]) -> Counter[str]:
    """How often each code is an error."""
    return Counter(d.code for d in found if d.severity is Severity.ERROR)


def repairs(finding: Diagnostic, text: str) -> tuple[Fix, ...]:
    return fixes_for(finding, Source(FILE, text))


def changed(text: str, fix: Fix) -> str:
    return apply_edits(text, fix.edits)


def difference(before: str, after: str) -> list[str]:
    """Lines that went and came, ``-`` and ``+`` in front."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def load(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return found
