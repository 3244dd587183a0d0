"""Which checks of which operators have a case.

``python -m tools.operator_checks`` prints the matrix of (operator, check) as far as it has holes, each with a call to start a case
from, and fails when there is one. A check is a place in ``pypto_core/ops`` that refuses a call. Those that an operator has are found by
calling it in many wrong ways; those that are tested are the ones that the cases of ``tests/ops/cases`` meet. What the registry
itself checks from the declaration (number and kinds of operands, keywords) is tested for all operators alike, in
``tests/ops/test_declared_checks.py``.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pypto_core.ops import OpDef, OpError, all_ops, create_op_call
from tests.ops.notation import Case, Reader, read_cases
from tests.ops.test_robustness import OPERANDS

ROOT = Path(__file__).parents[1]
OPS = ROOT / "pypto_core" / "ops"
#: Files whose statements refuse on behalf of others.
_SHARED = OPS / "call.py"
#: Checks of every operator alike.
DECLARED = "registry.py"


@dataclass(frozen=True, order=True)
class Check:
    """A statement that refuses: its file under ``pypto_core/ops``, its line, and the code that it gives."""

    file: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.code}"


def cases() -> list[Case]:
    """The cases of all families."""
    return [case for path in sorted((ROOT / "tests/ops/cases").glob("*.txt")) for case in read_cases(path)]


def good_cases() -> dict[str, list[Case]]:
    """Operator -> its cases that have a result; where it has none, those of operators with the same rule that it takes as well."""
    good: dict[str, list[Case]] = defaultdict(list)
    alike: dict[str, list[Case]] = defaultdict(list)
    for case in cases():
        if case.result is not None:
            good[case.op].append(case)
            alike[case.rule].append(case)
    for op in all_ops():
        if op.name not in good:
            good[op.name] = [
                case for case in alike[op.rule] if refusal(op.name, case.operands, case.kwargs) is None
            ]
    return good


def refusal(op: str, operands: str, kwargs: str) -> OpError | None:
    """The error of a call in the notation of the cases; None where the call is right or cannot be written."""
    reader = Reader()
    try:
        args, words = reader.operands(operands), reader.kwargs(kwargs)
    except (KeyError, AssertionError):
        return None
    try:
        create_op_call(op, args, words)
    except OpError as error:
        return error
    return None


def refused_by(error: OpError) -> Check:
    """The statement that refused: the innermost one outside the shared helpers of a call."""
    place: tuple[Path, int] = (_SHARED, 0)
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if OPS in file.parents and (file != _SHARED or place[0] == _SHARED):
            place = (file, trace.tb_lineno)
        trace = trace.tb_next
    return Check(str(place[0].relative_to(OPS)), place[1], error.diagnostic.code)


def tested() -> dict[str, set[Check]]:
    """Operator -> checks that a case meets."""
    found: dict[str, set[Check]] = defaultdict(set)
    for case in cases():
        error = refusal(case.op, case.operands, case.kwargs) if case.result is None else None
        if error is not None:
            found[case.op].add(refused_by(error))
    return found


def wrong_calls(op: OpDef, good: list[Case]) -> Iterator[tuple[str, str]]:
    """Operands and keywords of wrong calls: right ones with one operand changed, and with several."""
    rng = random.Random(op.name)
    for case in good:
        parts = [p.strip() for p in case.operands.split(";")] if case.operands else []
        for i in range(len(parts)):
            for operand in OPERANDS:
                yield "; ".join((*parts[:i], operand, *parts[i + 1 :])), case.kwargs
        for _ in range(20):
            yield "; ".join(rng.choice(OPERANDS) if rng.random() < 0.4 else p for p in parts), case.kwargs


def holes() -> Iterator[tuple[str, Check, str]]:
    """Operator, check without a case, and a line that would be one."""
    met, good = tested(), good_cases()
    for op in all_ops():
        found = set(met[op.name])
        for operands, kwargs in wrong_calls(op, good[op.name]):
            error = refusal(op.name, operands, kwargs)
            check = refused_by(error) if error is not None else None
            if error is None or check is None or check in found or check.file == DECLARED:
                continue
            found.add(check)
            where = error.arg_index if error.arg_index is not None else error.keyword or "-"
            call = f"{op.name}({operands}{' | ' + kwargs if kwargs else ''})"
            words = error.diagnostic.message.removeprefix("The operator ").removeprefix(op.name).lstrip(": ")
            yield op.name, check, f"{call} !! {error.diagnostic.code}@{where} {words}"


def main() -> int:
    missing = 0
    for _, check, line in holes():
        missing += 1
        print(f"{check}\t{line}")
    print(
        f"{sum(map(len, tested().values()))} pairs of operator and check have a case, {missing} have none",
        file=sys.stderr,
    )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
