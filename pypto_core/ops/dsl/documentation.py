"""What people read about the callables: one text per operator name, one line per parameter name.

A text is written once for all namespaces (`pl.add`, `pl.tensor.add`, `pl.tile.add`); a key with a dot
(``"tile.rsqrt"``) replaces it for one of them. The first sentence is the summary that completion shows. ``core``
says who runs the call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Core = Literal["vector", "cube", "both", "transfer", "control", "none"]

#: How ``core`` reads in hover text.
CORE_TEXTS: Final[dict[Core, str]] = {
    "vector": "runs on the vector lanes (AIV)",
    "cube": "runs on the cube core (AIC)",
    "both": "runs on whichever core executes the surrounding code",
    "transfer": "moves data between the cube core and the vector lanes",
    "control": "runs in the controlling function, not on a core",
    "none": "costs nothing at run time",
}


@dataclass(frozen=True, slots=True)
class Documentation:
    core: Core
    text: str


def _vector(text: str) -> Documentation:
    return Documentation("vector", text)


def _cube(text: str) -> Documentation:
    return Documentation("cube", text)


def _both(text: str) -> Documentation:
    return Documentation("both", text)


def _transfer(text: str) -> Documentation:
    return Documentation("transfer", text)


def _control(text: str) -> Documentation:
    return Documentation("control", text)


def _free(text: str) -> Documentation:
    return Documentation("none", text)


_SCALAR_RIGHT: Final = "The scalar is always the right operand; an integer literal takes the element type."
_BIT_NOTE: Final = "Integer element types only."
_TMP_NOTE: Final = "On a tile a scratch tile of the input's dtype and rank, at least as large, is needed."
_ROW_VEC: Final = "The vector has one column, and its rows match those of the operand."
_COL_VEC: Final = "The vector has one row, and its columns match those of the operand."
_MX_NOTE: Final = "Operands are FP8E4M3FN, scales FP8E8M0 with one scale per 32 elements of K."

DOCUMENTATION: Final[dict[str, Documentation]] = {
    # -- element-wise ------------------------------------------------------------------------------------------
    "abs": _vector("Absolute value of every element."),
    "add": _vector(f"Sum of two operands, element by element, broadcasting as needed. {_SCALAR_RIGHT}"),
    "adds": _vector(f"Adds a scalar to every element. {_SCALAR_RIGHT}"),
    "addc": _vector("Sum of three tiles in one instruction: lhs + rhs + rhs2."),
    "addsc": _vector("Adds a scalar and a second tile to a tile: lhs + rhs + rhs2."),
    "sub": _vector(f"Difference of two operands, element by element. {_SCALAR_RIGHT}"),
    "subs": _vector(
        "Subtracts a scalar from every element; the element type stays that of the left operand."
    ),
    "subc": _vector("lhs - rhs + rhs2 of three tiles in one instruction."),
    "subsc": _vector("lhs - rhs + rhs2 of a tile, a scalar and a tile in one instruction."),
    "mul": _vector(f"Product of two operands, element by element. {_SCALAR_RIGHT}"),
    "muls": _vector(f"Multiplies every element by a scalar. {_SCALAR_RIGHT}"),
    "div": _vector(
        "Quotient of two operands, element by element. The dtype is INT16, INT32, FP16 or FP32; high_precision asks for "
        "the slower, more exact division and needs two floating-point tensors or tiles."
    ),
    "divs": _vector(f"Divides every element by a scalar. {_SCALAR_RIGHT}"),
    "fmod": _vector("Floating-point remainder with the sign of the dividend, element by element."),
    "fmods": _vector("Floating-point remainder of every element by a scalar."),
    "rem": _vector("Remainder with the sign of the divisor, element by element; tmp is scratch."),
    "rems": _vector("Remainder of every element by a scalar; tmp is scratch."),
    "neg": _vector("Negates every element."),
    "exp": _vector("e to the power of every element; on a tensor an integer input gives FP32."),
    "log": _vector("Natural logarithm of every element; FP16 or FP32."),
    "sqrt": _vector("Square root of every element; on a tensor an integer input gives FP32."),
    "rsqrt": _vector("Reciprocal square root of every element; high_precision needs a tensor."),
    "tile.rsqrt": _vector(
        "Reciprocal square root of every element; a scratch tile tmp selects the exact form."
    ),
    "recip": _vector("1 / x of every element; high_precision needs FP16 or FP32."),
    "sin": _vector("Sine of every element, in radians; FP32 only."),
    "cos": _vector("Cosine of every element, in radians; FP32 only."),
    "relu": _vector("max(x, 0) of every element of a tile."),
    "lrelu": _vector("Leaky ReLU with one slope: x where positive, slope * x elsewhere."),
    "prelu": _vector("Leaky ReLU with a slope per element; FP16 or FP32, equal shapes, tmp is scratch."),
    "cast": _vector(
        "Converts to another dtype. mode is the rounding: none, rint, round, floor, ceil, trunc or odd; a scalar accepts "
        "only round. Casting to the dtype that the operand already has is an error."
    ),
    "cmp": _vector(
        "Compares element by element; cmp_type: 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge. A tensor result holds 0 or 1 in the "
        "operands' dtype, a tile result is a mask of packed bits in UINT8."
    ),
    "cmps": _vector("Compares every element of a tile with a scalar into a mask of packed bits."),
    "maximum": _vector("Larger of two operands, element by element; the right one may be a scalar."),
    "maximums": _vector("Larger of every element and a scalar."),
    "minimum": _vector("Smaller of two operands, element by element; the right one may be a scalar."),
    "minimums": _vector("Smaller of every element and a scalar."),
    "max": _free(
        "Larger of two scalars. For tensors and tiles use pl.maximum, or a reduction such as pl.row_max."
    ),
    "min": _free(
        "Smaller of two scalars. For tensors and tiles use pl.minimum, or a reduction such as pl.row_min."
    ),
    "and_": _vector(f"Bitwise and of two operands. {_BIT_NOTE}"),
    "ands": _vector(f"Bitwise and of every element with a scalar. {_BIT_NOTE}"),
    "or_": _vector(f"Bitwise or of two operands. {_BIT_NOTE}"),
    "ors": _vector(f"Bitwise or of every element with a scalar. {_BIT_NOTE}"),
    "xor": _vector(f"Bitwise exclusive or of two operands; tiles need a scratch tile. {_BIT_NOTE}"),
    "xors": _vector(
        f"Bitwise exclusive or of every element with a scalar; tiles need a scratch tile. {_BIT_NOTE}"
    ),
    "not_": _vector("Bitwise complement of every element; INT16 or UINT16."),
    "shl": _vector(f"Shifts left by as many bits as the right operand says. {_BIT_NOTE}"),
    "shls": _vector(f"Shifts every element left by a scalar number of bits. {_BIT_NOTE}"),
    "shr": _vector(f"Shifts right by as many bits as the right operand says. {_BIT_NOTE}"),
    "shrs": _vector(f"Shifts every element right by a scalar number of bits. {_BIT_NOTE}"),
    "sel": _vector("Chooses lhs where the packed mask bit is set, rhs elsewhere; tmp is scratch."),
    "sels": _vector("Chooses src where the packed mask bit is set, a scalar elsewhere; tmp is scratch."),
    "part_add": _vector("Adds where both operands are valid and copies where only one is."),
    "part_mul": _vector("Multiplies where both operands are valid and copies where only one is."),
    "part_max": _vector("Larger of two where both operands are valid, a copy where only one is."),
    "part_min": _vector("Smaller of two where both operands are valid, a copy where only one is."),
    # -- broadcast ---------------------------------------------------------------------------------------------
    "row_expand": _vector(f"Copies a column vector into every column of the operand's shape. {_ROW_VEC}"),
    "row_expand_add": _vector(f"Adds a column vector to every column. {_ROW_VEC} Both have the same dtype."),
    "row_expand_sub": _vector(f"Subtracts a column vector from every column. {_ROW_VEC}"),
    "row_expand_mul": _vector(f"Multiplies every column by a column vector. {_ROW_VEC}"),
    "row_expand_div": _vector(f"Divides every column by a column vector. {_ROW_VEC}"),
    "row_expand_max": _vector(f"Larger of every column and a column vector. {_ROW_VEC}"),
    "row_expand_min": _vector(f"Smaller of every column and a column vector. {_ROW_VEC}"),
    "row_expand_expdif": _vector(f"exp(x - v) with a column vector v, the core of a softmax. {_ROW_VEC}"),
    "col_expand": _vector(f"Copies a row vector into every row of the operand's shape. {_COL_VEC}"),
    "col_expand_add": _vector(f"Adds a row vector to every row. {_COL_VEC}"),
    "col_expand_sub": _vector(f"Subtracts a row vector from every row. {_COL_VEC}"),
    "col_expand_mul": _vector(f"Multiplies every row by a row vector. {_COL_VEC}"),
    "col_expand_div": _vector(f"Divides every row by a row vector. {_COL_VEC}"),
    "col_expand_max": _vector(f"Larger of every row and a row vector. {_COL_VEC}"),
    "col_expand_min": _vector(f"Smaller of every row and a row vector. {_COL_VEC}"),
    "col_expand_expdif": _vector(f"exp(x - v) with a row vector v. {_COL_VEC}"),
    "expands": _vector("Fills the operand's shape with a scalar."),
    "expand_clone": _vector("Repeats a rank-3 tensor along one axis of extent 1 up to the target's shape."),
    # -- reductions --------------------------------------------------------------------------------------------
    "row_sum": _vector(f"Sum of every row: [M, N] becomes [M, 1]. {_TMP_NOTE}"),
    "row_max": _vector(f"Largest element of every row: [M, N] becomes [M, 1]. {_TMP_NOTE}"),
    "row_min": _vector(f"Smallest element of every row: [M, N] becomes [M, 1]. {_TMP_NOTE}"),
    "row_prod": _vector(f"Product of every row: [M, N] becomes [M, 1]. {_TMP_NOTE}"),
    "row_argmax": _vector(
        "Column of the largest element of every row, INT32. On a tile tmp has the input's shape."
    ),
    "row_argmin": _vector(
        "Column of the smallest element of every row, INT32. On a tile tmp has the input's shape."
    ),
    "col_sum": _vector(
        "Sum of every column: [M, N] becomes [1, N]. On a tile tmp_tile selects the tree form."
    ),
    "col_max": _vector("Largest element of every column: [M, N] becomes [1, N]."),
    "col_min": _vector("Smallest element of every column: [M, N] becomes [1, N]."),
    "col_prod": _vector("Product of every column: [M, N] becomes [1, N]."),
    "col_argmax": _vector("Row of the largest element of every column, INT32; a tile needs scratch."),
    "col_argmin": _vector("Row of the smallest element of every column, INT32; a tile needs scratch."),
    # -- matrix products ---------------------------------------------------------------------------------------
    "matmul": _cube(
        "Matrix product on the cube core. Tensors may be batched, transposed by a_trans / b_trans and given an out_dtype; "
        "tiles are plain [M, K] x [K, N] and accumulate in FP32 (floats) or INT32 (integers)."
    ),
    "matmul_acc": _cube(
        "Adds a matrix product to an accumulator of FP32 or INT32. init_cond, a BOOL scalar, says when to start from "
        "zero instead."
    ),
    "matmul_bias": _cube("Matrix product plus a [1, N] bias of the accumulator's dtype."),
    "matmul_mx": _cube(f"Matrix product of micro-scaled FP8 tiles. {_MX_NOTE}"),
    "matmul_mx_acc": _cube(f"Adds a product of micro-scaled FP8 tiles to an FP32 accumulator. {_MX_NOTE}"),
    "matmul_mx_bias": _cube(f"Product of micro-scaled FP8 tiles plus an FP32 bias. {_MX_NOTE}"),
    "batch_matmul": _cube("Matrix product of tiles with leading batch axes, which broadcast."),
    "batch_matmul_acc": _cube(
        "Adds a batched matrix product to an accumulator of the product's batch shape."
    ),
    "gemv": _cube(
        "Product of a one-row tile and a matrix; the result has 16 physical rows, one of them valid."
    ),
    "gemv_acc": _cube("Adds a one-row product to an accumulator of exactly the product's type."),
    "gemv_bias": _cube("One-row product plus a [1, N] bias."),
    # -- memory ------------------------------------------------------------------------------------------------
    "load": _vector(
        "Copies a window of a tensor into an on-chip tile. A window past the end needs a smaller valid_shape or "
        "clamp=True; target_memory is Vec or Mat."
    ),
    "store": _vector(
        "Copies the valid part of a tile into a tensor at offsets and returns the tensor. atomic=pl.AtomicType.Add adds "
        "instead of overwriting."
    ),
    "move": _both("Moves a tile to another on-chip memory, optionally changing its layout."),
    "create_tensor": _free("A new tensor in global memory, uninitialised unless init_value is given."),
    "create": _free("A new tensor in global memory, uninitialised unless init_value is given."),
    "tile.create": _free("A new, uninitialised tile in target_memory."),
    "create_tile": _free("A new, uninitialised tile in target_memory."),
    "create_l1": _free("A tensor that stays in the cube core's L1 memory."),
    "alloc": _free("Reserves bytes of a memory space; written by the compiler."),
    "full": _vector("A new tensor or tile with every element equal to value."),
    "ci": _vector("Consecutive integers from start in one row, ascending or descending."),
    "arange": _vector("Consecutive integers from start in one row, ascending or descending. Same as ci."),
    "tri": _vector("A triangular mask of ones below (or above) a diagonal."),
    "random": _vector(
        "Pseudo-random integers from a counter-based generator: two key and four counter words."
    ),
    "read": _both("Reads one element as a scalar."),
    "write": _both("Writes one scalar element; a statement."),
    "dim": _free("Extent of a tensor along one axis, as an INDEX scalar."),
    "fillpad": _vector(
        "Fills what lies outside the valid region with pad_value and makes the whole shape valid."
    ),
    "fillpad_inplace": _vector("As fillpad, in the tile's own memory."),
    "fillpad_expand": _vector("Copies into a larger shape and fills the rest with pad_value."),
    "set_validshape": _free("Declares how many rows and columns hold data; moves nothing."),
    "slice": _free(
        "A window of a tensor or tile. valid_shape narrows it, drop_dims removes axes of extent 1, clamp=True (tensors) "
        "cuts the window at the source's end."
    ),
    "assemble": _vector(
        "Writes source into target at offset and returns the result; atomic=Add (tensors) accumulates."
    ),
    "extract": _cube(
        "Copies a window of a matrix tile into another on-chip memory, typically Left or Right."
    ),
    "concat": _vector("Places two 2-D operands of equal rows side by side."),
    "reshape": _free("The same elements under another shape of equal size."),
    "reinterpret_view": _free(
        "The same bytes as another dtype; the contiguous axis scales with the element size."
    ),
    "view": _free("A tensor's memory under another packed shape or layout, without copying."),
    "transpose": _vector("Swaps two axes. On a tensor only the strides change; on a tile the data moves."),
    "transpose_view": _free("Swaps the last two axes of a tile by changing its layout, without moving data."),
    # -- gather, scatter, sort ---------------------------------------------------------------------------------
    "gather": _vector(
        "Picks elements along an axis by index; with mask_pattern every second or fourth column; with kvalue, cmp_mode and "
        "out_cols the positions that compare true and their count."
    ),
    "tile.gather": _vector("Picks elements of each row by index; tmp is scratch."),
    "gather_mask": _vector("Keeps the columns that a mask pattern selects."),
    "gather_compare": _vector("Positions whose element compares true with kvalue, and their count per row."),
    "gather_row": _vector(
        "Copies one block of rows of a tensor into dst at an offset; the core of an indexed load."
    ),
    "gatherb": _vector("Picks 32-byte blocks by byte offset (UINT32)."),
    "mgather": _vector("Loads rows or elements of a tensor by an index tile."),
    "mscatter": _vector("Stores elements of a tile into a tensor by an index tile."),
    "paged_gather": _vector("Collects rows of a paged cache through a block table."),
    "scatter": _vector("Writes src into a copy of input at the indexed positions of the last axis."),
    "tile.scatter": _vector("Writes src into dst at the given element indexes."),
    "scatter_mask": _vector("Spreads the input's columns over dst as a mask pattern says."),
    "scatter_update": _vector(
        "Replaces whole rows of input, selected by index, with the rows of src; dim is -2."
    ),
    "sort32": _vector("Sorts every group of 32 elements together with their indices (UINT32)."),
    "mrgsort": _vector("Merges sorted runs: one list in blocks (block_len=) or two to four lists."),
    "mrgsort_format1": _vector("Merges the sorted blocks of one list."),
    "mrgsort_format2": _vector("Merges two to four sorted lists."),
    "tget_scale_addr": _free("Binds a scale tile to the operand whose scales it holds."),
    # -- cube / vector boundary --------------------------------------------------------------------------------
    "aiv_shard": _transfer(
        "Hands each vector lane its half of a cube result. Inside a pl.split_aiv region the region's mode decides which axis "
        "is halved."
    ),
    "aic_gather": _transfer("Joins the halves of both vector lanes into one operand of the cube core."),
    "tpush_to_aiv": _transfer("Pushes a tile from the cube core to the vector lanes."),
    "tpush_to_aic": _transfer("Pushes a tile from a vector lane to the cube core."),
    "tpop_from_aic": _transfer(
        "Takes the next tile pushed by the cube core; name its type by shape and dtype."
    ),
    "tpop_from_aiv": _transfer(
        "Takes the next tile pushed by the vector lanes; name its type by shape and dtype."
    ),
    "tfree_to_aic": _transfer("Returns the slot of a popped tile to the cube core."),
    "tfree_to_aiv": _transfer("Returns the slot of a popped tile to the vector lanes."),
    "aic_initialize_pipe": _transfer("Declares the cube side of the cube/vector pipe."),
    "aiv_initialize_pipe": _transfer("Declares the vector side of the cube/vector pipe."),
    "reserve_buffer": _free("Reserves a named on-chip buffer; its address is read as <result>.base."),
    "import_peer_buffer": _free("Refers to a buffer that another function of the group reserved."),
    # -- synchronisation and tasks -----------------------------------------------------------------------------
    "get_block_idx": _both("Index of the block (core group) that executes this code."),
    "get_block_num": _both("Number of blocks that execute this code."),
    "get_subblock_idx": _both("Index of the vector lane that executes this code, 0 or 1."),
    "bar_all": _both("Waits until every pipe of the core is idle."),
    "bar_m": _cube("Waits until the matrix pipe is idle."),
    "bar_v": _vector("Waits until the vector pipe is idle."),
    "fence": _both("Orders memory accesses before it against those after it."),
    "sync_src": _both("Signals an event from one pipe to another."),
    "sync_dst": _both("Waits in one pipe for an event of another."),
    "sync_set": _both("Raises a cross-core event (0 to 13)."),
    "sync_wait": _both("Waits for a cross-core event (0 to 13)."),
    "syncall": _both("Barrier over all cores; the soft form counts in a workspace tensor."),
    "set_ffts": _both(
        "Sets the workspace of the cross-core event unit: an INT64 tensor of at least 256 elements."
    ),
    "cacheinvalid": _both("Drops the data cache, wholly or for a window of one tensor."),
    "available_aiv_count": _control("Number of vector cores the program may use."),
    "available_cluster_count": _control("Number of core groups the program may use."),
    "task_invalid": _control("A task id that stands for no task; what None means for a task id."),
    "task_dummy": _control("A task that does nothing but wait for its dependencies."),
    # -- arrays and prefetch -----------------------------------------------------------------------------------
    "array.create": _both("A small array of scalars in on-core memory; extent is a constant."),
    "get_element": _both("Reads one element of an array; also written arr[i]."),
    "update_element": _both("Replaces one element of an array; also written arr[i] = value."),
    "make_context": _vector("Context for asynchronous prefetches into the cache."),
    "async_prefetch": _vector("Starts to bring a contiguous region of global memory into the cache."),
    "session": _vector("Session that waits for the prefetches of a context."),
    "prefetch.wait": _vector("Waits for a prefetch; True when it has finished."),
    # -- distributed -------------------------------------------------------------------------------------------
    "alloc_window_buffer": _control(
        "Reserves peer-visible memory. The size is in bytes, or a shape together with dtype=; only as the value of a plain "
        "assignment in a HOST function."
    ),
    "window": _control("A tensor over a window buffer that every rank can reach."),
    "world_size": _control("Number of ranks; only in a HOST function, outside core scopes."),
    "get_comm_ctx": _both("Communication context of a window."),
    "rank": _both("Rank of this device in a communication context."),
    "nranks": _both("Number of ranks of a communication context."),
    "remote_load": _vector("Copies a window of a peer's memory into a tile."),
    "remote_store": _vector(
        "Copies a tile or tensor into a peer's window; atomic=pl.AtomicType.Add accumulates."
    ),
    "put": _vector("Copies a tensor, or a region of it, into a peer's window."),
    "get": _vector("Copies a peer's window, or a region of it, into a tensor."),
    "notify": _both("Sets or increments a signal in a peer's window."),
    "wait": _both("Waits until a signal equals or reaches a value."),
    "defer_wait": _both("Postpones the wait for a signal to the end of the task; only pld.WaitCmp.Ge."),
    "allreduce": _control(
        "Combines the windows of all ranks element by element; every rank gets the result."
    ),
    "reduce_scatter": _control(
        "Combines the windows of all ranks; every rank keeps its share. Only Sum so far."
    ),
    "allgather": _control("Collects one chunk of every rank on every rank."),
    "broadcast": _control("Copies the window of the root rank to every rank."),
    "all_to_all": _control("Row i of the input goes to rank i."),
    "all_to_all_v": _control("As all_to_all, with a count of rows per rank."),
    "barrier": _control("Waits until every rank has arrived."),
    # -- markers -----------------------------------------------------------------------------------------------
    "dump_tag": _control("Marks a tensor to be dumped while debugging; a statement."),
    "no_dep": _control("Marks a kernel argument that creates no dependency between tasks."),
}

#: Meaning of a parameter name; ``"callable.parameter"`` replaces it for one callable.
PARAMETERS: Final[dict[str, str]] = {
    "input": "operand",
    "tile": "operand tile",
    "tensor": "operand tensor",
    "x": "operand",
    "value": "operand",
    "write.value": "scalar to write, of the element dtype",
    "full.value": "value of every element",
    "notify.value": "value to set or add",
    "update_element.value": "new element",
    "data": "operand whose bytes are reinterpreted",
    "lhs": "left operand",
    "rhs": "right operand",
    "rhs2": "third operand",
    "src": "source",
    "src0": "first source",
    "src1": "second source",
    "src2": "third source",
    "src3": "fourth source",
    "dst": "destination",
    "target": "operand that gives the result its shape",
    "assemble.target": "operand to write into",
    "source": "operand to write",
    "acc": "accumulator",
    "bias": "bias of shape [1, N]",
    "lhs_scale": "scales of lhs",
    "rhs_scale": "scales of rhs",
    "row_vec": "column vector, [M, 1]",
    "col_vec": "row vector, [1, N]",
    "scalar": "scalar value",
    "slope": "slope of the negative half",
    "mask": "packed mask",
    "tmp": "scratch tile",
    "tmp_tile": "scratch tile",
    "scratch": "scratch tensor",
    "cmp_type": "0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge",
    "cmp_mode": "eq, ne, lt, le, gt or ge",
    "mode": "rounding mode",
    "allreduce.mode": "'mesh' or 'ring'",
    "syncall.mode": "'hard' or 'soft'",
    "target_type": "dtype of the result",
    "dtype": "element dtype of the result",
    "out_dtype": "dtype of the product",
    "output_dtype": "dtype of the result, of the same bit width",
    "count_dtype": "dtype of the counts",
    "high_precision": "the slower, more exact form",
    "a_trans": "lhs is stored transposed",
    "b_trans": "rhs is stored transposed",
    "c_matrix_nz": "ask for a fractal result layout",
    "init_cond": "BOOL scalar: start from zero instead of acc",
    "acc_phase": "'unspecified', 'partial' or 'final'",
    "shape": "extents",
    "shapes": "extents of the window",
    "offset": "start per axis",
    "gatherb.offset": "byte offsets, UINT32",
    "gather.offset": "added to every position",
    "gather_compare.offset": "added to every position",
    "offsets": "start per axis",
    "dst_offset": "start per axis in the destination",
    "src_offset": "start per axis in the source",
    "dst_offsets": "start per axis in the destination",
    "src_offsets": "start per axis in the source",
    "valid_shape": "extents that hold data",
    "valid_rows": "rows that hold data",
    "valid_cols": "columns that hold data",
    "drop_dims": "axes of extent 1 to remove",
    "pad_value": "what lies outside the valid region: pl.PadValue, 0, inf or -inf",
    "clamp": "cut the window at the end of the source",
    "target_memory": "memory space of the result",
    "memory_space": "memory space",
    "blayout": "outer layout of the result",
    "slayout": "inner layout of the result",
    "layout": "tensor layout",
    "flat_layout": "row-major instead of fractal, in Mat only",
    "transpose": "store transposed",
    "atomic": "how concurrent writes combine",
    "output_tensor": "tensor to write into",
    "axis": "axis; negative counts from the end",
    "axis1": "first axis",
    "axis2": "second axis",
    "dim": "axis; negative counts from the end",
    "index": "indices",
    "indices": "one index per axis",
    "paged_gather.indices": "row indices, INT32",
    "gather.indices": "column indices per row",
    "indexes": "element indices",
    "idx": "indices",
    "index_row": "first row",
    "index_col": "first column",
    "block_table": "physical block per logical block, INT32",
    "block_size": "rows per block",
    "size": "bytes",
    "paged_gather.size": "columns to take",
    "max_indices": "rows of the result",
    "col_off": "first column to take",
    "is_trans": "transpose the result, in Mat only",
    "is_b_matrix": "the result is a right operand",
    "space": "memory space of the result",
    "mem": "tensor to gather from",
    "coalesce": "'row' or 'elem'",
    "gather_oob": "out-of-range indices: 'undefined', 'clamp', 'wrap' or 'zero'",
    "mask_pattern": "pl.tile.MaskPattern, 1 to 7",
    "kvalue": "value to compare with",
    "out_cols": "columns of the result",
    "exhausted": "a list may run out before the others",
    "block_len": "length of a sorted block, a multiple of 64",
    "start": "first value",
    "diagonal": "diagonal number, 0 is the main one",
    "upper": "ones above the diagonal instead of below",
    "descending": "count down",
    "rounds": "7 or 10",
    "manual_dep": "leave dependencies on this tensor to the author",
    "init_value": "initial value of every element",
    "pinned": "placed by the author",
    "split": "lane split: 0 none, 1 rows, 2 columns; of pipe transfers also 3 and 4: an odd number of them",
    "lane_stride": "rows (or columns) between the lanes",
    "id": "pipe number",
    "dir_mask": "1 cube to vector, 2 vector to cube, 3 both",
    "slot_size": "bytes of a slot",
    "slot_num": "slots of the ring",
    "local_slot_num": "slots kept locally",
    "c2v_consumer_buf": "base address of the cube-to-vector ring",
    "v2c_consumer_buf": "base address of the vector-to-cube ring",
    "name": "buffer name",
    "base": "address, pl.AUTO to let the compiler choose",
    "peer_func": "function that reserved the buffer",
    "set_pipe": "pipe that signals",
    "wait_pipe": "pipe that waits",
    "event_id": "event number",
    "pipe": "pipe",
    "ffts_mode": "0 to 2",
    "core_type": "'aic' or 'aiv'",
    "syncall.core_type": "'mix', 'aic_only' or 'aiv_only'",
    "gm_workspace": "counter tensor of the soft form",
    "used_cores": "number of cores that take part",
    "workspace": "INT64 tensor",
    "deps": "tasks to wait for",
    "extent": "number of elements",
    "array": "array",
    "ctx": "context",
    "event": "event to wait for",
    "session_handle": "session",
    "buf": "window buffer",
    "peer": "rank of the peer",
    "signal": "signal window, INT32",
    "expected": "value to wait for",
    "cmp": "pld.WaitCmp.Eq or Ge",
    "op": "how values combine",
    "root": "rank that sends",
    "core_num": "cores that take part",
    "stage": "staging tile",
    "stage2": "second staging tile",
    "chunk_rows": "rows per transfer, 0 for all",
    "chunk_cols": "columns per transfer, 0 for all",
    "pipeline": "overlap transfers; needs chunk_rows and chunk_cols",
    "send_counts": "rows sent to each rank, INT32",
    "recv_counts": "rows received from each rank, INT32",
    "local_data": "this rank's chunk, [1, SIZE]",
    "dist_tensor": "window",
    "src_tile": "tile to send",
    "dst_scale": "scale tile",
    "key0": "first key word",
    "key1": "second key word",
    "counter0": "counter word 0",
    "counter1": "counter word 1",
    "counter2": "counter word 2",
    "counter3": "counter word 3",
    "args": "operands",
    "kwargs": "options",
}
