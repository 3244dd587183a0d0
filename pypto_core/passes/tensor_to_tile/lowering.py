"""What a converter sees of one call, and how it answers (docs/spec/passes_tensor_to_tile.md §1.5, §1.7).

A converter is a function of a :class:`Lowering`. It appends statements to the prologue with :meth:`Lowering.let` and
:meth:`Lowering.loop` and returns the expression that stands for the call. Every node it makes carries the span of the
author's call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pypto_core.analysis.names import describe
from pypto_core.backend import Backend
from pypto_core.diagnostics import Diagnostic, PassError
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    ScalarType,
    SeqStmts,
    Span,
    Stmt,
    TensorType,
    TileType,
    Var,
    YieldStmt,
    as_dim,
)
from pypto_core.ops import OpError, create_op_call

MAT_BRIDGE = "__compiler_tensor_to_tile_mat_bridge"
"""Attribute of the loads into Mat that this pass inserts; InferTileMemorySpace consumes it."""

VEC = MemorySpace.Vec
MAT = MemorySpace.Mat


def base_name(hint: str) -> str:
    """The author's part of a generated name: ``x`` of ``x__ssa_v0`` (docs/spec/ir.md §1.9)."""
    head = hint.partition("__")[0]
    return head or hint


def pass_error(code: str, message: str, span: Span, **data: Any) -> PassError:
    """An error of the pass at ``span``."""
    return PassError(Diagnostic(code, message, span, data=data))


def int_tuple(values: Sequence[int | Expr], span: Span) -> MakeTuple:
    """A literal tuple of extents or offsets."""
    return MakeTuple(tuple(as_dim(v) for v in values), span=span)


def zeros(rank: int, span: Span) -> MakeTuple:
    """``[0] * rank``."""
    return MakeTuple((ConstInt(0),) * rank, span=span)


def number(value: int, dtype: DataType) -> Expr:
    """A constant of element type ``dtype``."""
    return ConstFloat(float(value), dtype) if dtype.is_float else ConstInt(value, dtype)


def op_call(
    name: str,
    args: Sequence[Expr],
    kwargs: Mapping[str, Any] | None = None,
    *,
    span: Span,
    attrs: Mapping[str, Any] | None = None,
) -> Call:
    """A tile call with its deduced type. A contract that the call breaks is reported at the author's call."""
    try:
        return create_op_call(name, tuple(args), kwargs, attrs=attrs, span=span)
    except OpError as error:
        found = error.diagnostic
        index = error.arg_index
        message = found.message
        if found.code == "op-kind" and index is not None and index < len(args):
            message += _why_not_a_tile(args[index], span)
        raise PassError(Diagnostic(found.code, message, span, data=found.data)) from error


def _why_not_a_tile(operand: Expr, span: Span) -> str:
    """What to do about an operand that is still in global memory where a tile is needed."""
    if not isinstance(operand.type, TensorType):
        return ""
    name = describe(operand, span)
    if isinstance(operand, IterArg):
        return (
            f". '{name}' is carried through nested loops and is still in global memory here: only a loop that starts"
            " directly from a parameter loads it; read it with pl.slice before the outer loop"
        )
    return f". '{name}' is still in global memory here; read it with pl.slice first"


def load(
    tensor: Expr,
    offsets: Expr,
    shape: Expr,
    valid: Expr,
    space: MemorySpace,
    span: Span,
) -> Call:
    """``tile.load`` into ``space``; a load into Mat is marked as the compiler's own."""
    attrs = {MAT_BRIDGE: True} if space is MAT else None
    return op_call(
        "tile.load", (tensor, offsets, shape, valid), {"target_memory": space}, span=span, attrs=attrs
    )


def load_whole(tensor: Expr, space: MemorySpace, span: Span, valid: Sequence[Expr] | None = None) -> Call:
    """Load all of ``tensor``; the valid operand is the full shape unless ``valid`` says otherwise."""
    kind = tensor.type
    assert isinstance(kind, TensorType)
    shape = int_tuple(kind.shape, span)
    operand = shape if valid is None else int_tuple(valid, span)
    return load(tensor, zeros(kind.rank, span), shape, operand, space, span)


