"""Products on the cube unit: matrix, matrix-vector and batched (``docs/spec/ops_tile.md`` §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pypto_core.ir import (
    CompactMode,
    ConstInt,
    DataType,
    Expr,
    MemorySpace,
    TileType,
    TileView,
    Type,
    tile_layout,
)
from pypto_core.ops.deduced import of_types
from pypto_core.ops.kinds import ArgKind
from pypto_core.ops.proofs import const_value, prove_eq, prove_le
from pypto_core.ops.registry import (
    Effect,
    Evidence,
    KwargType,
    KwParam,
    OpCall,
    OpCategory,
    OpDef,
    Param,
    Stored,
    register,
)
from pypto_core.ops.shape_rules import broadcast, is_one, show_dim, show_shape
from pypto_core.ops.tile.checks import require_rank
from pypto_core.ops.tile.declare import ACC_OUT, Deduce, operand, tile
from pypto_core.ops.tile_views import COL, ROW, acc_type

_D = DataType
_M = MemorySpace
_ONE = ConstInt(1, _D.INDEX)
_GEMV_DTYPES = (_D.INT8, _D.FP16, _D.BF16, _D.FP32)


@dataclass(frozen=True, slots=True)
class Product:
    """Result geometry of ``lhs @ rhs``: physical and valid extents of rows and columns, accumulator dtype."""

    shape: tuple[Expr, Expr]
    valid: tuple[Expr, Expr]
    dtype: DataType


def accumulator_dtype(dtype: DataType) -> DataType:
    """FP32 for float operands, INT32 otherwise."""
    return _D.FP32 if dtype.is_float else _D.INT32


def require_equal_constants(call: OpCall, index: int, a: Expr, b: Expr, what: str) -> None:
    """Two extents agree wherever both are constant."""
    left, right = const_value(a), const_value(b)
    if left is not None and right is not None and left != right:
        call.fail(
            "op-shape", f"The operator {call.name} requires {what}, but got {left} and {right}", arg=index
        )


def require_cover(call: OpCall, index: int, need: Expr, have: Expr, what: str) -> None:
    """``need <= have`` is not refuted."""
    if prove_le(need, have) is False:
        call.fail(
            "op-shape",
            f"The operator {call.name} requires {what}, but got {show_dim(have)} for {show_dim(need)}",
            arg=index,
        )


def product_geometry(call: OpCall, left: int, right: int) -> Product:
    """Checks shared by every 2-D product, and its geometry."""
    lhs, rhs = call.tile(left), call.tile(right)
    require_rank(call, left, lhs, 2, "lhs")
    require_rank(call, right, rhs, 2, "rhs")
    require_equal_constants(
        call, right, lhs.shape[1], rhs.shape[0], "matching physical inner dimensions (physical K)"
    )
    require_cover(call, right, lhs.valid_shape[1], rhs.valid_shape[0], "rhs valid K to cover lhs valid K")
    _require_one_dtype(call, left, right)
    return Product(
        (lhs.shape[0], rhs.shape[1]), (lhs.valid_shape[0], rhs.valid_shape[1]), accumulator_dtype(lhs.dtype)
    )


def _require_one_dtype(call: OpCall, left: int, right: int) -> None:
    lhs, rhs = call.tile(left).dtype, call.tile(right).dtype
    if lhs is not rhs:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires identical lhs and rhs data types, but got {lhs.text} and {rhs.text}",
            arg=right,
            data={"expected": lhs.printed, "got": rhs.printed},
        )


def _require_accumulator_dtype(call: OpCall, index: int, dtype: DataType) -> None:
    got = call.tile(index).dtype
    if got is not dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires accumulator dtype {dtype.text}, but got {got.text}",
            arg=index,
        )


def _check_bias(call: OpCall, index: int, product: Product) -> TileType:
    bias = call.tile(index)
    require_rank(call, index, bias, 2, "bias")
    if not is_one(bias.shape[0]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires bias to have shape [1, N], but got {show_shape(bias.shape)}",
            arg=index,
        )
    require_cover(call, index, _ONE, bias.valid_shape[0], "bias valid rows to cover one row")
    require_equal_constants(call, index, product.shape[1], bias.shape[1], "bias N to match output N")
    require_cover(call, index, product.valid[1], bias.valid_shape[1], "bias valid N to cover output valid N")
    if bias.dtype is not product.dtype:
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires bias dtype {product.dtype.text}, but got {bias.dtype.text}",
            arg=index,
        )
    return bias


def check_init_cond(call: OpCall, index: int) -> None:
    """Optional operand ``index`` is a BOOL scalar."""
    if call.has(index) and call.scalar(index).dtype is not _D.BOOL:
        got = call.scalar(index).dtype.text
        call.fail(
            "op-dtype",
            f"The operator {call.name} requires init_cond to have dtype BOOL, but got {got}",
            arg=index,
        )


@of_types
def deduce_matmul(call: OpCall) -> Type:
    """MATMUL."""
    product = product_geometry(call, 0, 1)
    return acc_type(product.shape, product.dtype, product.valid)


@of_types
def deduce_matmul_acc(call: OpCall) -> Type:
    """MATMUL_ACC: the accumulator gives shape, valid shape and compact mode."""
    acc = call.tile(0)
    product = product_geometry(call, 1, 2)
    check_init_cond(call, 3)
    require_rank(call, 0, acc, 2, "acc")
    for axis, name in enumerate(("M", "N")):
        require_equal_constants(
            call, 0, acc.shape[axis], product.shape[axis], f"matching physical {name} dimensions"
        )
    require_cover(call, 0, product.valid[0], acc.valid_shape[0], "acc valid M to cover lhs valid M")
    require_cover(call, 0, product.valid[1], acc.valid_shape[1], "acc valid N to cover rhs valid N")
    _require_accumulator_dtype(call, 0, product.dtype)
    return acc_type(acc.shape, product.dtype, acc.valid_shape, compact=tile_layout(acc).compact)


@of_types
def deduce_matmul_bias(call: OpCall) -> Type:
    """MATMUL_BIAS."""
    product = product_geometry(call, 0, 1)
    _check_bias(call, 2, product)
    return acc_type(product.shape, product.dtype, product.valid)


# -- matrix-vector ---------------------------------------------------------------------------------------------------


def _check_acc_phase(call: OpCall) -> None:
    phase = call.kw("acc_phase")
    if phase not in ("unspecified", "partial", "final"):
        call.fail(
            "op-value",
            f"The operator {call.name} requires acc_phase to be unspecified, partial or final, but got '{phase}'",
            keyword="acc_phase",
        )


def _gemv_result(call: OpCall, left: int, right: int) -> TileType:
    """GEMV: one row of product in a 16-row box."""
    product = product_geometry(call, left, right)
    _check_acc_phase(call)
    lhs = call.tile(left)
    if lhs.dtype not in _GEMV_DTYPES:
        call.fail(
            "op-dtype",
            f"The operator {call.name} supports only INT8, FP16, BF16 and FP32 operands, but got {lhs.dtype.text}",
            arg=left,
        )
    if not is_one(lhs.shape[0]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires lhs physical row extent to be exactly 1, but got {show_dim(lhs.shape[0])}",
            arg=left,
        )
    _require_one_valid_row(call, left, lhs, "lhs")
    view = TileView(valid_shape=product.valid, blayout=COL, slayout=ROW, fractal=1024)
    return TileType((ConstInt(16, _D.INDEX), product.shape[1]), product.dtype, None, view)


def _require_one_valid_row(call: OpCall, index: int, t: TileType, what: str) -> None:
    proof = prove_eq(t.valid_shape[0], _ONE)
    if proof is not True and not is_one(t.valid_shape[0]):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires {what} valid row extent to be exactly 1, "
            f"but got {show_dim(t.valid_shape[0])}",
            arg=index,
            unproven=proof is None,
        )


@of_types
def deduce_gemv(call: OpCall) -> Type:
    """GEMV."""
    return _gemv_result(call, 0, 1)


@of_types
def deduce_gemv_acc(call: OpCall) -> Type:
    """GEMV_ACC: the accumulator matches the product exactly."""
    acc, expected = call.tile(0), _gemv_result(call, 1, 2)
    require_rank(call, 0, acc, 2, "acc")
    for have, want in zip(acc.shape, expected.shape):
        if (
            const_value(have) is not None
            and const_value(want) is not None
            and const_value(have) != const_value(want)
        ):
            call.fail(
                "op-shape",
                f"The operator {call.name} requires accumulator physical shape {show_shape(expected.shape)}, "
                f"but got {show_shape(acc.shape)}",
                arg=0,
            )
    _require_accumulator_dtype(call, 0, expected.dtype)
    proofs = [prove_eq(a, b) for a, b in zip(acc.valid_shape, expected.valid_shape)]
    if any(p is not True for p in proofs):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires accumulator valid_shape {show_shape(expected.valid_shape)}, "
            f"but got {show_shape(acc.valid_shape)}",
            arg=0,
            unproven=False not in proofs,
        )
    return expected


@of_types
def deduce_gemv_bias(call: OpCall) -> Type:
    """GEMV_BIAS."""
    product = product_geometry(call, 0, 1)
    bias = _check_bias(call, 2, product)
    result = _gemv_result(call, 0, 1)
    _require_one_valid_row(call, 2, bias, "bias")
    return result


# -- batched ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _BatchProduct:
    batch: tuple[Expr, ...]
    rows: Expr
    cols: Expr
    dtype: DataType


def _batch_geometry(call: OpCall, left: int, right: int) -> _BatchProduct:
    lhs, rhs = call.tile(left), call.tile(right)
    for index, t, name in ((left, lhs, "lhs"), (right, rhs, "rhs")):
        if len(t.shape) < 2:
            call.fail(
                "op-rank",
                f"The operator {call.name} requires {name} to have at least 2 dimensions, but got {show_shape(t.shape)}",
                arg=index,
            )
    require_equal_constants(call, right, lhs.shape[-1], rhs.shape[-2], "matching inner dimensions")
    batch = broadcast(lhs.shape[:-2], rhs.shape[:-2])
    if batch is None:
        call.fail(
            "op-shape",
            f"Cannot broadcast batch dimensions for {call.name}: "
            f"{show_shape(lhs.shape[:-2])} and {show_shape(rhs.shape[:-2])}",
            arg=right,
        )
    _require_one_dtype(call, left, right)
    return _BatchProduct(batch, lhs.shape[-2], rhs.shape[-1], accumulator_dtype(lhs.dtype))


@of_types
def deduce_batch_matmul(call: OpCall) -> Type:
    """BATCH_MATMUL: valid shapes of the operands are not read; the result is full."""
    product = _batch_geometry(call, 0, 1)
    shape = (*product.batch, product.rows, product.cols)
    return acc_type(shape, product.dtype, (), compact=CompactMode.null)


@of_types
def deduce_batch_matmul_acc(call: OpCall) -> Type:
    """BATCH_MATMUL_ACC: the accumulator is not broadcast."""
    acc, product = call.tile(0), _batch_geometry(call, 1, 2)
    if len(acc.shape) - 2 != len(product.batch):
        call.fail(
            "op-rank",
            f"The operator {call.name} requires acc batch rank {len(product.batch)}, but got {len(acc.shape) - 2}",
            arg=0,
        )
    require_equal_constants(call, 0, acc.shape[-2], product.rows, "matching M dimensions")
    require_equal_constants(call, 0, acc.shape[-1], product.cols, "matching N dimensions")
    for i, (have, want) in enumerate(zip(acc.shape, product.batch)):
        require_equal_constants(call, 0, have, want, f"acc batch dim {i} to match the product")
    _require_accumulator_dtype(call, 0, product.dtype)
    return acc_type(acc.shape, product.dtype, (), compact=CompactMode.null)


# -- declarations ----------------------------------------------------------------------------------------------------

LHS, RHS = tile("lhs", (_M.Left,)), tile("rhs", (_M.Right,))
ACC_IN_PLACE = tile("acc", (_M.Acc,), effect=Effect.READ_WRITE)
BIAS = tile("bias", (_M.Bias,))
_ACC_PHASE = KwParam(
    "acc_phase", KwargType.STR, default="unspecified", stored=Stored.ALWAYS, builder_default="unspecified",
    allowed=("unspecified", "partial", "final"), doc="whether more partial products follow",
)  # fmt: skip


def cube_op(
    name: str,
    rule: str,
    deduce: Deduce,
    params: tuple[Param, ...],
    doc: str,
    *,
    evidence: Evidence = Evidence.FUNCTIONAL,
    **flags: Any,
) -> OpDef:
    """Register an operator of the cube unit: its result lives in the accumulator memory."""
    if params[0].name == "acc":
        flags["output_reuses_input"] = 0
    return register(
        OpDef(
            name,
            OpCategory.TILE,
            rule,
            deduce,
            params,
            output_memory=ACC_OUT,
            evidence=evidence,
            doc=doc,
            **flags,
        )
    )


cube_op("tile.matmul", "MATMUL", deduce_matmul, (LHS, RHS), "Matrix product, accumulated in FP32 or INT32.")
cube_op(
    "tile.matmul_acc", "MATMUL_ACC", deduce_matmul_acc,
    (ACC_IN_PLACE, LHS, RHS, operand("init_cond", ArgKind.SCALAR, optional=True, doc="start from zero where true")),
    "Add a matrix product to an accumulator.",
)  # fmt: skip
cube_op(
    "tile.matmul_bias", "MATMUL_BIAS", deduce_matmul_bias, (LHS, RHS, BIAS), "Matrix product plus a bias row."
)
cube_op(
    "tile.gemv", "GEMV", deduce_gemv, (LHS, RHS), "Product of one row and a matrix.", kwargs=(_ACC_PHASE,)
)  # fmt: skip
cube_op(
    "tile.gemv_acc", "GEMV_ACC", deduce_gemv_acc, (ACC_IN_PLACE, LHS, RHS), "Add a row-matrix product to an accumulator.",
    kwargs=(_ACC_PHASE,),
)  # fmt: skip
cube_op(
    "tile.gemv_bias", "GEMV_BIAS", deduce_gemv_bias, (LHS, RHS, BIAS), "Product of one row and a matrix plus a bias row.",
    kwargs=(_ACC_PHASE,),
)  # fmt: skip
cube_op(
    "tile.batch_matmul", "BATCH_MATMUL", deduce_batch_matmul, (LHS, RHS), "Matrix products over broadcast batch axes."
)  # fmt: skip
cube_op(
    "tile.batch_matmul_acc", "BATCH_MATMUL_ACC", deduce_batch_matmul_acc, (ACC_IN_PLACE, LHS, RHS),
    "Add batched matrix products to an accumulator.",
)  # fmt: skip
