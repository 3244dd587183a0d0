"""AivSplitValid before tensors become tiles: the checks that need only what each operator will become.

A tensor operator whose tile form always delivers into one memory space runs on that space's core, wherever its operands
are (docs/spec/passes_split.md §1.4, row 6); the operators that follow their operands, and those that become several, stay
undecided here. So every finding of this check is one of docs/spec/verifiers.md §4 after ConvertTensorToTileOps, at the same
characters; the reverse does not hold.
"""

from __future__ import annotations

from functools import cache

from pypto_core.analysis.affinity import Affinity, is_cube_memory
from pypto_core.analysis.lanes import BOUNDARY_OPS
from pypto_core.analysis.split_axis import COL_REDUCTIONS, ROW_REDUCTIONS
from pypto_core.analysis.statements import as_var
from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import Call, Expr, Function, FunctionType, MemorySpace, Program, TensorType, Var
from pypto_core.ops.registry import FixedSpace, find_op
from pypto_core.verify.aiv_split import SplitCheck

UNDECIDED = frozenset(
    f"tensor.{leaf}" for leaf in ("gather", "read", "scatter", "scatter_mask", "scatter_update", "write")
)
"""Operators that become several, or something else depending on where their operand is."""


def verify_aiv_split_early(program: Program) -> list[Diagnostic]:
    """Diagnostics of every kernel of a program in which scopes have become functions."""
    return [d for function in program.functions for d in check_function_early(function)]


def check_function_early(function: Function) -> list[Diagnostic]:
    """Diagnostics of one function; only kernels are turned into tiles."""
    converted = function.func_type is FunctionType.InCore and not function.requires_runtime_binding
    return (EarlyCheck if converted else SplitCheck)(function, False).run()


@cache
def future_space(op_name: str) -> MemorySpace | None:
    """Where the tile form of a tensor operator always delivers its result; None when that is not fixed."""
    if not op_name.startswith("tensor.") or op_name in BOUNDARY_OPS or op_name in UNDECIDED:
        return None
    tile = find_op(tile_name(op_name))
    rule = None if tile is None else tile.output_memory
    return rule.space if isinstance(rule, FixedSpace) else None


def tile_name(op_name: str) -> str:
    """``tile.exp`` of ``tensor.exp``."""
    return f"tile.{op_name.removeprefix('tensor.')}" if op_name.startswith("tensor.") else op_name


class EarlyCheck(SplitCheck):
    """The walk over a kernel that still holds tensor operators."""

    def affinity(self, call: Call) -> Affinity:
        space = future_space(call.name)
        if space is None:
            return super().affinity(call)
        return Affinity.CUBE if is_cube_memory(space) else Affinity.VECTOR

    def consumer(self, call: Call) -> Affinity:
        return super().consumer(call) if future_space(call.name) is None else self.affinity(call)

    def op_name(self, call: Call) -> str:
        return tile_name(call.name)

    def reduces(self, call: Call, dim: int) -> bool:
        """A tile of many dimensions folds all but the last into its rows, so ``row_*`` collapses axis 1 there."""
        name, source = tile_name(call.name), call.args[0].type if call.args else None
        if name == call.name or not isinstance(source, TensorType):
            return super().reduces(call, dim)
        if name in COL_REDUCTIONS:
            return dim == 0
        return name in ROW_REDUCTIONS and dim == min(source.rank - 1, 1)

    def space(self, expr: Expr) -> MemorySpace | None:
        var = as_var(expr)
        made = self.facts.defs.get(var) if var is not None else None
        if made is not None and made[0] is not None and isinstance(expr.type, TensorType):
            return future_space(made[0].name)
        return super().space(expr)

    def is_vector_value(self, var: Var, made: Call | None) -> bool:
        if isinstance(var.type, TensorType):
            return made is not None and self.affinity(made) is Affinity.VECTOR
        return super().is_vector_value(var, made)
