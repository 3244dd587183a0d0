"""Whatever a caller passes, an operator answers with a call or with an :class:`OpError`; nothing else escapes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pypto_core.ir import DataType, MemorySpace, PadValue, TensorLayout, TileLayout
from pypto_core.ops import KwargType, OpDef, OpError, all_ops, create_op_call
from tests.ops.notation import Reader

OPERANDS = (
    "t[16,64]", "t[16,64] fp16 Mat", "t[1,64]", "t[64,1] int32", "t[16,64] {v=[n,64]}", "t[16,64] {v=[0,0]}", "t[n,m]",
    "t[16,64] Acc {v=[8,40] compact}", "t[2,16,64]", "t[64]", "t[]", "t[0,64] int8", "t[16,64] -", "t[um,64] uint32",
    "t[16,64] {v=[8]}", "t[16,64] fp8e4m3fn Left", "t[16,2] fp8e8m0 LeftScale", "t[16,64] fp4",
    "T[128,128]", "T[128,128] int32", "T[n,128] {v=[m,128]}", "T[4]", "T[]", "T[128,128] {DN}", "T[16,2] fp8e8m0 {MX_A_ZZ}",
    "T[128,128] {stride=[256,1]}", "W[128,128]", "W[16,1] int32", "W[4] int32",
    "s:fp32", "s:int32", "s:bool", "s:task_id", "n", "um", "0", "3:int32", "-1", "0.5", "1.0:fp16",
    "()", "(16,64)", "(0,0)", "(n,0)", "(-1,0)", "(1,16,64)", "(16,)", "(0.5,1)", "(um,64)", "p(index,index)", "p(fp32)", "?",
)  # fmt: skip
VALUES: dict[KwargType, tuple[Any, ...]] = {
    KwargType.BOOL: (True, False),
    KwargType.INT: (-2, -1, 0, 1, 2, 7, 64),
    KwargType.STR: ("", "mix", "final"),
    KwargType.FLOAT: (0.0, 1.5),
    KwargType.DTYPE: (*DataType.by_name.values(), 0x33, 999),
    KwargType.MEMORY_SPACE: tuple(MemorySpace),
    KwargType.TENSOR_LAYOUT: tuple(TensorLayout),
    KwargType.TILE_LAYOUT: tuple(TileLayout),
    KwargType.PAD_VALUE: tuple(PadValue),
}
TRIES = 120


@pytest.mark.parametrize("op", list(all_ops()), ids=lambda op: op.name)
def test_any_call_is_answered(op: OpDef) -> None:
    rng = random.Random(op.name)
    reader = Reader()
    operands = [reader.operand(text, 0) for text in OPERANDS]
    answered = 0
    for _ in range(TRIES):
        count = rng.randint(op.min_args, op.max_args)
        # Half of the operands are of the declared kind, so that the rules behind the first checks are reached.
        args = []
        for param in op.params[:count]:
            fitting = [o for o in operands if _fits(param.kind.value, o)]
            args.append(rng.choice(fitting if fitting and rng.random() < 0.9 else operands))
        kwargs = {k.name: rng.choice(VALUES[k.type]) for k in op.kwargs if k.required or rng.random() < 0.5}
        try:
            create_op_call(op.name, args, kwargs)
        except OpError as error:
            assert error.diagnostic.code.startswith(("op-", "split-"))
            assert error.diagnostic.message
        answered += 1
    assert answered == TRIES


def _fits(kind: str, operand: Any) -> bool:
    from pypto_core.ops.kinds import ArgKind, kind_matches

    return kind_matches(ArgKind(kind), operand)
