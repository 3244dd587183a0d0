"""Scalar rewriting: the printed results of the specification, and that no rewrite changes a value."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from pypto_core import ir
from pypto_core.arith import Analyzer, ArithError, Interval
from pypto_core.arith.rewrite import RULES

INDEX = ir.ScalarType.of(ir.DataType.INDEX)
A, B, C = (ir.Var(n, INDEX) for n in "abc")
VARS = (A, B, C)


def _add(left: ir.Expr | int, right: ir.Expr | int) -> ir.Expr:
    return ir.make_binary("add", left, right)


def _b(tag: str, left: ir.Expr | int, right: ir.Expr | int) -> ir.Expr:
    return ir.make_binary(tag, left, right)


#: docs/spec/passes_front.md §5.8, last paragraph.
EXAMPLES = [
    (_add(_add(A, 3), 4), "a + 7"),
    (_add(3, A), "a + 3"),
    (_add(_b("mul", A, 4), A), "a * 5"),
    (_b("mul", _add(A, 2), 8), "a * 8 + 16"),
    (_b("floordiv", _add(_b("mul", A, 8), B), 8), "a + b // 8"),
    (_b("sub", A, _b("mul", _b("floordiv", A, 16), 16)), "a % 16"),
    (_add(_add(A, 1), B), "a + b + 1"),
    (_b("floordiv", _add(_b("floordiv", A, 4), 3), 5), "(a + 12) // 20"),
    (_add(_b("mul", A, B), _b("mul", A, C)), "(b + c) * a"),
    (_b("mod", _add(A, 37), 16), "(a + 5) % 16"),
    (_add(_b("mul", _add(A, 1), 4), _b("mul", B, 4)), "(a + b) * 4 + 4"),
    (_b("mod", _add(_b("mul", A, 16), B), 16), "b % 16"),
    (_b("mul", _b("floordiv", _add(A, 15), 16), 16), "(a + 15) // 16 * 16"),
    (_b("min", 16, _b("sub", A, _b("mul", B, 16))), "pl.min(a - b * 16, 16)"),
    (_b("lt", _add(A, 3), 10), "a < 7"),
    (ir.make_not(ir.make_and(_b("lt", A, B), _b("lt", B, C))), "b <= a or c <= b"),
    (_add(A, _add(B, 3)), "a + (b + 3)"),
    (_b("sub", A, _add(B, 1)), "a - b + -1"),
    (_b("mul", A, _b("mul", B, 4)), "a * (b * 4)"),
    (_b("gt", A, 3), "3 < a"),
    (_b("floordiv", 7, -2), "-4"),
    (_b("mod", 7, -2), "-1"),
    (_b("mod", -2, 3), "1"),
]


@pytest.mark.parametrize(("expr", "text"), EXAMPLES, ids=[t for _, t in EXAMPLES])
def test_example(expr: ir.Expr, text: str) -> None:
    assert ir.print_ir(Analyzer().simplify(expr)) == text


@pytest.mark.parametrize("tag", ["floordiv", "mod"])
def test_division_by_zero(tag: str) -> None:
    with pytest.raises(ArithError, match="by zero"):
        Analyzer().simplify(_b(tag, A, 0))


_OPS = ("add", "sub", "mul", "floordiv", "mod", "min", "max")
_COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")


def _tree(rng: random.Random, depth: int) -> ir.Expr:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(VARS) if rng.random() < 0.6 else ir.ConstInt(rng.randint(-4, 9))
    tag = rng.choice(_OPS)
    left = _tree(rng, depth - 1)
    if tag in ("floordiv", "mod"):
        return _b(tag, left, rng.choice((2, 3, 4, 8, -3)))
    return _b(tag, left, _tree(rng, depth - 1))


def _condition(rng: random.Random, depth: int) -> ir.Expr:
    if depth == 0 or rng.random() < 0.5:
        return _b(rng.choice(_COMPARE), _tree(rng, 2), _tree(rng, 2))
    kind = rng.randint(0, 2)
    if kind == 0:
        return ir.make_not(_condition(rng, depth - 1))
    make = ir.make_and if kind == 1 else ir.make_or
    return make(_condition(rng, depth - 1), _condition(rng, depth - 1))


_EVAL = {
    ir.Add: lambda a, b: a + b,
    ir.Sub: lambda a, b: a - b,
    ir.Mul: lambda a, b: a * b,
    ir.FloorDiv: lambda a, b: a // b,
    ir.FloorMod: lambda a, b: a % b,
    ir.Min: min,
    ir.Max: max,
    ir.Eq: lambda a, b: a == b,
    ir.Ne: lambda a, b: a != b,
    ir.Lt: lambda a, b: a < b,
    ir.Le: lambda a, b: a <= b,
    ir.Gt: lambda a, b: a > b,
    ir.Ge: lambda a, b: a >= b,
    ir.And: lambda a, b: a and b,
    ir.Or: lambda a, b: a or b,
}


def value(expr: ir.Expr, env: Mapping[ir.Expr, int]) -> int:
    if isinstance(expr, ir.Var):
        return env[expr]
    if isinstance(expr, (ir.ConstInt, ir.ConstBool)):
        return int(expr.value)
    if isinstance(expr, ir.BinaryExpr):
        return int(_EVAL[type(expr)](value(expr.left, env), value(expr.right, env)))
    assert isinstance(expr, ir.UnaryExpr)
    inner = value(expr.operand, env)
    return int(not inner) if isinstance(expr, ir.Not) else -inner


@pytest.mark.parametrize("seed", range(40))
def test_values_are_kept(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        expr = _tree(rng, 4) if rng.random() < 0.6 else _condition(rng, 2)
        simplified = Analyzer().simplify(expr)
        for _ in range(6):
            env: dict[ir.Expr, int] = {v: rng.randint(1, 40) for v in VARS}
            assert value(expr, env) == value(simplified, env), (ir.print_ir(expr), ir.print_ir(simplified))


@pytest.mark.parametrize("seed", range(20))
def test_bounds_hold(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        analyzer = Analyzer()
        env: dict[ir.Expr, int] = {}
        for var in VARS:
            low = rng.randint(0, 5)
            high = low + rng.randint(0, 9)
            analyzer.bind_bound(var, Interval(low, high))
            env[var] = rng.randint(low, high)
        expr = _tree(rng, 4)
        bound = analyzer.bound(expr)
        assert bound.lo <= value(expr, env) <= bound.hi, ir.print_ir(expr)


@pytest.mark.parametrize("seed", range(20))
def test_proofs_are_sound(seed: int) -> None:
    """What is proven under an assumption holds for every value that satisfies the assumption."""
    rng = random.Random(seed)
    for _ in range(40):
        assumption, claim = _condition(rng, 1), _condition(rng, 1)
        analyzer = Analyzer()
        with analyzer.assuming(assumption):
            proven = analyzer.can_prove(claim)
        if not proven:
            continue
        for _ in range(60):
            env: dict[ir.Expr, int] = {v: rng.randint(0, 12) for v in VARS}
            if value(assumption, env):
                assert value(claim, env), (ir.print_ir(assumption), ir.print_ir(claim))


def test_assumptions_and_facts() -> None:
    analyzer = Analyzer()
    less = _b("lt", A, B)
    assert not analyzer.can_prove(_b("le", A, B))
    with analyzer.assuming(ir.make_and(less, _b("lt", B, C))):
        assert analyzer.can_prove(_b("lt", _add(A, 1), C))
        assert analyzer.can_prove(_b("ne", A, C))
        assert not analyzer.can_prove(_b("lt", _add(A, 2), C))
    assert not analyzer.can_prove(_b("lt", A, C))
    assert analyzer.can_prove(_b("ge", A, 0))
    with analyzer.assuming(_b("lt", A, 4)):
        assert analyzer.can_prove(_b("lt", _b("mul", A, 2), 7))


def test_carried_value_gets_no_bound() -> None:
    arg = ir.IterArg("i", INDEX, ir.ConstInt(0))
    analyzer = Analyzer()
    with analyzer.assuming(_b("lt", arg, 4)):
        assert analyzer.bound(arg) == Interval(0, float("inf"))


def test_floats_and_calls_are_left_alone() -> None:
    f = ir.Var("f", ir.ScalarType.of(ir.DataType.FP32))
    for expr in (_b("add", f, 0.0), _b("mul", _b("add", f, 1.0), 1.0)):
        assert Analyzer().simplify(expr) is expr
    call = ir.Call(ir.Op.get("tensor.read"), (A,), type=INDEX)
    total = _add(call, call)
    assert ir.print_ir(Analyzer().simplify(total)).endswith("* 2")


def test_unchanged_is_the_same_object() -> None:
    expr = _add(A, _b("mul", B, C))
    assert Analyzer().simplify(expr) is expr


def test_rules_are_indexed_by_their_root() -> None:
    assert RULES
    for cls, group in RULES.items():
        assert group and all(rule.cls is cls for rule in group)


def test_an_assumption_inside_another_leaves_nothing_behind() -> None:
    analyzer = Analyzer()
    with analyzer.assuming(_b("ne", A, 0)):
        with analyzer.assuming(_b("eq", A, 1)):
            assert analyzer.bound(A) == Interval(1, 1)
        assert not analyzer.can_prove(_b("eq", A, 1))
    assert not analyzer.can_prove(_b("ne", A, 0))
    with analyzer.assuming(_b("lt", A, 9)):
        with analyzer.assuming(_b("eq", A, 1)):
            pass
        assert analyzer.bound(A) == Interval(0, 8)
    assert analyzer.bound(A) == Analyzer().bound(A)
