"""Expressions (docs/spec/ir.md §1.5, §1.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pypto_core.ir.basic_types import MEMREF_TYPE, UNKNOWN, WINDOW_BUFFER_TYPE, ScalarType, TupleType
from pypto_core.ir.dtype import DataType
from pypto_core.ir.enums import ArgDirection
from pypto_core.ir.node import AttrMap, Expr, Node, Type, empty_map, slot_writer
from pypto_core.ir.span import UNKNOWN_SPAN, Span


class Op:
    """An operator; its identity is its name. Use :meth:`get` for the shared instance."""

    __slots__ = ("name",)
    _interned: ClassVar[dict[str, Op]] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def get(name: str) -> Op:
        found = Op._interned.get(name)
        if found is None:
            found = Op._interned.setdefault(name, Op(name))
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class GlobalVar(Op):
    """A function of the same program as the target of a call."""

    __slots__ = ()


_set_span = slot_writer(Node, "span")
_NOTHING = empty_map()


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Var(Expr):
    """A variable; two variables of one name are two variables. ``name_hint`` is cosmetic."""

    name_hint: str
    type: Type

    def __init__(self, name_hint: str, type: Type, *, span: Span = UNKNOWN_SPAN) -> None:
        _set_name_hint(self, name_hint)
        _set_var_type(self, type)
        _set_span(self, span)


_set_name_hint, _set_var_type = slot_writer(Var, "name_hint"), slot_writer(Var, "type")


@dataclass(frozen=True, slots=True, eq=False)
class IterArg(Var):
    """Loop-carried value, visible inside its loop only."""

    init_value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class MemRef(Expr):
    """A piece of an allocation: ``size`` bytes at ``byte_offset`` of ``base`` (ir.md §2.7).

    A pinned (author-declared) reference has no size before InitMemRef (``size`` is 0).
    """

    base: Var
    byte_offset: Expr
    size: int
    is_pinned: bool = False
    slot_count: int = 1
    slot_index: Expr | None = None

    @property
    def type(self) -> Type:
        return MEMREF_TYPE

    @property
    def name_hint(self) -> str:
        return self.base.name_hint


@dataclass(frozen=True, slots=True, eq=False)
class WindowBuffer(Expr):
    """A communication window; ``size`` in bytes."""

    base: Var
    size: Expr
    load_from_host: bool = False
    store_to_host: bool = False

    @property
    def type(self) -> Type:
        return WINDOW_BUFFER_TYPE

    @property
    def name_hint(self) -> str:
        return self.base.name_hint


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ConstInt(Expr):
    """An integer literal; as the extent of a dimension it is an INDEX."""

    value: int
    dtype: DataType = DataType.INDEX

    def __init__(self, value: int, dtype: DataType = DataType.INDEX, *, span: Span = UNKNOWN_SPAN) -> None:
        _set_value(self, value)
        _set_dtype(self, dtype)
        _set_span(self, span)

    @property
    def type(self) -> Type:
        return ScalarType.of(self.dtype)


_set_value, _set_dtype = slot_writer(ConstInt, "value"), slot_writer(ConstInt, "dtype")


@dataclass(frozen=True, slots=True, eq=False)
class ConstFloat(Expr):
    """A floating-point literal of a scalar type."""

    value: float
    dtype: DataType = DataType.FP32

    @property
    def type(self) -> Type:
        return ScalarType.of(self.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class ConstBool(Expr):
    """``True`` or ``False``, of dtype BOOL."""

    value: bool

    @property
    def dtype(self) -> DataType:
        return DataType.BOOL

    @property
    def type(self) -> Type:
        return ScalarType.of(DataType.BOOL)


def _check_directions(call: Call | Submit) -> None:
    directions = call.attrs.get("arg_directions")
    if directions is not None and directions and len(directions) != len(call.args):
        raise TypeError(f"arg_directions has {len(directions)} entries for {len(call.args)} arguments")


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Call(Expr):
    """Application of an operator or, when ``op`` is a :class:`GlobalVar`, of a function of the program."""

    op: Op
    args: tuple[Expr, ...]
    kwargs: AttrMap = field(default_factory=empty_map)
    attrs: AttrMap = field(default_factory=empty_map)
    type: Type = UNKNOWN

    def __init__(
        self,
        op: Op,
        args: tuple[Expr, ...],
        kwargs: AttrMap = _NOTHING,
        attrs: AttrMap = _NOTHING,
        type: Type = UNKNOWN,
        *,
        span: Span = UNKNOWN_SPAN,
    ) -> None:
        _set_op(self, op)
        _set_args(self, args)
        _set_kwargs(self, kwargs)
        _set_attrs(self, attrs)
        _set_call_type(self, type)
        _set_span(self, span)
        if attrs:
            self.__post_init__()

    def __post_init__(self) -> None:
        if "arg_directions" in self.attrs:
            _check_directions(self)

    @property
    def name(self) -> str:
        """What is called: an operator (``tile.add``) or a function of the program."""
        return self.op.name

    @property
    def is_function_call(self) -> bool:
        """Whether a function of the program is called, not an operator (ir.md §2)."""
        return self.op.__class__ is GlobalVar

    @property
    def arg_directions(self) -> tuple[ArgDirection, ...]:
        return tuple(self.attrs.get("arg_directions", ()))


_set_op, _set_args = slot_writer(Call, "op"), slot_writer(Call, "args")
_set_kwargs, _set_attrs = slot_writer(Call, "kwargs"), slot_writer(Call, "attrs")
_set_call_type = slot_writer(Call, "type")


@dataclass(frozen=True, slots=True, eq=False)
class Submit(Expr):
    """Asynchronous launch of a function; its type is ``Tuple[callee returns..., Scalar[TASK_ID]]``."""

    op: Op
    args: tuple[Expr, ...]
    deps: tuple[Expr, ...] = ()
    kwargs: AttrMap = field(default_factory=empty_map)
    attrs: AttrMap = field(default_factory=empty_map)
    type: Type = UNKNOWN
    core_num: Expr | None = None
    sync_start: bool = False
    allow_early_resolve: bool = False
    predicate: Expr | None = None

    def __post_init__(self) -> None:
        if "arg_directions" in self.attrs:
            _check_directions(self)
        if self.sync_start and self.core_num is None:
            raise ValueError("sync_start needs core_num")

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def arg_directions(self) -> tuple[ArgDirection, ...]:
        return tuple(self.attrs.get("arg_directions", ()))


@dataclass(frozen=True, slots=True, eq=False)
class MakeTuple(Expr):
    """A tuple of expressions; its type is the tuple of theirs."""

    elements: tuple[Expr, ...]
    type: TupleType = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", TupleType(tuple([e.type for e in self.elements])))


@dataclass(frozen=True, slots=True, eq=False)
class TupleGetItem(Expr):
    """Element ``index`` of a tuple-typed expression."""

    tuple: Expr
    index: int

    def __post_init__(self) -> None:
        of = self.tuple.type
        if not isinstance(of, TupleType):
            raise ValueError("tuple element of an expression that is not a tuple")
        if not 0 <= self.index < len(of.types):
            raise ValueError(f"tuple index {self.index} out of range for {len(of.types)} elements")

    @property
    def type(self) -> Type:
        of = self.tuple.type
        assert isinstance(of, TupleType)
        return of.types[self.index]


@dataclass(frozen=True, slots=True, eq=False)
class BinaryExpr(Expr):
    """Scalar operation on two operands; ``dtype`` is the result's. Build with ``ir.scalar`` for the typing rules."""

    left: Expr
    right: Expr
    dtype: DataType

    tag: ClassVar[str] = ""

    @property
    def type(self) -> Type:
        return ScalarType.of(self.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class UnaryExpr(Expr):
    """Scalar operation on one operand; ``dtype`` is the result's."""

    operand: Expr
    dtype: DataType

    tag: ClassVar[str] = ""

    @property
    def type(self) -> Type:
        return ScalarType.of(self.dtype)


class Add(BinaryExpr):
    __slots__ = ()
    tag = "add"


class Sub(BinaryExpr):
    __slots__ = ()
    tag = "sub"


class Mul(BinaryExpr):
    __slots__ = ()
    tag = "mul"


class FloorDiv(BinaryExpr):
    __slots__ = ()
    tag = "floordiv"


class FloorMod(BinaryExpr):
    __slots__ = ()
    tag = "mod"


class FloatDiv(BinaryExpr):
    __slots__ = ()
    tag = "truediv"


class Min(BinaryExpr):
    __slots__ = ()
    tag = "min"


class Max(BinaryExpr):
    __slots__ = ()
    tag = "max"


class Pow(BinaryExpr):
    __slots__ = ()
    tag = "pow"


class Eq(BinaryExpr):
    __slots__ = ()
    tag = "eq"


class Ne(BinaryExpr):
    __slots__ = ()
    tag = "ne"


class Lt(BinaryExpr):
    __slots__ = ()
    tag = "lt"


class Le(BinaryExpr):
    __slots__ = ()
    tag = "le"


class Gt(BinaryExpr):
    __slots__ = ()
    tag = "gt"


class Ge(BinaryExpr):
    __slots__ = ()
    tag = "ge"


class And(BinaryExpr):
    __slots__ = ()
    tag = "and"


class Or(BinaryExpr):
    __slots__ = ()
    tag = "or"


class Xor(BinaryExpr):
    __slots__ = ()
    tag = "xor"


class BitAnd(BinaryExpr):
    __slots__ = ()
    tag = "bit_and"


class BitOr(BinaryExpr):
    __slots__ = ()
    tag = "bit_or"


class BitXor(BinaryExpr):
    __slots__ = ()
    tag = "bit_xor"


class BitShiftLeft(BinaryExpr):
    __slots__ = ()
    tag = "bit_shift_left"


class BitShiftRight(BinaryExpr):
    __slots__ = ()
    tag = "bit_shift_right"


class Abs(UnaryExpr):
    __slots__ = ()
    tag = "abs"


class Neg(UnaryExpr):
    __slots__ = ()
    tag = "neg"


class Not(UnaryExpr):
    __slots__ = ()
    tag = "not"


class BitNot(UnaryExpr):
    __slots__ = ()
    tag = "bit_not"


class Cast(UnaryExpr):
    __slots__ = ()
    tag = "cast"


#: Every binary / unary class, in the order of ir.md §1.6.
BINARY_CLASSES: tuple[type[BinaryExpr], ...] = (
    Add, Sub, Mul, FloorDiv, FloorMod, FloatDiv, Min, Max, Pow, Eq, Ne, Lt, Le, Gt, Ge,
    And, Or, Xor, BitAnd, BitOr, BitXor, BitShiftLeft, BitShiftRight,
)  # fmt: skip
UNARY_CLASSES: tuple[type[UnaryExpr], ...] = (Abs, Neg, Not, BitNot, Cast)
COMPARISON_CLASSES: tuple[type[BinaryExpr], ...] = (Eq, Ne, Lt, Le, Gt, Ge)
