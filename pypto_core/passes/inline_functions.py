"""InlineFunctions: splice Inline functions into their callers (docs/spec/passes_front.md Part 1).

Requires nothing; produces InlineFunctionsEliminated. Program-wide. Rejects recursion (`inline-recursion`), a return that
is not the last statement (`inline-return`) and a tuple result of another shape than a literal (`inline-tuple-return`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from pypto_core import ir
from pypto_core.analysis.spans import use_span
from pypto_core.diagnostics import Diagnostic, Severity, error
from pypto_core.passes.base import Pass, PassContract, PassError
from pypto_core.passes.blocks import with_comments
from pypto_core.passes.mutator import DeepClone, TypeMutator, fresh_definitions

CONTRACT = PassContract.of(produced="InlineFunctionsEliminated")

_DUMP_SCOPES = (
    ir.InCoreScopeStmt,
    ir.HierarchyScopeStmt,
    ir.ClusterScopeStmt,
    ir.SpmdScopeStmt,
    ir.SplitAivScopeStmt,
)
_EMPTY = ir.SeqStmts(())


def inline_functions(*, backend: str | None = None) -> Pass:
    """The pass; the backend plays no part."""
    return Pass("InlineFunctions", CONTRACT, _run)


def _run(program: ir.Program) -> ir.Program:
    inline = {f.name: f for f in program.functions if f.func_type is ir.FunctionType.Inline}
    if not inline:
        return program
    _reject_cycles(inline)
    counter = count()
    functions = {f.name: f for f in program.functions}
    # Templates first: with the bodies of the start of the round the order decides the numbers alone.
    order = sorted(functions, key=lambda name: (name not in inline, name))
    for _ in range(len(inline) + 1):
        bodies = {name: functions[name] for name in inline}
        changed = False
        for name in order:
            function = functions[name]
            new = function.with_(body=_Expander(bodies, counter).expand(function.body))
            changed |= new is not function
            functions[name] = new
        if not changed:
            break
    return program.with_functions(f for name, f in functions.items() if name not in inline)


def _inline_calls(body: ir.Stmt, inline: Mapping[str, ir.Function]) -> dict[str, ir.Call]:
    found: dict[str, ir.Call] = {}
    for call in ir.calls_in(body):
        if isinstance(call, ir.Call) and call.is_function_call and call.name in inline:
            found.setdefault(call.name, call)
    return found


def _reject_cycles(inline: Mapping[str, ir.Function]) -> None:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        path.append(name)
        for callee, call in _inline_calls(inline[name].body, inline).items():
            if callee in path:
                cycle = [*path[path.index(callee) :], callee]
                raise PassError(
                    error(
                        "inline-recursion",
                        f"Cycle detected in FunctionType::Inline call graph: {' -> '.join(cycle)}. An inline "
                        "function is copied into its caller and cannot call itself, directly or through others.",
                        call.span if call.span.is_valid else inline[name].span,
                        data={"cycle": tuple(cycle)},
                    )
                )
            if callee not in done:
                visit(callee, path)
        path.pop()
        done.add(name)

    for name in sorted(inline):
        if name not in done:
            visit(name, [])


class _TupleElements(TypeMutator):
    """Replaces ``v[i]`` by the i-th element of an inlined tuple result; the element is looked at again."""

    def __init__(self) -> None:
        self.elements: dict[ir.Expr, tuple[ir.Expr, ...]] = {}

    def rewrite_TupleGetItem(self, item: ir.TupleGetItem) -> ir.Expr:
        elements = self.elements.get(item.tuple)
        if elements is not None and item.index < len(elements):
            element: ir.Expr = self.rewrite(elements[item.index])
            return element
        new: ir.Expr = self.generic(item)
        return new


#: Statements that may be copied into one function. The compiler has no such bound and would not end; here it is one.
MAX_STATEMENTS = 100_000


class _Copies:
    """Statements that were copied so far, and how many each callee has."""

    def __init__(self) -> None:
        self._sizes: dict[ir.Function, int] = {}
        self._copied = 0

    def spend(self, callee: ir.Function, call: ir.Call) -> None:
        size = self._sizes.get(callee)
        if size is None:
            size = self._sizes[callee] = sum(1 for _ in ir.walk_stmts(callee.body))
        self._copied += size
        if self._copied > MAX_STATEMENTS:
            message = (
                f"inlining '{callee.name}' here makes more than {MAX_STATEMENTS} statements; make one of the "
                "functions a kernel of its own"
            )
            raise PassError(Diagnostic("not-supported", message, call.span, Severity.INFORMATION))


class _Expander:
    """Splices call sites of one function body, in program order."""

    def __init__(self, bodies: Mapping[str, ir.Function], counter: count[int]) -> None:
        self._bodies = bodies
        self._budget = _Copies()
        self._counter = counter
        self._tuples = _TupleElements()

    def expand(self, stmt: ir.Stmt) -> ir.Stmt:
        if isinstance(stmt, ir.SeqStmts):
            new = ir.map_tuple(stmt.stmts, self.expand)
            return stmt if new is stmt.stmts else ir.SeqStmts.flatten(new, stmt.span)
        if isinstance(stmt, ir.AssignStmt):
            call = self._site(stmt.value)
            if call is not None:
                return self._assign(stmt, call)
        elif isinstance(stmt, ir.EvalStmt):
            call = self._site(stmt.expr)
            if call is not None:
                body, _values = self._splice(call)
                return with_comments(ir.SeqStmts.flatten(body, stmt.span), stmt.leading_comments)
        elif isinstance(stmt, ir.ReturnStmt) and len(stmt.values) == 1:
            call = self._site(stmt.values[0])
            if call is not None:
                body, values = self._splice(call)
                if values is None:
                    raise _internal(
                        call, f"Inline function '{call.name}' returns nothing, but its result is used"
                    )
                elements = _tuple_result(self._bodies[call.name], body, values)
                result = ir.ReturnStmt(elements if elements is not None else values, span=stmt.span)
                return with_comments(ir.SeqStmts.flatten((*body, result), stmt.span), stmt.leading_comments)
        return self._children(stmt)

    def _children(self, stmt: ir.Stmt) -> ir.Stmt:
        if self._tuples.elements:
            # Expressions of the statement itself; bodies are expanded below with the tuples known there.
            stmt = _map_exprs(stmt, self._tuples)
        if isinstance(stmt, ir.IfStmt):
            return stmt.with_(
                then_body=self.expand(stmt.then_body),
                else_body=None if stmt.else_body is None else self.expand(stmt.else_body),
            )
        if isinstance(stmt, (ir.ForStmt, ir.WhileStmt, ir.ScopeStmt)):
            return stmt.with_(body=self.expand(stmt.body))
        return stmt

    def _site(self, expr: ir.Expr) -> ir.Call | None:
        if isinstance(expr, ir.Call) and expr.is_function_call and expr.name in self._bodies:
            if self._tuples.elements:
                new = self._tuples.rewrite(expr)
                assert isinstance(new, ir.Call)
                return new
            return expr
        return None

    def _assign(self, stmt: ir.AssignStmt, call: ir.Call) -> ir.Stmt:
        body, values = self._splice(call)
        if values is None:
            raise _internal(
                call, f"Inline function '{call.name}' returns nothing, but its result is assigned"
            )
        elements = _tuple_result(self._bodies[call.name], body, values)
        self._tuples.elements.pop(stmt.var, None)
        if elements is not None:
            self._tuples.elements[stmt.var] = elements
        elif values[0] is not stmt.var:
            body.append(ir.AssignStmt(stmt.var, values[0], span=stmt.span))
        return with_comments(ir.SeqStmts.flatten(body, stmt.span), stmt.leading_comments)

    def _splice(self, call: ir.Call) -> tuple[list[ir.Stmt], tuple[ir.Expr, ...] | None]:
        """The statements of the callee for this call and its returned values (None without a return)."""
        callee = self._bodies[call.name]
        if len(callee.params) != len(call.args):
            raise _internal(
                call,
                f"Inline function '{call.name}' takes {len(callee.params)} arguments, "
                f"but the call passes {len(call.args)}",
            )
        self._budget.spend(callee, call)
        params = set(callee.params)
        defined = [v for v in ir.collect_defs(callee.body) if type(v) is not ir.IterArg and v not in params]
        # Reverse first-encounter order: what the compiler is observed to do with its unordered set (§0.8).
        seed = fresh_definitions(reversed(defined), lambda v: f"{v.name_hint}_inline{next(self._counter)}")
        seed.update(zip(callee.params, call.args, strict=True))
        try:
            cloned = DeepClone(seed, clone_defs=True).rewrite(callee.body)
        except ValueError as failure:
            raise _internal(
                call, f"Inline function '{call.name}' assigns a parameter: {failure}"
            ) from failure
        statements: list[ir.Stmt] = []
        values: tuple[ir.Expr, ...] | None = None
        for inner in ir.body_stmts(cloned):
            if isinstance(inner, ir.ReturnStmt):
                values = inner.values or None
                break
            statements.append(inner)
        for inner in statements:
            if any(isinstance(s, ir.ReturnStmt) for s in ir.walk_stmts(inner)):
                raise PassError(
                    error(
                        "inline-return",
                        f"Inline function '{call.name}' contains a non-trailing ReturnStmt; only a single trailing "
                        "return is supported: an inline function is copied into its caller.",
                        next(s.span for s in ir.walk_stmts(inner) if isinstance(s, ir.ReturnStmt)),
                    )
                )
        dumped = call.attrs.get("dump_vars")
        if dumped:
            dumper = _DumpMerger(tuple(dumped))
            statements = [dumper.rewrite(s) for s in statements]
        return statements, values


def _tuple_result(
    callee: ir.Function, body: list[ir.Stmt], values: tuple[ir.Expr, ...]
) -> tuple[ir.Expr, ...] | None:
    """Elements of a tuple result, None for a single value. Deletes the assignment of a returned tuple variable."""
    if len(values) > 1:
        return values
    value = values[0]
    if not isinstance(value.type, ir.TupleType):
        return None
    if isinstance(value, ir.MakeTuple):
        return value.elements
    for i, stmt in enumerate(body):
        if isinstance(stmt, ir.AssignStmt) and stmt.var is value and isinstance(stmt.value, ir.MakeTuple):
            del body[i]
            return stmt.value.elements
    raise PassError(
        error(
            "inline-tuple-return",
            f"Inline function '{callee.name}' returns a tuple through an unsupported expression; "
            "return the elements themselves: `return a, b`.",
            _returned(callee, value.name_hint.rpartition("_inline")[0])
            if isinstance(value, ir.Var)
            else value.span,
        )
    )


def _returned(callee: ir.Function, name: str) -> ir.Span:
    """Where ``callee`` returns the variable called ``name``."""
    returns = [s.span for s in ir.walk_stmts(callee.body) if isinstance(s, ir.ReturnStmt) and s.span.is_valid]
    return use_span(returns[-1], name) if returns else callee.span


def _internal(call: ir.Call, message: str) -> PassError:
    return PassError(error("compiler-internal", message, call.span))


def _map_exprs(stmt: ir.Stmt, rewriter: ir.Rewriter) -> ir.Stmt:
    """``rewriter`` over the expressions that a statement itself uses; bodies stay."""
    if isinstance(stmt, ir.IfStmt):
        return stmt.with_(condition=rewriter.rewrite(stmt.condition))
    if isinstance(stmt, ir.ForStmt):
        return stmt.with_(
            start=rewriter.rewrite(stmt.start),
            stop=rewriter.rewrite(stmt.stop),
            step=rewriter.rewrite(stmt.step),
        )
    if isinstance(stmt, ir.WhileStmt):
        return stmt.with_(condition=rewriter.rewrite(stmt.condition))
    if isinstance(stmt, ir.SpmdScopeStmt):
        return stmt.with_(
            core_num=rewriter.rewrite(stmt.core_num), attrs=ir.map_attrs(stmt.attrs, rewriter.rewrite)
        )
    if isinstance(stmt, ir.ScopeStmt):
        return stmt.with_(attrs=ir.map_attrs(stmt.attrs, rewriter.rewrite))
    new: ir.Stmt = rewriter.rewrite(stmt)
    return new


class _DumpMerger(ir.Rewriter):
    """Forwards the dumped variables of an inlined call to the scopes and calls of the spliced code (§1.2, 4)."""

    def __init__(self, dumped: tuple[ir.Var, ...]) -> None:
        self._dumped = dumped

    def _merged(self, attrs: ir.AttrMap, wanted: list[ir.Var]) -> ir.AttrMap:
        existing = tuple(attrs.get("dump_vars", ()))
        added = tuple(v for v in dict.fromkeys(wanted) if v not in existing)
        return {**attrs, "dump_vars": (*existing, *added)} if added else attrs

    def rewrite_ScopeStmt(self, scope: ir.ScopeStmt) -> ir.Stmt:
        new: ir.ScopeStmt = self.generic(scope)
        if not isinstance(scope, _DUMP_SCOPES):
            return new
        mentioned = set(ir.collect_uses(scope.body)) | set(ir.collect_defs(scope.body))
        return new.with_(attrs=self._merged(new.attrs, [v for v in self._dumped if v in mentioned]))

    def rewrite_Call(self, call: ir.Call) -> ir.Expr:
        new: ir.Call = self.generic(call)
        if not call.is_function_call:
            return new
        return new.with_(attrs=self._merged(new.attrs, [v for v in self._dumped if v in call.args]))

    def rewrite_Submit(self, submit: ir.Submit) -> ir.Expr:
        new: ir.Submit = self.generic(submit)
        return new.with_(attrs=self._merged(new.attrs, [v for v in self._dumped if v in submit.args]))
