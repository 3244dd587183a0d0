"""Random kernels compute the same before and after they are cut over cores and lanes (``tests/support/cores.py``)."""

from __future__ import annotations

import random

import pytest

from pypto_core.diagnostics import PassError
from pypto_core.frontend import parse
from pypto_core.ir import Program
from tests.support.cores import run_alone, run_cores
from tests.support.golden import make_pass

PASSES = (
    "LowerAutoVectorSplit", "ExpandMixedKernel", "SplitVectorKernel", "StampTfreeSplit", "NormalizeReturnOrder",
    "SkewCrossCorePipeline",
)  # fmt: skip
TO_VECTOR = "target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box"
KERNEL = """\
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        acc: pl.Tile[[{rows}, {cols}], pl.FP32, pl.Mem.Acc{view}],
        b: pl.Tensor[[32, 32], pl.FP32],
        w: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec],
        rt: pl.Tile[[{cols}, {cols}], pl.FP32, pl.Mem.Right],
        n: pl.Scalar[pl.INDEX],
        o2: pl.InOut[pl.Tensor[[40, 40], pl.FP32]],
        out: pl.InOut[pl.Tensor[[40, 40], pl.FP32]],
    ) -> pl.Tensor[[40, 40], pl.FP32]:
{body}
        return out
"""


#: Kinds of statements; the first ones only work on what has crossed over.
_KINDS = (
    "add", "scale", "loop", "branch", "load", "column", "row", "by column", "by row", "sum", "slice", "turn", "cube",
)  # fmt: skip


