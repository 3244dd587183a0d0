"""Call sites of converted kernels (docs/spec/passes_tensor_to_tile.md §1.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pypto_core.analysis.statements import as_var
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    ParamDirection,
    ScopeStmt,
    Span,
    Stmt,
    Submit,
    TensorLayout,
    TensorType,
    TupleType,
    Type,
    Var,
    WhileStmt,
    body_stmts,
    substitute,
)
from pypto_core.ir.expr import GlobalVar
from pypto_core.ir.rewrite import Rewriter, map_attrs, map_tuple, map_type
from pypto_core.ir.walk import calls_in
from pypto_core.passes.tensor_to_tile.body import block_of, same_type
from pypto_core.passes.tensor_to_tile.lowering import int_tuple, op_call

Added = Mapping[str, tuple[Var, ...]]
"""Function name -> Out parameters that were appended to it."""


def call_type(function: Function) -> Type | None:
    """Type of a call of ``function``: its return type, a tuple of several; None when it returns nothing."""
    types = function.return_types
    if not types:
        return None
    return types[0] if len(types) == 1 else TupleType(types)


def target_name(call: Call | Submit) -> str | None:
    """Name of the program function that is called, None for an operator."""
    return call.op.name if isinstance(call.op, GlobalVar) else None


class _CallRewriter(Rewriter):
    """Appends arguments to calls of functions with added outputs. ``arguments`` makes them for one call."""

    def __init__(self, functions: Mapping[str, Function], added: Added) -> None:
        self.functions = functions
        self.added = added
        self.values: dict[Var, Var] = {}
        self.before: list[Stmt] = []
        self.span = Span.unknown()

    def arguments(self, callee: Function, call: Call | Submit, span: Span) -> tuple[Expr, ...]:
        raise NotImplementedError

    def rewrite_Var(self, var: Var) -> Expr:
        return self.values.get(var, var)

    def rewrite_Call(self, call: Call) -> Expr:
        new: Call = self.generic(call)
        name = target_name(call)
        if name is None or not self.added.get(name):
            return new
        callee = self.functions[name]
        extra = self.arguments(callee, new, self.span)
        kind = call_type(callee)
        return new.with_(
            args=(*new.args, *extra), type=new.type if kind is None or same_type(new.type, kind) else kind
        )

    def rewrite_Submit(self, call: Submit) -> Expr:
        new: Submit = self.generic(call)
        name = target_name(call)
        if name is None or not self.added.get(name):
            return new
        return new.with_(args=(*new.args, *self.arguments(self.functions[name], new, self.span)))

    def rewrite_stmts(self, body: Stmt) -> Stmt:
        """A body with the statements that new arguments need in front of each call."""
        out: list[Stmt] = []
        for stmt in body_stmts(body):
            self.span = stmt.span
            outer, self.before = self.before, []
            new = self.rewrite(stmt)
            out += self.before
            self.before = outer
            out.append(new)
        return block_of(out, body)

    def rewrite_AssignStmt(self, stmt: AssignStmt) -> Stmt:
        value = self.rewrite(stmt.value)
        if value is stmt.value or same_type(stmt.var.type, value.type):
            return stmt.with_(value=value)
        var = stmt.var.with_(type=value.type)
        self.values[stmt.var] = var
        return stmt.with_(var=var, value=value)

    def rewrite_ForStmt(self, stmt: ForStmt) -> Stmt:
        start, stop, step = self.rewrite(stmt.start), self.rewrite(stmt.stop), self.rewrite(stmt.step)
        iter_args = map_tuple(stmt.iter_args, self.rewrite_def)
        body = self.rewrite_stmts(stmt.body)
        return stmt.with_(start=start, stop=stop, step=step, iter_args=iter_args, body=body)

    def rewrite_WhileStmt(self, stmt: WhileStmt) -> Stmt:
        iter_args = map_tuple(stmt.iter_args, self.rewrite_def)
        condition = self.rewrite(stmt.condition)
        return stmt.with_(iter_args=iter_args, condition=condition, body=self.rewrite_stmts(stmt.body))

    def rewrite_IfStmt(self, stmt: IfStmt) -> Stmt:
        condition = self.rewrite(stmt.condition)
        then_body = self.rewrite_stmts(stmt.then_body)
        else_body = None if stmt.else_body is None else self.rewrite_stmts(stmt.else_body)
        return stmt.with_(condition=condition, then_body=then_body, else_body=else_body)

    def rewrite_ScopeStmt(self, stmt: ScopeStmt) -> Stmt:
        attrs = map_attrs(stmt.attrs, self.rewrite)
        return stmt.with_(attrs=attrs, body=self.rewrite_stmts(stmt.body))


class WrapperRewriter(_CallRewriter):
    """A Spmd or Group function gets the added outputs of what it calls and hands them on (§1.9 a)."""

    def __init__(self, functions: Mapping[str, Function], added: Added) -> None:
        super().__init__(functions, added)
        self.params: list[Var] = []

    def arguments(self, callee: Function, call: Call | Submit, span: Span) -> tuple[Expr, ...]:
        new = tuple(Var(var.name_hint, var.type, span=var.span) for var in self.added[callee.name])
        self.params += new
        return new


class OrchestrationRewriter(_CallRewriter):
    """Every other caller creates the outputs right before the call (§1.9 b)."""

    def arguments(self, callee: Function, call: Call | Submit, span: Span) -> tuple[Expr, ...]:
        given: dict[Var, Expr] = dict(zip(callee.params, call.args))
        return tuple(self._create(out, given, span) for out in self.added[callee.name])

    def _create(self, out: Var, given: Mapping[Var, Expr], span: Span) -> Var:
        kind = out.type
        assert isinstance(kind, TensorType)
        # An extent that names a parameter of the callee is the caller's argument here.
        shape = map_type(TensorType(kind.shape, kind.dtype), lambda dim: substitute(dim, given))
        assert isinstance(shape, TensorType)
        view = kind.tensor_view
        layout = view.layout if view is not None else TensorLayout.ND
        call = op_call(
            "tensor.create",
            (int_tuple(shape.shape, span),),
            {"dtype": kind.dtype, "layout": layout},
            span=span,
        )
        var = Var(out.name_hint, call.type, span=span)
        self.before.append(AssignStmt(var, call, span=span))
        return var


def rewrite_callers(functions: dict[str, Function], added: dict[str, tuple[Var, ...]]) -> None:
    """Bring every function that is not a kernel in line with the added outputs of the kernels; updates both maps."""
    wrappers = [f.name for f in functions.values() if f.func_type.is_wrapper]
    pending = True
    while pending:
        pending = False
        for name in wrappers:
            if (
                name not in added
                and _calls_added(functions[name], added)
                and _ready(functions, name, added, wrappers)
            ):
                functions[name], added[name] = _wrap(functions[name], functions, added)
                pending = True
    for name, function in list(functions.items()):
        if (
            not function.func_type.is_incore
            and not function.func_type.is_wrapper
            and _calls_added(function, added)
        ):
            rewriter = OrchestrationRewriter(functions, added)
            functions[name] = function.with_(body=rewriter.rewrite_stmts(function.body))


def _calls_added(function: Function, added: Added) -> bool:
    return any(added.get(target_name(call) or "") for call in calls_in(function.body))


def _ready(functions: Mapping[str, Function], name: str, added: Added, wrappers: Sequence[str]) -> bool:
    """Whether all wrappers that ``name`` calls have been done (or need nothing)."""
    for call in calls_in(functions[name].body):
        callee = target_name(call)
        if callee is None or callee == name or callee not in wrappers or callee in added:
            continue
        if _calls_added(functions[callee], added):
            return False
    return True


def _wrap(
    function: Function, functions: Mapping[str, Function], added: Added
) -> tuple[Function, tuple[Var, ...]]:
    rewriter = WrapperRewriter(functions, added)
    body = rewriter.rewrite_stmts(function.body)
    params = tuple(rewriter.params)
    return (
        function.with_(
            params=(*function.params, *params),
            param_directions=(*function.param_directions, *(ParamDirection.Out for _ in params)),
            body=body,
        ),
        params,
    )


def propagate_directions(functions: dict[str, Function]) -> None:
    """Parameters of other functions that are handed to an Out or InOut position become Out or InOut, until nothing
    changes (§1.9 c)."""
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            if function.func_type is FunctionType.InCore:
                continue
            new = _with_callee_directions(function, functions)
            if new is not function:
                functions[name] = new
                changed = True


def _with_callee_directions(function: Function, functions: Mapping[str, Function]) -> Function:
    directions = dict(zip(function.params, function.param_directions))
    for call in calls_in(function.body):
        callee = functions.get(target_name(call) or "")
        if callee is None:
            continue
        for arg, direction in zip(call.args, callee.param_directions):
            var = as_var(arg)
            if var is None or var not in directions or direction is ParamDirection.In:
                continue
            if direction is ParamDirection.InOut or directions[var] is ParamDirection.In:
                directions[var] = direction
    new = tuple(directions[param] for param in function.params)
    if all(a is b for a, b in zip(new, function.param_directions)):
        return function
    return function.with_(param_directions=new)
