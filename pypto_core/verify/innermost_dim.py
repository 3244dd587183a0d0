"""TileInnermostDimGranularity (hint PH001): short rows move slowly (docs/spec/verifiers.md §6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pypto_core import ir
from pypto_core.backend import Backend
from pypto_core.diagnostics import Diagnostic, Severity
from pypto_core.verify.base import Finding

RULE = "TileInnermostDimGranularity"
HINT = "PH001"
_report = Finding(RULE, Severity.HINT)


@dataclass(frozen=True, slots=True)
class _Site:
    """One transfer; equal sites at one place are one finding."""

    op: str
    dtype: ir.DataType
    row_bytes: int
    elements: int
    space: str
    volume: tuple[int, int, int] | None
    span: ir.Span

    @property
    def key(self) -> tuple[object, ...]:
        span = self.span
        return (
            span.filename, span.line, span.column, self.op, self.dtype.text, self.row_bytes, self.elements,
            self.space, self.volume or (),
        )  # fmt: skip


_TRANSFERS = frozenset(("tile.load", "tile.store"))


def _tile(call: ir.Call) -> ir.TileType | None:
    if call.name == "tile.load":
        type_ = call.type
    elif call.args:
        type_ = call.args[0].type
    else:
        return None
    return type_ if isinstance(type_, ir.TileType) else None


def _volume(tile: ir.TileType) -> tuple[int, int, int] | None:
    """(total bytes, rows, bytes per row) of the valid part, None when it is not constant."""
    extents = ir.const_dims(tile.valid_shape)
    if extents is None or not extents:
        return None
    rows = 1
    for extent in extents[:-1]:
        rows *= extent
    row_bytes = (extents[-1] * tile.dtype.bits + 7) // 8
    return rows * row_bytes, rows, row_bytes


def _sites(program: ir.Program, recommended: int) -> Iterator[_Site]:
    for function in program.functions:
        for call in ir.calls_in(function.body):
            if call.op.name not in _TRANSFERS or not isinstance(call, ir.Call):
                continue
            tile = _tile(call)
            if tile is None or not tile.shape:
                continue
            last = ir.const_dim(tile.shape[-1])
            if last is None or last <= 0:
                continue
            row_bytes = (last * tile.dtype.bits + 7) // 8
            if row_bytes < recommended:
                space = tile.memory_space.name if tile.memory_space is not None else "unplaced"
                yield _Site(call.name, tile.dtype, row_bytes, last, space, _volume(tile), call.span)


def innermost_dim_hints(program: ir.Program, backend: Backend | None) -> list[Diagnostic]:
    """One hint per place, operator and size of the transfers below the recommended row size; sorted by place."""
    if backend is None:
        return []
    merged: dict[tuple[object, ...], tuple[_Site, int]] = {}
    for number, site in enumerate(_sites(program, backend.recommended_innermost_bytes)):
        # Sites without a place stand for different places.
        key = (*site.key, -1 if site.span.is_valid else number)
        first, count = merged.get(key, (site, 0))
        merged[key] = (first, count + 1)
    ordered = sorted(merged.items(), key=lambda item: item[0])
    return [_hint(site, count, backend) for _key, (site, count) in ordered]


def _hint(site: _Site, count: int, backend: Backend) -> Diagnostic:
    recommended = backend.recommended_innermost_bytes
    volume = ""
    if site.volume is not None:
        total, rows, row_bytes = site.volume
        volume = f", {total}B in {rows} rows of {row_bytes}B"
    times = f" ({count} transfers)" if count > 1 else ""
    return _report(
        "tile-innermost-dim",
        1,
        f"'{site.op}' has an innermost dimension of {site.row_bytes}B ({site.dtype.text}[{site.elements}]) in "
        f"{site.space}{volume}; at least {recommended}B is recommended on {backend.arch} (L2 cache line "
        f"{backend.l2_cache_line}B){times}",
        site.span,
        data={
            "hint": HINT,
            "op": site.op,
            "bytes": site.row_bytes,
            "elements": site.elements,
            "dtype": site.dtype,
            "space": site.space,
            "recommended": recommended,
            "arch": backend.arch,
            "count": count,
        },
    )
