"""What a halving walk knows: which values are split, along which axis, and what replaces them (§3.5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_core.analysis.lanes import split_dimension
from pypto_core.analysis.statements import as_var
from pypto_core.ir import Call, Expr, SplitMode, TileType, TupleGetItem, TupleType, Type, Var, dim_equal
from pypto_core.passes.split_axis.extents import half


@dataclass(frozen=True, slots=True)
class TileInfo:
    """A value that each lane owns half of: the lane's physical extent `half` on axis `dim`."""

    half: Expr
    dim: int

    def same_as(self, other: TileInfo) -> bool:
        return self.dim == other.dim and dim_equal(self.half, other.half)


def moved_axis(before: Type, after: Type) -> int | None:
    """First axis on which two tile types of equal rank differ, None when they agree."""
    if not isinstance(before, TileType) or not isinstance(after, TileType):
        return None
    for axis, (a, b) in enumerate(zip(before.shape, after.shape)):
        if not dim_equal(a, b):
            return axis
    return None


@dataclass(slots=True)
class SplitState:
    """Mutable state of one function's or region's halving.

    `tile_vars` holds the original and the rebuilt variable of every split tile; `repl` maps an original to its
    replacement, installed by one substitution at the end. Whole tuples are only in `repl`. `made` remembers
    the call behind each variable, for messages.
    """

    mode: SplitMode
    lane: Expr | None
    stride: Expr | None = None
    is_aiv: bool = True
    tile_vars: dict[Var, TileInfo] = field(default_factory=dict)
    repl: dict[Var, Var] = field(default_factory=dict)
    made: dict[Var, Call] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        return split_dimension(self.mode)

    def operand_info(self, expr: Expr) -> TileInfo | None:
        """Whether the split partitioned this operand and on which axis: the only place that answers the question."""
        var = as_var(expr)
        if var is not None:
            return self.tile_vars.get(var)
        if isinstance(expr, TupleGetItem):
            new = self.replaced_operand(expr)
            if new is not None and isinstance(new, TupleGetItem):
                axis = moved_axis(expr.type, new.type)
                if axis is not None:
                    assert isinstance(expr.type, TileType)
                    return TileInfo(half(expr.type.shape[axis]), axis)
        return None

    def replaced_operand(self, expr: Expr) -> Expr | None:
        """The lane's version of an operand, a projection rebuilt over the halved tuple; None when it has none."""
        var = as_var(expr)
        if var is not None:
            return self.repl.get(var)
        if isinstance(expr, TupleGetItem):
            whole = as_var(expr.tuple)
            new = self.repl.get(whole) if whole is not None else None
            if new is not None and isinstance(new.type, TupleType) and expr.index < len(new.type.types):
                return expr.with_(tuple=new)
        return None

    def probe(self, expr: Expr) -> Expr:
        """The operand that the final substitution will install."""
        return self.replaced_operand(expr) or expr

    def replace(self, old: Var, new: Var, info: TileInfo | None = None) -> None:
        """Register `new` as the lane's version of `old`; with `info` both become split tiles."""
        self.repl[old] = new
        if info is not None:
            self.tile_vars[old] = self.tile_vars[new] = info
