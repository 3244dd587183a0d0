"""Cross-core pipes: set-up, shared buffers, giving slots back (``docs/spec/ops_tile.md`` §6)."""

from __future__ import annotations

from pypto_core.ir import DataType, ScalarType, Type
from pypto_core.ops.registry import (
    CoreAffinity,
    CrossCoreRole,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Stored,
    register,
)
from pypto_core.ops.tile.cross_core import PIPE_ID, deduce_unknown, split_code_kw
from pypto_core.ops.tile.declare import scalar, tile


def deduce_int32(call: OpCall) -> Type:
    """I32: nothing is checked."""
    return ScalarType.of(DataType.INT32)


def _required(name: str, kind: KwargType, doc: str, *, legal: str = "") -> KwParam:
    return KwParam(name, kind, required=True, stored=Stored.ALWAYS, legal=legal, doc=doc)


_BUFFERS = (
    scalar("c2v_consumer_buf", doc="buffer that cube-to-vector slots live in, or 0"),
    scalar("v2c_consumer_buf", doc="buffer that vector-to-cube slots live in, or 0"),
)
_PIPE = (
    _required(
        "dir_mask",
        KwargType.INT,
        "directions of the pipe",
        legal="bit 0 cube to vector, bit 1 vector to cube",
    ),
    _required("slot_size", KwargType.INT, "size of a slot", legal="bytes"),
    KwParam("slot_num", KwargType.INT, doc="slots of the pipe"),
    KwParam("local_slot_num", KwargType.INT, doc="slots in local memory"),
    PIPE_ID,
)
for _name, _lane, _doc in (
    ("aic_initialize_pipe", CoreAffinity.CUBE, "Set up the cube's end of a pipe."),
    ("aiv_initialize_pipe", CoreAffinity.VECTOR, "Set up a vector lane's end of a pipe."),
):
    register(
        OpDef(
            f"system.{_name}", OpCategory.CROSS_CORE, "UNKNOWN", deduce_unknown, _BUFFERS, _PIPE, affinity=_lane,
            cross_core_role=CrossCoreRole.INITIALIZE_PIPE, check_arity=False, doc=_doc,
        )
    )  # fmt: skip
for _name, _codes, _lane, _doc in (
    (
        "tfree_to_aic",
        tuple(range(5)),
        CoreAffinity.VECTOR,
        "Give the slot of a popped tile back to the cube.",
    ),
    (
        "tfree_to_aiv",
        tuple(range(3)),
        CoreAffinity.CUBE,
        "Give the slot of a popped tile back to the vector lanes.",
    ),
):
    register(
        OpDef(
            f"system.{_name}", OpCategory.CROSS_CORE, "UNKNOWN", deduce_unknown, (tile("tile"),),
            (split_code_kw(_codes, stored=Stored.WHEN_GIVEN), PIPE_ID), affinity=_lane,
            cross_core_role=CrossCoreRole.TFREE, check_arity=False, doc=_doc,
        )
    )  # fmt: skip
register(
    OpDef(
        "system.reserve_buffer", OpCategory.CROSS_CORE, "I32", deduce_int32,
        kwargs=(
            _required("name", KwargType.STR, "name that the peer imports"),
            _required("size", KwargType.INT, "size of the buffer", legal="bytes"),
            KwParam(
                "base", KwargType.INT, stored=Stored.ALWAYS, builder_default=-1, legal="address, -1 = automatic",
                doc="where the buffer starts",
            ),
        ),
        check_arity=False, doc="Reserve local memory that a peer core writes.",
    )
)  # fmt: skip
register(
    OpDef(
        "system.import_peer_buffer", OpCategory.CROSS_CORE, "I32", deduce_int32,
        kwargs=(
            _required("name", KwargType.STR, "name of the peer's buffer"),
            _required("peer_func", KwargType.STR, "function that reserved it"),
        ),
        check_arity=False, doc="Address of a buffer that a peer core reserved.",
    )
)  # fmt: skip
