"""Any text at all: what the features answer after random edits is what they answer afresh, and nothing ever fails."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from pypto_core import (
    FileFacts,
    FileNames,
    OutlineItem,
    Settings,
    Workspace,
    folds,
    outline,
    parse_file,
    read_names,
)
from pypto_lsp.config import Config
from pypto_lsp.features.code_lens import lenses, title_of
from pypto_lsp.features.completion import completions
from pypto_lsp.features.diagnostics import to_protocol
from pypto_lsp.features.hover import Subject, hover_at
from pypto_lsp.features.inlay_hints import hints
from pypto_lsp.features.semantic_tokens import calls_of, encode, tokens
from pypto_lsp.features.signature_help import signature_at
from pypto_lsp.place import place_at
from pypto_lsp.positions import Positions, split_lines
from tests.engine.edits import Edit, edits, play
from tests.server.kernels import CARRIED, JIT, RAGGED, REGION, TILES, WRONG

KERNELS = {"tiles": TILES, "region": REGION, "jit": JIT, "carried": CARRIED, "ragged": RAGGED, "wrong": WRONG}
HISTORIES = max(int(os.environ.get("SOAK_EDITS", "240")) // (len(KERNELS) * 8), 3)
PATH = "/w/kernel.py"
CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
ALL_HINTS = Config(hint_parameters=True, hint_trip_counts=True)


def picture(names: FileNames) -> object:
    """Everything that names say, with places."""
    uses = sorted(
        (
            use.span.line, use.span.column, use.span.end_column, use.name, use.role.name,
            [(d.span.line, d.span.column) for d in s.definitions] if (s := names.symbol(use)) is not None else None,
        )
        for use in names.all_uses()
    )  # fmt: skip
    functions = sorted((f.name, f.first_line, f.last_line, f.signature(), f.owner) for f in names.functions)
    return uses, functions, tree(outline(names))


def tree(items: list[OutlineItem]) -> list[object]:
    return [(i.kind, i.name, i.first_line, i.last_line, tree(i.children)) for i in items]


def ask_everything(facts: FileFacts, line: int, column: int) -> None:
    """Every question about a place of the text, and those about the whole."""
    names, lines = facts.names, split_lines(facts.text)
    finder = facts.finder()
    subject = Subject(names, facts, facts.histories.get, finder)
    hover_at(subject, lines, line, column)
    completions(place_at(lines, line, column, names, facts))
    signature_at(lines, line, column, names, facts)
    use = names.at(line, column)
    target = finder.target(names, use) if use is not None else None
    if target is not None:
        list(finder.references(target, [names]))
    positions = Positions(lines, CODEC)
    data = encode(tokens(names, calls_of(facts)), positions)
    assert all(value >= 0 for value in data)
    list(hints(facts, names, facts.histories.get, ALL_HINTS, finder))
    assert all(title_of(summary) for summary in lenses(facts, facts.histories.items()))
    assert all(0 <= fold.first < fold.last < len(lines) for fold in folds(names, lines))


@pytest.mark.parametrize("name", KERNELS)
def test_random_edits(name: str) -> None:
    @settings(
        max_examples=HISTORIES,
        deadline=None,
        derandomize=HISTORIES <= 10,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(st.lists(edits(), min_size=8, max_size=8))
    def run(history: list[Edit]) -> None:
        core = Workspace(None, Settings("a2a3"))
        core.open(PATH, KERNELS[name])
        core.names(PATH)
        for number, text in enumerate(play(KERNELS[name], history)):
            core.open(PATH, text, number)
            assert picture(core.names(PATH)) == picture(read_names(PATH, parse_file(PATH, text)))
            facts = core.facts(PATH, lowered=number % 4 == 3)
            rows = split_lines(text)
            line = history[number].at % len(rows)
            ask_everything(facts, line, history[number].size % (len(rows[line]) + 1))
            positions = Positions(rows, CODEC)
            for finding in core.typing_diagnostics(PATH):
                place = to_protocol(finding, positions).range
                assert (place.start.line, place.start.character) <= (place.end.line, place.end.character)
                assert place.end.line < max(len(rows), 1)

    run()
