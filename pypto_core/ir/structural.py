"""Structural equality and hash (docs/spec/ir.md §5).

Variables are compared by the mapping that definitions set up; spans, comments, name hints of variables, names of functions and programs and
memory references of types do not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

from pypto_core.ir import expr as E
from pypto_core.ir import stmt as S
from pypto_core.ir.basic_types import ScalarType, SingletonType
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.dtype import DataType
from pypto_core.ir.node import Expr, Node, Type
from pypto_core.ir.printer import print_ir
from pypto_core.ir.program import Function, Program
from pypto_core.ir.types import TensorType, TileType

_IGNORED = frozenset({"span", "leading_comments", "name", "name_hint", "memref"})
#: Fields that define variables; everything else uses them.
_DEFINITIONS: dict[type, frozenset[str]] = {
    S.AssignStmt: frozenset({"var"}),
    S.IfStmt: frozenset({"return_vars"}),
    S.ForStmt: frozenset({"loop_var", "iter_args", "return_vars"}),
    S.WhileStmt: frozenset({"iter_args", "return_vars"}),
    Function: frozenset({"params"}),
}
_NONE: frozenset[str] = frozenset()
#: Comparison order where it differs from the constructor's (§1.7: return vars of an if come last there too).
_ORDER: dict[type, tuple[str, ...]] = {
    Function: (
        "params",
        "param_directions",
        "func_type",
        "level",
        "role",
        "attrs",
        "requires_runtime_binding",
        "return_types",
        "body",
    ),
    E.Call: ("op", "args", "attrs", "kwargs", "type"),
    E.Submit: (
        "op", "args", "deps", "core_num", "sync_start", "allow_early_resolve", "predicate", "attrs", "kwargs", "type",
    ),
    **{cls: ("name_hint", *(f.name for f in fields(cls) if f.name not in _IGNORED)) for cls in S.SCOPE_CLASSES},
}  # fmt: skip


def _compared_fields(cls: type) -> tuple[str, ...]:
    found = _ORDER.get(cls)
    if found is None:
        found = tuple(f.name for f in fields(cls) if f.init and f.name not in _IGNORED)
        _ORDER[cls] = found
    return found


class _Mismatch(Exception):
    """Raised at the first difference; ``path`` is filled from the inside out."""

    def __init__(self, reason: str, left: Any, right: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.left = left
        self.right = right
        self.path: list[str] = []


class _Comparison:
    def __init__(self, auto_mapping: bool) -> None:
        self.auto = auto_mapping
        self.forward: dict[Expr, Expr] = {}
        self.backward: dict[Expr, Expr] = {}

    def equal(self, left: Any, right: Any) -> None:
        if left is right:
            return
        if left is None or right is None:
            raise _Mismatch("One side is missing", left, right)
        kind = left.__class__
        if kind is not right.__class__:
            raise _Mismatch(f"Node type mismatch ({_kind_name(left)} != {_kind_name(right)})", left, right)
        if kind is E.Var or kind is E.IterArg:
            self._variable(left, right)
            if kind is E.IterArg:
                self._field("init_value", left.init_value, right.init_value)
        elif isinstance(left, Type):
            self.types(left, right)
        elif kind is E.ConstInt:
            if left.value != right.value:
                raise _Mismatch(f"int64_t value mismatch ({left.value} != {right.value})", left, right)
            self.types(left.type, right.type, index_is_int64=True)
        elif kind is S.IfStmt:
            self._branch(left, right, kind)
        else:
            self._node(left, right, kind)

    @goes_deep
    def _branch(self, left: S.IfStmt, right: S.IfStmt, kind: type) -> None:
        self._node(left, right, kind)

    def _node(self, left: Any, right: Any, kind: type) -> None:
        definitions = _DEFINITIONS.get(kind, _NONE)
        transparent = kind is Program or kind is S.SeqStmts
        for name in _compared_fields(kind):
            a, b = getattr(left, name), getattr(right, name)
            if name in definitions:
                outer, self.auto = self.auto, True
                try:
                    if name == "loop_var":
                        self._loop_var(a, b)
                    else:
                        self._field(name, a, b, transparent)
                finally:
                    self.auto = outer
            else:
                self._field(name, a, b, transparent)

    def _field(self, name: str, left: Any, right: Any, transparent: bool = False) -> None:
        try:
            self._value(name, left, right)
        except _Mismatch as mismatch:
            if not transparent:
                mismatch.path.append(f".{name}")
            raise

    def _value(self, name: str, left: Any, right: Any) -> None:
        if left is right:
            return
        if left.__class__ is tuple:
            self._sequence(left, right)
        elif isinstance(left, Node) or isinstance(right, Node):
            self.equal(left, right)
        elif isinstance(left, E.Op):
            if left.name != right.name:
                raise _Mismatch(f"Operator name mismatch ('{left.name}' != '{right.name}')", left, right)
        elif isinstance(left, Mapping):
            self._map(name, left, right)
        elif left != right or left.__class__ is not right.__class__:
            raise _Mismatch(f"{name} mismatch ({_leaf(left)} != {_leaf(right)})", left, right)

    def _sequence(self, left: Any, right: Any) -> None:
        if len(left) != len(right):
            raise _Mismatch(f"Vector size mismatch ({len(left)} items != {len(right)} items)", None, None)
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            try:
                if isinstance(a, Function) and isinstance(b, Function) and a.name != b.name:
                    raise _Mismatch(f"Function name mismatch ('{a.name}' != '{b.name}')", a, b)
                self._value("element", a, b)
            except _Mismatch as mismatch:
                key = f"['{a.name}']" if isinstance(a, Function) else f"[{i}]"
                mismatch.path.append(key)
                raise

    def _map(self, name: str, left: Mapping[str, Any], right: Mapping[str, Any]) -> None:
        label = "Kwargs" if name == "kwargs" else "Attrs"
        if len(left) != len(right):
            raise _Mismatch(f"{label} size mismatch ({len(left)} != {len(right)})", None, None)
        for key, a in left.items():
            if key not in right:
                raise _Mismatch(f"{label} key mismatch: '{key}' is missing", None, None)
            b = right[key]
            same_kind = a.__class__ is b.__class__ or (isinstance(a, Expr) and isinstance(b, Expr))
            if not same_kind:
                raise _Mismatch(f"{label} value mismatch for key '{key}'", a, b)
            if isinstance(a, (tuple, list)):
                self._sequence(a, b)
            elif isinstance(a, Node):
                self.equal(a, b)
            elif a != b:
                raise _Mismatch(f"{label} value mismatch for key '{key}'", a, b)

    def _variable(self, left: Expr, right: Expr, index_is_int64: bool = False) -> None:
        mapped, back = self.forward.get(left), self.backward.get(right)
        if mapped is not None or back is not None:
            if mapped is right and back is left:
                return
            raise _Mismatch("Variable mapping conflict", left, right)
        if not self.auto:
            if left is not right:
                raise _Mismatch("Variable pointer mismatch (without auto-mapping)", left, right)
            return
        self.types(left.type, right.type, index_is_int64)
        self.forward[left] = right
        self.backward[right] = left

    def _loop_var(self, left: E.Var, right: E.Var) -> None:
        if left is right:
            return
        try:
            self._variable(left, right, index_is_int64=True)
        except _Mismatch as mismatch:
            mismatch.path.append(".loop_var")
            raise

    def types(self, left: Type, right: Type, index_is_int64: bool = False) -> None:
        if left is right:
            return
        if left.__class__ is not right.__class__:
            raise _Mismatch(f"Type mismatch ({_kind_name(left)} != {_kind_name(right)})", left, right)
        if isinstance(left, ScalarType) and isinstance(right, ScalarType):
            if left.dtype is right.dtype or (index_is_int64 and {left.dtype, right.dtype} == _INDEX_64):
                return
            raise _Mismatch(f"dtype mismatch ({left.dtype.text} != {right.dtype.text})", left, right)
        if isinstance(left, SingletonType):
            raise _Mismatch("Type mismatch", left, right)
        if isinstance(left, (TensorType, TileType)) and isinstance(right, (TensorType, TileType)):
            name = left.__class__.__name__
            if len(left.shape) != len(right.shape):
                ranks = f"({len(left.shape)} != {len(right.shape)})"
                raise _Mismatch(f"{name} shape rank mismatch {ranks}", left, right)
            view = "tensor_view" if isinstance(left, TensorType) else "tile_view"
            if (getattr(left, view) is None) is not (getattr(right, view) is None):
                raise _Mismatch(f"{name} {view} presence mismatch", left, right)
            if isinstance(left, TileType) and left.memory_space is not right.memory_space:
                raise _Mismatch(f"{name} memory_space mismatch", left, right)
        self._node(left, right, left.__class__)


_INDEX_64 = {DataType.INDEX, DataType.INT64}


def _kind_name(node: Any) -> str:
    return node.name if isinstance(node, SingletonType) else type(node).__name__


def _leaf(value: Any) -> str:
    return value.name if isinstance(value, IntEnum) else str(value)


def structural_equal(left: Node, right: Node, enable_auto_mapping: bool = False) -> bool:
    """True when both nodes (or types) are the same up to renaming of the variables they define."""
    try:
        _Comparison(enable_auto_mapping).equal(left, right)
    except _Mismatch:
        return False
    return True


def assert_structural_equal(left: Node, right: Node, enable_auto_mapping: bool = False) -> None:
    """Raise ``ValueError`` with the path to the first difference, both sides printed, and the reason (§5.5)."""
    try:
        _Comparison(enable_auto_mapping).equal(left, right)
    except _Mismatch as mismatch:
        path = "".join(reversed(mismatch.path)).removeprefix(".")
        lines = [f"Structural equality assertion failed at: {path}", ""]
        for title, side in (("Left", mismatch.left), ("Right", mismatch.right)):
            if isinstance(side, Node):
                text = "\n".join("  " + line for line in print_ir(side).split("\n"))
                lines.append(f"{title}-hand side:\n{text}")
        lines += ["", f"Reason: {mismatch.reason}"]
        raise ValueError("\n".join(lines)) from None


# ---------------------------------------------------------------------------------------------------------------- hash
_hashes: WeakKeyDictionary[Node, int] = WeakKeyDictionary()


class _Hasher:
    """Bound variables hash as their order of definition, free ones by identity (or by order with auto-mapping)."""

    def __init__(self, auto_mapping: bool) -> None:
        self.auto = auto_mapping
        self.numbers: dict[Node, int] = {}

    def of(self, value: Any) -> int:
        if value.__class__ is tuple or value.__class__ is list:
            return hash(tuple([self.of(item) for item in value]))
        if isinstance(value, Node):
            return self._branch(value) if value.__class__ is S.IfStmt else self._node(value)
        if isinstance(value, E.Op):
            return hash(value.name)
        if isinstance(value, Mapping):
            return hash(frozenset((k, self._attr(v)) for k, v in value.items()))
        if isinstance(value, DataType):
            return hash(DataType.INDEX.code if value is DataType.INT64 else value.code)
        return hash((value.__class__.__name__, value))

    def _attr(self, value: Any) -> int:
        if isinstance(value, Expr) or (
            isinstance(value, (tuple, list)) and any(isinstance(v, Expr) for v in value)
        ):
            return 0
        return self.of(value)

    @goes_deep
    def _branch(self, node: Node) -> int:
        return self._node(node)

    def _node(self, node: Node) -> int:
        cls = node.__class__
        if cls is E.Var or cls is E.IterArg:
            number = self.numbers.get(node)
            if number is None:
                if not self.auto:
                    return hash(node)
                number = self.numbers.setdefault(node, len(self.numbers))
            return hash(("var", number))
        definitions = _DEFINITIONS.get(cls, _NONE)
        parts: list[int] = [hash(cls.__name__)]
        for name in _compared_fields(cls):
            value = getattr(node, name)
            if name in definitions:
                for var in value if value.__class__ is tuple else (value,):
                    self.numbers.setdefault(var, len(self.numbers))
                    parts.append(self.of(var.type))
                    if var.__class__ is E.IterArg:
                        parts.append(self.of(var.init_value))
            else:
                parts.append(self.of(value))
        return hash(tuple(parts))


def structural_hash(node: Node, enable_auto_mapping: bool = False) -> int:
    """Equal nodes have equal hashes; stable within a process, remembered per node."""
    if enable_auto_mapping:
        return _Hasher(True).of(node)
    found = _hashes.get(node)
    if found is None:
        found = _Hasher(False).of(node)
        _hashes[node] = found
    return found
