"""Kernels that the tests of the server share."""

TILES = """\
import pypto.language as pl


@pl.program
class Scaled:
    @pl.function(type=pl.FunctionType.InCore)
    def scaled(
        self,
        a: pl.Tensor[[128, 64], pl.BF16],
        b: pl.Tensor[[64, 128], pl.BF16],
        y: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        a_l1 = pl.load(a, [0, 0], [128, 64], target_memory=pl.Mem.Mat)
        b_l1 = pl.load(b, [0, 0], [64, 128], target_memory=pl.Mem.Mat)
        a_l0 = pl.move(a_l1, target_memory=pl.Mem.Left)
        b_l0 = pl.move(b_l1, target_memory=pl.Mem.Right)
        product = pl.matmul(a_l0, b_l0)
        local = pl.move(product, target_memory=pl.Mem.Vec)
        scaled = pl.mul(local, 0.125)
        written = pl.store(scaled, [0, 0], y)
        return written
"""

RAGGED = """\
import pypto.language as pl


@pl.program
class Ragged:
    @pl.function(type=pl.FunctionType.InCore)
    def halve(
        self,
        x: pl.Tensor[[16, 128], pl.FP32],
        w: pl.Tensor[[128, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        x_l1 = pl.load(x, [0, 0], [16, 128], [13, 128], target_memory=pl.Mem.Mat)
        w_l1 = pl.load(w, [0, 0], [128, 128], target_memory=pl.Mem.Mat)
        x_l0 = pl.move(x_l1, target_memory=pl.Mem.Left)
        w_l0 = pl.move(w_l1, target_memory=pl.Mem.Right)
        product = pl.matmul(x_l0, w_l0)
        local = pl.move(product, target_memory=pl.Mem.Vec)
        halved = pl.mul(local, 0.5)
        written = pl.store(halved, [0, 0], y)
        return written
"""

REGION = """\
import pypto.language as pl

ROWS = 64
HALF = ROWS // 2


@pl.program
class Region:
    @pl.function
    def gated(
        self,
        a: pl.Tensor[[ROWS, 128], pl.BF16],
        w: pl.Tensor[[128, 64], pl.BF16],
        gate: pl.Tensor[[ROWS, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]],
    ) -> pl.Tensor[[ROWS, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="gated"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(product)
                mine = gate[lane * HALF : lane * HALF + HALF, 0:64]
                y[lane * HALF : lane * HALF + HALF, 0:64] = pl.mul(share, mine)
        return y
"""

WRONG = REGION.replace("pl.mul(share, mine)", "pl.col_expand_mul(share, pl.col_max(mine))")

JIT = '''\
import pypto.language as pl

ROWS = 64
COLS = 256
BLOCK = 16


@pl.jit.inline
def shifted(rows: pl.Tensor, amount: pl.Scalar[pl.FP32]):
    """Moves every element."""
    moved = pl.sub(rows, amount)
    return moved


@pl.jit
def row_softmax(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for block in pl.parallel(ROWS // BLOCK):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="softmax"):
            rows = x[block * BLOCK : block * BLOCK + BLOCK, 0:COLS]
            peak = pl.row_max(rows)
            weights = pl.exp(pl.row_expand_sub(rows, peak))
            total = pl.row_sum(weights)
            y[block * BLOCK : block * BLOCK + BLOCK, 0:COLS] = pl.row_expand_div(weights, total)
    return y
'''

CARRIED = """\
import pypto.language as pl


@pl.program
class Carried:
    @pl.function(type=pl.FunctionType.InCore)
    def total(self, x: pl.Tensor[[512, 64], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        start = pl.load(x, [0, 0], [32, 64], target_memory=pl.Mem.Vec)
        for i, (acc,) in pl.range(1, 16, init_values=(start,)):
            part = pl.load(x, [i * 32, 0], [32, 64], target_memory=pl.Mem.Vec)
            more = pl.add(acc, part)
            summed = pl.yield_(more)
        written = pl.store(summed, [0, 0], y)
        return written
"""
