"""The per-lane table of a kernel for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from pypto_core import LaneRow
from pypto_lsp.render.value import bytes_text, lane_text, type_text


def lane_table(title: str, rows: list[LaneRow], backend: str) -> Table:
    """Value, type, what each lane holds, bytes; a row per value of the author's."""
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False, box=SIMPLE_HEAD)
    for column in ("line", "value", "type", "per lane", "bytes"):
        table.add_column(column, justify="right" if column == "line" else "left", overflow="fold")
    for row in rows:
        history = row.history
        kind = history.placed if history.lanes is None else history.source
        lanes = lane_text(history.lanes) if history.lanes is not None else "–"
        table.add_row(str(row.span.line), history.name, type_text(kind), lanes, bytes_text(history, backend))
    return table
