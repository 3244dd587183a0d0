"""Batched products as one product per page (``docs/spec/passes_tile.md`` 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product as multi_indices
from typing import Any

from pypto_core.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    MakeTuple,
    MemorySpace,
    Span,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    const_dims,
)
from pypto_core.passes.flatten_2d.facts import BatchOperand, BatchProduct
from pypto_core.passes.tile_calls import define, fold_add, index, keep_memref, new_call, tuple_of
from pypto_core.passes.tile_shapes import folded_row, merged_extents

_ROUND = 2


def view_2d(name: str, tensor: Expr, span: Span) -> AssignStmt:
    """``name = tensor.view(tensor, [product of the leading extents, last])``, its valid region collapsed with it."""
    kind = tensor.type
    assert isinstance(kind, TensorType)
    args: list[Expr] = [tensor, tuple_of(*merged_extents(kind.shape))]
    if kind.tensor_view is not None and kind.tensor_view.valid_shape:
        args.append(tuple_of(*merged_extents(kind.valid_shape)))
    return define(name, new_call("tensor.view", *args, span=span))


class BatchLowering:
    """Emits the pages of one product; ``lookup`` maps a variable to its flattened counterpart."""

    def __init__(
        self, product: BatchProduct, call: Call, lookup: Callable[[Expr], Expr], out: list[Stmt]
    ) -> None:
        self._product = product
        self._call = call
        self._lookup = lookup
        self._out = out

    # -- pieces ----------------------------------------------------------------------------------------------------
    def _emit(self, name: str, op: str, *args: Expr, kwargs: dict[str, Any] | None = None) -> Var:
        stmt = define(name, new_call(op, *args, span=self._call.span, kwargs=kwargs))
        self._out.append(stmt)
        return stmt.var

    def _page(self, operand: BatchOperand, page: int) -> Expr:
        rows, cols = operand.page
        if operand.whole:
            offset = (0, page * cols) if operand.from_view else (page * rows, 0)
            whole = self._lookup(operand.value)
            return self._emit(
                f"{operand.name}_slice_{page}", "tile.slice", whole, tuple_of(rows, cols), tuple_of(*offset)
            )
        return self._load_page(operand, page)

    def _load_page(self, operand: BatchOperand, page: int) -> Expr:
        load = operand.load
        assert load is not None and isinstance(load.type, TileType)
        tensor = self._lookup(load.args[0])
        tensor_type, offsets = tensor.type, load.args[1]
        extents = const_dims(load.type.shape)
        assert isinstance(tensor_type, TensorType) and isinstance(offsets, MakeTuple) and extents is not None
        view = view_2d(f"{operand.name}_pbview2d_{page}", tensor, self._call.span)
        self._out.append(view)
        at = list(offsets.elements)
        for axis, step in enumerate(_split_index(page, extents[:-2])):
            at[axis] = fold_add(at[axis], index(step))
        window = tuple_of(*extents[-2:])
        kwargs = dict(load.kwargs)
        if not isinstance(kwargs.get("target_memory"), MemorySpace):
            kwargs["target_memory"] = MemorySpace.Mat
        stmt = define(
            f"{operand.name}_pbload_{page}",
            new_call(
                "tile.load",
                view.var,
                tuple_of(folded_row(at, tensor_type.shape), at[-1]),
                window,
                window,
                span=self._call.span,
                kwargs=kwargs,
                attrs=load.attrs,
            ),
        )
        self._out.append(stmt)
        if operand.from_view:
            return self._emit(f"{operand.name}_pbview_{page}", "tile.transpose_view", stmt.var)
        return stmt.var

    def _operands(self, batch_index: tuple[int, ...]) -> tuple[Expr, Expr]:
        p = self._product
        lhs = self._page(p.lhs, p.lhs.page_index(batch_index, p.batch))
        rhs = self._page(p.rhs, p.rhs.page_index(batch_index, p.batch))
        return lhs, rhs

    def _batches(self) -> Sequence[tuple[int, ...]]:
        return list(multi_indices(*(range(extent) for extent in self._product.batch)))

    def _to_vec(self, number: int, value: Var, dtype: DataType) -> Var:
        moved = self._emit(
            f"matmul_vec_{number}", "tile.move", value, kwargs={"target_memory": MemorySpace.Vec}
        )
        if _dtype(moved.type) is dtype:
            return moved
        return self._emit(
            f"matmul_cast_{number}", "tile.cast", moved, kwargs={"target_type": dtype, "mode": _ROUND}
        )

    # -- batch_matmul ----------------------------------------------------------------------------------------------
    def into_store(self, result: Var, store: AssignStmt, store_call: Call, tensor: Expr) -> Var:
        """Store every page of the product where ``store`` would have stored all of it; returns the last state."""
        p = self._product
        kind, offsets = tensor.type, store_call.args[1]
        assert isinstance(kind, TensorType) and isinstance(offsets, MakeTuple)
        dtype = _dtype(result.type)
        for number, batch_index in enumerate(self._batches()):
            value = self._emit(f"matmul_{number}", "tile.matmul", *self._operands(batch_index))
            if _dtype(value.type) is not dtype:
                value = self._to_vec(number, value, dtype)
            at = [self._lookup(offset) for offset in offsets.elements]
            first = len(at) - 2 - len(p.batch)
            if first >= 0:
                for axis, step in enumerate(batch_index):
                    at[first + axis] = fold_add(at[first + axis], index(step))
            else:
                at[-2] = fold_add(at[-2], index(number * p.rows))
            args: list[Expr] = [value, tuple_of(*at), tensor]
            if kind.rank > 2:
                args.append(tuple_of(*(1,) * (kind.rank - 2), p.rows, p.cols))
            stmt = define(
                f"{store.var.name_hint}_{number}",
                new_call(
                    "tile.store",
                    *args,
                    span=store_call.span,
                    kwargs=store_call.kwargs,
                    attrs=store_call.attrs,
                ),
            )
            self._out.append(stmt)
            tensor = stmt.var
        assert isinstance(tensor, Var)
        return tensor

    def into_tile(self, result: Var) -> Var:
        """The flattened result: the product itself for one batch, else pages assembled in a vector tile."""
        p = self._product
        dtype = _dtype(result.type)
        accumulator = DataType.FP32 if dtype.is_float else DataType.INT32
        batches = self._batches()
        if len(batches) == 1 and accumulator is dtype:
            return self._finish(result, "tile.matmul", *self._operands(batches[0]))
        tile = self._emit(
            result.name_hint,
            "tile.create",
            tuple_of(p.count * p.rows, p.cols),
            kwargs={"dtype": dtype, "target_memory": MemorySpace.Vec},
        )
        for number, batch_index in enumerate(batches):
            value = self._emit(f"matmul_{number}", "tile.matmul", *self._operands(batch_index))
            value = self._to_vec(number, value, dtype)
            tile = self._emit(result.name_hint, "tile.assemble", tile, value, tuple_of(number * p.rows, 0))
        return tile

    def _finish(self, result: Var, op: str, *args: Expr) -> Var:
        call = new_call(op, *args, span=self._call.span)
        kind = keep_memref(call.type, result.type)
        stmt = AssignStmt(Var(result.name_hint, kind, span=result.span), call, span=self._call.span)
        self._out.append(stmt)
        return stmt.var

    # -- batch_matmul_acc ------------------------------------------------------------------------------------------
    def into_accumulator(self, acc: Var, extra: Sequence[Expr]) -> Var:
        """Accumulate every page into the flattened ``acc``; the new state carries its name."""
        p = self._product
        batches = self._batches()
        if len(batches) == 1:
            return self._emit(acc.name_hint, "tile.matmul_acc", acc, *self._operands(batches[0]), *extra)
        state = acc
        for number, batch_index in enumerate(batches):
            lhs, rhs = self._operands(batch_index)
            at = tuple_of(number * p.rows, 0)
            page = self._emit(f"acc_page_{number}", "tile.slice", state, tuple_of(p.rows, p.cols), at)
            value = self._emit(f"matmul_acc_{number}", "tile.matmul_acc", page, lhs, rhs, *extra)
            state = self._emit(acc.name_hint, "tile.assemble", state, value, at)
        return state


def _split_index(linear: int, extents: Sequence[int]) -> tuple[int, ...]:
    out: list[int] = []
    for extent in reversed(extents):
        linear, rest = divmod(linear, extent)
        out.append(rest)
    return tuple(reversed(out))


def _dtype(kind: Type) -> DataType:
    assert isinstance(kind, TileType)
    return kind.dtype
