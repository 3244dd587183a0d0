"""Operators on values with Python's semantics (docs/spec/static-eval.md §5.2)."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.static_eval.limits import ENTRY, VALUE, CannotEvaluate, LimitReached
from pypto_core.frontend.static_eval.payloads import (
    PYTHON_ERRORS,
    first_unknown,
    hashable,
    is_scalar,
    plain,
    scalar_of,
    type_name,
    weight,
)
from pypto_core.frontend.static_eval.values import (
    NO_ASSUMPTIONS,
    SCALARS,
    Assumptions,
    ClassKind,
    DictData,
    DimExpr,
    DynVar,
    InstanceData,
    LibraryName,
    ListData,
    PathData,
    PyFunction,
    SetData,
    TypeValue,
    Unknown,
    Value,
    joined,
    noted,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any], str]] = {
    ast.Add: ("+", operator.add, "add"),
    ast.Sub: ("-", operator.sub, "sub"),
    ast.Mult: ("*", operator.mul, "mul"),
    ast.Div: ("/", operator.truediv, "truediv"),
    ast.FloorDiv: ("//", operator.floordiv, "floordiv"),
    ast.Mod: ("%", operator.mod, "mod"),
    ast.Pow: ("**", operator.pow, "pow"),
    ast.LShift: ("<<", operator.lshift, "lshift"),
    ast.RShift: (">>", operator.rshift, "rshift"),
    ast.BitAnd: ("&", operator.and_, "and"),
    ast.BitOr: ("|", operator.or_, "or"),
    ast.BitXor: ("^", operator.xor, "xor"),
}
_DIM_OPERATORS = frozenset({"+", "-", "*", "//", "%"})


# -- binary and unary operators ----------------------------------------------------------------------------------------


#: Operators on two ints that can neither fail nor give anything large.
_ON_SMALL_INTS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_SMALL = 2**63


def binary(it: Interpreter, op: type[ast.operator], left: Value, right: Value) -> Value:
    """``left op right`` as Python computes it; raises CannotEvaluate."""
    a, b = left.data, right.data
    if a.__class__ is int and b.__class__ is int and -_SMALL < a < _SMALL and -_SMALL < b < _SMALL:
        quick = _ON_SMALL_INTS.get(op)
        if quick is not None:
            assumed = joined(left.assumed, right.assumed) if left.assumed or right.assumed else NO_ASSUMPTIONS
            return Value(quick(a, b), assumed)
    blocked = first_unknown(left, right)
    if blocked is not None:
        return blocked
    symbol, function, dunder = BINARY.get(op, ("@", operator.matmul, "matmul"))
    assumed = joined(left.assumed, right.assumed)
    a, b = scalar_of(a), scalar_of(b)
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return Value(scalar_binary(it, symbol, function, a, b), assumed)
    if isinstance(a, IntEnum) or isinstance(b, IntEnum):
        return binary(it, op, _as_int(left), _as_int(right))
    if isinstance(a, (DynVar, DimExpr)) or isinstance(b, (DynVar, DimExpr)):
        it.budget.hold(2 * VALUE)
        return Value(_dim(symbol, a, b), assumed)
    if isinstance(a, InstanceData) or isinstance(b, InstanceData):
        return _dunder(it, dunder, left, right)
    result = _container_binary(it, symbol, a, b, assumed)
    if result is None:
        raise CannotEvaluate(f"operator {symbol} between {type_name(a)} and {type_name(b)}")
    return result


def _as_int(value: Value) -> Value:
    return Value(int(value.data), value.assumed) if isinstance(value.data, IntEnum) else value


def scalar_binary(it: Interpreter, symbol: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Python's operator on scalars, refused before it would become large."""
    limits = it.budget.limits
    if symbol == "**" and isinstance(a, int) and isinstance(b, int):
        if b > 0 and abs(a) > 1 and a.bit_length() * b > limits.bits + a.bit_length():
            raise LimitReached(f"integer of more than {limits.bits} bits")
    elif symbol == "<<" and isinstance(a, int) and isinstance(b, int):
        if a and b > limits.bits:
            raise LimitReached(f"integer of more than {limits.bits} bits")
    elif symbol == "*" and isinstance(a, (str, bytes)) and isinstance(b, int):
        it.budget.text(len(a) * max(b, 0))
    elif symbol == "*" and isinstance(b, (str, bytes)) and isinstance(a, int):
        it.budget.text(len(b) * max(a, 0))
    elif symbol == "+" and isinstance(a, (str, bytes)) and isinstance(b, (str, bytes)):
        it.budget.text(len(a) + len(b))
    elif symbol == "%" and isinstance(a, (str, bytes)):
        it.budget.text(len(a) + weight(b))
        check_format(a if isinstance(a, str) else a.decode("latin-1"))
    try:
        result = function(a, b)
    except PYTHON_ERRORS as error:
        raise CannotEvaluate(str(error) or type(error).__name__, fault=True) from None
    if isinstance(result, complex):
        raise CannotEvaluate("complex numbers are not modelled")
    it.budget.integer(result)
    return result


