"""P5, the caller's side: pass windows of tensors instead of whole tensors to kernels that opted in
(docs/spec/passes_tensor_to_tile.md Part 2, P5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pypto_core.analysis.statements import as_var
from pypto_core.arith import Analyzer
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    GlobalVar,
    ParamDirection,
    ScalarType,
    Span,
    Stmt,
    Submit,
    TensorType,
    TupleGetItem,
    TupleType,
    Var,
    WhileStmt,
    body_stmts,
    substitute,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.rewrite import Rewriter
from pypto_core.ir.stmt import SeqStmts
from pypto_core.ir.walk import stmt_bodies, walk_stmts
from pypto_core.passes.orch_tensors.affine import ScalarDefinitions, affine
from pypto_core.passes.orch_tensors.calls import Launch, definitions, launches, result_of
from pypto_core.passes.orch_tensors.kernels import Functions, is_kernel, is_orchestration
from pypto_core.passes.orch_tensors.windows import (
    KernelWindows,
    Window,
    analyse,
    windowed_copy,
    windowed_name,
)
from pypto_core.passes.tensor_to_tile.callers import call_type, target_name
from pypto_core.passes.tensor_to_tile.lowering import int_tuple, op_call

_MAX_TENSORS = 32
_MAX_SCALARS = 16


def windowize(functions: Functions) -> None:
    """Rewrite the eligible calls of ``windowize=True`` kernels; the kernels themselves stay for the other calls."""
    facts = {
        name: analyse(function)
        for name, function in functions.items()
        if is_kernel(function) and function.attrs.get("windowize", False)
    }
    facts = {name: f for name, f in facts.items() if f.windows}
    if not facts:
        return
    copies = {name: windowed_copy(functions[name], f) for name, f in facts.items()}
    used: set[str] = set()
    for name, function in list(functions.items()):
        if is_orchestration(function):
            sites = _eligible(function, functions, facts)
            if sites:
                rewriter = _Rewrite(sites, functions, facts, copies)
                functions[name] = function.with_(body=rewriter.rewrite(function.body))
                used.update(site.call.op.name for site in sites.values())
    for name in used:
        functions[copies[name].name] = copies[name]


# -- which calls -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Site:
    """One call that may pass windows, with the loops around it (outermost first)."""

    call: Launch
    loops: tuple[ForStmt, ...]


@goes_deep
def _sites(stmts: tuple[Stmt, ...], loops: tuple[ForStmt, ...]) -> list[Site]:
    """Assigned kernel calls outside while loops."""
    found: list[Site] = []
    for stmt in stmts:
        if isinstance(stmt, AssignStmt):
            if isinstance(stmt.value, (Call, Submit)) and target_name(stmt.value) is not None:
                found.append(Site(stmt.value, loops))
        elif not isinstance(stmt, WhileStmt):
            inner = (*loops, stmt) if isinstance(stmt, ForStmt) else loops
            for body in stmt_bodies(stmt):
                found += _sites(body_stmts(body), inner)
    return found


class _Roots:
    """The tensor that a caller's value is a version of: through calls, assembles and loops."""

    def __init__(self, function: Function, functions: Functions) -> None:
        self.values = definitions(function.body)
        self.functions = functions
        self.carried: dict[Var, Expr] = {}
        for stmt in walk_stmts(function.body):
            if isinstance(stmt, (ForStmt, WhileStmt)):
                for arg, result in zip(stmt.iter_args, stmt.return_vars):
                    self.carried[arg] = self.carried[result] = arg.init_value

    def of(self, expr: Expr) -> Expr:
        seen: set[Expr] = set()
        while expr not in seen:
            seen.add(expr)
            if isinstance(expr, Var) and expr in self.carried:
                expr = self.carried[expr]
                continue
            value = self.values.get(expr) if isinstance(expr, Var) else expr
            if isinstance(value, Var):
                expr = value
            elif isinstance(value, Call) and value.name == "tensor.assemble":
                expr = value.args[0]
            else:
                result = result_of(expr, self.values)
                written = self._written_arg(result.call, result.item) if result is not None else None
                if written is None:
                    return expr
                expr = written
        return expr

    def _written_arg(self, call: Launch, item: int) -> Expr | None:
        callee = self.functions.get(target_name(call) or "")
        if callee is None or not is_kernel(callee):
            return None
        index = analyse(callee).results.get(item)
        return call.args[index] if index is not None and index < len(call.args) else None


