"""Gathering elements and rows of tensors (``docs/spec/ops_tensor.md`` §3.6)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, MemorySpace, TupleType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value, floor_div
from pypto_core.ops.regions import bounds_faults
from pypto_core.ops.registry import KwargType, KwParam, OpCall, Stored
from pypto_core.ops.shape_rules import is_one, show_dim, show_dtypes
from pypto_core.ops.tensor.declare import (
    WORDS,
    const_tuple,
    dtype_keyword,
    dtype_kw,
    flag,
    fresh,
    int_kw,
    literal_tuple,
    operand,
    require_dtype_in,
    require_rank,
    scalar,
    tensor,
    tensor_op,
)

_D = DataType
_PAGED_DTYPES = (_D.FP16, _D.BF16, _D.FP32, _D.INT8)
MASK_DIVISORS = {1: 2, 2: 2, 3: 4, 4: 4, 5: 4, 6: 4, 7: 1}
"""Mask pattern -> how many columns of the input one column of the result stands for."""


def gather_axis(call: OpCall, rank: int, name: str = "dim") -> int:
    """The ``dim`` keyword counted from the front."""
    dim: int = call.require_kw(name)
    axis = dim + rank if dim < 0 else dim
    if not 0 <= axis < rank:
        call.fail(
            "op-value",
            f"The operator {call.name} {name} {dim} is out of range for {rank} dimensions",
            keyword=name,
        )
    return axis


def deduce_gather(call: OpCall) -> Type:
    """T-GATHER: index shape, input dtype."""
    source, index = call.exact_tensor(0), call.exact_tensor(1)
    require_dtype_in(call, 0, WORDS, "input")
    narrow = index.dtype is _D.INT16 and source.dtype.bits == 16
    if index.dtype is not _D.INT32 and not narrow:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires index dtype INT32 (any input), or INT16 with a 16-bit input (FP16/INT16), "
            f"but got {index.dtype.text} with {source.dtype.text}",
            arg=1,
            data={"allowed": ("INT32",), "got": index.dtype.printed},
        )
    rank = len(source.shape)
    if rank < 2 or len(index.shape) != rank:
        call.fail("op-rank", f"The operator {call.name} requires input and index of the same rank >= 2, but got {rank} and {len(index.shape)}", arg=1)  # fmt: skip
    dim = gather_axis(call, rank)
    for axis in range(rank):
        limit, extent = const_value(source.shape[axis]), const_value(index.shape[axis])
        if axis != dim and limit is not None and extent is not None and extent > limit:
            call.fail("op-shape", f"The operator {call.name} requires index extent {extent} <= input extent {limit} on dimension {axis}", arg=1)  # fmt: skip
    return fresh(index.shape, source.dtype)


def mask_divisor(call: OpCall) -> int:
    """Divisor of the ``mask_pattern`` keyword."""
    pattern: int = call.require_kw("mask_pattern")
    if pattern not in MASK_DIVISORS:
        call.fail("op-value", f"The operator {call.name} requires mask_pattern 1 to 7, but got {pattern}", keyword="mask_pattern")  # fmt: skip
    return MASK_DIVISORS[pattern]


def deduce_gather_mask(call: OpCall) -> Type:
    """T-GATHER-MASK: fewer columns."""
    source = call.exact_tensor(0)
    divisor = mask_divisor(call)
    if not source.shape:
        call.fail("op-rank", f"The operator {call.name} requires at least 1 dimension", arg=0)
    columns = source.shape[-1]
    value = const_value(columns)
    if value is not None and value % divisor:
        call.fail(
            "op-shape",
            f"The operator {call.name} with mask_pattern={call.kw('mask_pattern')} requires src columns divisible by "
            f"{divisor}, got {value}",
            arg=0,
        )
    dtype = dtype_keyword(call, "output_dtype", source.dtype)
    if dtype.bits != source.dtype.bits:
        call.fail("op-dtype", f"The operator {call.name} requires output_dtype of {source.dtype.bits} bits, but got {dtype.text}", keyword="output_dtype")  # fmt: skip
    return fresh((*source.shape[:-1], columns if divisor == 1 else floor_div(columns, divisor)), dtype)


def deduce_gather_compare(call: OpCall) -> Type:
    """T-GATHER-COMPARE: positions and counts."""
    source = call.exact_tensor(0)
    require_rank(call, 0, 2, "input")
    value = call.scalar(1).dtype
    if value is not source.dtype:
        call.fail("op-dtype", f"{call.name} requires kvalue dtype to match input dtype {source.dtype.text}, but got {value.text}", arg=1)  # fmt: skip
    mode, columns = call.require_kw("cmp_mode"), call.require_kw("out_cols")
    if not 0 <= mode <= 5:
        call.fail("op-value", f"{call.name} cmp_mode must be 0 to 5 (eq, ne, lt, le, gt, ge), but got {mode}", keyword="cmp_mode")  # fmt: skip
    if columns <= 0:
        call.fail("op-value", f"{call.name} out_cols must be > 0, but got {columns}", keyword="out_cols")
    rows = source.shape[0]
    positions = fresh((rows, ConstInt(columns)), _D.INT32)
    counts = fresh((ConstInt(1), rows), dtype_keyword(call, "count_dtype", _D.INT32))
    return TupleType((positions, counts))


def _require_index_vector(call: OpCall, index: int, what: str) -> None:
    t = call.exact_tensor(index)
    if t.dtype is not _D.INT32:
        call.fail("op-dtype", f"{call.name} requires {what} dtype INT32, but got {t.dtype.text}", arg=index)
    if len(t.shape) not in (1, 2) or (len(t.shape) == 2 and not is_one(t.shape[0])):
        call.fail(
            "op-rank", f"{call.name} requires {what} of rank 1, or rank 2 with first dimension 1", arg=index
        )


def deduce_paged_gather(call: OpCall) -> Type:
    """T-PAGED-GATHER: rows of a paged cache."""
    source = call.exact_tensor(0)
    require_rank(call, 0, 2, "src")
    if source.dtype not in _PAGED_DTYPES:
        call.fail("op-dtype", f"{call.name} requires src dtype in {show_dtypes(_PAGED_DTYPES)}, but got {source.dtype.text}", arg=0)  # fmt: skip
    _require_index_vector(call, 1, "indices")
    _require_index_vector(call, 2, "block_table")
    for name in ("block_size", "size", "max_indices"):
        if call.require_kw(name) <= 0:
            call.fail("op-value", f"{call.name} {name} must be > 0, but got {call.kw(name)}", keyword=name)
    size, offset = call.kw("size"), call.kw("col_off")
    if offset < 0:
        call.fail("op-value", f"{call.name} col_off must be >= 0, but got {offset}", keyword="col_off")
    if call.kw("is_trans") and call.kw("space") is not MemorySpace.Mat:
        call.fail("op-memory", f"{call.name} is_trans requires space=pl.Mem.Mat", keyword="is_trans")
    columns = const_value(source.shape[1])
    if columns is not None and offset + size > columns:
        call.fail(
            "op-shape", f"{call.name} reads columns {offset} to {offset + size} of {columns}", keyword="size"
        )
    rows, width = ConstInt(call.kw("max_indices")), ConstInt(size)
    return fresh((width, rows) if call.kw("is_trans") else (rows, width), source.dtype)


def deduce_gather_row(call: OpCall) -> Type:
    """T-GATHER-ROW: the accumulator's own type."""
    acc, source = call.exact_tensor(0), call.exact_tensor(1)
    if acc.dtype is not source.dtype:
        call.fail("op-dtype", f"{call.name} requires acc and src of the same dtype, but got {acc.dtype.text} and {source.dtype.text}", arg=1)  # fmt: skip
    if call.has(5):
        _check_row_valid(call, call.literal_tuple(4), call.literal_tuple(5))
    return call.args[0].type


