"""P1: an Out parameter that replaces an In parameter is merged with it (docs/spec/passes_tensor_to_tile.md Part 2, P1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Expr,
    ForStmt,
    Function,
    MakeTuple,
    ParamDirection,
    SeqStmts,
    Stmt,
    Submit,
    TensorType,
    Var,
    WhileStmt,
    body_stmts,
)
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.types import const_dims, dims_equal
from pypto_core.ir.walk import walk_stmts
from pypto_core.passes.orch_tensors.calls import Launch, Result, definitions, launches, result_of
from pypto_core.passes.orch_tensors.kernels import (
    Functions,
    Retype,
    is_kernel,
    is_orchestration,
    occurrences,
    out_mapping,
    top_level_values,
)
from pypto_core.passes.tensor_to_tile.callers import target_name

_MAX_HOPS = 16


@dataclass(frozen=True, slots=True)
class Merge:
    """Parameter ``out`` of a kernel becomes parameter ``read``."""

    read: int
    out: int


Merges = dict[str, tuple[Merge, ...]]


def merge_in_out(functions: Functions) -> None:
    """Find the merges of every kernel and apply them to it and to all its callers."""
    merges: Merges = {}
    for function in functions.values():
        if is_orchestration(function):
            for stmt in walk_stmts(function.body):
                if isinstance(stmt, (ForStmt, WhileStmt)) and stmt.iter_args:
                    _loop_form(stmt, functions, merges)
    for name, function in functions.items():
        if is_kernel(function) and name not in merges:
            found = _standalone_form(function, functions)
            if found:
                merges[name] = found
    if merges:
        _apply(functions, merges)


def _same_tensor(left: Var, right: Var) -> bool:
    a, b = left.type, right.type
    return (
        type(a) is type(b)
        and isinstance(a, TensorType)
        and isinstance(b, TensorType)
        and a.dtype is b.dtype
        and dims_equal(a.shape, b.shape)
    )


# -- loop form -------------------------------------------------------------------------------------------------------


def _loop_form(loop: ForStmt | WhileStmt, functions: Functions, merges: Merges) -> None:
    """A loop that hands its carried tensor to a kernel and yields what the kernel returned through a fresh tensor."""
    body = body_stmts(loop.body)
    ended = trailing_yield(loop.body)
    if ended is None or len(ended.values) != len(loop.iter_args):
        return
    values = {s.var: s.value for s in body if isinstance(s, AssignStmt)}
    found: dict[int, tuple[Launch, list[Merge]]] = {}
    for arg, yielded in zip(loop.iter_args, ended.values):
        result = result_of(yielded, values)
        if result is None:
            continue
        merge = _carried_merge(arg, result, values, functions)
        if merge is not None:
            found.setdefault(id(result.call), (result.call, []))[1].append(merge)
    for call, items in found.values():
        merges.setdefault(call.op.name, tuple(items))


def _carried_merge(
    carried: Var, result: Result, values: Mapping[Var, Expr], functions: Functions
) -> Merge | None:
    callee = functions.get(result.call.op.name)
    if callee is None or not is_kernel(callee):
        return None
    out = out_mapping(callee).get(result.item)
    args = result.call.args
    if out is None or out >= len(args) or not _is_create(args[out], values):
        return None
    for read, (arg, direction) in enumerate(zip(args, callee.param_directions)):
        if (
            arg is carried
            and direction is ParamDirection.In
            and _same_tensor(callee.params[read], callee.params[out])
        ):
            return Merge(read, out)
    return None


def _is_create(arg: Expr, values: Mapping[Var, Expr]) -> bool:
    var = as_var(arg)
    value = values.get(var) if var is not None else None
    return isinstance(value, Call) and value.name == "tensor.create"


# -- standalone form -------------------------------------------------------------------------------------------------


def _standalone_form(function: Function, functions: Functions) -> tuple[Merge, ...]:
    """An accumulator inside the kernel: the stored value goes back, through loops, to a full load of an In parameter."""
    values = top_level_values(function)
    found: list[Merge] = []
    for value in values.values():
        if isinstance(value, Call) and value.name == "tile.store" and value.args[2] in function.params:
            out = function.params.index(value.args[2])
            if function.param_directions[out] is not ParamDirection.Out:
                continue
            read = _loaded_param(value.args[0], function, values)
            if read is None or not _static_same(function.params[read], function.params[out]):
                continue
            merge = Merge(read, out)
            taken = any(m.read == read or m.out == out for m in found)
            if not taken and _every_call_allows(function.name, merge, functions):
                found.append(merge)
    return tuple(found)


def _static_same(left: Var, right: Var) -> bool:
    return (
        _same_tensor(left, right)
        and isinstance(left.type, TensorType)
        and const_dims(left.type.shape) is not None
    )


def _loaded_param(value: Expr, function: Function, values: Mapping[Var, Expr]) -> int | None:
    """Index of the In parameter whose full load reaches ``value`` through one to sixteen loop results."""
    starts: dict[Expr, Expr] = {}
    for stmt in body_stmts(function.body):
        if isinstance(stmt, (ForStmt, WhileStmt)):
            starts.update(zip(stmt.return_vars, (a.init_value for a in stmt.iter_args)))
    hops = 0
    while value in starts and hops < _MAX_HOPS:
        value = starts[value]
        hops += 1
    var = as_var(value)
    load = values.get(var) if var is not None else None
    if (
        not hops
        or not isinstance(load, Call)
        or load.name != "tile.load"
        or load.args[0] not in function.params
    ):
        return None
    index = function.params.index(load.args[0])
    full = _is_full_load(load) and function.param_directions[index] is ParamDirection.In
    return index if full else None


def _is_full_load(load: Call) -> bool:
    kind = load.args[0].type
    parts = load.args[1:4]
    if not isinstance(kind, TensorType) or not all(isinstance(p, MakeTuple) for p in parts):
        return False
    offsets, shape, valid = (p.elements for p in parts if isinstance(p, MakeTuple))
    return (
        all(isinstance(o, ConstInt) and o.value == 0 for o in offsets)
        and const_dims(kind.shape) is not None
        and dims_equal(shape, kind.shape)
        and dims_equal(valid, kind.shape)
    )


def _every_call_allows(name: str, merge: Merge, functions: Functions) -> bool:
    """Whether each call site passes a local fresh tensor as output and an input that it uses nowhere else."""
    seen = False
    for caller in functions.values():
        calls = [c for c in launches(caller.body) if target_name(c) == name]
        if not calls:
            continue
        seen = True
        values, counts = definitions(caller.body), occurrences(caller.body)
        for call in calls:
            if max(merge.read, merge.out) >= len(call.args) or not _is_create(call.args[merge.out], values):
                return False
            read = as_var(call.args[merge.read])
            if read is None or counts[read] != 1:
                return False
    return seen


# -- applying --------------------------------------------------------------------------------------------------------


def _apply(functions: Functions, merges: Merges) -> None:
    for name, found in merges.items():
        functions[name] = _merged_kernel(functions[name], found)
    dropped = {name: frozenset(m.out for m in found) for name, found in merges.items()}
    for name, function in list(functions.items()):
        rewriter = _DropArguments(dropped)
        body = rewriter.rewrite(function.body)
        if body is not function.body:
            functions[name] = function.with_(body=_without_dead(body, rewriter.freed))


def _merged_kernel(function: Function, merges: Sequence[Merge]) -> Function:
    params, directions = function.params, list(function.param_directions)
    for merge in merges:
        directions[merge.read] = ParamDirection.InOut
    gone = {m.out for m in merges}
    replaced: dict[Var, Expr] = {params[m.out]: params[m.read] for m in merges}
    kept = [i for i in range(len(params)) if i not in gone]
    return function.with_(
        params=tuple(params[i] for i in kept),
        param_directions=tuple(directions[i] for i in kept),
        body=Retype(replaced).rewrite(function.body),
    )


class _DropArguments(Rewriter):
    """Removes merged output arguments; ``freed`` collects the variables that were passed."""

    def __init__(self, dropped: Mapping[str, frozenset[int]]) -> None:
        self.dropped = dropped
        self.freed: set[Var] = set()

    def rewrite_Call(self, call: Call) -> Expr:
        return self._drop(self.generic(call))

    def rewrite_Submit(self, call: Submit) -> Expr:
        return self._drop(self.generic(call))

    def _drop(self, call: Launch) -> Expr:
        gone = self.dropped.get(target_name(call) or "")
        if not gone:
            return call
        self.freed.update(v for i in gone if i < len(call.args) and (v := as_var(call.args[i])) is not None)
        return call.with_(args=tuple(a for i, a in enumerate(call.args) if i not in gone))


def _without_dead(body: Stmt, candidates: set[Var]) -> Stmt:
    counts = occurrences(body)
    dead = {var for var in candidates if not counts.get(var)}
    return drop_creates(body, dead)


def drop_creates(body: Stmt, dead: set[Var]) -> Stmt:
    """Remove the creating assignments of ``dead`` variables, wherever they stand."""

    class Dropper(Rewriter):
        def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
            creates = isinstance(stmt.value, Call) and stmt.value.name in ("tensor.create", "tile.create")
            return SeqStmts(()) if creates and stmt.var in dead else stmt

    new: Stmt = Dropper().rewrite(body)
    return new
