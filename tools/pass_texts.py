"""What each pass does to a kernel, in words for the author of the kernel: summary, text, codes that it reports.

Texts are Markdown. The codes become links to their pages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassText:
    """``summary`` fits a table's cell; ``text`` has one item per paragraph; ``backend`` is the chip of the example."""

    summary: str
    text: tuple[str, ...]
    codes: tuple[str, ...] = ()
    backend: str = "a2a3"


TEXTS: dict[str, PassText] = {
    "InlineFunctions": PassText(
        "puts the bodies of inline functions in the place of their calls",
        (
            "A function declared `type=pl.FunctionType.Inline` is a piece of text with a name. Each of its calls is replaced by its body, with the parameters replaced "
            "by the arguments and the local names made fresh, and the function itself disappears.",
            "Everything after this pass sees one body, so a fault in an inlined function is reported where the function stands, with a note at the call.",
        ),
        ("inline-recursion", "inline-return", "inline-tuple-return"),
    ),
    "UnrollLoops": PassText(
        "writes `pl.unroll` loops out",
        (
            "A `pl.unroll` loop is replaced by one copy of its body per trip, in which the loop variable is the number of the trip. Start, stop and step must therefore be "
            "known while compiling, and the number of trips is limited.",
        ),
        ("unroll-bounds", "unroll-step", "unroll-trips"),
    ),
    "CtrlFlowTransform": PassText(
        "removes `break` and `continue`",
        (
            "The cores run structured control flow only. A `continue` becomes the other side of its branch; a loop with a `break` becomes a `while` loop with a flag, and what "
            "follows the `break` runs while the flag is not set.",
            "Functions that only orchestrate are left alone.",
        ),
    ),
    "ConvertToSSA": PassText(
        "gives every assignment its own variable",
        (
            "From here on a variable is assigned once. A name that you assign again becomes a new version (`power__ssa_v0`, `power__ssa_v3`); a value that a loop changes becomes an "
            "iteration argument that goes in through `init_values` and comes out of `pl.yield_`; the sides of a branch yield the version that goes on.",
            "The name that you wrote is the part before the two underscores. Hover shows your name, not the version.",
        ),
    ),
    "Simplify": PassText(
        "folds scalars, decides branches, drops what is dead",
        (
            "Scalar arithmetic is computed where its operands are known, conditions that can be proved are decided, a loop of one trip becomes its body and a loop of none disappears. "
            "Scalars that nothing reads are dropped.",
            "Bounds of loop variables count as knowledge: inside `for i in pl.range(4)` the condition `i < 8` is true.",
        ),
        ("constant-division-by-zero",),
    ),
    "NormalizeStmtStructure": PassText(
        "flattens blocks of statements",
        (
            "Blocks inside blocks are joined, and a block of one statement becomes that statement. This changes how the IR is built, never how it is printed, so the example shows the "
            "structure of the statements.",
            "Kernels that were read from source are flat when they arrive here; for the example the first two statements were put into a block of their own by hand.",
        ),
    ),
    "FlattenCallExpr": PassText(
        "gives nested calls their own assignments",
        (
            "After this pass an argument of a call is a name or a constant. Each call inside an expression moves to an assignment of its own in front of the statement "
            "(`t__tmp_v0`), in the order in which Python would evaluate it.",
        ),
    ),
    "OutlineHierarchyScopes": PassText(
        "turns `pl.at` scopes of a level into functions of that level",
        (
            "The body of a `with pl.at(level=...)` scope above the core group becomes a function of that level. What the body reads becomes a parameter, what it writes "
            "an output, and a call takes the scope's place. The function is called as `name_hint` says.",
        ),
    ),
    "OutlineIncoreScopes": PassText(
        "turns `pl.at(level=pl.Level.CORE_GROUP)` scopes into kernels",
        (
            "The body of a `CORE_GROUP` scope becomes an InCore function: the kernel proper, which runs on the chip. The function that contained the scope becomes orchestration: "
            "it only makes, slices and hands on tensors, and calls kernels.",
            "A tensor operator that stands in the orchestration part now has no core to run on. The rules of lane regions are checked here for the first time.",
        ),
        ("orphan-operator", "no-dep-not-captured", "split-region-conflict", "aiv-region-in-incore"),
    ),
    "OutlineClusterScopes": PassText(
        "turns clusters and `pl.spmd` blocks into functions",
        (
            "The body of `with pl.cluster():` becomes a Group function, whose kernels are launched together; a `pl.spmd` block becomes an Spmd function that is launched once per block. The "
            "number of blocks rides on the call.",
        ),
        ("spmd-width-inside-cluster",),
    ),
    "ConvertTensorToTileOps": PassText(
        "makes kernels compute on tiles",
        (
            "Inside a kernel every tensor operator becomes its tile operator. Operands are loaded from global memory where they are first used, results are stored, and a result that the kernel "
            "returns leaves through a new `Out` parameter that the caller allocates. Matrix operands are loaded to the cube's side, everything else to the vector side.",
            "Kernels that you wrote on tiles pass through unchanged but for the directions of their parameters.",
        ),
        ("store-channel-mixed", "aiv-reduce-split-axis", "aiv-cube-in-region"),
    ),
    "OptimizeOrchTensors": PassText(
        "saves tensors between orchestration and kernels",
        (
            "A buffer that is made only to be filled by a kernel and then replaces the kernel's input is dropped: the kernel gets one `InOut` parameter instead of an input and an output. "
            "Kernels that work on windows of a larger tensor learn its strides, and loops that assemble rows become loops that store them.",
        ),
    ),
    "LowerCompositeOps": PassText(
        "writes composite operators out",
        (
            "Operators without an instruction of their own become sequences of primitive ones: sine and cosine become range reduction and a polynomial, a barrier or an all-reduce becomes "
            "notifications, waits and transfers between ranks.",
        ),
        ("collective-signal", "collective-unsupported"),
    ),
    "FlattenTileNdTo2D": PassText(
        "makes tiles two-dimensional",
        (
            "The chip's buffers hold rows and columns. A tile of more dimensions keeps its last one as columns and folds the others into rows: `[4, 8, 64]` becomes `[32, 64]`. Loads and "
            "stores keep the shape of the tensor. Batched products become a loop of products.",
        ),
        ("tile-rank",),
    ),
    "LegalizeTileCast": PassText(
        "writes casts that the chip cannot do as chains of casts that it can",
        (
            "Not every pair of element types has a conversion instruction, and the set differs from chip to chip. A cast without one goes through other types along the shortest way, "
            "here through FP32.",
        ),
        ("cast-no-path",),
    ),
    "AutoTileMatmulL0": PassText(
        "cuts products into pieces that fit the L0 buffers",
        (
            "A product whose operands are larger than L0A and L0B, or whose result is larger than L0C, becomes a loop over pieces, with two stages so that loading a piece overlaps with multiplying the one "
            "before. The sizes come from a cost model of the chip.",
            "A product that stays as it is gets a hint that says why.",
        ),
        ("matmul-operand-too-large", "matmul-not-split", "matmul-unaligned-k", "matmul-no-l0-tile"),
    ),
    "CanonicalizeTileSlice": PassText(
        "copies windows that an instruction cannot address",
        (
            "A slice of a tile is a view and costs nothing, as long as the instruction that reads it can step over the gap between its rows. Where it cannot, the view becomes "
            "a copy (`tile.extract`).",
        ),
    ),
    "InferTileMemorySpace": PassText(
        "puts every tile into a memory and inserts moves",
        (
            "Every tile gets a memory space: the cube reads its operands in L0A (`Left`) and L0B (`Right`) and writes to L0C (`Acc`); vector instructions work in UB (`Vec`). "
            "Where a value is made in one space and read in another, a `tile.move` is inserted; a matrix operand that does not change in a loop is moved once in front of it.",
            "A move between the cube's side and the vector's side is a crossing. In a function with lane regions each crossing must be named.",
        ),
        ("aiv-unnamed-shard", "aiv-unnamed-gather", "acc-store-dtype", "tile-memory-operand"),
    ),
    "InsertMxScaleAddr": PassText(
        "binds the scales of MX products to their data",
        (
            "An MX product has operands in 8 bits with a shared scale per block. The instruction finds the scales through the address of the data, so each scale tile is bound to its data tile "
            "right in front of the product. Only Ascend 950 (`a5`) has these products.",
        ),
        ("mx-backend",),
        "a5",
    ),
    "ResolveBackendOpLayouts": PassText(
        "makes operands row-major where an instruction needs it",
        (
            "A column such as the result of `pl.row_sum` lies in memory column by column, and most element-wise instructions read row by row. The column is read as a row of the same bytes "
            "(a reshape, which moves nothing), or moved when it comes from the cube in blocks.",
        ),
    ),
    "LowerAutoVectorSplit": PassText(
        "gives each lane its half of the vector work",
        (
            "A kernel with `split` set to `UP_DOWN` or `LEFT_RIGHT` is written as if there were one vector core. This pass halves every vector tile along the split axis: loads and stores are "
            "moved by the lane's offset, values from the cube arrive as `tile.aiv_shard`, values for the cube leave as `tile.aic_gather`, and a straight vector phase is wrapped in a `pl.split_aiv` "
            "region. Extents that do not halve evenly are balanced or masked, so that lane 0 and lane 1 may hold different numbers of valid rows.",
            "Work that cannot be halved is refused here: reductions along the split axis, reshapes that mix it with another, values that change width around a loop. Hover shows the result of this pass "
            "as *per lane*.",
        ),
        (
            "split-reduce-axis",
            "split-reshape",
            "split-full-width-operand",
            "split-carry-mismatch",
            "split-gather-full-width",
            "split-ragged-columns",
        ),
    ),
    "ExpandMixedKernel": PassText(
        "cuts a mixed kernel into a cube function and a vector function",
        (
            "An InCore function becomes an AIC function, an AIV function, or both with a Group function that launches them together under the old name. A crossing becomes a push on one side and a pop "
            "on the other, through a ring of slots; a received slot is given back (`tfree`) after its last use. Statements that both sides need, such as loops and scalars, appear in both.",
        ),
        ("split-conflicting-codes", "split-unplaceable", "hard-syncall-occupancy"),
    ),
    "InjectGMPipeBuffer": PassText(
        "gives the pipes of a2a3 their buffer in global memory",
        (
            "On the Ascend 910B family the cores cannot write into each other's buffers, so a pipe runs through global memory. Functions with pipes get a parameter for that memory, and the orchestration that "
            "calls them allocates it. On `a5` the pass does nothing.",
        ),
    ),
    "SplitVectorKernel": PassText(
        "certifies split functions, and halves those written by hand",
        (
            "A function that is already in per-lane form gets the attribute that makes the runtime start both lanes. A vector function that you wrote yourself with pops and pushes that name a split is halved here, as in the "
            "example. In a function without a split, lane 1 only repeats the handshakes so that the pipes stay in step (a2a3).",
        ),
        ("split-conflicting-codes",),
    ),
    "StampTfreeSplit": PassText(
        "tells each `tfree` which pipe its slot came from",
        (
            "Giving a slot back needs the split and the pipe of the pop that received it. They are copied from the pop to the free, which is found through the received variable. A free that names another "
            "pipe, or no received tile, is refused.",
        ),
        ("tfree-id-mismatch", "tfree-direction", "tfree-no-tpop"),
    ),
    "NormalizeReturnOrder": PassText(
        "makes kernels return their outputs in the order of the parameters",
        (
            "What a kernel returns is what it has written: the `Out` and `InOut` parameters, in the order of the signature. Callers that unpack the result are adapted.",
        ),
    ),
    "SkewCrossCorePipeline": PassText(
        "lets one core run ahead in a pipelined loop",
        (
            "In a `pl.pipeline` loop that sends to the other core and waits for its answer, the sending half is issued some trips ahead of the receiving half: a prologue of sends, a steady loop of both, an epilogue of receives. "
            "Without this the cores would take turns.",
            "A loop that crosses cores but cannot be skewed becomes an ordinary loop.",
        ),
    ),
    "MaterializeTensorStrides": PassText(
        "writes down the strides of every view of a tensor",
        (
            "A tensor whose view names a layout and no strides gets the packed strides of that layout, in elements: for `ND` the last dimension is dense, for `DN` the last two change places. A tensor without a "
            "view stays as it is. `NZ` is a layout of tiles, and refused for a tensor.",
        ),
        ("tensor-layout-nz",),
    ),
    "InitMemRef": PassText(
        "gives every tile an allocation, or the place in another one that it shares",
        (
            "A tile that an operator makes gets a `tile.alloc` of its own at the top of the function, with its size in bytes. A view, a copy, a value that a loop carries, and a result that lands in an operand share the "
            "allocation of that other tile; a slice keeps the offset of its first byte. Tensors lie in global memory, which is not allocated here.",
            "An allocation that you declared yourself is taken over with its slots, each as large as the largest tile bound to one.",
        ),
        ("allocation-of-view", "allocation-dynamic", "allocation-mismatch"),
    ),
    "MaterializeSemanticAliases": PassText(
        "computes what a loop carries in place",
        (
            "A carried value lies where it starts, and what the body yields for it lies elsewhere at first. Where nothing still reads the old value, the operator that makes the new one writes into the carried buffer, "
            "so that the loop needs no copy and no second buffer.",
        ),
    ),
    "MemoryReuse": PassText(
        "lets tiles that are not alive at one time share an allocation",
        (
            "A tile is alive from the statement that makes it to the last one that reads it; one that a loop reads from outside lives until the loop ends. The largest tiles are placed first, and a tile goes into the first "
            "allocation of its memory in which no other tile is alive at the same time. An operator that must not overwrite its operand keeps the two apart. Allocations that nobody lies in disappear.",
            "Allocations that you declared are not shared out, but two tiles in one slot must not be alive at one time.",
        ),
        ("allocation-slot-shared",),
    ),
    "AllocateMemoryAddr": PassText(
        "gives every allocation its address, and refuses a kernel that does not fit",
        (
            "In each memory the allocations follow one another at multiples of 32 bytes, behind the buffers that cross-core pipes reserve. The sum must not exceed what the chip has. `pypto-lsp memory` prints the sums.",
        ),
        ("memory-capacity",),
    ),
    "FoldNoOpReshape": PassText(
        "makes a reshape that changes nothing a copy of the name",
        (
            "A `tile.reshape` whose result has the shape, valid shape, layout and place of its operand needs no instruction.",
        ),
    ),
}
