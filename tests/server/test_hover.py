"""Hover: what stands at ``$0``."""

from __future__ import annotations

import pytest

from pypto_lsp.config import Config
from pypto_lsp.features.hover import hover_at, plain
from pypto_lsp.features.inlay_hints import hints
from tests.server.cursor import Source, source, subject
from tests.server.kernels import CARRIED, JIT, RAGGED, REGION, TILES


def hover(marked: str, files: dict[str, str] | None = None) -> str:
    """The hover at ``$0`` as plain text; empty for none."""
    at: Source = source(marked)
    found = hover_at(subject(at.text, files), at.lines, at.line, at.column)
    return plain(found.markdown) if found is not None else ""


def at(text: str, word: str, after: str = "") -> str:
    """``text`` with the cursor inside ``word`` (behind the first ``after``)."""
    start = text.index(after) + len(after)
    place = text.index(word, start) + 1
    return f"{text[:place]}$0{text[place:]}"


def test_a_split_tile_shows_lanes_bytes_and_stages() -> None:
    assert hover(at(TILES, "scaled = pl.mul")) == "\n".join(
        (
            "scaled: Tile[128, 128] FP32 · Vec",
            "",
            "per lane (UP_DOWN): [64, 128] — lane 0 rows 0–63, lane 1 rows 64–127",
            "bytes: 64 KiB → 32 KiB per lane (UB 184 KiB)",
            "stages: source [128, 128] → LowerAutoVectorSplit [64, 128]",
        )
    )


def test_a_ragged_tile_shows_both_lanes_own_numbers() -> None:
    text = hover(at(RAGGED, "halved = "))
    assert "valid [13, 128]" in text
    assert "lane 0 rows 0–6, lane 1 rows 7–12 (valid [7, 128] / [6, 128])" in text


def test_a_boundary_shows_direction_code_slot_and_ring() -> None:
    text = hover(at(TILES, "local = "))
    assert (
        "crosses: cube → vector, split 1 = TILE_UP_DOWN, slot 64 KiB, ring 2 × 64 KiB = 128 KiB of UB (184 KiB)"
        in text
    )
    ragged = hover(at(RAGGED, "local = "))
    assert "split 3 = TILE_UP_DOWN_ODD" in ragged


def test_a_cube_value_has_no_lanes() -> None:
    text = hover(at(TILES, "product = "))
    assert text.startswith("product: Tile[128, 128] FP32 · Acc")
    assert "per lane" not in text
    assert "L0C" in text


def test_a_use_means_the_definition_above() -> None:
    assert hover(at(TILES, "local, 0.125")).startswith("local: Tile[128, 128] FP32 · Vec")


def test_parameters_say_how_they_are_used() -> None:
    assert hover(at(TILES, "a: pl.Tensor")) == "a: Tensor[128, 64] BF16\n\nparameter: read"
    assert "parameter: written (Out)" in hover(at(TILES, "y: pl.Out"))


def test_a_loop_variable_has_turns() -> None:
    assert "turns: 15" in hover(at(CARRIED, "i, (acc,)"))


def test_values_that_loops_carry_and_leave() -> None:
    assert "carried from one turn to the next" in hover(at(CARRIED, "acc, part"))
    assert "what the loop or branch leaves behind" in hover(at(CARRIED, "summed, [0, 0]"))


def test_a_region_share_is_each_lanes_own() -> None:
    text = hover(at(REGION, "share = "))
    assert "Tensor[32, 64] FP32" in text
    assert "per lane (UP_DOWN): [32, 64] — lane 0 rows 0–31, lane 1 rows 32–63" in text


def test_an_operator_shows_signature_rule_core_and_its_call() -> None:
    text = hover(at(TILES, "matmul(a_l0"))
    assert text.startswith("pl.matmul(lhs: Tensor | Tile")
    assert "here: Tile[128, 128] FP32 · Acc" in text
    assert "It runs on the cube core (AIC)." in text
    assert "Becomes tensor.matmul, tile.matmul." in text
    assert "Result of" in text


