"""Types with dimensions: tensors, tiles, arrays and their views (docs/spec/ir.md §2.2 to §2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from pypto_core.ir.dtype import DataType
from pypto_core.ir.enums import CompactMode, MemorySpace, PadValue, TensorLayout, TileLayout
from pypto_core.ir.expr import BinaryExpr, Call, ConstInt, MemRef, WindowBuffer
from pypto_core.ir.node import Expr, Node, Type


def as_dim(value: int | Expr) -> Expr:
    """A dimension from a Python int (``ConstInt(INDEX)``) or an expression."""
    return ConstInt(value, DataType.INDEX) if isinstance(value, int) else value


def as_dims(values: Sequence[int | Expr]) -> tuple[Expr, ...]:
    """Dimensions; the same tuple when nothing needs converting."""
    for value in values:
        if isinstance(value, int):
            return tuple(as_dim(v) for v in values)
    return cast("tuple[Expr, ...]", values if isinstance(values, tuple) else tuple(values))


def _normalize(node: Node, name: str, dims: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The dimensions in field ``name`` of a node under construction, which holds them as expressions afterwards."""
    if not dims and dims.__class__ is tuple:
        return dims
    made = as_dims(dims)
    if made is not dims:
        object.__setattr__(node, name, made)
    return made


def dim_equal(left: Expr, right: Expr) -> bool:
    """Shape-expression equality of ir.md §2.5: constants by value, operators and calls recursively, variables by identity."""
    if left is right:
        return True
    kind = left.__class__
    if kind is not right.__class__:
        return False
    if kind is ConstInt:
        return left.value == right.value  # type: ignore[attr-defined, no-any-return]
    if isinstance(left, BinaryExpr) and isinstance(right, BinaryExpr):
        return dim_equal(left.left, right.left) and dim_equal(left.right, right.right)
    if isinstance(left, Call) and isinstance(right, Call):
        return left.op.name == right.op.name and dims_equal(left.args, right.args)
    return False


