"""Operators of the ``dist.*`` family: runtime calls of the distributed lowering (``docs/spec/ops_tensor.md`` §5.3).

The lowering that makes them states their types; nothing is checked here.
"""

from __future__ import annotations

from pypto_core.ir import UNKNOWN, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import OpCall, OpCategory, OpDef, Param, register


def deduce_unknown(call: OpCall) -> Type:
    """T-UNKNOWN."""
    return UNKNOWN


for _name, _params, _doc in (
    ("future_get", ("future",), "Value of a finished asynchronous call."),
    ("make_tensor", ("rt", "count"), "A tensor handle of the runtime."),
    ("submit_orchestrator", ("rt",), "Submits an orchestrator task."),
    ("submit_worker", ("rt",), "Submits a worker task."),
    ("tree_reduce", ("rt", "leaves"), "Combines task results pairwise."),
):
    register(
        OpDef(
            f"dist.{_name}", OpCategory.DISTRIBUTED, "T-UNKNOWN", deduce_unknown,
            tuple(Param(p, ArgKind.ANY) for p in _params), check_arity=False, doc=_doc,
        )
    )  # fmt: skip
