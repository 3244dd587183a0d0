"""The resolver: binding, kinds, what is said about a wrong call and where, and that it always answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core import ir
from pypto_core.diagnostics import rules
from pypto_core.ops import OpError
from pypto_core.ops.dsl import (
    UNEVALUATED,
    MaskPattern,
    callables,
    find_callable,
    hover_text,
    near_names,
    resolve_dsl_call,
)
from tests.ops.dsl_lines import Line, environment

_SPEC = Path(__file__).parents[2] / "docs" / "spec" / "dsl_ops.yaml"
TABLE: dict[str, Any] = yaml.load(_SPEC.read_text(encoding="utf-8"), yaml.CSafeLoader)
ENTRIES: list[dict[str, Any]] = TABLE["ops"]
ENV = environment()


# -- the catalogue -----------------------------------------------------------------------------------------------------


def test_all_callables() -> None:
    assert sorted(callables()) == sorted(e["name"] for e in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["name"])
def test_signature(entry: dict[str, Any]) -> None:
    callee = find_callable(entry["name"])
    assert callee is not None
    kinds = {"kw_only": "keyword", "var_pos": "rest", "var_kw": "rest_keywords", None: "positional"}
    wanted = [
        (p["name"], kinds[p.get("kind")], "default" in p)
        for p in entry.get("params", ())
        if p["name"] != "span"  # a source position: nothing that an author writes
    ]
    assert [(p.name, p.kind, p.default is not None) for p in callee.params] == wanted
    table = entry.get("ir", {})
    operators = [name for level in ("tensor", "tile", "other") for name in table.get(level, ())]
    assert (list(callee.operators), callee.scalar) == (operators, table.get("scalar_node"))
    assert callee.same_as == entry.get("same_as")
    assert callee.summary.endswith(".") and all(p.doc for p in callee.params)
    assert callee.summary in hover_text(callee)


# -- values that a call stores -------------------------------------------------------------------------------------------

_STORED = {
    "z = pl.mul(x, 2)": "pl.tensor.muls(x, 2.0)",
    "z = pl.mul(lhs=x, rhs=2)": "pl.tensor.muls(x, 2.0)",
    "z = pl.slice(x, [1, 64], [k, 0], drop_dims=[0])": "pl.tensor.slice(x, [1, 64], [k, 0], [], [0])",
    "z = pl.slice(a, [1, 64], [k, 0], drop_dims=[0])": "pl.tile.slice(a, [1, 64], [k, 0], [], [0])",
    "z = pl.read(x, [k, k])": "pl.tensor.read(x, [k, k])",
    "z = pl.tensor.gather(x, idx, dim=-1)": "pl.tensor.gather(x, idx, dim=-1)",
    "z = pl.tensor.scatter(x, idx, y, dim=-1)": "pl.tensor.scatter(x, idx, y, dim=-1)",
    "z = pl.tensor.matmul_acc(x, x, y, k == 0, a_trans=False, b_trans=False)": (
        "pl.tensor.matmul_acc(x, x, y, k == 0, a_trans=False, b_trans=False)"
    ),
    "z = pl.matmul(x, y, b_trans=True, out_dtype=pl.FP32)": (
        "pl.tensor.matmul(x, y, a_trans=False, b_trans=True, c_matrix_nz=False, out_dtype=pl.FP32)"
    ),
    "z = pl.matmul(a, b, out_dtype=pl.FP32)": "pl.tile.matmul(a, b)",
    "z = pl.create_tensor([4], dtype=pl.FP32, init_value=0)": (
        "pl.tensor.create([4], dtype=pl.FP32, layout=pl.TensorLayout.ND, init_value=0.0)"
    ),
    "z = pl.fillpad(x, pad_value=0)": "pl.tensor.fillpad(x, pad_value=pl.PadValue.zero)",
    "z = pl.gather_row(x, y, [0, 0], [k, 0], [8, 64], valid_shape=[k, 64])": (
        "pl.tensor.gather_row(x, y, [0, 0], [k, 0], [8, 64], valid_shape=[k, 64], transpose=False)"
    ),
    "z = pl.scatter_update(x, idx, y, dim=-2)": "pl.tensor.scatter_update(x, idx, y, dim=-2)",
    "z = pl.scatter_update(x, -2, index=idx, src=y)": "pl.tensor.scatter_update(x, idx, y, dim=-2)",
    "z = pl.system.sync_set(event_id=3, pipe=pl.PipeType.FIX)": "pl.system.sync_set(pipe=pl.PipeType.FIX, event_id=3)",
    "z = pld.alloc_window_buffer([4, 8], dtype=pl.FP16)": "pld.tensor.alloc_window_buffer(pl.const(64, pl.INT64))",
    "z = pl.array.update_element(pl.array.create(4, pl.INT32), 0, 3)": (
        "pl.array.update_element(pl.array.create(4, dtype=pl.INT32), 0, pl.const(3, pl.INT32))"
    ),
    "z = pl.sels(ti, a, tmp, 1)": "pl.tile.sels(ti, a, tmp, 1.0)",
    "z = pl.expands(x, 3)": "pl.tensor.expands(x, 3.0)",
    "z = pld.system.notify(sg, k, [0, 0], 1, op=pld.NotifyOp.Set)": "pld.system.notify(sg, k, [0, 0], 1, op=1)",
    "z = pld.system.notify(sg, k, [0, 0], value=1, op=pld.NotifyOp.Set)": (
        "pld.system.notify(sg, k, [0, 0], pl.const(1, pl.INT32), op=1)"
    ),
}


@pytest.mark.parametrize("text", _STORED)
def test_stored(text: str) -> None:
    assert ir.print_ir(Line(text, ENV).value()) == _STORED[text]


def test_raw_literals_take_the_element_type() -> None:
    half = environment("FP16")
    written = Line("z = pl.mul(a, 0.5)", half).value()
    keyword = Line("z = pl.mul(a, rhs=0.5)", half).value()
    assert ir.print_ir(written) == "pl.tile.muls(a, 0.5)"
    assert ir.print_ir(keyword) == "pl.tile.muls(a, pl.const(0.5, pl.FP16))"


def test_shard_takes_the_mode_of_its_region() -> None:
    region = ir.SplitMode.UP_DOWN
    assert (
        ir.print_ir(Line("z = pl.aiv_shard(x)", ENV, region=region).value())
        == "pl.tensor.aiv_shard(x, split=1)"
    )
    assert (
        ir.print_ir(Line("z = pl.aic_gather(a)", ENV, region=region).value())
        == "pl.tile.aic_gather(a, split=1)"
    )
    assert ir.print_ir(Line("z = pl.aiv_shard(a, split=2)", ENV).value()) == "pl.tile.aiv_shard(a, split=2)"


# -- wrong calls ---------------------------------------------------------------------------------------------------------

#: line -> code, argument index or keyword at fault, words of the message
_WRONG: dict[str, tuple[str, int | str | None, str]] = {
    "z = pl.expp(x)": ("op-unknown", None, "did you mean pl.exp"),
    "z = pl.tile.tensor_exp(a)": ("op-unknown-in-namespace", None, "pl.tile has no operator"),
    "z = pl.system.add(x, y)": ("op-unknown-in-namespace", None, "pl.add"),
    "z = pl.graph.add(x, y)": ("op-unknown-in-namespace", None, "pl.graph is not a namespace"),
    "z = pl.exp(x, y)": ("op-bad-arguments", 1, "takes 1 positional argument but 2 were given"),
    "z = pl.exp()": ("op-bad-arguments", None, "missing 1 required positional argument: 'input'"),
    "z = pl.matmul(x, y, b_tran=True)": ("op-bad-arguments", "b_tran", "did you mean 'b_trans'"),
    "z = pl.matmul(x, y, lhs=x)": ("op-bad-arguments", "lhs", "multiple values for argument 'lhs'"),
    "pl.tpush_to_aiv(a)": ("op-bad-arguments", None, "keyword-only argument: 'split'"),
    "z = pl.add(x, a)": ("op-kind", 1, "cannot mix Tensor and Tile arguments (Tensor, Tile)"),
    "z = pl.add(2.0, x)": ("scalar-left-operand", 0, "right operand"),
    "z = pl.mul(a, k)": ("index-scalar-operand", 1, "pl.cast(..., pl.FP32)"),
    "z = pl.add(s, k)": ("scalar-category-mismatch", None, "fp32 and index"),
    "z = pl.cmp(s, 2.0)": ("op-kind", 0, "expected Tensor or Tile operands, got (Scalar, ConstFloat)"),
    "z = pl.tile.exp(x)": ("op-kind", 0, "for a Tensor use pl.tensor.exp"),
    "z = pl.tensor.exp(a)": ("op-kind", 0, "for a Tile use pl.tile.exp"),
    "z = pl.load(a, [0, 0], [8, 8])": ("op-kind", 0, "got TileType"),
    "z = pl.load(x, [0, 0], [8, 8], target_memory=pl.Mem.Acc)": (
        "op-memory",
        "target_memory",
        "pl.Mem.Vec or pl.Mem.Mat",
    ),
    "z = pl.load(x, [60, 0], [8, 64])": ("op-shape", 1, "reads past the end of dimension 0"),
    "z = pl.row_sum(a)": ("op-bad-arguments", None, "require tmp_tile"),
    "z = pl.row_sum(x, tmp)": ("op-bad-arguments", 1, "Tensor inputs take no tmp_tile"),
    "z = pl.xor(a, b)": ("op-bad-arguments", None, "explicit scratch tile"),
    "z = pl.matmul(a, b, b_trans=True)": ("op-bad-arguments", "b_trans", "pl.tile.transpose_view"),
    "z = pl.matmul(a, b, out_dtype=pl.FP16)": ("op-dtype", "out_dtype", "accumulator dtype FP32"),
    "z = pl.assemble(a, b, [0, 0], atomic=pl.AtomicType.Add)": (
        "op-bad-arguments",
        "atomic",
        "not supported for Tile",
    ),
    "z = pl.slice(a, [8, 8], [0, 0], clamp=True)": ("op-bad-arguments", "clamp", "not supported for Tile"),
    "z = pl.rsqrt(a, high_precision=True)": ("op-bad-arguments", "high_precision", "pl.tile.rsqrt"),
    "z = pl.div(x, 2.0, high_precision=True)": ("op-bad-arguments", "high_precision", "not a scalar"),
    "z = pl.cast(x, pl.FP16, mode='up')": ("op-value", "mode", "Invalid rounding mode 'up'"),
    "z = pl.cast(s, pl.INT32, mode='floor')": ("op-bad-arguments", "mode", "only mode='round'"),
    "z = pl.cast(x, pl.FP32)": ("op-dtype", 1, "equals input dtype"),
    "z = pl.gather(x)": ("op-bad-arguments", None, "needs dim"),
    "z = pl.gather(x, dim=0, index=idx, mask_pattern=1)": ("op-bad-arguments", None, "either dim and index"),
    "z = pl.scatter(x, -1, idx, y)": ("op-keyword", 1, "incompatible type"),
    "z = pl.mrgsort(x)": ("op-bad-arguments", None, "at least two lists"),
    "z = pl.mrgsort(x, y, block_len=64)": ("op-bad-arguments", 1, "one list"),
    "z = pl.fillpad(x, pad_value=3)": ("op-value", "pad_value", "0, inf, -inf"),
    "z = pl.fillpad(x, pl.PadValue.null)": ("op-value", 1, "not null"),
    "z = pl.slice(x, 8, [0, 0])": ("op-kind", 1, "must be a list of extents"),
    "z = pl.tpop_from_aic(shape=[16, 16])": ("op-bad-arguments", "shape", "given together"),
    "pl.system.syncall(core_type='both')": ("op-value", "core_type", "'aiv_only'"),
    "pl.system.cacheinvalid(x)": ("op-bad-arguments", None, "together"),
    "z = pl.aiv_shard(a)": ("shard-gather-form", None, "explicit split="),
    "z = pl.aiv_shard(x, split=1)": ("shard-gather-form", 0, "takes a tile"),
    "z = pl.aic_gather(a, split=1, lane_stride=3)": ("shard-gather-form", "lane_stride", "only on aiv_shard"),
    "z = pl.aiv_shard(d, split=1)": ("shard-gather-form", 0, "distributed tensor"),
    "pld.remote_store(k, d, k, [0, 0])": ("op-kind", 0, "Tile or a Tensor"),
    "z = pld.alloc_window_buffer([4, 8])": ("op-bad-arguments", 0, "needs dtype="),
    "z = pl.no_dep(x)": ("op-unknown", None, "pl.tensor.no_dep"),
    "z = pl.tensor.no_dep(x)": ("op-bad-arguments", None, "marker"),
}


@pytest.mark.parametrize("text", _WRONG)
def test_wrong_call(text: str) -> None:
    code, where, words = _WRONG[text]
    line = Line(text, ENV)
    with pytest.raises(OpError) as caught:
        line.value()
    error = caught.value
    assert (error.diagnostic.code, error.arg_index if error.keyword is None else error.keyword) == (
        code,
        where,
    )
    assert words in error.diagnostic.message
    assert code in rules()
    if not code.startswith("op-unknown"):
        assert "\nExpected: " in error.diagnostic.message
    if where is not None:
        # The written argument and nothing else is underlined.
        assert error.diagnostic.span.end - error.diagnostic.span.start < len(text.partition("= ")[2] or text)


def test_region_refuses_keywords() -> None:
    with pytest.raises(OpError) as caught:
        Line("z = pl.aiv_shard(a, split=1)", ENV, region=ir.SplitMode.UP_DOWN).value()
    assert (caught.value.diagnostic.code, caught.value.keyword) == ("shard-gather-form", "split")


def test_near_names() -> None:
    assert near_names("pl.tile.create_tensor")[:1] == ("pl.create_tensor",)
    assert "pl.matmul" in near_names("pl.matmull")


# -- what is not known stays unsaid -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("argument", [UNEVALUATED, [8, UNEVALUATED], ir.Var("bad", ir.ERROR_TYPE)])
def test_unknown_values_silence_the_call(argument: Any) -> None:
    span = ir.Span.unknown()
    for path in ("pl.slice", "pl.add", "pl.tile.load", "pl.aiv_shard", "pld.tensor.put"):
        params = len([p for p in callables()[path].params if p.required])
        result = resolve_dsl_call(path, [argument] * params, {}, span=span)
        assert result.type is ir.ERROR_TYPE
    with pytest.raises(OpError):
        resolve_dsl_call("pl.exp", [argument], {"bogus": 1}, span=span)


# -- any call is answered ------------------------------------------------------------------------------------------------

_POOL: tuple[Any, ...] = (
    *ENV.values(),
    ir.ConstInt(0),
    ir.ConstInt(-3),
    ir.ConstInt(64),
    ir.ConstFloat(1.5),
    ir.ConstBool(True),
    ir.Var("u", ir.UNKNOWN),
    [0, 0],
    [64, 64],
    [],
    [ENV["k"], 8],
    [[1], "x"],
    0,
    1,
    -1,
    2.5,
    float("nan"),
    float("inf"),
    True,
    None,
    "round",
    "mesh",
    "nonsense",
    ir.DataType.FP16,
    ir.DataType.INT32,
    ir.MemorySpace.Mat,
    ir.PadValue.null,
    ir.TensorLayout.DN,
    ir.TileLayout.row_major,
    ir.AtomicType.Add,
    ir.PipeType.V,
    MaskPattern.P0101,
    object(),
)


@pytest.mark.parametrize("path", list(callables()))
def test_any_call_is_answered(path: str) -> None:
    """A typed expression or one diagnostic, never another exception: 60 random calls per callable."""
    choose = random.Random(path)
    callee = callables()[path]
    for attempt in range(60):
        args = [choose.choice(_POOL) for _ in range(choose.randrange(len(callee.params) + 2))]
        names = [p.name for p in callee.params[len(args) :]]
        kwargs = {name: choose.choice(_POOL) for name in names if choose.random() < 0.5}
        try:
            result = resolve_dsl_call(
                path,
                args,
                kwargs,
                span=ir.Span.unknown(),
                region_split=choose.choice([None, *ir.SplitMode]),
                printed=attempt % 3 == 0,
            )
        except OpError as error:
            assert error.diagnostic.message
        else:
            assert isinstance(result, ir.Expr) and result.type is not None


# -- the examples of the rule table -----------------------------------------------------------------------------------------


def test_printed_only_operators_report_faults() -> None:
    """Operators without a spelling of their own exist in printed IR only, and complain like the others."""
    span = ir.Span.unknown()
    made = resolve_dsl_call("pl.tensor.aiv_shard", [ENV["x"]], {"split": 1}, span=span, printed=True)
    assert ir.print_ir(made) == "pl.tensor.aiv_shard(x, split=1)"
    with pytest.raises(OpError) as caught:
        resolve_dsl_call("pl.tensor.aiv_shard", [ENV["x"]], {"split": 1}, span=span)
    assert caught.value.diagnostic.code == "op-unknown-in-namespace"
    for arguments in ([], [ENV["a"]], [object()]):
        with pytest.raises(OpError):
            resolve_dsl_call("pl.tensor.aiv_shard", arguments, {}, span=span, printed=True)
