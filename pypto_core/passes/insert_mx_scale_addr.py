"""InsertMxScaleAddr: every MX product binds its scale tiles to its data tiles (``docs/spec/passes_tile.md`` §7)."""

from __future__ import annotations

from pypto_core.analysis.statements import block
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    IterArg,
    MemorySpace,
    Stmt,
    TileType,
    Var,
    body_stmts,
    called_names,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.stmt_parts import map_bodies
from pypto_core.passes.tile_calls import define, new_call, rebuild_call, reject

_PROPERTIES = "SSAForm IncoreTileOps SplitIncoreOrch NormalizedStmtStructure TileMemoryInferred"
CONTRACT = PassContract.of(_PROPERTIES, _PROPERTIES, function_local=True)

MX_PAIRS: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "tile.matmul_mx": ((0, 1), (2, 3)),
    "tile.matmul_mx_bias": ((0, 1), (2, 3)),
    "tile.matmul_mx_acc": ((1, 2), (3, 4)),
}
"""Argument positions of (data, scale), left operand first."""

_PAIR_SPACES = (
    (MemorySpace.Left, MemorySpace.LeftScale),
    (MemorySpace.Right, MemorySpace.RightScale),
)


def insert_mx_scale_addr(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip; MX products exist on ``a5`` alone."""
    chip = get_backend(backend)
    return Pass(
        "InsertMxScaleAddr",
        CONTRACT,
        lambda program: map_functions(program, lambda f: bind_function(f, chip)),
    )


def bind_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with a fresh ``<scale>_bound`` before every MX product.

    Raises:
        PassError: ``mx-backend`` on a chip without MX products.
    """
    if function.func_type is not FunctionType.InCore:
        return function
    if MX_PAIRS.keys().isdisjoint(called_names(function.body)):
        return function
    return function.with_(body=_bind_body(function.body, chip))


@goes_deep
def _bind_body(body: Stmt, chip: Backend | None) -> Stmt:
    out: list[Stmt] = []
    for stmt in body_stmts(body):
        if isinstance(stmt, AssignStmt):
            call = stmt.value
            if isinstance(call, Call) and call.name in MX_PAIRS:
                out += _bind(stmt, call, chip)
            else:
                out.append(stmt)
        else:
            out.append(map_bodies(stmt, lambda inner: _bind_body(inner, chip)))
    return block(out, body)


def _bind(stmt: AssignStmt, call: Call, chip: Backend | None) -> list[Stmt]:
    if chip is not None and chip.arch != "a5":
        reject(
            "mx-backend",
            f"{call.name} is only supported on the Ascend950 ('a5') backend, but got '{chip.arch}'",
            call.span,
            arch=chip.arch,
        )
    out: list[Stmt] = []
    args = list(call.args)
    for (data_at, scale_at), spaces in zip(MX_PAIRS[call.name], _PAIR_SPACES, strict=True):
        data, scale = args[data_at], args[scale_at]
        if not (isinstance(scale, (Var, IterArg)) and (_space(data), _space(scale)) == spaces):
            reject(
                "compiler-internal",
                f"{call.name} needs a tile in {spaces[0].name} and its scale in {spaces[1].name}; "
                f"the operands are not placed that way",
                call.span,
            )
        bound = define(
            f"{scale.name_hint}_bound", new_call("tile.tget_scale_addr", scale, data, span=call.span)
        )
        out.append(bound)
        args[scale_at] = bound.var
    return [*out, stmt.with_(value=rebuild_call(call, args))]


def _space(expr: Expr) -> MemorySpace | None:
    kind = expr.type
    return kind.memory_space if isinstance(kind, TileType) else None