@dataclass(slots=True)
class Block:
    """Statements under construction, all with one span."""

    span: Span
    stmts: list[Stmt] = field(default_factory=list)

    def op(self, name: str, *args: Expr, **kwargs: Any) -> Call:
        """A tile call with its deduced type (no statement yet)."""
        return op_call(name, args, kwargs, span=self.span)

    def let(self, name: str, value: Expr) -> Var:
        """``name = value``."""
        var = Var(name, value.type, span=self.span)
        self.stmts.append(AssignStmt(var, value, span=self.span))
        return var

    def create(
        self, name: str, shape: Sequence[int | Expr], dtype: DataType, space: MemorySpace = VEC, **kwargs: Any
    ) -> Var:
        """``name = tile.create(shape, dtype=dtype, target_memory=space)``."""
        call = self.op("tile.create", self.dims(shape), dtype=dtype, target_memory=space, **kwargs)
        return self.let(name, call)

    def full(self, name: str, shape: Sequence[int | Expr], dtype: DataType, value: int) -> Var:
        """``name = tile.full(shape, dtype=dtype, value=value)``."""
        return self.let(name, self.op("tile.full", self.dims(shape), number(value, dtype), dtype=dtype))

    def dims(self, values: Sequence[int | Expr]) -> MakeTuple:
        """A literal tuple of extents or offsets."""
        return int_tuple(values, self.span)

    def zeros(self, rank: int) -> MakeTuple:
        """``[0] * rank``."""
        return zeros(rank, self.span)

    def loop(
        self,
        loop_var: str,
        stop: int | Expr,
        iter_name: str,
        init: Expr,
        result_name: str,
        body: Callable[[Block, Var, IterArg], Expr],
    ) -> Var:
        """``for loop_var, (iter_name,) in range(stop, init_values=(init,))`` whose body yields what ``body`` returns."""
        index = Var(loop_var, ScalarType.of(DataType.INDEX), span=self.span)
        carried = IterArg(iter_name, init.type, init, span=self.span)
        inner = Block(self.span)
        yielded = body(inner, index, carried)
        inner.stmts.append(YieldStmt((yielded,), span=self.span))
        result = Var(result_name, init.type, span=self.span)
        self.stmts.append(
            ForStmt(
                index,
                ConstInt(0),
                as_dim(stop),
                ConstInt(1),
                (carried,),
                SeqStmts.flatten(inner.stmts, self.span),
                (result,),
                span=self.span,
            )
        )
        return result


@dataclass(slots=True)
class Lowering(Block):
    """One tensor call on its way to tiles. ``args`` are the arguments after substitution and bridging."""

    call: Call = field(kw_only=True)
    args: tuple[Expr, ...] = field(kw_only=True)
    result_name: str = field(kw_only=True)
    space: MemorySpace = field(kw_only=True)
    backend: Backend | None = field(kw_only=True)

    @property
    def name(self) -> str:
        """Name of the tensor operator."""
        return self.call.name

    @property
    def kwargs(self) -> Mapping[str, Any]:
        return self.call.kwargs

    @property
    def leaf(self) -> str:
        """``add`` of ``tensor.add``."""
        return self.call.name.rpartition(".")[2]

    def same(self, *args: Expr, **kwargs: Any) -> Call:
        """The tile operator of the same leaf name."""
        return self.op(f"tile.{self.leaf}", *args, **kwargs)

    def tile(self, index: int) -> TileType | None:
        """Tile type of argument ``index``, None if it is anything else."""
        kind = self.args[index].type
        return kind if isinstance(kind, TileType) else None

    def tensor(self, index: int) -> TensorType | None:
        """Tensor or window type of argument ``index``, None if it is anything else."""
        kind = self.args[index].type
        return kind if isinstance(kind, TensorType) else None

    def written(self, index: int) -> str:
        """Argument ``index`` in the author's words."""
        return describe(self.args[index], self.span)

    def fail(self, code: str, message: str) -> NoReturn:
        """Refuse the call."""
        raise pass_error(code, message, self.span, op=self.name)

    def static(self, kind: TensorType | TileType, what: str) -> tuple[int, ...]:
        """All extents of ``kind``, which must be constants."""
        dims: list[int] = []
        for dim in kind.shape:
            if not isinstance(dim, ConstInt):
                self.fail("op-shape", f"{self.name}: {what} must have a static shape")
            dims.append(dim.value)
        return tuple(dims)


Converter = Callable[[Lowering], Expr]
