"""C-GATHER-COMPARE and C-MRGSORT2 (docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import DataType, Expr
from pypto_core.ops.proofs import add
from pypto_core.passes.tensor_to_tile.lowering import Converter, Lowering


def gather_compare(low: Lowering) -> Expr:
    """C-GATHER-COMPARE: a byte of scratch per element of the input; the result is a pair."""
    source = low.tile(0)
    assert source is not None
    scratch = low.create("gc_tmp", source.shape, DataType.UINT8)
    return low.op("tile.gather_compare", low.args[0], low.args[1], scratch, **low.kwargs)


def merge_sort(low: Lowering) -> Expr:
    """C-MRGSORT2: scratch as long as all sources together."""
    total: Expr | None = None
    dtype = DataType.FP32
    for index in range(len(low.args)):
        kind = low.tile(index)
        assert kind is not None
        if total is None:
            total, dtype = kind.shape[-1], kind.dtype
        else:
            total = add(total, kind.shape[-1])
    assert total is not None
    scratch = low.create("mrgsort2_tmp", (1, total), dtype)
    return low.op("tile.mrgsort_format2", *low.args, scratch, **low.kwargs)


CONVERTERS: dict[str, Converter] = {
    "tensor.gather_compare": gather_compare,
    "tensor.mrgsort_format2": merge_sort,
}
