"""MaterializeTensorStrides: a view of a tensor says its strides (docs/spec/passes_tile.md §9.1).

Every tensor type with a view and without strides gets the packed strides of its layout. A type without a view stays.
"""

from __future__ import annotations

from typing import NoReturn

from pypto_core.backend import Backend
from pypto_core.ir import (
    Function,
    Program,
    Span,
    TensorLayout,
    TensorType,
    TupleType,
    Type,
    map_tuple,
    packed_strides,
    stmt_defs,
    walk_stmts,
)
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.mutator import BaseMutator
from pypto_core.passes.tile_calls import reject

_PROPERTIES = "SSAForm SplitIncoreOrch IncoreTileOps TileOps2D TileMemoryInferred NormalizedStmtStructure"
CONTRACT = PassContract.of(_PROPERTIES, f"{_PROPERTIES} TensorViewCanonical", function_local=True)


def materialize_tensor_strides(*, backend: str | Backend | None = None) -> Pass:
    """The pass; the same for every chip.

    Raises:
        PassError: ``tensor-layout-nz`` for a tensor in the fractal layout of tiles.
    """
    return Pass("MaterializeTensorStrides", CONTRACT, lambda program: _run(program))


def _run(program: Program) -> Program:
    return map_functions(program, materialize_function)


def materialize_function(function: Function) -> Function:
    """``function`` with strides in every view; itself when no view lacks them."""
    for param in function.params:
        _check(param.type, param.span if param.span.is_valid else function.span)
    for kind in function.return_types:
        _check(kind, function.span)
    for stmt in walk_stmts(function.body):
        for var in stmt_defs(stmt):
            _check(var.type, stmt.span)
    mutator = _Strides()
    return function.with_(
        params=map_tuple(function.params, mutator.rewrite_def),
        return_types=map_tuple(function.return_types, mutator.rewrite_type),
        body=mutator.rewrite(function.body),
    )


def _check(kind: Type, span: Span) -> None:
    if isinstance(kind, TupleType):
        for element in kind.types:
            _check(element, span)
    elif isinstance(kind, TensorType) and kind.tensor_view is not None:
        if kind.tensor_view.layout is TensorLayout.NZ:
            _reject_nz(span)


def _reject_nz(span: Span) -> NoReturn:
    reject(
        "tensor-layout-nz",
        "MaterializeTensorStrides: NZ layout is tile-only and not allowed on a tensor type. Declare the tensor as ND or "
        "DN; a load into Mat makes the fractal layout",
        span,
    )


class _Strides(BaseMutator):
    def rewrite_type(self, type_: Type) -> Type:
        return _with_strides(super().rewrite_type(type_))


def _with_strides(kind: Type) -> Type:
    if isinstance(kind, TupleType):
        return kind.with_(types=map_tuple(kind.types, _with_strides))
    if not isinstance(kind, TensorType) or kind.tensor_view is None or kind.tensor_view.stride:
        return kind
    strides = packed_strides(kind.shape, kind.tensor_view.layout)
    if not strides:
        return kind
    return kind.with_(tensor_view=kind.tensor_view.with_(stride=strides))
