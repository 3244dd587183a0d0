"""P5, the kernel's side: which parameters are touched only inside one window, and the copy of the kernel that takes the
windows (docs/spec/passes_tensor_to_tile.md Part 2, P5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pypto_core.analysis.statements import trailing_yield
from pypto_core.arith import Analyzer
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MakeTuple,
    ParamDirection,
    ReturnStmt,
    ScalarType,
    Stmt,
    TensorLayout,
    TensorType,
    TensorView,
    TileType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    body_stmts,
    dim_equal,
    substitute,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.ir.scalar import make_binary
from pypto_core.ir.types import const_dims, packed_strides
from pypto_core.ir.walk import stmt_bodies, stmt_exprs, walk_exprs
from pypto_core.passes.orch_tensors.affine import ScalarDefinitions, affine, depends_only_on
from pypto_core.passes.orch_tensors.kernels import Retype, returned_values

_MAX_TRIPS = 256
_MAX_USES = 512
_MAX_NESTING = 32


@dataclass(frozen=True, slots=True)
class Window:
    """A box of a parameter: static ``shape`` at ``base``, which is an expression over the kernel's scalar parameters."""

    shape: tuple[int, ...]
    base: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """One load from or store into a parameter."""

    call: Call
    offsets: tuple[Expr, ...]
    """Over parameters and loop variables."""
    shape: tuple[int, ...]
    loops: tuple[ForStmt, ...]
    writes: bool


@dataclass(slots=True)
class _Param:
    accesses: list[Access] = field(default_factory=list)
    opaque: bool = False
    """Used in some way that is not a window."""


@dataclass(frozen=True, slots=True)
class KernelWindows:
    """The windows of a kernel by parameter index, and the parameter that each return item is."""

    windows: Mapping[int, Window]
    accesses: Mapping[int, tuple[Access, ...]]
    results: Mapping[int, int]


class _Collector:
    """Follows parameters through copies, stores and loops, and notes every access."""

    def __init__(self, function: Function) -> None:
        self.scalars = ScalarDefinitions(function.body)
        self.alias: dict[Expr, Var] = {p: p for p in function.params if isinstance(p.type, TensorType)}
        self.params: dict[Var, _Param] = {p: _Param() for p in self.alias.values()}

    @goes_deep
    def body(self, stmts: tuple[Stmt, ...], loops: tuple[ForStmt, ...], certain: bool) -> None:
        for stmt in stmts:
            self._stmt(stmt, loops, certain)

    def _stmt(self, stmt: Stmt, loops: tuple[ForStmt, ...], certain: bool) -> None:
        if isinstance(stmt, (ReturnStmt, YieldStmt)):
            return
        if isinstance(stmt, AssignStmt):
            target = self._target(stmt.value)
            if target is not None:
                self.alias[stmt.var] = target
        if isinstance(stmt, (ForStmt, WhileStmt)):
            for arg in stmt.iter_args:
                if arg.init_value in self.alias:
                    self.alias[arg] = self.alias[arg.init_value]
        else:
            for root in stmt_exprs(stmt):
                self._expr(root, stmt, loops, certain)
        inner = (*loops, stmt) if isinstance(stmt, ForStmt) else loops
        sure = certain and not isinstance(stmt, (IfStmt, WhileStmt)) and len(inner) <= _MAX_NESTING
        for body in stmt_bodies(stmt):
            self.body(body_stmts(body), inner, sure)
        self._results(stmt)

    def _results(self, stmt: Stmt) -> None:
        """Results of a loop or branch are a parameter when what they come from is that one parameter."""
        if isinstance(stmt, (ForStmt, WhileStmt)):
            ended = trailing_yield(stmt.body)
            for result, arg, value in zip(stmt.return_vars, stmt.iter_args, ended.values if ended else ()):
                start, end = self.alias.get(arg), self.alias.get(value)
                if start is not None and start is end:
                    self.alias[result] = start
                else:
                    self._forget(start, end)
        elif isinstance(stmt, IfStmt):
            for body in stmt_bodies(stmt):
                ended = trailing_yield(body)
                self._forget(*(self.alias.get(v) for v in (ended.values if ended else ())))

    def _forget(self, *params: Var | None) -> None:
        for param in params:
            if param is not None:
                self.params[param].opaque = True

    def _target(self, value: Expr) -> Var | None:
        if isinstance(value, Call) and value.name == "tile.store":
            value = value.args[2]
        return self.alias.get(value)

    def _expr(self, root: Expr, stmt: Stmt, loops: tuple[ForStmt, ...], certain: bool) -> None:
        if root in self.alias and isinstance(stmt, AssignStmt):
            return
        for expr in walk_exprs(root):
            if isinstance(expr, Call):
                for index, arg in enumerate(expr.args):
                    param = self.alias.get(arg)
                    if param is not None:
                        self._use(param, expr, index, loops, certain)
            elif expr in self.alias and expr is root:
                self._forget(self.alias[expr])

    def _use(self, param: Var, call: Call, index: int, loops: tuple[ForStmt, ...], certain: bool) -> None:
        entry = self.params[param]
        access = None
        if call.name == "tile.load" and index == 0:
            access = self._access(call, call.args[1], call.args[2], loops, writes=False)
        elif call.name == "tile.store" and index == 2 and len(call.args) == 3 and certain:
            tile = call.args[0].type
            shape = MakeTuple(tile.shape) if isinstance(tile, TileType) else None
            access = self._access(call, call.args[1], shape, loops, writes=True)
        if access is None:
            entry.opaque = True
        else:
            entry.accesses.append(access)

    def _access(
        self, call: Call, offsets: Expr, shape: Expr | None, loops: tuple[ForStmt, ...], *, writes: bool
    ) -> Access | None:
        if not isinstance(offsets, MakeTuple) or not isinstance(shape, MakeTuple):
            return None
        extents = const_dims(shape.elements)
        if extents is None or len(extents) != len(offsets.elements):
            return None
        resolved = tuple(self.scalars.resolve(o) for o in offsets.elements)
        return Access(call, resolved, extents, loops, writes)


