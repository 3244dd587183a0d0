"""The registry itself: creation, keywords, memory of results, effects, signatures (docs/spec/ops_tile.md §1)."""

from __future__ import annotations

import pytest

from pypto_core.ir import (
    ERROR_TYPE,
    UNKNOWN,
    Chunk,
    ConstFloat,
    DataType,
    ErrorType,
    MemorySpace,
    Span,
    TileType,
    TileView,
    Var,
)
from pypto_core.ops import (
    ArgKind,
    Effect,
    OpCategory,
    OpDef,
    OpError,
    Param,
    WriteChannel,
    all_ops,
    create_op_call,
    find_op,
    get_op,
    is_registered,
    read_op_call,
    register,
    require_user_facing,
    stored_order,
    untyped_op_call,
)
from tests.ops.notation import Reader, show

CODES = {
    "op-unknown", "op-arity", "op-keyword", "op-kind", "op-dtype", "op-shape", "op-rank", "op-memory", "op-value",
}  # fmt: skip


def tile(name: str = "t", space: MemorySpace | None = MemorySpace.Vec, view: TileView | None = None) -> Var:
    return Var(name, TileType((16, 64), DataType.FP32, None, view, space))  # type: ignore[arg-type]


def test_unknown_operator() -> None:
    with pytest.raises(OpError) as caught:
        create_op_call("tile.nope", [])
    assert caught.value.diagnostic.code == "op-unknown"
    assert "Operator 'tile.nope' not found in registry" in caught.value.diagnostic.message
    assert "function name" not in caught.value.diagnostic.message
    with pytest.raises(OpError, match="looks like a function name rather than an operator"):
        get_op("nope")
    assert find_op("tile.nope") is None
    assert not is_registered("tile.nope")


def test_internal_operators_are_for_passes_only() -> None:
    internal = OpDef("test.internal", OpCategory.TEST, "UNKNOWN", lambda call: UNKNOWN, internal_only=True)
    with pytest.raises(OpError, match="is internal-only"):
        require_user_facing(internal)
    require_user_facing(get_op("tile.add"))


def test_declarations_are_checked() -> None:
    def op(name: str, *params: Param, **flags: object) -> OpDef:
        return OpDef(name, OpCategory.TEST, "UNKNOWN", lambda call: UNKNOWN, params, **flags)  # type: ignore[arg-type]

    plain = Param("x", ArgKind.ANY)
    with pytest.raises(ValueError, match="declared twice"):
        register(op("tile.add"))
    with pytest.raises(ValueError, match="must be trailing"):
        register(op("test.a", Param("x", ArgKind.ANY, optional=True), plain))
    with pytest.raises(ValueError, match="needs a written argument"):
        register(op("test.b", plain, write_channel=WriteChannel.DMA))
    with pytest.raises(ValueError, match="needs a declared effect"):
        register(op("test.c", plain, output_reuses_input=0))
    assert not any(is_registered(f"test.{c}") for c in "abc")


def test_every_tile_operator_says_where_its_result_lives() -> None:
    silent = {op.name for op in all_ops() if op.name.startswith("tile.") and op.output_memory is None}
    assert silent == {
        "tile.alloc", "tile.gather_row", "tile.get_block_idx", "tile.get_block_num", "tile.get_subblock_idx",
        "tile.mscatter", "tile.read", "tile.store", "tile.tpop_from_aic", "tile.tpop_from_aiv", "tile.tpush_to_aic",
        "tile.tpush_to_aiv",
    }  # fmt: skip


def test_keywords_are_stored_in_declared_order() -> None:
    given = {"flat_layout": True, "target_memory": MemorySpace.Mat, "dtype": DataType.FP16}
    shape = Reader().operand("(16, 64)", 0)
    call = create_op_call("tile.create", [shape], given)
    assert list(call.kwargs) == ["dtype", "target_memory", "flat_layout"]
    assert list(read_op_call("tile.create", [shape], given).kwargs) == list(given)
    assert list(stored_order(get_op("tile.add"), {"b": 1, "a": 2})) == ["b", "a"]