def _eligible(
    function: Function, functions: Functions, facts: Mapping[str, KernelWindows]
) -> dict[Launch, Site]:
    sites = [s for s in _sites(body_stmts(function.body), ()) if s.call.op.name in facts]
    if not sites:
        return {}
    scalars = ScalarDefinitions(function.body)
    roots = _Roots(function, functions)
    good = {
        s.call: s
        for s in sites
        if _fits(s, functions, facts[s.call.op.name], scalars, roots)
        and not _assembled_later(function, s.call, roots)
    }
    while True:
        bad = {call for call in good if _has_other_writer(function, call, functions, facts, good, roots)}
        if not bad:
            return good
        good = {c: s for c, s in good.items() if c not in bad}


def _base_at(window: Window, callee: Function, call: Launch) -> tuple[Expr, ...]:
    given = dict(zip(callee.params, call.args))
    return tuple(Analyzer().simplify(substitute(b, given)) for b in window.base)


def _fits(
    site: Site, functions: Functions, facts: KernelWindows, scalars: ScalarDefinitions, roots: _Roots
) -> bool:
    call = site.call
    callee = functions[call.op.name]
    tensors = [a for a in call.args if isinstance(a.type, TensorType)]
    numbers = [a for a in call.args if isinstance(a.type, ScalarType)]
    if len(tensors) > _MAX_TENSORS or len(numbers) > _MAX_SCALARS or len(call.args) != len(callee.params):
        return False
    written = [i for i in facts.windows if callee.param_directions[i] is not ParamDirection.In]
    if isinstance(call, Submit) and not written:
        return False
    if any(i not in facts.results.values() for i in written):
        return False
    for index, window in facts.windows.items():
        arg = as_var(call.args[index])
        if arg is None or sum(a is arg for a in call.args) > 1:
            return False
        if index in written:
            base = tuple(scalars.resolve(b) for b in _base_at(window, callee, call))
            if not all(_disjoint(loop, base, window.shape, arg, roots) for loop in site.loops):
                return False
    return True


def _disjoint(loop: ForStmt, base: tuple[Expr, ...], shape: tuple[int, ...], arg: Var, roots: _Roots) -> bool:
    """Whether trips of a sequential loop write separate windows; a tensor made inside the loop is always separate."""
    if loop.kind is not ForKind.Sequential:
        return True
    root = roots.of(arg)
    if any(isinstance(s, AssignStmt) and s.var is root for s in walk_stmts(loop.body)):
        return True
    step = loop.step.value if isinstance(loop.step, ConstInt) else 0
    varying = []
    for axis, offset in enumerate(base):
        form = affine(offset)
        if form is None:
            return False
        stride = abs(form.factor(loop.loop_var) * step)
        if stride:
            varying.append(stride >= shape[axis])
    return varying == [True]


def _assembled_later(function: Function, call: Launch, roots: _Roots) -> bool:
    for stmt in walk_stmts(function.body):
        value = (
            stmt.value if isinstance(stmt, AssignStmt) else stmt.expr if isinstance(stmt, EvalStmt) else None
        )
        if isinstance(value, Call) and value.name == "tensor.assemble":
            result = result_of(value.args[1], roots.values)
            if result is not None and result.call is call:
                return True
    return False


def _has_other_writer(
    function: Function,
    call: Launch,
    functions: Functions,
    facts: Mapping[str, KernelWindows],
    good: Mapping[Launch, Site],
    roots: _Roots,
) -> bool:
    """Whether some call that keeps whole tensors writes a tensor of which ``call`` would write a window."""
    own = _written_roots(call, functions, roots)
    return any(
        other is not call and other not in good and own & _written_roots(other, functions, roots)
        for other in launches(function.body)
    )


