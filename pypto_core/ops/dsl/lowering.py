"""From bound arguments to one operator call, driven by the signatures of callable and operator.

A parameter whose name is a keyword of the operator becomes that keyword, stored when the operator's declaration says so;
every other parameter becomes the next positional argument. `forms.py` holds the callables that need more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NoReturn

from pypto_core.ir import ConstInt, DataType, Expr, Span
from pypto_core.ops.dsl import normalise
from pypto_core.ops.dsl.constants import default_value
from pypto_core.ops.dsl.model import DslCallable, DslParam
from pypto_core.ops.dsl.values import CallSite, DslFault, DslValue, element_dtype, is_scalar
from pypto_core.ops.registry import KwParam, OpDef, OpError, Stored, create_op_call, get_op

#: Keyword values with spellings of their own.
_KEYWORD_READERS: Final[Mapping[str, Callable[[DslValue, str], Any]]] = {
    "cmp_mode": normalise.comparison,
    "coalesce": normalise.coalesce_mode,
    "gather_oob": normalise.out_of_range_mode,
    "pad_value": normalise.pad_value,
    "target_type": normalise.dtype_value,
    "out_dtype": normalise.dtype_value,
    "output_dtype": normalise.dtype_value,
    "count_dtype": normalise.dtype_value,
    "dtype": normalise.dtype_value,
}
_CAST_OPERATORS: Final = ("tensor.cast", "tile.cast")

#: Parameters whose literals take a fixed dtype.
_LITERAL_DTYPES: Final[Mapping[str, DataType]] = {
    "slope": DataType.FP32,
    "diagonal": DataType.INT32,
    "block_len": DataType.INT32,
    "c2v_consumer_buf": DataType.INT32,
    "v2c_consumer_buf": DataType.INT32,
    **dict.fromkeys(("key0", "key1", "counter0", "counter1", "counter2", "counter3"), DataType.INT32),
}

#: The same for literals that are given by keyword; a positional one stays an index (docs/spec/passes_tensor_to_tile.md, example 67).
_KEYWORD_LITERAL_DTYPES: Final[Mapping[str, DataType]] = {"pld.system.notify.value": DataType.INT32}

#: Parameters whose literals take the element dtype of another parameter.
_LITERAL_LIKE: Final[Mapping[str, str]] = {
    "expands.scalar": "target",
    "update_element.value": "array",
    "gather_compare.kvalue": "src",
    "tensor.gather_compare.kvalue": "input",
}
_INDEX_LISTS: Final = ("read.indices", "write.indices", "read.offset", "write.offset")


@dataclass(slots=True)
class Lowering:
    """One call being lowered: ``values`` by parameter name, ``origin`` the written argument of each."""

    callee: DslCallable
    values: dict[str, DslValue]
    origin: dict[str, int | str]
    site: CallSite
    rest: list[DslValue] = field(default_factory=list)
    rest_keywords: dict[str, DslValue] = field(default_factory=dict)

    def given(self, name: str) -> bool:
        """Whether the author wrote the argument (a written ``None`` counts as absent)."""
        return self.values.get(name) is not None

    def value(self, name: str) -> Any:
        """The written value, else the default."""
        if name in self.values:
            return self.values[name]
        param = self.callee.param(name)
        return default_value(param.default) if param is not None and param.default is not None else None

    def differs(self, name: str) -> bool:
        """Whether the author wrote something else than the default."""
        param = self.callee.param(name)
        if name not in self.values or param is None or param.default is None:
            return False
        value: Any = self.values[name]
        # A positional literal arrives as a constant expression.
        value = getattr(value, "value", value) if isinstance(value, Expr) else value
        return bool(value != default_value(param.default))

    def span_of(self, name: str | None) -> Span:
        return self.site.span_of(self.origin.get(name)) if name is not None else self.site.span

    def fault(self, text: str, param: str | None = None, code: str = "op-bad-arguments") -> NoReturn:
        raise DslFault(code, text, param)


def build(low: Lowering, operator: str, skip: tuple[str, ...] = ()) -> Expr:
    """The call of ``operator`` that the bound arguments describe; parameters in ``skip`` take no part."""
    op = get_op(operator, low.site.span)
    args: list[Expr] = []
    sources: list[str] = []
    kwargs: dict[str, Any] = {}
    for param in low.callee.params:
        if param.name in skip or param.kind in ("rest", "rest_keywords"):
            continue
        keyword = op.kwarg_by_name.get(param.name)
        if keyword is not None:
            _store(low, op, keyword, kwargs)
            continue
        value = low.value(param.name)
        if value is None:
            continue
        args.append(argument(low, param, op, value))
        sources.append(param.name)
    return emit(low, operator, args, kwargs, sources)


def emit(
    low: Lowering,
    operator: str,
    args: list[Expr],
    kwargs: Mapping[str, Any],
    sources: list[str] | None = None,
) -> Expr:
    """Creates the call. ``sources`` names the parameter of each argument, so that an error points at what was written."""
    site = low.site
    try:
        return create_op_call(operator, args, kwargs, attrs=site.attrs, span=site.span, backend=site.backend)
    except OpError as error:
        raise _located(low, error, sources or []) from error


def _located(low: Lowering, error: OpError, sources: list[str]) -> OpError:
    """``error`` at the argument the author wrote, by index or keyword of the *written* call."""
    name = error.keyword
    if error.arg_index is not None and error.arg_index < len(sources):
        name = sources[error.arg_index]
    origin = low.origin.get(name) if name is not None else None
    found = error.diagnostic
    span = low.site.span_of(origin) if origin is not None else found.span
    if origin is None and not span.is_valid:
        span = low.site.span
    where = {"arg": origin} if isinstance(origin, int) else {"keyword": origin} if origin is not None else {}
    moved = replace(found, span=span, data={**found.data, "param": name, **where})
    return OpError(
        moved,
        origin if isinstance(origin, int) else None,
        origin if isinstance(origin, str) else None,
        error.unproven,
    )


# -- positional arguments ------------------------------------------------------------------------------------------


def argument(low: Lowering, param: DslParam, op: OpDef, value: DslValue) -> Expr:
    """The positional argument of ``op`` for a value given to ``param``."""
    span = low.span_of(param.name)
    name = param.name
    leaf = f"{low.callee.name}.{name}"
    if leaf in _INDEX_LISTS:
        return normalise.as_indices(value, low.site.span, name)
    if "Shape" in param.alternatives:
        return normalise.as_dims(value, low.site.span, name)
    if name in ("rhs", "scalar") and is_scalar(value):
        other = {"sels": "src", "expands": "target"}.get(low.callee.name, "lhs")
        dtype = element_dtype(low.values.get(other))
        if low.callee.name == "sels":
            return normalise.select_scalar(value, dtype, span, name)
        return normalise.scalar_operand(value, dtype, span, name)
    like = _LITERAL_LIKE.get(f"{op.name}.{name}") or _LITERAL_LIKE.get(leaf)
    if like is not None:
        return normalise.restamped(value, element_dtype(low.values.get(like)), span, name)
    dtype = _LITERAL_DTYPES.get(name)
    if isinstance(low.origin.get(name), str):
        dtype = _KEYWORD_LITERAL_DTYPES.get(f"{op.name}.{name}", dtype)
    if name == "start":
        chosen = low.value("dtype")
        dtype = chosen if isinstance(chosen, DataType) else None
    if name == "value" and low.callee.name == "full":
        return _fill_value(low, value, span)
    if dtype is not None:
        return normalise.restamped(value, dtype, span, name)
    return normalise.as_expr(value, span, name)


def _fill_value(low: Lowering, value: DslValue, span: Span) -> Expr:
    """The value of ``full``: a number takes the dtype of the result and keeps its int or float form."""
    from pypto_core.ir import ConstFloat

    dtype = low.value("dtype")
    number = value.value if isinstance(value, (ConstInt, ConstFloat)) else value
    if isinstance(dtype, DataType) and isinstance(number, (int, float)) and not isinstance(number, bool):
        at = value.span if isinstance(value, Expr) and value.span.is_valid else span
        return (
            ConstInt(number, dtype, span=at)
            if isinstance(number, int)
            else ConstFloat(number, dtype, span=at)
        )
    return normalise.as_expr(value, span, "value")


# -- keywords --------------------------------------------------------------------------------------------------------


def keyword_value(op: OpDef, name: str, value: DslValue) -> Any:
    """A keyword as the call stores it."""
    if name == "mode" and op.name in _CAST_OPERATORS:
        return normalise.cast_mode(value, name)
    reader = _KEYWORD_READERS.get(name)
    if reader is not None and value is not None:
        if name == "cmp_mode" or not isinstance(value, Expr) or name == "pad_value":
            return reader(value, name)
    if name == "init_value" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _store(low: Lowering, op: OpDef, keyword: KwParam, kwargs: dict[str, Any]) -> None:
    """Puts a keyword on the call if the operator's declaration says that builders store it."""
    value = low.value(keyword.name)
    if value is None:
        return
    value = keyword_value(op, keyword.name, value)
    if keyword.stored is Stored.WHEN_TRUTHY and not value and not isinstance(value, Expr):
        return
    if keyword.stored is Stored.WHEN_NOT_DEFAULT and value == keyword.default:
        return
    kwargs[keyword.name] = value
