"""Loop carries and branch merges follow the values that flow through them (docs/spec/passes_split.md §6)."""

from __future__ import annotations

from pypto_core.analysis.names import describe
from pypto_core.analysis.statements import as_var, trailing_yield
from pypto_core.diagnostics import PassError, Related
from pypto_core.ir import Expr, ForStmt, IfStmt, IterArg, Stmt, TupleGetItem, TupleType, Type, Var, WhileStmt
from pypto_core.ir.rewrite import substitute
from pypto_core.ir.structural import structural_equal
from pypto_core.passes.split_axis.extents import halve_with
from pypto_core.passes.split_axis.rejections import reject, reject_internal
from pypto_core.passes.split_axis.state import SplitState, TileInfo


def _replaced_tuple(expr: Expr, state: SplitState) -> Expr | None:
    """The replacement of a whole tuple, None when `expr` is no replaced tuple variable."""
    var = as_var(expr)
    new = state.repl.get(var) if var is not None else None
    return new if new is not None and isinstance(new.type, TupleType) else None


def repair_iter_args(iter_args: tuple[IterArg, ...], state: SplitState) -> tuple[IterArg, ...]:
    """Carries with the lane's type where their initial value has one; call before lowering the loop body."""
    out: list[IterArg] = []
    for arg in iter_args:
        init = substitute(arg.init_value, state.repl)
        info = state.operand_info(arg.init_value)
        whole = _replaced_tuple(arg.init_value, state)
        type_: Type = arg.type
        if info is not None:
            type_ = halve_with(arg.type, info.dim, info.half, state.lane, state.stride)
        elif whole is not None:
            type_ = whole.type
        if init is arg.init_value and type_ is arg.type:
            out.append(arg)
            continue
        new = IterArg(arg.name_hint, type_, init, span=arg.span)
        state.replace(arg, new, info)
        out.append(new)
    return tuple(out)


def validate_backedge(loop: ForStmt | WhileStmt, body: Stmt, state: SplitState) -> None:
    """The value yielded back must be lane-local exactly when the carry is; call after lowering `body`.

    Raises:
        PassError: ``split-carry-mismatch`` or ``split-yield-inline``.
    """
    last = trailing_yield(body)
    if last is None or len(last.values) != len(loop.iter_args):
        return
    for arg, value in zip(loop.iter_args, last.values):
        carry = state.repl.get(arg, arg)
        if isinstance(carry.type, TupleType):
            back = _replaced_tuple(value, state) or value
            if not structural_equal(carry.type, back.type):
                text = "but yields a tuple whose elements are split differently: lane-local on one side, full width on the other"
                raise _carry("R-CARRY-TUPLE", loop, arg, value, f"tuple {{name}} {text} ({{other}})")
            continue
        have, want = state.operand_info(value), state.operand_info(arg)
        if have is None and want is None:
            continue
        if have is not None and want is not None and have.same_as(want):
            continue
        if as_var(value) is None and not isinstance(value, TupleGetItem):
            name = describe(arg, loop.span)
            raise reject(
                "R-YIELD-INLINE",
                "split-yield-inline",
                f"the loop yields an inline expression back into '{name}', where the split cannot reach it; bind the "
                f"expression to a name before `pl.yield_`",
                loop.span,
                name=name,
            )
        raise _carry("R-CARRY", loop, arg, value, _carry_text(have, want) + "; derive both the same way")


def _carry_text(have: TileInfo | None, want: TileInfo | None) -> str:
    """What a loop does, with holes for the names: `want` is the carry's split, `have` that of the value yielded back."""
    if want is None:
        return (
            "{name} at full width but yields the lane-local {other} back into it: full width and one lane's share cannot "
            "share a carry"
        )
    if have is None:
        return "the lane-local {name} but yields {other}, which is full width, back into it"
    return f"{{name}} split on dim {want.dim} but yields the lane-local {{other}}, split on dim {have.dim}"


def _carry(rule: str, loop: Stmt, arg: IterArg, value: Expr, text: str) -> PassError:
    name, other = describe(arg, loop.span), describe(value, loop.span)
    message = "the loop carries " + text.format(name=f"'{name}'", other=f"'{other}'")
    related = (Related("the value yielded back", value.span),) if value.span.is_valid else ()
    return reject(rule, "split-carry-mismatch", message, loop.span, related, name=name, yielded=other)


def repair_return_vars(
    loop: ForStmt | WhileStmt, iter_args: tuple[IterArg, ...], state: SplitState
) -> tuple[Var, ...]:
    """Loop results with the type of their carry."""
    out: list[Var] = []
    for var, old, arg in zip(loop.return_vars, loop.iter_args, iter_args):
        info = state.operand_info(old)
        type_: Type = var.type
        if info is not None:
            type_ = halve_with(var.type, info.dim, info.half, state.lane, state.stride)
        elif isinstance(arg.type, TupleType) and not structural_equal(var.type, arg.type):
            type_ = arg.type
        out.append(_renewed(var, type_, info, state))
    return tuple(out)


def _renewed(var: Var, type_: Type, info: TileInfo | None, state: SplitState) -> Var:
    if type_ is var.type:
        return var
    new = Var(var.name_hint, type_, span=var.span)
    state.replace(var, new, info)
    return new


def repair_if_return_vars(
    stmt: IfStmt, then_body: Stmt, else_body: Stmt | None, state: SplitState
) -> tuple[Var, ...]:
    """Merge results with the type that both lowered branches yield.

    Raises:
        PassError: ``split-merge-mismatch`` when one branch yields a lane-local value and the other does not.
    """
    if not stmt.return_vars:
        return stmt.return_vars
    if else_body is None:
        raise reject_internal("an if that merges a value needs an else branch", stmt.span)
    then, other = trailing_yield(then_body), trailing_yield(else_body)
    if then is None or other is None:
        return stmt.return_vars
    out: list[Var] = []
    for var, a, b in zip(stmt.return_vars, then.values, other.values):
        whole_a, whole_b = _replaced_tuple(a, state), _replaced_tuple(b, state)
        if whole_a is not None or whole_b is not None:
            if whole_a is None or whole_b is None or not structural_equal(whole_a.type, whole_b.type):
                raise _merge("R-MERGE-TUPLE", stmt, var, a, b)
            out.append(_renewed(var, whole_a.type, None, state))
            continue
        left, right = state.operand_info(a), state.operand_info(b)
        if left is None and right is None:
            out.append(var)
        elif left is not None and right is not None and left.same_as(right):
            type_ = halve_with(var.type, left.dim, left.half, state.lane, state.stride)
            out.append(_renewed(var, type_, left, state))
        else:
            raise _merge("R-MERGE", stmt, var, a, b)
    return tuple(out)


def _merge(rule: str, stmt: IfStmt, var: Var, a: Expr, b: Expr) -> Exception:
    name = describe(var, stmt.span)
    related = tuple(
        Related(f"the value of the {which} branch", value.span)
        for which, value in (("then", a), ("else", b))
        if value.span.is_valid
    )
    return reject(
        rule,
        "split-merge-mismatch",
        f"the merge '{name}' gets a lane-local value from one of its branches and a full-width or differently split one "
        f"from the other; derive both branches the same way",
        stmt.span,
        related,
        name=name,
    )
