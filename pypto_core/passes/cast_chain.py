"""Shortest chain of native casts between two element types (``docs/spec/passes_tile.md`` 3.2)."""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from pypto_core.backend import Backend
from pypto_core.ir import DataType as D

# Significand bits (with the hidden one) and exponent bits of the formats whose precision the search compares.
_FLOAT_FORMATS: dict[D, tuple[int, int]] = {D.FP32: (24, 8), D.FP16: (11, 5), D.BF16: (8, 8)}


def cast_chain(source: D, target: D, backend: Backend) -> tuple[D, ...] | None:
    """The types after each hop from ``source``, ending with ``target``; ``None`` when no chain exists.

    An intermediate type that could lose what ``target`` can hold is never used.
    """
    return _chain(source, target, tuple(backend.native_casts.items()))


@lru_cache(maxsize=1024)
def _chain(source: D, target: D, edges: tuple[tuple[D, tuple[D, ...]], ...]) -> tuple[D, ...] | None:
    neighbours = dict(edges)
    distance: dict[D, int] = {source: 0}
    cost: dict[D, int] = {source: 0}
    parent: dict[D, D] = {}
    queue: deque[D] = deque([source])
    while queue:
        node = queue.popleft()
        if node is target:
            break
        for step in _preferred_first(node, neighbours.get(node, ())):
            if step is not target and narrows(step, target):
                continue
            step_cost = cost[node] + _edge_cost(node, step)
            if step not in distance:
                distance[step] = distance[node] + 1
                queue.append(step)
            elif distance[step] != distance[node] + 1 or step_cost >= cost[step]:
                continue
            cost[step] = step_cost
            parent[step] = node
    if target not in parent:
        return None
    hops: list[D] = []
    node = target
    while node is not source:
        hops.append(node)
        node = parent[node]
    return tuple(reversed(hops))


def _preferred_first(node: D, neighbours: tuple[D, ...]) -> tuple[D, ...]:
    """An integer first tries the float of its own width, which is the hardware's fast path."""
    favourite = {32: D.FP32, 16: D.FP16}.get(node.bits) if node.is_int else None
    if favourite is None or favourite not in neighbours:
        return neighbours
    order = list(neighbours)
    position = order.index(favourite)
    order[0], order[position] = order[position], order[0]
    return tuple(order)


def _edge_cost(source: D, target: D) -> int:
    if not source.is_float and target.is_float and source.bits == target.bits:
        return 0
    return 1 if source.is_float and target.is_float else 2


def narrows(mid: D, target: D) -> bool:
    """Whether passing through ``mid`` may lose values that ``target`` could hold."""
    if mid.is_int and target.is_float:
        return True
    if mid.is_float and target.is_float:
        if mid not in _FLOAT_FORMATS or target not in _FLOAT_FORMATS:
            return False
        significand, exponent = _FLOAT_FORMATS[mid]
        wanted_significand, wanted_exponent = _FLOAT_FORMATS[target]
        return significand < wanted_significand or exponent < wanted_exponent
    if mid.is_float and target.is_int:
        return mid in _FLOAT_FORMATS and _FLOAT_FORMATS[mid][0] < _value_bits(target)
    if mid.is_int and target.is_int:
        loses_sign = not mid.is_signed_int and target.is_signed_int
        return loses_sign or _value_bits(mid) < _value_bits(target)
    return False


def _value_bits(dtype: D) -> int:
    return dtype.bits - 1 if dtype.is_signed_int else dtype.bits
