"""Two patterns that are rewritten before conversion because scalar stores are slow
(docs/spec/passes_tensor_to_tile.md §1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_core.analysis.statements import as_var
from pypto_core.ir import (
    Add,
    AssignStmt,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    MakeTuple,
    ReturnStmt,
    SeqStmts,
    Stmt,
    TensorType,
    Var,
    WhileStmt,
    body_stmts,
    dim_equal,
    substitute,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.types import dims_equal
from pypto_core.ir.walk import called_names, collect_uses, stmt_exprs, walk_exprs, walk_stmts
from pypto_core.passes.tensor_to_tile.body import block_of, with_comments
from pypto_core.passes.tensor_to_tile.lowering import base_name, int_tuple, op_call

_FILL_BITS = 256
"""A filled row must be a multiple of this, in bits, to be stored as one tile."""


def _is_plain(kind: object) -> bool:
    return type(kind) is TensorType and kind.tensor_view is None and kind.memref is None


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, ConstInt) and expr.value == 0


# -- full tensor, then scalar updates --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _FilledParam:
    """``s = full(...)`` at ``position`` and ``u = assemble(param, s, 0)`` right after it."""

    position: int
    full: AssignStmt
    assemble: AssignStmt


def canonicalise_full_scalar_updates(function: Function) -> Function:
    """FullTensorScalarUpdates: writes go to the filled value, which is assembled once, right before the return."""
    stmts = list(body_stmts(function.body))
    if len(stmts) < 3 or not isinstance(stmts[-1], ReturnStmt):
        return function
    for position in range(len(stmts) - 2):
        found = _filled_param(stmts, position, function)
        if found is not None and _only_written(stmts, found):
            stmts = _sink_assemble(stmts, found)
    return function.with_(body=block_of(stmts, function.body))


def _filled_param(stmts: Sequence[Stmt], position: int, function: Function) -> _FilledParam | None:
    full, assemble = stmts[position], stmts[position + 1]
    if not (isinstance(full, AssignStmt) and isinstance(assemble, AssignStmt)):
        return None
    made, put = full.value, assemble.value
    if not (isinstance(made, Call) and made.name == "tensor.full"):
        return None
    if not (isinstance(put, Call) and put.name == "tensor.assemble" and not put.kwargs.get("atomic", 0)):
        return None
    target, source, offsets = put.args
    if source is not full.var or target not in function.params:
        return None
    into, what = target.type, full.var.type
    if not (_is_plain(into) and _is_plain(what)):
        return None
    assert isinstance(into, TensorType) and isinstance(what, TensorType)
    same = into.dtype is what.dtype and dims_equal(into.shape, what.shape)
    origin = isinstance(offsets, MakeTuple) and all(_is_zero(o) for o in offsets.elements)
    return _FilledParam(position, full, assemble) if same and origin else None


def _only_written(stmts: Sequence[Stmt], found: _FilledParam) -> bool:
    """Whether the assembled value is a write target or returned and nothing else, and written at least once; the filled
    value has no other use."""
    filled, assembled = found.full.var, found.assemble.var
    uses = targets = returned = 0
    for outer in stmts:
        for stmt in walk_stmts(outer):
            if stmt is found.assemble:
                continue
            for root in stmt_exprs(stmt):
                for expr in walk_exprs(root):
                    if expr is filled:
                        return False
                    uses += expr is assembled
            if isinstance(stmt, EvalStmt) and _writes(stmt.expr, assembled):
                targets += 1
            elif isinstance(stmt, ReturnStmt):
                returned += sum(value is assembled for value in stmt.values)
    return targets > 0 and uses == targets + returned


def _writes(expr: Expr, target: Var) -> bool:
    return isinstance(expr, Call) and expr.name == "tensor.write" and expr.args[0] is target


def _sink_assemble(stmts: list[Stmt], found: _FilledParam) -> list[Stmt]:
    retarget = {found.assemble.var: found.full.var}
    body = [substitute(s, retarget) for s in stmts[:-1] if s is not found.assemble]
    return [*body, found.assemble, stmts[-1]]


# -- constant fill loops ---------------------------------------------------------------------------------------------


class _FillLoops(Rewriter):
    """ConstantScalarFillLoop: a loop of constant scalar writes becomes one stored tile per target."""

    def __init__(self, in_memory: set[Var]) -> None:
        self.in_memory = in_memory

    def rewrite_ForStmt(self, stmt: ForStmt) -> Stmt:
        fills = _constant_fill(stmt, self.in_memory)
        if fills is None:
            rewritten: Stmt = self.generic(stmt)
            return rewritten
        return SeqStmts.flatten(with_comments(stmt, fills), stmt.span)


def canonicalise_constant_fill_loops(function: Function) -> Function:
    """Replace every loop that writes one constant along one axis of a tensor in global memory."""
    if "tensor.write" not in called_names(function.body):
        return function
    rewriter = _FillLoops(_tensors_in_memory(function))
    return function.with_(body=rewriter.rewrite(function.body))


def _tensors_in_memory(function: Function) -> set[Var]:
    """Parameters, and what is the same memory: results of assemble, write and view, and loop-carried values."""
    found: set[Var] = {p for p in function.params if isinstance(p.type, TensorType)}
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, AssignStmt):
            value = stmt.value
            if isinstance(value, Call) and value.name in ("tensor.assemble", "tensor.write", "tensor.view"):
                value = value.args[0]
            if as_var(value) in found:
                found.add(stmt.var)
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            for arg, result in zip(stmt.iter_args, stmt.return_vars):
                if as_var(arg.init_value) in found:
                    found.update((arg, result))
    return found


def _constant_fill(loop: ForStmt, in_memory: set[Var]) -> list[Stmt] | None:
    count = loop.stop
    if not (
        loop.kind is ForKind.Sequential
        and not loop.iter_args
        and not loop.attrs
        and _is_zero(loop.start)
        and isinstance(count, ConstInt)
        and count.value > 0
        and isinstance(loop.step, ConstInt)
        and loop.step.value == 1
    ):
        return None
    writes = []
    for stmt in body_stmts(loop.body):
        if not (
            isinstance(stmt, EvalStmt) and isinstance(stmt.expr, Call) and stmt.expr.name == "tensor.write"
        ):
            return None
        writes.append(stmt)
    if not writes:
        return None
    first = writes[0].expr
    assert isinstance(first, Call)
    out: list[Stmt] = []
    for stmt in writes:
        call = stmt.expr
        assert isinstance(call, Call)
        if not _same_place(first, call):
            return None
        fill = _fill(call, loop.loop_var, count.value, in_memory, stmt)
        if fill is None:
            return None
        out += fill
    return out


def _same_place(first: Call, call: Call) -> bool:
    """Whether two writes have the same indices, and targets of one shape and dtype."""
    a, b = first.args[0].type, call.args[0].type
    left, right = first.args[1], call.args[1]
    return (
        isinstance(a, TensorType)
        and isinstance(b, TensorType)
        and a.dtype is b.dtype
        and dims_equal(a.shape, b.shape)
        and isinstance(left, MakeTuple)
        and isinstance(right, MakeTuple)
        and dims_equal(left.elements, right.elements)
    )


def _offset_of(index: Expr, loop_var: Var) -> Expr | None:
    """``c`` of ``i``, ``i + c`` or ``c + i``; None for any other use of the loop variable."""
    if index is loop_var:
        return ConstInt(0)
    if isinstance(index, Add):
        for part, other in ((index.left, index.right), (index.right, index.left)):
            if part is loop_var and isinstance(other, ConstInt):
                return other
    return None


def _fill(call: Call, loop_var: Var, count: int, in_memory: set[Var], stmt: Stmt) -> list[Stmt] | None:
    target, indices, value = call.args
    kind = target.type
    if as_var(target) not in in_memory or not _is_plain(kind) or not isinstance(indices, MakeTuple):
        return None
    if not isinstance(value, (ConstInt, ConstFloat)) or isinstance(value, ConstBool):
        return None
    assert isinstance(kind, TensorType) and isinstance(target, Var)
    varying = [i for i, index in enumerate(indices.elements) if loop_var in collect_uses(index)]
    if len(varying) != 1 or count * kind.dtype.bits % _FILL_BITS:
        return None
    axis = varying[0]
    start = _offset_of(indices.elements[axis], loop_var)
    if start is None:
        return None
    for dim, index in zip(kind.shape[axis + 1 :], indices.elements[axis + 1 :]):
        if not (dim_equal(dim, ConstInt(1)) and _is_zero(index)):
            return None
    span = stmt.span
    base = base_name(target.name_hint)
    row = op_call("tensor.full", (int_tuple((1, count), span), value), {"dtype": kind.dtype}, span=span)
    storage = Var(f"{base}__scalar_fill_storage", row.type, span=span)
    box = [ConstInt(count) if i == axis else ConstInt(1) for i in range(kind.rank)]
    shaped = op_call("tensor.reshape", (storage, int_tuple(box, span)), span=span)
    fill = Var(f"{base}__scalar_fill", shaped.type, span=span)
    offsets = [start if i == axis else index for i, index in enumerate(indices.elements)]
    put = op_call("tensor.assemble", (target, fill, int_tuple(offsets, span)), span=span)
    return [
        AssignStmt(storage, row, span=span),
        AssignStmt(fill, shaped, span=span),
        EvalStmt(put, span=span),
    ]
