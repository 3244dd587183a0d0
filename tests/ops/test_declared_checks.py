"""What the declaration of an operator says about its operands and keywords is checked, at the operand or keyword at fault.

Each operator is called as one of its cases does, with one thing changed. The checks behind these have cases of their own
(``tests/ops/cases``), and none is without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pypto_core.ir import Expr
from pypto_core.ops import KwargType, OpDef, OpError, all_ops, create_op_call
from pypto_core.ops.kinds import kind_matches
from tests.ops.notation import Case, Reader
from tests.ops.test_robustness import OPERANDS
from tools.operator_checks import good_cases, holes

GOOD = good_cases()
#: All but the two that refuse every call.
OPERATORS = [op for op in all_ops() if op.rule != "TEST_RAISES"]
#: A value that no keyword of the type takes.
WRONG: dict[KwargType, Any] = dict.fromkeys(KwargType, (1, 2))


def _read(case: Case) -> tuple[list[Expr], dict[str, Any]]:
    reader = Reader()
    return list(reader.operands(case.operands)), reader.kwargs(case.kwargs)


def _operands() -> Iterator[Expr]:
    for text in OPERANDS:
        yield Reader().operand(text, 0)


def _refused(op: OpDef, args: list[Expr], kwargs: dict[str, Any]) -> OpError:
    with pytest.raises(OpError) as caught:
        create_op_call(op.name, args, kwargs)
    return caught.value


def test_every_operator_has_a_right_call() -> None:
    assert [op.name for op in OPERATORS if not GOOD[op.name]] == []


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.check_arity], ids=lambda op: op.name)
def test_number_of_operands(op: OpDef) -> None:
    args, kwargs = _read(GOOD[op.name][0])
    more = [*args, *(next(_operands()) for _ in range(op.max_args + 1 - len(args)))]
    error = _refused(op, more, kwargs)
    assert (error.diagnostic.code, error.arg_index) == ("op-arity", op.max_args)
    if op.min_args:
        error = _refused(op, args[: op.min_args - 1], kwargs)
        assert (error.diagnostic.code, error.arg_index) == ("op-arity", None)


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.check_arity], ids=lambda op: op.name)
def test_kinds_of_operands(op: OpDef) -> None:
    args, kwargs = _read(max(GOOD[op.name], key=lambda case: case.operands.count(";")))
    for index, param in enumerate(op.params[: len(args)]):
        wrong = [operand for operand in _operands() if not kind_matches(param.kind, operand)]
        for operand in wrong:
            error = _refused(op, [*args[:index], operand, *args[index + 1 :]], kwargs)
            assert (error.diagnostic.code, error.arg_index) == ("op-kind", index), error.diagnostic.message


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.kwargs], ids=lambda op: op.name)
def test_keywords(op: OpDef) -> None:
    args, kwargs = _read(GOOD[op.name][0])
    error = _refused(op, args, {**kwargs, "no_such_keyword": 1})
    assert (error.diagnostic.code, error.keyword) == ("op-keyword", "no_such_keyword")
    for word in op.kwargs:
        error = _refused(op, args, {**kwargs, word.name: WRONG[word.type]})
        assert (error.diagnostic.code, error.keyword) == ("op-keyword", word.name)
        if word.required and op.check_arity:
            without = {name: value for name, value in kwargs.items() if name != word.name}
            error = _refused(op, args, without)
            assert (error.diagnostic.code, error.keyword) == ("op-keyword", word.name)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
def test_valid_shape_of_another_rank(op: OpDef) -> None:
    """A stated valid shape has one extent per dimension (docs/spec/ops_tile.md §2.2)."""
    args, kwargs = _read(GOOD[op.name][0])
    for index, arg in enumerate(args):
        text = {"TileType": "t[16,64] {v=[8]}", "TensorType": "T[128,128] {v=[8]}"}.get(
            type(arg.type).__name__
        )
        if text is None:
            continue
        error = _refused(op, [*args[:index], Reader().operand(text, index), *args[index + 1 :]], kwargs)
        assert (error.diagnostic.code, error.arg_index) == ("op-rank", index), error.diagnostic.message


def test_every_check_that_a_wrong_call_meets_has_a_case() -> None:
    assert [line for _, _, line in holes()] == [], "python -m tools.operator_checks"
