"""Completion and signature help at ``$0``."""

from __future__ import annotations

import pytest

from pypto_lsp.features.completion import Item, completions
from pypto_lsp.features.signature_help import Signature, signature_at
from pypto_lsp.place import place_at
from tests.server.cursor import facts, source
from tests.server.kernels import JIT, REGION, TILES


def items(marked: str, files: dict[str, str] | None = None) -> list[Item]:
    """Proposals at ``$0`` in the order in which they are shown."""
    at = source(marked)
    known = facts(at.text, files=files)
    place = place_at(at.lines, at.line, at.column, known.names, known)
    return sorted(completions(place), key=lambda item: (item.rank, item.label))


def labels(marked: str, files: dict[str, str] | None = None) -> list[str]:
    return [item.label for item in items(marked, files)]


def rank(found: list[Item], label: str) -> int:
    return next(item.rank for item in found if item.label == label)


def in_body(text: str, line: str, before: str) -> str:
    """``text`` with ``line`` in front of the line that holds ``before``, indented like it."""
    lines = text.split("\n")
    number = next(i for i, row in enumerate(lines) if before in row)
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    return "\n".join([*lines[:number], indent + line, *lines[number:]])


def test_behind_a_product_cube_operations_come_first() -> None:
    found = items(in_body(TILES, "more = pl.$0", "local = "))
    assert rank(found, "matmul") < rank(found, "exp")


def test_behind_a_vector_tile_vector_operations_come_first() -> None:
    found = items(in_body(TILES, "more = pl.$0", "written = "))
    assert rank(found, "exp") < rank(found, "matmul")


def test_inside_a_lane_region_cube_operations_come_last() -> None:
    found = items(in_body(REGION, "more = pl.$0", "mine = "))
    assert rank(found, "exp") < rank(found, "aiv_shard") < rank(found, "matmul")
    assert rank(found, "matmul") == max(item.rank for item in found if item.kind == "operator")


def test_namespaces_hold_their_operators() -> None:
    found = labels(in_body(TILES, "more = pl.tile.$0", "written = "))
    assert "load" in found
    assert "FP32" not in found


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("for i in pl.$0", {"range", "parallel", "split_aiv"}),
        ("with pl.$0", {"at", "cluster", "spmd"}),
        ("x: pl.$0", {"Tensor", "Tile", "Scalar"}),
        ("x = pl.cast(scaled, pl.$0", {"BF16", "FP32"}),
        ("x = pl.move(local, target_memory=pl.$0", {"Mem"}),
    ],
)
def test_what_fits_the_statement_comes_first(line: str, first: set[str]) -> None:
    found = items(in_body(TILES, line, "written = "))
    best = min(item.rank for item in found)
    assert first <= {item.label for item in found if item.rank <= best + 1}


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("for i in pl.split_aiv(2, mode=pl.$0", "SplitMode"),
        ("with pl.at(level=pl.$0", "Level"),
    ],
)
def test_behind_a_keyword_its_enumeration_comes_first(line: str, first: str) -> None:
    found = items(in_body(TILES, line, "written = "))
    best = min(item.rank for item in found)
    assert [item.label for item in found if item.rank == best] == [first]


def test_decorators_only_where_one_is_written() -> None:
    assert set(labels("import pypto.language as pl\n\n@pl.$0\n")) >= {"jit", "function", "program", "inline"}
    assert "jit" not in labels(in_body(TILES, "x = pl.$0", "written = "))
    assert "incore" in labels("import pypto.language as pl\n\n@pl.jit.$0\n")


def test_members_of_an_enumeration() -> None:
    assert set(labels(in_body(TILES, "x = pl.Mem.$0", "written = "))) >= {
        "Vec",
        "Mat",
        "Left",
        "Right",
        "Acc",
    }
    assert labels(in_body(TILES, "x = pl.SplitMode.$0", "written = ")) == ["LEFT_RIGHT", "NONE", "UP_DOWN"]


def test_keywords_of_the_callee_that_are_not_written_yet() -> None:
    found = labels(
        in_body(TILES, "x = pl.load(a, [0, 0], [8, 8], target_memory=pl.Mem.Vec, $0)", "written = ")
    )
    assert "target_memory=" not in found
    assert "clamp=" in found or len([label for label in found if label.endswith("=")]) > 0


