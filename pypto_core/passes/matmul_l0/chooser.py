"""Which L0 tile (m, n, k) a matmul is cut into: the cost model of ``docs/spec/passes_tile.md`` 4.8.

Every quantity is in elements, bytes or cycles as its name says; sums are evaluated in the order of the document, because
the winner of near ties depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from pypto_core.backend import L0CostModel, align_up

FRACTAL = 16
"""Elements: L0 tiles grow in steps of one fractal in every axis."""


class Stationarity(IntEnum):
    """Which operand stays in L0 while the others stream."""

    OUTPUT = 0
    A = 1
    B = 2


@dataclass(frozen=True, slots=True)
class BiasLimits:
    """How many output columns one bias tile may cover (``None``: no limit of that kind).

    A bias tile inside a pipelined body exists once per stage, so the table is shared by two or four copies.
    """

    max_n: int | None = None
    max_n_pipelined: int | None = None
    max_n_nested_pipelined: int | None = None
    min_n: int = FRACTAL


@dataclass(frozen=True, slots=True)
class L0Problem:
    """One matmul ``[M, K] x [K, N]`` with byte widths, L0 capacities (bytes) and alignments (elements)."""

    m: int
    n: int
    k: int
    bytes_a: int
    bytes_b: int
    bytes_c: int
    l0a: int
    l0b: int
    l0c: int
    l0c_align_m: int
    cost: L0CostModel
    align_m: int = FRACTAL
    align_n: int = FRACTAL
    align_k: int = FRACTAL
    bias: BiasLimits = BiasLimits()
    allow_a_stationary: bool = True
    allow_b_stationary: bool = True
    allow_double_buffer_c: bool = False


@dataclass(frozen=True, slots=True)
class L0Tile:
    """The chosen tile, how it is walked, and its predicted time in cycles."""

    m: int
    n: int
    k: int
    stationarity: Stationarity
    holds_a: bool
    double_buffer_c: bool
    wall: int

    @property
    def rows_outer(self) -> bool:
        """Whether the outer loop of a full-K grid walks rows (the lhs tile is the one that stays)."""
        if self.stationarity is Stationarity.OUTPUT:
            return self.holds_a
        return self.stationarity is Stationarity.A


class NoLegalTileError(Exception):
    """The problem has no tile that fits; the text says why."""


def choose_l0_tile(problem: L0Problem) -> L0Tile:
    """The tile with the smallest predicted time.

    Raises:
        NoLegalTileError: an axis is below one fractal, or nothing fits the L0 buffers.
    """
    result = _choose(problem)
    if isinstance(result, str):
        raise NoLegalTileError(result)
    return result


@lru_cache(maxsize=512)
def _choose(problem: L0Problem) -> L0Tile | str:
    for axis, extent, least in (
        ("M", problem.m, problem.align_m),
        ("N", problem.n, problem.align_n),
        ("K", problem.k, problem.align_k),
    ):
        if extent < least:
            return f"{axis} = {extent} is below the smallest L0 tile extent {least}"
    best = _best_of_regime(problem, Stationarity.OUTPUT, double_buffer_c=False)
    if best is None:
        return "no L0 tile fits the L0 buffers"
    if (best.m, best.n, best.k) == (problem.m, problem.n, problem.k):
        return best
    for stationarity, double_buffer_c in _challengers(problem):
        rival = _best_of_regime(problem, stationarity, double_buffer_c=double_buffer_c)
        if rival is not None and rival.wall < best.wall:
            best = rival
    return best


def _challengers(problem: L0Problem) -> Iterator[tuple[Stationarity, bool]]:
    allowed = [Stationarity.OUTPUT]
    if problem.allow_a_stationary:
        allowed.append(Stationarity.A)
    if problem.allow_b_stationary:
        allowed.append(Stationarity.B)
    for stationarity in allowed:
        if stationarity is not Stationarity.OUTPUT:
            yield stationarity, False
        if problem.allow_double_buffer_c:
            yield stationarity, True


def _ceil_div(value: int, divisor: int) -> int:
    return -(-value // divisor)


def _odd_part(value: int) -> int:
    return value // (value & -value)


def _round_half_away(value: float) -> int:
    return math.floor(value + 0.5)


def _best_of_regime(p: L0Problem, stationarity: Stationarity, *, double_buffer_c: bool) -> L0Tile | None:
    buffers_a = 1 if stationarity is Stationarity.A else 2
    buffers_b = 1 if stationarity is Stationarity.B else 2
    budget_a = p.l0a // (p.bytes_a * buffers_a)
    budget_b = p.l0b // (p.bytes_b * buffers_b)
    budget_c = p.l0c // (p.bytes_c * (2 if double_buffer_c else 1))
    full_k_only = stationarity is not Stationarity.OUTPUT or double_buffer_c
    if full_k_only and p.k % p.align_k:
        return None
    best: L0Tile | None = None
    best_rank: tuple[float, ...] | None = None
    for m in range(p.align_m, p.m + 1, p.align_m):
        rows_in_l0c = align_up(m, p.l0c_align_m)
        max_k_a = budget_a // m
        if max_k_a < p.align_k:
            break
        for n in range(_first_n(p), p.n + 1, p.align_n):
            if rows_in_l0c * n > budget_c:
                break
            max_k = min(max_k_a, budget_b // n, p.k) // p.align_k * p.align_k
            if max_k < p.align_k:
                break
            held_a, held_b = _held_loads(p, m, n)
            holds_a = held_a <= held_b
            if double_buffer_c and not _two_full_tiles_inside(p, stationarity, holds_a, m, n):
                continue
            if full_k_only:
                ks = range(p.k, p.k + 1) if max_k >= p.k else range(0)
            else:
                ks = range(p.align_k, max_k + 1, p.align_k)
            for k in ks:
                if p.k % p.align_k and p.k % k:
                    continue
                if not _bias_fits(p, stationarity, holds_a, m, n, k):
                    continue
                load = _load(p, stationarity, held_a, held_b, m, n, k)
                wall = _wall(p, load, m, n, k, double_buffer_c=double_buffer_c)
                steps_k = _ceil_div(p.k, k)
                volume = _ceil_div(p.m, m) * m * _ceil_div(p.n, n) * n * steps_k * k
                rank = (wall, volume, steps_k, load, -m * n, -k)
                if best_rank is None or rank < best_rank:
                    best_rank = rank
                    best = L0Tile(m, n, k, stationarity, holds_a, double_buffer_c, wall)
    return best


def _first_n(p: L0Problem) -> int:
    return align_up(max(p.bias.min_n, p.align_n), p.align_n)


def _two_full_tiles_inside(p: L0Problem, stationarity: Stationarity, holds_a: bool, m: int, n: int) -> bool:
    moves_columns = stationarity is Stationarity.A or (stationarity is Stationarity.OUTPUT and holds_a)
    return (p.n // n if moves_columns else p.m // m) >= 2


def _bias_fits(p: L0Problem, stationarity: Stationarity, holds_a: bool, m: int, n: int, k: int) -> bool:
    """The bias tile is alive once per pipeline stage that surrounds it."""
    limit = p.bias.max_n
    if k == p.k and (m < p.m or n < p.n):
        if stationarity is Stationarity.A:
            limit = p.bias.max_n_pipelined
        elif stationarity is Stationarity.OUTPUT:
            limit = p.bias.max_n_nested_pipelined if holds_a else p.bias.max_n_pipelined
        if limit is None:
            limit = p.bias.max_n
    return limit is None or n <= limit


def _held_loads(p: L0Problem, m: int, n: int) -> tuple[float, float]:
    """Cycles of operand traffic when the lhs tile, or the rhs tile, is loaded only once."""
    cost = p.cost
    held_a = p.bytes_a * p.m * p.k / cost.bw_l0a + p.bytes_b * p.k * p.n * _ceil_div(p.m, m) / cost.bw_l0b
    held_b = p.bytes_a * p.m * p.k * _ceil_div(p.n, n) / cost.bw_l0a + p.bytes_b * p.k * p.n / cost.bw_l0b
    return held_a, held_b


def _load(
    p: L0Problem, stationarity: Stationarity, held_a: float, held_b: float, m: int, n: int, k: int
) -> float:
    if stationarity is Stationarity.A:
        return held_a
    if stationarity is Stationarity.B:
        return held_b
    if k >= p.k:
        return held_a if held_a <= held_b else held_b
    cost = p.cost
    return (
        p.bytes_a * p.m * p.k * _ceil_div(p.n, n) / cost.bw_l0a
        + p.bytes_b * p.k * p.n * _ceil_div(p.m, m) / cost.bw_l0b
    )


def _wall(p: L0Problem, load: float, m: int, n: int, k: int, *, double_buffer_c: bool) -> int:
    cost = p.cost
    tiles = _ceil_div(p.m, m) * _ceil_div(p.n, n)
    fractal_k = max(1, cost.mad_k_fractal_bytes // p.bytes_a)
    cycles_per_repeat = cost.mad_fp32_passes if p.bytes_a == 4 else max(1, p.bytes_a // 2)
    full, tail = divmod(p.k, k)
    repeats = full * _ceil_div(k, fractal_k) + (_ceil_div(tail, fractal_k) if tail else 0)
    per_tile = (full + (1 if tail else 0)) * cost.mad_head_cycles + (
        cycles_per_repeat * _ceil_div(m, FRACTAL) * repeats * _ceil_div(n, FRACTAL)
    )
    mad = tiles * per_tile
    columns = _ceil_div(n, max(1, cost.drain_c0_bytes // p.bytes_c))
    row = max(cost.drain_row_cycles, p.bytes_c * n / cost.bw_drain)
    row += cost.drain_penalty_cycles * (_odd_part(columns) - 1)
    drain = tiles * (cost.drain_fixed_cycles + m * row)
    compute = max(load, float(mad))
    if double_buffer_c:
        return _round_half_away(max(compute, drain) + min(compute, drain) / tiles)
    return _round_half_away(compute + drain)
