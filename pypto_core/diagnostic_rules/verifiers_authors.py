"""Codes of the verifiers whose faults an author can make (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.samples import T, one
from pypto_core.diagnostics import Rule

_HEAD = "import pypto.language as pl\n\n\n"
_X_OUT = f"x: {T}; out: pl.Out[{T}]"
_PRODUCT = "a: pl.Tensor[[64, 256], pl.FP16]; b: pl.Tensor[[256, 128], pl.FP16]; out: pl.Out[pl.Tensor[[64, 128], pl.{dtype}]]"


def _accumulated(dtype: str) -> str:
    """A tile that is added into ``out`` in global memory."""
    tensor = f"pl.Tensor[[64, 256], pl.{dtype}]"
    body = """
        tile = pl.load(x, [0, 0], [64, 256])
        out = «pl.store(tile, [0, 0], out, atomic=pl.AtomicType.Add)»
        return out
    """
    return one(body, f"x: {tensor}; out: pl.InOut[{tensor}]", tensor, "InCore")


def _barrier(launch: str) -> str:
    """A launch of vector cores that wait for each other."""
    body = f"""
        for i in {launch}:
            tile = pl.load(x, [i, 0], [1, 128])
            «pl.system.syncall(core_type="aiv_only")»
            out = pl.store(pl.exp(tile), [i, 0], out)
        return out
    """
    return one(body, _X_OUT)


def _received(last: str) -> str:
    """A vector function that receives a tile from the cube core."""
    body = f"""
        ring = pl.reserve_buffer(name="c2v", size=32768, base=0x1000)
        pl.aiv_initialize_pipe(ring, pl.const(0, pl.INT32), dir_mask=1, slot_size=8192)
        «tile: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec] = pl.tpop_from_aic(split=0)»
        twice = pl.add(tile, tile)
        {last}
        out = pl.store(twice, [0, 0], out)
        return out
    """
    tensor = "pl.Tensor[[16, 128], pl.FP32]"
    return one(
        "\n".join(line for line in body.split("\n") if line.strip()), f"out: pl.Out[{tensor}]", tensor, "AIV"
    )


_FILL = """    @pl.function(type=pl.FunctionType.InCore)
    def fill(
        self, x: pl.Tensor[[16, 16], pl.FP32], o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 16])
        r = pl.store(t, [0, 0], o)
        return r

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[16, 16], pl.FP32],
        o: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
        p: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        y = self.fill(x, o)
