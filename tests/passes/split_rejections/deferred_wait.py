# passes: expand_mixed_kernel
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Launched:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.wait(signal)


@pl.program
class WithoutAttribute:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    #   ^^^ deferred-waiter: 'wait'; deferred_completion_waiter

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.wait(signal)


@pl.program
class OnTheCube:
    @pl.function(type=pl.FunctionType.AIC)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    #   ^^^ deferred-waiter: 'wait'; InCore or AIV

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.wait(signal)


@pl.program
class WithCores:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True, "core_num": 4})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    #   ^^^ deferred-waiter: 'wait'; core_num

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.wait(signal)


@pl.program
class NeverLaunched:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    #   ^^^ deferred-waiter: 'wait'; no Orchestration function launches it

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pass


@pl.program
class LaunchedByAGroup:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

    @pl.function(type=pl.FunctionType.Group)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        self.wait(signal)
    #   ^^^ deferred-waiter: 'wait'; 'main'; Orchestration


@pl.program
class LaunchedEarly:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        task = pl.submit(self.wait, signal, allow_early_resolve=True)
    #          ^^^ deferred-waiter: 'wait'; allow_early_resolve


@pl.program
class Submitted:
    @pl.function(type=pl.FunctionType.InCore)
    def wait(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        pl.func_attr({"deferred_completion_waiter": True})
        pld.system.defer_wait(signal=signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        task = pl.submit(self.wait, signal)
