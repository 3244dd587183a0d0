"""Results that are remembered (``pypto_core/ops/deduced.py``) depend on nothing but what they are remembered by."""

from __future__ import annotations

from typing import Any

import pytest

from pypto_core.diagnostics import Diagnostic
from pypto_core.ir import (
    Chunk,
    ConstInt,
    DataType,
    Expr,
    MemorySpace,
    Span,
    TileLayout,
    TileType,
    TileView,
    Type,
    Var,
    as_dims,
    structural_equal,
)
from pypto_core.ops import OpCall, OpError, create_op_call, deduced, get_op
from pypto_core.ops.declaration import OpCategory, OpDef, Param
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import register
from tests.ops.notation import Case, Reader
from tests.ops.test_tile_cases import CASES

REMEMBERED = [case for case in CASES if deduced.reads_types_only(get_op(case.op))]
GOOD = [case for case in REMEMBERED if case.result is not None]
BAD = [case for case in REMEMBERED if case.result is None]


class Unread:
    """Something that may not be looked at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deduced, "_results", {})


def call_of(case: Case) -> tuple[tuple[Expr, ...], dict[str, Any]]:
    reader = Reader()
    return tuple(reader.operands(case.operands)), dict(reader.kwargs(case.kwargs))


def plain(args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Variables of the same types: all that may be read of them is their type."""
    return tuple(Var("operand", arg.type) for arg in args)


@pytest.mark.parametrize("case", GOOD, ids=lambda c: c.text)
def test_the_types_of_the_operands_decide(case: Case) -> None:
    args, kwargs = call_of(case)
    result = create_op_call(case.op, args, kwargs)
    op = get_op(case.op)
    other = op.deduce(OpCall(op, plain(args), result.kwargs, result.span, Unread()))
    again = create_op_call(case.op, plain(args), kwargs)
    assert structural_equal(again.type, result.type)
    # The declared memory comes after the deduction; where it says nothing, the function alone gives the type.
    if isinstance(other, TileType) and isinstance(result.type, TileType) and other.memory_space is None:
        other = TileType(other.shape, other.dtype, None, other.tile_view, result.type.memory_space)
    assert structural_equal(other, result.type)


@pytest.mark.parametrize("case", BAD, ids=lambda c: c.text)
def test_a_refusal_is_the_one_of_the_call(case: Case) -> None:
    def refused(operands: tuple[Expr, ...]) -> Diagnostic:
        with pytest.raises(OpError) as caught:
            create_op_call(case.op, operands, kwargs)
        return caught.value.diagnostic

    args, kwargs = call_of(case)
    assert refused(args).message == refused(plain(args)).message
    assert refused(args) is not refused(args)
    assert deduced._results == {}


def tile(
    *shape: int | Expr, dtype: DataType = DataType.FP32, space: MemorySpace | None = None, **view: Any
) -> TileType:
    return TileType(as_dims(shape), dtype, None, TileView(**view) if view else None, space)


def result_of(a: TileType, b: TileType) -> Type:
    return create_op_call("tile.add", (Var("a", a), Var("b", b))).type


def test_equal_types_share_a_result() -> None:
    assert result_of(tile(16, 32), tile(16, 32)) is result_of(tile(16, 32), tile(16, 32))


N, M = Var("n", ConstInt(0).type), Var("n", ConstInt(0).type)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tile(16, 32), tile(32, 16)),
        (tile(16, 32), tile(16, 32, dtype=DataType.FP16)),
        (tile(16, 32), tile(16, 32, space=MemorySpace.Vec)),
        (tile(16, 32), tile(16, 32, valid_shape=(8, 32))),
        (tile(16, 32), tile(16, 32, blayout=TileLayout.col_major)),
        (tile(16, 32, valid_shape=(8, 32)), tile(16, 32, valid_shape=(16, 8))),
        (tile(16, 32, valid_shape=(16, 32), stride=(64, 1)), tile(16, 32, valid_shape=(16, 32), stride=(32, 1))),
        (tile(N, 32), tile(M, 32)),
        (tile(16, ConstInt(32)), tile(16, ConstInt(32, DataType.INT64))),
    ],
)  # fmt: skip
def test_different_types_do_not(one: TileType, other: TileType) -> None:
    first = result_of(one, one)
    second = result_of(other, other)
    assert first is not second
    assert first is result_of(one, one)


def placed(value: int, chunk: Chunk) -> ConstInt:
    return ConstInt(value, span=Span(chunk, 0, 2))


def test_a_result_has_nothing_of_the_text_that_it_was_first_deduced_for() -> None:
    """Neither the first call's numbers nor, with them, the text of its file stay."""
    results = []
    for text in ("16, 8 # here", "16, 8 # there"):
        chunk = Chunk("k.py", text)
        kind = tile(placed(16, chunk), placed(32, chunk), valid_shape=(placed(16, chunk), placed(8, chunk)))
        results.append(result_of(kind, kind))
        assert isinstance(results[-1], TileType)
        assert all(not dim.span.is_valid for dim in (*results[-1].shape, *results[-1].valid_shape))
    assert results[0] is results[1]


def test_a_full_table_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deduced, "LIMIT", 2)
    monkeypatch.setattr(deduced, "_numbers", {})
    for rows in range(1, 9):
        assert structural_equal(result_of(tile(rows, 8), tile(rows, 8)), tile(rows, 8, space=MemorySpace.Vec))
    assert len(deduced._results) <= 2 and len(deduced._numbers) <= 2


def test_an_operand_that_is_looked_at_cannot_be_declared() -> None:
    params = (Param("value", ArgKind.CONST_INT),)
    with pytest.raises(ValueError, match="more than the types"):
        register(OpDef("test.looked_at", OpCategory.TILE, "UNARY", get_op("tile.exp").deduce, params))
