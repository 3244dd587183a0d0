"""InjectGMPipeBuffer: chips whose pipes run through global memory get a buffer parameter (docs/spec/passes_split.md §11)."""

from __future__ import annotations

from functools import partial

from pypto_core.analysis.lanes import PIPE_INIT_OPS
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    Function,
    FunctionType,
    MakeTuple,
    ParamDirection,
    Program,
    Stmt,
    Submit,
    TensorLayout,
    TensorType,
    Var,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.stmt import SeqStmts
from pypto_core.ir.walk import called_names, stmt_exprs, walk_exprs
from pypto_core.ops.registry import create_op_call
from pypto_core.passes.base import Pass, PassContract
from pypto_core.passes.split_axis.extents import index

BUFFER = "__gm_pipe_buffer"
_KEPT = "SSAForm NormalizedStmtStructure MixedKernelExpanded"
CONTRACT = PassContract.of(required=_KEPT, produced=_KEPT)


def inject_gm_pipe_buffer(*, backend: str | Backend | None = None) -> Pass:
    """The pass; it changes nothing unless `backend` needs the buffer."""
    return Pass("InjectGMPipeBuffer", CONTRACT, partial(_run, get_backend(backend)))


def _run(backend: Backend | None, program: Program) -> Program:
    if backend is None or not backend.requires_gm_pipe_buffer:
        return program
    needing = _functions_needing_buffer(program)
    if not needing:
        return program
    return program.with_functions(_rewrite(f, needing) for f in program.functions)


def _initialises_pipe(function: Function) -> bool:
    return not PIPE_INIT_OPS.isdisjoint(called_names(function.body))


def _has_buffer(function: Function) -> bool:
    return any(p.name_hint == BUFFER for p in function.params)


def _functions_needing_buffer(program: Program) -> frozenset[str]:
    """Pipe functions and everything that calls them, up to the orchestration that owns the buffer."""
    needing = {f.name for f in program.functions if _initialises_pipe(f) and not _has_buffer(f)}
    callees = {f.name: called_names(f.body) for f in program.functions}
    changed = bool(needing)
    while changed:
        changed = False
        for function in program.functions:
            if function.func_type is FunctionType.Orchestration or function.name in needing:
                continue
            if callees[function.name] & needing and not _has_buffer(function):
                needing.add(function.name)
                changed = True
    return frozenset(needing)


def _rewrite(function: Function, needing: frozenset[str]) -> Function:
    if function.name in needing:
        buffer = Var(BUFFER, TensorType((index(1),), DataType.FP32), span=function.span)
        body = function.body
        if not needing.isdisjoint(called_names(body)):
            body = _Forward(buffer, needing).rewrite(body)
        return function.with_(
            params=(*function.params, buffer),
            param_directions=(*function.param_directions, ParamDirection.Out),
            body=body,
        )
    if function.func_type is FunctionType.Orchestration:
        return function.with_(body=_Allocate(needing).rewrite(function.body))
    own = next((p for p in function.params if p.name_hint == BUFFER), None)
    return function if own is None else function.with_(body=_Forward(own, needing).rewrite(function.body))


class _Forward(Rewriter):
    """Passes one buffer to every call that needs it."""

    def __init__(self, buffer: Expr, needing: frozenset[str]) -> None:
        self.buffer = buffer
        self.needing = needing

    def rewrite_Call(self, call: Call) -> Expr:
        return self.append(call, call.is_function_call)

    def rewrite_Submit(self, call: Submit) -> Expr:
        return self.append(call, True)

    def append(self, call: Call | Submit, is_function: bool) -> Expr:
        new: Call | Submit = self.generic(call)
        if is_function and call.name in self.needing:
            return new.with_(args=(*new.args, self.buffer))
        return new


class _Allocate(Rewriter):
    """Creates a buffer in front of every launch statement of an orchestration function."""

    def __init__(self, needing: frozenset[str]) -> None:
        self.needing = needing
        self.count = 0

    def rewrite_Stmt(self, stmt: Stmt) -> Stmt:
        if not self.launches(stmt):
            new: Stmt = self.generic(stmt)
            return new
        call = create_op_call(
            "tensor.create",
            (MakeTuple((index(1),), span=stmt.span),),
            {"dtype": DataType.FP32, "layout": TensorLayout.ND, "manual_dep": True},
            span=stmt.span,
        )
        buffer = Var(f"gm_pipe_buffer_{self.count}", call.type, span=stmt.span)
        self.count += 1
        made = AssignStmt(buffer, call, span=stmt.span)
        return SeqStmts((made, _Forward(buffer, self.needing).rewrite(stmt)))

    def launches(self, stmt: Stmt) -> bool:
        return any(
            isinstance(e, (Call, Submit)) and e.name in self.needing
            for root in stmt_exprs(stmt)
            for e in walk_exprs(root)
        )
