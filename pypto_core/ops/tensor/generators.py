"""Tensors out of nothing, and the indices of the executing core (``docs/spec/ops_tensor.md`` §3.2, §3.5)."""

from __future__ import annotations

from pypto_core.ir import (
    PTR,
    ConstInt,
    DataType,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import KwargType, KwParam, OpCall, Param, Stored
from pypto_core.ops.shape_rules import is_one, show_dim, show_dtypes
from pypto_core.ops.tensor.declare import (
    const_tuple,
    dtype_at,
    dtype_keyword,
    dtype_kw,
    elements_of,
    flag,
    fresh,
    int_kw,
    int_tuple,
    operand,
    scalar,
    tensor_op,
)

_D = DataType
_CI_DTYPES = (_D.INT16, _D.INT32, _D.UINT16, _D.UINT32)
_RANDOM_DTYPES = (_D.INT32, _D.UINT32)


def required_dtype(call: OpCall) -> DataType:
    """The ``dtype`` keyword."""
    call.require_kw("dtype")
    return dtype_keyword(call, "dtype", DataType.FP32)


def _require_dtype_kw(call: OpCall, allowed: tuple[DataType, ...]) -> DataType:
    dtype = required_dtype(call)
    if dtype not in allowed:
        call.fail(
            "op-dtype",
            f"{call.name} requires dtype in {show_dtypes(allowed)}, but got {dtype.text}",
            keyword="dtype",
            data={"allowed": tuple(d.printed for d in allowed), "got": dtype.printed},
        )
    return dtype


def deduce_create(call: OpCall) -> Type:
    """T-CREATE: a layout other than ND makes a view."""
    layout = call.kw("layout")
    view = None if layout is TensorLayout.ND else TensorView(layout=layout)
    return TensorType(elements_of(call, 0), required_dtype(call), None, view)


def deduce_create_l1(call: OpCall) -> Type:
    """T-CREATE-L1: static positive extents."""
    shape = call.literal_tuple(0)
    for axis, dim in enumerate(shape):
        if not isinstance(dim, ConstInt) or dim.value <= 0:
            call.fail(
                "op-value",
                f"{call.name} shape[{axis}] must be a positive constant, but got {show_dim(dim)}",
                arg=0,
            )
    return fresh(shape, required_dtype(call))


def deduce_full(call: OpCall) -> Type:
    """T-FULL."""
    return fresh(elements_of(call, 0), required_dtype(call))


def deduce_ci(call: OpCall) -> Type:
    """T-CI: one row of consecutive integers."""
    dtype = _require_dtype_kw(call, _CI_DTYPES)
    start = dtype_at(call, 0)
    if start is not dtype:
        call.fail(
            "op-dtype",
            f"{call.name} requires start dtype to match dtype {dtype.text}, but got {start.text}",
            arg=0,
        )
    shape = elements_of(call, 1)
    if not shape:
        call.fail("op-rank", f"{call.name} requires a non-empty shape", arg=1)
    if is_one(shape[-1]):
        call.fail("op-shape", f"{call.name} requires the innermost dimension (Cols) to be != 1", arg=1)
    if not all(is_one(dim) for dim in shape[:-1]):
        call.fail(
            "op-shape",
            f"{call.name} only populates the first row, so all leading dimensions must be 1, "
            f"but got [{', '.join(show_dim(d) for d in shape)}]",
            arg=1,
        )
    return fresh(shape, dtype)


def deduce_random(call: OpCall) -> Type:
    """T-RANDOM: six seed words and a 2-D shape."""
    dtype = _require_dtype_kw(call, _RANDOM_DTYPES)
    if call.kw("rounds") not in (7, 10):
        call.fail(
            "op-value",
            f"{call.name} requires rounds to be 7 or 10, but got {call.kw('rounds')}",
            keyword="rounds",
        )
    shape = elements_of(call, 6)
    if len(shape) != 2:
        call.fail("op-rank", f"{call.name} requires a 2D shape, but got rank {len(shape)}", arg=6)
    return fresh(shape, dtype)


def deduce_pointer(call: OpCall) -> Type:
    """T-PTR."""
    return PTR


def deduce_index(call: OpCall) -> Type:
    """T-INDEX0."""
    return ScalarType.of(_D.INDEX)


_SEEDS = tuple(
    Param(
        name,
        ArgKind.SCALAR_INT32,
        doc="seed word",
        expects=f"requires seed argument {index} to have INT32 dtype",
    )
    for index, name in enumerate(("key0", "key1", "counter0", "counter1", "counter2", "counter3"))
)
tensor_op(
    "tensor.create", "T-CREATE", deduce_create, (int_tuple("shape"),), "A new tensor in global memory.",
    conversion="C-CREATE",
    kwargs=(
        dtype_kw(),
        KwParam("layout", KwargType.TENSOR_LAYOUT, default=TensorLayout.ND, stored=Stored.ALWAYS, builder_default=TensorLayout.ND, doc="layout in memory"),
        flag("manual_dep", stored=Stored.WHEN_TRUTHY, doc="leave dependencies on it to the author"),
        KwParam("init_value", KwargType.FLOAT, stored=Stored.WHEN_GIVEN, doc="initial value of every element"),
    ),
)  # fmt: skip
tensor_op(
    "tensor.create_l1", "T-CREATE-L1", deduce_create_l1, (const_tuple("shape"),), "A tensor kept in L1.",
    conversion="C-CREATE-L1", kwargs=(dtype_kw(), flag("transpose", doc="store transposed")),
)  # fmt: skip
tensor_op(
    "tensor.full", "T-FULL", deduce_full, (int_tuple("shape"), operand("value", ArgKind.CONST_NUMBER)),
    "A tensor with every element equal to a constant.", conversion="C-SIMPLE", kwargs=(dtype_kw(),),
)  # fmt: skip
tensor_op(
    "tensor.ci", "T-CI", deduce_ci, (scalar("start"), int_tuple("shape")), "Consecutive integers in one row.",
    conversion="C-SIMPLE",
    kwargs=(dtype_kw(builder_default=_D.INT32, allowed=_CI_DTYPES), flag("descending", doc="count down")),
)  # fmt: skip
tensor_op(
    "tensor.random", "T-RANDOM", deduce_random,
    (*_SEEDS, int_tuple("shape")),
    "Counter-based pseudo-random integers.", conversion="C-SIMPLE",
    kwargs=(dtype_kw(builder_default=_D.UINT32, allowed=_RANDOM_DTYPES), int_kw("rounds", default=10, builder_default=10, allowed=(7, 10), doc="rounds of mixing")),
)  # fmt: skip
tensor_op(
    "tensor.alloc", "T-PTR", deduce_pointer, (operand("memory_space", ArgKind.ANY), operand("size", ArgKind.ANY)),
    "Reserves bytes of a memory space.",
)  # fmt: skip
for _name, _doc in (
    ("get_block_idx", "Index of the executing block."),
    ("get_block_num", "Number of executing blocks."),
    ("get_subblock_idx", "Index of the executing vector lane."),
):
    tensor_op(f"tensor.{_name}", "T-INDEX0", deduce_index, (), _doc, conversion="C-SIMPLE")
