"""Rewrite rules written as text: ``rule("(x + c1) + c2", "x + (c1 + c2)")``.

A rule is a pair of scalar expressions in Python's own notation, read once with :mod:`ast` and compiled to closures.
``c``, ``c1``, ``c2``, ``c3`` match integer literals only; every other name matches any expression, and a name that
occurs twice must match equal expressions. A condition is a plain function whose parameter names say what it looks at:
a literal's name gives its value, any other name the constant interval of the matched operand, ``diff_x_y`` the interval
of ``x - y``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from pypto_core import ir
from pypto_core.arith import bounds
from pypto_core.arith.bounds import Interval
from pypto_core.arith.build import dtype_of, make_binary, make_unary
from pypto_core.arith.same import same_expr

Bindings = dict[str, ir.Expr]
Matcher = Callable[[ir.Expr, Bindings], bool]
Builder = Callable[[Bindings, ir.DataType, ir.Span], ir.Expr]
BoundOf = Callable[[ir.Expr], Interval]
Condition = Callable[..., bool]

_BINARY: dict[type[ast.AST], type[ir.BinaryExpr]] = {
    ast.Add: ir.Add,
    ast.Sub: ir.Sub,
    ast.Mult: ir.Mul,
    ast.FloorDiv: ir.FloorDiv,
    ast.Mod: ir.FloorMod,
    ast.Eq: ir.Eq,
    ast.NotEq: ir.Ne,
    ast.Lt: ir.Lt,
    ast.LtE: ir.Le,
    ast.Gt: ir.Gt,
    ast.GtE: ir.Ge,
    ast.And: ir.And,
    ast.Or: ir.Or,
}
_CALLS: dict[str, type[ir.BinaryExpr]] = {"min": ir.Min, "max": ir.Max}
_UNARY: dict[type[ast.AST], type[ir.UnaryExpr]] = {ast.Not: ir.Not, ast.USub: ir.Neg}


class _Node(NamedTuple):
    """One node of a parsed pattern: an operator with operands, or a leaf."""

    cls: type[ir.Expr] | None
    operands: tuple[_Node, ...]
    leaf: str | int | bool


def _read(node: ast.expr) -> _Node:
    if isinstance(node, ast.Name):
        return _Node(None, (), node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, bool)):
        return _Node(None, (), node.value)
    if isinstance(node, ast.BinOp):
        return _Node(_BINARY[type(node.op)], (_read(node.left), _read(node.right)), "")
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        return _Node(_BINARY[type(node.op)], (_read(node.values[0]), _read(node.values[1])), "")
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _Node(_BINARY[type(node.ops[0])], (_read(node.left), _read(node.comparators[0])), "")
    if isinstance(node, ast.UnaryOp):
        return _Node(_UNARY[type(node.op)], (_read(node.operand),), "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _Node(_CALLS[node.func.id], tuple(_read(a) for a in node.args), "")
    raise ValueError(f"not a pattern: {ast.dump(node)}")


def _is_literal_name(name: str) -> bool:
    return name[0] == "c"


def _match_leaf(leaf: str | int | bool) -> Matcher:
    if isinstance(leaf, bool):
        raise ValueError("a pattern matches no boolean literal")
    if isinstance(leaf, int):
        value = leaf

        def literal(expr: ir.Expr, _env: Bindings) -> bool:
            return type(expr) is ir.ConstInt and expr.value == value

        return literal
    name, needs_literal = leaf, _is_literal_name(leaf)

    def bind(expr: ir.Expr, env: Bindings) -> bool:
        if needs_literal and type(expr) is not ir.ConstInt:
            return False
        known = env.get(name)
        if known is None:
            env[name] = expr
            return True
        return same_expr(known, expr)

    return bind


def _matcher(node: _Node) -> Matcher:
    cls = node.cls
    if cls is None:
        return _match_leaf(node.leaf)
    if len(node.operands) == 1:
        inner = _matcher(node.operands[0])

        def unary(expr: ir.Expr, env: Bindings) -> bool:
            return type(expr) is cls and inner(expr.operand, env)  # type: ignore[attr-defined]

        return unary
    left, right = (_matcher(o) for o in node.operands)

    def binary(expr: ir.Expr, env: Bindings) -> bool:
        return type(expr) is cls and left(expr.left, env) and right(expr.right, env)  # type: ignore[attr-defined]

    return binary


def _builder(node: _Node) -> Builder:
    cls = node.cls
    if cls is None:
        leaf = node.leaf
        if isinstance(leaf, bool):
            truth = leaf
            return lambda _env, _dtype, span: ir.ConstBool(truth, span=span)
        if isinstance(leaf, int):
            value = leaf
            return lambda _env, dtype, span: ir.ConstInt(value, dtype, span=span)
        name = leaf
        return lambda env, _dtype, _span: env[name]
    if len(node.operands) == 1:
        unary_cls: type[ir.UnaryExpr] = cls  # type: ignore[assignment]
        inner = _builder(node.operands[0])
        return lambda env, dtype, span: make_unary(unary_cls, inner(env, dtype, span), span)
    binary_cls: type[ir.BinaryExpr] = cls  # type: ignore[assignment]
    left_node, right_node = node.operands
    build_left, build_right = _builder(left_node), _builder(right_node)
    # A literal written in a rule takes the dtype of the operand beside it.
    left_literal = isinstance(left_node.leaf, int) and left_node.cls is None
    right_literal = isinstance(right_node.leaf, int) and right_node.cls is None

    def build(env: Bindings, dtype: ir.DataType, span: ir.Span) -> ir.Expr:
        if left_literal:
            right = build_right(env, dtype, span)
            left = build_left(env, dtype_of(right) or dtype, span)
        else:
            left = build_left(env, dtype, span)
            right = build_right(env, (dtype_of(left) or dtype) if right_literal else dtype, span)
        return make_binary(binary_cls, left, right, span)

    return build


class Rule:
    """One rewrite; :meth:`apply` gives the replacement or None."""

    __slots__ = ("_build", "_condition", "_left", "_match", "_right", "_wanted", "cls", "text")

    def __init__(self, pattern: str, result: str, condition: Condition | None = None) -> None:
        self.text = f"{pattern} -> {result}"
        lhs = _read(ast.parse(pattern, mode="eval").body)
        assert lhs.cls is not None
        self.cls = lhs.cls
        self._left = lhs.operands[0].cls
        self._right = lhs.operands[1].cls if len(lhs.operands) == 2 else None
        self._match = _matcher(lhs)
        self._build = _builder(_read(ast.parse(result, mode="eval").body))
        self._condition = condition
        self._wanted: tuple[str, ...] = ()
        if condition is not None:
            code = condition.__code__
            self._wanted = code.co_varnames[: code.co_argcount]

    def apply(self, expr: ir.Expr, dtype: ir.DataType, bound_of: BoundOf) -> ir.Expr | None:
        """The right-hand side for ``expr`` (whose class is :attr:`cls`), None when the rule does not fire."""
        if isinstance(expr, ir.BinaryExpr):
            if self._left is not None and type(expr.left) is not self._left:
                return None
            if self._right is not None and type(expr.right) is not self._right:
                return None
        env: Bindings = {}
        if not self._match(expr, env):
            return None
        if self._condition is not None and not self._holds(env, bound_of):
            return None
        return self._build(env, dtype, expr.span)

    def _holds(self, env: Bindings, bound_of: BoundOf) -> bool:
        assert self._condition is not None
        return self._condition(*(self._fact(name, env, bound_of) for name in self._wanted))

    @staticmethod
    def _fact(name: str, env: Bindings, bound_of: BoundOf) -> int | Interval:
        if name.startswith("diff_"):
            left, right = name[5:].split("_")
            return bounds.sub(bound_of(env[left]), bound_of(env[right]))
        expr = env[name]
        if _is_literal_name(name):
            return expr.value  # type: ignore[attr-defined, no-any-return]
        return bound_of(expr)


def rule(pattern: str, result: str, condition: Condition | None = None) -> Rule:
    return Rule(pattern, result, condition)


def rules(patterns: str, result: str, condition: Condition | None = None) -> tuple[Rule, ...]:
    """Several arrangements (separated by ``|``) with one result."""
    return tuple(Rule(p.strip(), result, condition) for p in patterns.split("|"))
