"""Every operator of the catalogue is declared as the catalogue says (docs/spec/ops_tile.yaml)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core.ir import MemorySpace
from pypto_core.ops import (
    ArgKind,
    CoreAffinity,
    Effect,
    FixedSpace,
    InheritSpace,
    OpDef,
    SpaceFromKwarg,
    get_op,
    is_registered,
)

CATALOGUE = Path(__file__).parents[2] / "docs" / "spec" / "ops_tile.yaml"
ENTRIES: list[dict[str, Any]] = yaml.load(CATALOGUE.read_text(encoding="utf-8"), yaml.CSafeLoader)["ops"]

TUPLES = {
    ArgKind.TUPLE,
    ArgKind.LITERAL_TUPLE,
    ArgKind.INT_TUPLE,
    ArgKind.INDEX_TUPLE,
    ArgKind.LITERAL_CONST_TUPLE,
}
KINDS = {
    "tile": {ArgKind.TILE},
    "tensor": {ArgKind.TENSOR, ArgKind.TENSOR_LIKE, ArgKind.ANY},
    "tile|tensor": {ArgKind.TILE_OR_TENSOR},
    "scalar": {ArgKind.SCALAR},
    "tuple": TUPLES | {ArgKind.ANY},
    "const": {ArgKind.CONST_INT, ArgKind.CONST_NUMBER},
    "any": {ArgKind.ANY},
}


@pytest.fixture(params=ENTRIES, ids=lambda e: e["name"])
def entry(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def op(entry: dict[str, Any]) -> OpDef:
    return get_op(entry["name"])


def test_rule_and_category(entry: dict[str, Any], op: OpDef) -> None:
    assert (op.rule, op.category.value) == (entry["rule"], entry["category"])
    assert op.doc.endswith(".")


def test_arguments(entry: dict[str, Any], op: OpDef) -> None:
    assert [p.name for p in op.params] == [a["name"] for a in entry["args"]]
    assert [p.optional for p in op.params] == [a["optional"] for a in entry["args"]]
    assert [[m.name for m in p.memory] for p in op.params] == [a["memory"] for a in entry["args"]]
    assert all(p.kind in KINDS[a["kind"]] for p, a in zip(op.params, entry["args"], strict=True))


def test_keywords(entry: dict[str, Any], op: OpDef) -> None:
    assert [k.name for k in op.kwargs] == [k["name"] for k in entry["kwargs"]]
    assert [k.type.value for k in op.kwargs] == [k["type"] for k in entry["kwargs"]]
    for kwarg, stated in zip(op.kwargs, entry["kwargs"], strict=True):
        always = stated["builder_default"].startswith("required") or stated["deducer"].startswith("required")
        if stated["name"] != "event_id" and stated["builder_default"] not in ("", "n/a"):
            assert kwarg.required is always or kwarg.stored.value == "always", kwarg


def test_output_memory(entry: dict[str, Any], op: OpDef) -> None:
    stated = entry["output_memory"]
    if stated["rule"] == "none":
        assert op.output_memory is None
    elif stated["rule"] == "fixed":
        assert op.output_memory == FixedSpace(MemorySpace[stated["space"]])
    elif stated["rule"] == "inherit_first_tile_input":
        assert op.output_memory == InheritSpace()
    else:
        default = MemorySpace[stated["default"]] if stated["default"] else None
        assert op.output_memory == SpaceFromKwarg(stated["kwarg"], default, stated["retargetable"])


def test_affinity_and_flags(entry: dict[str, Any], op: OpDef) -> None:
    affinity = entry["core_affinity"]
    declared = CoreAffinity(affinity["value"]) if affinity["how"] == "declared" else None
    assert op.affinity is declared
    assert op.no_duplicate is entry["no_duplicate"]
    assert op.inplace_safe is entry["inplace_safe"]
    assert op.evidence.value == entry["evidence"]
    assert op.output_reuses_input == entry.get("output_reuses_input")
    assert list(op.forbid_output_alias) == entry.get("forbid_output_alias", [])
    assert (op.write_channel.value if op.write_channel else None) == entry.get("write_channel")
    assert (op.cross_core_role.value if op.cross_core_role else None) == entry.get("cross_core_role")


def test_row_major(entry: dict[str, Any], op: OpDef) -> None:
    stated = entry.get("backend_row_major")
    need = op.backend_row_major
    assert (None if need is None else {"inputs": list(need.inputs), "output": need.output}) == stated


def test_lane_kinds_and_effects(entry: dict[str, Any], op: OpDef) -> None:
    assert {i: kind.value for i, kind in op.lane_invariant.items()} == entry["lane_invariant"]
    stated: dict[int, str] = entry.get("arg_effects", {})
    plain = {i: e for i, e in stated.items() if " " not in e}
    have = {i: op.effect(i) for i in range(len(op.params)) if op.effect(i) is not Effect.READ}
    assert {i: e.value for i, e in have.items() if i in plain or i not in stated} == plain


CONDITIONAL = [
    ("tile.store", 2, {}, Effect.WRITE),
    ("tile.store", 2, {"atomic": 1}, Effect.READ_WRITE),
    ("tile.mgather", 2, {"coalesce": 1, "target_memory": MemorySpace.Mat}, Effect.WRITE),
    ("tile.mgather", 2, {"coalesce": 0, "target_memory": MemorySpace.Mat}, Effect.READ),
    ("system.syncall", 0, {"mode": "soft"}, Effect.READ_WRITE),
    ("system.syncall", 0, {"core_type": "mix"}, Effect.READ),
]


@pytest.mark.parametrize(("name", "index", "kwargs", "effect"), CONDITIONAL)
def test_conditional_effects(name: str, index: int, kwargs: dict[str, Any], effect: Effect) -> None:
    assert get_op(name).effect(index, kwargs) is effect


def test_newer_operators() -> None:
    assert is_registered("tile.tquant_mx") and is_registered("tile.tquant_mx_raw")
