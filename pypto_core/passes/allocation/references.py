"""Memory references in types: reading them, and giving variables other ones (docs/spec/passes_tile.md §9.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pypto_core.ir import Call, Expr, Function, MemRef, TensorType, TileType, Type, Var, dim_equal, map_tuple
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ops import InheritSpace, find_op


def memref_of(kind: Type) -> MemRef | None:
    """The memory of a tensor or tile type."""
    return kind.memref if isinstance(kind, (TensorType, TileType)) else None


def with_memref(kind: Type, memref: MemRef | None) -> Type:
    """``kind`` in another piece of memory; the same type when it is there already."""
    assert isinstance(kind, (TensorType, TileType))
    return kind.with_(memref=memref)


def same_place(left: MemRef, right: MemRef) -> bool:
    """Whether two references start at the same byte of one allocation."""
    return left.base is right.base and dim_equal(left.byte_offset, right.byte_offset)


def viewed_operand(call: Call) -> int | None:
    """The operand whose memory the result only looks at, None for an operator with memory of its own.

    ``tile.transpose`` lives where its operand lives, but moves the elements.
    """
    op = find_op(call.name)
    if op is None or not call.args or call.name == "tile.transpose":
        return None
    return 0 if isinstance(op.output_memory, InheritSpace) else None


def reused_operand(call: Call) -> int | None:
    """The operand into whose memory the result is written, None for an operator that writes elsewhere."""
    op = find_op(call.name)
    index = None if op is None else op.output_reuses_input
    return index if index is not None and index < len(call.args) else None


class Retyper(Rewriter):
    """Gives variables other types at their definitions and follows them to their uses."""

    def __init__(self, types: Mapping[Var, Type]) -> None:
        self.types = types
        self.renewed: dict[Var, Var] = {}

    def rewrite_Var(self, var: Var) -> Expr:
        return self.renewed.get(var, var)

    def rewrite_IterArg(self, var: Var) -> Expr:
        return self.renewed.get(var, var)

    def rewrite_def(self, var: Any) -> Any:
        new = super().rewrite_def(var)
        kind = self.types.get(var)
        if kind is not None:
            new = new.with_(type=kind)
        if new is not var:
            self.renewed[var] = new
        return new


def retyped_function(function: Function, types: Mapping[Var, Type]) -> Function:
    """``function`` with other types of its parameters and variables; itself when ``types`` is empty."""
    if not types:
        return function
    retyper = Retyper(types)
    params = map_tuple(function.params, retyper.rewrite_def)
    return function.with_(params=params, body=retyper.rewrite(function.body))
