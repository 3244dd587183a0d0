import pypto.language as pl
while True:


    @pl.program
    class Example:
        @pl.function
    def kernel(
        self,
        a: pl.Tensor[[64, 64], pl.FP16],
        b: pl.Tensor[[64, 64], pl.FP16],
        data: pl.Tensor[[64, 64], pl.FP32],
        row: pl.Out[pl.Tensor[[64], pl.FP32]],
        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.LEFT_RIGHT)]):
            mm = pl.matmul(a, b, out_dtype=pl.FP32)
            twice = pl.mul(data, 2.0)
            row[:] = pl.slice(twice, [1, 64], [0, 0], drop_dims=[0])
            out[:, :] = pl.exp(mm)
        return out
