"""What every pass is: a frozen value with a name, a contract and a function from program to program.

See docs/spec/ir.md §7. A pass holds no state; the backend is bound by its factory. A pass that changes
nothing returns the same object, at every level, and raises only ``PassError``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pypto_core.diagnostics import PassError
from pypto_core.ir import Function, Program

__all__ = ["Pass", "PassContract", "PassError", "map_functions"]


@dataclass(frozen=True, slots=True)
class PassContract:
    """Properties (names of docs/spec/ir.md §7.1) that a pass needs, establishes and destroys.

    ``function_local`` says that the output of each function depends on that function alone (and on the
    backend), so an incremental engine may remember it per function.
    """

    required: frozenset[str] = frozenset()
    produced: frozenset[str] = frozenset()
    invalidated: frozenset[str] = frozenset()
    function_local: bool = False

    @staticmethod
    def of(
        required: str = "", produced: str = "", invalidated: str = "", *, function_local: bool = False
    ) -> PassContract:
        """Build a contract from blank-separated property names."""
        return PassContract(
            frozenset(required.split()),
            frozenset(produced.split()),
            frozenset(invalidated.split()),
            function_local,
        )


@dataclass(frozen=True, slots=True)
class Pass:
    """One program transformation. ``name`` is the document's name (``LowerAutoVectorSplit``)."""

    name: str
    contract: PassContract
    run: Callable[[Program], Program] = field(repr=False)

    def __call__(self, program: Program) -> Program:
        return self.run(program)


def map_functions(program: Program, fn: Callable[[Function], Function]) -> Program:
    """Apply `fn` to every function; the same program object when no function changed."""
    changed = False
    out: list[Function] = []
    for function in program.functions:
        new = fn(function)
        changed |= new is not function
        out.append(new)
    return program.with_functions(out) if changed else program
