"""Rows of the table of codes: rejections of the split and cross-core passes (docs/spec/passes_split.md §16)."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_core.diagnostics import Rule


def _split(
    body: str,
    params: str = "",
    out: str = "pl.Tensor[[64, 64], pl.FP32]",
    mode: str = "UP_DOWN",
    rows: int = 64,
) -> str:
    """A kernel split over the lanes: a product `mm`, then what `body` does with it."""
    lines = "".join(f"        {p.strip()},\n" for p in params.split(";") if p.strip())
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n    @pl.function\n    def kernel(\n"
        f"        self,\n        a: pl.Tensor[[{rows}, 64], pl.FP16],\n        b: pl.Tensor[[64, 64], pl.FP16],\n"
        f"{lines}        out: pl.Out[{out}],\n    ) -> {out}:\n"
        f"        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.{mode})]):\n"
        "            mm = pl.matmul(a, b, out_dtype=pl.FP32)\n"
        + indent(dedent(body).strip("\n"), " " * 12)
        + "\n        return out\n"
    )


def _tiles(body: str, params: str, out: str, mode: str = "UP_DOWN") -> str:
    """The same on tiles: `half` is what the lanes receive of the product."""
    lines = "".join(f"        {p.strip()},\n" for p in params.split(";") if p.strip())
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n"
        "    @pl.function(type=pl.FunctionType.InCore)\n    def kernel(\n"
        "        a: pl.Tensor[[64, 64], pl.FP16],\n        b: pl.Tensor[[64, 64], pl.FP16],\n"
        f"{lines}        out: pl.Out[{out}],\n    ) -> {out}:\n"
        f'        pl.func_attr({{"split": pl.SplitMode.{mode}}})\n'
        "        left = pl.tile.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
        "        right = pl.tile.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
        "        acc = pl.tile.matmul(left, right)\n"
        "        half = pl.tile.move(acc, target_memory=pl.Mem.Vec)\n"
        + indent(dedent(body).strip("\n"), " " * 8)
        + "\n"
    )


def _region(body: str, params: str = "", out: str = "pl.Tensor[[64, 64], pl.FP32]") -> str:
    """A kernel on tensors: a product, then what `body` does with it."""
    lines = "".join(f"        {p.strip()},\n" for p in params.split(";") if p.strip())
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n    @pl.function\n    def kernel(\n"
        "        self,\n        a: pl.Tensor[[64, 64], pl.FP16],\n        b: pl.Tensor[[64, 64], pl.FP16],\n"
        f"{lines}        out: pl.Out[{out}],\n    ) -> {out}:\n"
        '        with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):\n'
        "            mm = pl.matmul(a, b, out_dtype=pl.FP32)\n"
        + indent(dedent(body).strip("\n"), " " * 12)
        + "\n        return out\n"
    )


def _vector(body: str) -> str:
    """A hand-written vector-core function that receives tiles from the cube."""
    out = "pl.Tensor[[16, 128], pl.FP32]"
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n"
        "    @pl.function(type=pl.FunctionType.AIV)\n"
        f"    def vec(self, out: pl.Out[{out}]) -> {out}:\n"
        '        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)\n'
        "        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)\n"
        + indent(dedent(body).strip("\n"), " " * 8)
        + "\n"
    )


_TILE = "pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec]"

RULES: tuple[Rule, ...] = (
    Rule(
        "split-reduce-axis",
        "Reduction along the split axis",
        "A split gives each vector lane half of one axis. A reduction along that axis sees only the lane's half, so each lane "
        "would hold a partial result and nothing joins the two. Reduce the other axis, or do the reduction before the split.",
        failing=_split("out[:, :] = pl.col_max(mm)", out="pl.Tensor[[1, 64], pl.FP32]"),
        repaired=_split("out[:, :] = pl.row_max(mm)", out="pl.Tensor[[64, 1], pl.FP32]"),
        fix="review",
    ),
    Rule(
        "split-generator",
        "Generated values depend on position",
        "pl.ci and pl.random produce values from the element's position. Halving the result would give both lanes the values of "
        "the first half. Make such a tile before the split, or keep the split dimension at extent one.",
        failing=_split(
            """
            ramp = pl.cast(pl.arange(0, [1, 64], dtype=pl.INT32), pl.FP32)
            out[:, :] = pl.col_expand_mul(mm, ramp)
            """,
            mode="LEFT_RIGHT",
        ),
        repaired=_split(
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
        failing=_split(
            """
            twice = pl.mul(data, 2.0)
            turned[:, :] = pl.reshape(twice, [5, 6])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[6, 5], pl.FP32]; turned: pl.Out[pl.Tensor[[5, 6], pl.FP32]]",
        ),
        repaired=_split(
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
    ),
    Rule(
        "split-dynamic-view",
        "View whose halves are unknown",
        "A view of a whole tile is made once and each lane then slices its window from it. That needs a constant half, and for "
        "pl.reinterpret_view the shape that follows from the data types. Leave `shape=` out, or slice the lane's share first.",
        failing=_split(
            """
            twice = pl.mul(data, 2.0)
            bits[:, :] = pl.reinterpret_view(twice, dtype=pl.FP16, shape=[32, 256])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; bits: pl.Out[pl.Tensor[[32, 256], pl.FP16]]",
        ),
        repaired=_split(
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
        failing=_split(
            """
            twice = pl.mul(data, 2.0)
            row[:] = pl.slice(twice, [1, 64], [0, 0], drop_dims=[0])
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]; row: pl.Out[pl.Tensor[[64], pl.FP32]]",
        ),
        repaired=_split(
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
        failing=_split("out[:, :] = pl.add(mm, pl.create_tensor([64, 64], dtype=pl.FP32))"),
        repaired=_split("out[:, :] = pl.add(mm, data)", "data: pl.Tensor[[64, 64], pl.FP32]"),
        fix="review",
    ),
    Rule(
        "split-axis-map",
        "Operator that moves the split axis",
        "After halving, the operator's own type rule gives another shape than half of the result: it does not carry the split "
        "axis where it stands. Move the operator out of the split.",
        failing=_tiles(
            """
            v = pl.tile.load(data, [0, 0], [64, 32], target_memory=pl.Mem.Vec)
            w = pl.tile.transpose_view(v)
            res = pl.tile.store(w, [0, 0], out)
            return res
            """,
            "data: pl.Tensor[[64, 32], pl.FP32]",
            "pl.Tensor[[32, 64], pl.FP32]",
        ),
        repaired=_tiles(
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
        failing=_split(
            """
            picked[:, :] = pl.gather(table, 1, at)
            out[:, :] = pl.exp(mm)
            """,
            "table: pl.Tensor[[64, 64], pl.FP32]; at: pl.Tensor[[64, 64], pl.INT32];"
            "picked: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
        ),
        repaired=_split(
            """
            picked[:, :] = pl.gather(table, 1, at)
            out[:, :] = pl.exp(mm)
            """,
            "table: pl.Tensor[[1, 64], pl.FP32]; at: pl.Tensor[[1, 64], pl.INT32];"
            "picked: pl.Out[pl.Tensor[[1, 64], pl.FP32]]",
        ),
        fix="review",
    ),
    Rule(
        "split-tuple-refused",
        "Tuple operator refuses the halves",
        "The operator returns several tiles and does not accept the lanes' halves of its operands: one of its own rules needs the "
        "whole extent. Its message says which. Move the operator out of the split.",
        fix="review",
    ),
    Rule(
        "split-tuple-stationary",
        "Element of a tuple that does not halve",
        "Of the tiles that this operator returns, one keeps its full extent although the operands were halved: neither lane holds "
        "the whole answer. Move the operator out of the split, or split the other axis.",
        failing=_tiles(
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
        repaired=_tiles(
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
        "split-gather-full-width",
        "Whole tile moved to the cube side of a split",
        "On the way to the cube the lanes' halves are joined. A value that was never halved has no half to join: it would arrive "
        "at twice its size. Load or slice the value inside the split function, or keep it on the vector side.",
        failing=_split(
            """
            blank = pl.create_tensor([64, 64], dtype=pl.FP16)
            more[:, :] = pl.matmul(blank, b, out_dtype=pl.FP32)
            out[:, :] = pl.exp(mm)
            """,
            "more: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
        ),
        repaired=_split(
            """
            twice = pl.mul(data, 2.0)
            more[:, :] = pl.matmul(twice, b, out_dtype=pl.FP32)
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[64, 64], pl.FP16]; more: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
        ),
        fix="review",
    ),
    Rule(
        "split-gather-axis",
        "Split axis that no gather can join",
        "A crossing to the cube joins dim 0 or dim 1. This value is split on another axis; cross to the cube side earlier.",
        fix="review",
    ),
    Rule(
        "split-carry-mismatch",
        "Loop carry that changes width",
        "A value carried around a loop is either one lane's share or the whole tile, in every iteration. Here the initial value "
        "and the value yielded back differ. Derive both the same way: load or slice both inside the split, or neither.",
        failing=_split(
            """
            total = pl.exp(mm)
            for i in pl.range(4):
                total = pl.create_tensor([64, 64], dtype=pl.FP32)
            out[:, :] = total
            """
        ),
        repaired=_split(
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
    ),
    Rule(
        "split-merge-mismatch",
        "Branches that yield different widths",
        "A value merged from two branches has one type. One branch yields a lane's share and the other a whole tile (or a share "
        "along another axis). Derive both branches the same way.",
        failing=_split(
            """
            pick = pl.exp(mm)
            if n > 0:
                pick = pl.create_tensor([64, 64], dtype=pl.FP32)
            out[:, :] = pick
            """,
            "n: pl.Scalar[pl.INT32]",
        ),
        repaired=_split(
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
    ),
    Rule(
        "split-region-full-width",
        "Whole-tile work inside a lane region",
        "The body of this region is already written per lane, and it is taken as it stands. An operator on a whole tile would "
        "therefore run identically on both lanes. Use operands that come from pl.aiv_shard, or add the lane index to the offset "
        "of the read.",
        failing=_region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                gain = data[0:32, 0:64]
                out[lane * 32 : lane * 32 + 32, 0:64] = pl.mul(share, gain)
            """,
            "data: pl.Tensor[[64, 64], pl.FP32]",
        ),
        repaired=_region(
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
        "split-region-carry",
        "Lane region loses a lane-local carry",
        "A loop inside the region starts from a lane's own share but yields back a value that is the same for both lanes. Yield a "
        "value derived from pl.aiv_shard or from a read at the lane index.",
        fix="review",
    ),
    Rule(
        "split-transpose",
        "Transpose across the split axis",
        "Each lane owns half of one axis. Transposing it would need the other lane's half. Read the columns with a slice instead, "
        "transpose before the split, or drop the split.",
        failing=_region(
            """
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(mm)
                turned = pl.transpose(share, 0, 1)
                out[0:64, lane * 32 : lane * 32 + 32] = turned
            """
        ),
        repaired=_region(
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
    ),
    Rule(
        "split-gather-hole",
        "Join of two partly filled halves",
        "pl.aic_gather puts lane 1's tile behind the whole box of lane 0's. When both lanes fill only part of their box, the joined "
        "tile has a hole in the middle. Fill the lane's tile first, or widen its valid extent.",
        fix="review",
    ),
    Rule(
        "split-gather-odd",
        "Join of lanes with different extents",
        "A crossing to the cube has no form for lanes that hold different extents. Pad the axis to an even extent and narrow the "
        "result on the cube side.",
    ),
    Rule(
        "split-chained-store",
        "Store that must be guarded feeds another store",
        "A lane may receive no rows at all, so its store is guarded. A second store that writes on into the result of the first "
        "would lose it in that lane. Write the tile with one subscript assignment.",
    ),
    Rule(
        "split-reshape-valid",
        "Operator that reshapes a ragged share",
        "The lanes hold different parts of a ragged extent. This operator changes the valid rectangle, and the per-lane extent "
        "cannot follow. Do it on the cube side, before the crossing.",
        failing=_region(
            """
            rows = pl.set_validshape(mm, 24, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                total = pl.row_sum(share)
                out[lane * 32 : lane * 32 + 32, 0:1] = total
            """,
            out="pl.Tensor[[64, 1], pl.FP32]",
        ),
        repaired=_region(
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
    ),
    Rule(
        "split-deferred-extent",
        "Run-time extent used directly at the crossing",
        "An extent known only at run time cannot sit on the crossing itself; the lane's share of it appears at the first operator "
        "behind it. Storing or filling the crossing directly would use the whole box. Put an elementwise operator in between, or "
        "fill on the cube side.",
        failing=_region(
            """
            rows = pl.set_validshape(mm, n, 64)
            for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                share = pl.aiv_shard(rows)
                filled = pl.fillpad(share, pad_value=pl.PadValue.zero)
                out[lane * 32 : lane * 32 + 32, 0:64] = filled
            """,
            "n: pl.Scalar[pl.INDEX]",
        ),
        repaired=_region(
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
    Rule(
        "split-ragged-columns",
        "Narrowed columns at a crossing",
        "The ring between the cores moves whole columns. A narrowed column extent travels only when it is constant, unsplit and "
        "not combined with narrowed rows. Widen the valid columns with pl.set_validshape before the crossing and narrow them "
        "behind it.",
        failing=_split("out[:, :] = pl.exp(pl.set_validshape(mm, 64, 40))", mode="LEFT_RIGHT"),
        repaired=_split("out[:, :] = pl.exp(mm)", mode="LEFT_RIGHT"),
        fix="review",
    ),
    Rule(
        "split-unplaceable",
        "Lanes whose shares cannot be placed",
        "The receiving lane finds its band from its own extent, so the lanes must hold equal extents, extents one apart, or nothing "
        "on lane 1. With other tiles on the split axis the compiler cannot balance a ragged one. Widen or narrow the valid extent, "
        "or move the independent tile out of the split.",
        failing=_split(
            "out[:, :] = pl.add(pl.set_validshape(mm, 13, 64), data)",
            "data: pl.Tensor[[16, 64], pl.FP32]",
            "pl.Tensor[[16, 64], pl.FP32]",
            rows=16,
        ),
        repaired=_split(
            "out[:, :] = pl.add(pl.set_validshape(mm, 15, 64), data)",
            "data: pl.Tensor[[16, 64], pl.FP32]",
            "pl.Tensor[[16, 64], pl.FP32]",
            rows=16,
        ),
        fix="review",
    ),
    Rule(
        "split-conflicting-codes",
        "Transfers that disagree about the split",
        "All pushes and pops of one function move tiles split along the same axis, and along the one that the function states. "
        "Make their `split=` agree; the codes are 0 to 4.",
        failing=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=1)
            y: {_TILE} = pl.tpop_from_aic(split=2)
            pl.tfree_to_aic(y)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=1)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        fix="review",
    ),
    Rule(
        "tfree-id-mismatch",
        "Slot freed on another pipe",
        "A tile received from one pipe is returned to that pipe. Make the `id=` of the free the one of the pop, or leave it out.",
        failing=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0, id=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(x, id=3)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0, id=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        fix="safe",
    ),
    Rule(
        "tfree-direction",
        "Slot freed to the wrong core",
        "The free is named after the core that sent the tile: pl.tpop_from_aic goes with pl.tfree_to_aic, pl.tpop_from_aiv with "
        "pl.tfree_to_aiv.",
        failing=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aiv(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        fix="safe",
    ),
    Rule(
        "tfree-no-tpop",
        "Free of a tile that was not received",
        "Only a slot that a tpop handed out can be returned. Free the variable that the pop was assigned to.",
        failing=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(z)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=_vector(
            f"""
            x: {_TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        fix="review",
    ),
    Rule(
        "group-member-layout",
        "Group members with other parameters than the Group",
        "Both cores of a Group are launched with one parameter list. A member with another list is rebuilt with the Group's own; "
        "that is impossible for an external kernel and for arguments that are no parameters of the Group. Pass the Group's "
        "parameters in order.",
    ),
)
