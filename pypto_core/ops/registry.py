"""The operator registry: one declaration per operator (``docs/spec/ops_tile.md`` §1, ``ops_tensor.md`` §1).

A family module builds :class:`OpDef` values and hands them to :func:`register`. Everybody else reads them: the
frontend checks calls and offers completion, signature help and hover text from ``params``, ``kwargs`` and ``doc``;
verifiers and passes read memory rules, affinity, effects and lane kinds; :func:`create_op_call` runs the deduction.

Writing an operator::

    def deduce_unary(call: OpCall) -> Type:
        tile = call.tile(0)
        ...

    register(OpDef("tile.exp", OpCategory.TILE, rule="UNARY", params=(tile("tile", VEC),),
                   deduce=deduce_unary, output_memory=FixedSpace(MemorySpace.Vec), doc="..."))

Positional arity and argument kinds are checked from the declaration before the deduction function runs (unless
``check_arity=False``), so a deduction function may index ``call.args`` freely.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import (
    UNKNOWN,
    Call,
    DataType,
    ErrorType,
    Expr,
    MakeTuple,
    MemorySpace,
    Op,
    PadValue,
    ScalarType,
    Span,
    TensorLayout,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TileView,
    TupleType,
    Type,
)
from pypto_core.ops.call import OpCall, OpError, ordinal
from pypto_core.ops.declaration import (
    CoreAffinity,
    CrossCoreRole,
    Effect,
    EffectRule,
    Evidence,
    FixedSpace,
    InheritSpace,
    KwargType,
    KwParam,
    LaneKind,
    OpCategory,
    OpDef,
    OutputMemory,
    Param,
    RowMajorNeed,
    SpaceFromKwarg,
    Stored,
    WriteChannel,
)
from pypto_core.ops.deduced import TYPE_KINDS, call_key, keep_type, known_type, reads_types_only
from pypto_core.ops.kinds import is_int_scalar, kind_matches, type_name

__all__ = [
    "FAMILIES",
    "CoreAffinity",
    "CrossCoreRole",
    "Effect",
    "EffectRule",
    "Evidence",
    "FixedSpace",
    "InheritSpace",
    "KwParam",
    "KwargType",
    "LaneKind",
    "OpCall",
    "OpCategory",
    "OpDef",
    "OpError",
    "OutputMemory",
    "Param",
    "RowMajorNeed",
    "SpaceFromKwarg",
    "Stored",
    "WriteChannel",
    "all_ops",
    "create_op_call",
    "deduce_type",
    "find_op",
    "get_op",
    "is_registered",
    "ordinal",
    "output_space",
    "read_op_call",
    "register",
    "require_user_facing",
    "stored_order",
    "untyped_op_call",
]

# -- the table -----------------------------------------------------------------------------------------------------

FAMILIES = (
    "pypto_core.ops.tile",
    "pypto_core.ops.system",
    "pypto_core.ops.test_ops",
    "pypto_core.ops.tensor",
    "pypto_core.ops.array",
    "pypto_core.ops.pld",
    "pypto_core.ops.prefetch",
    "pypto_core.ops.builtin",
    "pypto_core.ops.dist_ops",
)
"""Packages whose import registers operators; loaded on the first look-up."""

_OPS: dict[str, OpDef] = {}
_loaded = False


def register(op: OpDef) -> OpDef:
    """Add one operator; checks the declaration against itself (``ops_tile.md`` §1)."""
    if op.name in _OPS:
        raise ValueError(f"operator {op.name} is declared twice")
    optional = [p.optional for p in op.params]
    if optional != sorted(optional):
        raise ValueError(f"{op.name}: optional arguments must be trailing")
    written = any(not isinstance(p.effect, Effect) or p.effect is not Effect.READ for p in op.params)
    if op.write_channel is not None and not written:
        raise ValueError(f"{op.name}: a write channel needs a written argument")
    if op.output_reuses_input is not None and not (written or op.effects_declared):
        raise ValueError(f"{op.name}: reuse of argument {op.output_reuses_input} needs a declared effect")
    if reads_types_only(op) and not all(p.kind in TYPE_KINDS for p in op.params):
        raise ValueError(f"{op.name}: more than the types of its operands is checked")
    _OPS[op.name] = op
    return op


def _table() -> dict[str, OpDef]:
    global _loaded
    if not _loaded:
        for module in FAMILIES:
            importlib.import_module(module)
        _loaded = True
    return _OPS


def all_ops() -> Iterator[OpDef]:
    """Every operator, by name."""
    table = _table()
    return (table[name] for name in sorted(table))


def is_registered(name: str) -> bool:
    """Whether ``name`` is an operator."""
    return name in _table()


def find_op(name: str) -> OpDef | None:
    """The declaration of ``name``, or None."""
    return _OPS.get(name) or _table().get(name)


def get_op(name: str, span: Span | None = None) -> OpDef:
    """The declaration of ``name``; :class:`OpError` ``op-unknown`` if there is none."""
    op = find_op(name)
    if op is None:
        message = f"Operator '{name}' not found in registry"
        if "." not in name:
            message += ". The name has no namespace: it looks like a function name rather than an operator"
        diagnostic = Diagnostic("op-unknown", message, span or Span.unknown(), data={"op": name})
        raise OpError(diagnostic)
    return op


def require_user_facing(op: OpDef, span: Span | None = None) -> None:
    """:class:`OpError` ``op-unknown`` for an operator that only passes may create."""
    if op.internal_only:
        message = f"Operator '{op.name}' is internal-only and cannot be created from user code"
        diagnostic = Diagnostic("op-unknown", message, span or Span.unknown(), data={"op": op.name})
        raise OpError(diagnostic)


# -- keywords --------------------------------------------------------------------------------------------------------

_ENUM_KWARGS: dict[KwargType, type[IntEnum]] = {
    KwargType.MEMORY_SPACE: MemorySpace,
    KwargType.TENSOR_LAYOUT: TensorLayout,
    KwargType.TILE_LAYOUT: TileLayout,
    KwargType.PAD_VALUE: PadValue,
}
_DTYPE_BY_CODE = {d.code: d for d in DataType.by_name.values()}
_PLAIN_KWARGS: dict[KwargType, type] = {KwargType.BOOL: bool, KwargType.STR: str, KwargType.FLOAT: float}


def _checked_kwarg(call: OpCall, kwarg: KwParam, value: Any) -> Any:
    """``value`` as stored on the call; ``op-keyword`` if its type is not the declared one."""
    kind = kwarg.type
    if kind is KwargType.INT:
        if type(value) is int:
            return value
        # PipeType, CoreType, AtomicType, ... are plain codes on the call.
        if isinstance(value, IntEnum) and type(value) not in _ENUM_KWARGS.values():
            return int(value)
    elif kind is KwargType.DTYPE:
        if isinstance(value, DataType):
            return value
        if type(value) is int and value in _DTYPE_BY_CODE:
            return _DTYPE_BY_CODE[value]
    elif kind in _ENUM_KWARGS:
        if type(value) is _ENUM_KWARGS[kind]:
            return value
    elif type(value) is _PLAIN_KWARGS[kind]:
        return value
    expects = {KwargType.DTYPE: "DataType or int code"}.get(kind, kind.value)
    message = (
        f"Kwarg '{kwarg.name}' for operator '{call.name}' has incompatible type: "
        f"it expects {expects}, but got {_value_type_name(value)}"
    )
    raise call.error("op-keyword", message, keyword=kwarg.name)


def _value_type_name(value: Any) -> str:
    return f"an IR expression ({type(value).__name__})" if isinstance(value, Expr) else type(value).__name__


def _check_kwargs(call: OpCall) -> dict[str, Any]:
    """Keywords of ``call`` with checked types, in the order given."""
    declared = call.op.kwarg_by_name
    out: dict[str, Any] = {}
    for name, value in call.kwargs.items():
        kwarg = declared.get(name)
        if kwarg is None:
            known = ", ".join(declared)
            message = f"Unknown kwarg '{name}' for operator '{call.name}' (it takes: {known})"
            call.fail("op-keyword", message, keyword=name)
        out[name] = _checked_kwarg(call, kwarg, value)
    return out


def stored_order(op: OpDef, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """``kwargs`` in the declared (printed) order; undeclared ones keep their place at the end."""
    if not kwargs:
        return {}
    ordered = {k.name: kwargs[k.name] for k in op.kwargs if k.name in kwargs}
    if len(ordered) < len(kwargs):
        ordered.update((k, v) for k, v in kwargs.items() if k not in ordered)
    return ordered


# -- creation --------------------------------------------------------------------------------------------------------


def _check_args(call: OpCall) -> None:
    op, given = call.op, len(call.args)
    if not op.check_arity:
        return
    low, high = op.min_args, op.max_args
    if not low <= given <= high:
        names = ", ".join(p.name for p in op.params)
        if low == high:
            need = f"exactly {low} argument{'s' if low != 1 else ''}"
        elif high == low + 1:
            need = f"{low} or {high} arguments"
        else:
            need = f"{low} to {high} arguments"
        at = high if given > high else None
        call.fail("op-arity", f"The operator {op.name} requires {need}, but got {given} ({names})", arg=at)
    for index, (param, arg) in enumerate(zip(op.params, call.args)):
        if not kind_matches(param.kind, arg):
            call.wrong_kind(index, param.kind)


def _check_valid_ranks(call: OpCall) -> None:
    """The valid shape that an operand states has one extent per dimension (``ops_tile.md`` §2.2)."""
    for index, arg in enumerate(call.args):
        t = arg.type
        if isinstance(t, TileType):
            stated: TileView | TensorView | None = t.tile_view
        elif isinstance(t, TensorType):
            stated = t.tensor_view
        else:
            continue
        if stated is not None and stated.valid_shape and len(stated.valid_shape) != len(t.shape):
            message = (
                f"{call.name}: valid_shape rank {len(t.valid_shape)} of argument '{call.param_name(index)}' "
                f"does not match its rank {len(t.shape)}"
            )
            call.fail("op-rank", message, arg=index)


def _with_space(t: Type, space: MemorySpace) -> Type:
    """``t`` with ``space`` on every tile that has none; construction re-canonicalises the view against it."""
    if type(t) is TileType:
        if t.memory_space is not None:
            return t
        return TileType(t.shape, t.dtype, t.memref, t.tile_view, space)
    if type(t) is TupleType:
        types = tuple(_with_space(e, space) if type(e) is TileType else e for e in t.types)
        return t if all(a is b for a, b in zip(types, t.types)) else TupleType(types)
    return t


def output_space(op: OpDef, args: tuple[Expr, ...], kwargs: Mapping[str, Any]) -> MemorySpace | None:
    """Memory space that the declaration gives the result of such a call, if it says anything."""
    if op.output_memory is None:
        return None
    space = op.output_memory_of(kwargs)
    if space is None:
        spaces = (a.type.memory_space for a in args if isinstance(a.type, TileType))
        space = next((s for s in spaces if s is not None), None)
    return space


def deduce_type(
    op: OpDef,
    args: tuple[Expr, ...],
    kwargs: Mapping[str, Any],
    *,
    span: Span | None = None,
    backend: Any = None,
) -> Type:
    """Result type of a call whose keywords are already checked. An operand of erroneous type gives
    :class:`~pypto_core.ir.ErrorType` and no further report."""
    key = call_key(op, args, kwargs)
    known = None if key is None else known_type(key)
    if known is not None:
        return known
    for arg in args:
        if isinstance(arg.type, ErrorType):
            return arg.type
    call = OpCall(op, args, kwargs, span or Span.unknown(), backend)
    _check_args(call)
    _check_valid_ranks(call)
    try:
        result = op.deduce(call)
    except (ValueError, TypeError) as fault:
        # Scalar arithmetic and type construction check their own operands (ir.md 1.6, 2.2).
        raise _of_construction(call, fault) from fault
    space = output_space(op, args, kwargs)
    if space is not None:
        result = _with_space(result, space)
    if key is not None:
        return keep_type(key, result)
    return result


def _of_construction(call: OpCall, fault: ValueError | TypeError) -> OpError:
    """A type that cannot be built, at the list of extents or offsets that does not let it."""
    lists = [i for i, arg in enumerate(call.args) if type(arg) is MakeTuple]
    for index in lists:
        for position, element in enumerate(call.literal_tuple(index)):
            if not is_int_scalar(element.type):
                got = (
                    element.type.dtype.text
                    if isinstance(element.type, ScalarType)
                    else type_name(element.type)
                )
                message = f"{call.name} {call.param_name(index)}[{position}] must be an integer scalar, but got {got}"
                return call.error("op-kind", message, arg=index)
    shape = next((i for i in lists if call.param_name(i).startswith("shape")), lists[0] if lists else None)
    return call.error("op-shape", f"{call.name}: {fault}", arg=shape)


def create_op_call(
    name: str,
    args: tuple[Expr, ...] | list[Expr],
    kwargs: Mapping[str, Any] | None = None,
    *,
    attrs: Mapping[str, Any] | None = None,
    span: Span | None = None,
    backend: Any = None,
) -> Call:
    """A call of operator ``name`` with its deduced type and its keywords in the declared order.

    Raises :class:`OpError` (codes ``op-unknown, op-arity, op-keyword, op-kind, op-dtype, op-shape, op-rank, op-memory,
    op-value``).
    """
    op = get_op(name, span)
    return _create(op, tuple(args), stored_order(op, kwargs or {}), attrs, span, backend)


def read_op_call(
    name: str,
    args: tuple[Expr, ...] | list[Expr],
    kwargs: Mapping[str, Any] | None = None,
    *,
    attrs: Mapping[str, Any] | None = None,
    span: Span | None = None,
    backend: Any = None,
) -> Call:
    """Like :func:`create_op_call`, for a reader of printed IR: the keywords keep the order they were read in."""
    return _create(get_op(name, span), tuple(args), dict(kwargs or {}), attrs, span, backend)


def _create(
    op: OpDef,
    args: tuple[Expr, ...],
    kwargs: Mapping[str, Any],
    attrs: Mapping[str, Any] | None,
    span: Span | None,
    backend: Any,
) -> Call:
    where = span or Span.unknown()
    checked = dict(kwargs)
    if kwargs and op.kwarg_by_name:  # An operator that declares none keeps any.
        checked = _check_kwargs(OpCall(op, args, kwargs, where, backend))
    result = deduce_type(op, args, checked, span=where, backend=backend)
    return Call(Op.get(op.name), args, checked, dict(attrs or {}), result, span=where)


def untyped_op_call(
    name: str,
    args: tuple[Expr, ...] | list[Expr],
    kwargs: Mapping[str, Any] | None = None,
    *,
    result: Type = UNKNOWN,
    attrs: Mapping[str, Any] | None = None,
    span: Span | None = None,
) -> Call:
    """A call whose type the caller states instead of deducing it (``tile.tpop_*``, halved calls of the split)."""
    op = get_op(name, span)
    return Call(
        Op.get(op.name),
        tuple(args),
        stored_order(op, kwargs or {}),
        dict(attrs or {}),
        result,
        span=span or Span.unknown(),
    )
