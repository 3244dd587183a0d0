"""What is drawn into the text: inlay hints, lenses, colours, the outline, folds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pypto_core import FileFacts, OutlineItem, folds, outline
from pypto_lsp.config import Config
from pypto_lsp.features.code_lens import lenses, title_of
from pypto_lsp.features.inlay_hints import hints
from pypto_lsp.features.semantic_tokens import calls_of, tokens
from pypto_lsp.positions import split_lines
from tests.server.cursor import facts
from tests.server.kernels import CARRIED, JIT, RAGGED, REGION, TILES, WRONG

ALL_OFF = Config(hint_types=False, hint_lanes=False, hint_parameters=False, hint_trip_counts=False)


def shown(text: str, config: Config) -> dict[str, str]:
    """Line of the source (stripped, up to the hint) -> hint."""
    known = facts(text)
    lines = split_lines(text)
    found = hints(known, known.names, known.histories.get, config, known.finder())
    return {lines[h.line][: h.column].strip(): h.label for h in found}


def test_types_of_values_without_annotation() -> None:
    found = shown(TILES, replace(ALL_OFF, hint_types=True))
    assert found["product"] == ": [128, 128] FP32"
    assert found["a_l1"] == ": [128, 64] BF16"


def test_lanes_behind_the_type() -> None:
    found = shown(TILES, replace(ALL_OFF, hint_types=True, hint_lanes=True))
    assert found["scaled"] == ": [128, 128] FP32 → [64, 128]/lane"
    assert found["product"] == ": [128, 128] FP32"


def test_lanes_alone() -> None:
    assert shown(TILES, replace(ALL_OFF, hint_lanes=True)) == {
        "local": " → [64, 128]/lane",
        "scaled": " → [64, 128]/lane",
    }


def test_a_share_from_the_start_has_its_shape_once() -> None:
    both, lanes = (
        shown(REGION, replace(ALL_OFF, hint_types=types, hint_lanes=True)) for types in (True, False)
    )
    shares = {name: label for name, label in both.items() if label.endswith("/lane") and "→" not in label}
    assert shares
    for name, label in shares.items():
        shape = label.removeprefix(": ").partition("]")[0] + "]"
        assert label.count(shape) == 1
        assert lanes[name] == f" → {shape}/lane"


def test_ragged_lanes_show_both() -> None:
    assert shown(RAGGED, Config())["halved"] == ": [16, 128] FP32 → [7, 128] / [6, 128]"


def test_an_annotation_says_it_already() -> None:
    text = TILES.replace("product = ", "product: pl.Tile[[128, 128], pl.FP32] = ")
    assert "product" not in " ".join(shown(text, Config()))


def test_parameter_names_of_long_calls() -> None:
    found = shown(TILES, replace(ALL_OFF, hint_parameters=True))
    assert "offsets=" in found.values() or "offset=" in found.values() or len(found) > 0
    assert all(label.endswith("=") for label in found.values())
    assert "product = pl.matmul(" not in found  # two arguments need no names


def test_trip_counts() -> None:
    found = shown(JIT, replace(ALL_OFF, hint_trip_counts=True))
    assert found == {"for block in pl.parallel(ROWS // BLOCK)": " × 4"}
    assert list(shown(CARRIED, replace(ALL_OFF, hint_trip_counts=True)).values()) == [" × 15"]


def test_every_kind_can_be_turned_off() -> None:
    assert shown(TILES, ALL_OFF) == {}


# ------------------------------------------------------------------------------------------------------------- lenses
def titles(text: str) -> list[tuple[int, str]]:
    known = facts(text)
    return [(s.span.line, title_of(s)) for s in lenses(known, known.histories.items())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TILES, [(7, "AIC + AIV · split UP_DOWN · 1 boundary crossing")]),
        (REGION, [(10, "AIC + AIV · split UP_DOWN · 1 boundary crossing")]),
        (CARRIED, [(7, "AIV")]),
    ],
)
def test_lenses_name_cores_split_and_crossings(text: str, expected: list[tuple[int, str]]) -> None:
    assert titles(text) == expected


def test_the_lens_of_a_refused_kernel_says_where() -> None:
    [(line, title)] = titles(WRONG)
    assert line == 10
    assert title.startswith("refused at ")


# ------------------------------------------------------------------------------------------------------------- colours
def colours(text: str, known: FileFacts | None = None) -> dict[str, str]:
    """Word -> token type (the last one wins)."""
    known = known or facts(text)
    return {span.text: kind for span, kind, _ in tokens(known.names, calls_of(known))}


def test_operations_are_coloured_by_core() -> None:
    found = colours(TILES)
    assert found["matmul"] == "cubeOp"
    assert found["mul"] == "vectorOp"


def test_a_move_between_the_cores_is_a_boundary() -> None:
    known = facts(TILES)
    kinds = [kind for span, kind, _ in tokens(known.names, calls_of(known)) if span.text == "move"]
    assert sorted(kinds) == ["boundaryOp", "cubeOp", "cubeOp"]
    assert colours(REGION)["aiv_shard"] == "boundaryOp"


def test_other_names_have_usual_colours() -> None:
    found = colours(JIT)
    assert found["pl"] == "namespace"
    assert found["FP32"] == "type"
    assert found["CORE_GROUP"] == "enumMember"
    assert found["jit"] == "decorator"
    assert found["x"] == "parameter"
    assert found["ROWS"] == "variable"
    assert found["row_softmax"] == "function"


# ------------------------------------------------------------------------------------------------- outline and folding
def tree(items: list[OutlineItem]) -> list[object]:
    return [(i.kind, i.name, tree(i.children)) if i.children else (i.kind, i.name) for i in items]


def test_the_outline_of_a_program() -> None:
    known = facts(REGION, lowered=False)
    scopes = ("scope", 'at "gated"', [("region", "split_aiv UP_DOWN")])
    assert tree(outline(known.names)) == [
        ("constant", "ROWS"),
        ("constant", "HALF"),
        ("program", "Region", [("kernel", "gated", [scopes])]),
    ]


def test_the_outline_of_jit_kernels() -> None:
    known = facts(JIT.replace("ROWS = 64", 'ROWS = pl.dynamic("ROWS")'), lowered=False)
    found = tree(outline(known.names))
    assert found[0] == ("dimension", "ROWS")
    assert ("kernel", "shifted") in found
    assert found[-1] == ("kernel", "row_softmax", [("loop", "for block", [("scope", 'at "softmax"')])])


def test_lines_of_the_outline() -> None:
    known = facts(REGION, lowered=False)
    program = outline(known.names)[-1]
    lines = split_lines(REGION)
    assert lines[program.first_line].startswith("@pl.program")
    assert lines[program.last_line].strip() == "return y"


def test_folds() -> None:
    text = "# one\n# two\nimport a\nimport pypto.language as pl\n\n" + REGION.partition("\n\n")[2]
    lines = split_lines(text)
    known = facts(text, lowered=False)
    found = {(lines[f.first].strip().split("(")[0], f.kind): f for f in folds(known.names, lines)}
    assert ("# one", "comment") in found
    assert ("import a", "imports") in found
    assert ("class Region:", "code") in found
    assert ("def gated", "code") in found
    assert ("with pl.at", "region") in found
    region = found["for lane in pl.split_aiv", "region"]
    assert lines[region.last].strip().startswith("y[lane * HALF")
