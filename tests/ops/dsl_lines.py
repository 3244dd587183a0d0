"""A small evaluator for one line of the language, enough to exercise the resolver without the frontend.

Positional literals become constant expressions, keyword literals stay Python values: what the frontend hands over.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from pypto_core import ir
from pypto_core.ops.dsl import find_constant, resolve_dsl_call

_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod"}
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


class Line:
    """Evaluates expressions over ``env`` (name -> IR expression)."""

    def __init__(
        self,
        text: str,
        env: Mapping[str, ir.Expr],
        *,
        region: ir.SplitMode | None = None,
        printed: bool = False,
    ) -> None:
        self.chunk = ir.Chunk("k.py", text)
        self.env = env
        self.region = region
        self.printed = printed
        self.tree = ast.parse(text).body[0]

    def span(self, node: ast.AST) -> ir.Span:
        assert isinstance(node, ast.expr) and node.end_col_offset is not None
        return ir.Span(self.chunk, node.col_offset, node.end_col_offset)

    @property
    def target(self) -> str | None:
        if isinstance(self.tree, ast.Assign) and isinstance(self.tree.targets[0], ast.Name):
            return self.tree.targets[0].id
        return None

    def value(self) -> ir.Expr:
        """The expression of the statement."""
        assert isinstance(self.tree, (ast.Assign, ast.AnnAssign, ast.Expr)) and self.tree.value is not None
        result = self.expr(self.tree.value)
        assert isinstance(result, ir.Expr)
        return result

    def statement(self) -> ir.Stmt:
        """The statement with a variable of the deduced type."""
        value = self.value()
        if isinstance(self.tree, ast.Expr):
            return ir.EvalStmt(value)
        return ir.AssignStmt(ir.Var(self.target or "_tuple_tmp", value.type), value)

    def expr(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self.env[node.id]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.expr(e) for e in node.elts]
        if isinstance(node, ast.Constant):
            return ir.as_expr(node.value, self.span(node))
        if isinstance(node, ast.UnaryOp):
            return ir.as_expr(ast.literal_eval(node), self.span(node))
        if isinstance(node, ast.BinOp):
            return ir.make_binary(_BINARY[type(node.op)], self.expr(node.left), self.expr(node.right))
        if isinstance(node, ast.Compare):
            return ir.make_binary(
                _COMPARE[type(node.ops[0])], self.expr(node.left), self.expr(node.comparators[0])
            )
        if isinstance(node, ast.Attribute):
            path = ast.unparse(node)
            return math.inf if path == "math.inf" else find_constant(path)
        assert isinstance(node, ast.Call), ast.dump(node)
        return self.call(node)

    def keyword(self, node: ast.expr) -> Any:
        try:
            return ast.literal_eval(node)
        except ValueError:
            return self.expr(node)

    def call(self, node: ast.Call) -> ir.Expr:
        path = ast.unparse(node.func)
        if path == "pl.const":
            dtype = find_constant(ast.unparse(node.args[1]))
            value = ast.literal_eval(node.args[0])
            return ir.ConstFloat(value, dtype) if isinstance(value, float) else ir.ConstInt(value, dtype)
        keywords = {k.arg: self.keyword(k.value) for k in node.keywords if k.arg is not None}
        return resolve_dsl_call(
            path,
            [self.expr(a) for a in node.args],
            keywords,
            span=self.span(node),
            arg_spans=[self.span(a) for a in node.args],
            keyword_spans={k.arg: self.span(k.value) for k in node.keywords if k.arg is not None},
            region_split=self.region,
            target_name=self.target,
            printed=self.printed,
        )


def environment(dtype: str = "FP32", index: str = "INT32") -> dict[str, ir.Expr]:
    """The variables that the catalogue's examples use."""
    dt, it, d = ir.DataType.by_name[dtype], ir.DataType.by_name[index], ir.DataType
    vec = ir.MemorySpace.Vec

    def tensor(rows: int, cols: int, element: ir.DataType) -> ir.Type:
        return ir.TensorType((ir.as_dim(rows), ir.as_dim(cols)), element)

    def tile(rows: int, cols: int, element: ir.DataType) -> ir.Type:
        return ir.TileType((ir.as_dim(rows), ir.as_dim(cols)), element, None, None, vec)

    def window(rows: int, cols: int, element: ir.DataType) -> ir.Type:
        return ir.DistributedTensorType((ir.as_dim(rows), ir.as_dim(cols)), element)

    types: dict[str, ir.Type] = {
        "x": tensor(64, 64, dt),
        "y": tensor(64, 64, dt),
        "r1": tensor(64, 1, dt),
        "c1": tensor(1, 64, dt),
        "idx": tensor(64, 64, it),
        "s": ir.ScalarType.of(dt),
        "k": ir.ScalarType.of(d.INDEX),
        "acc": tensor(64, 64, d.FP32),
        **{name: tile(64, 64, dt) for name in ("a", "b", "tmp", "ta")},
        "tr": tile(64, 1, dt),
        "tc": tile(1, 64, dt),
        "ti": tile(64, 64, it),
        "d": window(64, 64, d.FP32),
        "e": window(64, 64, d.FP32),
        "sg": window(16, 1, d.INT32),
        "buf": ir.PTR,
        "c": ir.COMM_CTX,
    }
    return {name: ir.Var(name, t) for name, t in types.items()}
