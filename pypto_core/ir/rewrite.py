"""Rewriting (docs/spec/ir.md §1.11 gives the order).

Dispatch is one dictionary look-up by node class; the tables are filled once per class. Rewriters keep identity: a node whose
parts did not change is returned as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from pypto_core.ir.basic_types import TupleType
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.expr import (
    BinaryExpr,
    Call,
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
from pypto_core.ir.node import AttrMap, Expr, Node, Type
from pypto_core.ir.program import Function, Program
from pypto_core.ir.stmt import (
    AssignStmt,
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
from pypto_core.ir.walk import LEAVES, ClassTable

T = TypeVar("T")


def map_tuple(items: tuple[T, ...], function: Callable[[T], T]) -> tuple[T, ...]:
    """``function`` over a tuple; the same tuple when every item stayed the same object."""
    new = tuple(map(function, items))
    # Nodes are equal only to themselves, so this compares identities.
    return items if new == items else new


def map_attrs(attrs: AttrMap, function: Callable[[Expr], Expr]) -> AttrMap:
    """``function`` over the expressions among attribute values; the same map when nothing changed."""
    if not attrs:
        return attrs
    changed = False
    out: dict[str, Any] = {}
    for key, value in attrs.items():
        new: Any = value
        if isinstance(value, Expr):
            new = function(value)
        elif isinstance(value, tuple) and any(isinstance(item, Expr) for item in value):
            new = map_tuple(value, lambda item: function(item) if isinstance(item, Expr) else item)
        changed = changed or new is not value
        out[key] = new
    return out if changed else attrs


def _method_name(owner: type, cls: type, prefix: str, default: str) -> str:
    for base in cls.__mro__:
        name = prefix + base.__name__
        if hasattr(owner, name):
            return name
    return default


class _Methods(dict[type, Callable[[Any, Any], Any]]):
    """The methods of one class of rewriters, looked up once for each class of node."""

    def __init__(self, rewriter: type[Rewriter]) -> None:
        self._rewriter = rewriter

    def __missing__(self, cls: type) -> Callable[[Any, Any], Any]:
        name = _method_name(self._rewriter, cls, "rewrite_", "generic")
        method: Callable[[Any, Any], Any] = getattr(self._rewriter, name)
        found = _GENERIC[cls] if method is Rewriter.generic else method
        found = self[cls] = goes_deep(found) if cls is IfStmt else found
        return found


class Rewriter:
    """Identity-preserving rewrite.

    Define ``rewrite_<ClassName>(node)`` for the classes of interest and call ``self.generic(node)`` for the default rewrite
    of its parts. A statement may become a ``SeqStmts`` (spliced into its list; an empty one deletes it). Definitions go
    through :meth:`rewrite_def` (default: unchanged), types through nothing unless a subclass says so.
    """

    #: Class of node -> the function that rewrites it; one table for each class of rewriter.
    _methods: ClassVar[_Methods]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._methods = _Methods(cls)

    def rewrite(self, node: Any) -> Any:
        """What becomes of ``node``; the same object when nothing does."""
        return self._methods[node.__class__](self, node)

    def rewrite_all(self, nodes: tuple[T, ...]) -> tuple[T, ...]:
        """:meth:`rewrite` of each of ``nodes``; the same tuple when every node stayed the same object."""
        methods = self._methods
        new = tuple([methods[node.__class__](self, node) for node in nodes])
        return nodes if new == nodes else new

    #: Iter_args rebuilt by :meth:`rewrite_def`: their uses in the loop must follow.
    moved: Mapping[Var, Var] = {}

    def rewrite_def(self, var: Any) -> Any:
        """A variable at its definition; an IterArg's init value is rewritten by default."""
        if var.__class__ is IterArg:
            new = var.with_(init_value=self.rewrite(var.init_value))
            if new is not var:
                self.moved = {**self.moved, var: new}
            return new
        return var

    def rewrite_Var(self, var: Var) -> Expr:
        """A use of a variable, loop-carried ones included."""
        return var

    def rewrite_IterArg(self, var: IterArg) -> Expr:
        """A use of a loop-carried value; the rebuilt one when its initial value changed."""
        new = self.rewrite_Var(var)
        return self.moved.get(var, var) if new is var else new

    def generic(self, node: Any) -> Any:
        """Rewrite the parts of ``node`` and rebuild it if one of them changed."""
        return _GENERIC[node.__class__](self, node)


