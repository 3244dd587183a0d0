"""What is said about one operator: the declaration types (``docs/spec/ops_tile.md`` §1, ``ops_tensor.md`` §1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from pypto_core.ir import DataType, MemorySpace, Type
from pypto_core.ops.kinds import ArgKind

if TYPE_CHECKING:
    from pypto_core.ops.call import OpCall


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
    min_args: int = field(init=False, repr=False, compare=False)
    max_args: int = field(init=False, repr=False, compare=False)
    lane_invariant: Mapping[int, LaneKind] = field(init=False, repr=False, compare=False)
    """Operand index -> kind, for the operands that are not plain lane data."""
    placed: tuple[tuple[int, tuple[MemorySpace, ...]], ...] = field(init=False, repr=False, compare=False)
    """Operands that only some memories may hold: index and memories."""
    writes: tuple[int, ...] | None = field(init=False, repr=False, compare=False)
    """Operands that every call writes; None when that depends on the keywords."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kwarg_by_name", MappingProxyType({k.name: k for k in self.kwargs}))
        object.__setattr__(self, "min_args", sum(not p.optional for p in self.params))
        object.__setattr__(self, "max_args", len(self.params))
        lanes = {i: p.lane for i, p in enumerate(self.params) if p.lane is not LaneKind.DATA}
        object.__setattr__(self, "lane_invariant", MappingProxyType(lanes))
        object.__setattr__(
            self, "placed", tuple((i, p.memory) for i, p in enumerate(self.params) if p.memory)
        )
        effects = [p.effect for p in self.params]
        known = all(isinstance(effect, Effect) for effect in effects)
        writes = tuple(i for i, effect in enumerate(effects) if effect is not Effect.READ) if known else None
        object.__setattr__(self, "writes", writes)

    @property
    def namespace(self) -> str:
        """``"tile"`` of ``tile.add``, ``"pld.tensor"`` of ``pld.tensor.put``."""
        return self.name.rpartition(".")[0]

    def effect(self, index: int, kwargs: Mapping[str, Any] = MappingProxyType({})) -> Effect:
        """Effect on operand ``index`` of a call with these keywords."""
        if index >= len(self.params):
            return Effect.READ
        rule = self.params[index].effect
        return rule if isinstance(rule, Effect) else rule(kwargs)

    def written_args(self, kwargs: Mapping[str, Any] = MappingProxyType({})) -> tuple[int, ...]:
        """Indices of the operands that a call with these keywords writes."""
        if self.writes is not None:
            return self.writes
        return tuple(i for i in range(len(self.params)) if self.effect(i, kwargs) is not Effect.READ)

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
