"""Rules on shapes and element types that several families share (``docs/spec/ops_tile.md`` §2.3, §2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pypto_core.ir import ConstInt, DataType, Expr, print_ir
from pypto_core.ops.proofs import dims_equal, element_count

if TYPE_CHECKING:
    from pypto_core.ops.call import OpCall


def show_dim(dim: Expr) -> str:
    """A dimension as messages print it."""
    return str(dim.value) if isinstance(dim, ConstInt) else print_ir(dim)


def show_shape(shape: Sequence[Expr]) -> str:
    """A shape as messages print it: ``[16, n]``."""
    return "[" + ", ".join(show_dim(d) for d in shape) + "]"


def show_dtypes(dtypes: Sequence[DataType]) -> str:
    """A set of element types as messages print it: ``{INT16, FP32}``."""
    return "{" + ", ".join(d.printed for d in dtypes) + "}"


def is_one(dim: Expr) -> bool:
    """Whether a dimension is the constant 1."""
    return isinstance(dim, ConstInt) and dim.value == 1


def broadcast(a: Sequence[Expr], b: Sequence[Expr]) -> tuple[Expr, ...] | None:
    """The common physical shape of two operands, aligned at the right; None if there is none.

    An axis that one side lacks or holds as the constant 1 takes the other side's extent. Valid shapes never take part.
    """
    rank = max(len(a), len(b))
    out: list[Expr] = []
    for axis in range(-rank, 0):
        x = a[axis] if -axis <= len(a) else None
        y = b[axis] if -axis <= len(b) else None
        if x is None or y is None:
            dim = y if x is None else x
            assert dim is not None
            out.append(dim)
        elif dims_equal(x, y):
            out.append(x)
        elif is_one(x):
            out.append(y)
        elif is_one(y):
            out.append(x)
        else:
            return None
    return tuple(out)


def broadcast_is_refuted(a: Sequence[Expr], b: Sequence[Expr]) -> bool:
    """Whether two shapes certainly do not broadcast; otherwise a failure rests on extents known only at run time."""
    for x, y in zip(reversed(a), reversed(b)):
        if (
            isinstance(x, ConstInt)
            and isinstance(y, ConstInt)
            and x.value != y.value
            and 1 not in (x.value, y.value)
        ):
            return True
    return False


def promote(a: DataType, b: DataType) -> DataType:
    """Element type of an operation on two element types; never fails.

    The float one wins whatever its width, then the wider one, then the signed integer, then the first.
    """
    if a is b:
        return a
    if a.is_float is not b.is_float:
        return a if a.is_float else b
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    if a.is_signed_int:
        return a
    return b if b.is_signed_int else a


def require_same_bytes(
    call: OpCall, old: tuple[Expr, ...], old_dtype: DataType, new: tuple[Expr, ...], new_dtype: DataType
) -> None:
    """Two shapes, each with its element type, take as many bytes; raises ``op-shape`` at operand 1 where they do not or an extent is not static."""
    before, after = element_count(old), element_count(new)
    if before is None or after is None:
        call.fail(
            "op-shape",
            f"{call.name} cannot prove byte-size equality of {show_shape(old)} and {show_shape(new)}",
            arg=1,
            unproven=True,
        )
    if before * old_dtype.byte != after * new_dtype.byte:
        call.fail(
            "op-shape",
            f"{call.name} requires equal source and target byte sizes, but got {before * old_dtype.byte} and "
            f"{after * new_dtype.byte}",
            arg=1,
        )
