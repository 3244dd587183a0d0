"""On half-written kernels a fixer never raises, its edits fit, and Python stays Python."""

from __future__ import annotations

import ast
import random
import re

import pytest

from pypto_core.fixes import Source, apply_edits, fixes_for
from tests.fixes.support import FILE, FOLDER, findings

TEXTS = [
    path.read_text(encoding="utf-8") for path in sorted((FOLDER.parent / "golden" / "split").glob("*.py"))
]
WORDS = ("lane", "mm", "pl", "0", "x", "NONE", "UP_DOWN", "split_aiv")


def _mutated(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[here]
    elif kind == 1:
        lines[here], lines[there] = lines[there], lines[here]
    elif kind == 2:
        lines.insert(here, lines[there])
    else:
        words = list(re.finditer(r"\b\w+\b", lines[here]))
        if words:
            word = rng.choice(words)
            lines[here] = lines[here][: word.start()] + rng.choice(WORDS) + lines[here][word.end() :]
    return "\n".join(lines)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_mutated_kernels(seed: int) -> None:
    rng = random.Random(seed)
    offered = 0
    for _ in range(25):
        text = _mutated(rng.choice(TEXTS), rng)
        sound = _parses(text)
        for finding in findings(text):
            for fix in fixes_for(finding, Source(FILE, text)):
                offered += 1
                after = apply_edits(text, fix.edits)
                assert after != text
                assert _parses(after) or not sound, (finding.code, fix.title, after)
    assert offered
