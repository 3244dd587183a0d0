"""Text of expressions, types and attribute values (docs/spec/ir.md §4.4 to §4.6, §4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from keyword import iskeyword
from typing import Any

from pypto_core.ir import expr as E
from pypto_core.ir.basic_types import UNKNOWN, ErrorType, ScalarType, SingletonType, TupleType
from pypto_core.ir.dtype import DataType
from pypto_core.ir.enums import (
    ArgDirection,
    AtomicType,
    CompactMode,
    MemorySpace,
    PadValue,
    PipeType,
    SplitMode,
    TensorLayout,
    TileLayout,
)
from pypto_core.ir.node import AttrMap, Expr, Type
from pypto_core.ir.print_calls import SPECIAL_CALLS
from pypto_core.ir.print_text import PrintError, format_float, quote
from pypto_core.ir.types import (
    ArrayType,
    DistributedTensorType,
    TensorType,
    TensorView,
    TileType,
    TileView,
    dims_equal,
    effective_tile_view,
    implicit_tile_view,
)

INFIX: dict[type, tuple[int, str]] = {
    E.Or: (1, "or"),
    E.Xor: (2, "xor"),
    E.And: (3, "and"),
    E.Eq: (5, "=="),
    E.Ne: (5, "!="),
    E.Lt: (5, "<"),
    E.Le: (5, "<="),
    E.Gt: (5, ">"),
    E.Ge: (5, ">="),
    E.BitOr: (6, "|"),
    E.BitXor: (7, "^"),
    E.BitAnd: (8, "&"),
    E.BitShiftLeft: (9, "<<"),
    E.BitShiftRight: (9, ">>"),
    E.Add: (10, "+"),
    E.Sub: (10, "-"),
    E.Mul: (11, "*"),
    E.FloorDiv: (11, "//"),
    E.FloatDiv: (11, "/"),
    E.FloorMod: (11, "%"),
    E.Pow: (13, "**"),
}
_PREFIX: dict[type, tuple[int, str]] = {E.Not: (4, "not "), E.Neg: (12, "-"), E.BitNot: (12, "~")}
_ATOM = 15
_LEVELS: dict[type, int] = {
    **{cls: level for cls, (level, _) in INFIX.items()},
    **{cls: level for cls, (level, _) in _PREFIX.items()},
    **dict.fromkeys((E.Abs, E.Cast, E.Min, E.Max, E.Call), 14),
}

ROUND_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
_PIPE_KEYS = frozenset({"set_pipe", "wait_pipe"})
_PIPE_OPS = frozenset({"system.sync_set", "system.sync_wait"})
#: Boundary operators whose ``split`` keyword is implied inside a printed lane region.
_BOUNDARY_OPS = frozenset({"tile.aiv_shard", "tensor.aiv_shard", "tile.aic_gather", "tensor.aic_gather"})


def is_pure_const(expr: Expr) -> bool:
    """A binary tree all of whose leaves are ConstInt (through binary nodes only)."""
    if expr.__class__ is E.ConstInt:
        return True
    return isinstance(expr, E.BinaryExpr) and is_pure_const(expr.left) and is_pure_const(expr.right)


class ExprPrinter:
    """Expressions and types under one naming of variables.

    ``names`` maps variables to printed names (others print their hint); ``dim_names`` the program-level symbols,
    the only names that composite dimensions disambiguate. ``function_defs`` are variables defined in the current body: a memref base
    among them prints bare.
    """

    def __init__(self, prefix: str = "pl", explicit_layout: bool = False) -> None:
        self.prefix = prefix
        self.explicit_layout = explicit_layout
        self.in_program = False
        self.names: Mapping[E.Var, str] = {}
        self.dim_names: Mapping[E.Var, str] = {}
        self.function_defs: Mapping[E.Var, object] = {}
        self.in_signature = False
        self.in_region = False
        self._typed_index = False

    # ------------------------------------------------------------------------------------------------- expressions
    def name(self, var: E.Var) -> str:
        return self.names.get(var) or var.name_hint

    def expr(self, expr: Expr) -> str:
        return _lookup(expr.__class__)(self, expr)

    def exprs(self, exprs: Sequence[Expr]) -> str:
        return ", ".join([self.expr(e) for e in exprs])

    def _var(self, expr: E.Var) -> str:
        return self.names.get(expr) or expr.name_hint

    def _hint(self, expr: Any) -> str:
        return str(expr.name_hint)

    def _const_int(self, expr: E.ConstInt) -> str:
        if expr.dtype is DataType.INDEX and not self._typed_index:
            return str(expr.value)
        return f"{self.prefix}.const({expr.value}, {self.prefix}.{expr.dtype.printed})"

    def _const_float(self, expr: E.ConstFloat) -> str:
        text = format_float(expr.value)
        if expr.dtype is DataType.FP32:
            return text
        return f"{self.prefix}.const({text}, {self.prefix}.{expr.dtype.printed})"

    def _const_bool(self, expr: E.ConstBool) -> str:
        return "True" if expr.value else "False"

    def _make_tuple(self, expr: E.MakeTuple) -> str:
        return f"[{self.exprs(expr.elements)}]"

    def _tuple_item(self, expr: E.TupleGetItem) -> str:
        return f"{self.expr(expr.tuple)}[{expr.index}]"

    def _infix(self, expr: E.BinaryExpr) -> str:
        level, symbol = INFIX[expr.__class__]
        typed = self._typed_index
        if not typed and is_pure_const(expr):
            self._typed_index = True
        right_assoc = expr.__class__ is E.Pow
        left = self._operand(expr.left, level, right_assoc)
        right = self._operand(expr.right, level, not right_assoc)
        self._typed_index = typed
        return f"{left} {symbol} {right}"

    def _operand(self, expr: Expr, level: int, strict: bool) -> str:
        text = self.expr(expr)
        own = _LEVELS.get(expr.__class__, _ATOM)
        return f"({text})" if own < level or (strict and own == level) else text

    def _prefix_op(self, expr: E.UnaryExpr) -> str:
        level, symbol = _PREFIX[expr.__class__]
        return symbol + self._operand(expr.operand, level, False)

    def _min_max(self, expr: E.BinaryExpr) -> str:
        return f"{self.prefix}.{expr.tag}({self.expr(expr.left)}, {self.expr(expr.right)})"

    def _abs(self, expr: E.Abs) -> str:
        return f"abs({self.expr(expr.operand)})"

    def _cast(self, expr: E.Cast) -> str:
        return f"{self.prefix}.cast({self.expr(expr.operand)}, {self.prefix}.{expr.dtype.printed})"

    # ------------------------------------------------------------------------------------------------------- calls
    def _call(self, call: E.Call) -> str:
        if call.op.__class__ is E.GlobalVar and self.in_program:
            parts = [self.expr(a) for a in call.args]
            if "device" in call.attrs:
                parts.append(f"device={self.attr_value('device', call.attrs['device'])}")
            ordered = _ordered_attrs(call.attrs, ("dump_vars", "arg_directions"), ("device",))
            if not ordered.get("arg_directions", True):
                del ordered["arg_directions"]
            parts += self.attrs_of(self._with_dumps_in_order(ordered, call.args))
            return f"self.{call.op.name}({', '.join(parts)})"
        special = SPECIAL_CALLS.get(call.op.name)
        if special is not None:
            text = special(self, call)
            if text is not None:
                return text
        name = call.op.name
        if name == "tensor.add" and len(call.args) == 2 and isinstance(call.args[1], _LITERALS):
            name = "tensor.adds"
        return self.op_call(call, name, [self.expr(a) for a in call.args], self.kwargs_of(call))

    def op_call(self, call: E.Call, name: str, args: list[str], kwargs: list[str], drop: str = "") -> str:
        attrs = {k: v for k, v in call.attrs.items() if k != drop} if drop else call.attrs
        if "manual_dep_edges" in attrs:
            raise PrintError(f"manual_dep_edges on {name}")
        if "dump_vars" in attrs:
            attrs = self._with_dumps_in_order(attrs, call.args)
        return f"{self.op_name(name)}({', '.join(args + kwargs + self.attrs_of(attrs))})"

    def op_name(self, name: str) -> str:
        head, dot, leaf = name.rpartition(".")
        if not dot:
            return name
        if iskeyword(leaf):
            name += "_"
        return (
            name if head.startswith("pld") and (head == "pld" or head[3] == ".") else f"{self.prefix}.{name}"
        )

    def _with_dumps_in_order(self, attrs: AttrMap, args: Sequence[Expr]) -> AttrMap:
        dumps = attrs.get("dump_vars")
        if not dumps:
            return attrs
        return {**attrs, "dump_vars": _in_argument_order(dumps, args)}

    def kwargs_of(self, call: E.Call, drop: str = "") -> list[str]:
        name = call.op.name
        if self.in_region and name in _BOUNDARY_OPS:
            drop = "split"
        return [f"{k}={self.kwarg_value(name, k, v)}" for k, v in call.kwargs.items() if k != drop]

    def attrs_of(self, attrs: AttrMap) -> list[str]:
        if not attrs:
            return []
        return [f"attrs={{{self.attr_items(attrs)}}}"]

    def attr_items(self, attrs: AttrMap) -> str:
        return ", ".join([f'"{k}": {self.attr_value(k, v)}' for k, v in attrs.items()])

    def kwarg_value(self, op: str, key: str, value: Any) -> str:
        if value.__class__ is int:
            if key in _PIPE_KEYS or (key == "pipe" and op in _PIPE_OPS):
                return f"{self.prefix}.PipeType.{PipeType(value).name}"
            if key == "mode":
                if not 0 <= value < len(ROUND_MODES):
                    raise PrintError(f"rounding mode {value}")
                return f"'{ROUND_MODES[value]}'"
            if key == "atomic":
                return f"{self.prefix}.AtomicType.{AtomicType(value).name}"
        if value.__class__ is str:
            return f"'{value}'"
        return self.plain_value(key, value)

    def plain_value(self, key: str, value: Any) -> str:
        """bool, int, float, dtype and enumeration values."""
        kind = value.__class__
        if kind is bool:
            return "True" if value else "False"
        if kind is int:
            return str(value)
        if kind is float:
            return format_float(value)
        if kind is DataType:
            return f"{self.prefix}.{value.printed}"
        if kind is MemorySpace:
            return f"{self.prefix}.Mem.{value.name}"
        if kind in (TensorLayout, TileLayout, PadValue):
            return f"{self.prefix}.{kind.__name__}.{value.name}"
        if kind in (PipeType, AtomicType, SplitMode):
            return str(int(value)) if kind is SplitMode else f"{self.prefix}.{kind.__name__}.{value.name}"
        if value is None:
            return "None"
        if isinstance(value, IntEnum):
            return f"{self.prefix}.{kind.__name__}.{value.name}"
        raise PrintError(f"value of type {kind.__name__} under {key!r}")

    def attr_value(self, key: str, value: Any) -> str:
        """Generic attribute values (§4.8)."""
        kind = value.__class__
        if kind is str:
            return quote(value)
        if kind is ArgDirection:
            return f"{self.prefix}.adir.{value.printed}"
        if kind is tuple or kind is list:
            return f"[{', '.join([self.attr_value(key, item) for item in value])}]"
        if isinstance(value, Expr):
            return self.expr(value)
        return self.plain_value(key, value)

    def _submit(self, call: E.Submit) -> str:
        target = f"self.{call.op.name}" if self.in_program else call.op.name
        parts = [target, *(self.expr(a) for a in call.args)]
        if call.deps:
            parts.append(f"deps=[{self.exprs(call.deps)}]")
        dumps = call.attrs.get("dump_vars")
        if dumps:
            parts.append(f"dumps=[{self.exprs(_in_argument_order(dumps, call.args))}]")
        if call.core_num is not None:
            parts.append(f"core_num={self.expr(call.core_num)}")
            if call.sync_start:
                parts.append("sync_start=True")
        if call.allow_early_resolve:
            parts.append("allow_early_resolve=True")
        if call.predicate is not None:
            parts.append(f"predicate=({self.expr(call.predicate)})")
        parts += self.attrs_of(_ordered_attrs(call.attrs, ("arg_directions",), ("dump_vars",)))
        name = "submit" if call.core_num is None else "spmd_submit"
        return f"{self.prefix}.{name}({', '.join(parts)})"

    # ------------------------------------------------------------------------------------------------------- types
    def type(self, kind: Type) -> str:
        if isinstance(kind, ScalarType):
            return f"{self.prefix}.Scalar[{self.prefix}.{kind.dtype.printed}]"
        if isinstance(kind, TensorType):
            return self._tensor_type(kind)
        if isinstance(kind, TileType):
            return self._tile_type(kind)
        if isinstance(kind, ArrayType):
            return f"{self.prefix}.Array[{self.dim(kind.extent)}, {self.prefix}.{kind.dtype.printed}]"
        if isinstance(kind, TupleType):
            inner = ", ".join([self.type(t) for t in kind.types]) if kind.types else "()"
            return f"{self.prefix}.Tuple[{inner}]"
        if isinstance(kind, SingletonType):
            return (
                kind.printed.replace("pl.", self.prefix + ".", 1)
                if kind.printed[:3] == "pl."
                else kind.printed
            )
        if isinstance(kind, ErrorType):  # only in what is shown of a kernel that has errors
            return self.type(UNKNOWN)
        raise PrintError(f"type {kind.__class__.__name__} has no printed form")

    def dim(self, dim: Expr) -> str:
        """A dimension: constants and symbols bare, anything else with typed literals and raw local names (§4.6)."""
        if dim.__class__ is E.ConstInt:
            return str(dim.value)
        if dim.__class__ is E.Var or dim.__class__ is E.IterArg:
            return self.name(dim)
        names, typed = self.names, self._typed_index
        self.names, self._typed_index = self.dim_names, True
        text = self.expr(dim)
        self.names, self._typed_index = names, typed
        return text

    def dims(self, dims: Sequence[Expr]) -> str:
        return ", ".join([self.dim(d) for d in dims])

    def _tensor_type(self, kind: TensorType) -> str:
        distributed = isinstance(kind, DistributedTensorType)
        head = "pld.DistributedTensor" if distributed else f"{self.prefix}.Tensor"
        parts = [f"[{self.dims(kind.shape)}]", f"{self.prefix}.{kind.dtype.printed}"]
        if kind.tensor_view is not None:
            parts.append(self._tensor_view(kind.tensor_view, kind.shape))
        if kind.memref is not None:
            parts.append(self.memref(kind.memref))
        if (
            self.explicit_layout
            and isinstance(kind, DistributedTensorType)
            and kind.window_buffer is not None
        ):
            parts.append(f'"window_buffer={kind.window_buffer.name_hint}"')
        return f"{head}[{', '.join(parts)}]"

    def _tensor_view(self, view: TensorView, shape: Sequence[Expr]) -> str:
        p = self.prefix
        partial = bool(view.valid_shape) and not dims_equal(view.valid_shape, shape)
        if not partial and not view.stride and view.layout is TensorLayout.ND and view.pad is PadValue.null:
            return f"{p}.TensorView()"
        parts = [f"valid_shape=[{self.dims(view.valid_shape)}]"] if partial else []
        parts.append(f"stride=[{self.dims(view.stride)}]")
        parts.append(f"layout={p}.TensorLayout.{view.layout.name}")
        if view.pad is not PadValue.null:
            parts.append(f"pad={p}.PadValue.{view.pad.name}")
        return f"{p}.TensorView({', '.join(parts)})"

    def _tile_type(self, kind: TileType) -> str:
        parts = [f"[{self.dims(kind.shape)}]", f"{self.prefix}.{kind.dtype.printed}"]
        if kind.memref is not None:
            parts.append(self.memref(kind.memref))
        if kind.memory_space is not None:
            parts.append(f"{self.prefix}.Mem.{kind.memory_space.name}")
        view = effective_tile_view(kind) if self.explicit_layout else kind.tile_view
        if view is not None:
            parts.append(self._tile_view(view, kind))
        return f"{self.prefix}.Tile[{', '.join(parts)}]"

    def _tile_view(self, view: TileView, kind: TileType) -> str:
        p, explicit = self.prefix, self.explicit_layout
        implicit = implicit_tile_view(kind.shape, kind.memory_space)
        parts = []
        if view.valid_shape and not dims_equal(view.valid_shape, kind.shape):
            parts.append(f"valid_shape=[{self.dims(view.valid_shape)}]")
        if view.stride:
            parts.append(f"stride=[{self.dims(view.stride)}]")
        if view.start_offset is not None:
            parts.append(f"start_offset={self.dim(view.start_offset)}")
        if explicit or view.blayout is not implicit.blayout:
            parts.append(f"blayout={p}.TileLayout.{view.blayout.name}")
        if explicit or view.slayout is not implicit.slayout:
            parts.append(f"slayout={p}.TileLayout.{view.slayout.name}")
        if explicit or view.fractal != implicit.fractal:
            parts.append(f"fractal={view.fractal}")
        if view.pad is not PadValue.null:
            parts.append(f"pad={p}.PadValue.{view.pad.name}")
        if view.compact is not CompactMode.null:
            parts.append(f"compact={p}.CompactMode.{view.compact.name}")
        return f"{p}.TileView({', '.join(parts)})"

    def memref(self, ref: E.MemRef) -> str:
        p = self.prefix
        slots = f", slots={ref.slot_count}" if ref.slot_count > 1 else ""
        index = f"[{self.expr(ref.slot_index)}]" if ref.slot_index is not None else ""
        if ref.is_pinned:
            return f'{p}.MemRef("{ref.base.name_hint}"{slots}){index}'
        if ref.base in self.function_defs and not self.in_signature:
            base = self.name(ref.base)
        else:
            base = f'"{self.name(ref.base)}"'
        return f"{p}.MemRef({base}, {self.expr(ref.byte_offset)}, {ref.size}{slots}){index}"


_LITERALS = (E.ConstInt, E.ConstFloat)


def _in_argument_order(dumps: Sequence[Any], args: Sequence[Expr]) -> list[Any]:
    position = {id(arg): i for i, arg in reversed(list(enumerate(args)))}
    return sorted(dumps, key=lambda var: position.get(id(var), len(args)))


def _ordered_attrs(attrs: AttrMap, first: Sequence[str], drop: Sequence[str]) -> dict[str, Any]:
    ordered = {key: attrs[key] for key in first if key in attrs}
    ordered.update((k, v) for k, v in attrs.items() if k not in first and k not in drop)
    return ordered


_PRINTERS: dict[type, Callable[[ExprPrinter, Any], str]] = {
    E.Var: ExprPrinter._var,
    E.IterArg: ExprPrinter._var,
    E.MemRef: ExprPrinter._hint,
    E.WindowBuffer: ExprPrinter._hint,
    E.ConstInt: ExprPrinter._const_int,
    E.ConstFloat: ExprPrinter._const_float,
    E.ConstBool: ExprPrinter._const_bool,
    E.MakeTuple: ExprPrinter._make_tuple,
    E.TupleGetItem: ExprPrinter._tuple_item,
    E.Min: ExprPrinter._min_max,
    E.Max: ExprPrinter._min_max,
    E.Abs: ExprPrinter._abs,
    E.Cast: ExprPrinter._cast,
    E.Call: ExprPrinter._call,
    E.Submit: ExprPrinter._submit,
    **dict.fromkeys(INFIX, ExprPrinter._infix),
    **dict.fromkeys(_PREFIX, ExprPrinter._prefix_op),
}


def _lookup(cls: type) -> Callable[[ExprPrinter, Any], str]:
    found = _PRINTERS.get(cls)
    if found is None:
        raise PrintError(f"expression {cls.__name__} has no printed form")
    return found
