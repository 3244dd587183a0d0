"""``test.*``: operators without a device meaning, used to exercise the registry itself (``docs/spec/ops_tile.md`` §6)."""

from __future__ import annotations

from pypto_core.ir import Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import KwargType, KwParam, OpCall, OpCategory, OpDef, Param, register


def deduce_first_arg(call: OpCall) -> Type:
    """TEST_FIRST_ARG: the type of the first argument."""
    return call.args[0].type


def deduce_always_fails(call: OpCall) -> Type:
    """TEST_RAISES."""
    call.fail("op-value", f"{call.name} always fails")


_X = (Param("x", ArgKind.ANY),)
register(
    OpDef(
        "test.op", OpCategory.TEST, "TEST_FIRST_ARG", deduce_first_arg,
        (Param("arg1", ArgKind.ANY), Param("arg2", ArgKind.ANY)),
        (
            KwParam("int_attr", KwargType.INT),
            KwParam("string_attr", KwargType.STR),
            KwParam("bool_attr", KwargType.BOOL),
        ),
        doc="Returns its first argument.",
    )
)  # fmt: skip
register(
    OpDef(
        "test.tensor_op_no_conv", OpCategory.TENSOR, "TEST_FIRST_ARG", deduce_first_arg, _X,
        doc="A tensor operator that no tile conversion exists for.",
    )
)  # fmt: skip
for _name in ("deduce_raises_internal", "deduce_raises_type"):
    register(
        OpDef(
            f"test.{_name}", OpCategory.TEST, "TEST_RAISES", deduce_always_fails, _X, doc="Refuses every call.",
        )
    )  # fmt: skip