def _written_roots(call: Launch, functions: Functions, roots: _Roots) -> set[Expr]:
    callee = functions.get(target_name(call) or "")
    if callee is None:
        return set()
    return {
        roots.of(arg)
        for arg, direction in zip(call.args, callee.param_directions)
        if direction is not ParamDirection.In
    }


# -- rewriting -------------------------------------------------------------------------------------------------------


class _Rewrite(Rewriter):
    """Slices the windows, calls the windowed copy and assembles its results."""

    def __init__(
        self,
        sites: Mapping[Launch, Site],
        functions: Functions,
        facts: Mapping[str, KernelWindows],
        copies: Mapping[str, Function],
    ) -> None:
        self.sites, self.functions, self.facts, self.copies = sites, functions, facts, copies
        self.parts: dict[Var, tuple[Var, Launch, dict[int, tuple[Expr, tuple[Expr, ...]]]]] = {}
        """Old tuple variable -> new one, the call, and (parent, base) of each windowed item."""

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        value = stmt.value
        if isinstance(value, (Call, Submit)) and value in self.sites:
            return self._call(stmt, value)
        if isinstance(value, TupleGetItem) and value.tuple in self.parts:
            return self._item(stmt, value)
        return stmt

    def _call(self, stmt: AssignStmt, call: Launch) -> Stmt:
        name, span = call.op.name, stmt.span
        callee, facts, copy = self.functions[name], self.facts[name], self.copies[name]
        out: list[Stmt] = []
        args = list(call.args)
        for index, window in facts.windows.items():
            parent = args[index]
            assert isinstance(parent, Var)
            base = _base_at(window, callee, call)
            piece = op_call(
                "tensor.slice", (parent, int_tuple(window.shape, span), int_tuple(base, span)), span=span
            )
            var = Var(f"{parent.name_hint}__window", piece.type, span=span)
            out.append(AssignStmt(var, piece, span=span))
            args[index] = var
        kind = call_type(copy)
        old = call.type
        if isinstance(call, Submit) and isinstance(old, TupleType):
            kind = TupleType((*copy.return_types, *old.types[len(copy.return_types) :]))
        new = call.with_(
            op=GlobalVar(windowed_name(name)), args=tuple(args), type=kind if kind is not None else old
        )
        items = {
            item: (call.args[index], _base_at(facts.windows[index], callee, call))
            for item, index in facts.results.items()
            if index in facts.windows and callee.param_directions[index] is not ParamDirection.In
        }
        if not items:
            out.append(stmt.with_(value=new, leading_comments=()))
        else:
            result = Var(f"{stmt.var.name_hint}__windowed", new.type, span=stmt.var.span)
            out.append(AssignStmt(result, new, span=span))
            if isinstance(new.type, TupleType):
                self.parts[stmt.var] = (result, call, items)
            else:
                parent, base = items[0]
                out.append(_assembled(stmt, parent, result, base, span))
        if stmt.leading_comments and out:
            out[0] = out[0].with_(leading_comments=stmt.leading_comments)
        return SeqStmts(tuple(out), span=span)

    def _item(self, stmt: AssignStmt, value: TupleGetItem) -> Stmt:
        assert isinstance(value.tuple, Var)
        whole, _call, items = self.parts[value.tuple]
        part = TupleGetItem(whole, value.index, span=value.span)
        found = items.get(value.index)
        if found is None:
            return stmt.with_(value=part)
        result = Var(f"{stmt.var.name_hint}__windowed", part.type, span=stmt.var.span)
        parent, base = found
        return SeqStmts(
            (AssignStmt(result, part, span=stmt.span), _assembled(stmt, parent, result, base, stmt.span)),
            span=stmt.span,
        )


def _assembled(stmt: AssignStmt, parent: Expr, part: Var, base: tuple[Expr, ...], span: Span) -> Stmt:
    call = op_call("tensor.assemble", (parent, part, int_tuple(base, span)), span=span)
    return stmt.with_(value=call, leading_comments=())