class Author:
    """Writes one kernel: `lines`, and the names of its whole tiles, columns and rows so far."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.rows, self.cols = self.dice.choice([2, 6, 8, 12, 17]), self.dice.choice([7, 8, 16, 18])
        self.mode = self.dice.choice(["UP_DOWN", "LEFT_RIGHT", None])
        ragged = self.mode == "UP_DOWN" and self.dice.random() < 0.4
        self.kinds = _KINDS[:4] if ragged and self.dice.random() < 0.7 else _KINDS
        self.valid = self.dice.randrange(1, self.rows + 1) if ragged else self.rows
        self.lines = [f"h = pl.tile.move(acc, {TO_VECTOR})"]
        self.whole, self.column, self.row = ["h"], [], []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def step(self) -> None:
        x, y, new, box = (
            self.dice.choice(self.whole),
            self.dice.choice(self.whole),
            self.name(),
            f"[{self.rows}, {self.cols}]",
        )
        kind = self.dice.choice(self.kinds)
        if kind == "by column" and self.column:
            self.lines.append(f"{new} = pl.tile.row_expand_mul({x}, {self.dice.choice(self.column)})")
        elif kind == "by row" and self.row:
            self.lines.append(f"{new} = pl.tile.col_expand_add({x}, {self.dice.choice(self.row)})")
        elif kind == "column":
            self.lines.append(f"{new} = pl.tile.load(b, [0, n], [{self.rows}, 1], target_memory=pl.Mem.Vec)")
            self.column.append(new)
            return
        elif kind == "row":
            self.lines.append(f"{new} = pl.tile.load(b, [n, 0], [1, {self.cols}], target_memory=pl.Mem.Vec)")
            self.row.append(new)
            return
        elif kind == "sum" and self.mode != "LEFT_RIGHT":
            self.lines.append(f"{new}_tmp = pl.tile.create({box}, dtype=pl.FP32, target_memory=pl.Mem.Vec)")
            self.lines.append(f"{new} = pl.tile.row_sum({x}, {new}_tmp)")
            self.column.append(new)
            return
        elif kind == "turn" and self.column and self.mode != "LEFT_RIGHT" and self.rows % 2 == 0:
            self.lines += [
                f"{new}_lying = pl.tile.reshape({self.dice.choice(self.column)}, [1, {self.rows}])",
                f"{new}_more = pl.tile.adds({new}_lying, 1.0)",
                f"{new} = pl.tile.reshape({new}_more, [{self.rows}, 1])",
            ]
            self.column.append(new)
            return
        elif kind == "add":
            self.lines.append(f"{new} = pl.tile.add({x}, {y})")
        elif kind == "scale":
            self.lines.append(f"{new} = pl.tile.muls({x}, 2.0)")
        elif kind == "loop":
            how = self.dice.choice(["pl.range(3", "pl.pipeline(4, stage=2"])
            self.lines += [
                f"for {new}_i, ({new}_c,) in {how}, init_values=({x},)):",
                f"    {new}_d = pl.tile.add({new}_c, {y})",
                f"    {new} = pl.yield_({new}_d)",
            ]
        elif kind == "branch":
            self.lines += [
                f"if n > {self.dice.choice([1, 5])}:",
                f"    {new}_a = pl.tile.muls({x}, 3.0)",
                f"    {new} = pl.yield_({new}_a)",
                "else:",
                f"    {new}_b = pl.tile.adds({x}, 1.0)",
                f"    {new} = pl.yield_({new}_b)",
            ]
        elif kind == "slice":
            self.lines.append(f"{new} = pl.tile.slice(w, {box}, [n, {self.dice.choice([0, 1])}])")
        elif kind == "cube" and self.valid == self.rows:
            self.lines += [
                f"{new}_l = pl.tile.move({x}, target_memory=pl.Mem.Left)",
                f"{new}_q = pl.tile.matmul({new}_l, rt)",
                f"{new} = pl.tile.move({new}_q, {TO_VECTOR})",
            ]
        else:
            self.lines.append(
                f"{new} = pl.tile.load(b, [{self.dice.choice(['0', 'n'])}, 1], {box}, target_memory=pl.Mem.Vec)"
            )
        self.whole.append(new)

    def pipelined(self) -> None:
        """A loop in which every trip crosses to the cube and back."""
        trips, stage, early = self.dice.randrange(1, 7), self.dice.randrange(1, 5), self.dice.random() < 0.5
        self.lines += [
            f"for i in pl.pipeline(1, {1 + trips}, stage={stage}):",
            f"    x = pl.tile.load(b, [i, 0], [{self.rows}, {self.cols}], target_memory=pl.Mem.Vec)",
            "    y = pl.tile.muls(x, 2.0)",
            "    l = pl.tile.move(y, target_memory=pl.Mem.Left)",
            "    q = pl.tile.matmul(l, rt)",
            f"    v = pl.tile.move(q, {TO_VECTOR})",
            f"    z = pl.tile.add(v, {'y' if early else 'v'})",
            "    pl.tile.store(z, [i, n], o2)",
        ]

    def kernel(self) -> str:
        for _ in range(self.dice.randrange(1, 7)):
            self.step()
        if self.kinds is _KINDS and self.dice.random() < 0.3 and self.rows % 2 == 0 and self.cols % 2 == 0:
            self.pipelined()
        self.lines.append(f"res = pl.tile.store({self.whole[-1]}, [1, n], out)")
        if self.column:
            self.lines.append(f"side = pl.tile.store({self.column[-1]}, [0, 30], o2)")
        split = [f'pl.func_attr({{"split": pl.SplitMode.{self.mode}}})'] if self.mode else []
        view = f", pl.TileView(valid_shape=[{self.valid}, {self.cols}])" if self.valid != self.rows else ""
        body = "\n".join(" " * 8 + line for line in [*split, *self.lines])
        return KERNEL.format(rows=self.rows, cols=self.cols, view=view, body=body)


def _cut(program: Program) -> Program | None:
    """The program after the split passes; None when they refuse the kernel."""
    for name in PASSES:
        try:
            program = make_pass(name, "a5")(program)
        except PassError as error:
            assert error.diagnostic.code != "compiler-internal", error.diagnostic.message
            return None
    return program


@pytest.mark.parametrize("first", range(0, 240, 20))
def test_lanes_and_cores_compute_what_the_kernel_says(first: int) -> None:
    compared = 0
    for seed in range(first, first + 20):
        text = Author(seed).kernel()
        result = parse(text)
        assert result.program is not None
        assert not result.diagnostics, [d.message for d in result.diagnostics]
        cut = _cut(result.program)
        if cut is None:
            continue
        cube, vector = cut.get_function("kern_aic"), cut.get_function("kern_aiv")
        assert cube is not None
        assert vector is not None
        (kernel,) = result.program.functions
        assert run_cores(cube, vector, seed) == run_alone(kernel, seed), f"seed {seed}:\n{text}"
        compared += 1
    assert compared >= 10