def dims_equal(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Element-wise :func:`dim_equal`; lengths must agree."""
    return left is right or (
        len(left) == len(right) and all(dim_equal(a, b) for a, b in zip(left, right, strict=True))
    )


def const_dim(dim: Expr) -> int | None:
    """The value of a constant dimension, else None."""
    return dim.value if isinstance(dim, ConstInt) else None


def const_dims(dims: Sequence[Expr]) -> tuple[int, ...] | None:
    """All values when every dimension is constant, else None."""
    values = []
    for dim in dims:
        if not isinstance(dim, ConstInt):
            return None
        values.append(dim.value)
    return tuple(values)


@dataclass(frozen=True, slots=True, eq=False)
class TensorView(Node):
    """Layout of a tensor in memory (§2.3); empty ``valid_shape`` = whole shape, empty ``stride`` = packed."""

    stride: tuple[Expr, ...] = ()
    layout: TensorLayout = TensorLayout.ND
    valid_shape: tuple[Expr, ...] = ()
    pad: PadValue = PadValue.null

    def __post_init__(self) -> None:
        _normalize(self, "stride", self.stride)
        _normalize(self, "valid_shape", self.valid_shape)


@dataclass(frozen=True, slots=True, eq=False)
class TileView(Node):
    """Layout of a tile on a core (§2.4); ``fractal`` in bytes."""

    valid_shape: tuple[Expr, ...] = ()
    stride: tuple[Expr, ...] = ()
    start_offset: Expr | None = None
    blayout: TileLayout = TileLayout.row_major
    slayout: TileLayout = TileLayout.none_box
    fractal: int = 512
    pad: PadValue = PadValue.null
    compact: CompactMode = CompactMode.null

    def __post_init__(self) -> None:
        _normalize(self, "valid_shape", self.valid_shape)
        _normalize(self, "stride", self.stride)
        if isinstance(self.start_offset, int):
            object.__setattr__(self, "start_offset", as_dim(self.start_offset))


def _check_packed_fp4(shape: tuple[Expr, ...]) -> None:
    if not shape:
        raise ValueError("Packed FP4 shaped types must have rank >= 1")
    last = const_dim(shape[-1])
    if last is not None and (last <= 0 or last % 2):
        raise ValueError(
            f"Packed FP4 shaped types require a positive even logical last dimension, but got {last}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TensorType(Type):
    """A tensor in global memory; the view is canonical after construction (None when it says nothing)."""

    shape: tuple[Expr, ...]
    dtype: DataType
    memref: MemRef | None = None
    tensor_view: TensorView | None = None

    def __post_init__(self) -> None:
        shape = _normalize(self, "shape", self.shape)
        if self.dtype is DataType.FP4:
            _check_packed_fp4(shape)
        view = self.tensor_view
        if view is None:
            return
        if view.valid_shape and dims_equal(view.valid_shape, shape):
            view = TensorView(view.stride, view.layout, (), view.pad, span=view.span)
        if (
            not view.stride
            and view.layout is TensorLayout.ND
            and not view.valid_shape
            and view.pad is PadValue.null
        ):
            object.__setattr__(self, "tensor_view", None)
        else:
            object.__setattr__(self, "tensor_view", view)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def memory_space(self) -> MemorySpace:
        return MemorySpace.DDR

    @property
    def valid_shape(self) -> tuple[Expr, ...]:
        """The valid extent of every dimension (the shape where nothing else is said)."""
        view = self.tensor_view
        return view.valid_shape if view is not None and view.valid_shape else self.shape


@dataclass(frozen=True, slots=True, eq=False)
class DistributedTensorType(TensorType):
    """A tensor in a communication window."""

    window_buffer: WindowBuffer | None = None

    # ``super()`` without arguments does not survive the class rebuild of ``slots=True``.
    def __post_init__(self) -> None:
        TensorType.__post_init__(self)


class _Numbered(Type):
    """A type that keeps the number by which ``ops.deduced`` knows it; no part of its value."""

    __slots__ = ("number",)
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class TileType(_Numbered):
    """A tile on a core; the view is canonical for the memory space after construction (§2.4)."""

    shape: tuple[Expr, ...]
    dtype: DataType
    memref: MemRef | None = None
    tile_view: TileView | None = None
    memory_space: MemorySpace | None = None

    def __post_init__(self) -> None:
        shape = _normalize(self, "shape", self.shape)
        if self.dtype is DataType.FP4:
            _check_packed_fp4(shape)
        if self.memref is not None and self.memory_space is None:
            raise ValueError("TileType with MemRef must have explicit memory_space")
        view = self.tile_view
        if view is None:
            return
        if view.valid_shape and dims_equal(view.valid_shape, shape):
            view = view.with_(valid_shape=())
        if view.valid_shape or view.stride or view.start_offset is not None:
            object.__setattr__(self, "tile_view", view)
            return
        implicit = implicit_tile_view(shape, self.memory_space)
        plain = view is implicit or (
            view.pad is PadValue.null
            and view.compact is CompactMode.null
            and view.blayout is implicit.blayout
            and view.slayout is implicit.slayout
            and view.fractal == implicit.fractal
        )
        object.__setattr__(self, "tile_view", None if plain else view)

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def valid_shape(self) -> tuple[Expr, ...]:
        """The valid extent of every dimension (the shape where nothing else is said)."""
        view = self.tile_view
        return view.valid_shape if view is not None and view.valid_shape else self.shape


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType(Type):
    """A small array in scalar-local memory with one constant extent."""

    dtype: DataType
    extent: Expr = field()

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", as_dim(self.extent))
        if not (self.dtype.is_int or self.dtype in (DataType.BOOL, DataType.TASK_ID)):
            raise ValueError(
                f"ArrayType element dtype must be integer, BOOL, or TASK_ID, got {self.dtype.text}"
            )
        extent = const_dim(self.extent)
        if extent is None or extent <= 0:
            raise ValueError(f"ArrayType extent must be positive, got {extent}")

    @property
    def memory_space(self) -> MemorySpace:
        return MemorySpace.ScalarLocal

    @property
    def shape(self) -> tuple[Expr, ...]:
        return (self.extent,)


_R, _C, _N = TileLayout.row_major, TileLayout.col_major, TileLayout.none_box


def implicit_tile_view(shape: Sequence[Expr], space: MemorySpace | None) -> TileView:
    """What an omitted view of a tile of ``shape`` in ``space`` means (§2.4); its ``valid_shape`` is left empty."""
    column = False
    if len(shape) == 2:
        rows, cols = const_dim(shape[0]), const_dim(shape[1])
        column = cols == 1 and rows is not None and rows > 1
    return _IMPLICIT_VIEWS[column][-1 if space is None else space]


def _implicit(space: MemorySpace | None, column: bool) -> TileView:
    base = _C if column else _R
    if space in (MemorySpace.Mat, MemorySpace.Left):
        return TileView(blayout=_C, slayout=_R)
    if space is MemorySpace.Right:
        return TileView(blayout=base, slayout=_C)
    if space is MemorySpace.Acc:
        return TileView(blayout=_C, slayout=_R, fractal=1024)
    if space is MemorySpace.LeftScale:
        return TileView(blayout=_R, slayout=_R, fractal=32)
    if space is MemorySpace.RightScale:
        return TileView(blayout=_C, slayout=_C, fractal=32)
    return TileView(blayout=base, slayout=_N)


#: Without and with a single column: the view for each space in order, last the one for no space.
_IMPLICIT_VIEWS: tuple[tuple[TileView, ...], ...] = tuple(
    tuple(_implicit(space, column) for space in (*MemorySpace, None)) for column in (False, True)
)


def tile_layout(tile: TileType) -> TileView:
    """The layouts, fractal, padding and compact mode of a tile, stored or implicit; ``valid_shape`` only as far as it is stored."""
    view = tile.tile_view
    return implicit_tile_view(tile.shape, tile.memory_space) if view is None else view


def effective_tile_view(tile: TileType) -> TileView:
    """The view that passes read: stored or implicit, with ``valid_shape`` always filled (§2.4)."""
    view = tile_layout(tile)
    return view if view.valid_shape else view.with_(valid_shape=tile.shape)


def boxed_alignment(view: TileView, dtype: DataType) -> tuple[int, int] | None:
    """Rows x columns granularity of a boxed layout, None for an unboxed one (§2.4)."""
    if view.slayout is _N:
        return None
    row_major = view.slayout is _R
    if view.fractal == 1024:
        return 16, 16
    if view.fractal == 32:
        return (16, 2) if row_major else (2, 16)
    if view.fractal == 512:
        packed = 256 // dtype.storage_bits
        return (16, packed) if row_major else (packed, 16)
    return None


def packed_strides(shape: Sequence[Expr], layout: TensorLayout) -> tuple[Expr, ...] | None:
    """Canonical packed strides of a tensor in elements (§2.3); None for NZ and for DN below rank 2."""
    from pypto_core.ir.scalar import fold_mul

    rank = len(shape)
    if rank == 0:
        return ()
    one: Expr = ConstInt(1)
    strides: list[Expr] = [one] * rank
    if layout is TensorLayout.ND:
        start = rank - 2
    elif layout is TensorLayout.DN and rank >= 2:
        strides[rank - 1] = shape[rank - 2]
        if rank >= 3:
            strides[rank - 3] = fold_mul(shape[rank - 2], shape[rank - 1])
        start = rank - 4
    else:
        return None
    for axis in range(start, -1, -1):
        strides[axis] = fold_mul(strides[axis + 1], shape[axis + 1])
    return tuple(strides)