"""

RULES: tuple[Rule, ...] = (
    Rule(
        "use-before-def",
        "A name is read before it has a value",
        "The name is assigned only later, or only in a loop or branch that has results of its own.",
        no_source="A whole run says it as `name-undefined` or `ssa-scope`; this code comes from a verification of UseAfterDef on its own.",
    ),
    Rule(
        "out-param-shadowed",
        "An Out parameter is replaced by a new buffer",
        "An Out or InOut parameter stands for the caller's buffer. Assigning a buffer made by create or full to the name "
        "makes the kernel work on another buffer, and the caller sees nothing. Delete the line, or use another name.",
        fix="safe",
        replaces=("out-param-write-dropped",),
        failing=one(
            """
            «out = pl.create_tensor([64, 128], dtype=pl.FP32)»
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:, :] = pl.exp(x)
            return out
            """,
            _X_OUT,
        ),
        repaired=one(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:, :] = pl.exp(x)
            return out
            """,
            _X_OUT,
        ),
    ),
    Rule(
        "nested-incore",
        "A pl.at block inside another one",
        "A `with pl.at(level=pl.Level.CORE_GROUP)` block becomes a kernel, and a kernel cannot launch a kernel. Put the "
        "blocks one after the other, or merge them.",
        fix="review",
        failing=one(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.add(x, 1.0)
                «with pl.at(level=pl.Level.CORE_GROUP):»
                    out[:, :] = pl.exp(y)
            return out
            """,
            _X_OUT,
        ),
        repaired=one(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.add(x, 1.0)
                out[:, :] = pl.exp(y)
            return out
            """,
            _X_OUT,
        ),
    ),
    Rule(
        "array-escaped",
        "An array crosses a function boundary",
        "A pl.array lives in the scalar memory of one core while one function runs. It cannot be a parameter or a result; "
        "build it where it is used.",
        failing=one(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:, :] = pl.mul(x, pl.cast(factors[1], pl.FP32))
            return out
            """,
            "«factors: pl.Array[2, pl.INT32]»; " + _X_OUT,
        ),
        repaired=one(
            """
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:, :] = pl.mul(x, pl.cast(factor, pl.FP32))
            return out
            """,
            "factor: pl.Scalar[pl.INT32]; " + _X_OUT,
        ),
    ),
    Rule(
        "inout-use",
        "A buffer is read after it was passed for writing",
        "After a call, a variable that was passed to an Out or InOut parameter no longer stands for the buffer's content; "
        "the result of the call does. Read the variable that received the result.",
        failing=_HEAD + "@pl.program\nclass P:\n" + _FILL + "        z = self.fill(o, p)\n        return z\n",
        repaired=_HEAD
        + "@pl.program\nclass P:\n"
        + _FILL
        + "        z = self.fill(y, p)\n        return z\n",
        fix="safe",
    ),
    Rule(
        "dangling-call",
        "A call of an inline function inside an expression",
        "Inline functions are spliced where their call is a statement of its own, `v = self.f(...)`. A call inside an "
        "expression stays behind while its function disappears.",
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function(type=pl.FunctionType.Inline)
    def dbl(self, t: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        d: pl.Tensor[[16], pl.FP32] = pl.add(t, t)
        return d

    @pl.function
    def main(self, a: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        r: pl.Tensor[[16], pl.FP32] = pl.mul(self.dbl(a), a)
        return r
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function(type=pl.FunctionType.Inline)
    def dbl(self, t: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        d: pl.Tensor[[16], pl.FP32] = pl.add(t, t)
        return d

    @pl.function
    def main(self, a: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        b = self.dbl(a)
        r: pl.Tensor[[16], pl.FP32] = pl.mul(b, a)
        return r
""",
        fix="safe",
    ),
    Rule(
        "orphan-operator",
        "A tensor operator outside every device block",
        "In an orchestration function only the control plane runs: it makes, slices, views and hands on tensors, but it has "
        "no core to compute with. Wrap the statement in `with pl.at(level=pl.Level.CORE_GROUP):`.",
        failing=_HEAD
        + """@pl.jit
def scale_and_add(
    x: pl.Tensor[[64, 256], pl.FP32],
    bias: pl.Tensor[[64, 256], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 256], pl.FP32]],
):
    scaled = pl.create_tensor([64, 256], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        scaled[:, :] = pl.mul(x, 0.5)
    y[:, :] = pl.add(scaled, bias)
    return y
""",
        repaired=_HEAD
        + """@pl.jit
def scale_and_add(
    x: pl.Tensor[[64, 256], pl.FP32],
    bias: pl.Tensor[[64, 256], pl.FP32],
    y: pl.Out[pl.Tensor[[64, 256], pl.FP32]],
):
    scaled = pl.create_tensor([64, 256], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        scaled[:, :] = pl.mul(x, 0.5)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="add"):
        y[:, :] = pl.add(scaled, bias)
    return y
""",
        fix="safe",
    ),
    Rule(
        "acc-store-dtype",
        "A cube result is stored with an element type the store cannot write",
        "The path from Acc to global memory converts to INT32, FP32, FP16 and BF16 only. Cast the value first, so that the "
        "vector core does the conversion.",
        fix="review",
        failing=one(
            """
            left = pl.load(a, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
            right = pl.load(b, [0, 0], [256, 128], target_memory=pl.Mem.Mat)
            out = «pl.store(pl.matmul(left, right), [0, 0], out)»
            return out
            """,
            _PRODUCT.format(dtype="INT8"),
            "pl.Tensor[[64, 128], pl.INT8]",
            "InCore",
        ),
        repaired=one(
            """
            left = pl.load(a, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
            right = pl.load(b, [0, 0], [256, 128], target_memory=pl.Mem.Mat)
            out = pl.store(pl.matmul(left, right), [0, 0], out)
            return out
            """,
            _PRODUCT.format(dtype="FP16"),
            "pl.Tensor[[64, 128], pl.FP16]",
            "InCore",
        ),
    ),
    Rule(
        "atomic-dtype",
        "An atomic add that the chip does not have",
        "Atomic addition into BF16 exists on a2a3 and not on a5. Accumulate in FP32 and convert afterwards.",
        failing=_accumulated("BF16"),
        repaired=_accumulated("FP32"),
        chip="a5",
    ),
    Rule(
        "hard-syncall-occupancy",
        "A hard barrier that can never complete",
        "A hard pl.system.syncall waits for every core of its kind on the chip. The launch must start exactly as many blocks, "
        'all at once (sync_start=True); or use mode="soft", which counts the blocks that run.',
        fix="sometimes",
        failing=_barrier("pl.spmd(24)"),
        repaired=_barrier("pl.spmd(48, sync_start=True)"),
        chip="a2a3",
    ),
    Rule(
        "tile-memory-operand",
        "An operator reads a tile from the wrong memory",
        "Each operator reads its operands from certain memory spaces. Move the tile there first.",
        failing=one(
            """
            out = pl.store(pl.exp(«a»), [0, 0], out)
            return out
            """,
            f"a: pl.Tile[[64, 128], pl.FP32, pl.Mem.Left]; out: pl.Out[{T}]",
            kind="InCore",
        ),
        repaired=one(
            """
            a = pl.load(x, [0, 0], [64, 128])
            out = pl.store(pl.exp(a), [0, 0], out)
            return out
            """,
            _X_OUT,
            kind="InCore",
        ),
    ),
    Rule(
        "tile-memory-missing",
        "A tile without a memory space",
        "The compiler could not tell in which memory the tile lies.",
        no_source="InferTileMemorySpace gives every tile a memory space, whatever the source is. The check is there for printed IR.",
    ),
    Rule(
        "mixed-kernel-expanded",
        "Cube and vector code are not apart, or their pipe is incomplete",
        "A mixed kernel becomes a cube and a vector function; every value that crosses is pushed, popped and freed through a pipe that "
        "both sides set up. Where the two functions are written by hand, each received tile has to be freed in the block that receives "
        "it, and the pipe has to be initialised before the first transfer.",
        failing=_received(""),
        repaired=_received("pl.tfree_to_aic(tile)"),
        fix="safe",
    ),
)
