"""TileTypeCoherence: a view that says nothing is absent (docs/spec/verifiers.md §3, ir.md §2.4)."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_core import ir
from pypto_core.diagnostics import Diagnostic
from pypto_core.verify.base import Context, Finding, Verifier, author_name, best_span

RULE = "TileTypeCoherence"
_report = Finding(RULE)


def is_implicit(type_: ir.TileType) -> bool:
    """Whether the stored view equals what an absent one means."""
    view = type_.tile_view
    if view is None:
        return False
    implicit = ir.implicit_tile_view(type_.shape, type_.memory_space)
    return (
        (not view.valid_shape or ir.dims_equal(view.valid_shape, type_.shape))
        and not view.stride
        and view.start_offset is None
        and view.pad is ir.PadValue.null
        and view.compact is ir.CompactMode.null
        and view.blayout is implicit.blayout
        and view.slayout is implicit.slayout
        and view.fractal == implicit.fractal
    )


def check(function: ir.Function, context: Context) -> Iterator[Diagnostic]:
    for var in (*function.params, *ir.collect_defs(function.body)):
        if isinstance(var.type, ir.TileType) and is_implicit(var.type):
            yield _report(
                "tile-type-coherence",
                1,
                f"Tile '{author_name(var)}' in function '{function.name}' carries a view equal to the implicit one",
                best_span(var.span, function.span),
            )


VERIFIER = Verifier("TileTypeCoherence", RULE, check)
