"""Questions about symbolic extents (``docs/spec/ops_tile.md`` §2.1): proofs with three outcomes, extent arithmetic.

A proof is ``True``, ``False`` (the negation is proven) or ``None`` (unknown). Rules say which outcome they act on: a bounds
check rejects ``False`` only, an exact match demands ``True``.
"""

from __future__ import annotations

from pypto_core.arith import Analyzer, Interval
from pypto_core.arith.bounds import bound_of
from pypto_core.ir import (
    Add,
    ConstInt,
    DataType,
    Eq,
    Expr,
    Le,
    Lt,
    MakeTuple,
    Max,
    Min,
    Mul,
    Ne,
    ScalarType,
    Sub,
    TupleGetItem,
    Var,
    dim_equal,
)
from pypto_core.ir.scalar import make_binary


def const_value(e: Expr) -> int | None:
    """Value of an integer constant, else None."""
    return e.value if isinstance(e, ConstInt) else None


def _integer_dtype(e: Expr) -> DataType | None:
    t = e.type
    return t.dtype if isinstance(t, ScalarType) and t.dtype.is_int else None


def _comparable(a: Expr, b: Expr) -> bool:
    """Both integer scalars of one signedness; a mixed pair is never decided."""
    if isinstance(a, ConstInt) and isinstance(b, ConstInt) and a.dtype is b.dtype:
        return a.dtype.is_int
    left, right = _integer_dtype(a), _integer_dtype(b)
    return left is not None and right is not None and left.is_unsigned_int is right.is_unsigned_int


_PLAIN = (Add, Sub, Mul, Min, Max)


def _reads_each_once(e: Expr, seen: set[Expr]) -> bool:
    """Whether ``e`` is plain arithmetic whose variables occur once (also among those already ``seen``): then its constant
    interval is exact and no rewriting can narrow it."""
    if isinstance(e, ConstInt):
        return True
    if isinstance(e, Var):
        if e in seen:
            return False
        seen.add(e)
        return True
    if isinstance(e, _PLAIN):
        return _reads_each_once(e.left, seen) and _reads_each_once(e.right, seen)
    return False


def _intervals(*operands: Expr) -> tuple[tuple[Interval, ...], bool]:
    """Constant intervals of the operands, and whether they are all that can be known about sums and differences."""
    seen: set[Expr] = set()
    exact = all(_reads_each_once(e, seen) for e in operands)
    return tuple(bound_of(e, {}) for e in operands), exact


def prove_eq(a: Expr, b: Expr) -> bool | None:
    """``a == b``: proven, refuted, or unknown."""
    if not _comparable(a, b):
        return None
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return a.value == b.value
    if dim_equal(a, b):
        return True
    (left, right), exact = _intervals(a, b)
    if left.lo == left.hi == right.lo == right.hi:
        return True
    if left.hi < right.lo or right.hi < left.lo:
        return False
    if exact:
        return None
    analyzer = Analyzer()
    if analyzer.can_prove(Eq(a, b, DataType.BOOL)):
        return True
    return False if analyzer.can_prove(Ne(a, b, DataType.BOOL)) else None


def prove_le(a: Expr, b: Expr) -> bool | None:
    """``a <= b``: proven, refuted, or unknown."""
    if not _comparable(a, b):
        return None
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return a.value <= b.value
    if dim_equal(a, b):
        return True
    (left, right), exact = _intervals(a, b)
    if left.hi <= right.lo:
        return True
    if left.lo > right.hi:
        return False
    if exact:
        return None
    analyzer = Analyzer()
    if analyzer.can_prove(Le(a, b, DataType.BOOL)):
        return True
    return False if analyzer.can_prove(Lt(b, a, DataType.BOOL)) else None


def sum_exceeds(a: Expr, b: Expr, limit: Expr) -> bool:
    """Whether ``a + b > limit`` is certain; False for operands that are not integer scalars."""
    if isinstance(a, ConstInt) and isinstance(b, ConstInt) and isinstance(limit, ConstInt):
        over = a.value + b.value > limit.value
        return over and is_integer(a) and is_integer(b) and prove_le(add(a, b), limit) is False
    if not (is_integer(a) and is_integer(b) and is_integer(limit)):
        return False
    (left, right, top), exact = _intervals(a, b, limit)
    if exact and left.lo + right.lo <= top.hi:
        return False
    return prove_le(add(a, b), limit) is False


