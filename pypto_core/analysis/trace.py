"""Tracing a result back to the parameter whose buffer it is (docs/spec/passes_front.md §9.6, 6)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core import ir
from pypto_core.analysis.statements import as_var

#: Operators that update an argument in place and return it: operator -> argument.
IN_PLACE: dict[str, int] = {
    "tensor.assemble": 0,
    "tensor.set_validshape": 0,
    "tile.store": 2,
    "tile.mscatter": 2,
    "tile.fillpad_inplace": 0,
    "tile.gather_row": 0,
}
_IN_PLACE_FIRST = ("_acc",)


def _in_place_argument(call: ir.Call) -> int | None:
    known = IN_PLACE.get(call.name)
    if known is not None:
        return known
    leaf = call.name.removeprefix("tile.")
    if call.name.startswith("tile.") and (leaf.endswith(_IN_PLACE_FIRST) or leaf.startswith("scatter")):
        return 0
    return None


class Tracer:
    """Definitions of one body, followed backwards."""

    def __init__(self, body: ir.Stmt, lookup: Callable[[str], ir.Function | None] | None) -> None:
        self._lookup = lookup
        self._values: dict[ir.Expr, ir.Expr] = {}
        for stmt in ir.walk_stmts(body):
            if isinstance(stmt, ir.AssignStmt):
                self._values[stmt.var] = stmt.value
            elif isinstance(stmt, (ir.ForStmt, ir.WhileStmt)):
                for arg in stmt.iter_args:
                    self._values[arg] = arg.init_value
                for result, arg in zip(stmt.return_vars, stmt.iter_args, strict=False):
                    if isinstance(result.type, ir.TensorType):
                        self._values[result] = arg.init_value

    def root(self, expr: ir.Expr) -> ir.Expr:
        """The variable that ``expr`` is an update of; ``expr`` itself when nothing is known."""
        seen: set[ir.Expr] = set()
        while True:
            var = as_var(expr)
            if var is not None:
                if var in seen or var not in self._values:
                    return var
                seen.add(var)
                following = self._source(self._values[var])
                if following is None:
                    return var
                expr = following
                continue
            following = self._source(expr)
            if following is None:
                return expr
            expr = following

    def _source(self, value: ir.Expr) -> ir.Expr | None:
        """What ``value`` is a copy or an update of."""
        if as_var(value) is not None:
            return value
        if isinstance(value, ir.Call):
            position = _in_place_argument(value)
            if position is not None and position < len(value.args):
                return value.args[position]
            return self._returned(value, 0) if isinstance(value.op, ir.GlobalVar) else None
        if isinstance(value, ir.TupleGetItem):
            call: ir.Expr = value.tuple
            if as_var(call) is not None:
                call = self._values.get(call, call)
            if isinstance(call, (ir.Call, ir.Submit)) and isinstance(call.op, ir.GlobalVar):
                return self._returned(call, value.index)
        return None

    def _returned(self, call: ir.Call | ir.Submit, index: int) -> ir.Expr | None:
        """The argument that the callee returns as result ``index``."""
        callee = self._lookup(call.name) if self._lookup is not None else None
        if callee is None:
            return None
        position = returned_parameter(callee, index, self._lookup)
        return call.args[position] if position is not None and position < len(call.args) else None


def returned_parameter(
    callee: ir.Function, index: int, lookup: Callable[[str], ir.Function | None] | None
) -> int | None:
    """Position of the parameter that result ``index`` of ``callee`` is, None when it is none."""
    returns = [s for s in ir.walk_stmts(callee.body) if isinstance(s, ir.ReturnStmt)]
    if len(returns) != 1 or index >= len(returns[0].values):
        return None
    # A recursive program must not be followed round its cycle.
    inner = None if lookup is None else lambda name: None if name == callee.name else lookup(name)
    root = Tracer(callee.body, inner).root(returns[0].values[index])
    for position, param in enumerate(callee.params):
        if param is root:
            return position
    return None
