"""Reserving and initialising the rings between the two cores (docs/spec/passes_split.md §10.4, pipe setup)."""

from __future__ import annotations

from pypto_core.analysis.lanes import AIC, AIV, PIPE_SETUP_OPS, Side, const_value
from pypto_core.analysis.statements import leaf_call, walk_stmts
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    EvalStmt,
    Expr,
    Function,
    ScalarType,
    Span,
    Stmt,
    TileType,
    Var,
)
from pypto_core.ops.registry import untyped_op_call
from pypto_core.passes.split_axis.lane import is_lane_binding
from pypto_core.passes.split_axis.rejections import reject

C2V, V2C = 1, 2
"""Bits of ``dir_mask``."""
DEFAULT_SLOTS = 2

_DIRECTION = {AIC.push: C2V, AIV.pop: C2V, AIV.push: V2C, AIC.pop: V2C}
_INT32 = ScalarType.of(DataType.INT32)


def add_pipe_setup(
    function: Function, aic: list[Stmt], aiv: list[Stmt], aic_name: str, aiv_name: str
) -> tuple[list[Stmt], list[Stmt]]:
    """Both bodies with their setup statements; unchanged when the author wrote setup or nothing crosses.

    Raises:
        PassError: ``op-value`` for a ``slot_num`` below one.
    """
    sizes: dict[int, int] = {}
    active = 0
    for stmt in walk_stmts([*aic, *aiv]):
        call = leaf_call(stmt)
        if call is None:
            continue
        name = call.op.name
        if name in PIPE_SETUP_OPS:
            return aic, aiv
        direction = _DIRECTION.get(name)
        if direction is not None:
            active |= direction
            size = _tile_bytes(call)
            if size is not None:
                sizes[direction] = max(size, sizes.get(direction, 0))
    if not active or any(active & d and d not in sizes for d in (C2V, V2C)):
        return aic, aiv
    slots = function.attrs.get("slot_num", DEFAULT_SLOTS)
    if slots <= 0:
        raise reject(
            "slot_num",
            "op-value",
            f"slot_num of '{function.name}' must be positive, not {slots}",
            function.span,
        )
    ring = _Ring(function.name, active, max(sizes.values()), slots, aic_name, aiv_name)
    span = function.span
    return ring.setup(AIC, span) + aic, _after_lane_binding(aiv, ring.setup(AIV, span))


def _after_lane_binding(body: list[Stmt], setup: list[Stmt]) -> list[Stmt]:
    if body and is_lane_binding(body[0]):
        return [body[0], *setup, *body[1:]]
    return setup + body


def _tile_bytes(call: Call) -> int | None:
    tile = call.args[0].type if call.args else call.type
    if not isinstance(tile, TileType):
        return None
    elements = 1
    for extent in tile.shape:
        value = const_value(extent)
        if value is None:
            return None
        elements *= value
    return (elements * tile.dtype.bits + 7) // 8


class _Ring:
    """The two slot buffers of one kernel; the consuming core owns each."""

    def __init__(
        self, name: str, active: int, slot_size: int, slots: int, aic_name: str, aiv_name: str
    ) -> None:
        self.active = active
        self.slot_size = slot_size
        self.slots = slots
        self.names = {C2V: f"{name}_c2v_slot_buffer", V2C: f"{name}_v2c_slot_buffer"}
        self.peer = {AIC.name: aiv_name, AIV.name: aic_name}

    def setup(self, side: Side, span: Span) -> list[Stmt]:
        owned = V2C if side is AIC else C2V
        operands: dict[int, Expr] = {d: ConstInt(0, DataType.INT32, span=span) for d in (C2V, V2C)}
        out: list[Stmt] = []
        for direction in (V2C, C2V):
            if not self.active & direction:
                continue
            bind = (
                self.reserve(direction, span)
                if direction == owned
                else self.import_peer(direction, side, span)
            )
            operands[direction] = bind.var
            out.append(bind)
        init = untyped_op_call(
            side.pipe_init,
            (operands[C2V], operands[V2C]),
            {"dir_mask": self.active, "slot_size": self.slot_size, "slot_num": self.slots},
            span=span,
        )
        return [*out, EvalStmt(init, span=span)]

    def reserve(self, direction: int, span: Span) -> AssignStmt:
        name = self.names[direction]
        kwargs = {"name": name, "size": self.slot_size * self.slots, "base": -1}
        call = untyped_op_call("system.reserve_buffer", (), kwargs, result=_INT32, span=span)
        return AssignStmt(Var(name, _INT32, span=span), call, span=span)

    def import_peer(self, direction: int, side: Side, span: Span) -> AssignStmt:
        name = self.names[direction]
        kwargs = {"name": name, "peer_func": self.peer[side.name]}
        call = untyped_op_call("system.import_peer_buffer", (), kwargs, result=_INT32, span=span)
        return AssignStmt(Var(f"{name}_import", _INT32, span=span), call, span=span)
