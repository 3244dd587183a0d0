"""Rows of the table of codes: lane regions that cannot be lowered (docs/spec/passes_split.md §16)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.split_samples import core, region
from pypto_core.diagnostics import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "split-region-full-width",
        "Whole-tile work inside a lane region",
        "The body of this region is already written per lane, and it is taken as it stands. An operator on a whole tile would "
        "therefore run identically on both lanes. Use operands that come from pl.aiv_shard, or add the lane index to the offset "
        "of the read.",
        failing=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                gain = data[0:32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]",
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                gain = data[lane * 32 : lane * 32 + 32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]",
        ),
        fix="review",
    ),
    Rule(
        "lane-store-same-place",
        "Both lanes write to one place",
        "The body of a lane region runs on both lanes, offsets included. A lane's own share that is written at an offset which does not "
        "depend on the lane is overwritten by the other lane, and which of the two stays is chance. Add the lane index to the "
        "offset. Writes under a condition and atomic ones are left alone.",
        Severity.WARNING,
        failing=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                «out[0:32, 0:64] = pl.exp(share)»
            """
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
        fix="review",
    ),
    Rule(
        "lane-store-behind-end",
        "A lane writes behind the end of a tensor",
        "With the lane index put in, the offset and the extent of the write reach past the last element of the tensor for one of the two "
        "lanes. Nothing stops it there: it writes into whatever lies behind.",
        Severity.WARNING,
        failing=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                «out[lane * 48 : lane * 48 + 32, 0:64] = pl.exp(share)»
            """
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
    ),
    Rule(
        "split-region-carry",
        "Lane region loses a lane-local carry",
        "A loop inside the region starts from a lane's own share but yields back a value that is the same for both lanes. Yield a "
        "value derived from pl.aiv_shard or from a read at the lane index.",
        fix="review",
        failing=region(
            """
            «for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):»
                total = pl.exp(pl.aiv_shard(mm))
                for i in pl.range(2):
                    total = pl.full([32, 64], dtype=pl.FP32, value=0.0)
                out[lane * 32 : lane * 32 + 32, 0:64] = total
            """
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                total = pl.exp(pl.aiv_shard(mm))
                for i in pl.range(2):
                    total = pl.add(total, total)
                out[lane * 32 : lane * 32 + 32, 0:64] = total
            """
        ),
    ),
    Rule(
        "split-transpose",
        "Transpose across the split axis",
        "Each lane owns half of one axis. Transposing it would need the other lane's half. Read the columns with a slice instead, "
        "transpose before the split, or drop the split.",
        failing=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                turned = pl.transpose(share, 0, 1)
                out[0:64, lane * 32 : lane * 32 + 32] = turned
            """
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
        fix="review",
    ),
    Rule(
        "split-region-scope",
        "Scope between a kernel and its lane region",
        "Lowering of lane regions goes through loops and branches but not through scopes. In a function declared InCore a scope is "
        "not outlined, so the region stays hidden behind it. Drop the scope, or drop type=pl.FunctionType.InCore.",
        fix="review",
        failing=core(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                «for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):»
                    half = pl.load(x, [lane * 32, 0], [32, 128])
                    out = pl.store(pl.exp(half), [lane * 32, 0], out)
            """
        ),
        repaired=core(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
                half = pl.load(x, [lane * 32, 0], [32, 128])
                out = pl.store(pl.exp(half), [lane * 32, 0], out)
            """
        ),
    ),
    Rule(
        "split-gather-hole",
        "Join of two partly filled halves",
        "pl.aic_gather puts lane 1's tile behind the whole box of lane 0's. When both lanes fill only part of their box, the joined "
        "tile has a hole in the middle. Fill the lane's tile first, or widen its valid extent.",
        fix="review",
        failing=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                part = pl.set_validshape(pl.cast(pl.aiv_shard(mm), pl.FP16), 16, 64)
                joined = «pl.aic_gather(part)»
            out[:, :] = pl.matmul(joined, b, out_dtype=pl.FP32)
            """
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                part = pl.cast(pl.aiv_shard(mm), pl.FP16)
                joined = pl.aic_gather(part)
            out[:, :] = pl.matmul(joined, b, out_dtype=pl.FP32)
            """
        ),
    ),
    Rule(
        "split-chained-store",
        "Store that must be guarded feeds another store",
        "A lane may receive no rows at all, so its store is guarded. A second store that writes on into the result of the first "
        "would lose it in that lane. Write the tile with one subscript assignment.",
        failing=region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                «out[lane * 32 : lane * 32 + 32, 0:64] = share»
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
        repaired=region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
    ),
    Rule(
        "split-reshape-valid",
        "Operator that reshapes a ragged share",
        "The lanes hold different parts of a ragged extent. This operator changes the valid rectangle, and the per-lane extent "
        "cannot follow. Do it on the cube side, before the crossing.",
        failing=region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                total = pl.row_sum(share)
                out[lane * 32 : lane * 32 + 32, 0:1] = total
            """,
            out="pl.Tensor[[64, 1], pl.FP32]",
        ),
        repaired=region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                total = pl.row_sum(share)
                out[lane * 32 : lane * 32 + 32, 0:1] = total
            """,
            out="pl.Tensor[[64, 1], pl.FP32]",
        ),
        fix="review",
    ),
    Rule(
        "split-shard-carried",
        "Ragged crossing carried around a loop",
        "A loop starts from a crossing whose lanes hold different extents. The carry has one type for both. Call pl.aiv_shard "
        "inside the loop.",
        fix="review",
        failing=region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                total = pl.exp(pl.aiv_shard(rows))
                «for i in pl.range(2):»
                    total = pl.add(total, total)
                out[lane * 32 : lane * 32 + 32, 0:64] = total
            """
        ),
        repaired=region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for i in pl.range(2):
                for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                    share = pl.aiv_shard(rows)
                    out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """
        ),
    ),
    Rule(
        "split-deferred-extent",
        "Run-time extent used directly at the crossing",
        "An extent known only at run time cannot sit on the crossing itself; the lane's share of it appears at the first operator "
        "behind it. Storing or filling the crossing directly would use the whole box. Put an elementwise operator in between, or "
        "fill on the cube side.",
        failing=region(
            """
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                filled = pl.fillpad(share, pad_value=pl.PadValue.zero)
                out[lane * 32 : lane * 32 + 32, 0:64] = filled
            """,
            "n: pl.Scalar[pl.INDEX]",
        ),
        repaired=region(
            """
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.exp(share)
            """,
            "n: pl.Scalar[pl.INDEX]",
        ),
        fix="review",
    ),
)