def test_a_keyword_offers_the_values_that_it_takes() -> None:
    found = labels(in_body(TILES, "x = pl.move(local, target_memory=$0", "written = "))
    assert {"pl.Mem.Vec", "pl.Mem.Mat"} <= set(found[:12])


def test_values_of_the_kernel_with_their_types() -> None:
    found = items(in_body(TILES, "x = pl.exp($0", "written = "))
    scaled = next(item for item in found if item.label == "scaled" and item.kind == "value")
    assert scaled.detail == "Tile[128, 128] FP32 · Vec"
    assert {"a", "b", "y", "product"} <= {item.label for item in found}
    assert "self" not in {item.label for item in found}


def test_constants_and_kernels_of_the_file() -> None:
    found = items(in_body(JIT, "z = $0", "peak = "))
    assert {"ROWS", "COLS", "shifted", "rows"} <= {item.label for item in found}
    kernel = next(item for item in found if item.label == "shifted")
    assert kernel.snippet == "shifted(${1:rows}, ${2:amount})$0"


def test_methods_of_the_program() -> None:
    text = (
        REGION
        + "\n    @pl.function\n    def other(self, a: pl.Tensor[[4, 4], pl.FP32]):\n        x = self.$0\n"
    )
    assert labels(text) == ["gated"]


def test_names_of_an_imported_module() -> None:
    files = {"sizes.py": "ROWS = 4\nCOLS = 8\n"}
    assert labels("import pypto.language as pl\nimport sizes\n\nx = sizes.$0\n", files) == ["COLS", "ROWS"]


def test_codes_in_an_ignore_comment() -> None:
    assert "aiv-cube-in-region" in labels("import pypto.language as pl\nx = 1  # pypto: ignore[$0\n")


def test_the_files_alias_is_used() -> None:
    text = TILES.replace("import pypto.language as pl", "import pypto.language as lang").replace(
        "pl.", "lang."
    )
    found = items(in_body(text, "x = lang.$0", "written = "))
    assert "exp" in {item.label for item in found}
    values = labels(in_body(text, "x = lang.cast(scaled, $0", "written = "))
    assert "lang.FP32" in values


@pytest.mark.parametrize("line", ['x = "pl.$0"', "# pl.$0", "import $0"])
def test_nothing_in_strings_comments_and_imports(line: str) -> None:
    assert labels(in_body(TILES, line, "written = ")) == []


def test_outside_kernels_other_tools_complete() -> None:
    assert labels("import pypto.language as pl\n\n\ndef plain(x):\n    return fo$0o(x)\n") == []


def test_skeletons_at_the_top_level() -> None:
    assert "kernel" in labels("import pypto.language as pl\n\nker$0\n")


# ------------------------------------------------------------------------------------------------------- signature help
def signature(marked: str, files: dict[str, str] | None = None) -> Signature:
    at = source(marked)
    known = facts(at.text, files=files)
    found = signature_at(at.lines, at.line, at.column, known.names, known)
    assert found is not None
    return found


def active(found: Signature) -> str:
    if found.active is None:
        return ""
    start, end, _ = found.parameters[found.active]
    return found.label[start:end]


def test_the_parameter_at_the_cursor_of_an_operator() -> None:
    found = signature(in_body(TILES, "x = pl.row_expand_sub(local, $0)", "written = "))
    assert found.label.startswith("pl.row_expand_sub(lhs: Tensor | Tile")
    assert active(found) == "rhs: Tensor | Tile"


def test_a_keyword_is_its_own_parameter() -> None:
    found = signature(in_body(TILES, "x = pl.matmul(local, out_dtype=$0", "written = "))
    assert active(found).startswith("out_dtype:")


def test_the_innermost_call_counts() -> None:
    found = signature(in_body(TILES, "x = pl.add(pl.exp($0), scaled)", "written = "))
    assert found.label.startswith("pl.exp(")
    found = signature(in_body(TILES, "x = pl.add(pl.exp(local), $0)", "written = "))
    assert found.label.startswith("pl.add(")
    assert active(found).startswith("rhs")


