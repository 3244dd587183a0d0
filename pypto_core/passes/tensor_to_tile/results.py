"""Kernel results become Out parameters (docs/spec/passes_tensor_to_tile.md §1.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core.analysis.statements import trailing_yield
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IterArg,
    ParamDirection,
    ReturnStmt,
    Span,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    body_stmts,
    substitute,
)
from pypto_core.ir.stmt import SeqStmts
from pypto_core.ir.walk import collect_uses, stmt_exprs, walk_exprs, walk_stmts
from pypto_core.passes.tensor_to_tile.body import block_of
from pypto_core.passes.tensor_to_tile.lowering import op_call, pass_error, zeros


@dataclass(frozen=True, slots=True)
class AssembleLoop:
    """A loop that fills its carried tile box by box, and nothing else: it may write the destination directly.

    ``position`` is its place in the statement list; ``write`` the assembling statement in its body.
    """

    position: int
    loop: ForStmt
    write: AssignStmt

    @property
    def init(self) -> Expr:
        return self.loop.iter_args[0].init_value


def find_assemble_loop(stmts: Sequence[Stmt], result: Expr) -> AssembleLoop | None:
    """The top-level loop whose only result is ``result``, when its body yields one ``tile.assemble`` into the carried
    tile and uses that tile nowhere else."""
    for position, stmt in enumerate(stmts):
        if isinstance(stmt, ForStmt) and len(stmt.return_vars) == 1 and stmt.return_vars[0] is result:
            write = _only_assemble(stmt)
            if write is not None and _fresh(stmts[:position], stmt.iter_args[0].init_value):
                return AssembleLoop(position, stmt, write)
    return None


def _only_assemble(loop: ForStmt) -> AssignStmt | None:
    ended = trailing_yield(loop.body)
    if len(loop.iter_args) != 1 or ended is None or len(ended.values) != 1:
        return None
    carried = loop.iter_args[0]
    found: AssignStmt | None = None
    for stmt in body_stmts(loop.body):
        if isinstance(stmt, AssignStmt) and stmt.var is ended.values[0]:
            call = stmt.value
            if isinstance(call, Call) and call.name == "tile.assemble" and call.args[0] is carried:
                found = stmt
    if found is None:
        return None
    uses = list(_occurrences(loop.body))
    return found if uses.count(carried) == 1 and uses.count(found.var) == 1 else None


def _occurrences(body: Stmt) -> list[Var]:
    """Every variable occurrence in value positions, repeats included."""
    return [
        expr
        for stmt in walk_stmts(body)
        for root in stmt_exprs(stmt)
        for expr in walk_exprs(root)
        if isinstance(expr, Var)
    ]


def _fresh(before: Sequence[Stmt], init: Expr) -> bool:
    """Whether the carried tile starts as a ``tile.create``: nothing in it is worth keeping."""
    for stmt in before:
        if isinstance(stmt, AssignStmt) and stmt.var is init:
            return isinstance(stmt.value, Call) and stmt.value.name == "tile.create"
    return False


def store_into(stmts: list[Stmt], found: AssembleLoop, out: Var) -> Var:
    """Rewrite the loop in place so that it stores into ``out``; a ``tile.create`` that nobody reads any more goes.

    Returns the loop's new result.
    """
    loop, write = found.loop, found.write
    old = loop.iter_args[0]
    carried = IterArg(old.name_hint, out.type, out, span=old.span)
    call = write.value
    assert isinstance(call, Call)
    stored = op_call("tile.store", (call.args[1], call.args[2], carried), span=call.span)
    target = Var(write.var.name_hint, stored.type, span=write.var.span)
    body = [
        stmt.with_(var=target, value=stored) if stmt is write and isinstance(stmt, AssignStmt) else stmt
        for stmt in body_stmts(loop.body)
    ]
    new_body = substitute(SeqStmts.flatten(body, loop.body.span), {write.var: target})
    result = loop.return_vars[0].with_(type=out.type)
    stmts[found.position] = loop.with_(iter_args=(carried,), body=new_body, return_vars=(result,))
    _drop_dead_create(stmts, found.init)
    return result


def _drop_dead_create(stmts: list[Stmt], var: Expr) -> None:
    if any(var in collect_uses(stmt) for stmt in stmts):
        return
    for position, stmt in enumerate(stmts):
        if isinstance(stmt, AssignStmt) and stmt.var is var:
            del stmts[position]
            return


@dataclass(frozen=True, slots=True)
class Outputs:
    """A kernel whose tile results leave through ``added`` Out parameters (appended in this order)."""

    function: Function
    added: tuple[Var, ...]


def add_outputs(function: Function, body: Stmt, like: Function) -> Outputs:
    """``like`` with the converted ``body``: every returned tile is stored into a new Out parameter of the declared type.

    A body without a return gets an empty one. Values that are not tiles are returned as they are.
    """
    stmts = list(body_stmts(body))
    last = stmts[-1] if stmts else None
    if not isinstance(last, ReturnStmt):
        if stmts or not function.requires_runtime_binding:
            stmts.append(ReturnStmt((), span=like.span))
        return Outputs(function.with_(body=block_of(stmts, function.body)), ())
    stmts.pop()
    added: list[Var] = []
    stores: list[Stmt] = []
    values: list[Expr] = []
    types: list[Type] = []
    for index, value in enumerate(last.values):
        if not isinstance(value.type, TileType):
            values.append(value)
            types.append(value.type)
            continue
        declared = _declared_type(like, index, last.span)
        out = Var(f"ret{len(added)}__out", declared, span=_span_of(value, last.span))
        loop = find_assemble_loop(stmts, value)
        if loop is not None:
            result: Var = store_into(stmts, loop, out)
        else:
            call = op_call("tile.store", (value, zeros(value.type.rank, last.span), out), span=last.span)
            result = Var(f"ret{len(added)}__store", call.type, span=last.span)
            stores.append(AssignStmt(result, call, span=last.span))
        added.append(out)
        values.append(result)
        types.append(declared)
    unchanged = not added and all(a is b for a, b in zip(values, last.values, strict=True))
    stmts += stores
    stmts.append(last if unchanged else last.with_(values=tuple(values)))
    return Outputs(
        function.with_(
            params=(*function.params, *added) if added else function.params,
            param_directions=(*function.param_directions, *(ParamDirection.Out for _ in added))
            if added
            else function.param_directions,
            return_types=_kept(function.return_types, types),
            body=block_of(stmts, function.body),
        ),
        tuple(added),
    )


def _kept(old: tuple[Type, ...], new: list[Type]) -> tuple[Type, ...]:
    return old if len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True)) else tuple(new)


def _declared_type(function: Function, index: int, span: Span) -> TensorType:
    """The declared type of a result; that of the returned tensor where the author declared none."""
    stmts = body_stmts(function.body)
    last = stmts[-1] if stmts else None
    returned = last.values[index].type if isinstance(last, ReturnStmt) and index < len(last.values) else None
    for kind in (*function.return_types[index : index + 1], returned):
        if isinstance(kind, TensorType):
            return kind
    raise pass_error(
        "op-kind",
        f"result {index + 1} of '{function.name}' is a tile: a kernel returns tensors, so store it into an output first",
        span,
    )


def _span_of(value: Expr, fallback: Span) -> Span:
    return value.span if value.span.is_valid else fallback