_WIDE = re.compile(r"[0-9]{5,}|\*")
_WIDTH = re.compile(r"[0-9]+")
#: Characters that all widths and precisions of one format may ask for together.
_WIDEST = 100_000


def check_format(text: str) -> None:
    """Refuse widths and precisions that would build a large text."""
    if _WIDE.search(text) and ("%" in text or "{" in text or text.strip("0123456789*.,+-<>^= #_") != text):
        raise LimitReached("wide format")
    if len(text) > 64 and sum(map(int, _WIDTH.findall(text))) > _WIDEST and ("%" in text or "{" in text):
        raise LimitReached("wide format")


def _dim(symbol: str, a: Any, b: Any) -> DimExpr:
    operands = tuple(int(x) if isinstance(x, bool) else x for x in (a, b))
    if symbol not in _DIM_OPERATORS or not all(isinstance(x, (int, DynVar, DimExpr)) for x in operands):
        raise CannotEvaluate(f"operator {symbol} on a dynamic dimension")
    return DimExpr(symbol, operands)


def _container_binary(it: Interpreter, symbol: str, a: Any, b: Any, assumed: Assumptions) -> Value | None:
    if symbol == "+":
        if isinstance(a, tuple) and isinstance(b, tuple):
            it.budget.copy(len(a) + len(b))
            return Value(a + b, assumed)
        if isinstance(a, ListData) and isinstance(b, ListData):
            it.budget.copy(len(a.items) + len(b.items))
            return Value(ListData(a.items + b.items), assumed)
    elif symbol == "*":
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int) and isinstance(a, (tuple, ListData)):
            length = len(a) if isinstance(a, tuple) else len(a.items)
            it.budget.copy(length * max(b, 0))
            return Value(a * b if isinstance(a, tuple) else ListData(a.items * b), assumed)
    elif symbol == "/":
        if isinstance(a, PathData) and isinstance(b, (str, PathData)):
            other = b.text if isinstance(b, PathData) else b
            it.budget.text(len(a.text) + len(other))
            return Value(PathData(join_path(a.text, other)), assumed)
    elif symbol == "%" and isinstance(a, str):
        it.budget.text(len(a))
        check_format(a)
        found: set[str] = set(assumed)
        argument = plain(Value(b), found, it.budget)
        it.budget.size(weight(argument) * (a.count("%") if isinstance(argument, dict) else 1))
        try:
            text = a % argument
        except PYTHON_ERRORS as error:
            raise CannotEvaluate(str(error), fault=True) from None
        it.budget.text(len(text))
        return Value(text, noted(found))
    elif symbol == "|" and isinstance(a, DictData) and isinstance(b, DictData):
        it.budget.made(len(a.items) + len(b.items), ENTRY)
        return Value(DictData({**a.items, **b.items}, a.factory), assumed)
    elif (symbol == "|" and isinstance(a, (LibraryName, TypeValue))) or isinstance(
        b, (LibraryName, TypeValue)
    ):
        return Value(LibraryName("typing.Union"), assumed)
    if isinstance(a, SetData) and isinstance(b, SetData):
        it.budget.made(len(a.items) + len(b.items), ENTRY)
        return _set_binary(symbol, a, b, assumed)
    return None


def _set_binary(symbol: str, a: SetData, b: SetData, assumed: Assumptions) -> Value | None:
    if symbol == "|":
        items = {**a.items, **b.items}
    elif symbol == "&":
        items = {k: v for k, v in a.items.items() if k in b.items}
    elif symbol == "-":
        items = {k: v for k, v in a.items.items() if k not in b.items}
    elif symbol == "^":
        items = {k: v for k, v in a.items.items() if k not in b.items}
        items.update((k, v) for k, v in b.items.items() if k not in a.items)
    else:
        return None
    return Value(SetData(items, a.frozen), assumed)


