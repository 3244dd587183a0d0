"""Softmax over rows, written on tensors: the compiler makes the tiles, and the lowering shows them."""

import pypto.language as pl

ROWS = 64
COLS = 256
BLOCK = 16


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