def test_enumerations_of_codes_become_integers() -> None:
    from pypto_core.ir import PipeType

    call = create_op_call("system.sync_src", [], {"set_pipe": PipeType.V, "wait_pipe": 3, "event_id": 0})
    assert [type(v) for v in call.kwargs.values()] == [int, int, int]


def test_an_erroneous_operand_gives_no_second_report() -> None:
    broken = Var("broken", ERROR_TYPE)
    assert isinstance(create_op_call("tile.add", [broken]).type, ErrorType)


def test_result_space_is_patched_only_where_unset() -> None:
    inherited = create_op_call("tile.slice", Reader().operands("t[16,64] Mat; (8,32); (0,0)"))
    assert show(inherited.type) == "Tile[8,32] fp32 Mat"
    # A later tile operand gives the space when the first has none.
    call = create_op_call("tile.assemble", Reader().operands("t[16,64] -; t[16,64] Mat; (0,0)"))
    assert isinstance(call.type, TileType) and call.type.memory_space is MemorySpace.Mat
    kept = create_op_call("tile.fillpad", [tile(space=MemorySpace.Mat)])
    assert isinstance(kept.type, TileType) and kept.type.memory_space is MemorySpace.Mat


def test_the_fault_is_reported_at_the_argument() -> None:
    chunk = Chunk("k.py", "pl.tile.add(a, b)\n")
    whole, second = Span(chunk, 0, 17), Span(chunk, 15, 16)
    b = ConstFloat(1.0, DataType.FP32, span=second)
    with pytest.raises(OpError) as caught:
        create_op_call("tile.add", [tile(), b], span=whole)
    assert (caught.value.diagnostic.span, caught.value.arg_index) == (second, 1)
    with pytest.raises(OpError) as caught:
        create_op_call("tile.add", [tile()], span=whole)
    assert caught.value.diagnostic.span == whole


@pytest.mark.parametrize(
    ("call", "unproven"),
    [
        ("t[16,64] {v=[8,64]}; t[16,64]", False),
        ("t[16,64] {v=[n,64]}; t[16,64]", True),
        ("t[16,64] {v=[n,64]}; t[16,64] {v=[m,64]}", True),
    ],
)
def test_unproven_demands_are_marked(call: str, unproven: bool) -> None:
    with pytest.raises(OpError) as caught:
        create_op_call("tile.div", Reader().operands(call))
    assert caught.value.unproven is unproven


@pytest.mark.parametrize(
    ("call", "unproven"),
    [
        ("t[16,64]; t[8,64]", False),
        ("t[n,64]; t[m,64]", True),
        ("t[n,64]; t[m,32]", False),
        ("t[n,64]; t[8,1]", True),
    ],
)
def test_shapes_that_only_might_not_broadcast_are_marked(call: str, unproven: bool) -> None:
    with pytest.raises(OpError) as caught:
        create_op_call("tile.add", Reader().operands(call))
    assert caught.value.unproven is unproven


def test_stated_types_bypass_deduction() -> None:
    stated = TileType((16, 64), DataType.FP32, None, None, MemorySpace.Vec)  # type: ignore[arg-type]
    call = untyped_op_call("tile.tpop_from_aic", [], {"id": 1, "split": 1}, result=stated)
    assert call.type is stated
    assert list(call.kwargs) == ["split", "id"]


def test_signature_and_effects() -> None:
    store = get_op("tile.store")
    assert store.signature() == "tile.store(tile, offsets, output_tensor, shapes=None, *, atomic=0)"
    assert get_op("tile.cast").signature() == "tile.cast(tile, *, target_type, mode)"
    assert store.written_args({}) == (2,)
    assert store.effect(9) is Effect.READ
    assert store.namespace == "tile"
    assert get_op("tile.load").output_memory_of({"target_memory": MemorySpace.Mat}) is MemorySpace.Mat
    assert get_op("tile.load").output_memory_of({}) is None


def test_codes() -> None:
    from pypto_core.diagnostics import rules

    assert set(rules()) >= CODES
