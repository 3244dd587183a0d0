import pypto.language as pl


@pl.program
class MaterializeTensorStrides:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        weights: pl.Tensor[[64, 128], pl.FP32, pl.TensorView(stride=[], layout=pl.TensorLayout.DN)],
        x: pl.Tensor[[64, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        rows = pl.load(x, [0, 0], [64, 64])
        y = pl.store(rows, [0, 0], y)
        return y
