"""Small files for the terminal's tests."""

GOOD = """\
import pypto.language as pl


@pl.program
class Doubled:
    @pl.function
    def doubled(self, x: pl.Tensor[[64, 512], pl.FP32], y: pl.Out[pl.Tensor[[64, 512], pl.FP32]]) -> pl.Tensor[[64, 512], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="doubled"):
            y[:, :] = pl.add(x, x)
        return y
"""

#: One error, in line 12, columns 35 to 51.
BAD = """\
import pypto.language as pl


@pl.program
class ColumnPeak:
    @pl.function
    def column_peak(self, a: pl.Tensor[[64, 512], pl.BF16], w: pl.Tensor[[512, 512], pl.BF16], peak: pl.Out[pl.Tensor[[1, 512], pl.FP32]]) -> pl.Tensor[[1, 512], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="column_peak"):
            product = pl.matmul(a, w, out_dtype=pl.FP32)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(product)
                peak[0:1, 0:512] = pl.col_max(share)
        return peak
"""
BAD_CODE = "aiv-reduce-split-axis"
BAD_LINE = "                peak[0:1, 0:512] = pl.col_max(share)\n"

#: A helper that a kernel of another file inlines; its fault shows only in a kernel that calls it with a narrow tensor.
CALLEE = """\
import pypto.language as pl


@pl.jit.inline
def doubled_sum(x: pl.Tensor, y: pl.Tensor):
    y[:, :] = pl.add(x, y[0:3, :])
    return y
"""
CALLER = """\
import pypto.language as pl

from blocks import doubled_sum


@pl.jit
def caller(x: pl.Tensor[[64, 512], pl.FP32], y: pl.Out[pl.Tensor[[64, 512], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = doubled_sum(x, y)
    return y
"""

#: One safe fix: a deprecated spelling.
OTHER = "import os\n\n\ndef main():\n    return os.getcwd()\n"
