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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias

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
    TileLayout,
    TileType,
    TupleType,
    Type,
)
from pypto_core.ops.kinds import ArgKind, kind_matches, kind_phrase, type_name

KwargValue: TypeAlias = "bool | int | float | str | DataType | IntEnum"


class OpCategory(Enum):
    """What an operator belongs to; the values are the catalogue's own words."""

    TILE = "TileOp"
    TENSOR = "TensorOp"
    CROSS_CORE = "CrossCoreOp"
    SYNC = "SyncOp"
    TASK = "TaskOp"
    ARRAY = "ArrayOp"
    DISTRIBUTED = "DistributedOp"
    PREFETCH = "PrefetchOp"
    TEST = "TestOp"


class CoreAffinity(str, Enum):
    """Where a call runs: cube core, vector lanes, both, or it is a transfer between them."""

    SHARED = "SHARED"
    CUBE = "CUBE"
    VECTOR = "VECTOR"
    MIXED = "MIXED"


class LaneKind(Enum):
    """What an operand of a call on a vector lane holds (``ops_tile.md`` §8.4).

    ``DATA`` is the lane's own share. ``SCRATCH`` may stay full width, a halved producer is fine too. The two address
    kinds may stay full width too, but must not be halved: their positions are absolute.
    """

    DATA = "data"
    SCRATCH = "Scratch"
    INDEX_ADDRESSED_SOURCE = "IndexAddressedSource"
    ABSOLUTE_INDEXED_DESTINATION = "AbsoluteIndexedDestination"


class Effect(Enum):
    """What a call does to the memory of one operand."""

    READ = "Read"
    WRITE = "Write"
    READ_WRITE = "ReadWrite"


class Evidence(Enum):
    """How much is known about memory access beyond the declared effects."""

    FUNCTIONAL = "functional"
    NO_ACCESS = "no_access"
    UNKNOWN = "unknown"


class CrossCoreRole(Enum):
    """Part that an operator plays in a cube/vector pipe."""

    TPUSH = "TPush"
    TPOP = "TPop"
    TFREE = "TFree"
    INITIALIZE_PIPE = "InitializePipe"


class WriteChannel(Enum):
    """Engine through which an operator writes global memory."""

    DMA = "Dma"
    SCALAR = "Scalar"


class KwargType(Enum):
    """Value type of a keyword (``docs/spec/ir.md`` 1.10); ``bool`` and ``int`` never stand for one another."""

    BOOL = "bool"
    INT = "int"
    STR = "str"
    FLOAT = "float"
    DTYPE = "DataType"
    MEMORY_SPACE = "MemorySpace"
    TENSOR_LAYOUT = "TensorLayout"
    TILE_LAYOUT = "TileLayout"
    PAD_VALUE = "PadValue"


class Stored(Enum):
    """When a builder (the DSL surface) stores a keyword on the call."""

    ALWAYS = "always"
    WHEN_GIVEN = "omitted when not given"
    WHEN_TRUTHY = "omitted when false or zero"
    WHEN_NOT_DEFAULT = "omitted when equal to the default"
    NEVER = "made by the compiler only"


EffectRule: TypeAlias = "Effect | Callable[[Mapping[str, Any]], Effect]"
"""An effect, or a function of the call's keywords that gives it."""


@dataclass(frozen=True, slots=True)
class Param:
    """One positional argument. ``memory`` lists the spaces allowed for it (empty: unconstrained); deduction never
    looks at it, InferTileMemorySpace inserts moves instead. Optional parameters are always trailing."""

    name: str
    kind: ArgKind
    optional: bool = False
    memory: tuple[MemorySpace, ...] = ()
    effect: EffectRule = Effect.READ
    lane: LaneKind = LaneKind.DATA
    doc: str = ""
    expects: str = ""
    """Own words for a wrong kind: ``expects event to be an AsyncEvent (output of prefetch.async_prefetch)``."""


