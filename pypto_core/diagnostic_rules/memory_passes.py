"""Rows of the table of codes: what the passes that plan the on-chip memory refuse."""

from __future__ import annotations

from pypto_core.diagnostic_rules.samples import T, one
from pypto_core.diagnostics import Rule

_KERNEL = """import pypto.language as pl


@pl.program
class Kernel:
    @pl.function(type=pl.FunctionType.InCore)
    def kern(
        self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
{body}
        return out
"""


def _kernel(*lines: str) -> str:
    return _KERNEL.format(body="\n".join(f"        {line}" for line in lines))


_BUFFER = 'pl.Tile[[64, 64], pl.FP32, pl.MemRef("buffer"), pl.Mem.Vec]'


def _rows(rows: str, more: str = "") -> str:
    """A tile of ``rows`` rows in a declared allocation."""
    body = f"""
        «tile»: pl.Tile[[{rows}, 128], pl.FP32, pl.MemRef("buffer"), pl.Mem.Vec] = pl.load(x, [0, 0], [{rows}, 128])
        out = pl.store(pl.exp(tile), [0, 0], out)
        return out
    """
    return one(body, f"x: {T}; {more}out: pl.Out[{T}]", kind="InCore")


def _layout(layout: str) -> str:
    body = """
        tile = pl.load(x, [0, 0], [64, 128])
        out = pl.store(pl.exp(tile), [0, 0], out)
        return out
    """
    return one(body, f"«x: pl.Tensor[[64, 128], pl.FP32{layout}]»; out: pl.Out[{T}]", kind="InCore")


def _block(size: int) -> str:
    """A square tile and the one that is made of it."""
    body = f"""
        «tile = pl.load(x, [0, 0], [{size}, {size}])»
        out = pl.store(pl.exp(tile), [0, 0], out)
        return out
    """
    tensor = "pl.Tensor[[256, 256], pl.FP32]"
    return one(body, f"x: {tensor}; out: pl.Out[{tensor}]", tensor, "InCore")


def _on_request(code: str, title: str, explanation: str, failing: str, repaired: str) -> Rule:
    return Rule(code, title, explanation, failing=failing, repaired=repaired, chip="a2a3", on_request=True)


RULES: tuple[Rule, ...] = (
    _on_request(
        "allocation-of-view",
        "A view cannot have an allocation of its own",
        "A reshape, a slice or an operator that accumulates into its operand has no memory of its own: its result lies where the "
        "operand lies. Declare the allocation for the operand.",
        failing=_kernel(
            "t = pl.load(x, [0, 0], [64, 64])",
            'flat: pl.Tile[[32, 128], pl.FP32, pl.MemRef("buffer"), pl.Mem.Vec] = pl.tile.reshape(t, [32, 128])',
            "y = pl.tile.reshape(flat, [64, 64])",
            "out = pl.store(y, [0, 0], out)",
        ),
        repaired=_kernel(
            f"t: {_BUFFER} = pl.load(x, [0, 0], [64, 64])",
            "flat = pl.tile.reshape(t, [32, 128])",
            "y = pl.tile.reshape(flat, [64, 64])",
            "out = pl.store(y, [0, 0], out)",
        ),
    ),
    _on_request(
        "allocation-dynamic",
        "A declared allocation needs a tile of known size",
        "The bytes of an allocation are fixed before the kernel runs, so every extent of a tile bound to one is a constant. Keep the "
        "box constant and say the part that holds data with valid_shape.",
        failing=_rows("n", "n: pl.Scalar[pl.INDEX]; "),
        repaired=_rows("64"),
    ),
    _on_request(
        "allocation-mismatch",
        "Two tiles disagree about a declared allocation",
        "All tiles bound to one declaration lie in the same memory space and name the same number of slots.",
        failing=_kernel(
            't: pl.Tile[[64, 64], pl.FP32, pl.MemRef("buffer", slots=2)[0], pl.Mem.Vec] = pl.load(x, [0, 0], [64, 64])',
            f"y: {_BUFFER} = pl.tile.exp(t)",
            "out = pl.store(y, [0, 0], out)",
        ),
        repaired=_kernel(
            't: pl.Tile[[64, 64], pl.FP32, pl.MemRef("buffer", slots=2)[0], pl.Mem.Vec] = pl.load(x, [0, 0], [64, 64])',
            'y: pl.Tile[[64, 64], pl.FP32, pl.MemRef("buffer", slots=2)[1], pl.Mem.Vec] = pl.tile.exp(t)',
            "out = pl.store(y, [0, 0], out)",
        ),
    ),
    _on_request(
        "allocation-slot-shared",
        "Two tiles in one slot are alive at the same time",
        "A slot of a declared allocation holds one tile at a time: the second would overwrite the first before its last use. Give them "
        "different allocations or slots, or finish with the first one before making the second.",
        failing=_kernel(
            f"a: {_BUFFER} = pl.load(x, [0, 0], [64, 64])",
            f"b: {_BUFFER} = pl.load(x, [0, 0], [64, 64])",
            "y = pl.tile.add(a, b)",
            "out = pl.store(y, [0, 0], out)",
        ),
        repaired=_kernel(
            f"a: {_BUFFER} = pl.load(x, [0, 0], [64, 64])",
            "b = pl.load(x, [0, 0], [64, 64])",
            "y = pl.tile.add(a, b)",
            "out = pl.store(y, [0, 0], out)",
        ),
    ),
    _on_request(
        "tensor-layout-nz",
        "The fractal layout belongs to tiles",
        "NZ orders the elements of a tile in blocks. A tensor in global memory is ND or DN; a load into Mat makes the blocks.",
        failing=_layout(", pl.NZ"),
        repaired=_layout(""),
    ),
    _on_request(
        "memory-capacity",
        "A kernel needs more on-chip memory than there is",
        "The tiles that live at the same time, with the slots reserved for cross-core pipes, are larger than the memory "
        "space. Use smaller blocks, or fewer buffers. It is reported by `pypto-lsp memory` only (and shown by "
        "`pypto-lsp lower` after a memory pass): memory is planned on request, never by `pypto-lsp check` or the editor.",
        failing=_block(256),
        repaired=_block(128),
    ),
)
