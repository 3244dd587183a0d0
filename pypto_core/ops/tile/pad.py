"""Padding the invalid part of a tile (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import PadValue, TileType, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value
from pypto_core.ops.regions import const_shape
from pypto_core.ops.registry import Effect, Evidence, KwargType, KwParam, OpCall, Stored
from pypto_core.ops.tile.declare import operand, vec, vector_op
from pypto_core.ops.tile_views import inherit_layout

PAD_VALUE = KwParam(
    "pad_value", KwargType.PAD_VALUE, default=PadValue.zero, builder_default=PadValue.zero, stored=Stored.ALWAYS,
    allowed=(PadValue.zero, PadValue.max, PadValue.min), legal="zero, max or min", doc="what the padding holds",
)  # fmt: skip


def _pad(call: OpCall) -> PadValue:
    pad: PadValue = call.kw("pad_value")
    if pad is PadValue.null:
        call.fail(
            "op-value",
            f"The operator {call.name} requires pad_value to be zero/max/min, not null",
            keyword="pad_value",
        )
    return pad


def deduce_fillpad(call: OpCall) -> Type:
    """FILLPAD: all of the tile becomes valid; memref and memory space stay."""
    src = call.tile(0)
    view = inherit_layout(src, (), pad=_pad(call))
    return TileType(src.shape, src.dtype, src.memref, view, src.memory_space)


def deduce_fillpad_expand(call: OpCall) -> Type:
    """FILLPAD_EXPAND: into a larger tile of the same rank."""
    src, shape = call.tile(0), const_shape(call, 1)
    if len(shape) != len(src.shape):
        call.fail(
            "op-rank",
            f"The operator {call.name} requires a shape of rank {len(src.shape)}, but got rank {len(shape)}",
            arg=1,
        )
    for axis, (new, old) in enumerate(zip(shape, src.shape)):
        extent = const_value(old)
        if extent is not None and new.value < extent:
            call.fail(
                "op-shape",
                f"The operator {call.name}: shape[{axis}] must be >= source dimension {extent}, but got {new.value}",
                arg=1,
            )
    view = inherit_layout(src, (), pad=_pad(call))
    return TileType(shape, src.dtype, src.memref, view, src.memory_space)


vector_op(
    "tile.fillpad", "FILLPAD", deduce_fillpad, (vec("tile"),), "Fill the invalid part of a tile; all of it is valid after.",
    evidence=Evidence.UNKNOWN, kwargs=(PAD_VALUE,),
)  # fmt: skip
vector_op(
    "tile.fillpad_inplace", "FILLPAD", deduce_fillpad, (vec("tile", effect=Effect.READ_WRITE),),
    "Fill the invalid part of a tile in its own memory.", evidence=Evidence.UNKNOWN, kwargs=(PAD_VALUE,),
    output_reuses_input=0,
)  # fmt: skip
vector_op(
    "tile.fillpad_expand", "FILLPAD_EXPAND", deduce_fillpad_expand, (vec("tile"), operand("shape", ArgKind.LITERAL_TUPLE)),
    "Copy a tile into a larger one and fill the rest.", kwargs=(PAD_VALUE,), inplace_safe=False,
)  # fmt: skip