@dataclass(frozen=True, slots=True)
class KwParam:
    """One keyword.

    ``required``/``default`` are the deduction's view (what an absent keyword means); ``stored`` and
    ``builder_default`` say what the DSL surface writes on the call. ``allowed`` holds the legal values where
    they can be listed, for completion and docs; ``legal`` words them otherwise.
    """

    name: str
    type: KwargType
    required: bool = False
    default: Any = None
    stored: Stored = Stored.WHEN_GIVEN
    builder_default: Any = None
    allowed: tuple[Any, ...] = ()
    legal: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class FixedSpace:
    """The result lives in ``space``."""

    space: MemorySpace


@dataclass(frozen=True, slots=True)
class SpaceFromKwarg:
    """The result lives where keyword ``kwarg`` says, else in ``default``. ``retargetable``: memory inference may
    rewrite the keyword."""

    kwarg: str = "target_memory"
    default: MemorySpace | None = None
    retargetable: bool = False


@dataclass(frozen=True, slots=True)
class InheritSpace:
    """The result lives where the first tile operand lives."""


OutputMemory: TypeAlias = "FixedSpace | SpaceFromKwarg | InheritSpace"


@dataclass(frozen=True, slots=True)
class RowMajorNeed:
    """Operands (and result) that a backend wants in plain row-major layout; read by ResolveBackendOpLayouts."""

    inputs: tuple[int, ...] = ()
    output: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class OpDef:
    """Everything known about one operator.

    ``rule`` is the id of the deduction rule in the catalogue documents. ``affinity`` is the *declared* core affinity
    (``None``: derived, see ``ops.affinity.call_affinity``). ``tile_conversion`` is the conversion id of a tensor
    operator. ``check_arity=False`` marks the operators that accept any number of arguments of any kind.
    """

    name: str
    category: OpCategory
    rule: str
    deduce: Callable[[OpCall], Type]
    params: tuple[Param, ...] = ()
    kwargs: tuple[KwParam, ...] = ()
    output_memory: OutputMemory | None = None
    affinity: CoreAffinity | None = None
    no_duplicate: bool = False
    internal_only: bool = False
    inplace_safe: bool = True
    evidence: Evidence = Evidence.UNKNOWN
    effects_declared: bool = False
    output_reuses_input: int | None = None
    forbid_output_alias: tuple[int, ...] = ()
    write_channel: WriteChannel | None = None
    cross_core_role: CrossCoreRole | None = None
    backend_row_major: RowMajorNeed | None = None
    tile_conversion: str | None = None
    check_arity: bool = True
    doc: str = ""
    kwarg_by_name: Mapping[str, KwParam] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kwarg_by_name", MappingProxyType({k.name: k for k in self.kwargs}))

    @property
    def namespace(self) -> str:
        """``"tile"`` of ``tile.add``, ``"pld.tensor"`` of ``pld.tensor.put``."""
        return self.name.rpartition(".")[0]

    @property
    def min_args(self) -> int:
        return sum(not p.optional for p in self.params)

    @property
    def max_args(self) -> int:
        return len(self.params)

    def effect(self, index: int, kwargs: Mapping[str, Any] = MappingProxyType({})) -> Effect:
        """Effect on operand ``index`` of a call with these keywords."""
        if index >= len(self.params):
            return Effect.READ
        rule = self.params[index].effect
        return rule if isinstance(rule, Effect) else rule(kwargs)

    def written_args(self, kwargs: Mapping[str, Any] = MappingProxyType({})) -> tuple[int, ...]:
        """Indices of the operands that a call with these keywords writes."""
        return tuple(i for i in range(len(self.params)) if self.effect(i, kwargs) is not Effect.READ)

    @property
    def lane_invariant(self) -> Mapping[int, LaneKind]:
        """Operand index -> kind, for the operands that are not plain lane data."""
        return {i: p.lane for i, p in enumerate(self.params) if p.lane is not LaneKind.DATA}

    def output_memory_of(self, kwargs: Mapping[str, Any]) -> MemorySpace | None:
        """Space that the declaration alone gives the result: fixed, or named by a keyword (given or default)."""
        rule = self.output_memory
        if isinstance(rule, FixedSpace):
            return rule.space
        if isinstance(rule, SpaceFromKwarg):
            space = kwargs.get(rule.kwarg, rule.default)
            return space if isinstance(space, MemorySpace) else None
        return None

    def signature(self) -> str:
        """``tile.load(tensor, offsets, shapes, valid_shape, *, target_memory=..., clamp=False)``, for hover."""
        parts = [f"{p.name}=None" if p.optional else p.name for p in self.params]
        if self.kwargs:
            parts.append("*")
            parts += [k.name if k.required else f"{k.name}={_show_default(k)}" for k in self.kwargs]
        return f"{self.name}({', '.join(parts)})"


