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


def findings(text: str, backend: str = "a2a3", run: str = "editor") -> tuple[Diagnostic, ...]:
    """What is said about a text: by the editor, or by StampTfreeSplit alone, which hand-written transfers reach."""
    if run == "stamp":
        result = parse(text, FILE)
        assert result.program is not None, [d.message for d in result.diagnostics]
        try:
            make_pass("StampTfreeSplit", backend)(result.program)
        except PassError as error:
            return (error.diagnostic,)
        return ()
    workspace = Workspace(settings=Settings(backend=backend))
    workspace.open(FILE, text)
    return workspace.diagnostics(FILE)


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
