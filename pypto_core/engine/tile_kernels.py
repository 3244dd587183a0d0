"""Kernels whose parameters are tiles: written in the form that the split passes read.

The compiler's pipeline takes tensors and scalars only (docs/spec/passes_tile.md §6), so such a kernel meets nothing but an internal check there. Its memory spaces are
the author's own; the passes that make tiles and place them have nothing to do on it, and the split passes show what the lanes get.
"""

from __future__ import annotations

from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.ir import Function, Program, TileType

#: From the first pass that makes tiles to the last that places them.
_FIRST, _LAST = "ConvertTensorToTileOps", "ResolveBackendOpLayouts"


def takes_tiles(function: Function) -> bool:
    """Whether a parameter is a tile."""
    return any(isinstance(param.type, TileType) for param in function.params)


def without_tile_kernels(program: Program) -> tuple[Program, tuple[Function, ...]]:
    """The program without its tile kernels, and those kernels."""
    held = tuple(f for f in program.functions if takes_tiles(f))
    if not held:
        return program, ()
    return program.with_functions(f for f in program.functions if f not in held), held


def with_tile_kernels(program: Program, held: tuple[Function, ...]) -> Program:
    """The inverse of :func:`without_tile_kernels`."""
    return program.with_functions((*program.functions, *held)) if held else program


def passes_by(name: str, order: tuple[str, ...]) -> bool:
    """Whether the pass called ``name`` leaves tile kernels alone."""
    return order.index(_FIRST) <= order.index(name) <= order.index(_LAST)


def note(program: Program) -> list[Diagnostic]:
    """A hint per tile kernel that its whole pipeline is not the compiler's."""
    found = []
    for function in program.functions:
        param = next((p for p in function.params if isinstance(p.type, TileType)), None)
        if param is not None:
            found.append(
                Diagnostic(
                    "tile-parameter",
                    f"'{param.name_hint}' is a tile: kernels that the compiler builds take tensors and scalars. "
                    "The kernel is analysed from its tile form on.",
                    param.span if param.span.is_valid else function.span,
                    Severity.HINT,
                )
            )
    return found
