"""The unified names `pl.X`: which namespaced callable a call means, from the kinds of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_core.ir import DataType, Expr
from pypto_core.ops.dsl import normalise
from pypto_core.ops.dsl.catalogue import callables, find_callable
from pypto_core.ops.dsl.forms import FORMS, cast_scalar, lower, scalar_node
from pypto_core.ops.dsl.lowering import Lowering
from pypto_core.ops.dsl.model import DslCallable
from pypto_core.ops.dsl.values import DslFault, element_dtype, is_scalar, kind_word, level_of

_SCRATCH_NAMES: Final = ("tmp_tile", "tmp")
_BOTH_LEVELS: Final = frozenset({"Tensor", "Tile"})

#: Callables whose tile form needs the scratch operand that the tensor form must not have.
_TILE_NEEDS_SCRATCH: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("row_max", "row_min", "row_sum", "row_prod"),
        "Tile inputs require tmp_tile with the same dtype and rank as the input, and every dimension at least as "
        "large as the corresponding one of the input",
    ),
    **dict.fromkeys(
        ("row_argmax", "row_argmin", "col_argmax", "col_argmin"),
        "Tile inputs require tmp_tile, a scratch tile like the input",
    ),
    **{
        name: f"Tile inputs require an explicit scratch tile — call pl.{name}(lhs, rhs, tmp) "
        f"or pl.tile.{name}(lhs, rhs, tmp)"
        for name in ("xor", "xors")
    },
}

_TRANSPOSED_TILE: Final = (
    "is not supported for Tile operands. At tile level a transposed operand is an explicit zero-copy view, not an op flag: "
    "wrap the operand in pl.tile.transpose_view"
)

#: (callable, parameter) -> why the tile form refuses any other value than the default.
_TILE_REFUSES: Final[Mapping[tuple[str, str], str]] = {
    ("matmul", "a_trans"): _TRANSPOSED_TILE,
    ("matmul", "b_trans"): _TRANSPOSED_TILE,
    ("matmul", "c_matrix_nz"): "is not supported for Tile operands; the layout of a tile is the memory's",
    ("matmul_acc", "a_trans"): _TRANSPOSED_TILE,
    ("matmul_acc", "b_trans"): _TRANSPOSED_TILE,
    (
        "assemble",
        "atomic",
    ): "is not supported for Tile operands; store the tile with pl.store(..., atomic=...)",
    ("slice", "clamp"): "is not supported for Tile operands; a tile window always lies inside its source",
    ("rsqrt", "high_precision"): "is not supported for Tile operands; use pl.tile.rsqrt(tile, tmp)",
}


def lower_unified(low: Lowering) -> Expr:
    """The expression for ``pl.X(...)``."""
    callee = low.callee
    form = FORMS.get(callee.path)
    if form is not None:
        return form(low)
    if callee.same_as is not None:
        return lower(_forwarded(low, callables()[callee.same_as]))
    if callee.name == "cast" and is_scalar(low.values["input"]):
        return cast_scalar(low)
    operands = _operands(low)
    level = _level(low, operands)
    if level is None:
        return scalar_node(low)
    return _at_level(low, level)


def _operands(low: Lowering) -> list[str]:
    """Parameters that take a tensor or a tile, written ones first to last."""
    params = low.callee.params
    both = [p.name for p in params if set(p.alternatives) >= _BOTH_LEVELS]
    either = [p.name for p in params if p.required and _BOTH_LEVELS & set(p.alternatives)]
    return [name for name in both or either if low.given(name)]


def _level(low: Lowering, operands: list[str]) -> str | None:
    """``tensor`` or ``tile``; None for a scalar expression.

    Raises:
        DslFault: tensors mixed with tiles, a scalar in front of a tensor or tile, no tensor or tile at all.
    """
    callee = low.callee
    kinds = {name: level_of(low.values[name]) for name in operands}
    levels = {level for level in kinds.values() if level is not None}
    words = ", ".join(kind_word(low.values[name]) for name in operands)
    if len(levels) > 1:
        first = kinds[operands[0]]
        odd = next((n for n in operands if kinds[n] not in (None, first)), operands[0])
        raise DslFault(
            "op-kind",
            f"cannot mix Tensor and Tile arguments ({words}). All operands must be the same type level — either all "
            "Tensor or all Tile",
            odd,
        )
    if not levels:
        if callee.scalar is not None and operands and all(is_scalar(low.values[name]) for name in operands):
            return None
        raise DslFault(
            "op-kind", f"expected Tensor or Tile operands, got ({words})", operands[0] if operands else None
        )
    if kinds[operands[0]] is None:
        if is_scalar(low.values[operands[0]]):
            raise DslFault(
                "scalar-left-operand",
                f"the scalar must be the right operand, got ({words})",
                operands[0],
                {"commutative": callee.name in ("add", "mul", "maximum", "minimum", "and_", "or_", "xor")},
            )
        raise DslFault("op-kind", f"expected Tensor or Tile operands, got ({words})", operands[0])
    return levels.pop()


def _at_level(low: Lowering, level: str) -> Expr:
    callee = low.callee
    target = find_callable(f"pl.{level}.{callee.name}")
    if target is None or not any(op.startswith(f"{level}.") for op in callee.operators):
        words = ", ".join(kind_word(low.values[name]) for name in _operands(low))
        raise DslFault("op-kind", f"expected Tensor or Tile operands, got ({words})", _operands(low)[0])
    if level == "tile":
        _check_tile_form(low)
        target = _tile_variant(low, target)
    else:
        for name in _SCRATCH_NAMES:
            if low.given(name):
                raise DslFault(
                    "op-bad-arguments", f"Tensor inputs take no {name}: it is a scratch tile", name
                )
    return lower(_forwarded(low, target))


def _check_tile_form(low: Lowering) -> None:
    name = low.callee.name
    need = _TILE_NEEDS_SCRATCH.get(name)
    if need is not None and not any(low.given(scratch) for scratch in _SCRATCH_NAMES):
        raise DslFault("op-bad-arguments", need)
    for param in low.callee.params:
        reason = _TILE_REFUSES.get((name, param.name))
        if reason is not None and low.differs(param.name):
            raise DslFault("op-bad-arguments", f"'{param.name}' {reason}", param.name)
    if name == "matmul" and low.given("out_dtype"):
        dtype = element_dtype(low.values["lhs"])
        wanted = DataType.FP32 if dtype is not None and dtype.is_float else DataType.INT32
        if normalise.dtype_value(low.values["out_dtype"], "out_dtype") is not wanted:
            raise DslFault(
                "op-dtype",
                f"'out_dtype' of Tile operands must be the accumulator dtype {wanted.printed}; cast the result instead",
                "out_dtype",
            )


def _tile_variant(low: Lowering, target: DslCallable) -> DslCallable:
    """``pl.and_(tile, 2)`` means ``pl.tile.ands``: only add, sub, mul and div choose by themselves."""
    if "rhs" not in low.values or not is_scalar(low.values["rhs"]) or target.path in FORMS:
        return target
    variant = find_callable(f"pl.tile.{low.callee.name.removesuffix('_')}s")
    return variant if variant is not None and variant.operators[0] in low.callee.operators else target


def _forwarded(low: Lowering, target: DslCallable) -> Lowering:
    """The same arguments under the parameter names of ``target``: by name where it has the name, else by position."""
    names = [p.name for p in target.params]
    taken = set(low.values) & set(names)
    free = [p.name for p in target.params if p.required and p.name not in taken]
    renamed: dict[str, str] = {}
    for name in low.values:
        if name in names:
            renamed[name] = name
        elif low.callee.params and _required(low.callee, name) and free:
            renamed[name] = free.pop(0)
    values = {renamed[k]: v for k, v in low.values.items() if k in renamed}
    origin = {renamed[k]: v for k, v in low.origin.items() if k in renamed}
    return Lowering(target, values, origin, low.site, low.rest, low.rest_keywords)


def _required(callee: DslCallable, name: str) -> bool:
    param = callee.param(name)
    return param is not None and param.required
