"""Where values cross between the cube core and the vector lanes, and through which ring of slots (docs/spec/passes_split.md §2, §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pypto_core.analysis.lanes import PIPE_INIT_OPS, POP_OPS, PUSH_OPS, kwarg_int
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Function,
    FunctionType,
    MemorySpace,
    Program,
    Span,
    walk_stmts,
)

#: Split code of a transfer -> its name in the instruction set (docs/spec/passes_split.md §2).
CODE_NAMES: Mapping[int, str] = {
    0: "TILE_NO_SPLIT",
    1: "TILE_UP_DOWN",
    2: "TILE_LEFT_RIGHT",
    3: "TILE_UP_DOWN_ODD",
    4: "TILE_LEFT_RIGHT_ODD",
}


@dataclass(frozen=True, slots=True)
class Crossing:
    """One transfer: ``to_vector`` from the cube core to the lanes, else back.

    ``slot_bytes`` and ``slots`` describe the ring that it goes through, which lies in ``memory`` of the consumer; both are 0 when the
    kernel has no ring of its own for it.
    """

    to_vector: bool
    code: int
    slot_bytes: int
    slots: int
    memory: MemorySpace

    @property
    def code_name(self) -> str:
        """The split code by its name: ``TILE_UP_DOWN``; see :data:`CODE_NAMES`."""
        return CODE_NAMES.get(self.code, "unknown code")

    @property
    def ring_bytes(self) -> int:
        """Bytes of the whole ring between the cores: its slots together."""
        return self.slot_bytes * self.slots


def crossings(program: Program) -> dict[Span, Crossing]:
    """The transfers of a program whose kernels have been expanded, by the source statement that they stand for."""
    found: dict[Span, Crossing] = {}
    for function in program.functions:
        if function.func_type in (FunctionType.AIC, FunctionType.AIV):
            _of_function(function, found)
    return found


def _of_function(function: Function, found: dict[Span, Crossing]) -> None:
    rings: dict[int, tuple[int, int]] = {}
    for stmt in walk_stmts(function.body):
        call = (
            stmt.value if isinstance(stmt, AssignStmt) else stmt.expr if isinstance(stmt, EvalStmt) else None
        )
        if not isinstance(call, Call):
            continue
        if call.name in PIPE_INIT_OPS:
            rings[kwarg_int(call, "id")] = (kwarg_int(call, "slot_size"), kwarg_int(call, "slot_num"))
        elif call.name in PUSH_OPS or call.name in POP_OPS:
            to_vector = call.name in ("tile.tpush_to_aiv", "tile.tpop_from_aic")
            slot, slots = rings.get(kwarg_int(call, "id"), (0, 0))
            memory = MemorySpace.Vec if to_vector else MemorySpace.Mat
            if stmt.span.is_valid:
                found.setdefault(
                    stmt.span, Crossing(to_vector, kwarg_int(call, "split"), slot, slots, memory)
                )
