"""Codes that no kernel shows are told about printed IR, or tested where what they are about is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_core.diagnostics import PassError, rules
from pypto_core.passes.pipeline import make_pass
from tests.support.golden import read_program

TESTS = Path(__file__).parents[1]
#: Nothing in an editor has real arguments; the code is kept because the language has it (docs/spec/language.md §7.2).
NEVER = {"jit-scalar-value"}

_HEAD = """\
# pypto.program: P
import pypto.language as pl

@pl.program
class P:
"""
UNROLLED = (
    _HEAD
    + """\
    @pl.function
    def main(self, x: pl.Tensor[[64, 128], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64, 128], pl.FP32]:
        for i in pl.unroll(0, {stop}, 1):
            x: pl.Tensor[[64, 128], pl.FP32] = pl.tensor.add(x, x)
        return x
"""
)
JOINED = (
    _HEAD
    + """\
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def kernel(acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc], data: pl.Tensor[[64, 1, 1], pl.FP32], out: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({{"split": pl.SplitMode.UP_DOWN}})
        half: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        v: pl.Tile[[64, 1, 1], pl.FP32, pl.Mem.Vec] = pl.tile.load(data, [0, 0, 0], [64, 1, 1], [64, 1, 1], target_memory=pl.Mem.Vec)
        w: pl.Tile[[{shape}], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(v, [{shape}])
        m: pl.Tile[[{shape}], pl.FP32, pl.Mem.Mat] = pl.tile.move(w, target_memory=pl.Mem.Mat)
        res: pl.Tensor[[128, 128], pl.FP32] = pl.tile.store(half, [0, 0], out)
        return res
"""
)
#: Code, pass, text that it refuses and the place, near twin.
PRINTED = [
    ("unroll-bounds", "UnrollLoops", UNROLLED.format(stop="n"), "n", UNROLLED.format(stop="4")),
    (
        "split-gather-axis",
        "LowerAutoVectorSplit",
        JOINED.format(shape="1, 1, 64"),
        "pl.tile.move(w, target_memory=pl.Mem.Mat)",
        JOINED.format(shape="1, 64"),
    ),
]


@pytest.mark.parametrize(
    ("code", "name", "text", "place", "twin"), PRINTED, ids=[case[0] for case in PRINTED]
)
def test_printed(code: str, name: str, text: str, place: str, twin: str) -> None:
    lower = make_pass(name, "a2a3")
    with pytest.raises(PassError) as caught:
        lower(read_program(text))
    found = caught.value.diagnostic
    assert (found.code, found.span.text) == (code, place), found.message
    assert lower(read_program(twin))


@pytest.mark.parametrize("code", [rule.code for rule in rules().values() if rule.no_source])
def test_a_code_without_a_kernel_is_tested(code: str) -> None:
    texts = (p for p in sorted(TESTS.rglob("*")) if p.suffix in (".py", ".txt", ".yaml"))
    told = any(code in p.read_text(encoding="utf-8") for p in texts if "golden" not in p.parts)
    assert told or code in NEVER