def join_path(base: str, other: str) -> str:
    """``base / other`` of ``pathlib``."""
    if other.startswith("/") or base in ("", "."):
        return other or base
    return base if other in ("", ".") else base.rstrip("/") + "/" + other


def _dunder(it: Interpreter, name: str, left: Value, right: Value) -> Value:
    for owner, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if isinstance(owner.data, InstanceData):
            function = owner.data.cls.find(method)
            if function is not None and isinstance(function.data, PyFunction):
                return it.call(function, [owner, other], {})
    raise CannotEvaluate(f"no operator {name} on {type_name(left.data)} and {type_name(right.data)}")


def unary(it: Interpreter, op: ast.unaryop, operand: Value) -> Value:
    """``op operand`` as Python computes it; raises CannotEvaluate."""
    blocked = first_unknown(operand)
    if blocked is not None:
        return blocked
    data = scalar_of(operand.data)
    if isinstance(op, ast.Not):
        truth = it.truth(operand)
        if truth is None:
            raise CannotEvaluate("the truth value is not known")
        return Value(not truth, operand.assumed)
    if isinstance(data, IntEnum):
        data = int(data)
    if isinstance(data, int):
        return Value(
            -data if isinstance(op, ast.USub) else +data if isinstance(op, ast.UAdd) else ~data,
            operand.assumed,
        )
    if isinstance(data, float):
        if isinstance(op, ast.Invert):
            raise CannotEvaluate("bad operand type for unary ~: 'float'", fault=True)
        return Value(-data if isinstance(op, ast.USub) else data, operand.assumed)
    if isinstance(data, (DynVar, DimExpr)) and isinstance(op, ast.USub):
        return Value(DimExpr("neg", (data,)), operand.assumed)
    if isinstance(data, InstanceData):
        method = data.cls.find({ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}[type(op)])
        if method is not None:
            return it.call(method, [operand], {})
    raise CannotEvaluate(f"unary operator on {type_name(data)}")


# -- comparison --------------------------------------------------------------------------------------------------------

ORDER: dict[type[ast.cmpop], tuple[Callable[[Any, Any], bool], str]] = {
    ast.Lt: (operator.lt, "__lt__"),
    ast.LtE: (operator.le, "__le__"),
    ast.Gt: (operator.gt, "__gt__"),
    ast.GtE: (operator.ge, "__ge__"),
}


_ON_INTS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    **{op: function for op, (function, _) in ORDER.items()},
}


def compare(it: Interpreter, op: ast.cmpop, left: Value, right: Value) -> Value:
    """One comparison; Unknown when it depends on an unknown part."""
    assumed = joined(left.assumed, right.assumed) if left.assumed or right.assumed else NO_ASSUMPTIONS
    if left.data.__class__ is int and right.data.__class__ is int:
        quick = _ON_INTS.get(op.__class__)
        if quick is not None:
            return Value(quick(left.data, right.data), assumed)
    if isinstance(op, (ast.In, ast.NotIn)):
        found = contains(it, right, left)
        return found if found.is_unknown else Value(found.data is isinstance(op, ast.In), found.assumed)
    blocked = first_unknown(left, right)
    if blocked is not None:
        return blocked
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = identical(left.data, right.data)
        if same is None:
            raise CannotEvaluate("identity of values is not modelled")
        return Value(same is isinstance(op, ast.Is), assumed)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        sink: set[str] = set(assumed)
        equal = equals(it, left, right, sink)
        if equal is None:
            raise CannotEvaluate("equality depends on an unknown value")
        return Value(equal is isinstance(op, ast.Eq), noted(sink))
    function, dunder = ORDER[type(op)]
    if isinstance(left.data, InstanceData) and left.data.cls.kind is not ClassKind.INT_ENUM:
        method = left.data.cls.find(dunder)
        if method is not None:
            return it.call(method, [left, right], {})
    notes: set[str] = set(assumed)
    a, b = plain(left, notes, it.budget), plain(right, notes, it.budget)
    it.budget.pass_over(min(weight(a), weight(b)))
    try:
        return Value(bool(function(a, b)), noted(notes))
    except PYTHON_ERRORS as error:
        raise CannotEvaluate(str(error), fault=True) from None


