"""Mutation with types, substitution and deep cloning (docs/spec/passes_front.md §0.3-0.5).

``ir.Rewriter`` leaves types alone; the front passes also follow variables into shapes, views and memory references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pypto_core import ir


def mutate_memref(memref: ir.MemRef, function: Callable[[ir.Expr], ir.Expr]) -> ir.MemRef:
    """A memory reference with ``function`` applied to its offset and slot index."""
    index = memref.slot_index
    return memref.with_(
        byte_offset=function(memref.byte_offset), slot_index=None if index is None else function(index)
    )


def mutate_type(type_: ir.Type, function: Callable[[ir.Expr], ir.Expr]) -> ir.Type:
    """A type with ``function`` applied to every embedded expression, those of its memory reference included."""
    if isinstance(type_, ir.TupleType):
        return type_.with_(types=ir.map_tuple(type_.types, lambda t: mutate_type(t, function)))
    if not isinstance(type_, (ir.TensorType, ir.TileType)):
        return type_
    new = ir.map_type(type_, function)
    if type_.memref is not None:
        assert isinstance(new, (ir.TensorType, ir.TileType))
        return new.with_(memref=mutate_memref(type_.memref, function))
    return new


class TypeMutator(ir.Rewriter):
    """A rewriter that also rewrites the result types of calls."""

    def rewrite_type(self, type_: ir.Type) -> ir.Type:
        return mutate_type(type_, self.rewrite)

    def rewrite_Call(self, call: ir.Call) -> ir.Expr:
        new = self.generic(call)
        assert isinstance(new, ir.Call)
        type_ = self.rewrite_type(call.type)
        return new if type_ is call.type else new.with_(type=type_)

    def rewrite_Submit(self, submit: ir.Submit) -> ir.Expr:
        new = self.generic(submit)
        assert isinstance(new, ir.Submit)
        return new.with_(type=self.rewrite_type(submit.type))

    def rewrite_ConstInt(self, expr: ir.ConstInt) -> ir.Expr:
        return expr


class BaseMutator(TypeMutator):
    """The base mutator of §0.3: ``remap`` is followed through chains; a variable whose type changes is re-created."""

    def __init__(self, remap: Mapping[ir.Expr, ir.Expr] | None = None) -> None:
        self.remap: dict[ir.Expr, ir.Expr] = dict(remap or {})
        self._resolving: set[ir.Expr] = set()

    def _resolve(self, var: ir.Var) -> ir.Expr:
        target = self.remap.get(var)
        if target is not None:
            if target is var or var in self._resolving:
                return target
            self._resolving.add(var)
            resolved: ir.Expr = self.rewrite(target)
            self._resolving.discard(var)
            self.remap[var] = resolved
            return resolved
        type_ = self.rewrite_type(var.type)
        new: ir.Var
        if type_ is var.type and not isinstance(var, ir.IterArg):
            return var
        if isinstance(var, ir.IterArg):
            new = var.with_(type=type_, init_value=self.rewrite(var.init_value))
        else:
            new = var.with_(type=type_)
        if new is not var:
            self.remap[var] = new
        return new

    def rewrite_Var(self, var: ir.Var) -> ir.Expr:
        return self._resolve(var)

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return self._resolve(var)

    def rewrite_def(self, var: Any) -> Any:
        new = self._resolve(var)
        if not isinstance(new, ir.Var):
            raise ValueError(f"the definition of '{var.name_hint}' would be replaced by an expression")
        return new


def substitute_with_types(node: Any, mapping: Mapping[ir.Expr, ir.Expr]) -> Any:
    """Substitute (§0.5): uses, definitions and types; a variable whose type mentions a mapped one is re-created."""
    return BaseMutator(mapping).rewrite(node) if mapping else node


class DeepClone(TypeMutator):
    """Copies a statement (§0.4).

    ``seed`` maps variables to expressions. Loop-carried values that the statement defines are always copied; with
    ``clone_defs`` every other definition is copied too, under the same name hint. Seeded variables are replaced at
    definition sites as well. Types of seeded definitions are taken as the caller made them.
    """

    def __init__(self, seed: Mapping[ir.Expr, ir.Expr], *, clone_defs: bool) -> None:
        self.table: dict[ir.Expr, ir.Expr] = dict(seed)
        self._clone_defs = clone_defs

    def rewrite_Var(self, var: ir.Var) -> ir.Expr:
        return self.table.get(var, var)

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return self.table.get(var, var)

    def rewrite_def(self, var: Any) -> Any:
        known = self.table.get(var)
        if known is not None:
            if not isinstance(known, ir.Var):
                raise ValueError(f"the definition of '{var.name_hint}' would be replaced by an expression")
            return known
        if isinstance(var, ir.IterArg):
            copy: ir.Var = ir.IterArg(
                var.name_hint, self.rewrite_type(var.type), self.rewrite(var.init_value), span=var.span
            )
        elif self._clone_defs:
            copy = ir.Var(var.name_hint, self.rewrite_type(var.type), span=var.span)
        else:
            return var
        self.table[var] = copy
        return copy


def fresh_definitions(variables: Iterable[ir.Var], name: Callable[[ir.Var], str]) -> dict[ir.Expr, ir.Expr]:
    """A copy under a new name for each of ``variables``; types are shared."""
    return {var: ir.Var(name(var), var.type, span=var.span) for var in variables}