def test_constructs_have_signatures() -> None:
    found = signature(in_body(TILES, "for lane in pl.split_aiv(2, $0", "written = "))
    assert found.label == "pl.split_aiv(lanes: int = 2, *, mode: SplitMode)"
    assert (
        active(signature(in_body(TILES, "for lane in pl.split_aiv(2, mode=$0", "written = ")))
        == "mode: SplitMode"
    )


def test_kernels_have_signatures() -> None:
    found = signature(in_body(JIT, "z = shifted(rows, $0)", "peak = "))
    assert found.label == "shifted(rows: pl.Tensor, amount: pl.Scalar[pl.FP32])"
    assert active(found) == "amount: pl.Scalar[pl.FP32]"
    assert found.doc == "Moves every element."


def test_methods_and_imported_functions_have_signatures() -> None:
    text = (
        REGION
        + "\n    @pl.function\n    def other(self, a: pl.Tensor[[4, 4], pl.FP32]):\n        x = self.gated($0)\n"
    )
    assert signature(text).label.startswith("gated(a: pl.Tensor[[ROWS, 128], pl.BF16]")
    files = {"parts.py": "def half(x, by=2):\n    return x\n"}
    assert (
        signature("import pypto.language as pl\nfrom parts import half\n\ny = half($0)\n", files).label
        == "half(x, by=2)"
    )
    assert (
        signature("import pypto.language as pl\nimport parts\n\ny = parts.half($0)\n", files).label
        == "half(x, by=2)"
    )


def test_no_signature_outside_calls() -> None:
    at = source(in_body(TILES, "x = [1, $0]", "written = "))
    known = facts(at.text)
    assert signature_at(at.lines, at.line, at.column, known.names, known) is None


def test_a_dtype_stands_behind_the_shape_of_a_type() -> None:
    found = items(TILES.replace("b: pl.Tensor[[64, 128], pl.BF16]", "b: pl.Tensor[[64, 128], pl.$0]"))
    assert {item.kind for item in found if item.rank == found[0].rank} == {"dtype"}
    whole = labels(TILES.replace("b: pl.Tensor[[64, 128], pl.BF16]", "b: pl.Tensor[[64, 128], $0]"))
    assert "pl.BF16" in whole
    tile = in_body(TILES, "x: pl.Tile[[64, 64], pl.FP32, pl.$0] = local", "written = ")
    assert labels(tile)[0] == "Mem"
    assert "pl.Mem.Vec" in labels(tile.replace("pl.$0", "$0"))


def test_decorators_are_written_out() -> None:
    found = labels(TILES.replace("@pl.function(type=pl.FunctionType.InCore)", "@pl.$0"))
    assert {"function", "inline", "jit", "jit.inline", "jit.host"} <= set(found)
    assert "host" not in found
    below = labels(TILES.replace("@pl.function(type=pl.FunctionType.InCore)", "@pl.jit.$0"))
    assert "host" in below
    assert "function" not in below


def test_operands_in_the_right_memory_come_first() -> None:
    first = items(TILES.replace("pl.matmul(a_l0, b_l0)", "pl.matmul($0"))
    assert first[0].label == "a_l0"
    second = items(TILES.replace("pl.matmul(a_l0, b_l0)", "pl.matmul(a_l0, $0"))
    assert second[0].label == "b_l0"
    assert rank(second, "a_trans=") > rank(second, "b_l0"), "an operand is missing"


def test_keywords_of_a_construct_that_are_not_given_by_position() -> None:
    found = labels(REGION.replace("mode=pl.SplitMode.UP_DOWN", "$0"))
    assert "mode=" in found
    assert "lanes=" not in found


def test_behind_the_last_positional_parameter_the_next_keyword_is_marked() -> None:
    at = source(REGION.replace("mode=pl.SplitMode.UP_DOWN", "$0"))
    known = facts(at.text)
    found = signature_at(at.lines, at.line, at.column, known.names, known)
    assert found is not None
    assert found.active is not None
    start, end, _ = found.parameters[found.active]
    assert found.label[start:end].startswith("mode")