def _check_row_valid(call: OpCall, shape: tuple[Expr, ...], valid: tuple[Expr, ...]) -> None:
    faults = (
        bounds_faults(valid, shape, call.name) if valid else [f"{call.name} valid_shape must not be empty"]
    )
    if faults:
        call.fail("op-shape", "; ".join(faults), arg=5)
    for axis, extent in enumerate(valid):
        if call.kw("transpose") and const_value(extent) is None:
            call.fail("op-value", f"{call.name} with transpose=True requires valid_shape[{axis}] to be a constant, but got {show_dim(extent)}", arg=5)  # fmt: skip


_MASK = int_kw("mask_pattern", required=True, allowed=tuple(MASK_DIVISORS), doc="pl.tile.MaskPattern")
_OUTPUT_DTYPE = dtype_kw(
    "output_dtype", required=False, stored=Stored.WHEN_GIVEN, doc="result dtype of equal width"
)

tensor_op(
    "tensor.gather", "T-GATHER", deduce_gather, (tensor("input"), tensor("index")), "Picks elements along an axis.",
    conversion="C-GATHER", kwargs=(int_kw("dim", required=True, doc="axis"),),
)  # fmt: skip
tensor_op(
    "tensor.gather_mask", "T-GATHER-MASK", deduce_gather_mask, (tensor("input"),), "Keeps the columns of a mask.",
    conversion="C-SIMPLE", kwargs=(_MASK, _OUTPUT_DTYPE),
)  # fmt: skip
tensor_op(
    "tensor.gather_compare", "T-GATHER-COMPARE", deduce_gather_compare, (tensor("input"), scalar("kvalue")),
    "Positions and counts of the elements that compare true.", conversion="C-GATHER-COMPARE",
    kwargs=(
        int_kw("cmp_mode", required=True, allowed=tuple(range(6)), legal="eq, ne, lt, le, gt, ge or 0 to 5", doc="comparison"),
        int_kw("offset", default=0, builder_default=0, doc="added to every position"),
        int_kw("out_cols", required=True, doc="columns of the result"),
        dtype_kw("count_dtype", required=False, default=_D.INT32, stored=Stored.WHEN_GIVEN, doc="dtype of the counts"),
    ),
)  # fmt: skip
tensor_op(
    "tensor.paged_gather", "T-PAGED-GATHER", deduce_paged_gather, (tensor("src"), tensor("indices"), tensor("block_table")),
    "Rows of a paged cache.", conversion="C-PAGED-GATHER",
    kwargs=(
        int_kw("block_size", required=True, doc="rows per block"),
        int_kw("size", required=True, doc="columns to take"),
        int_kw("max_indices", required=True, doc="rows of the result"),
        int_kw("col_off", default=0, builder_default=0, doc="first column"),
        flag("is_trans", doc="transpose the result"),
        flag("is_b_matrix", doc="the result is a right operand"),
        KwParam("space", KwargType.MEMORY_SPACE, default=MemorySpace.Mat, stored=Stored.ALWAYS, builder_default=MemorySpace.Mat, doc="memory of the result"),
    ),
)  # fmt: skip
tensor_op(
    "tensor.gather_row", "T-GATHER-ROW", deduce_gather_row,
    (tensor("acc"), tensor("src"), operand("dst_offset", ArgKind.TUPLE), operand("src_offset", ArgKind.TUPLE), const_tuple("shapes"), literal_tuple("valid_shape", optional=True)),
    "Copies one block of rows into an accumulator.", conversion="C-GATHER-ROW", kwargs=(flag("transpose", doc="transpose the block"),),
)  # fmt: skip
