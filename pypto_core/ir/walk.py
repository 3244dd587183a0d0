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


class ClassTable(dict[type, T]):
    """What there is for a class, or for the nearest of its bases that has a row; remembered as a row of its own."""

    def __missing__(self, cls: type) -> T:
        found = self[cls] = next(self[base] for base in cls.__mro__[1:] if base in self)
        return found


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


_EXPR_CHILDREN: ClassTable[Callable[[Any], tuple[Expr, ...]]] = ClassTable(
    {
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
)


def _scope_exprs(s: ScopeStmt) -> tuple[Expr, ...]:
    return tuple(attr_exprs(s.attrs)) if s.attrs else ()


def _for_exprs(s: ForStmt) -> tuple[Expr, ...]:
    return (*(a.init_value for a in s.iter_args), s.start, s.stop, s.step)


_STMT_EXPRS: ClassTable[Callable[[Any], tuple[Expr, ...]]] = ClassTable(
    {
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
)

_STMT_DEFS: ClassTable[Callable[[Any], tuple[Var, ...]]] = ClassTable(
    {
        AssignStmt: lambda s: (s.var,),
        IfStmt: lambda s: s.return_vars,
        ForStmt: lambda s: (s.loop_var, *s.return_vars, *s.iter_args),
        WhileStmt: lambda s: (*s.return_vars, *s.iter_args),
        Stmt: lambda s: (),
    }
)

_STMT_BODIES: ClassTable[Callable[[Any], tuple[Stmt, ...]]] = ClassTable(
    {
        SeqStmts: lambda s: s.stmts,
        IfStmt: lambda s: (s.then_body,) if s.else_body is None else (s.then_body, s.else_body),
        ForStmt: lambda s: (s.body,),
        WhileStmt: lambda s: (s.body,),
        ScopeStmt: lambda s: (s.body,),
        Stmt: lambda s: (),
    }
)


def expr_children(expr: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions, attribute expressions included (a Var has none, an IterArg neither)."""
    return _EXPR_CHILDREN[expr.__class__](expr)


def stmt_exprs(stmt: Stmt) -> tuple[Expr, ...]:
    """Expressions a statement itself uses (loop init values and bounds, scope attributes), bodies excluded."""
    return _STMT_EXPRS[stmt.__class__](stmt)


def stmt_defs(stmt: Stmt) -> tuple[Var, ...]:
    """Variables a statement itself defines, in the order of §1.11 (iter_args are definitions)."""
    return _STMT_DEFS[stmt.__class__](stmt)


def stmt_bodies(stmt: Stmt) -> tuple[Stmt, ...]:
    """Direct child statements."""
    return _STMT_BODIES[stmt.__class__](stmt)


#: Expressions without parts; most of what is walked over.
LEAVES: frozenset[type] = frozenset((Var, IterArg, ConstInt, ConstFloat, ConstBool))
_CONSTANTS: frozenset[type] = LEAVES - {Var, IterArg}
#: Statements without bodies, likewise.
_FLAT: frozenset[type] = frozenset((AssignStmt, EvalStmt, YieldStmt, ReturnStmt))


def walk_exprs(expr: Expr) -> Iterator[Expr]:
    """``expr`` and everything below it, pre-order."""
    todo = [expr]
    while todo:
        inner = todo.pop()
        yield inner
        if inner.__class__ not in LEAVES:
            todo += _EXPR_CHILDREN[inner.__class__](inner)[::-1]


#: The statements below a list of them: most passes and verifiers walk over every function, and few change all of it. (A list is
#: not among the statements below itself, so what is remembered does not keep it alive.)
_below: WeakKeyDictionary[Stmt, tuple[Stmt, ...]] = WeakKeyDictionary()


def stmts_below(body: SeqStmts) -> tuple[Stmt, ...]:
    """Every statement of a list and below it, pre-order; statement lists themselves are left out."""
    found = _below.get(body)
    if found is None:
        found = _below[body] = tuple(_walk_stmts(body))
    return found


def walk_stmts(stmt: Stmt) -> Iterator[Stmt]:
    """``stmt`` and every statement below it, pre-order; statement lists themselves are not yielded."""
    return iter(stmts_below(stmt)) if stmt.__class__ is SeqStmts else _walk_stmts(stmt)


def _walk_stmts(stmt: Stmt) -> Iterator[Stmt]:
    todo = [stmt]
    while todo:
        inner = todo.pop()
        kind = inner.__class__
        if kind is not SeqStmts:
            yield inner
            if kind in _FLAT:
                continue
        todo += _STMT_BODIES[kind](inner)[::-1]


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
    for child in _EXPR_CHILDREN[kind](expr):
        kind = child.__class__
        if kind is Var or kind is IterArg:
            found.append(child)
        elif kind not in LEAVES:
            _add_vars(child, found)
    return found


def _add_vars(expr: Expr, found: list[Any]) -> None:
    todo = [expr]
    while todo:
        inner = todo.pop()
        kind = inner.__class__
        if kind is Var or kind is IterArg:
            found.append(inner)
        else:
            todo += [part for part in _EXPR_CHILDREN[kind](inner)[::-1] if part.__class__ not in _CONSTANTS]


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


def own_calls(stmt: Any) -> list[Call | Submit]:
    """Every Call and Submit in the expressions of a statement itself, pre-order; bodies excluded."""
    value = stmt.value if stmt.__class__ is AssignStmt else stmt.expr if stmt.__class__ is EvalStmt else None
    if value.__class__ is Call and not value.attrs and _are_plain(value.args):
        return [value]
    found: list[Call | Submit] = []
    todo = _inner(_STMT_EXPRS[stmt.__class__](stmt))
    while todo:
        expr = todo.pop()
        kind = expr.__class__
        if kind is Call or kind is Submit:
            found.append(expr)  # type: ignore[arg-type]
        parts = _EXPR_CHILDREN[kind](expr)
        if not LEAVES.issuperset(map(type, parts)):
            todo += _inner(parts)
    return found


def _are_plain(args: tuple[Any, ...]) -> bool:
    """Whether arguments are what most are: leaves, and lists of leaves."""
    for arg in args:
        if arg.__class__ not in LEAVES:
            if arg.__class__ is not MakeTuple or not LEAVES.issuperset(map(type, arg.elements)):
                return False
    return True


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
        calls: list[Call | Submit] = []
        for inner in walk_stmts(stmt):
            calls += own_calls(inner)
        found = _calls[stmt] = tuple(calls)
    return found


#: The names of all that is called below a statement, likewise: most passes look for a few operators only.
_names: WeakKeyDictionary[Stmt, frozenset[str]] = WeakKeyDictionary()


def called_names(stmt: Stmt) -> frozenset[str]:
    """The names of the operators and functions that are called below ``stmt``."""
    found = _names.get(stmt)
    if found is None:
        found = _names[stmt] = frozenset([call.op.name for call in calls_in(stmt)])
    return found


def _tensor_exprs(kind: TensorType) -> tuple[Expr, ...]:
    view = kind.tensor_view
    return kind.shape if view is None else (*kind.shape, *view.valid_shape, *view.stride)


def _tile_exprs(kind: TileType) -> tuple[Expr, ...]:
    view = kind.tile_view
    if view is None:
        return kind.shape
    offset = () if view.start_offset is None else (view.start_offset,)
    return (*kind.shape, *view.valid_shape, *view.stride, *offset)


_TYPE_EXPRS: ClassTable[Callable[[Any], tuple[Expr, ...]]] = ClassTable(
    {
        TensorType: _tensor_exprs,
        TileType: _tile_exprs,
        TupleType: lambda kind: tuple(expr for element in kind.types for expr in type_exprs(element)),
        Type: lambda kind: (),
    }
)


def type_exprs(kind: Type) -> tuple[Expr, ...]:
    """Every dimension, valid extent, stride and offset expression of a type (memrefs excluded)."""
    return _TYPE_EXPRS[kind.__class__](kind)


def type_vars(kind: Type) -> list[Var]:
    """Every variable in the extents of a type: shape, valid shape, strides, start offset, tuple elements."""
    found: list[Var] = []
    for extent in _TYPE_EXPRS[kind.__class__](kind):
        if extent.__class__ not in _CONSTANTS:
            found += expr_vars(extent)
    return found
