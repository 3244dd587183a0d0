import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class LowerCompositeOps:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]
    ) -> pld.DistributedTensor[[2, 1], pl.INT32]:
        signal = pld.tensor.barrier(signal)
        return signal
