"""Bitwise operations and shifts of integer tensors (``docs/spec/ops_tensor.md`` §3.1, T-BIT-*)."""

from __future__ import annotations

from pypto_core.ir import ConstInt, Type
from pypto_core.ops.proofs import dims_equal
from pypto_core.ops.registry import OpCall
from pypto_core.ops.shape_rules import promote, show_shape
from pypto_core.ops.tensor.declare import fresh, require_integer, scalar, tensor_like, tensor_op
from pypto_core.ops.tensor.elementwise import own_valid, shared_valid


def _check_pair(call: OpCall) -> None:
    """Two integer tensors of one shape: nothing is broadcast."""
    for index in (0, 1):
        require_integer(call, index, "integer tensor dtype")
    a, b = call.tensor(0).shape, call.tensor(1).shape
    if len(a) != len(b) or not all(dims_equal(x, y) for x, y in zip(a, b)):
        call.fail(
            "op-shape",
            f"The operator {call.name} requires both operands to have the same shape, "
            f"but got {show_shape(a)} and {show_shape(b)}",
            arg=1,
            unproven=len(a) == len(b) and not _refuted(a, b),
        )


def _refuted(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    return any(
        isinstance(x, ConstInt) and isinstance(y, ConstInt) and x.value != y.value for x, y in zip(a, b)
    )


def deduce_bitwise(call: OpCall) -> Type:
    _check_pair(call)
    lhs, rhs = call.tensor(0), call.tensor(1)
    return fresh(lhs.shape, promote(lhs.dtype, rhs.dtype), shared_valid(lhs, rhs))


def deduce_xor(call: OpCall) -> Type:
    """The lowering works through scratch memory: the valid shape is lost."""
    _check_pair(call)
    lhs, rhs = call.tensor(0), call.tensor(1)
    return fresh(lhs.shape, promote(lhs.dtype, rhs.dtype))


def deduce_shift(call: OpCall) -> Type:
    _check_pair(call)
    lhs = call.tensor(0)
    return fresh(lhs.shape, lhs.dtype, shared_valid(lhs, call.tensor(1)))


def _check_scalar(call: OpCall) -> None:
    require_integer(call, 0, "integer tensor dtype")
    require_integer(call, 1, "shift/bitwise scalar to be an integer type")


def deduce_scalar(call: OpCall) -> Type:
    _check_scalar(call)
    lhs = call.tensor(0)
    return fresh(lhs.shape, lhs.dtype, own_valid(lhs))


def deduce_xors(call: OpCall) -> Type:
    _check_scalar(call)
    lhs = call.tensor(0)
    return fresh(lhs.shape, lhs.dtype)


def deduce_shift_scalar(call: OpCall) -> Type:
    count = call.args[1]
    result = deduce_scalar(call)
    if isinstance(count, ConstInt) and count.value < 0:
        call.fail(
            "op-value",
            f"The operator {call.name} requires a non-negative shift count, but got {count.value}",
            arg=1,
        )
    return result


_PAIR = (tensor_like("lhs"), tensor_like("rhs"))
_WITH_SCALAR = (tensor_like("lhs"), scalar("rhs"))

for _name, _doc in (("and", "Bitwise and."), ("or", "Bitwise or.")):
    tensor_op(f"tensor.{_name}", "T-BIT-BIN", deduce_bitwise, _PAIR, _doc, conversion="C-SIMPLE")
    tensor_op(
        f"tensor.{_name}s", "T-BIT-SCALAR", deduce_scalar, _WITH_SCALAR, f"{_doc[:-1]} with a scalar.",
        conversion="C-SIMPLE",
    )  # fmt: skip
for _name, _doc in (("shl", "Left shift."), ("shr", "Right shift.")):
    tensor_op(f"tensor.{_name}", "T-BIT-BIN", deduce_shift, _PAIR, _doc, conversion="C-SIMPLE")
    tensor_op(
        f"tensor.{_name}s", "T-BIT-SCALAR", deduce_shift_scalar, _WITH_SCALAR,
        f"{_doc[:-1]} by a scalar number of bits.", conversion="C-SIMPLE",
    )  # fmt: skip
tensor_op("tensor.xor", "T-BIT-BIN", deduce_xor, _PAIR, "Bitwise exclusive or.", conversion="C-XOR")
tensor_op("tensor.xors", "T-BIT-SCALAR", deduce_xors, _WITH_SCALAR, "Bitwise exclusive or with a scalar.", conversion="C-XOR")  # fmt: skip