def prove_negative(e: Expr) -> bool:
    """Whether ``e < 0`` is certain."""
    if isinstance(e, ConstInt):
        return e.value < 0 and e.dtype.is_int
    dtype = _integer_dtype(e)
    return dtype is not None and prove_le(ConstInt(0, dtype), e) is False


def provably_zero(e: Expr) -> bool:
    """Whether ``e`` is certainly 0 (a constant of any dtype counts)."""
    if isinstance(e, ConstInt):
        return e.value == 0
    dtype = _integer_dtype(e)
    return dtype is not None and prove_eq(e, ConstInt(0, dtype)) is True


def provably_equal_extent(a: Expr, b: Expr) -> bool:
    """Whether two extents certainly agree; constants compare by value whatever their dtypes are."""
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return a.value == b.value
    return prove_eq(a, b) is True


def dims_equal(a: Expr, b: Expr) -> bool:
    """Whether two dimensions are one: same object, same constant, or proven equal."""
    if a is b:
        return True
    if isinstance(a, ConstInt) and isinstance(b, ConstInt):
        return a.value == b.value
    return prove_eq(a, b) is True


def all_dims_equal(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> bool:
    """:func:`dims_equal` on every axis; ranks must agree."""
    return len(a) == len(b) and all(dims_equal(x, y) for x, y in zip(a, b))


def is_integer(e: Expr) -> bool:
    """Whether ``e`` is an integer scalar (INDEX counts)."""
    return _integer_dtype(e) is not None


# -- arithmetic on extents -------------------------------------------------------------------------------------------


def const_like(e: Expr, value: int) -> ConstInt:
    """``value`` in the dtype of ``e`` (INDEX where it has none), so that no cast appears around ``e``."""
    return ConstInt(value, _integer_dtype(e) or DataType.INDEX)


def fold(e: Expr) -> Expr:
    """``e`` simplified."""
    return Analyzer().simplify(e)


def add(a: Expr, b: Expr | int) -> Expr:
    """``a + b``, folded."""
    return fold(make_binary("add", a, b))


def min_extent(a: Expr, b: Expr) -> Expr:
    """The smaller of two extents where the order is provable, else the folded ``min``."""
    if prove_le(a, b):
        return a
    if prove_le(b, a):
        return b
    return fold(make_binary("min", a, b))


def max_extent(a: Expr, b: Expr) -> Expr:
    """The larger of two extents where the order is provable, else the folded ``max``."""
    if prove_le(a, b):
        return b
    if prove_le(b, a):
        return a
    return fold(make_binary("max", a, b))


def cdiv(e: Expr, k: int) -> Expr:
    """``ceil(e / k)``: an INDEX constant, or ``(e + (k - 1)) // k`` as written."""
    if isinstance(e, ConstInt):
        return ConstInt(-(-e.value // k), DataType.INDEX)
    return make_binary("floordiv", make_binary("add", e, const_like(e, k - 1)), const_like(e, k))


def round_up(e: Expr, k: int) -> Expr:
    """The next multiple of ``k``: an INDEX constant, or ``cdiv(e, k) * k``."""
    if isinstance(e, ConstInt):
        return ConstInt(-(-e.value // k) * k, DataType.INDEX)
    return make_binary("mul", cdiv(e, k), const_like(e, k))


def times(e: Expr, k: int) -> Expr:
    """``e * k``; a constant folds in its own dtype."""
    return (
        ConstInt(e.value * k, e.dtype) if isinstance(e, ConstInt) else make_binary("mul", e, const_like(e, k))
    )


def floor_div(e: Expr, k: int) -> Expr:
    """``e // k``; a constant folds in its own dtype."""
    return (
        ConstInt(e.value // k, e.dtype)
        if isinstance(e, ConstInt)
        else make_binary("floordiv", e, const_like(e, k))
    )


def element_count(shape: tuple[Expr, ...]) -> int | None:
    """Number of elements of a static shape, else None."""
    total = 1
    for dim in shape:
        if not isinstance(dim, ConstInt):
            return None
        total *= dim.value
    return total


def tuple_elements(e: Expr, rank: int) -> tuple[Expr, ...]:
    """Elements of a literal tuple, else ``rank`` projections of the tuple-typed expression."""
    if type(e) is MakeTuple:
        return e.elements
    return tuple(TupleGetItem(e, i, span=e.span) for i in range(rank))
