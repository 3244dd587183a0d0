"""Whole small kernels around a few lines, for the rows of the split and cross-core passes."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_core.diagnostic_rules.samples import T, function, one, program


def split(
    body: str,
    params: str = "",
    out: str = "pl.Tensor[[64, 64], pl.FP32]",
    mode: str = "UP_DOWN",
    rows: int = 64,
    columns: int = 64,
) -> str:
    """A kernel split over the lanes: a product `mm`, then what `body` does with it."""
    lines = "".join(f"        {p.strip()},\n" for p in params.split(";") if p.strip())
    return (
        "import pypto.language as pl\n\n\n@pl.program\nclass Example:\n    @pl.function\n    def kernel(\n"
        f"        self,\n        a: pl.Tensor[[{rows}, 64], pl.FP16],\n        b: pl.Tensor[[64, {columns}], pl.FP16],\n"
        f"{lines}        out: pl.Out[{out}],\n    ) -> {out}:\n"
        f"        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.{mode})]):\n"
        "            mm = pl.matmul(a, b, out_dtype=pl.FP32)\n"
        + indent(dedent(body).strip("\n"), " " * 12)
        + "\n        return out\n"
    )


def tiles(body: str, params: str, out: str, mode: str = "UP_DOWN") -> str:
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


def region(body: str, params: str = "", out: str = "pl.Tensor[[64, 64], pl.FP32]") -> str:
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


def vector(body: str) -> str:
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


TILE = "pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec]"


def core(body: str) -> str:
    """A vector kernel with a region of its own, written for one core."""
    body = 'pl.func_attr({"split_aiv": True})\n' + dedent(body).strip("\n") + "\nreturn out"
    return one(body, f"x: {T}; out: pl.Out[{T}]", kind="InCore")


def group(more: str, first: str, call: str, arguments: str) -> str:
    """A Group written by hand, a cube and a vector member, and the function that launches it; ``more`` are parameters of the Group."""
    half, out = "pl.Tensor[[64, 64], pl.FP16]", "pl.Out[pl.Tensor[[64, 64], pl.FP32]]"
    outs = f"product: {out}; out: pl.Out[{T}]"
    cube = """
        a = pl.load(left, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        b = pl.load(right, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        product = pl.store(pl.matmul(a, b), [0, 0], product)
        return product
    """
    vector = """
        tile = pl.load(x, [first, 0], [32, 128])
        out = pl.store(pl.exp(tile), [0, 0], out)
        return out
    """
    both = [first, "self.cube(left, right, product)", f"out = {call}", "return out"]
    main = [f"out = self.both({arguments})", "return out"]
    given = f"x: {T}; {more}left: {half}; right: {half}; {outs}"
    return program(
        function(
            cube,
            f"left: {half}; right: {half}; product: {out}",
            "pl.Tensor[[64, 64], pl.FP32]",
            "AIC",
            "cube",
        ),
        function(vector, f"x: {T}; first: pl.Scalar[pl.INDEX]; out: pl.Out[{T}]", T, "AIV", "vector"),
        function("\n".join(line for line in both if line), given, T, "Group", "both"),
        function("\n".join(main), given, T, "Orchestration", "main"),
    )
