"""Memory of lowered kernels: what is used, what pipes reserve, what does not fit, what cannot be planned."""

from __future__ import annotations

import pypto_core as pc

SAMPLE = """import pypto.language as pl

M = pl.dynamic("M")


@pl.program
class Kernels:
    @pl.function(type=pl.FunctionType.InCore)
    def chain(self, x: pl.Tensor[[{rows}, 64], pl.FP32], out: pl.Out[pl.Tensor[[{rows}, 64], pl.FP32]]) -> pl.Tensor[[{rows}, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [{rows}, 64])
        b = pl.tile.exp(a)
        c = pl.tile.add(a, b)
        out = pl.store(c, [0, 0], out)
        return out
"""


def memory_of(text: str, backend: str | None) -> list[pc.KernelMemory]:
    program = pc.parse(text).program
    assert program is not None
    return pc.memory_use(pc.run_pipeline(program, backend=backend), backend)


def test_tiles_share_what_they_do_not_need_at_one_time() -> None:
    (kernel,) = memory_of(SAMPLE.format(rows=16), "a2a3")
    (use,) = kernel.spaces
    assert (kernel.name, use.space, use.used, use.reserved, use.allocations) == (
        "chain", pc.MemorySpace.Vec, 2 * 16 * 64 * 4, 0, 2,
    )  # fmt: skip
    assert use.capacity == 184 * 1024
    assert use.fits


def test_too_much_is_told_and_not_refused() -> None:
    (kernel,) = memory_of(SAMPLE.format(rows=512), "a2a3")
    assert [use.used for use in kernel.spaces] == [2 * 512 * 64 * 4]
    assert not kernel.spaces[0].fits
    (unknown,) = memory_of(SAMPLE.format(rows=512), None)
    assert unknown.spaces[0].fits, "without a chip nothing is too much"


def test_a_tile_of_unknown_size_is_a_reason() -> None:
    (kernel,) = memory_of(SAMPLE.format(rows="M"), "a2a3")
    assert kernel.spaces == ()
    assert "static shape" in kernel.refused


MIXED = """import pypto.language as pl


@pl.program
class Kernels:
    @pl.function(type=pl.FunctionType.InCore)
    def mixed(self, x: pl.Tensor[[64, 64], pl.FP32], k: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        for i, (carried,) in pl.range(3, init_values=(t,)):
            if k > 0:
                out = pl.store(carried, [0, 0], out)
                m = pl.yield_(carried)
            else:
                m = pl.yield_(t)
            r = pl.yield_(m)
        out = pl.store(r, [0, 0], out)
        return out
"""


def test_a_branch_that_yields_less_than_it_results_in_is_planned() -> None:
    """``pl.yield_`` beside assignments loses the yielded value (docs/spec/passes_front.md, ConvertToSSA)."""
    rank_3 = (
        MIXED.replace("[[64, 64]", "[[4, 16, 64]")
        .replace("[16, 64]", "[1, 16, 64]")
        .replace("[0, 0]", "[0, 0, 0]")
    )
    for text in (MIXED, rank_3):
        (kernel,) = memory_of(text, "a2a3")
        assert [use.used for use in kernel.spaces] == [16 * 64 * 4]
