"""Transport codes of a crossing, chosen from the full tile's extents (docs/spec/passes_split.md §3.7)."""

from __future__ import annotations

from pypto_core.analysis.lanes import (
    const_value,
    lane_extents,
    split_dimension,
    transport_code,
    valid_shape_of,
)
from pypto_core.analysis.names import written_text
from pypto_core.diagnostics import Related
from pypto_core.ir import Call, Span, SplitMode, TileType, Type
from pypto_core.ops.split_boundary import split_boundary_fault
from pypto_core.passes.split_axis.rejections import reject


def check_carried(
    mode: SplitMode, full: TileType, op: str, span: Span, related: tuple[Related, ...] = ()
) -> None:
    """Refuse a Cube->Vector crossing whose narrowed columns have no carrier (docs/spec/passes_split.md §2.2).

    Raises:
        PassError: ``split-ragged-columns``.
    """
    dim = -1 if mode == SplitMode.NONE else split_dimension(mode)
    fault = split_boundary_fault(op, full.shape, valid_shape_of(full), dim, is_shard=True)
    if fault is None:
        return
    raise reject(
        "R-TRANSPORT",
        "split-ragged-columns",
        fault,
        span,
        related,
        op=op,
        mode=mode.name,
        valid=[written_text(e) for e in valid_shape_of(full)],
        shape=[written_text(e) for e in full.shape],
    )


def shard_split_code(mode: SplitMode, full: Type, stride: int | None, call: Call, span: Span) -> int:
    """Code of a Cube->Vector transfer of the full-width tile; `call` is the boundary or transport at fault.

    Raises:
        PassError: ``split-ragged-columns`` for an extent without carrier, ``split-unplaceable`` when neither code finds
            lane 1's band.
    """
    if mode == SplitMode.NONE or not isinstance(full, TileType):
        return 0
    dim = split_dimension(mode)
    check_carried(mode, full, call.name, span)
    extents = lane_extents(full, dim, stride)
    if extents is None:
        return transport_code(mode, odd=False)
    first, second = extents
    if first == second:
        return transport_code(mode, odd=False)
    # A single valid cell (1 and 0) is one apart, before it is an empty second lane.
    if first == second + 1:
        return transport_code(mode, odd=True)
    if second == 0:
        return transport_code(mode, odd=False)
    valid, box = valid_shape_of(full)[dim], full.shape[dim]
    step = stride if stride is not None else ((const_value(box) or 0) + 1) // 2
    raise reject(
        "R-TRANSPORT",
        "split-unplaceable",
        f"'{call.name}' cannot hand {written_text(valid)} of {written_text(box)} valid cells on dim {dim} to two lanes: "
        f"they would hold {first} and {second}, and the second lane's band is found only when the lanes are equal, one "
        f"cell apart, or the second is empty; widen the extent to {2 * step} or {2 * step - 1}, narrow it to {step} with "
        f"pl.set_validshape, or move the independent full-width value out of the split",
        span,
        op=call.name,
        dim=dim,
        valid=const_value(valid),
        box=const_value(box),
        extents=extents,
    )


def gather_split_code(mode: SplitMode, full: Type, call: Call, span: Span) -> int:
    """Code of a Vector->Cube transfer into the full-width tile: always an even one."""
    if mode == SplitMode.NONE or not isinstance(full, TileType):
        return 0
    dim = split_dimension(mode)
    extents = lane_extents(full, dim, None)
    if extents is not None and extents[0] != extents[1] and extents[1] != 0:
        raise reject(
            "R-GATHER-ODD",
            "split-gather-odd",
            f"'{call.name}' joins the lanes on dim {dim}, where they would hold {extents[0]} and {extents[1]} cells; a "
            f"gather has no odd form: pad the axis to an even extent and narrow the result on the cube side",
            span,
            op=call.name,
            dim=dim,
            extents=extents,
        )
    return transport_code(mode, odd=False)
