"""Tensors and tiles of which a part is unknown: parameters without shape in the signature, and what is made of them
(docs/spec/static-eval.md §7).

Nothing is concluded from what is unknown: a call is tried with several dtypes in its place, and a fault counts only where every one
of them has it, in the same words. What all of them agree on is known of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend.context import INDEX_TYPE, Fault, FunctionContext, Silent
from pypto_core.frontend.type_check import same_dims, same_type
from pypto_core.ir import (
    ERROR_TYPE,
    ConstInt,
    DataType,
    ErrorType,
    Expr,
    MakeTuple,
    TensorType,
    TileType,
    Type,
    Var,
    substitute,
)
from pypto_core.ir.rewrite import map_type
from pypto_core.ir.walk import expr_vars
from pypto_core.ops.dsl import DslValue, Unevaluated
from pypto_core.ops.registry import OpError

#: A dtype that is unknown; beside it, unlike for any other unknown value, the rest of a call can be judged.
UNKNOWN_DTYPE = Unevaluated()
_DTYPES = (DataType.FP32, DataType.BF16, DataType.INT32, DataType.INT8)


@dataclass(frozen=True, slots=True, eq=False)
class PartlyKnown(ErrorType):
    """A tensor or tile whose dtype is unknown; ``like`` is its type with some dtype, None for a tensor of unknown rank.

    To whoever does not ask, a value of this type is one of which nothing is known.
    """

    like: TensorType | TileType | None = None


UNKNOWN_TENSOR = PartlyKnown()


def is_partly_known(values: Sequence[DslValue]) -> bool:
    """Whether something among the arguments of a call is known in part, and nothing is wrong or wholly unknown."""
    found = False
    for value in _parts(values):
        if value is UNKNOWN_DTYPE or (isinstance(value, Expr) and isinstance(value.type, PartlyKnown)):
            found = True
        elif isinstance(value, Unevaluated) or (
            isinstance(value, Expr) and isinstance(value.type, ErrorType)
        ):
            return False
    return found


def _parts(values: Sequence[DslValue]) -> Iterator[DslValue]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _parts(value)
        else:
            yield value


def call_partly_known(
    ctx: FunctionContext,
    node: ast.expr,
    args: Sequence[DslValue],
    kwargs: Mapping[str, DslValue],
    resolve: Callable[[list[DslValue], dict[str, DslValue]], Expr],
) -> Expr:
    """A value that stands for a call with arguments that are known in part. Raises Fault or Silent."""
    ctx.mark_incomplete()
    given = (*args, *kwargs.values())
    shapeless = any(isinstance(v, Expr) and v.type is UNKNOWN_TENSOR for v in _parts(given))
    # A list beside a tensor of unknown rank has an entry per axis (offsets, extents).
    ranks = sorted({len(v) for v in given if isinstance(v, list | tuple)} or {2}) if shapeless else [0]
    faults: list[Diagnostic] = []
    for rank in ranks:
        dims = tuple(Var(f"dim{axis}", INDEX_TYPE) for axis in range(rank))
        results: list[Type] = []
        for dtype in _DTYPES:
            stand_in = _StandIn(dims, dtype)
            tried = [stand_in.of(a) for a in args]
            named = {k: stand_in.of(v) for k, v in kwargs.items()}
            try:
                results.append(resolve(tried, named).type)
            except OpError as error:
                if ctx.program.unknown_dims and (
                    error.unproven or not fails_for_every_size(ctx, tried, named, resolve)
                ):
                    raise Silent from error
                faults.append(ctx.program.softened(error.diagnostic, (*tried, *named.values())))
        if results:
            return Var(ctx.target_name or "value", _agreed(results, dims), span=ctx.span(node))
    told = {(fault.code, fault.message, fault.span) for fault in faults}
    if len(told) == 1 and not shapeless:
        raise Fault(faults[0])
    raise Silent


#: Sizes that are tried for a dimension whose value is unknown, beside those that stand in the call.
_SIZES = (1, 16, 64)
_MOST_TRIES = 128


def fails_for_every_size(
    ctx: FunctionContext,
    args: Sequence[DslValue],
    kwargs: Mapping[str, DslValue],
    resolve: Callable[[list[DslValue], dict[str, DslValue]], Expr],
) -> bool:
    """Whether a call that is refused with symbols for unknown dimensions would be refused with numbers as well."""
    invented = {id(var) for var in ctx.program.unknown_dims.values()}
    symbols: dict[int, Var] = {}
    sizes = dict.fromkeys(_SIZES)
    for extent in _extents((*args, *kwargs.values())):
        symbols.update((id(var), var) for var in expr_vars(extent) if id(var) in invented)
        if isinstance(extent, ConstInt) and extent.value > 0:
            sizes[extent.value] = None
    if not symbols:
        return True
    if len(sizes) ** len(symbols) > _MOST_TRIES:
        return False
    for numbers in product(sizes, repeat=len(symbols)):
        mapping: dict[Var, Expr] = {v: ConstInt(n) for v, n in zip(symbols.values(), numbers, strict=True)}
        try:
            resolve(
                [_with_sizes(a, mapping) for a in args],
                {k: _with_sizes(v, mapping) for k, v in kwargs.items()},
            )
        except OpError:
            continue
        return False
    return True


def _extents(values: Sequence[DslValue]) -> Iterator[Expr]:
    """Numbers and shapes in the arguments of a call."""
    for value in _parts(values):
        if isinstance(value, MakeTuple):
            yield from _extents(value.elements)
        elif isinstance(value, Expr):
            if isinstance(value.type, TensorType | TileType):
                yield from value.type.shape
            else:
                yield value


def _with_sizes(value: DslValue, mapping: Mapping[Var, Expr]) -> DslValue:
    if isinstance(value, list | tuple):
        return [_with_sizes(v, mapping) for v in value]
    if not isinstance(value, Expr):
        return value
    if isinstance(value.type, TensorType | TileType):
        return Var("value", map_type(value.type, lambda e: substitute(e, mapping)), span=value.span)
    replaced: Expr = substitute(value, mapping)
    return replaced


@dataclass(frozen=True, slots=True)
class _StandIn:
    """One way in which things could be: ``dims`` for every unknown shape, ``dtype`` for every unknown dtype."""

    dims: tuple[Expr, ...]
    dtype: DataType

    def of(self, value: DslValue) -> DslValue:
        if value is UNKNOWN_DTYPE:
            return self.dtype
        if isinstance(value, list | tuple):
            return [self.of(v) for v in value]
        if isinstance(value, Expr) and isinstance(value.type, PartlyKnown):
            like = value.type.like
            kind = TensorType(self.dims, self.dtype) if like is None else like.with_(dtype=self.dtype)
            return Var(value.name_hint if isinstance(value, Var) else "value", kind, span=value.span)
        return value


def _agreed(results: Sequence[Type], dims: Sequence[Expr]) -> Type:
    """What holds for every dtype that the call accepts, and for every shape."""
    first, others = results[0], results[1:]
    if isinstance(first, TensorType | TileType) and any(
        var is dim for extent in first.shape for var in expr_vars(extent) for dim in dims
    ):
        return UNKNOWN_TENSOR if isinstance(first, TensorType) else ERROR_TYPE
    if others and all(same_type(first, other) for other in others):
        return first
    if isinstance(first, TensorType | TileType) and all(
        isinstance(other, type(first)) and same_dims(first.shape, other.shape) for other in others
    ):
        return PartlyKnown(first)
    return ERROR_TYPE
