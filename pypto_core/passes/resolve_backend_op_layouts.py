"""ResolveBackendOpLayouts: operands of row-major instructions become row-major (``docs/spec/passes_tile.md`` §8)."""

from __future__ import annotations

from pypto_core.analysis.statements import block
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    Stmt,
    TileLayout,
    TileType,
    Type,
    body_stmts,
    const_dim,
    tile_layout,
)
from pypto_core.ops import RowMajorNeed, find_op
from pypto_core.passes.auto_names import NameCounter, auto_name
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.stmt_parts import map_bodies
from pypto_core.passes.tile_calls import define, new_call, rebuild_call, tuple_of

_REQUIRED = "SSAForm IncoreTileOps SplitIncoreOrch TileOps2D"
CONTRACT = PassContract.of(_REQUIRED, f"{_REQUIRED} NormalizedStmtStructure", function_local=True)


def resolve_backend_op_layouts(*, backend: str | Backend | None = None) -> Pass:
    """The pass; without a backend there are no layout rules and nothing changes."""
    if get_backend(backend) is None:
        return Pass("ResolveBackendOpLayouts", CONTRACT, lambda program: program)
    return Pass("ResolveBackendOpLayouts", CONTRACT, lambda program: map_functions(program, resolve_function))


def resolve_function(function: Function) -> Function:
    """``function`` with every layout rule met; each repair is local to its call."""
    if not function.func_type.is_incore:
        return function
    return function.with_(body=_Resolver().body(function.body))


class _Resolver:
    def __init__(self) -> None:
        self._counter = NameCounter()

    def body(self, body: Stmt) -> Stmt:
        return block([new for stmt in body_stmts(body) for new in self._stmt(stmt)], body)

    def _stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            return self._assign(stmt)
        if isinstance(stmt, EvalStmt):
            return self._eval(stmt)
        return [map_bodies(stmt, self.body)]

    def _assign(self, stmt: AssignStmt) -> list[Stmt]:
        call, need = _constrained(stmt.value)
        if call is None or need is None:
            return [stmt]
        target = stmt.var.type
        output_bad = need.output and isinstance(target, TileType) and not _is_row_major(target)
        inputs_bad = [i for i in need.inputs if i < len(call.args) and _needs_repair(call.args[i])]
        if not output_bad and not inputs_bad:
            return [stmt]
        out, args = self._repair(call, inputs_bad, stmt.var.name_hint, "rm_a")
        new = rebuild_call(call, args)
        if not output_bad:
            return [*out, stmt.with_(value=new)]
        assert isinstance(target, TileType)
        row_major = define(auto_name(stmt.var.name_hint, "row_major", self._counter.take()), new)
        return [*out, row_major, stmt.with_(value=_back(row_major.var, target, call))]

    def _eval(self, stmt: EvalStmt) -> list[Stmt]:
        call, need = _constrained(stmt.expr)
        if call is None or need is None:
            return [stmt]
        inputs_bad = [i for i in need.inputs if i < len(call.args) and _needs_repair(call.args[i])]
        if not inputs_bad:
            return [stmt]
        out, args = self._repair(call, inputs_bad, "layout_fix", "row_major_arg")
        return [*out, stmt.with_(expr=rebuild_call(call, args))]

    def _repair(
        self, call: Call, positions: list[int], base: str, qualifier: str
    ) -> tuple[list[Stmt], list[Expr]]:
        """Statements that make the arguments at ``positions`` row-major, and the new arguments."""
        out: list[Stmt] = []
        args = list(call.args)
        for position in positions:
            arg = args[position]
            kind = arg.type
            assert isinstance(kind, TileType)
            if _is_column(kind):
                fixed = new_call("tile.reshape", arg, tuple_of(1, kind.shape[0]), span=call.span)
            else:
                fixed = new_call(
                    "tile.move",
                    arg,
                    span=call.span,
                    kwargs={
                        "target_memory": kind.memory_space,
                        "blayout": TileLayout.row_major,
                        "slayout": TileLayout.none_box,
                    },
                )
            temp = define(auto_name(base, f"{qualifier}{position}", self._counter.take()), fixed)
            out.append(temp)
            args[position] = temp.var
        return out, args


def _constrained(expr: Expr) -> tuple[Call | None, RowMajorNeed | None]:
    if not isinstance(expr, Call):
        return None, None
    op = find_op(expr.name)
    return expr, None if op is None else op.backend_row_major


def _is_row_major(kind: TileType) -> bool:
    return tile_layout(kind).blayout is TileLayout.row_major


def _needs_repair(arg: Expr) -> bool:
    kind: Type = arg.type
    return isinstance(kind, TileType) and not _is_row_major(kind)


def _is_column(kind: TileType) -> bool:
    """``[N, 1]`` stored by columns is the same bytes as a row."""
    return (
        kind.rank == 2 and const_dim(kind.shape[1]) == 1 and tile_layout(kind).blayout is TileLayout.col_major
    )


def _back(value: Expr, target: TileType, call: Call) -> Call:
    """``value`` in the layout that the author's variable has."""
    if target.rank == 2 and const_dim(target.shape[1]) == 1:
        return new_call("tile.reshape", value, tuple_of(*target.shape), span=call.span)
    view = tile_layout(target)
    return new_call(
        "tile.move",
        value,
        span=call.span,
        kwargs={"target_memory": target.memory_space, "blayout": view.blayout, "slayout": view.slayout},
    )
