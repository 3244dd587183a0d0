"""What a split crossing between cube and vector can carry (``docs/spec/passes_split.md`` §2.2).

Each lane transports whole rows of its half of the box, so narrowed columns travel only as a static extent, and never together
with narrowed or runtime rows. A gather moves lane halves that already exist and is exempt.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_core.ir import ConstInt, Expr
from pypto_core.ops.proofs import prove_eq
from pypto_core.ops.shape_rules import show_dim


def _mode_name(axis: int) -> str:
    return {0: "UP_DOWN", 1: "LEFT_RIGHT"}.get(axis, "NONE")


def ragged_facts(shape: Sequence[Expr], valid: Sequence[Expr], axis: int) -> dict[str, object]:
    """What a repair of the crossing needs: mode, extents of the box and valid ones as text."""
    return {
        "mode": _mode_name(axis),
        "shape": [show_dim(e) for e in shape],
        "valid": [show_dim(e) for e in valid],
    }


def split_boundary_fault(
    op_name: str, shape: Sequence[Expr], valid: Sequence[Expr], axis: int, *, is_shard: bool
) -> str | None:
    """Why a tile of ``shape`` with ``valid`` cannot cross on ``axis`` (0 rows, 1 columns, -1 no split); None if it can."""
    if not is_shard or len(shape) != 2 or len(valid) != 2:
        return None
    if prove_eq(valid[1], shape[1]) is True:
        return None
    columns = f"{show_dim(valid[1])} of {show_dim(shape[1])}"
    rows = f"{show_dim(valid[0])} of {show_dim(shape[0])}"
    widen = (
        f"widen it to the full column extent first with "
        f"pl.set_validshape(acc, {show_dim(valid[0])}, {show_dim(shape[1])})"
    )
    if axis == 1:
        return (
            f"{op_name}: LEFT_RIGHT splits the column axis, but the tile's valid column extent is {columns}: "
            f"there is no per-lane extent for columns; {widen}, or split rows with UP_DOWN"
        )
    if not isinstance(valid[1], ConstInt):
        return (
            f"{op_name} with {_mode_name(axis)}: the tile's valid column extent {columns} is a runtime value narrower than the physical box, "
            f"which the crossing cannot carry; {widen}, or move the ragged tail outside the split"
        )
    if axis == 0 and prove_eq(valid[0], shape[0]) is not True:
        return (
            f"{op_name}: UP_DOWN split with BOTH a per-lane row extent ({rows}) and a narrowed column extent ({columns}) "
            f"cannot be carried; {widen}, or move the ragged tail outside the split"
        )
    if not isinstance(valid[0], ConstInt):
        return (
            f"{op_name} with {_mode_name(axis)}: the tile's valid row extent {rows} is a runtime value and its columns are narrowed ({columns}), "
            f"which the crossing cannot carry together; {widen}, or move the ragged tail outside the split"
        )
    return None
