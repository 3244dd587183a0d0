"""Proofs about extents: the interval shortcut answers as the analyser does, and never wrongly."""

from __future__ import annotations

import itertools
import random

import pytest

from pypto_core.arith import Analyzer
from pypto_core.ir import ConstInt, DataType, Eq, Expr, Le, Lt, Ne, ScalarType, Var, substitute
from pypto_core.ir.scalar import make_binary
from pypto_core.ops.proofs import add, fold, prove_eq, prove_le, sum_exceeds

INDEX = ScalarType.of(DataType.INDEX)
VARS = [Var(name, INDEX) for name in "abc"]


def random_extent(rng: random.Random, depth: int) -> Expr:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(VARS) if rng.random() < 0.6 else ConstInt(rng.randint(-2, 5))
    tag = rng.choice(("add", "sub", "mul", "min", "max", "floordiv"))
    right = ConstInt(rng.randint(1, 4)) if tag in ("mul", "floordiv") else random_extent(rng, depth - 1)
    return make_binary(tag, random_extent(rng, depth - 1), right)


def by_analyser(holds: type, fails: type, a: Expr, b: Expr, *, swapped: bool) -> bool | None:
    if Analyzer().can_prove(holds(a, b, DataType.BOOL)):
        return True
    refuted = fails(b, a, DataType.BOOL) if swapped else fails(a, b, DataType.BOOL)
    return False if Analyzer().can_prove(refuted) else None


def value(e: Expr, values: tuple[int, ...]) -> int:
    constants = {v: ConstInt(x) for v, x in zip(VARS, values, strict=True)}
    result = fold(substitute(e, constants))
    assert isinstance(result, ConstInt)
    return result.value


@pytest.mark.parametrize("seed", range(150))
def test_shortcut_agrees_with_the_analyser(seed: int) -> None:
    rng = random.Random(seed)
    a, b = random_extent(rng, 2), random_extent(rng, 2)
    le, eq = prove_le(a, b), prove_eq(a, b)
    slow_le = by_analyser(Le, Lt, a, b, swapped=True)
    slow_eq = by_analyser(Eq, Ne, a, b, swapped=False)
    # Intervals may decide what the analyser leaves open, never the other way round.
    assert le == slow_le or slow_le is None
    assert eq == slow_eq or slow_eq is None
    for values in itertools.product((0, 1, 3), repeat=3):
        x, y = value(a, values), value(b, values)
        assert le is None or le == (x <= y)
        assert eq is None or eq == (x == y)


@pytest.mark.parametrize("seed", range(80))
def test_sums(seed: int) -> None:
    rng = random.Random(seed)
    a, b, limit = (random_extent(rng, 1) for _ in range(3))
    assert sum_exceeds(a, b, limit) is (prove_le(add(a, b), limit) is False)


def test_signedness_is_never_mixed() -> None:
    unsigned = ConstInt(4, DataType.UINT64)
    assert prove_le(ConstInt(4), unsigned) is None
    assert prove_eq(ConstInt(4), unsigned) is None
    assert prove_le(Var("u", ScalarType.of(DataType.UINT64)), unsigned) is None
