"""Author-declared allocations: ``pl.MemRef`` in annotations (docs/spec/language.md §3.1, docs/spec/ir.md §2.7)."""

from __future__ import annotations

import ast

from pypto_core.frontend.context import FunctionContext, Silent
from pypto_core.frontend.dimensions import read_dim
from pypto_core.frontend.static_eval.values import MemRefDecl
from pypto_core.frontend.syntax import dotted, int_literal, string_literal
from pypto_core.ir import PTR, ConstInt, DataType, Expr, MemRef, Var


def is_memref(ctx: FunctionContext, node: ast.expr) -> bool:
    """A ``pl.MemRef(...)`` call or the name of a declared allocation, with or without a slot subscript."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        path = dotted(node.func)
        return path is not None and path[-1] == "MemRef"
    if isinstance(node, ast.Name):
        value = ctx.annotations.lookup(node.id)
        return value is not None and isinstance(value.data, MemRefDecl)
    return False


def read_memref(ctx: FunctionContext, node: ast.expr) -> MemRef:
    """A memory reference; a declared allocation gives a pinned one without size."""
    index: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        index, node = node.slice, node.value
    if isinstance(node, ast.Name):
        return _declared(ctx, node, index)
    assert isinstance(node, ast.Call)
    slots = _slots(ctx, node)
    for keyword in node.keywords:
        if keyword.arg != "slots":
            ctx.fail("memref-form", f"pl.MemRef has no keyword '{keyword.arg or '**'}'", keyword)
    args = node.args
    if len(args) == 1:
        name = string_literal(args[0])
        if not name:
            ctx.fail("memref-form", 'an allocation is named by a string literal: pl.MemRef("name")', args[0])
        base = _allocation(ctx, ("named", name), name, node)
        return _pinned(ctx, node, base, slots, index)
    if len(args) == 3:
        return _placed(ctx, node, args[0], args[1], args[2], slots, index)
    if len(args) == 4:  # legacy: (space, address, size, id)
        return _placed(ctx, node, args[3], args[1], args[2], slots, index)
    raise ctx.fault("memref-form", 'write pl.MemRef("name") or pl.MemRef(base, byte_offset, size)', node)


def _slots(ctx: FunctionContext, node: ast.Call) -> int:
    for keyword in node.keywords:
        if keyword.arg == "slots":
            slots = int_literal(keyword.value)
            if slots is None or slots <= 0:
                ctx.fail("memref-slots", "slots is a positive integer literal", keyword.value)
            return slots
    return 1


def _declared(ctx: FunctionContext, node: ast.Name, index: ast.expr | None) -> MemRef:
    value = ctx.annotations.lookup(node.id)
    if value is None or not isinstance(value.data, MemRefDecl):
        raise Silent
    declaration = value.data
    name = declaration.name or node.id
    known = ctx.program.allocations.get(declaration)
    if known is not None and known[0] != node.id:
        ctx.fail("memref-alias", f"one allocation under two names: '{known[0]}' and '{node.id}'", node)
    taken = ctx.program.allocations.get(("named", name))
    if taken is not None and known is None:
        ctx.fail("memref-alias", f"two allocations are named '{name}'", node)
    base = _allocation(ctx, declaration, node.id, node, name)
    ctx.program.allocations.setdefault(("named", name), (node.id, base))
    return _pinned(ctx, node, base, declaration.slots, index)


def _allocation(
    ctx: FunctionContext, key: object, label: str, node: ast.expr, name: str | None = None
) -> Var:
    ctx.program.traces += 1
    known = ctx.program.allocations.get(key)
    if known is None:
        known = ctx.program.allocations[key] = (label, Var(name or label, PTR, span=ctx.span(node)))
    return known[1]


def _pinned(ctx: FunctionContext, node: ast.expr, base: Var, slots: int, index: ast.expr | None) -> MemRef:
    return MemRef(
        base,
        ConstInt(0, DataType.INT64),
        0,
        True,
        slots,
        _slot_index(ctx, base, slots, index),
        span=ctx.span(node),
    )


def _slot_index(ctx: FunctionContext, base: Var, slots: int, index: ast.expr | None) -> Expr | None:
    if index is None:
        return None
    if slots == 1:
        ctx.fail("memref-slot-index", f"'{base.name_hint}' has one slot; a slot index needs slots=N", index)
    slot = read_dim(ctx, index) if int_literal(index) is None else ConstInt(int_literal(index) or 0)
    if isinstance(slot, ConstInt) and not 0 <= slot.value < slots:
        ctx.fail(
            "memref-slot-index",
            f"'{base.name_hint}' has {slots} slots, index {slot.value} is out of range",
            index,
        )
    return slot


def _placed(
    ctx: FunctionContext,
    node: ast.Call,
    base_node: ast.expr,
    offset_node: ast.expr,
    size_node: ast.expr,
    slots: int,
    index: ast.expr | None,
) -> MemRef:
    size = int_literal(size_node)
    if size is None or size < 0:
        ctx.fail("memref-form", "the size of a MemRef is a number of bytes", size_node)
    name = string_literal(base_node)
    number = int_literal(base_node)
    if name is None and number is not None:
        name = f"mem_{number}"
    if name is not None:
        base = _allocation(ctx, ("named", name), name, node)
    else:
        found = ctx.names.lookup(base_node.id) if isinstance(base_node, ast.Name) else None
        if not isinstance(found, Var):
            ctx.fail("memref-form", "the base of a MemRef is a name or a string", base_node)
        base = found
    offset_value = int_literal(offset_node)
    if offset_value is not None:
        if offset_value < 0:
            ctx.fail("memref-form", "the byte offset of a MemRef cannot be negative", offset_node)
        offset: Expr = ConstInt(offset_value, DataType.INT64, span=ctx.span(offset_node))
    else:
        offset = read_dim(ctx, offset_node)
    return MemRef(base, offset, size, False, slots, _slot_index(ctx, base, slots, index), span=ctx.span(node))
