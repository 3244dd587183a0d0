"""The conversion table: converter, operand spaces and loading habits by operator name
(docs/spec/passes_tensor_to_tile.md §1.3, §1.4, §1.7)."""

from __future__ import annotations

from pypto_core.ir import MemorySpace
from pypto_core.passes.tensor_to_tile import (
    communication,
    elementwise,
    expand_clone,
    gather,
    matmul,
    memory,
    paged_gather,
    scatter,
    sort,
)
from pypto_core.passes.tensor_to_tile.lowering import MAT, VEC, Converter

CONVERTERS: dict[str, Converter] = {
    **elementwise.CONVERTERS,
    **matmul.CONVERTERS,
    **memory.CONVERTERS,
    **expand_clone.CONVERTERS,
    **gather.CONVERTERS,
    **scatter.CONVERTERS,
    **sort.CONVERTERS,
    **paged_gather.CONVERTERS,
    **communication.CONVERTERS,
}
"""Operator name -> converter. A ``tensor.*`` operator that is missing here cannot be lowered, except :data:`STAYS`."""

STAYS = frozenset({"tensor.dim", "tensor.view"})
"""Tensor operators that remain as they are."""

_SPACES: dict[str, tuple[MemorySpace | None, ...]] = {
    "tensor.matmul": (MAT, MAT),
    "tensor.matmul_acc": (None, MAT, MAT),
    "tensor.gather_compare": (VEC,),
    "tensor.scatter": (VEC, VEC, VEC),
    "tensor.scatter_mask": (VEC, VEC),
    "tensor.scatter_update": (VEC, VEC, VEC),
    "tensor.mrgsort_format2": (VEC, VEC, VEC, VEC),
    "pld.tensor.remote_store": (VEC,),
}


def required_spaces(op: str) -> tuple[MemorySpace | None, ...]:
    """Where the first operands of ``op`` must be; None for one about which the operator does not care, as about all others."""
    return _SPACES.get(op, ())


def required_space(op: str, index: int) -> MemorySpace | None:
    """Where operand ``index`` of ``op`` must be; None when the operator does not care."""
    spaces = required_spaces(op)
    return spaces[index] if index < len(spaces) else None


SELF_LOADING = frozenset(
    f"tensor.{leaf}"
    for leaf in (
        "slice",
        "assemble",
        "read",
        "write",
        "expand_clone",
        "gather",
        "paged_gather",
        "create_l1",
        "gather_row",
    )
)
"""Operators that fetch what they need themselves: a parameter they use is not loaded whole at the function start."""

INHERITS_SPACE = frozenset(
    f"tensor.{leaf}" for leaf in ("slice", "reshape", "reinterpret_view", "set_validshape", "view")
)
"""Operators whose tile form lives where its input lives. ``fillpad`` is not one of them."""