def analyse(function: Function) -> KernelWindows:
    """Windows of the kernel's parameters."""
    collector = _Collector(function)
    collector.body(body_stmts(function.body), (), True)
    scalars = {p for p in function.params if isinstance(p.type, ScalarType)}
    windows: dict[int, Window] = {}
    accesses: dict[int, tuple[Access, ...]] = {}
    for index, (param, direction) in enumerate(zip(function.params, function.param_directions)):
        entry = collector.params.get(param)
        if entry is None or entry.opaque or not 0 < len(entry.accesses) <= _MAX_USES:
            continue
        window = _common_window(param, entry.accesses, scalars)
        written = any(a.writes for a in entry.accesses)
        if window is None or written is (direction is ParamDirection.In):
            continue
        windows[index] = window
        accesses[index] = tuple(entry.accesses)
    results = {
        item: function.params.index(collector.alias[value])
        for item, value in enumerate(returned_values(function))
        if value in collector.alias
    }
    return KernelWindows(windows, accesses, results)


def _common_window(param: Var, accesses: list[Access], scalars: set[Var]) -> Window | None:
    """The one window of all accesses; None when they differ or the window is the whole tensor."""
    kind = param.type
    assert isinstance(kind, TensorType)
    whole = const_dims(kind.shape)
    windows = [_window(access, scalars) for access in accesses]
    first = windows[0]
    if first is None or whole is None or len(first.shape) != len(whole) or first.shape == whole:
        return None
    for other in windows[1:]:
        same = other is not None and other.shape == first.shape
        if not same or other is None or not all(dim_equal(a, b) for a, b in zip(first.base, other.base)):
            return None
    return first


def _window(access: Access, scalars: set[Var]) -> Window | None:
    """The box that an access covers over all trips of its loops; a store must fill its box."""
    shape, base = list(access.shape), list(access.offsets)
    trips = 1
    for loop in reversed(access.loops):
        count = _trip_count(loop)
        if count is None:
            return None
        trips *= count
        step = loop.step.value if isinstance(loop.step, ConstInt) else 0
        varying = 0
        for axis, offset in enumerate(base):
            form = affine(offset)
            if form is None:
                return None
            stride = form.factor(loop.loop_var) * step
            if stride < 0 or (stride and access.writes and stride != shape[axis]):
                return None
            if stride:
                varying += 1
                shape[axis] += stride * (count - 1)
                base[axis] = substitute(offset, {loop.loop_var: loop.start})
        if varying > 1 or (access.writes and not varying and count > 1):
            return None
    if trips > _MAX_TRIPS:
        return None
    simple = tuple(Analyzer().simplify(b) for b in base)
    return Window(tuple(shape), simple) if all(depends_only_on(b, scalars) for b in simple) else None


def _trip_count(loop: ForStmt) -> int | None:
    bounds = const_dims((loop.start, loop.stop, loop.step))
    if bounds is None or bounds[2] <= 0:
        return None
    return max(0, -(-(bounds[1] - bounds[0]) // bounds[2]))


# -- the windowed copy -------------------------------------------------------------------------------------------------


def windowed_name(name: str) -> str:
    return f"{name}__windowed"


def windowed_copy(function: Function, facts: KernelWindows) -> Function:
    """The kernel on windows: parameters have the window's shape with the strides of the whole tensor, offsets count from
    the window's base."""
    new_params: dict[Var, Var] = {}
    offsets: dict[Call, tuple[Expr, ...]] = {}
    for index, window in facts.windows.items():
        param = function.params[index]
        new_params[param] = param.with_(type=_window_type(param.type, window))
        for access in facts.accesses[index]:
            offsets[access.call] = tuple(_relative(o, b) for o, b in zip(access.offsets, window.base))
    rewriter = _OnWindows(new_params, offsets)
    body = rewriter.rewrite(function.body)
    params = tuple(new_params.get(p, p) for p in function.params)
    types: list[Type] = list(function.return_types)
    for item, index in facts.results.items():
        if index in facts.windows and item < len(types):
            types[item] = params[index].type
    return function.with_(
        name=windowed_name(function.name), params=params, return_types=tuple(types), body=body
    )


def _relative(offset: Expr, base: Expr) -> Expr:
    return Analyzer().simplify(make_binary("sub", offset, base, offset.span))


def _window_type(kind: Type, window: Window) -> TensorType:
    assert isinstance(kind, TensorType)
    view = kind.tensor_view
    strides = view.stride if view is not None and view.stride else packed_strides(kind.shape, TensorLayout.ND)
    shape = tuple(ConstInt(extent) for extent in window.shape)
    return kind.with_(shape=shape, tensor_view=TensorView(strides or (), TensorLayout.ND))


class _OnWindows(Retype):
    """Retypes parameters and replaces the offsets of their accesses."""

    def __init__(self, params: Mapping[Var, Var], offsets: Mapping[Call, tuple[Expr, ...]]) -> None:
        super().__init__(params)
        self.offsets = offsets

    def rewrite_Call(self, call: Call) -> Expr:
        new = self.offsets.get(call)
        if new is None:
            return super().rewrite_Call(call)
        old = call.args[1]
        moved = call.with_(args=(call.args[0], MakeTuple(new, span=old.span), *call.args[2:]))
        return super().rewrite_Call(moved)