def _show_default(kwarg: KwParam) -> str:
    value = kwarg.default if kwarg.default is not None else kwarg.builder_default
    if isinstance(value, IntEnum):
        return value.name
    return value.printed if isinstance(value, DataType) else repr(value)


class OpError(Exception):
    """A call that breaks its operator's contract.

    ``diagnostic.span`` is the argument at fault where there is one, else the call. ``arg_index`` / ``keyword`` name
    that argument. ``unproven`` is True when the rule demands a proof about symbolic extents that could not be
    made (as opposed to a fact that is refuted): a caller that invented a symbol for an unknown value must not report it.
    """

    def __init__(
        self,
        diagnostic: Diagnostic,
        arg_index: int | None = None,
        keyword: str | None = None,
        unproven: bool = False,
    ) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
        self.arg_index = arg_index
        self.keyword = keyword
        self.unproven = unproven


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(index: int) -> str:
    """``"first"`` for 0."""
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"


@dataclass(frozen=True, slots=True, eq=False)
class OpCall:
    """A call under deduction: what a deduction function sees."""

    op: OpDef
    args: tuple[Expr, ...]
    kwargs: Mapping[str, Any]
    span: Span
    backend: Any = None

    @property
    def name(self) -> str:
        return self.op.name

    # -- errors ------------------------------------------------------------------------------------------------
    def error(
        self,
        code: str,
        message: str,
        *,
        arg: int | None = None,
        keyword: str | None = None,
        unproven: bool = False,
        data: Mapping[str, Any] | None = None,
    ) -> OpError:
        """An :class:`OpError` with one of the ``op-*`` codes, at argument ``arg`` where that has a span."""
        span = self.span
        if arg is not None and arg < len(self.args) and self.args[arg].span.is_valid:
            span = self.args[arg].span
        facts = {"op": self.name, **(data or {})}
        if arg is not None:
            facts["arg"] = arg
        if keyword is not None:
            facts["keyword"] = keyword
        return OpError(Diagnostic(code, message, span, data=facts), arg, keyword, unproven)

    def fail(self, code: str, message: str, **where: Any) -> NoReturn:
        """Raise :meth:`error`."""
        raise self.error(code, message, **where)

    def check(self, ok: bool, code: str, message: str, **where: Any) -> None:
        """``fail(code, message)`` unless ``ok``. For messages that are cheap to build."""
        if not ok:
            self.fail(code, message, **where)

    # -- typed operands ----------------------------------------------------------------------------------------
    def tile(self, index: int) -> TileType:
        """The tile type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, TileType):
            self.wrong_kind(index, ArgKind.TILE)
        return t

    def scalar(self, index: int) -> ScalarType:
        """The scalar type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, ScalarType):
            self.wrong_kind(index, ArgKind.SCALAR)
        return t

    def tensor(self, index: int) -> TensorType:
        """The tensor or distributed tensor type of operand ``index``; ``op-kind`` if it is anything else."""
        t = self.args[index].type
        if not isinstance(t, TensorType):
            self.wrong_kind(index, ArgKind.TENSOR_LIKE)
        return t

    def exact_tensor(self, index: int) -> TensorType:
        """The plain (not distributed) tensor type of operand ``index``."""
        t = self.args[index].type
        if type(t) is not TensorType:
            self.wrong_kind(index, ArgKind.TENSOR)
        return t

    def literal_tuple(self, index: int) -> tuple[Expr, ...]:
        """Elements of operand ``index``, which must be written as a literal tuple or list."""
        arg = self.args[index]
        if type(arg) is not MakeTuple:
            self.wrong_kind(index, ArgKind.LITERAL_TUPLE)
        return arg.elements

    def has(self, index: int) -> bool:
        """Whether optional operand ``index`` is present."""
        return index < len(self.args)

    def param_name(self, index: int) -> str:
        """Declared name of operand ``index``."""
        return self.op.params[index].name if index < len(self.op.params) else f"argument {index}"

    def wrong_kind(self, index: int, kind: ArgKind) -> NoReturn:
        """Report that operand ``index`` is not of ``kind``."""
        got = type_name(self.args[index].type)
        own = self.op.params[index].expects if index < len(self.op.params) else ""
        message = f"{self.name} {own}, got {got}" if own else (
            f"The operator {self.name} requires {ordinal(index)} argument to be "
            f"{kind_phrase(kind)}, but got {got} (argument '{self.param_name(index)}')"
        )
        self.fail("op-kind", message, arg=index)

    # -- keywords ----------------------------------------------------------------------------------------------
    def kw(self, name: str) -> Any:
        """Value of keyword ``name``, or its declared default."""
        if name in self.kwargs:
            return self.kwargs[name]
        return self.op.kwarg_by_name[name].default

    def require_kw(self, name: str, message: str | None = None) -> Any:
        """Value of keyword ``name``; ``op-keyword`` if absent."""
        if name not in self.kwargs:
            self.fail("op-keyword", message or f"{self.name}: Missing kwarg: {name}", keyword=name)
        return self.kwargs[name]


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
    return _table().get(name)


