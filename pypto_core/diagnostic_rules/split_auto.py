"""Rows of the table of codes: work that cannot be halved along the split axis (docs/spec/passes_split.md §16)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.split_samples import split, tiles
from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "split-reduce-axis",
        "Reduction along the split axis",
        "A split gives each vector lane half of one axis. A reduction along that axis sees only the lane's half, so each lane "
        "would hold a partial result and nothing joins the two. Reduce the other axis, or do the reduction before the split.",
        failing=split("out[:, :] = pl.col_max(mm)", out="pl.Tensor[[1, 64], pl.FP32]"),
        repaired=split("out[:, :] = pl.row_max(mm)", out="pl.Tensor[[64, 1], pl.FP32]"),
        fix="review",
    ),
    Rule(
        "split-generator",
        "Generated values depend on position",
        "pl.ci and pl.random produce values from the element's position. Halving the result would give both lanes the values of "
        "the first half. Make such a tile before the split, or keep the split dimension at extent one.",
        failing=split(
            """
            ramp = pl.cast(pl.arange(0, [1, 64], dtype=pl.INT32), pl.FP32)
            out[:, :] = pl.col_expand_mul(mm, ramp)
            """,
            mode="LEFT_RIGHT",
        ),
        repaired=split(
            """
            ramp = pl.cast(pl.arange(0, [1, 64], dtype=pl.INT32), pl.FP32)
            out[:, :] = pl.col_expand_mul(mm, ramp)
            """
        ),
        fix="review",
    ),
    Rule(
        "split-reshape",
        "Reshape that mixes the split axis",
        "A reshape keeps the order of the elements. The split survives it only when the first half of the split axis is the "
        "first half of some axis of the result. Otherwise neither lane's data is a block of the result. Do the reshape outside "
        "the split; pad an odd axis to an even one.",
        failing=split(
            """
            twice = pl.mul(data, 2.0)
            turned[:, :] = pl.reshape(twice, [5, 6])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[6, 5], pl.FP32]; turned: pl.Out[pl.Tensor[[5, 6], pl.FP32]]",
        ),
        repaired=split(
            """
            twice = pl.mul(data, 2.0)
            turned[:, :] = pl.reshape(twice, [1, 64])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 1], pl.FP32]; turned: pl.Out[pl.Tensor[[1, 64], pl.FP32]]",
        ),
        fix="review",
    ),
    Rule(
        "split-reshape-rebalanced",
        "Reshape of a balanced ragged tile",
        "When the valid rows do not fill the box, the compiler shares out the valid rows, not the box, so that the lanes stay "
        "within one row of each other. A reshape that moves the split axis cannot express that share. Widen the valid extent to "
        "the whole box first.",
        fix="review",
        failing=split(
            """
            column = pl.exp(pl.set_validshape(mm, 13, 1))
            out[:, :] = «pl.reshape(column, [1, 16])»
            """,
            out="pl.Tensor[[1, 16], pl.FP32]",
            rows=16,
            columns=1,
        ),
        repaired=split(
            """
            column = pl.row_max(mm)
            out[:, :] = pl.reshape(column, [1, 16])
            """,
            out="pl.Tensor[[1, 16], pl.FP32]",
            rows=16,
        ),
    ),
    Rule(
        "split-dynamic-view",
        "View whose halves are unknown",
        "A view of a whole tile is made once and each lane then slices its window from it. That needs a constant half, and for "
        "pl.reinterpret_view the shape that follows from the data types. Leave `shape=` out, or slice the lane's share first.",
        failing=split(
            """
            twice = pl.mul(data, 2.0)
            bits[:, :] = pl.reinterpret_view(twice, dtype=pl.FP16, shape=[32, 256])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; bits: pl.Out[pl.Tensor[[32, 256], pl.FP16]]",
        ),
        repaired=split(
            """
            twice = pl.mul(data, 2.0)
            bits[:, :] = pl.reinterpret_view(twice, dtype=pl.FP16)
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; bits: pl.Out[pl.Tensor[[64, 128], pl.FP16]]",
        ),
        fix="review",
    ),
    Rule(
        "split-dropped-axis",
        "Slice that drops the split axis",
        "Each lane owns half of the split axis. A slice with that axis in drop_dims leaves nothing to tell the lanes apart.",
        failing=split(
            """
            twice = pl.mul(data, 2.0)
            row[:] = pl.slice(twice, [1, 64], [0, 0], drop_dims=[0])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; row: pl.Out[pl.Tensor[[64], pl.FP32]]",
        ),
        repaired=split(
            """
            twice = pl.mul(data, 2.0)
            row[:] = pl.slice(twice, [1, 64], [0, 0], drop_dims=[0])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; row: pl.Out[pl.Tensor[[64], pl.FP32]]",
            mode="LEFT_RIGHT",
        ),
        fix="review",
    ),
    Rule(
        "split-full-width-operand",
        "Full-width operand of a halved operator",
        "The result of this operator is halved over the lanes, but one operand is a whole tile that nothing in the split "
        "partitioned: both lanes would read its first half, or all of it. Load or slice the operand inside the split region, so "
        "that each lane gets its own half. Operands that are the same for both lanes (extent one on the split axis), scratch and "
        "tables addressed by index may stay whole.",
        failing=split("out[:, :] = pl.add(mm, pl.create_tensor([64, 64], dtype=pl.FP32))"),
        repaired=split("out[:, :] = pl.add(mm, data)", "data: pl.Tensor[[64, 64], pl.FP32]"),
        fix="review",
    ),
    Rule(
        "split-axis-map",
        "Operator that moves the split axis",
        "After halving, the operator's own type rule gives another shape than half of the result: it does not carry the split "
        "axis where it stands. Move the operator out of the split.",
        failing=tiles(
            """
            v = pl.tile.load(data, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
            w = pl.tile.transpose_view(v)
            res = pl.tile.store(w, [0, 0], out)
            return res
            """,
            "data: pl.Tensor[[64, 32], pl.FP32]",
            "pl.Tensor[[32, 64], pl.FP32]",
        ),
        repaired=tiles(
            """
            v = pl.tile.load(data, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
            w = pl.tile.exp(v)
            res = pl.tile.store(w, [0, 0], out)
            return res
            """,
            "data: pl.Tensor[[64, 32], pl.FP32]",
            "pl.Tensor[[64, 32], pl.FP32]",
        ),
        fix="review",
    ),
    Rule(
        "split-absolute-index",
        "Halved table under absolute indices",
        "pl.gather reads its source, and pl.scatter writes its destination, at absolute positions. When that tile itself is "
        "halved, lane 1's positions point into the wrong half. Make the tile outside the split region and pass it in whole.",
        failing=split(
            """
            picked[:, :] = pl.gather(table, 1, at)
            out[:, :] = pl.exp(mm)
            """,
            "table: pl.Tensor[[64, 64], pl.FP32]; at: pl.Tensor[[64, 64], pl.INT32];"
            "picked: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
        ),
        repaired=split(
            """
            picked[:, :] = pl.gather(table, 1, at)
            out[:, :] = pl.exp(mm)
            """,
            "table: pl.Tensor[[1, 64], pl.FP32]; at: pl.Tensor[[1, 64], pl.INT32];"
            "picked: pl.Out[pl.Tensor[[1, 64], pl.FP32]]",
        ),
        chip="a5",
        fix="review",
    ),
    Rule(
        "split-tuple-refused",
        "Tuple operator refuses the halves",
        "The operator returns several tiles and does not accept the lanes' halves of its operands: one of its own rules needs the "
        "whole extent. Its message says which. Move the operator out of the split.",
        fix="review",
        no_source="No operator of the language that returns a tuple refuses halves; the check is there for printed IR, in which `tile.tquant_mx` does.",
    ),
    Rule(
        "split-tuple-stationary",
        "Element of a tuple that does not halve",
        "Of the tiles that this operator returns, one keeps its full extent although the operands were halved: neither lane holds "
        "the whole answer. Move the operator out of the split, or split the other axis.",
        failing=tiles(
            """
            v = pl.tile.load(data, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
            tmp = pl.tile.create([64, 64], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
            pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
            hits = pair[0]
            res = pl.tile.store(hits, [0, 0], out)
            return res
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]",
            "pl.Tensor[[64, 32], pl.INT32]",
            mode="LEFT_RIGHT",
        ),
        repaired=tiles(
            """
            v = pl.tile.load(data, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
            tmp = pl.tile.create([64, 64], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
            pair = pl.tile.gather_compare(v, 1.0, tmp, cmp_mode="eq", out_cols=32)
            hits = pair[0]
            res = pl.tile.store(hits, [0, 0], out)
            return res
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]",
            "pl.Tensor[[64, 32], pl.INT32]",
        ),
        fix="review",
    ),
    Rule(
        "split-carry-mismatch",
        "Loop carry that changes width",
        "A value carried around a loop is either one lane's share or the whole tile, in every iteration. Here the initial value "
        "and the value yielded back differ. Derive both the same way: load or slice both inside the split, or neither.",
        failing=split(
            """
            total = pl.exp(mm)
            for i in pl.range(4):
                total = pl.create_tensor([64, 64], dtype=pl.FP32)
            out[:, :] = total
            """
        ),
        repaired=split(
            """
            total = pl.exp(mm)
            for i in pl.range(4):
                total = pl.add(total, total)
            out[:, :] = total
            """
        ),
        fix="review",
    ),
    Rule(
        "split-yield-inline",
        "Expression written inside pl.yield_",
        "The split rewrites statements. An operator written inside pl.yield_ is no statement of its own, so its result stays whole "
        "while the carry is halved. Give the expression a name and yield the name.",
        fix="safe",
        no_source="FlattenCallExpr gives every call inside `pl.yield_` a statement of its own before the split runs; the check is there for printed IR.",
    ),
    Rule(
        "split-merge-mismatch",
        "Branches that yield different widths",
        "A value merged from two branches has one type. One branch yields a lane's share and the other a whole tile (or a share "
        "along another axis). Derive both branches the same way.",
        failing=split(
            """
            pick = pl.exp(mm)
            if n > 0:
                pick = pl.create_tensor([64, 64], dtype=pl.FP32)
            out[:, :] = pick
            """,
            "n: pl.Scalar[pl.INT32]",
        ),
        repaired=split(
            """
            pick = pl.exp(mm)
            if n > 0:
                pick = pl.neg(pick)
            out[:, :] = pick
            """,
            "n: pl.Scalar[pl.INT32]",
        ),
        fix="review",
    ),
    Rule(
        "split-scope-in-body",
        "Scope inside a split kernel",
        "The split of a whole kernel does not reach through a scope statement, so vector work inside it would run whole on both "
        "lanes. Declare the enclosing function with plain @pl.function: the scope then becomes a kernel of its own.",
        fix="review",
        failing=tiles(
            """
            «with pl.at(level=pl.Level.CORE_GROUP):»
                more = pl.exp(half)
            res = pl.store(more, [0, 0], out)
            return res
            """,
            "",
            "pl.Tensor[[64, 64], pl.FP32]",
        ),
        repaired=tiles(
            """
            more = pl.exp(half)
            res = pl.store(more, [0, 0], out)
            return res
            """,
            "",
            "pl.Tensor[[64, 64], pl.FP32]",
        ),
    ),
)
