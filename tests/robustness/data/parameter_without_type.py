import pypto.language as pl
    @pl.function
    def kernel(x) -> pl.Tensor[[64, 64], pl.FP32]:
