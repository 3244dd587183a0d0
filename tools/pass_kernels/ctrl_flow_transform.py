import pypto.language as pl


@pl.program
class CtrlFlowTransform:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[256, 64], pl.FP32],
        blocks: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ) -> pl.Tensor[[256, 64], pl.FP32]:
        for block in pl.range(8):
            if block >= blocks:
                break
            rows = pl.load(x, [block * 32, 0], [32, 64])
            y = pl.store(pl.exp(rows), [block * 32, 0], y)
        return y
