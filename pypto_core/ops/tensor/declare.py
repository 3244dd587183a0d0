"""Shorthand for declaring ``tensor.*`` operators and the checks that many of their rules make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pypto_core.ir import (
    AtomicType,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    TensorLayout,
    TensorType,
    TensorView,
    TupleType,
    Type,
)
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import tuple_elements
from pypto_core.ops.registry import (
    Effect,
    EffectRule,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import show_dtypes

Deduce = Callable[[OpCall], Type]
_D = DataType

FLOATS_16_32 = (_D.FP16, _D.FP32)
WORDS = (_D.FP16, _D.FP32, _D.INT16, _D.INT32)
ATOMIC_DTYPES = (_D.FP32, _D.BF16, _D.FP16, _D.INT32, _D.INT16, _D.INT8)
MX_LAYOUTS = (TensorLayout.MX_A_ZZ, TensorLayout.MX_B_NN)


def tensor(name: str, *, optional: bool = False, doc: str = "") -> Param:
    """A plain tensor; a window does not match."""
    return Param(name, ArgKind.TENSOR, optional, doc=doc)


def tensor_like(name: str, *, effect: EffectRule = Effect.READ, doc: str = "") -> Param:
    """A tensor or a window."""
    return Param(name, ArgKind.TENSOR_LIKE, effect=effect, doc=doc)


def window(name: str, *, optional: bool = False, effect: EffectRule = Effect.READ, doc: str = "") -> Param:
    """A distributed tensor."""
    return Param(name, ArgKind.WINDOW, optional, effect=effect, doc=doc)


def operand(
    name: str, kind: ArgKind, *, optional: bool = False, effect: EffectRule = Effect.READ, doc: str = ""
) -> Param:
    """Any other operand."""
    return Param(name, kind, optional, effect=effect, doc=doc)


def scalar(name: str, doc: str = "") -> Param:
    """A scalar operand."""
    return Param(name, ArgKind.SCALAR, doc=doc)


def int_tuple(name: str, *, optional: bool = False, doc: str = "") -> Param:
    """A tuple of integer scalars, such as a shape or offsets in elements."""
    return Param(name, ArgKind.INT_TUPLE, optional, doc=doc)


def literal_tuple(name: str, *, optional: bool = False, doc: str = "") -> Param:
    """A tuple written as a literal."""
    return Param(name, ArgKind.LITERAL_TUPLE, optional, doc=doc)


def const_tuple(name: str, *, optional: bool = False, doc: str = "") -> Param:
    """A tuple written as a literal of integer constants."""
    return Param(name, ArgKind.LITERAL_CONST_TUPLE, optional, doc=doc)


def flag(name: str, *, stored: Stored = Stored.ALWAYS, doc: str = "") -> KwParam:
    """A keyword that is True or False, False by default."""
    return KwParam(name, KwargType.BOOL, default=False, builder_default=False, stored=stored, doc=doc)


def dtype_kw(
    name: str = "dtype", *, required: bool = True, stored: Stored = Stored.ALWAYS, **more: Any
) -> KwParam:
    """A keyword that is a data type."""
    more.setdefault("doc", "element type of the result")
    return KwParam(name, KwargType.DTYPE, required=required, stored=stored, **more)


def int_kw(name: str, *, required: bool = False, stored: Stored = Stored.ALWAYS, **more: Any) -> KwParam:
    """A keyword that is an integer."""
    return KwParam(name, KwargType.INT, required=required, stored=stored, **more)


HIGH_PRECISION = flag("high_precision", stored=Stored.WHEN_TRUTHY, doc="slower algorithm with smaller error")


def atomic_kw(*, required: bool = False, stored: Stored = Stored.WHEN_TRUTHY) -> KwParam:
    """How concurrent writes combine; a call stores the number."""
    return KwParam(
        "atomic",
        KwargType.INT,
        required=required,
        default=None if required else 0,
        builder_default=0,
        stored=stored,
        allowed=tuple(AtomicType),
        doc="None_ overwrites, Add accumulates",
    )


def atomic_write(kwargs: Any) -> Effect:
    """Effect on the destination: an accumulating write reads it as well."""
    return Effect.READ_WRITE if kwargs.get("atomic") else Effect.WRITE


def tensor_op(
    name: str,
    rule: str,
    deduce: Deduce,
    params: tuple[Param, ...],
    doc: str,
    *,
    conversion: str | None = None,
    category: OpCategory = OpCategory.TENSOR,
    **flags: Any,
) -> OpDef:
    """Registers one operator; ``conversion`` is the id of its lowering to tiles."""
    return register(OpDef(name, category, rule, deduce, params, tile_conversion=conversion, doc=doc, **flags))


# -- types ---------------------------------------------------------------------------------------------------------


def fresh(shape: Sequence[Expr], dtype: DataType, valid: Sequence[Expr] = ()) -> TensorType:
    """A tensor whose view carries only a valid shape (``docs/spec/ops_tensor.md`` §2.1, FRESH)."""
    view = TensorView(valid_shape=tuple(valid)) if valid else None
    return TensorType(tuple(shape), dtype, None, view)


def keep_kind(
    source: TensorType, shape: Sequence[Expr], view: TensorView | None, *, memref: bool = False
) -> TensorType:
    """A tensor of ``source``'s dtype with a new shape and view that stays a window, with its buffer, if ``source`` is one."""
    kept = source.memref if memref else None
    if isinstance(source, DistributedTensorType):
        return DistributedTensorType(tuple(shape), source.dtype, kept, view, source.window_buffer)
    return TensorType(tuple(shape), source.dtype, kept, view)


