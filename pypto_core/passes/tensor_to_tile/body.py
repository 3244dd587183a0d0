"""Rewriting a kernel body from tensors to tiles (docs/spec/passes_tensor_to_tile.md §1.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pypto_core.analysis.names import describe, dsl_name
from pypto_core.analysis.statements import trailing_yield
from pypto_core.backend import Backend
from pypto_core.diagnostics import PassError
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    IfStmt,
    IterArg,
    MemorySpace,
    ReturnStmt,
    ScalarType,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    structural_equal,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.rewrite import Substitution, map_attrs, map_tuple
from pypto_core.ir.stmt import SCOPE_CLASSES
from pypto_core.ops import OpError
from pypto_core.passes.tensor_to_tile.lowering import (
    VEC,
    Converter,
    Lowering,
    base_name,
    load_whole,
    pass_error,
)
from pypto_core.passes.tensor_to_tile.table import CONVERTERS, STAYS, required_spaces


def same_type(left: Type, right: Type) -> bool:
    """Whether a variable of type ``left`` may keep its type when its value has type ``right``."""
    return left is right or (type(left) is type(right) and structural_equal(left, right))


def block_of(stmts: Sequence[Stmt], like: Stmt) -> Stmt:
    """A flat body; ``like`` itself when it consists of exactly these statements."""
    old = body_stmts(like)
    if len(old) == len(stmts) and all(a is b for a, b in zip(old, stmts, strict=True)):
        return like
    return SeqStmts.flatten(stmts, like.span)


class BodyConverter:
    """Converts statements in program order; ``values`` maps what a variable was to what it is now."""

    def __init__(
        self,
        values: Mapping[Var, Expr],
        demands: Mapping[Var, MemorySpace],
        backend: Backend | None,
    ) -> None:
        self.values: dict[Var, Expr] = dict(values)
        self._renewed = Substitution(self.values)
        self.demands = demands
        self.backend = backend

    # -- bodies --------------------------------------------------------------------------------------------------
    def body(self, body: Stmt) -> Stmt:
        """A converted body; the same object when nothing in it changed."""
        return block_of(self.stmts(body_stmts(body)), body)

    def stmts(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        """Converted statements, prologues in place."""
        out: list[Stmt] = []
        for stmt in stmts:
            handler = self._handlers.get(stmt.__class__)
            if handler is None:
                out.append(stmt)
            else:
                out.extend(handler(self, stmt))
        return out

    def expr(self, expr: Expr) -> Expr:
        """``expr`` over the new values."""
        new: Expr = self._renewed.rewrite(expr)
        return new

    def exprs(self, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return self._renewed.rewrite_all(exprs)

    # -- calls ---------------------------------------------------------------------------------------------------
    def convert(self, call: Call, stmt: Stmt, var: Var | None) -> tuple[list[Stmt], Expr] | None:
        """Prologue and value of a converted call; None for a call that stays."""
        converter = CONVERTERS.get(call.name)
        if converter is None:
            self._check_stays(call, stmt)
            return None
        low = Lowering(
            call.span if call.span.is_valid else stmt.span,
            call=call,
            args=(),
            result_name=f"{base_name(var.name_hint)}__tile" if var is not None else "",
            space=self.demands.get(var, VEC) if var is not None else VEC,
            backend=self.backend,
        )
        # The call's own tuple, where nothing is new, lets a read that stays be the very same call.
        low.args = self._bridged(low, self.exprs(call.args))
        value = self._converted(converter, low)
        # Prologues may hold tensor reads of their own.
        return self.stmts(low.stmts), self.expr(value)

    def _converted(self, converter: Converter, low: Lowering) -> Expr:
        try:
            return converter(low)
        except PassError as error:
            if not isinstance(error.__cause__, OpError):
                raise
            # The author wrote the tensor operator; the broken contract is that of the tile operator it becomes.
            found = error.diagnostic
            message = f"{dsl_name(low.name)}: {found.message}"
            raise PassError(replace(found, message=message)) from error

    def _bridged(self, low: Lowering, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """``args``, loaded into the space that the operator requires where they are still in global memory."""
        spaces = required_spaces(low.name)
        for index, (arg, space) in enumerate(zip(args, spaces)):
            if space is not None and isinstance(arg.type, TensorType):
                name = f"{arg.name_hint}_{space.name.lower()}" if isinstance(arg, Var) else f"bridged_{index}"
                loaded = low.let(name, load_whole(arg, space, low.span))
                args = (*args[:index], loaded, *args[index + 1 :])
        return args

    def _check_stays(self, call: Call, stmt: Stmt) -> None:
        if not call.name.startswith("tensor.") and call.name != "test.tensor_op_no_conv":
            return
        if call.name not in STAYS:
            raise pass_error(
                "compiler-internal",
                f"{call.name} has no tile form: it cannot run in a kernel",
                stmt.span,
                op=call.name,
            )
        if call.name == "tensor.view" and isinstance(self.expr(call.args[0]).type, TileType):
            raise pass_error(
                "op-kind",
                "tensor.view in an InCore function requires a GM Tensor input that remains tensor-like through ConvertTensorToTileOps: "
                f"'{describe(call.args[0], stmt.span)}' is held on the core in this kernel; use pl.reshape",
                stmt.span,
                op=call.name,
            )

    # -- statements ----------------------------------------------------------------------------------------------
    def _assign(self, stmt: AssignStmt) -> list[Stmt]:
        value = stmt.value
        if value.__class__ is Call:
            assert isinstance(value, Call)
            converted = self.convert(value, stmt, stmt.var)
            if converted is not None:
                prologue, result = converted
                name = f"{base_name(stmt.var.name_hint)}__tile"
                if not prologue and result is value and stmt.var.name_hint == name:
                    return [stmt]
                return with_comments(stmt, [*prologue, self._bind(stmt, name, result)])
        new = self.expr(value)
        if new is value:
            return [stmt]
        if isinstance(new.type, ScalarType) or same_type(stmt.var.type, new.type):
            return [stmt.with_(value=new)]
        return with_comments(stmt, [self._bind(stmt, stmt.var.name_hint, new)])

    def _bind(self, stmt: AssignStmt, name: str, value: Expr) -> Stmt:
        var = Var(name, value.type, span=stmt.var.span)
        self.values[stmt.var] = var
        return AssignStmt(var, value, span=stmt.span)

    def _eval(self, stmt: EvalStmt) -> list[Stmt]:
        if isinstance(stmt.expr, Call):
            converted = self.convert(stmt.expr, stmt, None)
            if converted is not None:
                prologue, result = converted
                if not isinstance(result, Call):
                    return with_comments(stmt, prologue)
                if not prologue and result is stmt.expr:
                    return [stmt]
                return with_comments(stmt, [*prologue, EvalStmt(result, span=stmt.span)])
        return [stmt.with_(expr=self.expr(stmt.expr))]

    def _values(self, stmt: Any) -> list[Stmt]:
        return [stmt.with_(values=self.exprs(stmt.values))]

    def _for(self, stmt: ForStmt) -> list[Stmt]:
        start, stop, step = self.expr(stmt.start), self.expr(stmt.stop), self.expr(stmt.step)
        iter_args = self._iter_args(stmt.iter_args)
        body = self.body(stmt.body)
        return [
            stmt.with_(
                start=start,
                stop=stop,
                step=step,
                iter_args=iter_args,
                body=body,
                return_vars=self._loop_results(stmt.return_vars, iter_args),
            )
        ]

    def _while(self, stmt: WhileStmt) -> list[Stmt]:
        iter_args = self._iter_args(stmt.iter_args)
        condition = self.expr(stmt.condition)
        body = self.body(stmt.body)
        return [
            stmt.with_(
                iter_args=iter_args,
                condition=condition,
                body=body,
                return_vars=self._loop_results(stmt.return_vars, iter_args),
            )
        ]

    def _iter_args(self, iter_args: tuple[IterArg, ...]) -> tuple[IterArg, ...]:
        """Loop-carried values follow the type of what they start from."""

        def renewed(arg: IterArg) -> IterArg:
            init = self.expr(arg.init_value)
            if init is arg.init_value:
                return arg
            kind = arg.type if same_type(arg.type, init.type) else init.type
            new = IterArg(arg.name_hint, kind, init, span=arg.span)
            self.values[arg] = new
            return new

        return map_tuple(iter_args, renewed)

    def _loop_results(self, results: tuple[Var, ...], iter_args: tuple[IterArg, ...]) -> tuple[Var, ...]:
        """Results take the type of the carried value, whatever the body yields."""
        kinds = [arg.type for arg in iter_args]
        return self._retyped(results, kinds)

    def _retyped(self, results: tuple[Var, ...], kinds: Sequence[Type]) -> tuple[Var, ...]:
        if len(results) != len(kinds):
            return results
        pairs = iter(kinds)

        def renewed(var: Var) -> Var:
            kind = next(pairs)
            if same_type(var.type, kind):
                return var
            new = var.with_(type=kind)
            self.values[var] = new
            return new

        return map_tuple(results, renewed)

    @goes_deep
    def _if(self, stmt: IfStmt) -> list[Stmt]:
        condition = self.expr(stmt.condition)
        then_body = self._branch(stmt.then_body)
        else_body = None if stmt.else_body is None else self._branch(stmt.else_body)
        results = stmt.return_vars
        if results:
            ended = trailing_yield(then_body) or (None if else_body is None else trailing_yield(else_body))
            if ended is not None:
                results = self._retyped(results, [value.type for value in ended.values])
        return [
            stmt.with_(condition=condition, then_body=then_body, else_body=else_body, return_vars=results)
        ]

    def _branch(self, body: Stmt) -> Stmt:
        """Each branch sees the values from before the statement only."""
        return BodyConverter(self.values, self.demands, self.backend).body(body)

    def _scope(self, stmt: ScopeStmt) -> list[Stmt]:
        """A scope stays; what its body defines is visible after it."""
        body = self.body(stmt.body)
        return [stmt.with_(body=body, attrs=map_attrs(stmt.attrs, self.expr))]

    _handlers: ClassVar[dict[type, Callable[[Any, Any], list[Stmt]]]]


def with_comments(source: Stmt, stmts: list[Stmt]) -> list[Stmt]:
    """The author's comments of ``source`` in front of what it became."""
    if source.leading_comments and stmts:
        stmts[0] = stmts[0].with_(leading_comments=source.leading_comments)
    return stmts


BodyConverter._handlers = {
    AssignStmt: BodyConverter._assign,
    EvalStmt: BodyConverter._eval,
    ReturnStmt: BodyConverter._values,
    YieldStmt: BodyConverter._values,
    ForStmt: BodyConverter._for,
    WhileStmt: BodyConverter._while,
    IfStmt: BodyConverter._if,
    **dict.fromkeys(SCOPE_CLASSES, BodyConverter._scope),
}
