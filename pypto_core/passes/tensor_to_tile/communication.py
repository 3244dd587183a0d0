"""Between cores and between chips: C-CROSS-CORE, C-PUT, C-GET, C-REMOTE-STORE
(docs/spec/passes_tensor_to_tile.md §1.7)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, Expr
from pypto_core.passes.tensor_to_tile.elementwise import simple
from pypto_core.passes.tensor_to_tile.lowering import Converter, Lowering
from pypto_core.passes.tensor_to_tile.memory import elements


def _bounded(extent: Expr | None, chunk: int) -> int | Expr:
    """What of ``extent`` fits one stage: everything, or a chunk of it; a runtime extent is bounded by the chunk."""
    if not isinstance(extent, ConstInt):
        return chunk
    return min(extent.value, chunk) if chunk else extent.value


def _leading(shape: tuple[Expr, ...]) -> Expr | None:
    """Product of all extents but the last, None when one is not constant."""
    product = 1
    for dim in shape[:-1]:
        if not isinstance(dim, ConstInt):
            return None
        product *= dim.value
    return ConstInt(product)


def _stages(low: Lowering, prefix: str) -> list[Expr]:
    """The Vec tiles through which a transfer passes: one, or two that alternate."""
    target = low.tensor(0)
    if target is None:
        low.fail(
            "op-kind", f"{low.name} dst must be a GM tensor, but '{low.written(0)}' is a value on the core"
        )
    shape = elements(low.args[5]) if len(low.args) > 5 else target.shape
    rows = _bounded(_leading(shape), low.kwargs.get("chunk_rows", 0))
    columns = _bounded(shape[-1], low.kwargs.get("chunk_cols", 0))
    names = [f"{prefix}_ping", f"{prefix}_pong"] if low.kwargs.get("pipeline", False) else [prefix]
    return [low.create(name, (rows, columns), target.dtype) for name in names]


def put(low: Lowering) -> Expr:
    """C-PUT (dst, peer, src[, dst_offsets, src_offsets, shape])."""
    if low.tile(2) is not None:
        low.fail(
            "op-kind",
            "pld.tensor.put src must be a GM tensor, but got a computed value that lowers to a tile: "
            f"'{low.written(2)}' lives on the core in this kernel; send it with pld.tensor.remote_store",
        )
    stages = _stages(low, "tput_stage")
    atomic = {"atomic": low.kwargs["atomic"]} if "atomic" in low.kwargs else {}
    return low.op("pld.tile.put", *low.args[:3], *stages, *low.args[3:], **atomic)


def get(low: Lowering) -> Expr:
    """C-GET (dst, peer, src[, dst_offsets, src_offsets, shape]); the tile form takes no keywords."""
    stages = _stages(low, "tget_stage")
    return low.op("pld.tile.get", *low.args[:3], *stages, *low.args[3:])


def remote_store(low: Lowering) -> Expr:
    """C-REMOTE-STORE (src, target, peer, offsets)."""
    return low.op("pld.tile.remote_store", *low.args, **low.kwargs)


CONVERTERS: dict[str, Converter] = {
    "tensor.aiv_shard": simple,
    "tensor.aic_gather": simple,
    "pld.tensor.put": put,
    "pld.tensor.get": get,
    "pld.tensor.remote_store": remote_store,
}
