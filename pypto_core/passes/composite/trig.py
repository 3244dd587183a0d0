"""``tile.sin`` and ``tile.cos``: range reduction by four parts of pi, then an odd polynomial (``passes_tile.md`` 1.1)."""

from __future__ import annotations

import struct

from pypto_core.ir import Call, ConstFloat, DataType, Expr, TileType, Var
from pypto_core.passes.composite.emitter import Emitter

_NONE, _RINT, _ROUND, _FLOOR = 0, 1, 2, 3

PI_INV = 0.31830988732818603515625
PI_V2 = 3.140625
PI_C1 = 0.0009670257568359375
PI_C2 = 6.2771141529083251953125e-7
PI_C3 = 1.21644916362129151821e-10
PI_C4 = -1.0290623200529979163e-13
PI_HALF_HEAD = 1.57079637050628662109375
PI_HALF_TAIL = -4.371139000189375e-8
R0 = 2.604926501e-6
R1 = -1.980894471e-4
R2 = 8.333049340e-3
R3 = -1.666665792e-1


def _float32(value: float) -> float:
    """``value`` as a float32 holds it; the IR keeps it widened to double."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


class _Recipe:
    def __init__(self, emitter: Emitter, dtype: DataType) -> None:
        self._emitter = emitter
        self._dtype = dtype

    def muls(self, qualifier: str, tile: Expr, factor: float) -> Var:
        return self._emitter.op(qualifier, "tile.muls", tile, ConstFloat(_float32(factor), self._dtype))

    def adds(self, qualifier: str, tile: Expr, term: float) -> Var:
        return self._emitter.op(qualifier, "tile.adds", tile, ConstFloat(_float32(term), self._dtype))

    def cast(self, qualifier: str, tile: Expr, dtype: DataType, mode: int) -> Var:
        return self._emitter.op(qualifier, "tile.cast", tile, target_type=dtype, mode=mode)

    def sub(self, qualifier: str, left: Expr, right: Expr) -> Var:
        return self._emitter.op(qualifier, "tile.sub", left, right)

    def mul(self, qualifier: str, left: Expr, right: Expr) -> Var:
        return self._emitter.op(qualifier, "tile.mul", left, right)


def lower_trig(emitter: Emitter, call: Call) -> Expr:
    """Emit the recipe for the call and return the product that is its value."""
    (x,) = call.args
    assert isinstance(x.type, TileType)
    cosine = call.name == "tile.cos"
    r = _Recipe(emitter, x.type.dtype)
    k = r.muls("pi_inv_x", x, PI_INV)
    if cosine:
        k = r.adds("k_pre", k, 0.5)
    k_i = r.cast("k_i", k, DataType.INT32, _RINT if cosine else _ROUND)
    k_f = r.cast("k_f", k_i, DataType.FP32, _NONE)
    t = r.sub("t0", x, r.muls("k_pi_v2", k_f, PI_V2))
    t = r.sub("t1", t, r.muls("k_pi_c1", k_f, PI_C1))
    if cosine:
        t = r.adds("t1h", t, PI_HALF_HEAD)
    t = r.sub("t2", t, r.muls("k_pi_c2", k_f, PI_C2))
    t = r.sub("t3", t, r.muls("k_pi_c3", k_f, PI_C3))
    t = r.sub("t4", t, r.muls("k_pi_c4", k_f, PI_C4))
    if cosine:
        t = r.adds("t4t", t, PI_HALF_TAIL)
    half_k = r.muls("half_k", k_f, 0.5)
    floor_hk = r.cast(
        "floor_hk_f", r.cast("floor_hk_i", half_k, DataType.INT32, _FLOOR), DataType.FP32, _NONE
    )
    floor_x4 = r.muls("floor_x4", floor_hk, 4.0)
    neg2_k = r.muls("neg2_k", k_f, -2.0)
    sign = r.adds("sign", emitter.op("sign_pre", "tile.add", floor_x4, neg2_k), 1.0)
    t2 = r.mul("t2sq", t, t)
    p = r.adds("p_r1", r.muls("p_r0", t2, R0), R1)
    p = r.adds("p_r2", r.mul("p_t2_r1", p, t2), R2)
    p = r.adds("p_r3", r.mul("p_t2_r2", p, t2), R3)
    p = r.adds("p_one", r.mul("p_t2_r3", p, t2), 1.0)
    return emitter.call("tile.mul", sign, r.mul("t_p", t, p))
