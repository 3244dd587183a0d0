"""A value for a hover and for the per-lane table (docs/spec/design/ide.md, Hover)."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core import (
    SPACE_NAMES,
    Crossing,
    LaneValue,
    Type,
    ValueHistory,
    dim_text,
    memory_capacity,
    print_ir,
    tile_bytes,
)
from pypto_lsp.render.sizes import size_text


def shape_text(kind: Type) -> str:
    """``[64, 128]``; empty for a scalar."""
    shape = getattr(kind, "shape", None)
    return f"[{', '.join(dim_text(d) for d in shape)}]" if shape is not None else ""


def type_text(kind: Type) -> str:
    """``Tile[128, 128] FP32 · Vec``, ``Tensor[M, 64] FP16``, ``Scalar INDEX``; other types as printed."""
    name = type(kind).__name__
    if name in ("ErrorType", "PartlyKnown", "UnknownType"):
        return "type unknown"
    dtype = getattr(kind, "dtype", None)
    if dtype is None:
        return print_ir(kind)
    if name == "ScalarType":
        return f"Scalar {dtype.printed}"
    text = f"{name.removesuffix('Type')}{shape_text(kind)} {dtype.printed}"
    if name == "TileType":
        space = getattr(kind, "memory_space", None)
        if space is not None:
            text += f" · {space.name}"
        valid = kind.valid_shape  # type: ignore[attr-defined]
        if valid is not kind.shape:  # type: ignore[attr-defined]
            text += f" · valid [{', '.join(dim_text(d) for d in valid)}]"
    return text


def lane_text(lanes: LaneValue) -> str:
    """``[64, 128] — lane 0 rows 0–63, lane 1 rows 64–127``; ragged and symbolic extents lane by lane."""
    shape = shape_text(lanes.type)
    first, second = (f"[{', '.join(extent)}]" for extent in lanes.extents)
    if lanes.mode.name == "NONE":
        return f"{shape} — each lane its own"
    if lanes.ranges is not None:
        axis = "rows" if lanes.mode.name == "UP_DOWN" else "columns"
        parts = []
        for lane, (start, end) in enumerate(lanes.ranges):
            parts.append(f"lane {lane} {axis} {start}–{end}" if end >= start else f"lane {lane} no {axis}")
        ragged = f" (valid {first} / {second})" if first != second else ""
        return f"{shape} — {', '.join(parts)}{ragged}"
    if first != second:
        return f"{shape} — lane 0 valid {first}, lane 1 valid {second}"
    valid = f" valid {first}" if first != shape else ""
    return f"{shape}{valid} — {'the whole on both lanes' if lanes.replicated else 'each lane its own'}"


def dtype_shape_text(kind: Type) -> str:
    """``[128, 128] FP32`` for a tensor or tile; empty for anything else."""
    shape, dtype = shape_text(kind), getattr(kind, "dtype", None)
    return f"{shape} {dtype.printed}" if shape and dtype is not None else ""


def lane_shape_text(lanes: LaneValue) -> str:
    """`` → [64, 128]/lane``; ragged extents as both lanes' own: `` → [8, 128] / [7, 128]``; empty for values that every lane has whole."""
    if lanes.replicated:
        return ""
    first, second = (f"[{', '.join(extent)}]" for extent in lanes.extents)
    if first != second and lanes.ranges is not None:
        return f" → {first} / {second}"
    return f" → {shape_text(lanes.type)}/lane"


def bytes_text(history: ValueHistory, backend: str | None) -> str:
    """``64 KiB → 32 KiB per lane (UB 184 KiB)``; empty when a size is symbolic."""
    whole = tile_bytes(history.source) if shape_text(history.source) else None
    if whole is None:
        return ""
    text = size_text(whole)
    placed = history.lanes.type if history.lanes is not None else history.placed
    if history.lanes is not None:
        part = tile_bytes(history.lanes.type)
        if part == whole:
            text += " per lane"
        elif part is not None:
            text += f" → {size_text(part)} per lane"
    space = getattr(placed, "memory_space", None)
    if space is not None:
        capacity = memory_capacity(backend, space)
        if capacity:
            text += f" ({SPACE_NAMES.get(space.name, space.name)} {size_text(capacity)})"
    return text


def stages_text(history: ValueHistory) -> str:
    """``source [128, 128] → InferTileMemorySpace Vec → LowerAutoVectorSplit [64, 128]``: what each pass changed."""
    parts = [f"source {shape_text(history.source) or type_text(history.source)}"]
    before = history.source
    for name, kind in history.stages:
        parts.append(f"{name} {_difference(before, kind)}")
        before = kind
    return " → ".join(parts)


def _difference(before: Type, after: Type) -> str:
    if type(before) is not type(after):
        return type_text(after)
    changes = []
    if shape_text(before) != shape_text(after):
        changes.append(shape_text(after))
    spaces = getattr(before, "memory_space", None), getattr(after, "memory_space", None)
    if spaces[0] is not spaces[1] and spaces[1] is not None:
        changes.append(spaces[1].name)
    if getattr(before, "dtype", None) is not getattr(after, "dtype", None):
        changes.append(after.dtype.printed)  # type: ignore[attr-defined]
    return " ".join(changes) or "layout"


def crossing_text(crossing: Crossing, backend: str | None) -> str:
    """``cube → vector, split 1 = TILE_UP_DOWN, slot 8 KiB, ring 2 × 8 KiB = 16 KiB of UB (184 KiB)``."""
    direction = "cube → vector" if crossing.to_vector else "vector → cube"
    text = f"{direction}, split {crossing.code} = {crossing.code_name}"
    if crossing.slot_bytes:
        slot = size_text(crossing.slot_bytes)
        space = SPACE_NAMES.get(crossing.memory.name, crossing.memory.name)
        text += f", slot {slot}, ring {crossing.slots} × {slot} = {size_text(crossing.ring_bytes)} of {space}"
        capacity = memory_capacity(backend, crossing.memory)
        if capacity:
            text += f" ({size_text(capacity)})"
    return text


def value_head(name: str, kind: Type, placed: Type | None = None) -> str:
    """``y: Tile[128, 128] FP32 · Vec``."""
    head = type_text(kind)
    space = getattr(placed, "memory_space", None)
    if space is not None and "·" not in head and type(placed).__name__ == "TileType":
        head += f" · {space.name}"
    return f"{name}: {head}"


def history_rows(history: ValueHistory, backend: str | None) -> list[tuple[str, str]]:
    """Lanes, bytes and stages of a value, as far as there are any."""
    rows = []
    if history.lanes is not None:
        rows.append((f"per lane ({history.lanes.mode.name})", lane_text(history.lanes)))
    size = bytes_text(history, backend)
    if size:
        rows.append(("bytes", size))
    if history.stages:
        rows.append(("stages", stages_text(history)))
    return rows


def markdown(head: str, rows: Sequence[tuple[str, str]], text: str = "", language: str = "text") -> str:
    """A hover: one fenced line, facts below it, then prose."""
    lines = [f"```{language}\n{head}\n```"]
    if rows:
        lines.append("")
        lines.extend(f"**{title}:** {value}  " for title, value in rows)
    if text:
        lines += ["", text]
    return "\n".join(lines)
