"""Matrix products: C-MATMUL, C-MATMUL-ACC (docs/spec/passes_tensor_to_tile.md §1.5, §1.7).

Operands still in global memory have been bridged into Mat before the converter runs. All keywords are dropped: the
accumulator is FP32 or INT32 and the store narrows it.
"""

from __future__ import annotations

from pypto_core.ir import Expr, TensorType, TileType, Var
from pypto_core.passes.tensor_to_tile.lowering import MAT, Converter, Lowering


def _rank(expr: Expr) -> int:
    kind = expr.type
    return kind.rank if isinstance(kind, (TileType, TensorType)) else 0


def _operand(low: Lowering, index: int, transposed: bool) -> Expr:
    """Operand ``index``, seen transposed when asked; only a transposed operand is moved into Mat first."""
    operand = low.args[index]
    kind = operand.type
    if not transposed or not isinstance(kind, TileType):
        return operand
    name = operand.name_hint if isinstance(operand, Var) else f"bridged_{index}"
    if kind.memory_space is not MAT:
        name = f"{name}_mat"
        operand = low.let(name, low.op("tile.move", operand, target_memory=MAT))
    return low.let(f"{name}_t", low.op("tile.transpose_view", operand))


def matmul(low: Lowering) -> Expr:
    """C-MATMUL: ``tile.matmul``, or ``tile.batch_matmul`` when an operand has more than two dimensions."""
    lhs = _operand(low, 0, bool(low.kwargs.get("a_trans", False)))
    rhs = _operand(low, 1, bool(low.kwargs.get("b_trans", False)))
    batched = _rank(lhs) > 2 or _rank(rhs) > 2
    return low.op("tile.batch_matmul" if batched else "tile.matmul", lhs, rhs)


def matmul_acc(low: Lowering) -> Expr:
    """C-MATMUL-ACC: the accumulator is used where it is; ``init_cond`` becomes a fourth operand (2-D only)."""
    acc, init_cond = low.args[0], low.args[3:]
    ranks = [_rank(operand) for operand in low.args[:3]]
    if max(ranks) > 2 and init_cond:
        low.fail(
            "op-rank",
            f"tensor.matmul_acc does not support init_cond on operands of rank > 2 "
            f"(got acc rank {ranks[0]}, lhs rank {ranks[1]}, rhs rank {ranks[2]})",
        )
    lhs = _operand(low, 1, bool(low.kwargs.get("a_trans", False)))
    rhs = _operand(low, 2, bool(low.kwargs.get("b_trans", False)))
    name = "tile.batch_matmul_acc" if max(ranks) > 2 else "tile.matmul_acc"
    return low.op(name, acc, lhs, rhs, *init_cond)


CONVERTERS: dict[str, Converter] = {"tensor.matmul": matmul, "tensor.matmul_acc": matmul_acc}
