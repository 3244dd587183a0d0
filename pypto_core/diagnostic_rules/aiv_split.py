"""Rows of the table of codes: rules of lane regions (docs/spec/verifiers.md §4, checks (a) to (k))."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_core.diagnostics import Rule


def _kernel(body: str) -> str:
    """A kernel on tensors: a product `mm`, then what `body` does with it."""
    out = "pl.Tensor[[64, 64], pl.FP32]"
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n    @pl.function\n    def kernel(\n"
        "        self,\n        a: pl.Tensor[[64, 64], pl.FP16],\n        b: pl.Tensor[[64, 64], pl.FP16],\n"
        f"        data: pl.Tensor[[64, 64], pl.FP32],\n        out: pl.Out[{out}],\n    ) -> {out}:\n"
        '        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):\n'
        "            mm = pl.matmul(a, b, out_dtype=pl.FP32)\n"
        + indent(dedent(body).strip("\n"), " " * 12)
        + "\n        return out\n"
    )


_ROWS = "out[lane * 32 : lane * 32 + 32, 0:64]"

RULES: tuple[Rule, ...] = (
    Rule(
        "aiv-cube-in-region",
        "Cube work inside a lane region",
        "A pl.split_aiv region runs on the vector lanes. A matrix product or another cube operator cannot run there; in a "
        "data-parallel region each lane would moreover see only half of the tile. Move the statement above or below the region.",
        failing=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                share = pl.aiv_shard(mm)
                active = pl.aic_gather(pl.cast(share, pl.FP16))
                out[:, :] = pl.matmul(active, b, out_dtype=pl.FP32)
            """
        ),
        repaired=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                share = pl.aiv_shard(mm)
                active = pl.aic_gather(pl.cast(share, pl.FP16))
            out[:, :] = pl.matmul(active, b, out_dtype=pl.FP32)
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-reduce-split-axis",
        "Reduction along the lanes' axis",
        "The region's mode shares out one axis between the lanes. A reduction along it gives each lane a partial result that "
        "nothing joins. Reduce the other axis, or use a pl.SplitMode.NONE region, where each lane sees the whole tile.",
        failing=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                out[0:1, 0:64] = pl.col_max(share)
            """
        ),
        repaired=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                out[lane * 32 : lane * 32 + 32, 0:1] = pl.row_max(share)
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-boundary-outside-region",
        "Crossing outside every lane region",
        "pl.aiv_shard and pl.aic_gather are the two ends of a lane region: they take their split mode from it. Wrap the statement "
        "in a region.",
        failing=(
            "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n"
            "    @pl.function(type=pl.FunctionType.InCore)\n    def kernel(\n"
            "        a: pl.Tensor[[64, 64], pl.FP16],\n        b: pl.Tensor[[64, 64], pl.FP16],\n"
            "        out: pl.Out[pl.Tensor[[64, 64], pl.FP32]],\n"
            "    ) -> pl.Tensor[[64, 64], pl.FP32]:\n"
            '        pl.func_attr({"split": pl.SplitMode.UP_DOWN})\n'
            "        left = pl.tile.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
            "        right = pl.tile.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
            "        acc = pl.tile.matmul(left, right)\n"
            "        share = pl.tile.aiv_shard(acc, split=1)\n"
            "        res = pl.tile.store(share, [0, 0], out)\n        return res\n"
        ),
        repaired=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = share
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-boundary-memory",
        "Crossing of a value that is already on this side",
        "pl.aiv_shard hands a product of the cube to the lanes, pl.aic_gather hands the lanes' tile to the cube. The operand must "
        "come from the sending side. A tile that the vector side loaded needs no shard: read the lane's rows directly.",
        failing=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                product = pl.aiv_shard(mm)
                whole = data[0:64, 0:64]
                share = pl.aiv_shard(whole)
                {_ROWS} = pl.add(product, share)
            """
        ),
        repaired=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                product = pl.aiv_shard(mm)
                share = data[lane * 32 : lane * 32 + 32, 0:64]
                {_ROWS} = pl.add(product, share)
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-vector-outside-region",
        "Vector work outside the lane regions",
        "A function that opens a lane region places all its vector work itself. Vector work outside every region would have no "
        "lane. Wrap the statement in a region; `for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):` keeps it whole.",
        failing=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = share
            out[:, :] = pl.exp(data)
            """
        ),
        repaired=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = pl.exp(share)
            """
        ),
        fix="safe",
    ),
    Rule(
        "aiv-unnamed-gather",
        "Cube reads a lane value without a crossing",
        "A value made inside a lane region lives with the lanes. When the cube reads it, the crossing must be named: end the region "
        "with `v = pl.aic_gather(v)`.",
        failing=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                v = pl.cast(pl.aiv_shard(mm), pl.FP16)
            out[:, :] = pl.matmul(v, b, out_dtype=pl.FP32)
            """
        ),
        repaired=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                v = pl.cast(pl.aiv_shard(mm), pl.FP16)
                v = pl.aic_gather(v)
            out[:, :] = pl.matmul(v, b, out_dtype=pl.FP32)
            """
        ),
        fix="sometimes",
    ),
    Rule(
        "aiv-unnamed-shard",
        "Lane region reads a cube value without a crossing",
        "A product of the cube lives with the cube. When a lane region reads it, the crossing must be named: start the region with "
        "`v = pl.aiv_shard(v)`.",
        failing=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                out[:, :] = pl.exp(mm)
            """
        ),
        repaired=_kernel(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                mm = pl.aiv_shard(mm)
                out[:, :] = pl.exp(mm)
            """
        ),
        fix="sometimes",
    ),
    Rule(
        "aiv-region-in-incore",
        "Lane region in a function declared InCore",
        "Lane regions belong into the scope that becomes the kernel: `with pl.at(level=pl.Level.CORE_GROUP):` in a plain function. "
        "A function declared type=pl.FunctionType.InCore skips the pass that prepares its regions. Drop the type.",
        failing=(
            "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n"
            "    @pl.function(type=pl.FunctionType.InCore)\n    def kernel(\n        self,\n"
            "        a: pl.Tensor[[128, 128], pl.FP32],\n"
            "        c: pl.Out[pl.Tensor[[128, 128], pl.FP32]],\n"
            "    ) -> pl.Tensor[[128, 128], pl.FP32]:\n"
            "        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):\n"
            "            base = lane * 64\n"
            "            c = pl.store(pl.exp(pl.load(a, [base, 0], [64, 128])), [base, 0], c)\n"
            "        return c\n"
        ),
        repaired=(
            "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n"
            "    @pl.function\n    def kernel(\n        self,\n"
            "        a: pl.Tensor[[128, 128], pl.FP32],\n"
            "        c: pl.Out[pl.Tensor[[128, 128], pl.FP32]],\n"
            "    ) -> pl.Tensor[[128, 128], pl.FP32]:\n"
            "        with pl.at(level=pl.Level.CORE_GROUP):\n"
            "            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):\n"
            "                c[lane * 64 : lane * 64 + 64, 0:128] = pl.exp(a[lane * 64 : lane * 64 + 64, 0:128])\n"
            "        return c\n"
        ),
        fix="review",
    ),
    Rule(
        "aiv-boundary-loop-carried",
        "Crossing carried around a loop",
        "A crossing belongs to one iteration: its slot is returned at the end. Carrying its result over the loop's back-edge would "
        "read a slot that was given back. Call pl.aiv_shard or pl.aic_gather inside the loop, next to its reader.",
        failing=_kernel(
            """
            for p in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
            for i in pl.range(2):
                for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                    out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
                    share = pl.aiv_shard(mm)
            """
        ),
        repaired=_kernel(
            """
            for i in pl.range(2):
                for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                    share = pl.aiv_shard(mm)
                    out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-boundary-other-region",
        "Crossing read in another lane region",
        "The half that pl.aiv_shard hands out belongs to the region in which it stands. Another region must cross on its own, or "
        "the reader moves into the region of the crossing.",
        failing=_kernel(
            f"""
            for p in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                {_ROWS} = pl.exp(share)
            """
        ),
        repaired=_kernel(
            f"""
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = pl.exp(share)
            """
        ),
        fix="review",
    ),
    Rule(
        "aiv-mixed-boundary-modes",
        "Split and unsplit crossings in one function",
        "All crossings of one function share a ring, and the ring is either split between the lanes or not. Give all regions with "
        "crossings a split mode, or none of them.",
        failing=_kernel(
            f"""
            for p in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                whole = pl.aiv_shard(mm)
                out[:, :] = pl.exp(whole)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = pl.exp(share)
            """
        ),
        repaired=_kernel(
            f"""
            for p in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                top = pl.aiv_shard(mm)
                out[p * 32 : p * 32 + 32, 0:64] = pl.exp(top)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                {_ROWS} = pl.neg(share)
            """
        ),
        fix="review",
    ),
)
