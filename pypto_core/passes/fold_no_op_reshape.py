"""FoldNoOpReshape: a reshape that changes nothing is a copy of the name (docs/spec/passes_tile.md §9.7)."""

from __future__ import annotations

from pypto_core.analysis.statements import as_var
from pypto_core.backend import Backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Function,
    Stmt,
    TileType,
    dims_equal,
    effective_tile_view,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.passes.base import Pass, PassContract, map_functions

CONTRACT = PassContract.of("SplitIncoreOrch IncoreTileOps HasMemRefs TileOps2D", function_local=True)


def fold_no_op_reshape(*, backend: str | Backend | None = None) -> Pass:
    """The pass; the same for every chip."""
    return Pass("FoldNoOpReshape", CONTRACT, lambda program: map_functions(program, fold_function))


def fold_function(function: Function) -> Function:
    """``function`` with no-op reshapes as plain copies; itself when there are none."""
    if not function.func_type.is_incore:
        return function
    return function.with_(body=_Folder().rewrite(function.body))


class _Folder(Rewriter):
    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        call = stmt.value
        if not isinstance(call, Call) or call.name != "tile.reshape":
            return stmt
        source = as_var(call.args[0])
        if source is None or not _is_no_op(source.type, stmt.var.type):
            return stmt
        return stmt.with_(value=source)


def _is_no_op(source: object, result: object) -> bool:
    if not (isinstance(source, TileType) and isinstance(result, TileType)):
        return False
    if source.memref is None or result.memref is None or source.memref.base is not result.memref.base:
        return False
    left, right = effective_tile_view(source), effective_tile_view(result)
    return (
        source.memory_space is result.memory_space
        and source.dtype is result.dtype
        and source.rank == result.rank == 2
        and dims_equal(source.shape, result.shape)
        and left.blayout is right.blayout
        and left.slayout is right.slayout
        and left.fractal == right.fractal
        and left.pad is right.pad
        and left.compact is right.compact
        and dims_equal(left.valid_shape, right.valid_shape)
        and [isinstance(v, ConstInt) for v in left.valid_shape]
        == [isinstance(v, ConstInt) for v in right.valid_shape]
    )
