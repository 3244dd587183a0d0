"""What a kernel sees of the Python around it (docs/spec/language.md §0, §5.2, §5.3).

The values come from the static evaluator; this module gives the questions that the readers of annotations and bodies
ask. A name is *missing* (None), known, or unknown; nothing may be reported that depends on an unknown value.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.values import (
    ClassData,
    DimExpr,
    DynVar,
    InstanceData,
    KernelFunction,
    ListData,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SetData,
    Unknown,
    Value,
    unknown,
)
from pypto_core.frontend.symbols import symbol_value
from pypto_core.frontend.syntax import SourceMap, dotted
from pypto_core.ir import DataType


class Closure(Protocol):
    """Values of outer names."""

    @property
    def complete(self) -> bool:
        """Whether a name that is not found does not exist (else nothing may be concluded from its absence)."""
        ...

    def lookup(self, name: str) -> Value | None:
        """Value of a name; None when there is none."""
        ...

    def evaluate(self, node: ast.expr) -> Value:
        """Value of an expression over outer names and effect-free builtins; Unknown when it has none. A fault of the
        expression itself (division by zero, a missing attribute) is an Unknown whose ``kind`` is ``"fault"``."""
        ...

    def names(self) -> Collection[str]:
        """Names that could have been meant."""
        ...

    def elsewhere(self, scope: Scope, source: SourceMap) -> Closure:
        """The closure of another scope, for annotations that are kept in names."""
        ...


class MappingClosure:
    """A closure over given Python values (a notebook's variables, a test); arithmetic and subscripts only."""

    def __init__(
        self, values: Mapping[str, Any], complete: bool = True, outer: Closure | None = None
    ) -> None:
        self._values = values
        self._complete = complete
        self._outer = outer

    @property
    def complete(self) -> bool:
        return self._complete and (self._outer is None or self._outer.complete)

    def lookup(self, name: str) -> Value | None:
        if name in self._values:
            found = self._values[name]
            return found if isinstance(found, Value) else Value(found)
        return self._outer.lookup(name) if self._outer is not None else None

    def names(self) -> Collection[str]:
        outer = self._outer.names() if self._outer is not None else ()
        return {*self._values, *outer}

    def elsewhere(self, scope: Scope, source: SourceMap) -> Closure:
        return self._outer.elsewhere(scope, source) if self._outer is not None else self

    def evaluate(self, node: ast.expr) -> Value:
        if self._outer is not None and not any(name in self._values for name in loaded_names(node)):
            return self._outer.evaluate(node)
        return _Evaluator(self).value(node)


def bound_closure(closure: Closure, values: Mapping[str, Value]) -> Closure:
    """``closure`` with a few more names; expressions that use them are evaluated over plain numbers."""
    return MappingClosure(values, outer=closure)


class _Evaluator:
    """Literals, names, arithmetic, attributes of symbols and subscripts of sequences."""

    def __init__(self, closure: Closure) -> None:
        self.closure = closure

    def value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return Value(node.value)
        if isinstance(node, ast.Name):
            found = self.closure.lookup(node.id)
            return found if found is not None else unknown(f"'{node.id}' is not defined", node.id)
        if isinstance(node, ast.Attribute):
            path = dotted(node)
            symbol = symbol_value(path) if path is not None else None
            return Value(symbol) if symbol is not None else unknown("an attribute", kind=None)
        if isinstance(node, ast.Tuple | ast.List):
            return Value(tuple(self.value(e) for e in node.elts))
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            operands = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
            return self._arithmetic(node, [self.value(o) for o in operands])
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node)
        if isinstance(node, ast.Subscript):
            base, index = self.value(node.value), self.value(node.slice)
            if isinstance(base.data, tuple) and type(index.data) is int:
                try:
                    return base.data[index.data]  # type: ignore[no-any-return]
                except IndexError as error:
                    return unknown(str(error), kind="fault")
        return unknown("not evaluated here")

    def _compare(self, node: ast.Compare) -> Value:
        left, right = self.value(node.left), self.value(node.comparators[0])
        test = _COMPARISONS.get(type(node.ops[0]))
        if test is None or not all(isinstance(v.data, bool | int | float | str) for v in (left, right)):
            return unknown("not compared here")
        try:
            return Value(test(left.data, right.data))
        except TypeError as error:
            return unknown(str(error), kind="fault")

    def _boolean(self, node: ast.BoolOp) -> Value:
        stop = isinstance(node.op, ast.Or)
        result = unknown("empty")
        for operand in node.values:
            result = self.value(operand)
            if result.is_unknown or bool(result.data) is stop:
                return result
        return result

    def _arithmetic(self, node: ast.BinOp | ast.UnaryOp, operands: Sequence[Value]) -> Value:
        values = []
        for operand in operands:
            if operand.is_unknown:
                return operand
            values.append(operand.data)
        if any(isinstance(v, DynVar | DimExpr) for v in values):
            sign = _DIM_OPERATORS.get(type(node.op))
            return (
                Value(DimExpr(sign, tuple(values)))
                if sign is not None
                else unknown("no dimension arithmetic")
            )
        if not all(isinstance(v, bool | int | float) for v in values):
            return unknown("not a number")
        try:
            return Value(_OPERATORS[type(node.op)](*values))
        except (ArithmeticError, ValueError, TypeError, KeyError, MemoryError) as error:
            return unknown(str(error), kind="fault")


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1 and abs(exponent) > 4096:
        raise ValueError("power too large")
    return base**exponent