@pytest.mark.parametrize(
    ("imports", "alias"),
    [
        ("import pypto.language as pl", "pl"),
        ("from pypto import language as xx", "xx"),
        ("import pypto.language", "pypto.language"),
    ],
)
def test_the_files_alias_of_the_language(imports: str, alias: str) -> None:
    text = f"{imports}\n\n\ndef f(x):\n    return {alias}.ro$0w_max(x)\n"
    assert hover(text).startswith("pl.row_max(")


def test_a_name_imported_from_the_language() -> None:
    assert hover("from pypto.language import row_max as rm\n\ny = r$0m(x)\n").startswith("pl.row_max(")


def test_a_local_pl_is_not_the_language() -> None:
    assert hover("pl = Plotter()\npl.row_m$0ax(1)\n") == ""


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("import pypto.language as pl\nx = pl.Mem.V$0ec\n", "usable on a2a3: 184 KiB"),
        ("import pypto.language as pl\nx = pl.BF$016\n", "floating point, 16 bits"),
        ("import pypto.language as pl\nx = pl.SplitMode.UP_D$0OWN\n", "Rows are halved"),
        ("import pypto.language as pl\nx = pl.Split$0Mode\n", "- UP_DOWN"),
        ("import pypto.language as pl\n@pl.j$0it\ndef f(): ...\n", "Entry of a kernel"),
        ("import pypto.language as pl\nx = p$0l\n", "The language"),
    ],
)
def test_names_of_the_language(marked: str, expected: str) -> None:
    assert expected in hover(marked)


def test_a_constant_shows_its_value_and_where_it_comes_from() -> None:
    text = hover(at(REGION, "HALF = "))
    assert text.startswith("HALF = 32")
    assert "ROWS // 2" in text
    assert "ROWS = 64" in text
    assert hover(at(REGION, "HALF : lane")).startswith("HALF = 32")


def test_an_unknown_constant_says_why() -> None:
    text = hover("import pypto.language as pl\nimport elsewhere\n\nSI$0ZE = elsewhere.size()\n")
    assert text.startswith("SIZE\n")
    assert "unknown:" in text


def test_a_dimension_is_known_at_run_time() -> None:
    text = hover('import pypto.language as pl\n\n$0M = pl.dynamic("M")\n')
    assert text.startswith("M = M")
    assert "dimension: known at run time only" in text


def test_a_constant_of_another_file() -> None:
    files = {"sizes.py": "ROWS = 4 * 8\n"}
    text = hover("import pypto.language as pl\nfrom sizes import ROWS\n\nTWICE = RO$0WS * 2\n", files)
    assert "ROWS = 32" in text
    assert "defined in: sizes.py" in text


def test_a_kernel_shows_its_signature_and_documentation() -> None:
    text = hover(at(JIT, "shifted"))
    assert text.startswith("@pl.jit.inline\ndef shifted(rows: pl.Tensor, amount: pl.Scalar[pl.FP32])")
    assert "Moves every element." in text


def test_a_kernel_of_another_file_says_where() -> None:
    files = {
        "parts.py": "import pypto.language as pl\n\n\n@pl.jit.inline\ndef half(x: pl.Tensor):\n    return pl.mul(x, 0.5)\n"
    }
    text = hover("import pypto.language as pl\nimport parts\n\nf = parts.ha$0lf\n", files)
    assert "def half(x: pl.Tensor)" in text
    assert "defined in: parts.py" in text


def test_a_keyword_means_a_parameter() -> None:
    text = hover(at(TILES, "target_memory=pl.Mem.Vec"))
    assert text.startswith("target_memory: MemorySpace")
    assert "parameter of: pl.move" in text


def test_a_code_in_an_ignore_comment() -> None:
    text = hover("import pypto.language as pl\nx = 1  # pypto: ignore[aiv-cube-in-$0region]\n")
    assert text.startswith("aiv-cube-in-region (error)")


@pytest.mark.parametrize(
    "marked", ["import pypto.language as pl\n$0\n", "# pypto\nx = undefi$0ned\n", "# pypto\nx = '$0text'\n"]
)
def test_nothing_to_say(marked: str) -> None:
    assert hover(marked) == ""


def test_the_lane_index_says_what_it_is() -> None:
    assert "lane: 0 or 1" in hover(at(REGION, "lane in"))


