"""Matrix products of tensors (``docs/spec/ops_tensor.md`` §3.4); the result is always fully valid."""

from __future__ import annotations

from pypto_core.ir import ConstInt, DataType, Expr, Type
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.registry import OpCall, Stored
from pypto_core.ops.shape_rules import broadcast, promote, show_shape
from pypto_core.ops.tensor.declare import dtype_keyword, dtype_kw, flag, fresh, operand, tensor, tensor_op

_D = DataType


def _const_mismatch(a: Expr, b: Expr) -> bool:
    return isinstance(a, ConstInt) and isinstance(b, ConstInt) and a.value != b.value


def _matrix(call: OpCall, index: int, transposed: str) -> tuple[tuple[Expr, ...], Expr, Expr]:
    """Batch axes, rows and columns of an operand of rank 2 or more, after its transposition flag."""
    shape = call.exact_tensor(index).shape
    rows, cols = shape[-2], shape[-1]
    if call.kw(transposed):
        rows, cols = cols, rows
    return shape[:-2], rows, cols


def _check_inner(call: OpCall, lhs_k: Expr, rhs_k: Expr, arg: int) -> None:
    if _const_mismatch(lhs_k, rhs_k):
        assert isinstance(lhs_k, ConstInt) and isinstance(rhs_k, ConstInt)
        call.fail(
            "op-shape",
            f"{call.name} requires matching inner dimensions, but got lhs K={lhs_k.value} and rhs K={rhs_k.value}",
            arg=arg,
        )


def deduce_matmul(call: OpCall) -> Type:
    """T-MATMUL: vector and matrix ranks as in linear algebra, batch axes broadcast."""
    lhs, rhs = call.exact_tensor(0), call.exact_tensor(1)
    dtype = dtype_keyword(call, "out_dtype", promote(lhs.dtype, rhs.dtype))
    for index, kw in ((0, "a_trans"), (1, "b_trans")):
        rank = len(call.exact_tensor(index).shape)
        if rank == 0:
            call.fail(
                "op-rank", f"{call.name} requires operands of rank 1 or more, but got rank 0", arg=index
            )
        if rank == 1 and call.kw(kw):
            call.fail(
                "op-keyword", f"{call.name} cannot transpose an operand of rank 1 ({kw}=True)", keyword=kw
            )
    ranks = (len(lhs.shape), len(rhs.shape))
    if ranks == (1, 1):
        _check_inner(call, lhs.shape[0], rhs.shape[0], 1)
        return fresh((), dtype)
    if ranks == (2, 1):
        _, m, k = _matrix(call, 0, "a_trans")
        _check_inner(call, k, rhs.shape[0], 1)
        return fresh((m,), dtype)
    if ranks == (1, 2):
        _, k, n = _matrix(call, 1, "b_trans")
        _check_inner(call, lhs.shape[0], k, 1)
        return fresh((n,), dtype)
    if 1 in ranks:
        call.fail("op-rank", f"{call.name} requires both operands to have at least 2 dimensions, but got ranks {ranks[0]} and {ranks[1]}")  # fmt: skip
    batch_a, m, k_a = _matrix(call, 0, "a_trans")
    batch_b, k_b, n = _matrix(call, 1, "b_trans")
    _check_inner(call, k_a, k_b, 1)
    batch = broadcast(batch_a, batch_b)
    if batch is None:
        call.fail(
            "op-shape",
            f"Cannot broadcast batch dimensions for {call.name}: {show_shape(batch_a)} and {show_shape(batch_b)}",
            arg=1,
        )
    return fresh((*batch, m, n), dtype)


def deduce_matmul_acc(call: OpCall) -> Type:
    """T-MATMUL-ACC: the accumulator's shape and dtype."""
    acc, lhs, rhs = (call.exact_tensor(i) for i in range(3))
    for index, what in ((0, "acc"), (1, "lhs"), (2, "rhs")):
        if len(call.exact_tensor(index).shape) < 2:
            call.fail("op-rank", f"{call.name} requires {what} to have at least 2 dimensions", arg=index)
    if lhs.dtype is not rhs.dtype:
        call.fail(
            "op-dtype",
            f"{call.name} requires identical lhs and rhs data types, but got {lhs.dtype.text} and {rhs.dtype.text}",
            arg=2,
        )
    wanted = _D.FP32 if lhs.dtype.is_float else _D.INT32
    if acc.dtype is not wanted:
        call.fail(
            "op-dtype",
            f"{call.name} requires accumulator dtype {wanted.text}, but got {acc.dtype.text}",
            arg=0,
        )
    batch_a, m, k_a = _matrix(call, 1, "a_trans")
    batch_b, k_b, n = _matrix(call, 2, "b_trans")
    _check_inner(call, k_a, k_b, 2)
    for axis, extent, what, arg in ((-2, m, "M", 1), (-1, n, "N", 2)):
        if _const_mismatch(acc.shape[axis], extent):
            call.fail(
                "op-shape",
                f"{call.name} requires matching {what} dimensions, but the accumulator is {show_shape(acc.shape)} and the "
                f"product has {what}={show_shape((extent,))[1:-1]}",
                arg=arg,
            )
    _check_batch(call, acc.shape[:-2], batch_a, batch_b)
    return fresh(acc.shape, acc.dtype)


def _check_batch(call: OpCall, acc: tuple[Expr, ...], lhs: tuple[Expr, ...], rhs: tuple[Expr, ...]) -> None:
    batch = broadcast(lhs, rhs)
    if batch is None:
        call.fail("op-shape", f"Cannot broadcast batch dimensions for {call.name}: {show_shape(lhs)} and {show_shape(rhs)}", arg=2)  # fmt: skip
    if len(batch) != len(acc):
        call.fail("op-rank", f"{call.name} requires acc batch rank {len(batch)}, but got {len(acc)}", arg=0)
    for axis, (a, b) in enumerate(zip(acc, batch)):
        if _const_mismatch(a, b):
            call.fail("op-shape", f"{call.name} acc batch dim {axis} differs from the product: {show_shape(acc)} and {show_shape(batch)}", arg=0)  # fmt: skip


_A_TRANS = flag("a_trans", doc="lhs is stored transposed")
_B_TRANS = flag("b_trans", doc="rhs is stored transposed")
tensor_op(
    "tensor.matmul", "T-MATMUL", deduce_matmul, (tensor("lhs"), tensor("rhs")), "Matrix product, batched if need be.",
    conversion="C-MATMUL",
    kwargs=(_A_TRANS, _B_TRANS, flag("c_matrix_nz", doc="ask for a fractal result layout"), dtype_kw("out_dtype", required=False, stored=Stored.WHEN_GIVEN, doc="dtype of the product")),
)  # fmt: skip
tensor_op(
    "tensor.matmul_acc", "T-MATMUL-ACC", deduce_matmul_acc,
    (tensor("acc"), tensor("lhs"), tensor("rhs"), operand("init_cond", ArgKind.BOOL_SCALAR, optional=True, doc="start from zero instead of acc")),
    "Adds a matrix product to an accumulator.", conversion="C-MATMUL-ACC", kwargs=(_A_TRANS, _B_TRANS),
)  # fmt: skip
