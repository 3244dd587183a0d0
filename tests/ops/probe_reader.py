"""Reads the types and values that the catalogue documents write in their tables of probes."""

from __future__ import annotations

import ast
from typing import Any

from pypto_core import ir
from pypto_core.ops.dsl import find_constant

N = ir.Var("n", ir.ScalarType.of(ir.DataType.INDEX))
I = ir.Var("i", ir.ScalarType.of(ir.DataType.INDEX))  # noqa: E741
NAMES = {"n": N, "i": I}


def _path(node: ast.expr) -> str:
    return ast.unparse(node)


def expr(node: ast.expr) -> ir.Expr:
    """A dimension or scalar argument."""
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, (ast.Constant, ast.UnaryOp)):
        return ir.as_expr(ast.literal_eval(node))
    if isinstance(node, (ast.List, ast.Tuple)):
        return ir.MakeTuple(tuple(expr(e) for e in node.elts))
    if isinstance(node, ast.BinOp):
        tags = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv"}
        return ir.make_binary(tags[type(node.op)], expr(node.left), expr(node.right))
    if isinstance(node, ast.Call):
        name = _path(node.func)
        if name == "pl.const":
            dtype = find_constant(_path(node.args[1]))
            value = ast.literal_eval(node.args[0])
            return ir.ConstFloat(value, dtype) if isinstance(value, float) else ir.ConstInt(value, dtype)
        if name in ("pl.min", "pl.max"):
            return ir.make_binary(name[3:], expr(node.args[0]), expr(node.args[1]))
    raise ValueError(ast.dump(node))


def _dims(node: ast.expr) -> tuple[ir.Expr, ...]:
    assert isinstance(node, ast.List)
    return tuple(expr(e) for e in node.elts)


def _tensor_view(node: ast.Call) -> ir.TensorView:
    fields: dict[str, Any] = {}
    for keyword in node.keywords:
        assert keyword.arg is not None
        value = keyword.value
        fields[keyword.arg] = _dims(value) if isinstance(value, ast.List) else find_constant(_path(value))
    return ir.TensorView(**fields)


def _tile_view(node: ast.Call) -> ir.TileView:
    fields: dict[str, Any] = {}
    for keyword in node.keywords:
        assert keyword.arg is not None
        value = keyword.value
        fields[keyword.arg] = (
            _dims(value)
            if isinstance(value, ast.List)
            else value.value
            if isinstance(value, ast.Constant)
            else find_constant(_path(value))
        )
    return ir.TileView(**fields)


def read_type(text: str) -> ir.Type:
    """``pl.Tensor[[64, n], pl.FP32, TensorView(valid_shape=[60, n], ND)]`` and its relatives."""
    text = text.replace("TensorView(ND", "TensorView(layout=pl.TensorLayout.ND").replace(
        ", ND", ", layout=pl.TensorLayout.ND"
    )
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Attribute):
        return ir.SINGLETON_TYPES[ast.unparse(node)]
    assert isinstance(node, ast.Subscript)
    head = _path(node.value)
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head == "pl.Scalar":
        return ir.ScalarType.of(find_constant(_path(inside[0])))
    if head == "pl.Array":
        return ir.ArrayType(find_constant(_path(inside[1])), expr(inside[0]))
    shape, dtype = _dims(inside[0]), find_constant(_path(inside[1]))
    rest = inside[2:]
    if head == "pl.Tile":
        space = next((find_constant(_path(r)) for r in rest if isinstance(r, ast.Attribute)), None)
        view = next((_tile_view(r) for r in rest if isinstance(r, ast.Call)), None)
        return ir.TileType(shape, dtype, None, view, space)
    view = next((_tensor_view(r) for r in rest if isinstance(r, ast.Call)), None)
    if head == "pld.DistributedTensor":
        return ir.DistributedTensorType(shape, dtype, None, view)
    assert head == "pl.Tensor", head
    return ir.TensorType(shape, dtype, None, view)


def read_argument(text: str, name: str) -> ir.Expr:
    """An argument column: a type stands for a variable of that type, anything else for itself."""
    text = text.strip()
    if text.startswith(("pl.Tensor", "pl.Tile", "pld.Distr", "pl.Scalar", "pl.Array")):
        return ir.Var(name, read_type(text))
    return expr(ast.parse(text, mode="eval").body)
