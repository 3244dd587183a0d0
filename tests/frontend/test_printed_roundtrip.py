"""Print -> parse -> print is the identity on every printed text of the golden cases (docs/spec/ir.md §4.12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.frontend import parse
from pypto_core.ir import print_ir

GOLDEN = Path(__file__).parents[1] / "golden"
_STAGE = re.compile(r"^==== (\w+)\n", re.MULTILINE)
FILES = sorted(p for pattern in ("*/*.yaml", "*/*.stages.txt") for p in GOLDEN.glob(pattern))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("# pypto.program"):
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@cache
def printed_texts(path: Path) -> tuple[str, ...]:
    """Distinct printed programs of one golden file."""
    text = path.read_text()
    if path.suffix == ".txt":
        return tuple(dict.fromkeys(_STAGE.split(text)[2::2]))
    return tuple(dict.fromkeys(_texts(yaml.load(text, yaml.CSafeLoader))))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_golden_text_reads_back(path: Path) -> None:
    for text in printed_texts(path):
        result = parse(text)
        assert result.diagnostics == ()
        assert result.program is not None
        assert print_ir(result.program).rstrip("\n") == text.rstrip("\n")


def test_golden_texts_are_many() -> None:
    assert sum(len(printed_texts(path)) for path in FILES) > 1200
