"""Codes of the verifiers, warnings and hints (docs/spec/verifiers.md)."""

from __future__ import annotations

from pypto_core.diagnostics import FixApplicability, Rule, Severity

_HEAD = "import pypto.language as pl\n\n\n"


def _internal(code: str, title: str, explanation: str, fix: FixApplicability = "none") -> Rule:
    """A property that lowered programs have; an author sees it only when the compiler itself is at fault."""
    return Rule(
        code, title, f"{explanation} This concerns lowered code: from source it should not be seen.", fix=fix
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

_SSA = (
    _internal(
        "ssa-multiple-assignment",
        "A variable has two definitions",
        "After conversion to SSA each variable is defined once; loops carry values and branches merge them.",
    ),
    _internal(
        "ssa-missing-yield",
        "A body does not yield its results",
        "A loop that carries values and both sides of a branch with results end in a yield.",
    ),
    _internal(
        "ssa-iter-args",
        "Carried values and results of a loop differ in number",
        "A loop has one result for each value that it carries.",
    ),
    _internal(
        "ssa-yield-count",
        "A yield has the wrong number of values",
        "A yield hands on one value for each result of its loop or branch.",
    ),
    Rule(
        "ssa-scope",
        "A value is used where it may not exist",
        "The name gets its value inside a loop, a branch or a block that is not always run, and is read outside of it. Give "
        "it a value before: a loop that may run zero times leaves the name without one.",
    ),
    _internal(
        "ssa-misplaced-yield", "A yield is not last", "Nothing runs after the yield of a loop or branch body."
    ),
)

_TYPES = (
    Rule(
        "type-kind-mismatch",
        "Two different kinds of values meet",
        "A carried value, a branch result or a yield must be of one kind throughout: a tile stays a tile, a tensor a tensor.",
    ),
    Rule(
        "type-dtype-mismatch",
        "Two element types meet",
        "A value that a loop carries or that both sides of a branch give must keep its element type. Cast it before the "
        "yield.",
    ),
    Rule(
        "type-rank-mismatch",
        "Two numbers of dimensions meet",
        "A value that a loop carries or that both sides of a branch give must keep its number of dimensions; a valid shape "
        "has as many dimensions as the shape.",
    ),
    Rule(
        "type-extent-mismatch",
        "Two extents differ",
        "A value that a loop carries or that both sides of a branch give must provably keep its extents, and a valid extent "
        "must stay inside the shape.",
    ),
    Rule(
        "type-size-mismatch",
        "Two numbers of values meet",
        "Carried values, yielded values and results are lists of equal length; so are tuples that meet.",
    ),
    Rule(
        "condition-not-scalar",
        "A condition is not a scalar",
        "The control flow of a kernel depends on scalars. Read an element of the tensor or tile first: `pl.read(x, [0])`.",
    ),
    Rule(
        "range-not-scalar",
        "A loop bound is not a scalar",
        "Start, stop and step of a loop are scalars. Read an element of the tensor first.",
    ),
    Rule(
        "condition-not-bool",
        "A condition is a number",
        "There is no implicit truth of numbers in a kernel. Say what is meant: `if n > 0:` or `if n != 0:`.",
        fix="review",
    ),
    Rule(
        "type-pad-mismatch",
        "Two paddings meet",
        "Tensors that meet in a loop or branch must agree on what lies outside their valid shape.",
    ),
    Rule(
        "type-window-mismatch",
        "Distributed tensors of two windows meet",
        "A distributed tensor belongs to one communication window; a loop or branch cannot change it.",
    ),
    Rule(
        "type-tile-view-mismatch",
        "Tiles of two layouts meet",
        "Tiles that meet in a loop or branch must lie in memory in the same way.",
    ),
)

_NESTED = tuple(
    _internal(code, f"A call stands in {place}", "Each call gets a statement of its own before lowering.")
    for code, place in (
        ("nested-call-argument", "the arguments of another call"),
        ("nested-call-condition", "an if condition"),
        ("nested-call-range", "a loop range"),
        ("nested-call-binary", "a binary expression"),
        ("nested-call-unary", "a unary expression"),
        ("nested-call-while", "a while condition"),
    )
)

_LEAVING = tuple(
    Rule(
        f"{keyword}-in-{kind}",
        f"{keyword} inside pl.{kind}",
        f"The iterations of a pl.{kind} loop do not run one after the other, so none of them can "
        f"{'end the loop' if keyword == 'break' else 'go on to the next'}. Use pl.range.",
        fix="review",
    )
    for keyword in ("break", "continue")
    for kind in ("parallel", "unroll")
) + tuple(
    Rule(f"{keyword}-outside-loop", f"{keyword} without a loop", f"`{keyword}` belongs to a loop around it.")
    for keyword in ("break", "continue")
)

_AUTHORS = (
    Rule(
        "use-before-def",
        "A name is read before it has a value",
        "The name is assigned only later, or only in a loop or branch that has results of its own.",
    ),
    Rule(
        "out-param-shadowed",
        "An Out parameter is replaced by a new buffer",
        "An Out or InOut parameter stands for the caller's buffer. Assigning a buffer made by create or full to the name "
        "makes the kernel work on another buffer, and the caller sees nothing. Delete the line, or use another name.",
        fix="safe",
    ),
    Rule(
        "nested-incore",
        "A pl.at block inside another one",
        "A `with pl.at(level=pl.Level.CORE_GROUP)` block becomes a kernel, and a kernel cannot launch a kernel. Put the "
        "blocks one after the other, or merge them.",
        fix="review",
    ),
    Rule(
        "array-escaped",
        "An array crosses a function boundary",
        "A pl.array lives in the scalar memory of one core while one function runs. It cannot be a parameter or a result; "
        "build it where it is used.",
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
    ),
    Rule(
        "atomic-dtype",
        "An atomic add that the chip does not have",
        "Atomic addition into BF16 exists on a2a3 and not on a5. Accumulate in FP32 and convert afterwards.",
    ),
    Rule(
        "hard-syncall-occupancy",
        "A hard barrier that can never complete",
        "A hard pl.system.syncall waits for every core of its kind on the chip. The launch must start exactly as many blocks, "
        'all at once (sync_start=True); or use mode="soft", which counts the blocks that run.',
        fix="sometimes",
    ),
    Rule(
        "tile-memory-operand",
        "An operator reads a tile from the wrong memory",
        "Each operator reads its operands from certain memory spaces. Move the tile there first.",
    ),
    Rule(
        "tile-memory-missing",
        "A tile without a memory space",
        "The compiler could not tell in which memory the tile lies.",
    ),
    Rule(
        "memory-capacity",
        "A kernel needs more on-chip memory than there is",
        "The tiles that live at the same time, with the slots reserved for cross-core pipes, are larger than the memory "
        "space. Use smaller blocks, or fewer buffers.",
    ),
)

_LOWERED = (
    _internal(
        "redundant-block", "A statement list in a statement list", "Bodies are flat lists of statements."
    ),
    _internal("structured-break", "A break is left", "Kernels leave loops through their conditions."),
    _internal("structured-continue", "A continue is left", "Kernels skip statements with branches."),
    _internal(
        "hierarchy-scope-left", "A hierarchy block is left", "Such blocks become functions of their level."
    ),
    _internal(
        "cluster-scope-left",
        "A cluster or spmd block is left",
        "Such blocks become Group and Spmd functions.",
    ),
    _internal("incore-scope-left", "A pl.at block is left", "Such blocks become InCore functions."),
    Rule(
        "compute-in-orchestration",
        "A tensor operator in an orchestration function",
        "The control plane does not compute; see orphan-operator.",
        Severity.WARNING,
    ),
    _internal(
        "inline-function-left", "An inline function is left", "Inline functions are spliced and removed."
    ),
    _internal(
        "inline-call-left",
        "A call of an inline function is left",
        "Inline functions are spliced and removed.",
    ),
    Rule(
        "orchestration-reference",
        "A call of a function that is not in the program",
        "An orchestration function calls a name that is neither a function of the program nor an operator.",
    ),
    _internal("incore-tile-ops", "A tensor operator is left in a kernel", "Kernels work on tiles."),
    _internal("tile-ops-2d", "A tile of more than two dimensions", "Tiles are flattened to two dimensions."),
    _internal(
        "tile-type-coherence",
        "A tile view that says nothing",
        "A view equal to the implicit one is left out.",
    ),
    _internal(
        "tensor-view-canonical",
        "Tensor strides that do not fit the layout",
        "Strides follow from shape and layout.",
    ),
    _internal(
        "assign-type-symmetry", "A target and its value differ in type", "A target has the type of its value."
    ),
    _internal(
        "mixed-kernel-expanded",
        "Cube and vector code are not apart, or their pipe is incomplete",
        "A mixed kernel becomes a cube and a vector function; every value that crosses is pushed, popped and freed through "
        "a pipe that both sides set up.",
        fix="safe",
    ),
    _internal(
        "call-directions", "A call does not say how it uses an argument", "Every argument has a direction."
    ),
    _internal(
        "manual-deps-on-call", "A call carries dependencies", "Explicit dependencies are fields of a submit."
    ),
    _internal(
        "manual-deps-on-submit",
        "A submit carries dependencies as an attribute",
        "Explicit dependencies are fields of a submit.",
    ),
    _internal(
        "pipeline-stages-missing",
        "A pipeline loop without stages",
        "A pl.pipeline loop says how many stages it has.",
    ),
    _internal(
        "pipeline-stages-unexpected",
        "Stages on a loop that is no pipeline",
        "Only a pl.pipeline loop has stages.",
    ),
    _internal("pipeline-resolved", "A pipeline loop is left", "Pipeline loops become slots and plain loops."),
    _internal("unroll-resolved", "An unroll loop is left", "Unroll loops become copies of their bodies."),
    _internal(
        "iter-arg-carry", "A carried value is not classified", "Each carried value is rebound or kept."
    ),
    _internal(
        "runtime-scopes", "Runtime scopes are implicit", "Orchestration carries its scopes explicitly."
    ),
    _internal("comm-domain-scopes", "A communication domain is incomplete", "Each window has one domain."),
    _internal("dist-tensor-ctx", "A kernel asks for a context", "Contexts are passed from the host."),
    _internal(
        "return-params-explicit",
        "A result is not returned as its parameter",
        "Kernels return their own parameters.",
    ),
    _internal(
        "tile-without-memref", "A tile without a memory reference", "Each tile has its piece of memory."
    ),
    _internal("tile-without-address", "A tile without an address", "Each tile has a place in its memory."),
)

_ADVICE = (
    Rule(
        "unused-variable",
        "A value is never read",
        "The name is assigned and never used. Delete the statement, or drop the name when the statement is there for its "
        "effect.",
        Severity.WARNING,
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        y: pl.Tensor[[16, 16], pl.FP32] = pl.add(x, 1.0)
        z: pl.Tensor[[16, 16], pl.FP32] = pl.mul(x, 2.0)
        return z
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        z: pl.Tensor[[16, 16], pl.FP32] = pl.mul(x, 2.0)
        return z
""",
        fix="review",
        tags=("unnecessary",),
    ),
    Rule(
        "unused-result",
        "A loop or branch result is never read",
        "The value is carried or merged for nothing.",
        Severity.WARNING,
        tags=("unnecessary",),
    ),
    Rule(
        "out-param-write-dropped",
        "An Out parameter is given another value",
        "`out = value` makes the name stand for another tensor; the caller's buffer is not written. `out[:] = value` writes "
        "into it. Rebinding to something computed from the parameter itself is how a store is written, and is fine.",
        Severity.WARNING,
        failing=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(
        self,
        a: pl.Tensor[[16, 16], pl.FP32],
        b: pl.Tensor[[16, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = pl.add(a, b)
        return out
""",
        repaired=_HEAD
        + """@pl.program
class P:
    @pl.function
    def kern(
        self,
        a: pl.Tensor[[16, 16], pl.FP32],
        b: pl.Tensor[[16, 16], pl.FP32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out[:, :] = pl.add(a, b)
        return out
""",
        fix="review",
    ),
    Rule(
        "tile-innermost-dim",
        "Short rows between global and on-chip memory",
        "Global memory is moved in bursts. When the innermost dimension of a tile is shorter than the recommended size (512 "
        "bytes on a2a3, 128 on a5), each row wastes part of a burst. Make the last dimension longer, or load several rows "
        "as one.",
        Severity.HINT,
    ),
)

RULES: tuple[Rule, ...] = (*_SSA, *_TYPES, *_NESTED, *_LEAVING, *_AUTHORS, *_LOWERED, *_ADVICE)