Rewriter._methods = _Methods(Rewriter)


def _generic_call(r: Rewriter, e: Call) -> Node:
    args = r.rewrite_all(e.args)
    if not e.attrs:
        if args is e.args:
            return e
        return Call(e.op, args, e.kwargs, e.attrs, e.type, span=e.span)
    return e.with_(args=args, attrs=map_attrs(e.attrs, r.rewrite))


def _optional(r: Rewriter, expr: Expr | None) -> Expr | None:
    return None if expr is None else r.rewrite(expr)


def _generic_submit(r: Rewriter, e: Submit) -> Node:
    return e.with_(
        args=r.rewrite_all(e.args),
        deps=r.rewrite_all(e.deps),
        core_num=_optional(r, e.core_num),
        predicate=_optional(r, e.predicate),
        attrs=map_attrs(e.attrs, r.rewrite),
    )


def _generic_memref(r: Rewriter, e: MemRef) -> Node:
    return e.with_(
        base=r.rewrite(e.base),
        byte_offset=r.rewrite(e.byte_offset),
        slot_index=_optional(r, e.slot_index),
    )


def _generic_for(r: Rewriter, s: ForStmt) -> Node:
    start, stop, step = r.rewrite(s.start), r.rewrite(s.stop), r.rewrite(s.step)
    loop_var = r.rewrite_def(s.loop_var)
    iter_args = map_tuple(s.iter_args, r.rewrite_def)
    body = r.rewrite(s.body)
    return s.with_(
        loop_var=loop_var,
        start=start,
        stop=stop,
        step=step,
        iter_args=iter_args,
        body=body,
        return_vars=map_tuple(s.return_vars, r.rewrite_def),
    )


def _generic_while(r: Rewriter, s: WhileStmt) -> Node:
    iter_args = map_tuple(s.iter_args, r.rewrite_def)
    return s.with_(
        iter_args=iter_args,
        condition=r.rewrite(s.condition),
        body=r.rewrite(s.body),
        return_vars=map_tuple(s.return_vars, r.rewrite_def),
    )


def _generic_if(r: Rewriter, s: IfStmt) -> Node:
    return s.with_(
        condition=r.rewrite(s.condition),
        then_body=r.rewrite(s.then_body),
        else_body=None if s.else_body is None else r.rewrite(s.else_body),
        return_vars=map_tuple(s.return_vars, r.rewrite_def),
    )


def _generic_seq(r: Rewriter, s: SeqStmts) -> Node:
    new = r.rewrite_all(s.stmts)
    if new is s.stmts:
        return s
    return SeqStmts.flatten(new, s.span)


def _generic_scope(r: Rewriter, s: ScopeStmt) -> Node:
    return s.with_(attrs=map_attrs(s.attrs, r.rewrite), body=r.rewrite(s.body))


def _generic_spmd(r: Rewriter, s: SpmdScopeStmt) -> Node:
    core_num = r.rewrite(s.core_num)
    return s.with_(core_num=core_num, attrs=map_attrs(s.attrs, r.rewrite), body=r.rewrite(s.body))


def _generic_assign(r: Rewriter, s: AssignStmt) -> Node:
    value, var = r.rewrite(s.value), r.rewrite_def(s.var)
    if value is s.value and var is s.var:
        return s
    return AssignStmt(var, value, span=s.span, leading_comments=s.leading_comments)


def _generic_binary(r: Rewriter, e: BinaryExpr) -> Node:
    left, right = r.rewrite(e.left), r.rewrite(e.right)
    return e if left is e.left and right is e.right else e.with_(left=left, right=right)


