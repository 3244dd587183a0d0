"""Directions of the parameters of an outlined function (docs/spec/passes_front.md §9.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pypto_core import ir
from pypto_core.ir.walk import LEAVES

Lookup = Callable[[str], "ir.Function | None"]

_WRITES = {"tile.store": 2, "tensor.assemble": 0}
_NO_READ_ATTRS = ("dump_vars", "arg_direction_overrides_vars")
_ORDER = {ir.ParamDirection.In: 0, ir.ParamDirection.Out: 1, ir.ParamDirection.InOut: 2}


def _is_atomic(call: ir.Call) -> bool:
    return bool(call.kwargs.get("atomic", 0))


class _Reads:
    """Variables whose content a body reads; the result of a write stands for its destination."""

    def __init__(self, body: ir.Stmt) -> None:
        self._alias: dict[ir.Expr, ir.Expr] = {}
        self.read: set[ir.Expr] = set()
        for stmt in ir.walk_stmts(body):
            self._stmt(stmt)

    def _root(self, var: ir.Expr) -> ir.Expr:
        while var in self._alias:
            var = self._alias[var]
        return var

    def _stmt(self, stmt: ir.Stmt) -> None:
        if isinstance(stmt, ir.AssignStmt) and isinstance(stmt.value, ir.Call):
            position = _WRITES.get(stmt.value.name)
            if position is not None and position < len(stmt.value.args):
                destination = stmt.value.args[position]
                if isinstance(destination, ir.Var) and destination is not stmt.var:
                    self._alias[stmt.var] = destination
        # The header of a loop hands values on; it reads no content.
        exprs: Iterable[ir.Expr] = () if isinstance(stmt, (ir.ForStmt, ir.WhileStmt)) else ir.stmt_exprs(stmt)
        if isinstance(stmt, ir.ScopeStmt):
            kept = {k: v for k, v in stmt.attrs.items() if k not in _NO_READ_ATTRS}
            exprs = ir.attr_exprs(kept)
        for expr in exprs:
            self._expr(expr)

    def _expr(self, expr: ir.Expr) -> None:
        if expr.__class__ in LEAVES:
            if isinstance(expr, ir.Var):
                self.read.add(self._root(expr))
            return
        if isinstance(expr, (ir.Call, ir.Submit)):
            position = _WRITES.get(expr.name) if isinstance(expr, ir.Call) else None
            writes = position is not None and isinstance(expr, ir.Call) and not _is_atomic(expr)
            for i, arg in enumerate(expr.args):
                if not (writes and i == position):
                    self._expr(arg)
            kept = {k: v for k, v in expr.attrs.items() if k not in _NO_READ_ATTRS}
            for value in ir.attr_exprs(kept):
                self._expr(value)
            if isinstance(expr, ir.Submit):
                for extra in (*expr.deps, expr.core_num, expr.predicate):
                    if extra is not None:
                        self._expr(extra)
            return
        for child in ir.expr_children(expr):
            self._expr(child)


def _merge(current: ir.ParamDirection, callee: ir.ParamDirection) -> ir.ParamDirection:
    return callee if _ORDER[callee] > _ORDER[current] else current


def argument_directions(
    call: ir.Call | ir.Submit, callee: ir.Function
) -> Iterable[tuple[ir.Expr, ir.ParamDirection]]:
    """Arguments of a call of a program function with the direction of the parameter each binds (ir.md §1.6)."""
    gap = len(callee.params) - len(call.args)
    contexts = 0
    if isinstance(call, ir.Submit):
        for param in reversed(callee.params):
            if param.type is not ir.COMM_CTX:
                break
            contexts += 1
    for i, arg in enumerate(call.args):
        position = i if i < len(call.args) - contexts else i + gap
        if 0 <= position < len(callee.params):
            yield arg, callee.param_directions[position]


def infer_directions(
    body: ir.Stmt, inputs: tuple[ir.Var, ...], stored: tuple[ir.Var, ...], lookup: Lookup | None
) -> tuple[ir.ParamDirection, ...]:
    """Direction of each input; ``lookup`` finds the callees of a Cluster or Spmd body."""
    directions: dict[ir.Expr, ir.ParamDirection] = dict.fromkeys(inputs, ir.ParamDirection.In)
    reads = _Reads(body)

    def written(var: ir.Expr) -> ir.ParamDirection:
        return ir.ParamDirection.InOut if var in reads.read else ir.ParamDirection.Out

    for target in stored:
        directions[target] = written(target)
    for call in ir.calls_in(body):
        if isinstance(call, ir.Call) and call.name == "tensor.assemble" and call.args:
            destination = call.args[0]
            if type(destination) is ir.Var and directions.get(destination) is ir.ParamDirection.In:
                directions[destination] = written(destination)
    if lookup is not None:
        for call in ir.calls_in(body):
            callee = lookup(call.name) if isinstance(call.op, ir.GlobalVar) else None
            if callee is None:
                continue
            for arg, direction in argument_directions(call, callee):
                if type(arg) is ir.Var and arg in directions:
                    directions[arg] = _merge(directions[arg], direction)
    return tuple(directions[v] for v in inputs)