def view_of(tensor_type: TensorType) -> TensorView:
    """The stored view, or the default one."""
    return tensor_type.tensor_view if tensor_type.tensor_view is not None else TensorView()


def layout_of(tensor_type: TensorType) -> TensorLayout:
    """The layout of the stored view, or the default one."""
    return view_of(tensor_type).layout


# -- checks ----------------------------------------------------------------------------------------------------------


def require_dtype(call: OpCall, index: int, allowed: Sequence[DataType], message: str) -> None:
    """Operand ``index`` has one of ``allowed``; ``message`` is completed with what it has."""
    dtype = dtype_at(call, index)
    if dtype not in allowed:
        call.fail(
            "op-dtype",
            f"{message}, but got {dtype.text}",
            arg=index,
            data={"allowed": tuple(d.printed for d in allowed), "got": dtype.printed},
        )


def require_dtype_in(call: OpCall, index: int, allowed: Sequence[DataType], what: str) -> None:
    """As :func:`require_dtype` with the usual words."""
    require_dtype(
        call, index, allowed, f"The operator {call.name} requires {what} dtype in {show_dtypes(allowed)}"
    )


def dtype_at(call: OpCall, index: int) -> DataType:
    """Element dtype of a tensor operand or dtype of a scalar one."""
    dtype = getattr(call.args[index].type, "dtype", None)
    assert isinstance(dtype, DataType)
    return dtype


def require_integer(call: OpCall, index: int, what: str) -> None:
    """Operand ``index`` has an integer element type; raises ``op-dtype``."""
    dtype = dtype_at(call, index)
    if not dtype.is_int:
        call.fail("op-dtype", f"The operator {call.name} requires {what}, but got {dtype.text}", arg=index)


def dtype_keyword(call: OpCall, name: str, default: DataType) -> DataType:
    """A dtype keyword; a number stands for the dtype with that code."""
    value = call.kw(name)
    if value is None:
        return default
    if isinstance(value, DataType):
        return value
    dtype = next((d for d in DataType.by_name.values() if d.code == value), None)
    if dtype is None:
        call.fail("op-value", f"{call.name}: {value} is not the number of a data type", keyword=name)
    return dtype


def require_rank(call: OpCall, index: int, rank: int, what: str) -> None:
    """Operand ``index`` has ``rank`` dimensions; raises ``op-rank``."""
    shape = call.tensor(index).shape
    if len(shape) != rank:
        call.fail(
            "op-rank", f"{call.name} requires {what} to be {rank}D, but got rank {len(shape)}", arg=index
        )


def require_not_mx(call: OpCall, index: int) -> None:
    """The layouts of micro-scaling factors allow only loads."""
    layout = layout_of(call.tensor(index))
    if layout in MX_LAYOUTS:
        call.fail(
            "op-memory", f"{call.name} does not support a tensor in the MX layout {layout.name}", arg=index
        )


def constant_of(call: OpCall, index: int) -> int:
    """Value of a constant integer operand (its kind is already checked)."""
    value = call.args[index]
    assert isinstance(value, ConstInt)
    return value.value


def elements_of(call: OpCall, index: int) -> tuple[Expr, ...]:
    """Elements of a tuple operand, projections when it is not written as a list."""
    kind = call.args[index].type
    assert isinstance(kind, TupleType)
    return tuple_elements(call.args[index], len(kind.types))


def static_axis(
    call: OpCall, axis: int, rank: int, *, arg: int | None = None, keyword: str | None = None
) -> int:
    """``axis`` counted from the front; ``op-value`` when it is out of range."""
    resolved = axis + rank if axis < 0 else axis
    if not 0 <= resolved < rank:
        call.fail(
            "op-value",
            f"The operator {call.name} axis {axis} is out of range for shape with {rank} dimensions",
            arg=arg,
            keyword=keyword,
        )
    return resolved


def require_atomic_dtype(call: OpCall, dtype: DataType, what: str, arg: int | None = None) -> None:
    """The ``atomic`` keyword is known, and Add has an element type that memory can accumulate."""
    atomic = call.kw("atomic")
    if atomic not in (0, 1):
        call.fail(
            "op-value",
            f"{call.name} atomic must be AtomicType.None_ or AtomicType.Add, but got {atomic}",
            keyword="atomic",
        )
    if atomic == 1 and dtype not in ATOMIC_DTYPES:
        names = "/".join({"bfloat16": "bf16"}.get(d.text, d.text) for d in ATOMIC_DTYPES)
        call.fail(
            "op-dtype",
            f"{call.name} with atomic=AtomicType.Add requires an {names} {what}, but got {dtype.text}",
            arg=arg,
            keyword="atomic",
        )
