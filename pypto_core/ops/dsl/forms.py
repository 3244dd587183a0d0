"""Callables with several forms, or whose arguments need rearranging (docs/spec/dsl_ops.yaml, ops_tile.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pypto_core.ir import (
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    MakeTuple,
    MemorySpace,
    ScalarType,
    TensorType,
    TileType,
    make_binary,
)
from pypto_core.ops.dsl import normalise
from pypto_core.ops.dsl.lowering import Lowering, argument, build, emit, keyword_value
from pypto_core.ops.dsl.values import DslFault, DslValue, is_scalar, kind_word, level_of
from pypto_core.ops.registry import get_op, untyped_op_call

Form = Callable[[Lowering], Expr]


def _level(low: Lowering) -> str:
    return low.callee.namespace.rpartition(".")[2]


# -- tensor/tile operator or its scalar variant --------------------------------------------------------------------


def _with_scalar(low: Lowering) -> Expr:
    """``add`` and friends: the right operand decides between ``op`` and ``op`` + ``s``."""
    plain, scalar = sorted(low.callee.operators, key=len)[:2]
    if not is_scalar(low.values.get("rhs")):
        return build(low, plain)
    if low.differs("high_precision"):
        low.fault(
            "high_precision needs a tensor or tile as the right operand, not a scalar", "high_precision"
        )
    return build(low, scalar, skip=("high_precision",))


# -- gather, scatter, sort -------------------------------------------------------------------------------------------


def _tensor_gather(low: Lowering) -> Expr:
    by_mask = low.given("mask_pattern")
    by_value = low.given("kvalue") or low.given("cmp_mode") or low.given("out_cols")
    by_index = low.given("dim") or low.given("index")
    if by_mask + by_value + by_index > 1:
        low.fault("give either dim and index, or mask_pattern, or kvalue with cmp_mode and out_cols")
    if by_mask:
        return build(low, "tensor.gather_mask", skip=("dim", "index", "kvalue", "cmp_mode", "out_cols", "offset", "count_dtype"))  # fmt: skip
    if by_value:
        for name in ("kvalue", "cmp_mode", "out_cols"):
            if not low.given(name):
                low.fault(f"the comparing form needs {name}")
        return build(low, "tensor.gather_compare", skip=("dim", "index", "mask_pattern", "output_dtype"))
    for name in ("dim", "index"):
        if not low.given(name):
            low.fault(f"the indexed form needs {name}")
    low.values["dim"] = normalise.integer_of(low.values["dim"])
    return build(low, "tensor.gather", skip=("mask_pattern", "output_dtype", "kvalue", "cmp_mode", "out_cols", "offset", "count_dtype"))  # fmt: skip


def _tensor_scatter(low: Lowering) -> Expr:
    if low.given("mask_pattern") or low.given("dst"):
        for name in ("mask_pattern", "dst"):
            if not low.given(name):
                low.fault(f"the masked form needs {name}")
        for name in ("dim", "index", "src"):
            if low.given(name):
                low.fault(f"the masked form takes no {name}", name)
        return build(low, "tensor.scatter_mask", skip=("dim", "index", "src"))
    for name in ("dim", "index", "src"):
        if not low.given(name):
            low.fault(f"the indexed form needs {name}")
    return build(low, "tensor.scatter", skip=("mask_pattern", "dst"))


def _scatter_update(low: Lowering) -> Expr:
    """(input, dim, index, src), (input, index, src, dim=) and (input, dim, index=, src=)."""
    rest, named = list(low.rest), dict(low.rest_keywords)
    for key in named:
        if key not in ("dim", "index", "src"):
            low.fault(f"{low.callee.name}() got an unexpected keyword argument '{key}'", key)
    order = (
        ("index", "src")
        if "dim" in named or (rest and level_of(rest[0]) is not None)
        else ("dim", "index", "src")
    )
    if len(rest) > len(order):
        low.fault(f"{low.callee.name}() takes at most {len(order) + 1} positional arguments", None)
    for position, (name, value) in enumerate(zip(order, rest)):
        if name in named:
            low.fault(f"{low.callee.name}() got multiple values for argument '{name}'", name)
        named[name] = value
        low.origin[name] = position + 1
    for key in low.rest_keywords:
        low.origin[key] = key
    for name in ("index", "src"):
        if name not in named:
            low.fault(f"{low.callee.name}() missing required argument '{name}'")
    operand = low.values["input"]
    args = [normalise.as_expr(v, low.site.span, n) for n, v in (("input", operand), ("index", named["index"]), ("src", named["src"]))]  # fmt: skip
    dim = normalise.integer_of(named.get("dim", -2))
    return emit(
        low, f"{_level_of_operand(low)}.scatter_update", args, {"dim": dim}, ["input", "index", "src"]
    )


def _level_of_operand(low: Lowering) -> str:
    category = _level(low)
    return category if category in ("tensor", "tile") else level_of(low.values.get("input")) or "tensor"


def _mrgsort(low: Lowering) -> Expr:
    level = _level(low)
    if low.given("block_len"):
        for name in ("src1", "src2", "src3", "tmp"):
            if low.given(name):
                low.fault(
                    f"block_len merges the blocks of one list; {name} belongs to the form without it", name
                )
        op = get_op(f"{level}.mrgsort_format1")
        params = {p.name: p for p in low.callee.params}
        args = [argument(low, params[name], op, low.values[name]) for name in ("src0", "block_len")]
        return emit(low, op.name, args, {}, ["src0", "block_len"])
    if not low.given("src1"):
        low.fault("merging needs either block_len or at least two lists (src0, src1)")
    if low.given("src3") and not low.given("src2"):
        low.fault("src3 needs src2", "src3")
    if level == "tile" and not low.given("tmp"):
        low.fault("merging tiles needs a scratch tile tmp")
    names = [n for n in ("src0", "src1", "src2", "src3", "tmp") if low.given(n)]
    args = [normalise.as_expr(low.values[n], low.span_of(n), n) for n in names]
    return emit(low, f"{level}.mrgsort_format2", args, {"exhausted": low.value("exhausted")}, names)


def _mrgsort_lists(low: Lowering) -> Expr:
    args = [normalise.as_expr(value, low.site.span, "args") for value in low.rest]
    return emit(low, f"{_level(low)}.mrgsort_format2", args, {"exhausted": low.value("exhausted")})


def _gather_mask(low: Lowering) -> Expr:
    return build(low, f"{_level(low)}.gather_mask")


def _gather_compare(low: Lowering) -> Expr:
    return build(low, f"{_level(low)}.gather_compare")


def _scatter_mask(low: Lowering) -> Expr:
    return build(low, f"{_level(low)}.scatter_mask")


def _sorted_blocks(low: Lowering) -> Expr:
    return build(low, f"{_level(low)}.mrgsort_format1")


# -- memory ----------------------------------------------------------------------------------------------------------


def _load(low: Lowering) -> Expr:
    space = low.value("target_memory")
    if isinstance(space, MemorySpace) and space not in (MemorySpace.Vec, MemorySpace.Mat):
        low.fault(
            f"target_memory must be pl.Mem.Vec or pl.Mem.Mat, but got pl.Mem.{space.name}; load there and pl.move on",
            "target_memory",
            "op-memory",
        )
    if not low.given("valid_shape"):
        low.values["valid_shape"] = low.values.get("shapes")
        if "shapes" in low.origin:
            low.origin.setdefault("valid_shape", low.origin["shapes"])
    return build(low, "tile.load")


def _slice(low: Lowering) -> Expr:
    if low.given("drop_dims") and not low.given("valid_shape"):
        low.values["valid_shape"] = MakeTuple((), span=low.site.span)
    pad = low.values.get("pad_value")
    if pad is not None:
        low.values["pad_value"] = normalise.pad_value(pad, "pad_value")
    return build(low, f"{_level(low)}.slice")


def _alloc(low: Lowering) -> Expr:
    space = low.values["memory_space"]
    if not isinstance(space, MemorySpace):
        low.fault(f"the first argument must be a memory space such as pl.Mem.Vec, but got {kind_word(space)}", "memory_space", "alloc-form")  # fmt: skip
    return build(low, f"{_level(low)}.alloc")


def _tpop(low: Lowering) -> Expr:
    """With shape and dtype the call has the type they state; without, whoever assigns it says what it is."""
    name = low.callee.name
    kwargs = {k: low.value(k) for k in ("split", "lane_stride", "id") if low.callee.param(k) and low.value(k) is not None}  # fmt: skip
    shape, dtype = low.values.get("shape"), low.values.get("dtype")
    if (shape is None) is not (dtype is None):
        low.fault("shape and dtype are given together or not at all", "shape" if dtype is None else "dtype")
    call = emit(low, f"tile.{name}", [], kwargs)
    if shape is None:
        return call
    dims = normalise.as_dims(shape, low.span_of("shape"), "shape")
    element = normalise.dtype_value(dtype, "dtype")
    if not isinstance(dims, MakeTuple):
        low.fault("shape must be a list of integers", "shape", "op-value")
    if not isinstance(element, DataType):
        low.fault(
            f"dtype must be a data type such as pl.FP32, but got {kind_word(dtype)}", "dtype", "op-value"
        )
    space = MemorySpace.Vec if name == "tpop_from_aic" else MemorySpace.Mat
    stated = TileType(dims.elements, element, None, None, space)
    return untyped_op_call(
        f"tile.{name}", [], kwargs, result=stated, attrs=low.site.attrs, span=low.site.span
    )


# -- system ----------------------------------------------------------------------------------------------------------


def _event(low: Lowering) -> Expr:
    """An integer event is a keyword of the call, an expression its operand."""
    event = low.values["event_id"]
    operator = f"system.{low.callee.name}"
    kwargs = {k: low.value(k) for k in ("pipe", "ffts_mode", "core_type") if low.callee.param(k) and low.value(k) is not None}  # fmt: skip
    if isinstance(event, Expr):
        return emit(low, operator, [event], kwargs, ["event_id"])
    return emit(low, operator, [], {"event_id": event, **kwargs}, [])


def _syncall(low: Lowering) -> Expr:
    core_type, mode = low.value("core_type"), low.value("mode")
    if core_type not in ("aiv_only", "aic_only", "mix"):
        low.fault(
            f"core_type must be 'aiv_only', 'aic_only' or 'mix', but got {core_type!r}",
            "core_type",
            "op-value",
        )
    if mode == "hard":
        for name in ("gm_workspace", "used_cores"):
            if low.given(name):
                low.fault(f"{name} belongs to mode='soft'", name)
        return emit(low, "system.syncall", [], {"core_type": core_type})
    if mode != "soft":
        low.fault(f"mode must be 'hard' or 'soft', but got {mode!r}", "mode", "op-value")
    if not low.given("gm_workspace"):
        low.fault("mode='soft' needs gm_workspace")
    args = [normalise.as_expr(low.values["gm_workspace"], low.span_of("gm_workspace"), "gm_workspace")]
    sources = ["gm_workspace"]
    if low.given("used_cores"):
        cores = normalise.as_expr(low.values["used_cores"], low.span_of("used_cores"), "used_cores")
        literal = isinstance(cores, ConstInt) and cores.dtype is DataType.INDEX
        if not literal and not (isinstance(cores.type, ScalarType) and cores.type.dtype is DataType.INT32):
            low.fault(
                f"used_cores must be an INT32 scalar, but got {kind_word(cores)}", "used_cores", "op-dtype"
            )
        if isinstance(cores, ConstInt) and not 0 <= cores.value < 1 << 31:
            low.fault(
                f"used_cores must lie in 0 to 2**31 - 1, but got {cores.value}", "used_cores", "op-value"
            )
        if not (isinstance(cores, ConstInt) and cores.value == 0):
            args.append(cores)
            sources.append("used_cores")
    return emit(low, "system.syncall", args, {"core_type": core_type, "mode": "soft"}, sources)


def _cacheinvalid(low: Lowering) -> Expr:
    names = ("tensor", "shapes", "offsets")
    given = [n for n in names if low.given(n)]
    if given and len(given) != 3:
        low.fault("give no argument at all, or tensor, shapes and offsets together")
    if not given:
        return emit(low, "system.cacheinvalid", [], {})
    tensor = normalise.as_expr(low.values["tensor"], low.span_of("tensor"), "tensor")
    if not isinstance(tensor.type, TensorType):
        low.fault(f"tensor must be a Tensor, but got {kind_word(tensor)}", "tensor", "op-kind")
    args = [tensor]
    for name in ("shapes", "offsets"):
        dims = normalise.as_dims(low.values[name], low.site.span, name)
        if isinstance(dims, MakeTuple):
            if len(dims.elements) != len(tensor.type.shape):
                low.fault(f"{name} has {len(dims.elements)} entries for a tensor of rank {len(tensor.type.shape)}", name, "op-rank")  # fmt: skip
            if any(isinstance(e.type, ScalarType) and e.type.dtype.is_float for e in dims.elements):
                low.fault(f"{name} must hold integers", name, "op-dtype")
        args.append(dims)
    return emit(low, "system.cacheinvalid", args, {}, list(names))


def _task_dummy(low: Lowering) -> Expr:
    deps = low.values["deps"]
    attrs: dict[str, Any] = {"dummy_task": True}
    if not isinstance(deps, (list, tuple)):
        low.fault("deps must be a list of task ids", "deps", "task-dummy-form")
    attrs["manual_dep_edges"] = tuple(d for d in deps if d is not None)
    attrs.update(low.site.attrs or {})
    return untyped_op_call(
        "system.task_dummy", [], {}, result=ScalarType.of(DataType.TASK_ID), attrs=attrs, span=low.site.span
    )


# -- distributed -----------------------------------------------------------------------------------------------------


def _window_buffer(low: Lowering) -> Expr:
    size, dtype = low.values["size"], low.values.get("dtype")
    name = low.value("name") or low.site.target_name or ""
    if isinstance(size, (list, tuple, MakeTuple)):
        if not isinstance(dtype, DataType):
            low.fault("a shape needs dtype= to know how many bytes it takes", "size")
        nbytes = _bytes_of(low, size, dtype)
    else:
        if dtype is not None:
            low.fault("dtype= belongs to a shape; a scalar size is already in bytes", "dtype")
        nbytes = normalise.as_expr(size, low.span_of("size"), "size")
    return emit(low, "pld.tensor.alloc_window_buffer", [nbytes], {"name": name}, ["size"])


def _bytes_of(low: Lowering, shape: DslValue, dtype: DataType) -> Expr:
    dims = normalise.as_dims(shape, low.span_of("size"), "size")
    assert isinstance(dims, MakeTuple)
    total = dtype.byte
    symbolic: Expr | None = None
    for dim in dims.elements:
        if isinstance(dim, ConstInt):
            total *= dim.value
        else:
            symbolic = dim if symbolic is None else make_binary("mul", symbolic, dim)
    size = ConstInt(total, DataType.INT64, span=low.span_of("size"))
    return size if symbolic is None else make_binary("mul", symbolic, size)


def _remote_store(low: Lowering) -> Expr:
    level = level_of(low.values["src"])
    if level is None:
        low.fault(f"src must be a Tile or a Tensor, but got {kind_word(low.values['src'])}", "src", "op-kind")
    return build(low, f"pld.{level}.remote_store")


# -- cube / vector boundary ------------------------------------------------------------------------------------------


def shard_call(path: str, args: list[DslValue], kwargs: Mapping[str, DslValue], low: Lowering) -> Expr:
    """``aiv_shard`` and ``aic_gather``: inside a region the mode comes from the region, outside from ``split=``."""
    code = "shard-gather-form"
    name = path.rpartition(".")[2]
    region = low.site.region_split
    allowed = ("split", "lane_stride") if name == "aiv_shard" else ("split",)
    for key in kwargs:
        if key == "lane_stride" and name == "aic_gather":
            low.fault("lane_stride exists only on aiv_shard", key, code)
        if key not in allowed:
            low.fault(f"unexpected keyword '{key}'; the split axis is the region's mode", key, code)
        if region is not None:
            low.fault(
                f"{key}= is not allowed inside a pl.split_aiv region: the region's mode decides", key, code
            )
    if len(args) != 1:
        low.fault(f"takes exactly one positional argument, but got {len(args)}", None, code)
    operand = normalise.as_expr(args[0], low.site.span, "x")
    low.origin["x"] = 0
    if isinstance(operand.type, DistributedTensorType):
        low.fault("a distributed tensor cannot cross the cube/vector boundary", "x", code)
    level = "tensor" if isinstance(operand.type, TensorType) else "tile"
    stored: dict[str, Any] = {"split": int(region) if region is not None else None}
    if region is None:
        split = kwargs.get("split")
        if split is None:
            low.fault(
                "outside a pl.split_aiv region an explicit split= is needed; wrap the call in a region",
                None,
                code,
            )
        if level == "tensor":
            low.fault(
                "split= takes a tile; a tensor crosses the boundary inside a pl.split_aiv region", "x", code
            )
        if isinstance(split, bool) or not isinstance(split, int) or not 0 <= split <= 2:
            low.fault("split must be 0 (none), 1 (rows) or 2 (columns)", "split", code)
        stored["split"] = int(split)
        stride = kwargs.get("lane_stride")
        if stride is not None:
            if isinstance(stride, bool) or not isinstance(stride, int):
                low.fault("lane_stride must be an integer", "lane_stride", code)
            stored["lane_stride"] = stride
    return emit(low, f"{level}.{name}", [operand], stored, ["x"])


SHARD_PATHS: Final = ("pl.aiv_shard", "pl.aic_gather", "pl.tile.aiv_shard", "pl.tile.aic_gather")

_SCALAR_PAIRS: Final = ("add", "sub", "mul", "div", "fmod", "and_", "or_", "xor", "shl", "shr")

#: Form by path; a callable that is not here has one operator and goes through :func:`lowering.build`.
FORMS: Final[Mapping[str, Form]] = {
    **{f"pl.tensor.{name}": _with_scalar for name in _SCALAR_PAIRS},
    **{f"pl.tile.{name}": _with_scalar for name in ("add", "sub", "mul", "div")},
    "pl.tensor.gather": _tensor_gather,
    "pl.tensor.gather_mask": _gather_mask,
    "pl.tensor.gather_compare": _gather_compare,
    "pl.tensor.scatter": _tensor_scatter,
    "pl.tensor.scatter_mask": _scatter_mask,
    "pl.tensor.scatter_update": _scatter_update,
    "pl.tile.scatter_update": _scatter_update,
    "pl.scatter_update": _scatter_update,
    "pl.tensor.mrgsort": _mrgsort,
    "pl.tile.mrgsort": _mrgsort,
    "pl.tensor.mrgsort_format1": _sorted_blocks,
    "pl.tile.mrgsort_format1": _sorted_blocks,
    "pl.tensor.mrgsort_format2": _mrgsort_lists,
    "pl.tile.mrgsort_format2": _mrgsort_lists,
    "pl.tile.load": _load,
    "pl.tensor.slice": _slice,
    "pl.tile.slice": _slice,
    "pl.tensor.alloc": _alloc,
    "pl.tile.alloc": _alloc,
    "pl.tile.tpop_from_aic": _tpop,
    "pl.tile.tpop_from_aiv": _tpop,
    "pl.system.tpop_from_aic": _tpop,
    "pl.system.tpop_from_aiv": _tpop,
    "pl.system.sync_set": _event,
    "pl.system.sync_wait": _event,
    "pl.system.syncall": _syncall,
    "pl.system.cacheinvalid": _cacheinvalid,
    "pl.system.task_dummy": _task_dummy,
    "pld.tensor.alloc_window_buffer": _window_buffer,
    "pld.remote_store": _remote_store,
}


def lower(low: Lowering) -> Expr:
    """The expression for a namespaced callable."""
    form = FORMS.get(low.callee.path)
    if form is not None:
        return form(low)
    if low.callee.construct:
        raise DslFault("op-bad-arguments", "is a marker, not a value: it stands where its construct is read")
    if low.callee.scalar is not None and not low.callee.operators:
        return scalar_node(low)
    return build(low, low.callee.operators[0])


def scalar_node(low: Lowering) -> Expr:
    """``pl.max``, ``pl.add`` ... on scalars: an expression node, with the typing rules of scalar operators."""
    from pypto_core.ir import ScalarTypeError

    tag = {"FloatDiv": "truediv"}.get(low.callee.scalar or "", (low.callee.scalar or "").lower())
    left = normalise.as_expr(low.values["lhs"], low.span_of("lhs"), "lhs")
    right = normalise.as_expr(low.values["rhs"], low.span_of("rhs"), "rhs")
    for name, value in (("lhs", left), ("rhs", right)):
        if not isinstance(value.type, ScalarType):
            low.fault(f"expected scalar operands, got {kind_word(value)} as {name}", name, "op-kind")
    try:
        return make_binary(tag, left, right, low.site.span)
    except ScalarTypeError as error:
        raise DslFault("scalar-category-mismatch", str(error)) from error


def cast_scalar(low: Lowering) -> Expr:
    """``pl.cast`` of a scalar."""
    from pypto_core.ir import make_cast

    operator = get_op("tensor.cast")
    mode = keyword_value(operator, "mode", low.value("mode"))
    if mode != normalise.CAST_MODES.index("round"):
        low.fault("a scalar cast accepts only mode='round'", "mode")
    dtype = normalise.dtype_value(low.values["target_type"], "target_type")
    if not isinstance(dtype, DataType):
        low.fault(f"target_type must be a data type, but got {kind_word(dtype)}", "target_type", "op-value")
    operand = normalise.as_expr(low.values["input"], low.span_of("input"), "input")
    return make_cast(operand, dtype, low.site.span)