def identical(a: Any, b: Any) -> bool | None:
    """``is``; None where the answer is an accident of the implementation."""
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if a is b:
        return True
    if isinstance(a, (DynVar, DimExpr, LibraryName)):
        return None if a == b else False
    if is_scalar(a) and is_scalar(b):
        return None if type(a) is type(b) and a == b else False
    if isinstance(a, tuple) and isinstance(b, tuple):
        return None
    return False


def equals(it: Interpreter, left: Value, right: Value, assumed: set[str]) -> bool | None:
    """``==``; None when it depends on an unknown part. Dataclasses compare by fields."""
    it.budget.spend()
    assumed |= left.assumed | right.assumed
    if first_unknown(left, right) is not None:
        return None
    a, b = scalar_of(left.data), scalar_of(right.data)
    if a is b:
        return True
    if isinstance(a, SCALARS) and isinstance(b, SCALARS):
        return bool(a == b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _all_equal(it, a, b, assumed)
    if isinstance(a, ListData) and isinstance(b, ListData):
        return _all_equal(it, a.items, b.items, assumed)
    if isinstance(a, SetData) and isinstance(b, SetData):
        return a.items.keys() == b.items.keys()
    if isinstance(a, DictData) and isinstance(b, DictData):
        if a.items.keys() != b.items.keys():
            return False
        return _all_equal(it, [v for _, v in a.items.values()], [b.items[k][1] for k in a.items], assumed)
    if isinstance(a, InstanceData) and isinstance(b, InstanceData):
        return _instances_equal(it, left, right, assumed)
    if isinstance(a, InstanceData) or isinstance(b, InstanceData):
        owner = a if isinstance(a, InstanceData) else b
        return None if owner.cls.find("__eq__") is not None else False
    try:
        return bool(a == b)
    except PYTHON_ERRORS:
        return None


def _all_equal(it: Interpreter, a: Iterable[Value], b: Iterable[Value], assumed: set[str]) -> bool | None:
    xs, ys = list(a), list(b)
    it.budget.pass_over(len(xs) + len(ys))
    if len(xs) != len(ys):
        return False
    result: bool | None = True
    for x, y in zip(xs, ys, strict=True):
        same = equals(it, x, y, assumed)
        if same is False:
            return False
        if same is None:
            result = None
    return result


def _instances_equal(it: Interpreter, left: Value, right: Value, assumed: set[str]) -> bool | None:
    a, b = left.data, right.data
    method = a.cls.find("__eq__")
    if method is not None:
        answer = it.call(method, [left, right], {})
        assumed |= answer.assumed
        return it.truth(answer)
    if a.cls is not b.cls or a.cls.kind not in (ClassKind.DATACLASS, ClassKind.NAMED_TUPLE):
        return False
    names = [f.name for f in a.cls.fields if f.compare]
    missing = Value(Unknown("the field is missing"))
    return _all_equal(
        it,
        [a.attributes.get(n, missing) for n in names],
        [b.attributes.get(n, missing) for n in names],
        assumed,
    )


def contains(it: Interpreter, container: Value, item: Value) -> Value:
    """``item in container``."""
    blocked = first_unknown(container)
    if blocked is not None:
        return blocked
    data = container.data
    assumed = set(container.assumed | item.assumed)
    if isinstance(data, (DictData, SetData)):
        blocked = first_unknown(item)
        if blocked is not None:
            return blocked
        return Value(hashable(item, it.budget) in data.items, noted(assumed))
    if isinstance(data, (str, bytes, range)):
        needle = plain(item, assumed, it.budget)
        it.budget.pass_over(len(data))
        try:
            return Value(needle in data, noted(assumed))
        except PYTHON_ERRORS as error:
            raise CannotEvaluate(str(error), fault=True) from None
    special = it.contains_special(container, item)
    if special is not None:
        return special
    undecided = False
    for element in it.iterate(container):
        same = equals(it, element, item, assumed)
        if same:
            return Value(True, noted(assumed))
        undecided = undecided or same is None
    if undecided:
        raise CannotEvaluate("membership depends on an unknown value")
    return Value(False, noted(assumed))
