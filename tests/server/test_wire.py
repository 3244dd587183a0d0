"""What travels of a finding is what a fresh conversion gives, whatever was typed before; and nothing that stays is written again."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.workspace import PositionCodec

from pypto_core import Diagnostic, Settings, Workspace
from pypto_lsp.features.diagnostics import to_protocol
from pypto_lsp.positions import Positions, split_lines
from pypto_lsp.wire import Wire
from tests.benchmarks.long_files import long_file
from tests.engine.edits import KINDS, Edit, play

GOLDEN = Path(__file__).parents[1] / "golden" / "kernels"
FILES = sorted(GOLDEN.glob("*.py"))[::4]
PATH = "/w/k.py"
CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
CONVERTER = get_converter()


def plain(finding: Diagnostic, text: str = "") -> dict[str, object]:
    made = to_protocol(finding, Positions(split_lines(text), CODEC))
    return CONVERTER.unstructure(made)  # type: ignore[no-any-return]


def travelling(wire: Wire, found: tuple[Diagnostic, ...]) -> list[object]:
    return [json.loads(text) for text in wire.texts(found, plain)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_it_is_what_a_fresh_conversion_gives(file: Path, seed: int) -> None:
    """Blank lines inside functions change what stands how far from what; lines above move all; '%' and quotes are in texts."""
    chance, wire = random.Random(seed), Wire()
    core, text = Workspace(settings=Settings("a2a3")), file.read_text(encoding="utf-8")
    for number in range(8):
        lines = text.splitlines(keepends=True)
        place = chance.randrange(len(lines) + 1)
        typed = chance.choice(["\n", '# 100% "é𝛼"\n', "    zz = pl.add(q, '%d \\0')\n", "y = 1 +\n", "\n\n"])
        text = "".join((*lines[:place], typed, *lines[place:]))
        if number % 3 == 2:
            kind = chance.choice(sorted(KINDS))
            text = play(text, [Edit(kind, chance.randrange(2**20), 3, chance.randrange(2**16))])[-1]
        core.open(PATH, text, number)
        for found in (core.first_diagnostics(PATH), core.diagnostics(PATH)):
            assert travelling(wire, found) == [plain(f, text) for f in found]


def test_only_what_is_new_is_written() -> None:
    core, wire, text = Workspace(settings=Settings("a2a3")), Wire(), long_file(2_000)
    core.open(PATH, text)
    found = core.diagnostics(PATH)
    travelling(wire, found)
    assert wire.written == len(found) > 80
    core.open(PATH, "# moved\n" + text)
    moved = travelling(wire, core.first_diagnostics(PATH))
    assert wire.written == len(found)
    assert [d["range"]["start"]["line"] for d in moved] == [f.span.line - 1 for f in found]  # type: ignore[index]
    core.open(PATH, text.replace("m = pl.mul(", "zz = undefined(1)\n        m = pl.mul(", 1))
    travelling(wire, core.first_diagnostics(PATH))
    assert wire.written - len(found) <= 3


def test_findings_that_are_gone_are_forgotten() -> None:
    core, wire, text = Workspace(settings=Settings("a2a3")), Wire(), long_file(200)
    for number in range(300):
        core.open(PATH, text.replace("m = pl.mul(", f"zz = undefined_{number}(1)\n        m = pl.mul(", 1))
        travelling(wire, core.first_diagnostics(PATH))
    assert len(wire._known) < 150
