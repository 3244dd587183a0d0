"""Task handles and core counts (``docs/spec/ops_tile.md`` §6)."""

from __future__ import annotations

from pypto_core.ir import DataType, ScalarType, Type
from pypto_core.ops.registry import OpCall, OpCategory, OpDef, register
from pypto_core.ops.system.pipes import deduce_int32
from pypto_core.ops.tile.declare import scalar

_D = DataType


def deduce_task_id(call: OpCall) -> Type:
    """TASK_ID: nothing is checked."""
    return ScalarType.of(_D.TASK_ID)


def deduce_task_is_valid(call: OpCall) -> Type:
    """TASK_IS_VALID: one task handle."""
    got = call.scalar(0).dtype
    if got is not _D.TASK_ID:
        call.fail("op-dtype", f"{call.name} requires a task_id scalar, but got {got.text}", arg=0)
    return ScalarType.of(_D.BOOL)


for _name, _deduce, _rule, _doc in (
    ("available_aiv_count", deduce_int32, "I32", "Vector cores that this launch may use."),
    ("available_cluster_count", deduce_int32, "I32", "Core clusters that this launch may use."),
    ("task_invalid", deduce_task_id, "TASK_ID", "A handle of no task."),
    ("task_dummy", deduce_task_id, "TASK_ID", "A task that does nothing but wait for its dependencies."),
):
    register(OpDef(f"system.{_name}", OpCategory.TASK, _rule, _deduce, check_arity=False, doc=_doc))
register(
    OpDef(
        "system.task_is_valid", OpCategory.TASK, "TASK_IS_VALID", deduce_task_is_valid, (scalar("task_id"),),
        doc="Whether a handle stands for a task.",
    )
)  # fmt: skip
