import pypto.language as pl

for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):

    @pl.program
    class Example:
        @pl.function(strict_ssa=True)
        def kernel(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
            y = pl.exp(x)
        return z
