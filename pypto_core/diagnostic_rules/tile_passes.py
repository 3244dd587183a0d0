"""Rows of the table of codes: what the tile passes refuse, and the performance hints of the matmul tiling."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_core.diagnostic_rules.samples import function, one, program
from pypto_core.diagnostics import Rule, Severity

_HEAD = """import pypto.language as pl


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
"""

_RANK_FAILING = (
    _HEAD
    + """    def kern(
        self,
        x: pl.Tensor[[2, 4, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 4, 32], pl.FP32]],
    ) -> pl.Tensor[[1, 4, 32], pl.FP32]:
        t = pl.load(x, [0, 0, 0], [2, 4, 32])
        y = pl.tile.slice(t, [1, 4, 32], [0, 0, 0])
        out = pl.store(y, [0, 0, 0], out)
        return out
"""
)
_RANK_REPAIRED = (
    _HEAD
    + """    def kern(
        self,
        x: pl.Tensor[[2, 4, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[1, 4, 32], pl.FP32]],
    ) -> pl.Tensor[[1, 4, 32], pl.FP32]:
        y = pl.load(x, [0, 0, 0], [1, 4, 32])
        out = pl.store(y, [0, 0, 0], out)
        return out
"""
)

_CAST_FAILING = (
    _HEAD
    + """    def kern(
        self, x: pl.Tensor[[16, 32], pl.INT8], out: pl.Out[pl.Tensor[[16, 32], pl.FP32]]
    ) -> pl.Tensor[[16, 32], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 32])
        y = pl.tile.cast(t, target_type=pl.FP32)
        out = pl.store(y, [0, 0], out)
        return out
"""
)
_CAST_REPAIRED = (
    _HEAD
    + """    def kern(
        self, x: pl.Tensor[[16, 32], pl.INT8], out: pl.Out[pl.Tensor[[16, 32], pl.FP32]]
    ) -> pl.Tensor[[16, 32], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 32])
        h = pl.tile.cast(t, target_type=pl.FP16)
        y = pl.tile.cast(h, target_type=pl.FP32)
        out = pl.store(y, [0, 0], out)
        return out
"""
)

_OPERAND_FAILING = (
    _HEAD
    + """    def kern(
        self,
        x: pl.Tensor[[64, 256], pl.FP16],
        y: pl.Tensor[[256, 256], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 256], pl.FP32]],
    ) -> pl.Tensor[[64, 256], pl.FP32]:
        a = pl.load(x, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [256, 256], target_memory=pl.Mem.Mat)
        al = pl.tile.extract(a, 0, 0, [64, 256], target_memory=pl.Mem.Left)
        br = pl.tile.extract(b, 0, 0, [256, 256], target_memory=pl.Mem.Right)
        c = pl.matmul(al, br)
        out = pl.store(c, [0, 0], out)
        return out
"""
)
_OPERAND_REPAIRED = (
    _HEAD
    + """    def kern(
        self,
        x: pl.Tensor[[64, 256], pl.FP16],
        y: pl.Tensor[[256, 256], pl.FP16],
        out: pl.Out[pl.Tensor[[64, 256], pl.FP32]],
    ) -> pl.Tensor[[64, 256], pl.FP32]:
        a = pl.load(x, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [256, 256], target_memory=pl.Mem.Mat)
        c = pl.matmul(a, b)
        out = pl.store(c, [0, 0], out)
        return out
