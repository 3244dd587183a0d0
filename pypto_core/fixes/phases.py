"""What kind of work a statement is, as far as its text says: cube, vector, or a plain store of a value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache

from pypto_core.fixes.tree import SourceTree, bound_value, call_name, pl_path
from pypto_core.ops.dsl import find_callable
from pypto_core.ops.registry import find_op

#: Operators that move, make or address data: which core runs them depends on their operands.
_PLACELESS = frozenset(
    {
        "load", "store", "move", "assemble", "slice", "create", "create_tensor", "read", "write", "dim", "alloc",
        "reshape", "reinterpret_view", "view", "transpose", "set_validshape", "extract", "insert", "full",
        "aiv_shard", "aic_gather", "get_subblock_idx", "get_block_idx", "get_block_num", "const",
    }
)  # fmt: skip


def is_cube(stmt: ast.AST) -> bool:
    """Whether a statement multiplies matrices."""
    return any("matmul" in name or name.startswith("gemv") for n in ast.walk(stmt) if (name := call_name(n)))


def is_vector(stmt: ast.stmt) -> bool:
    """Whether a statement only binds results of vector operators."""
    value = bound_value(stmt)
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)] if value is not None else []
    return bool(calls) and all(_vector_path(pl_path(c)) for c in calls)


@cache
def _vector_path(path: str) -> bool:
    callee = find_callable(path) if path else None
    if callee is None or callee.construct or callee.name in _PLACELESS:
        return False
    if "matmul" in callee.name or callee.name.startswith("gemv"):
        return False
    return any(op.startswith(("tensor.", "tile.")) and find_op(op) is not None for op in callee.operators)


def is_tensor_work(stmt: ast.stmt) -> bool:
    """Whether a statement only binds results of tensor operators that some core computes."""
    value = bound_value(stmt)
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)] if value is not None else []
    return bool(calls) and all(_vector_path(pl_path(c)) or is_cube(c) for c in calls)


def phase(tree: SourceTree, stmt: ast.stmt, belongs: Callable[[ast.stmt], bool]) -> tuple[ast.stmt, ast.stmt]:
    """The run of neighbours around ``stmt`` that are the same kind of work."""
    block = tree.block(stmt)
    first = last = block.index(stmt)
    while first and belongs(block[first - 1]):
        first -= 1
    while last + 1 < len(block) and belongs(block[last + 1]):
        last += 1
    return block[first], block[last]


def stores_of(stmt: ast.stmt) -> set[str]:
    """Names whose whole value a statement writes to memory as it is: ``out[...] = x``, ``pl.store(x, ...)``."""
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Subscript):
        return {stmt.value.id} if isinstance(stmt.value, ast.Name) else set()
    value = stmt.value if isinstance(stmt, ast.Expr) else bound_value(stmt)
    if isinstance(value, ast.Call):
        place = {"store": 0, "assemble": 1}.get(call_name(value))
        if place is not None and len(value.args) > place:
            stored = value.args[place]
            return {stored.id} if isinstance(stored, ast.Name) else set()
    return set()
