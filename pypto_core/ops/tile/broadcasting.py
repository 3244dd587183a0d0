"""A tile combined with one row, one column or one value (``docs/spec/ops_tile.md`` §3)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Type, tile_layout
from pypto_core.ops.deduced import of_types
from pypto_core.ops.proofs import const_value, prove_eq
from pypto_core.ops.registry import Evidence, OpCall
from pypto_core.ops.shape_rules import is_one, promote, show_dim, show_shape
from pypto_core.ops.tile.checks import require_dtype, require_rank_at_least, require_same_dtype
from pypto_core.ops.tile.declare import scalar, scratch, vec, vector_op
from pypto_core.ops.tile_views import ROW, passthrough

_D = DataType


@of_types
def deduce_row_expand(call: OpCall) -> Type:
    """ROW_EXPAND: one value per row, given as a column vector."""
    tile, column = call.tile(0), call.tile(1)
    require_rank_at_least(call, 0, tile, 2)
    require_rank_at_least(call, 1, column, 2)
    if not is_one(column.shape[-1]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires second argument's last dimension to be 1, "
            f"but got {show_shape(column.shape)}",
            arg=1,
        )
    rows, given = const_value(tile.shape[-2]), const_value(column.shape[-2])
    if rows is not None and given is not None and rows != given:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires matching row dimensions, but got {rows} and {given}",
            arg=1,
        )
    return passthrough(tile, promote(tile.dtype, column.dtype))


@of_types
def deduce_row_expand_add(call: OpCall) -> Type:
    """ROW_EXPAND_ADD: the strict form, with the vector in column or in 32-byte row layout."""
    tile, column = call.tile(0), call.tile(1)
    require_rank_at_least(call, 0, tile, 2)
    require_rank_at_least(call, 1, column, 2)
    if tile_layout(tile).blayout is not ROW:
        call.fail("op-memory", f"The operator {call.name} requires a row_major first argument", arg=0)
    require_same_dtype(call, 1, column.dtype, tile.dtype, f"The operator {call.name} requires the same dtype")
    require_dtype(call, 0, tile.dtype, (_D.INT8, _D.INT16, _D.INT32, _D.FP16, _D.FP32), "tile")
    rows = prove_eq(tile.valid_shape[-2], column.valid_shape[-2])
    if rows is not True:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires matching valid row extents, "
            f"but got {show_dim(tile.valid_shape[-2])} and {show_dim(column.valid_shape[-2])}",
            arg=1,
            unproven=rows is None,
        )
    width = 32 // tile.dtype.byte if tile_layout(column).blayout is ROW else 1
    last = column.valid_shape[-1]
    if prove_eq(last, ConstInt(width)) is not True and const_value(last) != width:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires the vector's last valid dimension to be {width} "
            f"in its layout, but got {show_dim(last)}",
            arg=1,
            unproven=const_value(last) is None,
        )
    return passthrough(tile)


@of_types
def deduce_col_expand(call: OpCall) -> Type:
    """COL_EXPAND: one value per column; the vector's shape is not read."""
    tile, row = call.tile(0), call.tile(1)
    return passthrough(tile, promote(tile.dtype, row.dtype))


@of_types
def deduce_expands(call: OpCall) -> Type:
    """EXPANDS: one value for the whole tile; the scalar takes part in promotion."""
    tile = call.tile(0)
    return passthrough(tile, promote(tile.dtype, call.scalar(1).dtype))


_ROW_WISE = {
    "sub": "Subtract each row's value from the row.",
    "mul": "Multiply each row by its value.",
    "div": "Divide each row by its value.",
    "max": "Maximum of each row's elements and its value.",
    "min": "Minimum of each row's elements and its value.",
    "expdif": "Exponential of each row minus its value.",
}
vector_op(
    "tile.row_expand", "ROW_EXPAND", deduce_row_expand, (vec("target"), vec("row_vec")),
    "Fill each row with its value.", evidence=Evidence.UNKNOWN, forbid_output_alias=(1,),
)  # fmt: skip
for _name, _doc in _ROW_WISE.items():
    vector_op(
        f"tile.row_expand_{_name}", "ROW_EXPAND", deduce_row_expand, (vec("tile"), vec("row_vec")), _doc,
        forbid_output_alias=(1,),
    )  # fmt: skip
vector_op(
    "tile.row_expand_add", "ROW_EXPAND_ADD", deduce_row_expand_add, (vec("tile"), vec("row_vec"), scratch(optional=True)),
    "Add each row's value to the row.", evidence=Evidence.UNKNOWN, forbid_output_alias=(1, 2),
)  # fmt: skip

_COL_WISE = {
    "add": "Add each column's value to the column.",
    "sub": "Subtract each column's value from the column.",
    "mul": "Multiply each column by its value.",
    "div": "Divide each column by its value.",
    "max": "Maximum of each column's elements and its value.",
    "min": "Minimum of each column's elements and its value.",
    "expdif": "Exponential of each column minus its value.",
}
vector_op(
    "tile.col_expand", "COL_EXPAND", deduce_col_expand, (vec("target"), vec("col_tile")),
    "Fill each column with its value.", evidence=Evidence.UNKNOWN, forbid_output_alias=(1,),
)  # fmt: skip
for _name, _doc in _COL_WISE.items():
    vector_op(
        f"tile.col_expand_{_name}", "COL_EXPAND", deduce_col_expand, (vec("target"), vec("col_tile")), _doc,
        forbid_output_alias=(1,),
    )  # fmt: skip
vector_op(
    "tile.expands", "EXPANDS", deduce_expands, (vec("target"), scalar("scalar")), "Fill the tile with one value.",
    evidence=Evidence.UNKNOWN,
)  # fmt: skip
