"""Parts of nodes, and walks over them (docs/spec/ir.md §1.11 gives the order).

The parts of a node are one dictionary look-up by its class away; a class without a row of its own has that of its base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pypto_core.ir.basic_types import TupleType
from pypto_core.ir.expr import (
    BinaryExpr,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    IterArg,
    MakeTuple,
    MemRef,
    Submit,
    TupleGetItem,
    UnaryExpr,
    Var,
    WindowBuffer,
)
from pypto_core.ir.node import AttrMap, Expr, Node, Stmt, Type
from pypto_core.ir.stmt import (
    AssignStmt,
    CommDomainScopeStmt,
    EvalStmt,
    ForStmt,
    IfStmt,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    SpmdScopeStmt,
    WhileStmt,
    YieldStmt,
)
from pypto_core.ir.types import TensorType, TileType

T = TypeVar("T")


def attr_exprs(attrs: AttrMap) -> Iterator[Expr]:
    """Expressions among attribute values: an Expr, or the members of a list of them. They are real uses."""
    for value in attrs.values():
        if isinstance(value, Expr):
            yield value
        elif isinstance(value, (tuple, list)):
            for item in value:
                if isinstance(item, Expr):
                    yield item


# ---------------------------------------------------------------------------------------------- children of one node
def _call_children(e: Call) -> tuple[Expr, ...]:
    return (*e.args, *attr_exprs(e.attrs)) if e.attrs else e.args


def _submit_children(e: Submit) -> tuple[Expr, ...]:
    optional = (part for part in (e.core_num, e.predicate) if part is not None)
    return (*e.args, *e.deps, *optional, *attr_exprs(e.attrs))


def _memref_children(e: MemRef) -> tuple[Expr, ...]:
    return (e.base, e.byte_offset) if e.slot_index is None else (e.base, e.byte_offset, e.slot_index)


_EXPR_CHILDREN: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Call: _call_children,
    Submit: _submit_children,
    MakeTuple: lambda e: e.elements,
    TupleGetItem: lambda e: (e.tuple,),
    BinaryExpr: lambda e: (e.left, e.right),
    UnaryExpr: lambda e: (e.operand,),
    MemRef: _memref_children,
    WindowBuffer: lambda e: (e.base, e.size),
    Expr: lambda e: (),
}


def _scope_exprs(s: ScopeStmt) -> tuple[Expr, ...]:
    return tuple(attr_exprs(s.attrs)) if s.attrs else ()


def _for_exprs(s: ForStmt) -> tuple[Expr, ...]:
    return (*(a.init_value for a in s.iter_args), s.start, s.stop, s.step)


_STMT_EXPRS: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    AssignStmt: lambda s: (s.value,),
    EvalStmt: lambda s: (s.expr,),
    ReturnStmt: lambda s: s.values,
    YieldStmt: lambda s: s.values,
    IfStmt: lambda s: (s.condition,),
    ForStmt: _for_exprs,
    WhileStmt: lambda s: (*(a.init_value for a in s.iter_args), s.condition),
    SpmdScopeStmt: lambda s: (s.core_num, *attr_exprs(s.attrs)),
    CommDomainScopeStmt: lambda s: (*s.slots, *attr_exprs(s.attrs)),
    ScopeStmt: _scope_exprs,
    Stmt: lambda s: (),
}

_STMT_DEFS: dict[type, Callable[[Any], tuple[Var, ...]]] = {
    AssignStmt: lambda s: (s.var,),
    IfStmt: lambda s: s.return_vars,
    ForStmt: lambda s: (s.loop_var, *s.return_vars, *s.iter_args),
    WhileStmt: lambda s: (*s.return_vars, *s.iter_args),
    Stmt: lambda s: (),
}

_STMT_BODIES: dict[type, Callable[[Any], tuple[Stmt, ...]]] = {
    SeqStmts: lambda s: s.stmts,
    IfStmt: lambda s: (s.then_body,) if s.else_body is None else (s.then_body, s.else_body),
    ForStmt: lambda s: (s.body,),
    WhileStmt: lambda s: (s.body,),
    ScopeStmt: lambda s: (s.body,),
    Stmt: lambda s: (),
}


def by_class(table: dict[type, T], cls: type) -> T:
    """What ``table`` has for ``cls`` or its nearest base; remembered in the table."""
    found = table.get(cls)
    if found is None:
        found = next(table[base] for base in cls.__mro__ if base in table)
        table[cls] = found
    return found


def expr_children(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions, attribute expressions included (a Var has none, an IterArg neither)."""
    method = _EXPR_CHILDREN.get(expr.__class__) or by_class(_EXPR_CHILDREN, expr.__class__)
    return method(expr)


def stmt_exprs(stmt: Stmt) -> tuple[Expr, ...]:
    """Expressions a statement itself uses (loop init values and bounds, scope attributes), bodies excluded."""
    method = _STMT_EXPRS.get(stmt.__class__) or by_class(_STMT_EXPRS, stmt.__class__)
    return method(stmt)


