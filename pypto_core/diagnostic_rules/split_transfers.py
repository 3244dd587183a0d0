"""Rows of the table of codes: transfers between the cores, and the functions at their ends (docs/spec/passes_split.md §16)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.split_samples import TILE, group, split, vector
from pypto_core.diagnostics import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "split-gather-full-width",
        "Whole tile moved to the cube side of a split",
        "On the way to the cube the lanes' halves are joined. A value that was never halved has no half to join: it would arrive "
        "at twice its size. Load or slice the value inside the split function, or keep it on the vector side.",
        failing=split(
            """
            blank = pl.create_tensor([64, 64], dtype=pl.FP16)
            more[:, :] = pl.matmul(blank, b, out_dtype=pl.FP32)
            out[:, :] = pl.exp(mm)
            """,
            "more: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
        ),
        repaired=split(
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
        no_source="Tiles have two dimensions when the split runs, and both can be joined; the check is there for printed IR with tiles of three.",
    ),
    Rule(
        "split-gather-odd",
        "Join of lanes with different extents",
        "A crossing to the cube has no form for lanes that hold different extents. Pad the axis to an even extent and narrow the "
        "result on the cube side.",
        failing=split(
            """
            twice = pl.mul(data, 2.0)
            more[:, :] = «pl.matmul(twice, b, out_dtype=pl.FP32)»
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[17, 64], pl.FP16]; more: pl.Out[pl.Tensor[[17, 64], pl.FP32]]",
        ),
        repaired=split(
            """
            twice = pl.mul(data, 2.0)
            more[:, :] = pl.matmul(twice, b, out_dtype=pl.FP32)
            out[:, :] = pl.exp(mm)
            """,
            "data: pl.Tensor[[16, 64], pl.FP16]; more: pl.Out[pl.Tensor[[16, 64], pl.FP32]]",
        ),
    ),
    Rule(
        "split-ragged-columns",
        "Narrowed columns at a crossing",
        "The ring between the cores moves whole columns. A narrowed column extent travels only when it is constant, unsplit and "
        "not combined with narrowed rows. Widen the valid columns with pl.set_validshape before the crossing and narrow them "
        "behind it.",
        failing=split("out[:, :] = pl.exp(pl.set_validshape(mm, 64, 40))", mode="LEFT_RIGHT"),
        repaired=split("out[:, :] = pl.exp(mm)", mode="LEFT_RIGHT"),
        fix="review",
    ),
    Rule(
        "split-unplaceable",
        "Lanes whose shares cannot be placed",
        "The receiving lane finds its band from its own extent, so the lanes must hold equal extents, extents one apart, or nothing "
        "on lane 1. With other tiles on the split axis the compiler cannot balance a ragged one. Widen or narrow the valid extent, "
        "or move the independent tile out of the split.",
        failing=split(
            "out[:, :] = pl.add(pl.set_validshape(mm, 13, 64), data)",
            "data: pl.Tensor[[16, 64], pl.FP32]",
            "pl.Tensor[[16, 64], pl.FP32]",
            rows=16,
        ),
        repaired=split(
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
        failing=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=1)
            y: {TILE} = pl.tpop_from_aic(split=2)
            pl.tfree_to_aic(y)
            z = pl.add(x, x)
            pl.tfree_to_aic(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=1)
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
        failing=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0, id=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(x, id=3)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0, id=0)
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
        failing=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aiv(x)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0)
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
        failing=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0)
            z = pl.add(x, x)
            pl.tfree_to_aic(z)
            res = pl.store(z, [0, 0], out)
            return res
            """
        ),
        repaired=vector(
            f"""
            x: {TILE} = pl.tpop_from_aic(split=0)
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
        failing=group(
            "",
            "blocks = pl.tensor.dim(x, 0) - 32",
            "«self.vector(x, blocks, out)»",
            "x, left, right, product, out",
        ),
        repaired=group(
            "first: pl.Scalar[pl.INDEX]; ",
            "",
            "self.vector(x, first, out)",
            "x, first, left, right, product, out",
        ),
    ),
)
