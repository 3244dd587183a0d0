"""Chip facts against the tables of ``docs/spec/ir.md`` §8 and ``docs/spec/passes_tile.md`` 0.3."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from pypto_core.backend import ASCEND910B, ASCEND950, Backend, L0CostModel, get_backend, physical_tile_bytes
from pypto_core.ir import ConstInt, DataType, MemorySpace, ScalarType, Var

SPEC = (Path(__file__).parents[2] / "docs" / "spec" / "ir.md").read_text(encoding="utf-8")
SECTION = SPEC[SPEC.index("## 8. Backend facts") :]


def rows(first_header: str) -> list[list[str]]:
    """Body rows of the table of §8 whose first header cell is ``first_header``."""
    table = SECTION[SECTION.index(f"| {first_header} |") :].splitlines()[2:]
    out = []
    for line in table:
        if not line.startswith("|"):
            return out
        out.append([cell.strip() for cell in line.strip("|").split("|")])
    return out


def test_names() -> None:
    assert get_backend("a2a3") is get_backend("Ascend910B") is ASCEND910B
    assert get_backend("a5") is get_backend("Ascend950") is ASCEND950
    assert get_backend(None) is None is get_backend("none")
    assert get_backend(ASCEND950) is ASCEND950
    with pytest.raises(ValueError, match="unknown backend 'a7'"):
        get_backend("a7")


def test_facts() -> None:
    checked = 0
    for name, on_910b, on_950 in rows("fact"):
        for chip, text in ((ASCEND910B, on_910b), (ASCEND950, on_950)):
            checked += check_fact(chip, name, on_910b if text == "same" else text)
    assert checked >= 40


def check_fact(chip: Backend, name: str, text: str) -> bool:
    """Compare one fact where it has a plain form; returns whether it was compared."""
    if text.split()[0] in ("true", "false"):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
        attribute = words.lower().replace("vto_c", "v_to_c")
        assert getattr(chip, attribute) is (text.split()[0] == "true"), name
        return True
    plain = {
        "arch string": chip.arch,
        "simulator platform": chip.simulator_platform,
        "ptoas flags": chip.ptoas_flags,
        "launch core-count method": chip.launch_core_count_method,
        "GM access granularity (bytes)": str(chip.gm_access_granularity),
        "L2 cache line (bytes)": str(chip.l2_cache_line),
        "recommended innermost bytes": str(chip.recommended_innermost_bytes),
    }
    if name in plain:
        assert plain[name] == text.strip("`")
        return True
    sizes = {"Vec capacity usable": "Vec", "Left / Right": "Left", "LeftScale / RightScale": "LeftScale"}
    space = sizes.get(name, name)
    if space in MemorySpace.__members__:
        kib = 0 if text == "absent" else int(text.split()[0])
        assert chip.mem_size(MemorySpace[space]) == kib * 1024, name
        return True
    if name == "memory moves":
        graph = {
            MemorySpace[source]: frozenset(MemorySpace[t] for t in targets.strip("{}").split(","))
            for source, targets in re.findall(r"(\w+)→(\{[^}]*\}|\w+)", text)
        }
        assert dict(chip.memory_graph) == graph
        return True
    return False


def test_cost_model() -> None:
    parameters = rows("parameter")
    assert len(parameters) == len(fields(L0CostModel))
    for name, *values in parameters:
        for chip, value in zip((ASCEND910B, ASCEND950), values, strict=True):
            assert getattr(chip.l0_cost_model, name) == float(value), name


def test_native_casts() -> None:
    tables: dict[str, dict[DataType, tuple[DataType, ...]]] = {"a2a3": {}, "a5": {}}
    for sources, *columns in rows("source"):
        for source in sources.split(" / "):
            for arch, cell in zip(("a2a3", "a5"), columns, strict=True):
                if cell != "—":
                    tables[arch][DataType.by_name[source]] = tuple(DataType.by_name[t] for t in cell.split())
    for chip in (ASCEND910B, ASCEND950):
        assert dict(chip.native_casts) == tables[chip.arch]


@pytest.mark.parametrize(
    ("shape", "dtype", "space", "chip", "size"),
    [
        ((16, 32), DataType.INT32, MemorySpace.Acc, ASCEND910B, 4096),
        ((16, 32), DataType.INT32, MemorySpace.Acc, ASCEND950, 2048),
        ((16, 32), DataType.INT32, MemorySpace.Acc, None, 4096),
        ((8, 32), DataType.FP32, MemorySpace.Acc, None, 2048),
        ((3, 5), DataType.FP4, MemorySpace.Vec, ASCEND950, 8),
        ((2, 8, 16), DataType.FP16, MemorySpace.Mat, ASCEND910B, 512),
    ],
)
def test_physical_size(
    shape: tuple[int, ...], dtype: DataType, space: MemorySpace, chip: Backend | None, size: int
) -> None:
    assert physical_tile_bytes([ConstInt(d) for d in shape], dtype, space, chip) == size


def test_a_symbolic_tile_has_no_size() -> None:
    n = Var("n", ScalarType.of(DataType.INDEX))
    assert physical_tile_bytes([n, ConstInt(4)], DataType.FP32, MemorySpace.Vec, ASCEND910B) is None
