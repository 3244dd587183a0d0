"""Enumerations of the IR; member names are the printed names (docs/spec/ir.md §1.4)."""

from __future__ import annotations

from enum import IntEnum


class IREnum(IntEnum):
    """Base of every enumeration that may appear in attributes or keyword arguments."""

    @property
    def printed(self) -> str:
        return self.name


class FunctionType(IREnum):
    """Where and how a function runs (docs/spec/ir.md §1.4)."""

    Opaque = 0
    Orchestration = 1
    InCore = 2
    AIC = 3
    AIV = 4
    Group = 5
    Spmd = 6
    Inline = 7
    Graph = 8

    @property
    def is_incore(self) -> bool:
        """InCore, AIC or AIV: code that runs on a core."""
        return self in _INCORE

    @property
    def is_wrapper(self) -> bool:
        """Group or Spmd."""
        return self in _WRAPPER


_INCORE = frozenset({FunctionType.InCore, FunctionType.AIC, FunctionType.AIV})
_WRAPPER = frozenset({FunctionType.Group, FunctionType.Spmd})


class Level(IREnum):
    AIV = 0
    AIC = 1
    CORE_GROUP = 2
    CHIP_DIE = 3
    CHIP = 4
    HOST = 5
    CLUSTER_0 = 6
    CLUSTER_1 = 7
    CLUSTER_2 = 8
    GLOBAL = 9
    # Aliases print with the primary name.
    L2CACHE = 3
    PROCESSOR = 4
    UMA = 4
    NODE = 5
    POD = 6
    CLOS1 = 7
    CLOS2 = 8


class Role(IREnum):
    """Whether a function hands out work or does it."""

    Orchestrator = 0
    SubWorker = 1


class ParamDirection(IREnum):
    """Whether a function reads a parameter, writes it, or both."""

    In = 0
    Out = 1
    InOut = 2


class ArgDirection(IREnum):
    """What a call does with an argument (docs/spec/ir.md §3.2)."""

    Input = 0
    Output = 1
    InOut = 2
    OutputExisting = 3
    NoDep = 4
    Scalar = 5

    @property
    def printed(self) -> str:
        return _ADIR[self]


_ADIR = {
    ArgDirection.Input: "input",
    ArgDirection.Output: "output",
    ArgDirection.InOut: "inout",
    ArgDirection.OutputExisting: "output_existing",
    ArgDirection.NoDep: "no_dep",
    ArgDirection.Scalar: "scalar",
}


class ForKind(IREnum):
    """How the trips of a counted loop run."""

    Sequential = 0
    Parallel = 1
    Unroll = 2
    Pipeline = 3


class ScopeKind(IREnum):
    """Kinds of scope statements (docs/spec/ir.md §1.8)."""

    InCore = 0
    Cluster = 2
    Hierarchy = 3
    Spmd = 4
    Runtime = 5
    CommDomain = 6
    SplitAiv = 7


class SplitMode(IREnum):
    """How the two vector lanes share a tile: not at all, by rows, by columns."""

    NONE = 0
    UP_DOWN = 1
    LEFT_RIGHT = 2


class MemorySpace(IREnum):
    """Memory spaces; written ``pl.Mem.X``."""

    DDR = 0
    Vec = 1
    Mat = 2
    Left = 3
    Right = 4
    Acc = 5
    Bias = 6
    ScalarLocal = 7
    LeftScale = 8
    RightScale = 9

    @property
    def is_cube(self) -> bool:
        """The spaces of ir.md §1.5: Bias and ScalarLocal are not among them (see also analysis affinity)."""
        return self in _CUBE_SPACES


_CUBE_SPACES = frozenset(
    {
        MemorySpace.Left,
        MemorySpace.Right,
        MemorySpace.Acc,
        MemorySpace.Mat,
        MemorySpace.LeftScale,
        MemorySpace.RightScale,
    }
)


class TensorLayout(IREnum):
    """Order of the elements of a tensor in global memory."""

    ND = 0
    DN = 1
    NZ = 2
    MX_A_ZZ = 3
    MX_B_NN = 4


class TileLayout(IREnum):
    """Order of the blocks of a tile, or of the elements in a block."""

    none_box = 0
    row_major = 1
    col_major = 2


class PadValue(IREnum):
    """What lies in a tile outside its valid shape."""

    null = 0
    zero = 1
    max = 2
    min = 3


class CompactMode(IREnum):
    """``normal`` marks an accumulator whose rows are not all known to be valid (docs/spec/ops_tile.md §2)."""

    null = 0
    normal = 1


class PipeType(IREnum):
    """Instruction pipes of a core."""

    MTE1 = 0
    MTE2 = 1
    MTE3 = 2
    M = 3
    V = 4
    S = 5
    FIX = 6
    ALL = 7


class CoreType(IREnum):
    """Cube or vector core."""

    CUBE = 0
    VECTOR = 1


class NotifyOp(IREnum):
    """What a notification does to its signal."""

    AtomicAdd = 0
    Set = 1


class WaitCmp(IREnum):
    """How a wait compares its signal with the value."""

    Eq = 0
    Ge = 1


class AtomicType(IREnum):
    """How concurrent stores to one place combine."""

    None_ = 0
    Add = 1


class ReduceOp(IREnum):
    """Reductions of collective operations."""

    Sum = 0
    Max = 1
    Min = 2
    Prod = 3


class MgatherCoalesceMode(IREnum):
    """Whether ``tile.mgather`` moves rows or single elements."""

    row = 0
    elem = 1


class InlineLanguage(IREnum):
    """Language of verbatim source."""

    Python = 0
