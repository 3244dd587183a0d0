"""Lane 1 of an unsplit kernel: the same handshake over empty tiles (docs/spec/passes_split.md §12.1).

Chips that start both vector lanes expect both to take part in every transfer. Lane 0 does the work; lane 1 replays the
statements with valid extents of zero and stores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.analysis.lanes import PIPE_SETUP_OPS
from pypto_core.analysis.statements import as_var, block, leaf_call, stmts_of
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    MakeTuple,
    ReturnStmt,
    RuntimeScopeStmt,
    SeqStmts,
    SplitAivScopeStmt,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    effective_tile_view,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.rewrite import map_type, substitute
from pypto_core.ir.scalar import make_binary
from pypto_core.ir.stmt import ScopeStmt
from pypto_core.ir.structural import structural_equal
from pypto_core.ops.registry import OpError, create_op_call, untyped_op_call
from pypto_core.passes.split_axis.extents import index

_CREATED = frozenset(
    {
        "tile.transpose",
        "tile.fmods",
        "tile.rems",
        "tile.row_max",
        "tile.row_min",
        "tile.row_sum",
        "tile.row_prod",
    }
)
"""Operators that may not run on empty tiles; lane 1 gets an empty tile of the result's shape instead."""


def replay_on_both_lanes(binding: AssignStmt, stmts: Sequence[Stmt]) -> list[Stmt]:
    """Lane binding, the shared pipe setup, and ``if lane == 0`` the statements ``else`` their replay."""
    prefix = 0
    while prefix < len(stmts) and _is_setup(stmts[prefix]):
        prefix += 1
    rest = list(stmts[prefix:])
    condition = make_binary("eq", binding.var, 0, binding.span)
    lanes = IfStmt(
        condition, SeqStmts.flatten(rest), SeqStmts.flatten(_Replay({}).block(rest)), span=binding.span
    )
    return [binding, *stmts[:prefix], lanes]


def _is_setup(stmt: Stmt) -> bool:
    call = leaf_call(stmt)
    return call is not None and call.name in PIPE_SETUP_OPS


def empty(tile: TileType) -> TileType:
    """`tile` with nothing valid in it, layout and padding kept."""
    zeros = (index(0),) * len(tile.shape)
    return tile.with_(tile_view=effective_tile_view(tile).with_(valid_shape=zeros))


