"""Numbering of rows for flat addressing, shared by gather and the scatter family
(docs/spec/passes_tensor_to_tile.md §1.7, §1.7.1)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Var
from pypto_core.passes.tensor_to_tile.lowering import Block, number


def ramp(block: Block, name: str, length: int) -> Var:
    """``name = [[0, 1, ... length - 1]]`` as INT32."""
    start = ConstInt(0, DataType.INT32)
    call = block.op("tile.ci", start, block.dims([1, length]), dtype=DataType.INT32, descending=False)
    return block.let(name, call)


def row_bases(block: Block, prefix: str, rows: int, pitch: int) -> Var:
    """A column of the flat addresses at which rows of ``pitch`` elements begin."""
    line = ramp(block, f"{prefix}_ci_rows", rows)
    column = block.let(f"{prefix}_row_arange", block.op("tile.reshape", line, block.dims([rows, 1])))
    return block.let(f"{prefix}_row_base", block.op("tile.muls", column, number(pitch, DataType.INT32)))
