"""Names of a kernel that stand for a dimension and are no value of the program: ``rows = x.shape[0]``, ``rows, cols = x.shape``,
``rows = pl.tensor.dim(x, 0)`` in an orchestration function, ``M = pl.dynamic("M")`` (docs/spec/language.md §2.4, §4.2)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from pypto_core.engine.locate import ProgramValues
from pypto_core.engine.scopes import Symbol
from pypto_core.engine.values import author_name
from pypto_core.frontend.partly_known import PartlyKnown
from pypto_core.frontend.syntax import int_literal, module_of
from pypto_core.ir import Expr, TensorType, TileType, Type


@dataclass(frozen=True, slots=True)
class Extent:
    """What such a name stands for: ``written`` on the right of its assignment, of ``tensor`` (empty for a symbol), and the dimension,
    None where the tensor has no known shape."""

    written: str
    tensor: str
    dim: Expr | None


def extent_of(values: ProgramValues, path: str, symbol: Symbol, line: int, column: int) -> Extent | None:
    """The dimension that a name means at a 0-based place; None for a name that is bound in another way there."""
    bound = [u for u in symbol.definitions if (u.span.line - 1, u.span.column - 1) <= (line, column)]
    chunk = bound[-1].span.chunk if bound else None
    text = dedent(chunk.text) if chunk is not None else ""
    node = _last_assignment(text, symbol.name)
    if node is None:
        return None
    written = ast.get_source_segment(text, node.value) or ""
    if _called(node.value) == "dynamic":
        return Extent(written, "", None)
    source = _source(node, symbol.name)
    if source is None:
        return None
    tensor, axis = source
    shape = _shape(values, path, tensor, line, column)
    if shape is not None and not -len(shape) <= axis < len(shape):
        return None
    return Extent(
        f"{written}[{axis}]" if isinstance(node.targets[0], ast.Tuple) else written,
        tensor,
        shape[axis] if shape is not None else None,
    )


def _last_assignment(text: str, name: str) -> ast.Assign | None:
    """The last assignment to ``name`` in a piece of a kernel; None where the piece does not parse."""
    try:
        tree = module_of(text)
    except SyntaxError:
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and name in _targets(n)]
    return max(found, key=lambda n: n.lineno, default=None)


def _targets(node: ast.Assign) -> Iterator[str]:
    for target in node.targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        yield from (part.id for part in parts if isinstance(part, ast.Name))


def _source(node: ast.Assign, name: str) -> tuple[str, int] | None:
    """The tensor and the axis that an assignment reads for ``name``."""
    value = node.value
    target = node.targets[0]
    if isinstance(target, ast.Tuple):
        tensor = _shape_base(value)
        places = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Name) and part.id == name]
        return (tensor, places[-1]) if tensor is not None else None
    if isinstance(value, ast.Subscript):
        tensor, axis = _shape_base(value.value), int_literal(value.slice)
    elif isinstance(value, ast.Call) and _called(value) == "dim" and len(value.args) == 2:
        first = value.args[0]
        tensor, axis = first.id if isinstance(first, ast.Name) else None, int_literal(value.args[1])
    else:
        return None
    return (tensor, axis) if tensor is not None and axis is not None else None


def _shape_base(node: ast.expr) -> str | None:
    """``x`` of ``x.shape``."""
    if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name):
        return node.value.id
    return None


def _called(node: ast.expr) -> str:
    """Last part of the name that is called."""
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _shape(values: ProgramValues, path: str, tensor: str, line: int, column: int) -> tuple[Expr, ...] | None:
    """Shape of what ``tensor`` means at a place: ``.shape`` reads a parameter, which is the oldest meaning of its name."""
    for function, _ in values.functions_at(path, line):
        for param in function.params:
            if author_name(param.name_hint) == tensor:
                return _dims(param.type)
    found = values.value(path, tensor, line, column, False)
    return _dims(found.type) if found is not None else None


def _dims(kind: Type) -> tuple[Expr, ...] | None:
    if isinstance(kind, PartlyKnown):
        return _dims(kind.like) if kind.like is not None else None
    return kind.shape if isinstance(kind, (TensorType, TileType)) else None
