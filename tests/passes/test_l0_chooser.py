"""The L0 tile chooser and the cast search against the result tables of ``docs/spec/passes_tile.md`` (3.3, 4.8)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pypto_core.backend import ASCEND910B, ASCEND950, Backend
from pypto_core.ir import DataType as D
from pypto_core.ir import MemorySpace as M
from pypto_core.passes.cast_chain import cast_chain
from pypto_core.passes.matmul_l0.chooser import (
    BiasLimits,
    L0Problem,
    NoLegalTileError,
    Stationarity,
    choose_l0_tile,
)

SPEC = (Path(__file__).parents[2] / "docs" / "spec" / "passes_tile.md").read_text(encoding="utf-8")
COLUMNS = [
    (chip, widths, dtype)
    for chip in (ASCEND910B, ASCEND950)
    for widths, dtype in (((2, 2, 4), D.FP32), ((4, 4, 4), D.FP32), ((1, 1, 4), D.INT32))
]


def problem(m: int, n: int, k: int, widths: tuple[int, int, int], dtype: D, chip: Backend) -> L0Problem:
    return L0Problem(
        m, n, k, *widths,
        l0a=chip.mem_size(M.Left), l0b=chip.mem_size(M.Right), l0c=chip.mem_size(M.Acc),
        l0c_align_m=chip.l0c_m_alignment(dtype), cost=chip.l0_cost_model,
    )  # fmt: skip


def rows() -> list[tuple[str, list[str]]]:
    table = SPEC[SPEC.index("| M×N×K |") :].splitlines()[2:]
    out = []
    for line in table:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        out.append((cells[0], cells[1:]))
    return out


@pytest.mark.parametrize(("shape", "cells"), rows(), ids=[row[0] for row in rows()])
def test_chooser_table(shape: str, cells: list[str]) -> None:
    m, n, k = (int(extent) for extent in shape.split("×"))
    for (chip, widths, dtype), cell in zip(COLUMNS, cells, strict=True):
        tile = choose_l0_tile(problem(m, n, k, widths, dtype, chip))
        letter = "OAB"[tile.stationarity] + ("A" if tile.holds_a else "B")
        assert f"{tile.m}/{tile.n}/{tile.k} {letter} {tile.wall}" == cell


def test_an_axis_below_one_fractal_has_no_tile() -> None:
    with pytest.raises(NoLegalTileError, match="M = 8"):
        choose_l0_tile(problem(8, 64, 64, (2, 2, 4), D.FP32, ASCEND910B))


def test_a_bias_table_limits_the_columns_by_its_live_copies() -> None:
    free = problem(256, 256, 64, (2, 2, 4), D.FP32, ASCEND910B)
    assert choose_l0_tile(free).n == 256
    limits = BiasLimits(max_n=256, max_n_pipelined=128, max_n_nested_pipelined=64)
    tile = choose_l0_tile(L0Problem(**{**{f: getattr(free, f) for f in free.__slots__}, "bias": limits}))
    copies = {Stationarity.A: 2, Stationarity.B: 1}.get(tile.stationarity, 4 if tile.holds_a else 2)
    assert tile.k < free.k or tile.n * copies <= 256


def chains(section: str) -> dict[tuple[D, D], tuple[D, ...] | None]:
    """Every (source, target) -> hops of one table of 3.3; ``None`` marks the pairs called unreachable."""
    names = {"hf8": D.HF8, **{dtype.printed.lower(): dtype for dtype in D.by_name.values()}}
    out: dict[tuple[D, D], tuple[D, ...] | None] = {}
    for line in section.splitlines():
        if not line.startswith("| ") or line.startswith("| from"):
            continue
        sources, text = (cell.strip() for cell in line.strip("|").split("|"))
        text = re.sub(r"\(.*?\)", "", text)
        for source in sources.split(" / "):
            for group in text.split(";"):
                targets, _, via = group.partition(":")
                hops = tuple(names[name.strip().lower()] for name in via.split(","))
                for target in re.findall(r"[A-Z]+\d+\w*", targets):
                    out[names[source.lower()], names[target.lower()]] = (*hops, names[target.lower()])
    return out


TABLES = SPEC[SPEC.index("### 3.3") : SPEC.index("INT64 is reachable only from")]
A5_TABLE, A2A3_TABLE = TABLES.split("a2a3:\n")


@pytest.mark.parametrize(
    ("chip", "text"), [(ASCEND950, A5_TABLE), (ASCEND910B, A2A3_TABLE)], ids=["a5", "a2a3"]
)
def test_cast_chain_table(chip: Backend, text: str) -> None:
    table = chains(text)
    assert len(table) > 15
    for (source, target), hops in table.items():
        assert cast_chain(source, target, chip) == hops, (source, target)
    for source, targets in chip.native_casts.items():
        for target in targets:
            assert cast_chain(source, target, chip) == (target,)


UNREACHABLE = [
    (ASCEND950, D.INT8, D.FP32), (ASCEND950, D.INT8, D.BF16), (ASCEND950, D.UINT8, D.BF16),
    (ASCEND950, D.UINT32, D.FP16), (ASCEND950, D.FP8E5M2, D.INT32), (ASCEND950, D.FP4, D.FP16),
    (ASCEND950, D.INT16, D.INT64), (ASCEND950, D.FP32, D.UINT64), (ASCEND910B, D.INT16, D.INT32),
    (ASCEND910B, D.UINT32, D.FP32), (ASCEND910B, D.INT8, D.FP32), (ASCEND910B, D.FP16, D.BOOL),
]  # fmt: skip


@pytest.mark.parametrize(("chip", "source", "target"), UNREACHABLE)
def test_no_cast_chain(chip: Backend, source: D, target: D) -> None:
    assert cast_chain(source, target, chip) is None
