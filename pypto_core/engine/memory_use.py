"""How much on-chip memory a kernel needs, and what lies where (docs/spec/passes_tile.md §9.6).

The numbers are those of the passes that plan the memory, run on the lowered kernel. A pipelined loop is counted with one copy of
its tiles: the copies of the stages are made later, so such a kernel needs more.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.backend import get_backend
from pypto_core.diagnostics import PassError
from pypto_core.ir import Function, FunctionType, MemorySpace, Program
from pypto_core.passes.allocate_memory_addr import SpacePlan, memory_plans
from pypto_core.passes.pipeline import MEMORY_PASSES, make_pass

_BEFORE_ADDRESSES = MEMORY_PASSES[: MEMORY_PASSES.index("AllocateMemoryAddr")]


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """Bytes of one memory space: used, reserved by pipes, there at all (0: not known), and the number of allocations."""

    space: MemorySpace
    used: int
    reserved: int
    capacity: int
    allocations: int

    @property
    def fits(self) -> bool:
        """Whether what is used fits; true where the capacity is not known."""
        return not self.capacity or self.used <= self.capacity


@dataclass(frozen=True, slots=True)
class KernelMemory:
    """Memory of one function that runs on a core; ``refused`` says why it could not be planned."""

    name: str
    core: str
    spaces: tuple[SpaceUse, ...]
    refused: str = ""


def memory_use(program: Program, backend: str | None) -> list[KernelMemory]:
    """Memory of every kernel of a lowered program, in the order of the program."""
    found = []
    for function in program.functions:
        if function.func_type.is_incore:
            found.append(_of(function, backend))
    return found


def _of(function: Function, backend: str | None) -> KernelMemory:
    core = {FunctionType.AIC: "AIC", FunctionType.AIV: "AIV"}.get(function.func_type, "")
    alone = Program((function,))
    try:
        for name in _BEFORE_ADDRESSES:
            alone = make_pass(name, backend)(alone)
    except PassError as refusal:
        return KernelMemory(function.name, core, (), refusal.diagnostic.message)
    (planned,) = alone.functions
    return KernelMemory(function.name, core, tuple(_use(plan, backend) for plan in memory_plans(planned)))


def _use(plan: SpacePlan, backend: str | None) -> SpaceUse:
    chip = get_backend(backend)
    capacity = 0 if chip is None else chip.mem_size(plan.space)
    return SpaceUse(plan.space, plan.used, plan.floor, capacity, len(plan.allocations))
