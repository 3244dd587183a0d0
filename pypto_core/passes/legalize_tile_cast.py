"""LegalizeTileCast: a cast without a native instruction becomes a chain of native ones (``docs/spec/passes_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.analysis.names import describe
from pypto_core.analysis.statements import block
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    Function,
    Level,
    Stmt,
    TileType,
    body_stmts,
    called_names,
)
from pypto_core.passes.auto_names import NameCounter, auto_name
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.cast_chain import cast_chain
from pypto_core.passes.stmt_parts import map_bodies
from pypto_core.passes.tile_calls import define, new_call, reject

CONTRACT = PassContract.of(function_local=True)
_ROUND = 2


def legalize_tile_cast(*, backend: str | Backend | None = None) -> Pass:
    """The pass for one chip; without a backend it changes nothing."""
    chip = get_backend(backend)
    if chip is None:
        return Pass("LegalizeTileCast", CONTRACT, lambda program: program)
    return Pass(
        "LegalizeTileCast",
        CONTRACT,
        lambda program: map_functions(program, lambda f: legalize_function(f, chip)),
    )


def legalize_function(function: Function, chip: Backend) -> Function:
    """``function`` with native casts only.

    Raises:
        PassError: ``cast-no-path`` where the chip has no chain between two types.
    """
    if function.level is Level.HOST or "tile.cast" not in called_names(function.body):
        return function
    return function.with_(body=_Legalizer(chip).body(function.body))


class _Legalizer:
    def __init__(self, chip: Backend) -> None:
        self._chip = chip
        self._counter = NameCounter()

    def body(self, body: Stmt) -> Stmt:
        return block([new for stmt in body_stmts(body) for new in self._stmt(stmt)], body)

    def _stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            value = stmt.value
            if isinstance(value, Call) and value.name == "tile.cast":
                return self._cast(stmt, value)
            return [stmt]
        return [map_bodies(stmt, self.body)]

    def _cast(self, stmt: AssignStmt, call: Call) -> list[Stmt]:
        source_type = call.args[0].type
        target = call.kwargs.get("target_type")
        if not isinstance(source_type, TileType) or not isinstance(target, DataType):
            return [stmt]
        source = source_type.dtype
        if self._chip.is_native_cast(source, target):
            return [stmt]
        hops = cast_chain(source, target, self._chip)
        if hops is None:
            reject(
                "cast-no-path",
                f"LegalizeTileCast: no native cast path from {source.text} to {target.text} for arch {self._chip.arch}; pto.tcvt does not "
                f"support this conversion, and no chain of conversions keeps the values of '{describe(call.args[0], call.span)}'",
                call.span,
                source=source.text,
                target=target.text,
                arch=self._chip.arch,
            )
        mode = call.kwargs.get("mode", _ROUND)
        value: Expr = call.args[0]
        out: list[Stmt] = []
        for dtype in hops[:-1]:
            name = auto_name(stmt.var.name_hint, f"cast_{dtype.text}", self._counter.take())
            hop = define(name, self._hop(value, dtype, mode, call))
            out.append(hop)
            value = hop.var
        last = self._hop(value, target, mode, call).with_(attrs=call.attrs)
        return [*out, stmt.with_(value=last)]

    def _hop(self, value: Expr, dtype: DataType, mode: int, call: Call) -> Call:
        return new_call("tile.cast", value, span=call.span, kwargs={"target_type": dtype, "mode": mode})