class _Replay:
    """`repl` maps a lane 0 variable to lane 1's value: lane 1 defines every value anew."""

    def __init__(self, repl: dict[Var, Expr]) -> None:
        self.repl = repl

    def value(self, expr: Expr) -> Expr:
        new: Expr = substitute(expr, self.repl)
        return new

    def typed(self, type_: Type) -> Type:
        """A type whose extents name lane 1's own scalars."""
        return map_type(type_, self.value)

    def renewed(self, var: Var, type_: Type) -> Var:
        """Lane 1's variable for `var`."""
        new = Var(var.name_hint, type_, span=var.span)
        self.repl[var] = new
        return new

    def block(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for stmt in stmts:
            out.extend(self.stmt(stmt))
        return out

    def nested(self, body: Stmt) -> tuple[Stmt, _Replay]:
        """A body replayed with a map of its own."""
        inner = _Replay(dict(self.repl))
        return block(inner.block(stmts_of(body)), body), inner

    def stmt(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, AssignStmt):
            return [self.assign(stmt)]
        if isinstance(stmt, (ForStmt, WhileStmt)):
            return [self.loop(stmt)]
        if isinstance(stmt, IfStmt):
            return [self.branch(stmt)]
        if isinstance(stmt, SeqStmts):
            return self.block(stmt.stmts)
        if isinstance(stmt, ScopeStmt):
            scope: ScopeStmt = stmt.with_(body=SeqStmts())
            body = block(self.block(stmts_of(stmt.body)), stmt.body)
            return [substitute(scope, self.repl).with_(body=body)]
        if isinstance(stmt, ReturnStmt):
            return [stmt.with_(values=tuple(self.returned(v) for v in stmt.values))]
        call = leaf_call(stmt)
        if call is not None and call.name == "tile.store":
            return []
        return [substitute(stmt, self.repl)]

    def returned(self, value: Expr) -> Expr:
        if isinstance(value, Call) and value.name == "tile.store":
            return self.value(value.args[2])
        return self.value(value)

    # -- assignments ---------------------------------------------------------------------------------

    def assign(self, stmt: AssignStmt) -> Stmt:
        call = leaf_call(stmt)
        if call is None:
            return self.alias(stmt, self.value(stmt.value))
        if call.name == "tile.store":
            # Nothing is written; readers of the result read the destination.
            dest = self.value(call.args[2])
            self.repl[stmt.var] = dest
            return stmt.with_(var=Var(stmt.var.name_hint, dest.type, span=stmt.var.span), value=dest)
        own = self.typed(stmt.var.type)
        if isinstance(own, TileType):
            type_ = empty(own)
            made = self.empty_call(call, type_)
            return stmt.with_(var=self.renewed(stmt.var, type_), value=made)
        value = self.value(call)
        return stmt.with_(var=self.renewed(stmt.var, own), value=value.with_(type=self.typed(call.type)))

    def alias(self, stmt: AssignStmt, value: Expr) -> Stmt:
        replaced = value is not stmt.value and as_var(value) is not None
        type_ = value.type if replaced else self.typed(stmt.var.type)
        return stmt.with_(var=self.renewed(stmt.var, type_), value=value)

    def empty_call(self, call: Call, type_: TileType) -> Call:
        if call.name == "tile.load":
            return _create(call, self.value(call.args[2]), type_)
        if call.name == "tile.slice":
            window = self.value(call.args[1])
            whole = isinstance(window, MakeTuple) and len(window.elements) == len(type_.shape)
            return _create(call, window if whole else MakeTuple(type_.shape, span=call.span), type_)
        if call.name in _CREATED:
            return _create(call, MakeTuple(type_.shape, span=call.span), type_)
        args = tuple(self.value(arg) for arg in call.args)
        if call.name == "tile.set_validshape":
            args = (args[0], index(0), index(0))
        new: Call = call.with_(args=args, attrs=substitute(call, self.repl).attrs, type=type_)
        return new

    # -- control flow --------------------------------------------------------------------------------

    def loop(self, stmt: ForStmt | WhileStmt) -> Stmt:
        changes: dict[str, object] = {}
        if isinstance(stmt, ForStmt):
            changes = {
                "start": self.value(stmt.start),
                "stop": self.value(stmt.stop),
                "step": self.value(stmt.step),
                "loop_var": self.renewed(stmt.loop_var, stmt.loop_var.type),
            }
        iter_args: list[IterArg] = []
        for arg in stmt.iter_args:
            init = self.value(arg.init_value)
            adopts = init is not arg.init_value and isinstance(arg.type, TileType)
            iter_args.append(
                IterArg(arg.name_hint, init.type if adopts else self.typed(arg.type), init, span=arg.span)
            )
        self.repl.update(zip(stmt.iter_args, iter_args))
        if isinstance(stmt, WhileStmt):
            changes = {"condition": self.value(stmt.condition)}
        body, _ = self.nested(stmt.body)
        results = tuple(
            self.renewed(var, arg.type if isinstance(var.type, TileType) else self.typed(var.type))
            for var, arg in zip(stmt.return_vars, iter_args)
        )
        return stmt.with_(**changes, iter_args=tuple(iter_args), body=body, return_vars=results)

    @goes_deep
    def branch(self, stmt: IfStmt) -> Stmt:
        then: Stmt | None = self.nested(stmt.then_body)[0]
        other = None if stmt.else_body is None else self.nested(stmt.else_body)[0]
        results: list[Var] = []
        for slot, var in enumerate(stmt.return_vars):
            type_ = self.typed(var.type)
            if isinstance(type_, TileType):
                type_ = empty(type_)
            elif isinstance(type_, TensorType):
                a, b = _yielded(then, slot), _yielded(other, slot)
                if a is not None and b is not None:
                    if structural_equal(a.type, b.type):
                        type_ = a.type
                    else:
                        then, other = _viewed_as(then, slot, type_), _viewed_as(other, slot, type_)
            results.append(self.renewed(var, type_))
        assert then is not None
        return stmt.with_(
            condition=self.value(stmt.condition), then_body=then, else_body=other, return_vars=tuple(results)
        )


def _create(call: Call, shape: Expr, type_: TileType) -> Call:
    kwargs = {"dtype": type_.dtype, "target_memory": type_.memory_space}
    return untyped_op_call("tile.create", (shape,), kwargs, result=type_, span=call.span)


def _terminal(body: Stmt) -> tuple[list[Stmt], YieldStmt | None]:
    stmts = list(stmts_of(body))
    last = stmts[-1] if stmts else None
    return stmts, last if isinstance(last, YieldStmt) else None


def _yielded(body: Stmt | None, slot: int) -> Expr | None:
    if body is None:
        return None
    stmts, last = _terminal(body)
    if last is None and stmts and isinstance(stmts[-1], (RuntimeScopeStmt, SplitAivScopeStmt)):
        return _yielded(stmts[-1].body, slot)
    return last.values[slot] if last is not None and slot < len(last.values) else None


def _viewed_as(body: Stmt | None, slot: int, type_: TensorType) -> Stmt | None:
    """`body` yielding a view of the merge's own type, made inside its terminal scope; nothing is written."""
    if body is None:
        return None
    stmts, last = _terminal(body)
    if last is None:
        if stmts and isinstance(stmts[-1], (RuntimeScopeStmt, SplitAivScopeStmt)):
            inner = _viewed_as(stmts[-1].body, slot, type_)
            assert inner is not None
            return block([*stmts[:-1], stmts[-1].with_(body=inner)])
        return body
    value = last.values[slot]
    if structural_equal(value.type, type_):
        return body
    shape = MakeTuple(type_.shape, span=last.span)
    try:
        call = create_op_call("tensor.view", (value, shape), span=last.span)
    except OpError:
        return body
    source = as_var(value)
    name = f"{source.name_hint if source is not None else 'tensor'}_view"
    alias = Var(name, type_, span=value.span)
    values = (*last.values[:slot], alias, *last.values[slot + 1 :])
    made = AssignStmt(alias, call.with_(type=type_), span=last.span)
    return block([*stmts[:-1], made, last.with_(values=values)])
