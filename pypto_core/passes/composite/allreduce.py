"""``pld.tensor.allreduce`` over a mesh or a ring (``docs/spec/passes_tile.md`` 1.3, 1.4)."""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.backend import align_up
from pypto_core.ir import (
    Call,
    DataType,
    DistributedTensorType,
    Expr,
    MakeTuple,
    MemorySpace,
    PadValue,
    TensorLayout,
    TensorType,
    Var,
    const_dim,
    const_dims,
    dims_equal,
    make_binary,
    make_cast,
    make_unary,
    packed_strides,
)
from pypto_core.passes.composite.collectives import Collective, as_index, check_mesh_signal, window_type
from pypto_core.passes.composite.emitter import Emitter
from pypto_core.passes.tile_calls import fold_times, index, reject, tuple_of
from pypto_core.passes.tile_shapes import collapses_contiguously, merged_extents

CHUNK_BYTES = 16384
_LINE_BYTES = 32
_OPS = {0: "tile.add", 1: "tile.maximum", 2: "tile.minimum", 3: "tile.mul"}


def _add(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("add", left, right)


def _sub(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("sub", left, right)


def _min(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("min", left, right)


def _max(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("max", left, right)


def _div(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("floordiv", left, right)


def _mul(left: Expr | int, right: Expr | int) -> Expr:
    return make_binary("mul", left, right)


def _round_up(value: Expr, multiple: int) -> Expr:
    return _mul(_div(_add(value, multiple - 1), multiple), multiple)


def _steps(total: Expr, chunk: Expr) -> Expr:
    """``ceil(total / chunk)``, spelled out."""
    return _div(_add(total, _sub(chunk, 1)), chunk)


def lower_allreduce(e: Emitter, call: Call) -> Expr:
    """Emit the schedule of ``mode`` and return the target."""
    if len(call.args) < 2:
        reject(
            "collective-signal",
            f"{call.name} requires an explicit signal outside host orchestrator functions",
            call.span,
        )
    core_num = call.kwargs.get("core_num", 1)
    if core_num != 1:
        reject(
            "collective-unsupported",
            f"{call.name} with core_num={core_num} cannot be lowered here; only core_num=1 is possible inside a kernel",
            call.span,
        )
    op_name = _OPS.get(call.kwargs.get("op", -1))
    if op_name is None:
        reject(
            "collective-unsupported",
            f"{call.name} has an unknown reduce op {call.kwargs.get('op')}",
            call.span,
        )
    _check_packed(call)
    mode = call.kwargs.get("mode", "mesh")
    if mode == "ring":
        return _Ring(e, call, op_name).lower()
    if mode != "mesh":
        reject(
            "collective-unsupported", f"{call.name} mode must be 'mesh' or 'ring', got '{mode}'", call.span
        )
    check_mesh_signal(call, call.args[1])
    kind = window_type(call.args[0])
    if dims_equal(kind.valid_shape, kind.shape):
        return _lower_mesh(e, call, op_name)
    return _lower_partial_mesh(e, call, op_name)


def _check_packed(call: Call) -> None:
    kind = window_type(call.args[0])
    view = kind.tensor_view
    if view is None:
        return
    if view.layout is not TensorLayout.ND:
        reject(
            "collective-unsupported",
            f"{call.name} target must have layout ND, got {view.layout.name}",
            call.span,
        )
    packed = packed_strides(kind.shape, TensorLayout.ND)
    if view.stride and (packed is None or not dims_equal(view.stride, packed)):
        reject("collective-unsupported", f"{call.name} target must be packed (contiguous strides)", call.span)


class _Lanes:
    """Chunk geometry of one element type, in elements."""

    def __init__(self, dtype: DataType) -> None:
        self.max_chunk = CHUNK_BYTES // dtype.byte
        self.line = _LINE_BYTES // dtype.byte
        self.is_half = dtype is DataType.FP16


def _element_count(kind: TensorType) -> Expr:
    count: Expr = index(1)
    for extent in kind.shape:
        count = fold_times(count, extent)
    return count


def _load(
    e: Emitter, qualifier: str, source: Expr, offsets: MakeTuple, shape: MakeTuple, valid: MakeTuple
) -> Var:
    return e.op(qualifier, "tile.load", source, offsets, shape, valid, target_memory=MemorySpace.Vec)


def _zero_tail(e: Emitter, qualifier: str, tile: Expr) -> Var:
    """Elements beyond the valid extent become zero, so that whole chunks can be combined."""
    return e.op(qualifier, "tile.fillpad_inplace", tile, pad_value=PadValue.zero)


def _lower_mesh(e: Emitter, call: Call, op_name: str) -> Expr:
    target, signal = call.args
    kind = window_type(target)
    lanes = _Lanes(kind.dtype)
    c = Collective(e, call, target, signal)
    elems = _element_count(kind)
    count = const_dim(elems)
    chunk_size = lanes.max_chunk
    if count is not None and 0 < count < lanes.max_chunk:
        chunk_size = align_up(count, lanes.line)
    chunk = index(chunk_size)
    target_2d = e.op("target_2d", "tensor.view", target, tuple_of(1, elems))
    c.barrier(e, "")

    def one_chunk(b: Emitter, col: Var) -> None:
        valid = _min(chunk, _sub(elems, col))
        offsets, shape = tuple_of(0, col), tuple_of(1, chunk)
        acc = _zero_tail(
            b, "acc_initial", _load(b, "acc_loaded", target_2d, offsets, shape, tuple_of(1, valid))
        )

        def receive(then: Emitter, peer: Var) -> Expr:
            if lanes.is_half:
                # The transfer needs whole 32-byte lines; what it reads beyond the tail is cut off again.
                padded = tuple_of(1, _round_up(valid, lanes.line))
                loaded = then.op(
                    "recv_loaded", "pld.tile.remote_load", target_2d, peer, offsets, shape, padded,
                    allow_physical_tail_padding=True,
                )  # fmt: skip
                loaded = then.op("recv_tail", "tile.set_validshape", loaded, index(1), valid)
            else:
                loaded = then.op(
                    "recv_loaded", "pld.tile.remote_load", target_2d, peer, offsets, shape, tuple_of(1, valid)
                )
            return _zero_tail(then, "recv", loaded)

        total = c.reduce(b, acc, op_name, receive)
        expected = b.bind("chunk_expected", make_cast(_add(_div(col, chunk), 2), DataType.INT32))
        c.notify_all(b, "_chunk")
        c.wait_all(b, "_chunk", expected)
        value = b.op("store_value", "tile.set_validshape", total, index(1), valid)
        b.op("store_ret", "tile.store", value, offsets, target_2d)

    e.loop("col", elems, one_chunk, start=index(0), step=chunk)
    reset = e.bind("allreduce_reset_total", make_cast(_add(1, _steps(elems, chunk)), DataType.INT32))
    c.epilogue(e, reset)
    return target


def _lower_partial_mesh(e: Emitter, call: Call, op_name: str) -> Expr:
    """A target of which only a leading row band is valid travels as one rectangle."""
    target, signal = call.args
    kind = window_type(target)
    lanes = _Lanes(kind.dtype)
    if not collapses_contiguously(kind.valid_shape, kind.shape):
        reject(
            "collective-unsupported",
            f"{call.name} target valid_shape cannot be represented by a single 2D view",
            call.span,
        )
    physical, valid = merged_extents(kind.shape), merged_extents(kind.valid_shape)
    rectangle = valid if const_dims(valid) is not None else physical
    sizes = const_dims(rectangle)
    if sizes is None or sizes[0] * sizes[1] > lanes.max_chunk:
        reject(
            "collective-unsupported",
            f"{call.name} target with a partial valid_shape must fit within one {CHUNK_BYTES}-byte mesh chunk "
            f"({lanes.max_chunk} elements of {kind.dtype.text})",
            call.span,
        )
    c = Collective(e, call, target, signal)
    target_2d = e.op("target_2d", "tensor.view", target, tuple_of(*physical), tuple_of(*valid))
    c.barrier(e, "")
    origin, shape, extents = tuple_of(0, 0), tuple_of(*rectangle), tuple_of(*valid)
    acc = _load(e, "acc_initial", target_2d, origin, shape, extents)
    total = c.reduce(
        e,
        acc,
        op_name,
        lambda b, peer: b.op("recv", "pld.tile.remote_load", target_2d, peer, origin, shape, extents),
    )
    c.barrier(e, "2")
    e.op("store_ret", "tile.store", total, origin, target_2d)
    c.epilogue(e, 2)
    return target


class _Ring:
    """Reduce-scatter steps, then allgather steps; every chunk of a step is fenced by two barriers."""

    def __init__(self, e: Emitter, call: Call, op_name: str) -> None:
        self.e, self.call, self.op_name = e, call, op_name
        self.target, self.signal = call.args
        kind = window_type(self.target)
        self.lanes = _Lanes(kind.dtype)
        self.rows, self.ranks = self._signal_shape()
        self.size = _element_count(kind)
        size, ranks = const_dim(self.size), const_dim(self.ranks)
        self.max_segment: Expr
        if size is not None and ranks is not None:
            longest = -(-size // ranks)
            if self.lanes.is_half:
                longest = min(size, longest + 15)
            self.max_segment = index(longest)
            self.chunk = index(min(self.lanes.max_chunk, align_up(longest, self.lanes.line)))
        else:
            self.max_segment = _div(_add(self.size, _sub(self.ranks, 1)), self.ranks)
            if self.lanes.is_half:
                self.max_segment = _min(self.size, _add(self.max_segment, 15))
            self.chunk = index(self.lanes.max_chunk)

    def _signal_shape(self) -> tuple[Expr, Expr]:
        kind = self.signal.type
        if not isinstance(kind, DistributedTensorType) or kind.rank != 2 or kind.dtype is not DataType.INT32:
            reject(
                "collective-signal",
                f"{self.call.name} ring signal must be an INT32 DistributedTensor of shape [2*(NR-1), NR]",
                self.call.span,
            )
        rows, ranks = const_dim(kind.shape[0]), const_dim(kind.shape[1])
        if rows is not None and ranks is not None and rows != 2 * (ranks - 1):
            reject(
                "collective-signal",
                f"{self.call.name} ring signal shape[0] must equal 2*(NR-1) = {2 * (ranks - 1)} "
                f"for NR = {ranks} ranks, got {rows}",
                self.call.span,
            )
        return kind.shape[0], kind.shape[1]

    def lower(self) -> Expr:
        e = self.e
        c = self.c = Collective(e, self.call, self.target, self.signal)
        self.rank = e.bind("my_rank_idx", as_index(c.my_rank))
        self.target_2d = e.op("target_2d", "tensor.view", self.target, tuple_of(1, self.size))
        self.last_step = e.bind("nr_minus_one", _sub(c.nranks, 1))
        e.loop("rs_step", self.last_step, self._reduce_scatter_step)
        e.loop("ag_step", self.last_step, self._allgather_step)
        reset = e.bind(
            "ring_reset_total", make_cast(_mul(2, _steps(self.max_segment, self.chunk)), DataType.INT32)
        )
        amount = make_unary("neg", reset)

        def reset_row(b: Emitter, row: Var) -> None:
            c.each_peer(
                b,
                "reset_src",
                lambda t, src: _notify(
                    t, "epilogue_reset_ret", self.signal, c.my_rank, tuple_of(row, src), amount
                ),
            )

        e.loop("reset_row", self.rows, reset_row)
        return self.target

    def _boundary(self, segment: Expr) -> Expr:
        """First element of ``segment``; half-precision segments start on whole lines."""
        start = _div(_mul(segment, self.size), self.ranks)
        return _min(self.size, _round_up(start, 16)) if self.lanes.is_half else start

    def _modulo_ranks(self, value: Expr) -> Expr:
        return make_binary("mod", _add(value, self.c.nranks), self.c.nranks)

    def _segment(self, b: Emitter, prefix: str, segment: Expr) -> tuple[Var, Var]:
        begin = b.bind(f"{prefix}_segment_begin", self._boundary(segment))
        end = b.bind(f"{prefix}_segment_end", self._boundary(_add(segment, 1)))
        return begin, b.bind(f"{prefix}_segment_cols", _sub(end, begin))

    def _fence(self, b: Emitter, prefix: str, phase: str, round_: Expr, epoch: Expr) -> None:
        expected = b.bind(f"{prefix}_{phase}_epoch", make_cast(epoch, DataType.INT32))
        suffix = f"_{prefix}_{phase}"
        self.c.notify_all(b, suffix, (round_, self.c.my_rank))
        self.c.wait_all(b, suffix, expected, lambda src: (round_, src))

    def _chunks(
        self,
        b: Emitter,
        prefix: str,
        round_: Expr,
        begin: Var,
        cols: Var,
        left: Var,
        combine: Callable[[Emitter, Var, MakeTuple, MakeTuple, MakeTuple], Expr],
        received: str,
    ) -> None:
        """One segment in chunks: ready fence, receive (and combine), read fence, store."""

        def one_chunk(i: Emitter, col: Var) -> None:
            ready = _add(_mul(_div(col, self.chunk), 2), 1)
            self._fence(i, prefix, "ready", round_, ready)
            rest = _sub(cols, col)
            inside = make_binary("lt", col, cols)
            at = _add(begin, col)
            shape = tuple_of(1, self.chunk)
            valid = tuple_of(1, _max(1, _min(self.chunk, rest)))

            def receive(then: Emitter) -> Expr:
                offsets = tuple_of(0, at)
                loaded = then.op(
                    f"recv_{prefix}_loaded",
                    "pld.tile.remote_load",
                    self.target_2d,
                    left,
                    offsets,
                    shape,
                    valid,
                )
                return combine(then, _zero_tail(then, f"recv_{prefix}", loaded), offsets, shape, valid)

            def placeholder(orelse: Emitter) -> Expr:
                loaded = _load(
                    orelse, f"{received}_placeholder_loaded", self.target_2d, tuple_of(0, 0), shape, valid
                )
                return _zero_tail(orelse, f"{received}_placeholder", loaded)

            tile = i.choose(inside, receive, placeholder)
            self._fence(i, prefix, "read", round_, _add(ready, 1))

            def store(then: Emitter) -> None:
                # Clamped into the tensor, so that no address depends on the guard alone.
                start = _sub(self.size, _max(0, _sub(self.size, at)))
                stop = _sub(self.size, _max(0, _sub(self.size, _add(start, _min(self.chunk, rest)))))
                value = then.op(f"{received}_valid", "tile.set_validshape", tile, index(1), _sub(stop, start))
                then.op(f"store_{prefix}", "tile.store", value, tuple_of(0, start), self.target_2d)

            i.when(inside, store)

        b.loop(f"{prefix}_col", self.max_segment, one_chunk, start=index(0), step=self.chunk)

    def _reduce_scatter_step(self, b: Emitter, rs_step: Var) -> None:
        step = b.bind("step", _add(rs_step, 1))
        segment = b.bind("recv_add_idx", self._modulo_ranks(_sub(_sub(self.rank, step), 1)))
        left = b.bind("left", self._modulo_ranks(_sub(self.rank, 1)))
        begin, cols = self._segment(b, "rs", segment)

        def combine(
            then: Emitter, received: Var, offsets: MakeTuple, shape: MakeTuple, valid: MakeTuple
        ) -> Expr:
            own = _zero_tail(
                then, "acc_rs", _load(then, "acc_rs_loaded", self.target_2d, offsets, shape, valid)
            )
            return then.op("acc_rs_next", self.op_name, own, received)

        self._chunks(b, "rs", rs_step, begin, cols, left, combine, "acc_rs")

    def _allgather_step(self, b: Emitter, ag_step: Var) -> None:
        step = b.bind("ag_step_val", _add(ag_step, 1))
        round_ = b.bind("ag_round", _add(ag_step, self.last_step))
        segment = b.bind("ag_segment_idx", self._modulo_ranks(_sub(self.rank, step)))
        left = b.bind("ag_left", self._modulo_ranks(_sub(self.rank, 1)))
        begin, cols = self._segment(b, "ag", segment)
        self._chunks(b, "ag", round_, begin, cols, left, lambda _then, received, *_: received, "recv_ag")


def _notify(e: Emitter, qualifier: str, signal: Expr, peer: Expr, cell: MakeTuple, amount: Expr) -> None:
    e.op(qualifier, "pld.system.notify", signal, peer, cell, amount, op=0)
