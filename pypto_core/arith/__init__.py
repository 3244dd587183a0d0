"""Scalar arithmetic: literal folding, constant bounds, rewriting and proofs (docs/spec/passes_front.md §5.5-5.8).

Everything here works on scalar expressions of :mod:`pypto_core.ir` and knows nothing of operators or statements.
"""

from __future__ import annotations

from pypto_core.arith.analyzer import Analyzer
from pypto_core.arith.bounds import EVERYTHING, Interval, default_bound
from pypto_core.arith.fold import ArithError, fold_binary, fold_unary
from pypto_core.arith.same import same_expr

__all__ = [
    "EVERYTHING",
    "Analyzer",
    "ArithError",
    "Interval",
    "default_bound",
    "fold_binary",
    "fold_unary",
    "same_expr",
]