def stmt_defs(stmt: Stmt) -> tuple[Var, ...]:
    """Variables a statement itself defines, in the order of §1.11 (iter_args are definitions)."""
    method = _STMT_DEFS.get(stmt.__class__) or by_class(_STMT_DEFS, stmt.__class__)
    return method(stmt)


def stmt_bodies(stmt: Stmt) -> tuple[Stmt, ...]:
    """Direct child statements."""
    method = _STMT_BODIES.get(stmt.__class__) or by_class(_STMT_BODIES, stmt.__class__)
    return method(stmt)


#: Expressions without parts; most of what is walked over.
LEAVES: frozenset[type] = frozenset((Var, IterArg, ConstInt, ConstFloat, ConstBool))
#: Statements without bodies, likewise.
_FLAT: frozenset[type] = frozenset((AssignStmt, EvalStmt, YieldStmt, ReturnStmt))


def walk_exprs(expr: Expr) -> Iterator[Expr]:
    """``expr`` and everything below it, pre-order."""
    todo = [expr]
    while todo:
        inner = todo.pop()
        yield inner
        if inner.__class__ not in LEAVES:
            children = expr_children(inner)
            if children:
                todo += children
                if len(children) > 1:
                    todo[-len(children) :] = children[::-1]


def walk_stmts(stmt: Stmt) -> Iterator[Stmt]:
    """``stmt`` and every statement below it, pre-order; statement lists themselves are not yielded."""
    todo = [stmt]
    while todo:
        inner = todo.pop()
        kind = inner.__class__
        if kind is not SeqStmts:
            yield inner
            if kind in _FLAT:
                continue
        todo += stmt_bodies(inner)[::-1]


def walk(stmt: Stmt) -> Iterator[Node]:
    """Every statement and every expression it uses, in program order, pre-order."""
    for inner in walk_stmts(stmt):
        yield inner
        for expr in stmt_exprs(inner):
            yield from walk_exprs(expr)


def expr_vars(expr: Expr) -> list[Var]:
    """Every variable occurrence in an expression, left to right, attribute values last. Types are not entered."""
    kind = expr.__class__
    if kind is Var or kind is IterArg:
        return [expr]  # type: ignore[list-item]
    if kind in LEAVES:
        return []
    found: list[Any] = []
    todo = list(expr_children(expr)[::-1])
    while todo:
        inner = todo.pop()
        kind = inner.__class__
        if kind is Var or kind is IterArg:
            found.append(inner)
        elif kind not in LEAVES:
            todo += expr_children(inner)[::-1]
    return found


def collect_defs(stmt: Stmt) -> list[Var]:
    """All variables defined below ``stmt``, in order, each once."""
    seen: dict[Var, None] = {}
    for inner in walk_stmts(stmt):
        for var in stmt_defs(inner):
            seen.setdefault(var)
    return list(seen)


def collect_uses(node: Stmt | Expr) -> list[Var]:
    """All variables read below ``node`` (not those that occur in types only), in first-use order, each once."""
    if isinstance(node, Expr):
        return list(dict.fromkeys(expr_vars(node)))
    seen: dict[Var, None] = {}
    for inner in walk_stmts(node):
        for expr in stmt_exprs(inner):
            seen.update(dict.fromkeys(expr_vars(expr)))
    return list(seen)


def own_calls(stmt: Stmt) -> list[Call | Submit]:
    """Every Call and Submit in the expressions of a statement itself, pre-order; bodies excluded."""
    found: list[Call | Submit] = []
    todo = _inner(stmt_exprs(stmt))
    while todo:
        expr = todo.pop()
        kind = expr.__class__
        if kind is Call or kind is Submit:
            found.append(expr)  # type: ignore[arg-type]
        todo += _inner(expr_children(expr))
    return found


def _inner(exprs: tuple[Expr, ...]) -> list[Expr]:
    """The expressions that have parts, the last one first."""
    return [expr for expr in exprs[::-1] if expr.__class__ not in LEAVES]


#: The calls below a statement with a body: most passes and verifiers ask a function for them, and few change all of it.
_calls: WeakKeyDictionary[Stmt, tuple[Call | Submit, ...]] = WeakKeyDictionary()


def calls_in(stmt: Stmt) -> Sequence[Call | Submit]:
    """Every Call and Submit below ``stmt``, pre-order."""
    if stmt.__class__ in _FLAT:
        return own_calls(stmt)
    found = _calls.get(stmt)
    if found is None:
        found = _calls[stmt] = tuple(call for inner in walk_stmts(stmt) for call in own_calls(inner))
    return found


def type_exprs(kind: Type) -> Iterator[Expr]:
    """Every dimension, valid extent, stride and offset expression of a type (memrefs excluded)."""
    if isinstance(kind, TensorType):
        yield from kind.shape
        if kind.tensor_view is not None:
            yield from kind.tensor_view.valid_shape
            yield from kind.tensor_view.stride
    elif isinstance(kind, TileType):
        yield from kind.shape
        view = kind.tile_view
        if view is not None:
            yield from view.valid_shape
            yield from view.stride
            if view.start_offset is not None:
                yield view.start_offset
    elif isinstance(kind, TupleType):
        for element in kind.types:
            yield from type_exprs(element)
