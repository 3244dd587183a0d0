"""Every operator of the tensor-side catalogue is declared as the catalogue says (docs/spec/ops_tensor.yaml)."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core import ir
from pypto_core.ops import Effect, InheritSpace, OpDef, Stored, all_ops, get_op
from pypto_core.ops.registry import KwargType, KwParam
from tests.ops.dsl_lines import Line
from tests.ops.probe_reader import read_type

_SPEC = Path(__file__).parents[2] / "docs" / "spec" / "ops_tensor.yaml"
ENTRIES: list[dict[str, Any]] = yaml.load(_SPEC.read_text(encoding="utf-8"), yaml.CSafeLoader)["ops"]

#: The catalogue's kind -> the rule document says another one (docs/spec/ops_tensor.md wins: T-REDUCE takes windows; a
#: malformed drop_dims is worded by the rule).
_KIND_OF_RULE = {("T-REDUCE", "input"): "tensor_like", ("T-SLICE", "drop_dims"): "any_tuple"}
_STORED = {
    "always": Stored.ALWAYS,
    "only when true": Stored.WHEN_TRUTHY,
    "only when nonzero": Stored.WHEN_TRUTHY,
    "only when given": Stored.WHEN_GIVEN,
    "last, only when given": Stored.WHEN_GIVEN,
    "never emitted": Stored.NEVER,
    "compiler": Stored.NEVER,
}
_TYPES = {
    "int": KwargType.INT,
    "bool": KwargType.BOOL,
    "str": KwargType.STR,
    "float": KwargType.FLOAT,
    "dtype": KwargType.DTYPE,
    "pad_value": KwargType.PAD_VALUE,
    "tensor_layout": KwargType.TENSOR_LAYOUT,
    "memory_space": KwargType.MEMORY_SPACE,
}


@pytest.fixture(params=ENTRIES, ids=lambda e: e["name"])
def entry(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def op(entry: dict[str, Any]) -> OpDef:
    return get_op(entry["name"])


def test_nothing_but_the_catalogue() -> None:
    families = (
        "tensor",
        "array",
        "pld.tensor",
        "pld.tile",
        "pld.system",
        "prefetch",
        "builtin.tensor",
        "dist",
    )
    assert {o.name for o in all_ops() if o.namespace in families} == {e["name"] for e in ENTRIES}


def test_rule_and_category(entry: dict[str, Any], op: OpDef) -> None:
    assert (op.rule, op.category.value) == (entry["type_rule"], entry["category"])
    assert op.tile_conversion == entry.get("tile_conversion")
    assert op.doc.endswith(".")


def test_arguments(entry: dict[str, Any], op: OpDef) -> None:
    wanted = [
        (a["name"], _KIND_OF_RULE.get((op.rule, a["name"]), a["kind"]), a["optional"]) for a in entry["args"]
    ]
    assert [(p.name, p.kind.value, p.optional) for p in op.params] == wanted
    memory = {
        i: tuple(ir.MemorySpace[m] for m in spaces) for i, spaces in entry.get("input_memory", {}).items()
    }
    assert {i: p.memory for i, p in enumerate(op.params) if p.memory} == memory


def test_keywords(entry: dict[str, Any], op: OpDef) -> None:
    assert [(k.name, k.type, k.required) for k in op.kwargs] == [
        (k["name"], _TYPES[k["type"]], k["required"]) for k in entry["kwargs"]
    ]
    for declared, wanted in zip(op.kwargs, entry["kwargs"], strict=True):
        assert _default(declared) == wanted["default"], declared.name
        assert _when(wanted["builder"]) in (None, declared.stored), declared.name
        assert declared.doc


def _default(declared: KwParam) -> Any:
    value = declared.default
    return value.printed if isinstance(value, (ir.DataType, ir.IREnum)) else value


def _when(builder: str) -> Stored | None:
    longest = [words for words in sorted(_STORED, key=len, reverse=True) if builder.startswith(words)]
    return _STORED[longest[0]] if longest else None


def test_effects_and_flags(entry: dict[str, Any], op: OpDef) -> None:
    written = {i: op.effect(i).value for i in range(op.max_args) if op.effect(i) is not Effect.READ}
    assert written == entry["effects"]["writes"]
    assert op.effects_declared is entry["effects"]["declared"]
    if "conditional" in entry["effects"]:
        keyword_name, value = ("op", 1) if "op is Set" in entry["effects"]["conditional"] else ("atomic", 1)
        (index,) = written
        other = op.effect(index, {keyword_name: value})
        assert {op.effect(index, {}), other} == {Effect.WRITE, Effect.READ_WRITE}
    assert (op.write_channel.value if op.write_channel else None) == entry["write_channel"]
    assert op.output_reuses_input == entry["output_reuses_input"]
    assert isinstance(op.output_memory, InheritSpace) is (entry["output_memory"] == "inherit_input")
    assert (op.affinity.name if op.affinity is not None else None) == entry["core_affinity"]
    assert (op.no_duplicate, op.internal_only) == (entry["no_duplicate"], entry["internal_only"])


# -- the printed example of each entry ---------------------------------------------------------------------------------

_T = {
    "x": "pl.Tensor[[64, 128], pl.FP32]",
    "y": "pl.Tensor[[64, 128], pl.FP32]",
    "n": "pl.Scalar[pl.INDEX]",
    "i": "pl.Scalar[pl.INDEX]",
    "p": "pl.Scalar[pl.INT32]",
    "v": "pl.Scalar[pl.FP32]",
    "kv": "pl.Scalar[pl.FP32]",
    "c": "pl.Tensor[[1, 128], pl.FP32]",
    "r_1": "pl.Tensor[[64, 1], pl.FP32]",
    "w": "pld.DistributedTensor[[64, 128], pl.FP32]",
    "w4": "pld.DistributedTensor[[4, 128], pl.FP32]",
    "sg": "pld.DistributedTensor[[4, 1], pl.INT32]",
    "arr": "pl.Array[4, pl.INT32]",
    "buf": "pl.Ptr",
    "ctx": "pld.CommCtxType",
    "stage": "pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec]",
    "t": "pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec]",
    "s": "pl.Tensor[[16, 128], pl.FP32]",
}
_INT = {"x": "pl.Tensor[[64, 128], pl.INT32]", "y": "pl.Tensor[[64, 128], pl.INT32]"}
_MATMUL = {"a": "pl.Tensor[[64, 64], pl.BF16]", "b": "pl.Tensor[[64, 128], pl.BF16]"}
_PREFETCH = {
    "x": "pl.Tensor[[1, 128], pl.FP32]",
    "ctx": "pl.PrefetchAsyncContext",
    "e": "pl.AsyncEvent",
    "s": "pl.AsyncSession",
}

#: Variables of an example where they differ from `_T`.
_SPECIAL: dict[str, dict[str, str]] = {
    **{
        f"tensor.{n}": _INT for n in ("and", "ands", "or", "ors", "xor", "xors", "shl", "shls", "shr", "shrs")
    },
    "tensor.not": {"x": "pl.Tensor[[64, 128], pl.INT16]"},
    "tensor.matmul": _MATMUL,
    "tensor.matmul_acc": _MATMUL,
    "tensor.expand_clone": {"x": "pl.Tensor[[1, 16, 32], pl.FP32]", "tg": "pl.Tensor[[4, 16, 32], pl.FP32]"},
    "tensor.fillpad": {"xv": "pl.Tensor[[64, 128], pl.FP32, TensorView(valid_shape=[60, 128], ND)]"},
    "tensor.gather": {"idx": "pl.Tensor[[64, 16], pl.INT32]"},
    "tensor.gather_mask": {"x": "pl.Tensor[[64, 128], pl.FP32]"},
    "tensor.gather_row": {"acc": "pl.Tensor[[64, 128], pl.BF16]", "kv": "pl.Tensor[[512, 128], pl.BF16]"},
    "tensor.paged_gather": {
        "kv": "pl.Tensor[[512, 128], pl.BF16]",
        "idx": "pl.Tensor[[64], pl.INT32]",
        "bt": "pl.Tensor[[32], pl.INT32]",
    },
    "tensor.scatter": {"idx": "pl.Tensor[[64, 16], pl.INT32]", "s": "pl.Tensor[[64, 16], pl.FP32]"},
    "tensor.scatter_mask": {"x": "pl.Tensor[[8, 16], pl.FP32]", "d": "pl.Tensor[[8, 32], pl.FP32]"},
    "tensor.scatter_update": {
        "x": "pl.Tensor[[16, 32], pl.FP32]",
        "idx": "pl.Tensor[[2, 4], pl.INT32]",
        "s": "pl.Tensor[[8, 32], pl.FP32]",
    },
    "tensor.sort32": {"idx": "pl.Tensor[[64, 128], pl.UINT32]"},
    "pld.tensor.all_to_all": {"x": "pl.Tensor[[4, 128], pl.FP32]"},
    "pld.tensor.all_to_all_v": {
        "x": "pl.Tensor[[32, 128], pl.FP32]",
        "w": "pld.DistributedTensor[[32, 128], pl.FP32]",
        "sc": "pl.Tensor[[4], pl.INT32]",
        "rc": "pld.DistributedTensor[[4, 1], pl.INT32]",
    },
    "pld.tensor.allgather": {"x": "pl.Tensor[[1, 128], pl.FP32]"},
    **{f"prefetch.{n}": _PREFETCH for n in ("async_prefetch", "make_context", "session", "wait")},
}
_EXAMPLES = [e for e in ENTRIES if "printed_example" in e]


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda e: e["name"])
def test_printed_example(example: dict[str, Any]) -> None:
    """Read as printed IR, each example is the call it shows, with the type it shows; printed again, it is the same text."""
    text = example["printed_example"]
    name, op = example["name"], get_op(example["name"])
    annotated, _, call_text = text.rpartition(" = pl")
    line = Line("r = pl" + call_text if annotated else text, _variables(name), printed=True)
    value = line.value()
    assert isinstance(value, ir.Call)
    assert value.name == name
    if annotated:
        assert ir.print_ir(ir.AssignStmt(ir.Var("r", value.type), value)) == text
    else:
        assert ir.print_ir(value) == text
    assert keyword.iskeyword(name.rpartition(".")[2]) is ("printed_name" in example)
    assert op.name == name


def _variables(name: str) -> dict[str, ir.Expr]:
    return {v: ir.Var(v, read_type(t)) for v, t in {**_T, **_SPECIAL.get(name, {})}.items()}
