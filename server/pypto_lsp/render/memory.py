"""The memory table of a kernel for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pypto_core import SPACE_NAMES, KernelMemory, SpaceUse
from pypto_lsp.render.sizes import size_text


def memory_table(title: str, kernels: list[KernelMemory]) -> Table:
    """Kernel, core, memory, bytes used of those there are; a row per memory space."""
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False, box=SIMPLE_HEAD)
    for column in ("kernel", "core", "memory", "used", "of", "%", "allocations"):
        table.add_column(
            column,
            justify="right" if column in ("used", "of", "%", "allocations") else "left",
            overflow="fold",
        )
    for kernel in kernels:
        for use in kernel.spaces:
            table.add_row(kernel.name, kernel.core, *_row(use), style="" if use.fits else "red")
        if kernel.refused:
            table.add_row(kernel.name, kernel.core, kernel.refused)
    return table


def _row(use: SpaceUse) -> tuple[str, ...]:
    of = size_text(use.capacity) if use.capacity else ""
    percent = f"{use.used * 100 / use.capacity:.0f}" if use.capacity else ""
    return (
        SPACE_NAMES.get(use.space.name, use.space.name),
        size_text(use.used),
        of,
        percent,
        str(use.allocations),
    )
