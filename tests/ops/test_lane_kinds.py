"""Lane kinds against the deduction rules (docs/spec/passes_split.md 5.2).

A rule is *blind* to an operand when doubling it leaves the result unchanged: then only a declaration can say whether full
width is in contract. A declaration that the rule makes unreachable would claim a contract that nobody grants.
"""

from __future__ import annotations

import pytest

from pypto_core.ir import ConstInt, TileType, Var
from pypto_core.ops import LaneKind, OpError, all_ops, deduce_type, get_op
from tests.ops.notation import Reader, show

SAMPLES = {
    "tile.row_sum": "t[16,64]; t[16,64]",
    "tile.row_max": "t[16,64]; t[16,64]",
    "tile.row_min": "t[16,64]; t[16,64]",
    "tile.row_prod": "t[16,64]; t[16,64]",
    "tile.row_argmax": "t[16,64]; t[16,64]",
    "tile.row_argmin": "t[16,64]; t[16,64]",
    "tile.col_sum": "t[16,64]; t[16,64]",
    "tile.row_expand_add": "t[16,64]; t[16,1]; t[16,64]",
    "tile.prelu": "t[16,64]; t[16,64]; t[16,64]",
    "tile.rem": "t[16,64]; t[16,64]; t[16,64]",
    "tile.rems": "t[16,64]; s:fp32; t[16,64]",
    "tile.sel": "t[16,32] uint8; t[16,64]; t[16,64]; t[16,64]",
    "tile.sels": "t[16,32] uint8; t[16,64]; t[16,64]; s:fp32",
    "tile.rsqrt": "t[16,64]; t[16,64]",
    "tile.gather": "t[16,64]; t[16,64] int32; t[16,64]",
    "tile.gatherb": "t[16,64]; t[16,8] uint32",
    "tile.gather_compare": "t[16,64]; s:fp32; t[16,64] | cmp_mode=0, out_cols=32",
    "tile.mrgsort_format2": "t[2,64]; t[2,64]; t[2,64]; t[2,64]; t[2,256]",
    "tile.scatter": "t[32,64]; t[16,64]; t[16,64] int32",
    "tile.scatter_update": "t[32,64]; t[2,8] int32; t[16,64]",
    "tile.add": "t[16,64]; t[16,64]",
    "tile.transpose_view": "t[16,64]",
}


def blind_operands(name: str) -> set[int]:
    """Tile operands of the sample whose doubling, on any axis, the rule accepts without a change of the physical shape."""
    reader = Reader()
    operands, _, keywords = SAMPLES[name].partition("|")
    args, kwargs, op = reader.operands(operands.strip()), reader.kwargs(keywords.strip()), get_op(name)
    shape = show(deduce_type(op, args, kwargs)).split("{")[0]
    blind = set()
    for index, arg in enumerate(args):
        if not isinstance(arg.type, TileType):
            continue
        answers = []
        for axis in range(arg.type.rank):
            dims = list(arg.type.shape)
            extent = dims[axis]
            assert isinstance(extent, ConstInt)
            dims[axis] = ConstInt(extent.value * 2)
            wide = Var("wide", TileType(tuple(dims), arg.type.dtype, None, None, arg.type.memory_space))
            try:
                result = deduce_type(op, (*args[:index], wide, *args[index + 1 :]), kwargs)
            except OpError:
                answers.append(False)
            else:
                answers.append(show(result).split("{")[0] == shape)
        if all(answers):
            blind.add(index)
    return blind


DECLARED = {
    op.name: op.lane_invariant for op in all_ops() if op.name.startswith("tile.") and op.lane_invariant
}


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_scratch_declarations_are_reachable(name: str) -> None:
    scratch = {i for i, kind in DECLARED[name].items() if kind is LaneKind.SCRATCH}
    # The scratch of tile.rems takes part in broadcasting: a larger one enlarges the result.
    pinned = {2} if name == "tile.rems" else set()
    assert scratch - pinned <= blind_operands(name)


BLIND_AND_UNDECLARED = {
    "tile.sel": {0},
    "tile.sels": {0},
    "tile.gather_compare": set(),
    "tile.mrgsort_format2": {0, 1, 2, 3},
    "tile.rsqrt": set(),
    "tile.row_argmax": set(),
    "tile.row_argmin": set(),
    "tile.scatter_update": set(),
    "tile.add": set(),
    "tile.transpose_view": set(),
}


@pytest.mark.parametrize("name", sorted(BLIND_AND_UNDECLARED))
def test_undeclared_blind_operands(name: str) -> None:
    assert blind_operands(name) - set(get_op(name).lane_invariant) == BLIND_AND_UNDECLARED[name]