def get_op(name: str, span: Span | None = None) -> OpDef:
    """The declaration of ``name``; :class:`OpError` ``op-unknown`` if there is none."""
    op = _table().get(name)
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
        if isinstance(value, DataType) or type(value) is int:
            return value
    elif kind in _ENUM_KWARGS:
        if type(value) is _ENUM_KWARGS[kind]:
            return value
    elif type(value) is _PLAIN_KWARGS[kind]:
        return value
    expects = {KwargType.DTYPE: "DataType or int"}.get(kind, kind.value)
    message = (
        f"Kwarg '{kwarg.name}' for operator '{call.name}' has incompatible type: "
        f"it expects {expects}, but got {_value_type_name(value)}"
    )
    raise call.error("op-keyword", message, keyword=kwarg.name)


def _value_type_name(value: Any) -> str:
    return f"an IR expression ({type(value).__name__})" if isinstance(value, Expr) else type(value).__name__


def _check_kwargs(call: OpCall) -> dict[str, Any]:
    """Keywords of ``call`` with checked types, in the order given. An operator that declares none keeps any."""
    declared = call.op.kwarg_by_name
    if not declared:
        return dict(call.kwargs)
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
    ordered = {k.name: kwargs[k.name] for k in op.kwargs if k.name in kwargs}
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
    op: OpDef, args: tuple[Expr, ...], kwargs: Mapping[str, Any], *, span: Span | None = None, backend: Any = None
) -> Type:
    """Result type of a call whose keywords are already checked. An operand of erroneous type gives
    :class:`~pypto_core.ir.ErrorType` and no further report."""
    call = OpCall(op, args, kwargs, span or Span.unknown(), backend)
    for arg in args:
        if isinstance(arg.type, ErrorType):
            return arg.type
    _check_args(call)
    result = op.deduce(call)
    space = output_space(op, args, kwargs)
    return result if space is None else _with_space(result, space)


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
        Op.get(op.name), tuple(args), stored_order(op, kwargs or {}), dict(attrs or {}), result, span=span or Span.unknown()
    )