def _shift(value: Any, count: Any) -> Any:
    if isinstance(count, int) and count > 4096:
        raise ValueError("shift too large")
    return value << count


_OPERATORS: dict[type[ast.AST], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.USub: lambda a: -a,
    ast.UAdd: lambda a: +a,
    ast.Invert: lambda a: ~a,
    ast.Not: lambda a: not a,
}
_COMPARISONS: dict[type[ast.cmpop], Any] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_DIM_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.USub: "neg",
}


def loaded_names(node: ast.AST) -> Iterator[str]:
    """Names that an expression reads, bound comprehension variables included."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id


def is_fault(value: Value) -> bool:
    """Whether the expression itself is wrong, as opposed to unknown."""
    return isinstance(value.data, Unknown) and value.data.kind == "fault"


def attribute_names(value: Value) -> set[str]:
    """Attributes that an object or a class of the user has."""
    data = value.data
    own = set(data.attributes) if isinstance(data, InstanceData) else set()
    cls = data.cls if isinstance(data, InstanceData) else data
    pending = [cls] if isinstance(cls, ClassData) else []
    while pending:
        cls = pending.pop()
        own.update(cls.namespace)
        pending.extend(cls.bases)
    return {name for name in own if not name.startswith("__")}


def sequence(value: Value) -> Sequence[Value] | None:
    """Elements of a list or tuple, None for anything else."""
    data = value.data
    if isinstance(data, tuple):
        return data
    if isinstance(data, ListData) and data.lost is None:
        return data.items
    if isinstance(data, range):
        return [Value(i) for i in data] if len(data) <= 100_000 else None
    return None


def plain(value: Value) -> Any:
    """A value as an operator's keyword takes it: Python scalars, dtypes, enumeration members and lists of them as they
    are; None for the Python ``None``. Anything else is the value itself."""
    data = value.data
    if data is None or isinstance(data, bool | int | float | str | DataType | Enum):
        return data
    elements = sequence(value)
    if elements is not None:
        return [plain(e) for e in elements]
    return value


def describe(value: Value) -> str:
    """The kind of a value in words."""
    data = value.data
    if isinstance(data, DataType):
        return f"the dtype pl.{data.printed}"
    if isinstance(data, Enum):
        return f"{type(data).__name__}.{data.name}"
    if isinstance(data, ListData):
        return "a list"
    if isinstance(data, SetData):
        return "a set"
    if data is None:
        return "None"
    if type(data) is int and not -(2**63) <= data < 2**64:
        return "a number of more than 64 bits"
    return {
        bool: "a bool",
        int: "an int",
        float: "a float",
        str: "a string",
        bytes: "bytes",
        tuple: "a tuple",
        KernelFunction: "a kernel",
        ProgramClass: "a program",
        PlSymbol: "a name of the language",
        PyFunction: "a function",
        ClassData: "a class",
    }.get(type(data), f"a {type(data).__name__.removesuffix('Data').removesuffix('Value').lower()}")
