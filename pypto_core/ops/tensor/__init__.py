"""Operators of the ``tensor.*`` families; importing this package registers them."""

from pypto_core.ops.tensor import (
    bitwise,
    broadcasting,
    cross_core,
    elementwise,
    gather,
    generators,
    matmul,
    memory,
    reduce,
    reinterpret,
    reshape,
    scatter,
    sort,
    unary,
)

__all__ = [
    "bitwise",
    "broadcasting",
    "cross_core",
    "elementwise",
    "gather",
    "generators",
    "matmul",
    "memory",
    "reduce",
    "reinterpret",
    "reshape",
    "scatter",
    "sort",
    "unary",
]
