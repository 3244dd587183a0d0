"""Runs printed kernels on small numbers: one program with both lanes in step, or its two cores with their rings.

Every value is a pair, one part per vector lane; a cube value has two equal parts. Tiles are lists of rows. A lane outside
the tensor's extents reads zeros and writes nothing there, and a store writes the valid part of its tile only.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import Any

from pypto_core import ir
from pypto_core.analysis.statements import leaf_call, stmts_of

Matrix = list[list[float]]
Memory = dict[str, Matrix]
LANES = (0, 1)
SCALAR = 3
"""Value of every scalar parameter."""

_SCALARS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "min": min,
    "max": max,
    "gt": lambda a, b: a > b,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
}
_BINARY: dict[str, Callable[[float, float], float]] = {
    "tile.add": lambda a, b: a + b,
    "tile.adds": lambda a, b: a + b,
    "tile.col_expand_add": lambda a, b: a + b,
    "tile.muls": lambda a, b: a * b,
    "tile.row_expand_mul": lambda a, b: a * b,
}
_SAME = frozenset({"tile.move", "tile.set_validshape"})


class Rings:
    """What one core sent and the other has not taken yet, by the operator that takes it; `moved` counts both ends."""

    def __init__(self) -> None:
        self.waiting: dict[str, deque[tuple[Matrix, int]]] = {
            "tile.tpop_from_aic": deque(),
            "tile.tpop_from_aiv": deque(),
        }
        self.moved = 0

    def push(self, taker: str, tile: Matrix, mode: int) -> None:
        self.waiting[taker].append((tile, mode))
        self.moved += 1

    def pop(self, taker: str) -> tuple[Matrix, int]:
        self.moved += 1
        return self.waiting[taker].popleft()


class Returned(Exception):
    """The function has returned."""


def window(a: Matrix, offsets: Sequence[int], shape: Sequence[int]) -> Matrix:
    """`shape` cells from `offsets` on, zeros outside."""
    rows, cols = range(offsets[0], offsets[0] + shape[0]), range(offsets[1], offsets[1] + shape[1])
    return [[a[r][c] if r < len(a) and c < len(a[r]) else 0.0 for c in cols] for r in rows]


def _combined(f: Callable[[float, float], float], a: Matrix, b: Matrix | float) -> Matrix:
    if not isinstance(b, list):
        return [[f(x, b) for x in row] for row in a]
    rows, cols = max(len(a), len(b)), max(len(a[0]), len(b[0]))

    def at(m: Matrix, r: int, c: int) -> float:
        return m[r if len(m) > 1 else 0][c if len(m[0]) > 1 else 0]

    return [[f(at(a, r, c), at(b, r, c)) for c in range(cols)] for r in range(rows)]


def _shape(type_: ir.Type) -> tuple[int, ...]:
    assert isinstance(type_, ir.TileType | ir.TensorType)
    found = ir.const_dims(type_.shape)
    assert found is not None
    return found


def _lane_part(full: Matrix, mode: int, stride: int | None, shape: Sequence[int], lane: int) -> Matrix:
    """A lane's share of a tile that crosses to the vector side."""
    if mode == 0:
        return full
    extent = len(full) if mode == 1 else len(full[0])
    start = lane * (stride or (extent + 1) // 2)
    return window(full, (start, 0) if mode == 1 else (0, start), shape)


def _joined(halves: Sequence[Matrix], mode: int) -> Matrix:
    if mode == 0:
        return halves[0]
    return halves[0] + halves[1] if mode == 1 else [a + b for a, b in zip(*halves, strict=True)]


def _mode(call: ir.Call) -> int:
    code = call.kwargs["split"]
    return code - 2 if code > 2 else code


class Core:
    """Interprets one function."""

    def __init__(self, function: ir.Function, memory: Memory, rings: Rings, seed: int) -> None:
        self.function, self.memory, self.rings = function, memory, rings
        self.values: dict[ir.Expr, list[Any]] = {}
        for number, param in enumerate(function.params):
            if isinstance(param.type, ir.ScalarType):
                self.values[param] = [SCALAR, SCALAR]
                continue
            rows, cols = _shape(param.type)
            dice = random.Random(f"{seed}:{number}")
            made = [[float(dice.randrange(9)) for _ in range(cols)] for _ in range(rows)]
            if isinstance(param.type, ir.TensorType):
                memory.setdefault(param.name_hint, made)
                self.values[param] = [param.name_hint] * 2
            else:
                self.values[param] = [made, made]

    def run(self) -> Generator[None, None, None]:
        """Executes the body; yields while a ring is empty."""
        with suppress(Returned):
            yield from self.block(stmts_of(self.function.body))

    # -- expressions -----------------------------------------------------------------------------------------------

    def value(self, expr: ir.Expr, lane: int) -> Any:
        if isinstance(expr, ir.ConstInt | ir.ConstFloat):
            return expr.value
        if isinstance(expr, ir.MakeTuple):
            return [self.value(e, lane) for e in expr.elements]
        if isinstance(expr, ir.BinaryExpr):
            return _SCALARS[type(expr).__name__.lower()](
                self.value(expr.left, lane), self.value(expr.right, lane)
            )
        if expr not in self.values and getattr(expr, "name_hint", "") == "subblock_idx":
            return lane  # the extent of a received tile names the lane of the kernel before it was cut
        return self.values[expr][lane]

    def call(self, call: ir.Call, lane: int) -> Any:
        name, args = call.name, call.args
        if name == "tile.get_subblock_idx":
            return lane
        if name == "tile.create":
            rows, cols = _shape(call.type)
            return [[0.0] * cols for _ in range(rows)]
        if name == "tile.aic_gather":
            return _joined(self.values[args[0]], call.kwargs["split"])
        if name in _SAME:
            return self.value(args[0], lane)
        if name in _BINARY:
            return _combined(_BINARY[name], self.value(args[0], lane), self.value(args[1], lane))
        first = self.value(args[0], lane)
        if name == "tile.load":
            return window(self.memory[first], self.value(args[1], lane), _shape(call.type))
        if name == "tile.slice":
            return window(first, self.value(args[2], lane), self.value(args[1], lane))
        if name == "tile.row_sum":
            return [[sum(row)] for row in first]
        if name == "tile.reshape":
            flat, (rows, cols) = [x for row in first for x in row], _shape(call.type)
            return [flat[r * cols : (r + 1) * cols] for r in range(rows)]
        if name == "tile.matmul":
            second = self.value(args[1], lane)
            return [[sum(x * y for x, y in zip(row, col)) for col in zip(*second)] for row in first]
        assert name == "tile.aiv_shard", name
        return _lane_part(
            first, call.kwargs["split"], call.kwargs.get("lane_stride"), _shape(call.type), lane
        )

    def store(self, call: ir.Call) -> list[str]:
        tile = call.args[0].type
        assert isinstance(tile, ir.TileType)
        for lane in LANES:
            valid = [self.value(e, lane) for e in tile.valid_shape]
            data, target = self.value(call.args[0], lane), self.memory[self.value(call.args[2], lane)]
            top, left = self.value(call.args[1], lane)
            for r in range(valid[0]):
                for c in range(valid[1]):
                    target[top + r][left + c] = data[r][c]
        return self.values[call.args[2]]

    # -- statements ------------------------------------------------------------------------------------------------

    def block(self, stmts: Sequence[ir.Stmt]) -> Generator[None, None, list[list[Any]]]:
        yielded: list[list[Any]] = []
        for stmt in stmts:
            call = leaf_call(stmt)
            if call is not None:
                made = yield from self.leaf(call)
                if isinstance(stmt, ir.AssignStmt):
                    self.values[stmt.var] = made
            elif isinstance(stmt, ir.AssignStmt):
                self.values[stmt.var] = [self.value(stmt.value, lane) for lane in LANES]
            elif isinstance(stmt, ir.ForStmt):
                yield from self.loop(stmt)
            elif isinstance(stmt, ir.IfStmt):
                body = stmt.then_body if self.value(stmt.condition, 0) else stmt.else_body
                results = yield from self.block(stmts_of(body))
                self.values.update(zip(stmt.return_vars, results))
            elif isinstance(stmt, ir.SplitAivScopeStmt):
                yield from self.block(stmts_of(stmt.body))
            elif isinstance(stmt, ir.YieldStmt):
                yielded = [[self.value(v, lane) for lane in LANES] for v in stmt.values]
            else:
                assert isinstance(stmt, ir.ReturnStmt), type(stmt)
                raise Returned
        return yielded

    def leaf(self, call: ir.Call) -> Generator[None, None, list[Any]]:
        name = call.name
        if name.startswith("system."):
            return [0, 0]
        if name == "tile.store":
            return self.store(call)
        if name == "tile.tpush_to_aiv":
            self.rings.push("tile.tpop_from_aic", self.values[call.args[0]][0], _mode(call))
            return []
        if name == "tile.tpush_to_aic":
            self.rings.push(
                "tile.tpop_from_aiv", _joined(self.values[call.args[0]], _mode(call)), _mode(call)
            )
            return []
        ring = self.rings.waiting.get(name)
        if ring is None:
            return [self.call(call, lane) for lane in LANES]
        while not ring:
            yield
        full, mode = self.rings.pop(name)
        assert mode == _mode(call), "both ends of a transfer name the same split"
        if name == "tile.tpop_from_aiv":
            return [full, full]
        return [
            _lane_part(full, mode, call.kwargs.get("lane_stride"), _shape(call.type), lane) for lane in LANES
        ]

    def loop(self, loop: ir.ForStmt) -> Generator[None, None, None]:
        carried = [[self.value(a.init_value, lane) for lane in LANES] for a in loop.iter_args]
        start, stop, step = (self.value(e, 0) for e in (loop.start, loop.stop, loop.step))
        for i in range(start, stop, step):
            self.values[loop.loop_var] = [i, i]
            self.values.update(zip(loop.iter_args, carried))
            results = yield from self.block(stmts_of(loop.body))
            carried = results if loop.iter_args else carried
        self.values.update(zip(loop.return_vars, carried))


def run_alone(function: ir.Function, seed: int) -> Memory:
    """Global memory after one function has run; `seed` fills its parameters."""
    memory: Memory = {}
    for _ in Core(function, memory, Rings(), seed).run():
        raise AssertionError("one function waits for nobody")
    return memory


def run_cores(cube: ir.Function, vector: ir.Function, seed: int) -> Memory:
    """Global memory after both cores of a kernel have run; AssertionError when they wait for each other."""
    memory: Memory = {}
    rings, done = Rings(), object()
    running = [Core(f, memory, rings, seed).run() for f in (cube, vector)]
    while running:
        before = rings.moved
        waiting = [core for core in running if next(core, done) is not done]
        assert len(waiting) < len(running) or rings.moved > before, "each core waits for the other"
        running = waiting
    assert not any(rings.waiting.values()), "a pushed tile was never taken"
    return memory
