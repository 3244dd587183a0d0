"""Shorthand for declaring ``tile.*`` operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_core.ir import MemorySpace, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import (
    Effect,
    EffectRule,
    Evidence,
    FixedSpace,
    KwargType,
    KwParam,
    LaneKind,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    RowMajorNeed,
    Stored,
    register,
)

VEC = (MemorySpace.Vec,)
VEC_OUT = FixedSpace(MemorySpace.Vec)
ACC_OUT = FixedSpace(MemorySpace.Acc)
SCRATCH = LaneKind.SCRATCH

Deduce = Callable[[OpCall], Type]


def tile(
    name: str,
    memory: tuple[MemorySpace, ...] = (),
    *,
    optional: bool = False,
    effect: EffectRule = Effect.READ,
    lane: LaneKind = LaneKind.DATA,
    doc: str = "",
) -> Param:
    """A tile operand."""
    return Param(name, ArgKind.TILE, optional, memory, effect, lane, doc)


def vec(
    name: str,
    *,
    optional: bool = False,
    effect: EffectRule = Effect.READ,
    lane: LaneKind = LaneKind.DATA,
    doc: str = "",
) -> Param:
    """A tile operand that must end up in vector memory."""
    return tile(name, VEC, optional=optional, effect=effect, lane=lane, doc=doc)


def scratch(name: str = "tmp", *, optional: bool = False) -> Param:
    """Working memory for the vector unit; each lane may take the whole of it."""
    return vec(name, optional=optional, lane=SCRATCH, doc="working memory; its contents do not matter")


def operand(
    name: str, kind: ArgKind, *, optional: bool = False, effect: EffectRule = Effect.READ, doc: str = ""
) -> Param:
    """Any other operand."""
    return Param(name, kind, optional, effect=effect, doc=doc)


def scalar(name: str, *, optional: bool = False, doc: str = "") -> Param:
    """A scalar operand."""
    return Param(name, ArgKind.SCALAR, optional, doc=doc)


def vector_op(
    name: str,
    rule: str,
    deduce: Deduce,
    params: tuple[Param, ...],
    doc: str,
    *,
    row_major: tuple[int, ...] | None = None,
    evidence: Evidence = Evidence.FUNCTIONAL,
    **flags: Any,
) -> OpDef:
    """Register an operator of the vector unit: its result lives in vector memory."""
    return register(
        OpDef(
            name,
            OpCategory.TILE,
            rule,
            deduce,
            params,
            output_memory=VEC_OUT,
            evidence=evidence,
            backend_row_major=None if row_major is None else RowMajorNeed(row_major),
            doc=doc,
            **flags,
        )
    )


def dtype_kw(name: str = "dtype", *, required: bool = True, **more: Any) -> KwParam:
    """A keyword that takes an element type."""
    return KwParam(name, KwargType.DTYPE, required=required, **more)


HIGH_PRECISION = KwParam(
    "high_precision",
    KwargType.BOOL,
    default=False,
    builder_default=False,
    stored=Stored.WHEN_TRUTHY,
    doc="slower algorithm with smaller error",
)