def test_what_a_lane_holds_alone_has_one_size() -> None:
    assert "bytes: 8 KiB per lane (UB 184 KiB)" in hover(at(REGION, "share = "))


def test_a_value_of_unknown_type_says_so() -> None:
    assert hover(at(JIT, "moved = ")).startswith("moved: type unknown")
    assert hover(at(JIT, "rows: pl")).startswith("rows: type unknown")


def test_a_program_names_its_kernels() -> None:
    assert hover(at(REGION, "Region")) == "@pl.program\nclass Region\n\nkernels: gated"


def test_a_keyword_of_a_construct() -> None:
    text = hover(at(REGION, "mode=pl.SplitMode"))
    assert text.startswith("mode: SplitMode\n\nparameter of: pl.split_aiv")
    assert hover(at(TILES, "type=pl.FunctionType")).startswith("type: FunctionType = FunctionType.Opaque")


REBOUND = JIT.replace(
    "            weights = pl.exp(pl.row_expand_sub(rows, peak))\n",
    "            for c in pl.range(2):\n"
    "                peak = pl.maximum(peak, pl.row_max(rows))\n"
    "            peak = pl.maximum(peak, 0.5)\n"
    "            for c in pl.range(3):\n"
    "                peak = pl.maximum(peak, pl.row_min(rows))\n"
    "            weights = pl.exp(pl.row_expand_sub(rows, peak))\n",
)


@pytest.mark.parametrize(
    "line",
    [
        "peak = pl.row_max",
        "peak = pl.maximum(peak, pl.row_max",
        "peak = pl.maximum(peak, 0.5",
        "peak = pl.maximum(peak, pl.row_min",
    ],
)
def test_a_name_that_is_bound_again(line: str) -> None:
    """The compiler calls the second one ``peak_v1``."""
    assert hover(at(REBOUND, line)).startswith("peak: Tensor[16, 1] FP32")
    subject_ = subject(REBOUND)
    assert subject_.facts is not None
    hinted = {
        h.line
        for h in hints(
            subject_.facts,
            subject_.names,
            subject_.histories,
            Config(),
            subject_.facts.finder(subject_.names),
        )
    }
    assert REBOUND[: REBOUND.index(line)].count("\n") in hinted


def test_loop_variables_of_one_name() -> None:
    assert "2" in hover(at(REBOUND, "c in pl.range(2"))
    assert "3" in hover(at(REBOUND, "c in pl.range(3"))


EXTENTS = """\
import pypto.language as pl

M = pl.dynamic("M")


@pl.jit
def scale(x: pl.Tensor[[M, 128], pl.FP32], z: pl.Tensor, y: pl.Out[pl.Tensor[[M, 128], pl.FP32]]):
    rows = x.shape[0]
    cols = x.shape[-1]
    first, second = x.shape
    many = z.shape[0]
    beyond = x.shape[7]
    extent = pl.tensor.dim(x, 0)
    K = pl.dynamic("K")
    with pl.at(level=pl.Level.CORE_GROUP):
        width = x.shape[1]
        y[0:rows, 0:width] = pl.exp(x)
    return y
"""


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("rows = ", "rows: Scalar INDEX = M\n\nfrom: x.shape[0]"),
        ("rows, 0", "rows: Scalar INDEX = M\n\nfrom: x.shape[0]"),
        ("cols", "cols: Scalar INDEX = 128\n\nfrom: x.shape[-1]"),
        ("first", "first: Scalar INDEX = M\n\nfrom: x.shape[0]"),
        ("second", "second: Scalar INDEX = 128\n\nfrom: x.shape[1]"),
        ("width] =", "width: Scalar INDEX = 128\n\nfrom: x.shape[1]"),
        ("extent", "extent: Scalar INDEX = M\n\nfrom: pl.tensor.dim(x, 0)"),
        ("many", "many: Scalar INDEX\n\nfrom: z.shape[0]\nunknown: 'z' has no shape here"),
        ("K = pl", 'K = pl.dynamic("K")\n\ndimension: known at run time only'),
        ("beyond", "beyond: type unknown\n\nunknown: it depends on something that is not known here"),
    ],
)
def test_a_name_for_a_dimension_says_which(word: str, told: str) -> None:
    assert hover(at(EXTENTS, word)) == told
