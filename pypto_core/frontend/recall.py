"""Values that were read before, for the next reading of a long kernel (docs/architecture.md §4).

A keystroke in a body of hundreds of statements leaves nearly all of them as they are. What ``pl.add(x, y)`` means depends on its text, on
the types of ``x`` and ``y`` and on the regions around it; where these are the same, the value of the last reading is put at its new place
instead of being deduced again. Only plain calls of operators on local values are remembered: reading these reads and writes nothing else.
The answer is exactly what a fresh reading gives.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from pypto_core.frontend import chunks
from pypto_core.frontend.context import FunctionContext
from pypto_core.frontend.recovery import Statement
from pypto_core.frontend.replay import Replay
from pypto_core.ir import (
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    ScalarType,
    Span,
    TensorType,
    TileType,
    Type,
    Var,
)

#: Words in the names of operators that do more than give a value, or look around for more than their operands.
_SPECIAL = (
    "alloc",
    "buffer",
    "const",
    "dump",
    "dynamic",
    "byte",
    "task",
    "window",
    "world",
    "submit",
    "peer",
    "yield",
)
#: Values of one kernel from which on those of the last reading alone are kept.
_MOST = 4_096
_Key: TypeAlias = Hashable
_Reader: TypeAlias = "Callable[[FunctionContext, ast.expr], Expr]"


@dataclass(slots=True)
class _Value:
    """What a text meant: ``start`` is its place in its chunk, ``reads`` the variables that its names stood for."""

    expr: Expr
    start: int
    reads: tuple[Var, ...]


class Recall:
    """Values of the assignments of one kernel, those of the last reading. ``recalled`` and ``read`` count those of the newest one."""

    def __init__(self) -> None:
        self._before: dict[_Key, _Value] = {}
        self._now: dict[_Key, _Value] = {}
        self.replay = Replay()
        #: Whether the kernel has been read to its end: what is read then is being edited, and may well be read again.
        self._has_read = False
        self.recalled = 0
        self.read = 0

    def begin(self) -> None:
        """Another reading of the kernel; one that was broken off loses nothing."""
        self._before.update(self._now)
        self._now = {}
        self.recalled = self.read = 0
        self.replay.begin()

    def finish(self) -> None:
        # Statements that are repeated as a whole do not ask, so what was not asked for is not gone.
        self._before = self._now if len(self._before) > _MOST else {**self._before, **self._now}
        self._now = {}
        self._has_read = True
        self.replay.finish()

    def value(self, ctx: FunctionContext, node: ast.expr, read: _Reader) -> Expr:
        """What ``read`` gives for ``node``, an assigned value; its faults are raised."""
        names: list[str] = []
        constants: list[Hashable] = []
        if (
            not self._has_read
            or node.__class__ is not ast.Call
            or ctx.inlining
            or not _is_plain(node, names, constants)
            or "pl" in ctx.names
        ):
            return read(ctx, node)
        reads = []
        for name in names:
            found = ctx.names.lookup(name)
            if found.__class__ is not Var or not _is_closed(found.type):
                return read(ctx, node)
            reads.append(found)
        span = ctx.source.span(node)
        regions = tuple((region.kind, region.split) for region in ctx.regions)
        around = (ctx.func_type, ctx.level, ctx.role, ctx.strict, ctx.program.backend, regions)
        key: _Key = (span.text, tuple(constants), ctx.name, ctx.target_name, ctx.dialect.__class__, around)
        known = self._before.get(key)
        expr = _again(known, tuple(reads), span) if known is not None else None
        if expr is None:
            before = _state(ctx)
            expr = read(ctx, node)
            self.read += 1
            if _state(ctx) != before or not _can_move(expr, reads, span):
                return expr
        else:
            self.recalled += 1
        self._now[key] = _Value(expr, span.start, tuple(reads))
        return expr


def is_long(body: Iterable[Statement]) -> bool:
    """Whether a body is long enough to remember what its statements mean."""
    sources = {id(statement.source): statement.source for statement in body}
    return sum(len(source.whole) for source in sources.values()) >= chunks.LONG


# --- what may be remembered ---------------------------------------------------------------------------------------------


def _is_plain(node: ast.expr | None, names: list[str], constants: list[Hashable]) -> bool:
    """Whether an expression is made of calls ``pl.X(...)``, parts, local names and constants alone; these are listed in order."""
    kind = node.__class__
    if node is None:
        return True
    if kind is ast.Name:
        assert isinstance(node, ast.Name)
        names.append(node.id)
        return True
    if kind is ast.Constant:
        assert isinstance(node, ast.Constant)
        # A number that stands for an outer name looks like that name in the text
        # (and 0.0 is equal to -0.0).
        value = repr(node.value) if isinstance(node.value, float | complex) else node.value
        constants.append((node.value.__class__, value))
        return not hasattr(node, "assumed")
    if kind is ast.Attribute:
        return _path(node) is not None
    if kind is ast.Call:
        assert isinstance(node, ast.Call)
        name = _path(node.func)
        if name is None or any(word in name for word in _SPECIAL):
            return False
        for argument in node.args:
            if not _is_plain(argument, names, constants):
                return False
        for keyword in node.keywords:
            if keyword.arg in (None, "attrs", "deps") or not _is_plain(keyword.value, names, constants):
                return False
        return True
    if kind is ast.Subscript:
        assert isinstance(node, ast.Subscript)
        return _is_plain(node.value, names, constants) and _is_plain(node.slice, names, constants)
    if kind is ast.Slice:
        assert isinstance(node, ast.Slice)
        return all(_is_plain(part, names, constants) for part in (node.lower, node.upper, node.step))
    if kind is ast.Tuple or kind is ast.List:
        assert isinstance(node, ast.Tuple | ast.List)
        return all(_is_plain(part, names, constants) for part in node.elts)
    if kind is ast.BinOp:
        assert isinstance(node, ast.BinOp)
        return _is_plain(node.left, names, constants) and _is_plain(node.right, names, constants)
    if kind is ast.UnaryOp:
        assert isinstance(node, ast.UnaryOp)
        return _is_plain(node.operand, names, constants)
    return False


def _path(node: ast.expr) -> str | None:
    """The names behind ``pl.``; None for anything else."""
    parts = []
    while node.__class__ is ast.Attribute:
        assert isinstance(node, ast.Attribute)
        parts.append(node.attr)
        node = node.value
    return ".".join(parts) if parts and isinstance(node, ast.Name) and node.id == "pl" else None


def _is_closed(kind: Type) -> bool:
    """A type without symbols: constant dimensions, no view."""
    cls = kind.__class__
    if cls is ScalarType:
        return True
    if cls is TensorType:
        assert isinstance(kind, TensorType)
        return kind.memref is None and kind.tensor_view is None and _constant(kind.shape)
    if cls is TileType:
        assert isinstance(kind, TileType)
        return kind.memref is None and kind.tile_view is None and _constant(kind.shape)
    return False


def _constant(dims: Iterable[Expr]) -> bool:
    return all(dim.__class__ is ConstInt for dim in dims)


def _state(ctx: FunctionContext) -> tuple[int, ...]:
    """Changes when reading something leaves anything behind but a value."""
    program = ctx.program
    return (
        program.traces, len(program.window_buffers), len(program.allocations), len(program.reserved), len(program.added),
        len(program.callees), len(ctx.out), len(ctx.used_symbols), len(ctx.dump_tags), len(ctx.producers), ctx.names.blocks,
    )  # fmt: skip


def _can_move(expr: Expr, reads: list[Var], span: Span) -> bool:
    """Whether :func:`_Move.expr` can put a value at another place."""
    cls = expr.__class__
    if cls is Var:
        return any(expr is var for var in reads)
    if cls is ConstInt and _dim_can_move(expr, reads, span):
        return True
    if not span.contains(expr.span):
        return False
    if cls is ConstInt or cls is ConstFloat or cls is ConstBool:
        return True
    if cls is MakeTuple:
        assert isinstance(expr, MakeTuple)
        return all(_can_move(part, reads, span) for part in expr.elements)
    if cls is not Call:
        return False
    assert isinstance(expr, Call)
    if expr.attrs or expr.is_function_call or not _is_closed(expr.type):
        return False
    if not all(_is_datum(value) for value in expr.kwargs.values()):
        return False
    return all(_can_move(part, reads, span) for part in expr.args) and _dims_can_move(expr.type, reads, span)


def _dims_can_move(kind: Type, reads: list[Var], span: Span) -> bool:
    return all(_dim_can_move(dim, reads, span) for dim in _dims(kind))


def _dim_can_move(dim: Expr, reads: list[Var], span: Span) -> bool:
    """A number of this text, of nowhere, or of the type of a variable that is read."""
    if dim.span.chunk is None or span.contains(dim.span):
        return True
    return any(dim is known for var in reads for known in _dims(var.type))


def _is_datum(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(_is_datum(part) for part in value)
    return value is None or isinstance(value, bool | int | float | str | Enum | DataType)


def _dims(kind: Type) -> tuple[Expr, ...]:
    return kind.shape if isinstance(kind, TensorType | TileType) else ()


# --- the value at its new place -----------------------------------------------------------------------------------------


def _again(known: _Value, reads: tuple[Var, ...], span: Span) -> Expr | None:
    """The value for other variables of the same types, at another place; None where they differ."""
    variables: dict[int, Expr] = {}
    types: dict[int, Type] = {}
    for before, now in zip(known.reads, reads, strict=True):
        if variables.setdefault(id(before), now) is not now:
            return None  # two names for one variable then, for two now
        if before.name_hint != now.name_hint or not _same(before.type, now.type, variables):
            return None
        if types.setdefault(id(before.type), now.type) is not now.type:
            return (
                None  # what shares an object goes on sharing it: passes ask whether a type is the very same
            )
    if len({id(v) for v in known.reads}) != len({id(v) for v in reads}):
        return None
    return _Move(variables, types, span, span.start - known.start).expr(known.expr)


def _same(before: Type, now: Type, made: dict[int, Expr]) -> bool:
    """Whether two closed types say the same; the dimensions of one are noted as those of the other."""
    if before is now:
        for dim in _dims(now):
            made[id(dim)] = dim
        return True
    if before.__class__ is not now.__class__:
        return False
    if isinstance(before, ScalarType):
        assert isinstance(now, ScalarType)
        return before.dtype is now.dtype
    assert isinstance(before, TensorType | TileType) and isinstance(now, TensorType | TileType)
    if (
        before.dtype is not now.dtype
        or before.memory_space is not now.memory_space
        or len(before.shape) != len(now.shape)
    ):
        return False
    for old, new in zip(before.shape, now.shape, strict=True):
        assert isinstance(old, ConstInt) and isinstance(new, ConstInt)
        if old.value != new.value or old.dtype is not new.dtype:
            return False
        made[id(old)] = new
    return True


class _Move:
    """Copies a value; ``made`` and ``types`` are the parts that stand for old ones, by ``id``."""

    def __init__(self, made: dict[int, Expr], types: dict[int, Type], span: Span, shift: int) -> None:
        self._made = made
        self._types = types
        self._chunk = span.chunk
        self._shift = shift

    def expr(self, old: Expr) -> Expr:
        made = self._made.get(id(old))
        if made is not None:
            return made
        if old.span.chunk is None:
            return old
        place = Span(self._chunk, old.span.start + self._shift, old.span.end + self._shift)
        if old.__class__ is Call:
            assert isinstance(old, Call)
            args = tuple(self.expr(part) for part in old.args)
            new: Expr = Call(old.op, args, old.kwargs, old.attrs, self._type(old.type), span=place)
        elif old.__class__ is MakeTuple:
            assert isinstance(old, MakeTuple)
            new = MakeTuple(tuple(self.expr(part) for part in old.elements), span=place)
        else:
            new = old.with_(span=place)
        self._made[id(old)] = new
        return new

    def _type(self, kind: Type) -> Type:
        if not isinstance(kind, TensorType | TileType):
            return kind
        known = self._types.get(id(kind))
        if known is not None:
            return known
        dims = tuple(self.expr(dim) for dim in kind.shape)
        made: Type = kind if all(a is b for a, b in zip(dims, kind.shape)) else kind.with_(shape=dims)
        self._types[id(kind)] = made
        return made
