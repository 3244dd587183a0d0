"""Operators of the ``array.*`` family: small arrays of scalars on a core (``docs/spec/ops_tensor.md`` §4)."""

from __future__ import annotations

from pypto_core.ir import ArrayType, ConstInt, DataType, ScalarType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import (
    Effect,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    Stored,
    register,
)


def _array(call: OpCall) -> ArrayType:
    t = call.args[0].type
    assert isinstance(t, ArrayType)
    return t


def deduce_create(call: OpCall) -> Type:
    """T-ARRAY-CREATE: a constant extent; elements are integers, BOOL or TASK_ID."""
    extent = call.args[0]
    assert isinstance(extent, ConstInt)
    if extent.value <= 0:
        call.fail("op-value", f"{call.name} extent must be positive, got {extent.value}", arg=0)
    dtype = call.require_kw("dtype")
    if not isinstance(dtype, DataType) or not (dtype.is_int or dtype in (DataType.BOOL, DataType.TASK_ID)):
        shown = dtype.text if isinstance(dtype, DataType) else dtype
        call.fail(
            "op-dtype", f"{call.name} dtype must be integer, BOOL, or TASK_ID, got {shown}", keyword="dtype"
        )
    return ArrayType(dtype, extent)


def deduce_get(call: OpCall) -> Type:
    """T-ARRAY-GET: no range check."""
    return ScalarType.of(_array(call).dtype)


def deduce_update(call: OpCall) -> Type:
    """T-ARRAY-UPDATE: INDEX and the other integers stand in for each other."""
    array, value = _array(call), call.scalar(2).dtype
    element = array.dtype
    mixed = DataType.INDEX in (element, value) and element.is_int and value.is_int
    if value is not element and not mixed:
        call.fail(
            "op-dtype",
            f"{call.name} requires value dtype to match array dtype {element.text}, but got {value.text}",
            arg=2,
        )
    return ArrayType(element, array.extent)


_INDEX = Param("index", ArgKind.INT_SCALAR)
register(
    OpDef(
        "array.create", OpCategory.ARRAY, "T-ARRAY-CREATE", deduce_create, (Param("extent", ArgKind.CONST_INT),),
        kwargs=(KwParam("dtype", KwargType.DTYPE, required=True, stored=Stored.ALWAYS, doc="element type"),),
        doc="A new array of scalars.",
    )
)  # fmt: skip
register(
    OpDef(
        "array.get_element", OpCategory.ARRAY, "T-ARRAY-GET", deduce_get, (Param("array", ArgKind.ARRAY), _INDEX),
        doc="Reads one element.",
    )
)  # fmt: skip
register(
    OpDef(
        "array.update_element", OpCategory.ARRAY, "T-ARRAY-UPDATE", deduce_update,
        (Param("array", ArgKind.ARRAY, effect=Effect.READ_WRITE), _INDEX, Param("value", ArgKind.SCALAR)),
        effects_declared=True, doc="Replaces one element.",
    )
)  # fmt: skip