def _generic_tuple(r: Rewriter, e: MakeTuple) -> Node:
    elements = r.rewrite_all(e.elements)
    return e if elements is e.elements else MakeTuple(elements, span=e.span)


_GENERIC: ClassTable[Callable[[Any, Any], Node]] = ClassTable(
    {
        Call: _generic_call,
        Submit: _generic_submit,
        MakeTuple: _generic_tuple,
        TupleGetItem: lambda r, e: e.with_(tuple=r.rewrite(e.tuple)),
        BinaryExpr: _generic_binary,
        UnaryExpr: lambda r, e: e.with_(operand=r.rewrite(e.operand)),
        MemRef: _generic_memref,
        WindowBuffer: lambda r, e: e.with_(base=r.rewrite(e.base), size=r.rewrite(e.size)),
        AssignStmt: _generic_assign,
        EvalStmt: lambda r, s: s.with_(expr=r.rewrite(s.expr)),
        ReturnStmt: lambda r, s: s.with_(values=r.rewrite_all(s.values)),
        YieldStmt: lambda r, s: s.with_(values=r.rewrite_all(s.values)),
        IfStmt: _generic_if,
        ForStmt: _generic_for,
        WhileStmt: _generic_while,
        SeqStmts: _generic_seq,
        SpmdScopeStmt: _generic_spmd,
        ScopeStmt: _generic_scope,
        Function: lambda r, f: f.with_(body=r.rewrite(f.body)),
        Program: lambda r, p: p.with_functions(r.rewrite_all(p.functions)),
        Node: lambda r, n: n,
    }
)


class Substitution(Rewriter):
    """Replaces uses of variables; definitions and types stay."""

    def __init__(self, mapping: Mapping[Var, Expr]) -> None:
        self.mapping = mapping

    def rewrite_Var(self, var: Var) -> Expr:
        return self.mapping.get(var, var)


def substitute(node: Any, mapping: Mapping[Var, Expr]) -> Any:
    """``node`` with uses of the mapped variables replaced (attributes included, types not)."""
    if not mapping:
        return node
    if node.__class__ in LEAVES:
        return mapping.get(node, node) if isinstance(node, Var) else node
    return Substitution(mapping).rewrite(node)


def _map_dims(dims: tuple[Expr, ...], function: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    for dim in dims:
        if dim.__class__ is not ConstInt:
            return map_tuple(dims, function)
    return dims


def _map_tensor(kind: TensorType, function: Callable[[Expr], Expr]) -> Type:
    shape, view = _map_dims(kind.shape, function), kind.tensor_view
    if view is not None:
        view = view.with_(
            stride=_map_dims(view.stride, function), valid_shape=_map_dims(view.valid_shape, function)
        )
    return (
        kind
        if shape is kind.shape and view is kind.tensor_view
        else kind.with_(shape=shape, tensor_view=view)
    )


def _map_tile(kind: TileType, function: Callable[[Expr], Expr]) -> Type:
    shape, view = _map_dims(kind.shape, function), kind.tile_view
    if view is not None:
        offset = view.start_offset
        view = view.with_(
            valid_shape=_map_dims(view.valid_shape, function),
            stride=_map_dims(view.stride, function),
            start_offset=None if offset is None else function(offset),
        )
    return kind if shape is kind.shape and view is kind.tile_view else kind.with_(shape=shape, tile_view=view)


_TYPE_MAPS: ClassTable[Callable[[Any, Callable[[Expr], Expr]], Type]] = ClassTable(
    {
        TensorType: _map_tensor,
        TileType: _map_tile,
        TupleType: lambda kind, function: kind.with_(
            types=map_tuple(kind.types, lambda t: map_type(t, function))
        ),
        Type: lambda kind, function: kind,
    }
)


def map_type(kind: Type, function: Callable[[Expr], Expr]) -> Type:
    """A type with ``function`` applied to every dimension, valid extent, stride and offset; identity preserving.

    Tuples of constants, which most are, are taken as they stand: ``function`` is one that follows variables.
    """
    return _TYPE_MAPS[kind.__class__](kind, function)
