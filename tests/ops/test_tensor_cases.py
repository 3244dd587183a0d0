"""One call in, its type or its fault out, for every deduction rule of the tensor side."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from pypto_core.ops import OpError, all_ops, create_op_call
from tests.ops.notation import Case, Reader, read_cases, show

CASES = [
    case
    for path in sorted((Path(__file__).parent / "cases").glob("tensor_*.txt"))
    for case in read_cases(path)
]
NAMESPACES = ("tensor.", "array.", "pld.", "prefetch.", "builtin.", "dist.")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.text)
def test_case(case: Case) -> None:
    reader = Reader()
    args, kwargs = reader.operands(case.operands), reader.kwargs(case.kwargs)
    if case.result is not None:
        assert show(create_op_call(case.op, args, kwargs).type) == case.result
        return
    with pytest.raises(OpError) as caught:
        create_op_call(case.op, args, kwargs)
    error = caught.value
    assert error.diagnostic.code == case.code, error.diagnostic.message
    assert case.words in error.diagnostic.message
    where = (
        {"-"} if error.arg_index is None and error.keyword is None else {str(error.arg_index), error.keyword}
    )
    assert case.where in where, error.diagnostic.message


def test_every_rule_has_a_good_and_a_bad_call() -> None:
    declared = {op.rule for op in all_ops() if op.name.startswith(NAMESPACES)}
    outcomes: dict[str, set[bool]] = defaultdict(set)
    for case in CASES:
        outcomes[case.rule].add(case.result is not None)
    # Calls of the runtime are typed by the pass that makes them: nothing is refused.
    assert {rule for rule in declared if outcomes[rule] != {True, False}} == {"T-UNKNOWN"}
    assert set(outcomes) == declared


def test_cases_stand_under_their_rule() -> None:
    rules = {op.name: op.rule for op in all_ops()}
    assert [c.text for c in CASES if rules[c.op] != c.rule] == []