"""
)

_WINDOW = (
    _HEAD
    + """    def kern(
        self,
        x: pl.Tensor[[16, 32], pl.BF16],
        y: pl.Tensor[[32, 64], pl.BF16],
        out: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        z = pl.tile.create([{shape}], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        w = pl.tile.slice(z, [16, 64], [{offset}])
        c = pl.tile.matmul_acc(w, a, b)
        out = pl.store(c, [0, 0], out)
        return out
"""
)

_SIGNAL = """import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        self, signal: pl.InOut[pld.DistributedTensor[[4, {cells}], pl.INT32]]
    ) -> pld.DistributedTensor[[4, {cells}], pl.INT32]:
        signal = pld.tensor.barrier(signal)
        return signal
"""


_SCALES = """
        a_scale = pl.move(pl.load(sa, [0, 0], [32, 4], target_memory=pl.Mem.Mat), target_memory=pl.Mem.LeftScale)
        b_scale = pl.move(pl.load(sb, [0, 0], [4, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.RightScale)
"""


def _scaled(product: str, dtype: str, scales: str) -> str:
    """A product of two tiles placed by hand, with scales of their blocks or without."""
    body = f"""
        a = pl.move(pl.load(x, [0, 0], [32, 128], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        b = pl.move(pl.load(y, [0, 0], [128, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        {scales.strip()}
        out = pl.store({product}, [0, 0], out)
        return out
    """
    params = f"x: pl.Tensor[[32, 128], pl.{dtype}]; y: pl.Tensor[[128, 64], pl.{dtype}]; "
    if scales:
        params += (
            "sa: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ]; sb: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN]; "
        )
    out = "pl.Tensor[[32, 64], pl.FP32]"
    return one(_without_blanks(body), f"{params}out: pl.Out[{out}]", out, "InCore")


def _reduced(more: str) -> str:
    window = "pld.DistributedTensor[[1, 256], pl.FP16]"
    body = f"""
        data = «pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum{more})»
        return data
    """
    params = f"data: pl.InOut[{window}]; signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]"
    return program(function(body, params, window, "InCore"), distributed=True)


def _without_blanks(body: str) -> str:
    return "\n".join(line for line in body.split("\n") if line.strip())


def _product(lines: str, params: str, out: str) -> str:
    """One device block with ``lines``."""
    body = (
        "with pl.at(level=pl.Level.CORE_GROUP):\n"
        + indent(dedent(lines).strip("\n"), " " * 4)
        + "\nreturn out"
    )
    return one(body, f"{params}; out: pl.Out[{out}]", out)


def _matmul(
    rows: int, inner: int, columns: int, dtype: str = "FP16", to: str = "FP32", after: str = "{}"
) -> str:
    """One product; ``after`` is what is done with it."""
    product = after.format(f"«pl.matmul(a, b, out_dtype=pl.{to})»")
    return _product(
        f"out[:, :] = {product}",
        f"a: pl.Tensor[[{rows}, {inner}], pl.{dtype}]; b: pl.Tensor[[{inner}, {columns}], pl.{dtype}]",
        f"pl.Tensor[[{rows}, {columns}], pl.{to}]",
    )


def _chain(dtype: str, middle: str) -> str:
    """Two products, the second of what ``middle`` makes of the first."""
    return _product(
        f"""
        first = «pl.matmul(a, b, out_dtype=pl.FP32)»
        out[:, :] = pl.matmul({middle}, c, out_dtype=pl.FP32)
        """,
        f"a: pl.Tensor[[256, 128], pl.{dtype}]; b: pl.Tensor[[128, 256], pl.{dtype}]; c: pl.Tensor[[256, 256], pl.{dtype}]",
        "pl.Tensor[[256, 256], pl.FP32]",
    )


def _tile_chain(mode: str) -> str:
    """Two products of tiles with a cast between them."""
    body = f"""
        a = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        c = pl.load(z, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        first = pl.matmul(a, b)
        narrow = «pl.cast(first, pl.BF16{mode})»
        out = pl.store(pl.matmul(narrow, c), [0, 0], out)
        return out
    """
    tile, out = "pl.Tensor[[64, 64], pl.BF16]", "pl.Tensor[[64, 64], pl.FP32]"
    return one(body, f"x: {tile}; y: {tile}; z: {tile}; out: pl.Out[{out}]", out, "InCore")


def _biased(before: str, after: str) -> str:
    """A product with a bias and one scalar statement in its neighbourhood."""
    body = f"""
        a = pl.load(x, [0, 0], [256, 64], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [64, 512], target_memory=pl.Mem.Mat)
        {before}
        bias = pl.load(z, [0, 0], [1, 512], target_memory=pl.Mem.Mat)
        c = «pl.tile.matmul_bias(a, b, bias)»
        {after}
        out = pl.store(c, [row, 0], out)
        return out
    """
    out = "pl.Tensor[[512, 512], pl.FP32]"
    params = (
        "x: pl.Tensor[[256, 64], pl.BF16]; y: pl.Tensor[[64, 512], pl.BF16]; z: pl.Tensor[[1, 512], pl.FP32]"
    )
    return one(_without_blanks(body), f"{params}; n: pl.Scalar[pl.INDEX]; out: pl.Out[{out}]", out, "InCore")


def _hint(code: str, title: str, explanation: str, failing: str, repaired: str) -> Rule:
    return Rule(code, title, explanation, Severity.HINT, failing, repaired, chip="a2a3")


RULES: tuple[Rule, ...] = (
    Rule(
        "tile-rank",
        "This operation has no two-dimensional form",
        "Tiles of more than two dimensions are stored as bands of rows: all leading axes are merged into one. An operation on "
        "such a tile must make sense on the merged rows. Reading, writing or slicing single elements, transposing a leading "
        "axis, assembling a part that is not a contiguous row band, and extents that are not constants do not.",
        failing=_RANK_FAILING,
        repaired=_RANK_REPAIRED,
    ),
    Rule(
        "cast-no-path",
        "The chip has no chain of conversions between these types",
        "A cast without an instruction of its own is made of several, but never through a type that could lose values the target "
        "can hold: an int8 tile does not become fp32, because the only way leads over fp16. Cast step by step to say that the "
        "intermediate precision is enough.",
        failing=_CAST_FAILING,
        repaired=_CAST_REPAIRED,
    ),
    Rule(
        "matmul-operand-too-large",
        "A matmul operand placed in Left or Right does not fit there",
        "Operands in Mat are cut into tiles that fit the L0 buffers; operands that the kernel itself placed in Left or Right are "
        "taken as they are. Pass the Mat tile to the product, or extract a smaller tile.",
        failing=_OPERAND_FAILING,
        repaired=_OPERAND_REPAIRED,
    ),
    Rule(
        "acc-row-window",
        "A row window of an accumulator cannot be a matmul destination",
        "L0C stores an accumulator in blocks of 16 columns, each holding every row. A window of fewer rows has gaps in every block, "
        "and the cube core writes without gaps. Lay the parts side by side and slice along the columns.",
        failing=_WINDOW.format(shape="32, 64", offset="16, 0"),
        repaired=_WINDOW.format(shape="16, 128", offset="0, 64"),
    ),
    Rule(
        "mx-backend",
        "Block-scaled matmul exists on Ascend950 only",
        "matmul_mx and its relatives read block scales from dedicated buffers that the configured chip does not have. Configure the "
        "a5 backend, or dequantise the operands and use a plain matmul.",
        failing=_scaled("«pl.matmul_mx(a, a_scale, b, b_scale)»", "FP8E4M3FN", _SCALES),
        repaired=_scaled("pl.matmul(a, b)", "FP16", ""),
        chip="a2a3",
    ),
    Rule(
        "collective-signal",
        "The signal window of a collective has the wrong shape",
        "A collective counts arrivals in a signal window: one cell per rank ([ranks, 1]) for everything but a ring allreduce, which takes "
        "two rounds of ranks - 1 steps with one column per rank ([2 * (ranks - 1), ranks]). Inside a kernel the signal is an argument.",
        failing=_SIGNAL.format(cells=4),
        repaired=_SIGNAL.format(cells=1),
    ),
    Rule(
        "collective-unsupported",
        "This form of a collective cannot be lowered",
        "The target of a collective has to be one packed row-major window; a partially valid one has to fit in one transfer. Modes other "
        "than 'mesh' and 'ring' and more than one core are not lowered inside a kernel.",
        failing=_reduced(", core_num=2"),
        repaired=_reduced(""),
    ),
    _hint(
        "matmul-subbyte-dtype",
        "The product is not tiled for L0: its elements are not whole bytes",
        "Tiles of 4-bit elements cannot be cut at arbitrary positions, so the product must fit the L0 buffers as it is.",
        _matmul(512, 128, 512, "INT4", "INT32"),
        _matmul(512, 128, 512, "INT8", "INT32"),
    ),
    _hint(
        "matmul-no-l0-tile",
        "The product is not tiled for L0: no tile fits",
        "Every axis of an L0 tile is at least 16. A product with a smaller M, N or K, or whose smallest tile exceeds a buffer, is left alone.",
        _matmul(8, 64, 256),
        _matmul(16, 64, 256),
    ),
    _hint(
        "matmul-not-split",
        "The product is not tiled for L0: its output cannot be cut",
        "Output tiles need a place to go: one store of the result to global memory, or other products as its only readers (through Mat). "
        "An elementwise reader, an accumulator that is passed in, or a left operand in Vec prevents it.",
        _matmul(256, 128, 256, after="pl.exp({})"),
        _matmul(256, 128, 256),
    ),
    _hint(
        "matmul-unaligned-k",
        "The product is not tiled for L0: K is not a multiple of the fractal",
        "The reduction axis is cut in steps of 16 elements (more for narrow types with a bias). Pad K.",
        _matmul(64, 1000, 256),
        _matmul(64, 1008, 256),
    ),
    _hint(
        "matmul-scratch-dtype",
        "The product is not chained through Mat: its type does not pass",
        "On a2a3 a tile can be written from L0C to Mat at an offset only as bf16 or fp16. Cast the intermediate result with mode 'rint'.",
        _chain("FP32", "first"),
        _chain("FP16", "pl.cast(first, pl.FP16, mode='rint')"),
    ),
    _hint(
        "matmul-cast-kept",
        "The cast between two products stays on the vector core",
        "The cube core itself converts fp32 to bf16 or fp16 on the way from L0C to Mat, rounding to nearest even: write mode='rint'. "
        "The default mode 'round' rounds halves away from zero, which needs a detour through the vector core.",
        _tile_chain(""),
        _tile_chain(', mode="rint"'),
    ),
    _hint(
        "matmul-bias-not-split",
        "The product is not tiled for L0: its bias cannot follow the tiles",
        "Each output tile needs its own window of the bias. That works when the bias is a plain load that directly precedes the product, "
        "its type can be moved into the bias table, and every extent is a multiple of the operand boxes.",
        _biased("", "row = n * 2"),
        _biased("row = n * 2", ""),
    ),
)
