"""Collectives between chips: shared building blocks, and every one but allreduce (``docs/spec/passes_tile.md`` 1.2).

A signal window holds one counter per rank. A barrier generation adds one to the caller's cell on every peer and waits
until its own cells reached the generation; the epilogue takes back what was added, so that the window can be used again.
"""

from __future__ import annotations

from collections.abc import Callable

from pypto_core.ir import (
    Call,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    TensorType,
    Var,
    const_dim,
    make_binary,
    make_cast,
    make_unary,
)
from pypto_core.passes.composite.emitter import Emitter
from pypto_core.passes.tile_calls import index, reject, tuple_of

_ATOMIC_ADD, _SET = 0, 1
_GE = 1


def i32(value: int) -> ConstInt:
    return ConstInt(value, DataType.INT32)


def as_index(value: Expr) -> Expr:
    return make_cast(value, DataType.INDEX)


class Collective:
    """The ranks of one collective, as variables, and the barrier bookkeeping of one call."""

    __slots__ = ("_generation", "call", "my_rank", "nranks", "signal")

    def __init__(self, emitter: Emitter, call: Call, target: Expr, signal: Expr) -> None:
        self.call = call
        self.signal = signal
        self._generation = 0
        ctx = emitter.op("ctx", "pld.system.get_comm_ctx", target)
        self.nranks = emitter.bind("nranks_idx", as_index(emitter.op("nranks", "pld.system.nranks", ctx)))
        self.my_rank = emitter.op("my_rank", "pld.system.rank", ctx)

    def is_peer(self, rank: Expr) -> Expr:
        return make_binary("ne", rank, self.my_rank)

    def each_peer(self, e: Emitter, qualifier: str, fill: Callable[[Emitter, Var], None]) -> None:
        """Run ``fill`` for every rank but this one."""
        e.loop(
            qualifier,
            self.nranks,
            lambda body, rank: body.when(self.is_peer(rank), lambda then: fill(then, rank)),
        )

    def notify_all(self, e: Emitter, suffix: str, cell: tuple[Expr, ...] | None = None) -> None:
        """Add one to this rank's cell on every peer; ``cell`` are its offsets (default ``[my_rank, 0]``)."""
        offsets = tuple_of(self.my_rank, 0) if cell is None else tuple_of(*cell)
        self.each_peer(
            e,
            f"peer{suffix}",
            lambda b, peer: _effect(b, f"notify{suffix}_ret", "notify", self.signal, peer, offsets, i32(1)),
        )

    def wait_all(
        self, e: Emitter, suffix: str, expected: Expr, cell: Callable[[Expr], tuple[Expr, ...]] | None = None
    ) -> None:
        """Wait until every peer's cell reached ``expected``."""

        def wait(b: Emitter, src: Var) -> None:
            offsets = tuple_of(src, 0) if cell is None else tuple_of(*cell(src))
            b.op(f"wait{suffix}_ret", "pld.system.wait", self.signal, offsets, expected, cmp=_GE)

        self.each_peer(e, f"src{suffix}", wait)

    def barrier(self, e: Emitter, suffix: str) -> None:
        """The next barrier generation of this call."""
        self._generation += 1
        self.notify_all(e, suffix)
        self.wait_all(e, suffix, i32(self._generation))

    def epilogue(self, e: Emitter, total: int | Expr) -> None:
        """Take ``total`` back from every cell of this rank's own window."""
        amount = i32(-total) if isinstance(total, int) else make_unary("neg", total)
        self.each_peer(
            e,
            "reset_src",
            lambda b, src: _effect(
                b, "epilogue_reset_ret", "notify", self.signal, self.my_rank, tuple_of(src, 0), amount
            ),
        )

    def reduce(self, e: Emitter, init: Expr, op_name: str, receive: Callable[[Emitter, Var], Expr]) -> Var:
        """Fold ``receive`` of every peer into ``init``."""

        def step(body: Emitter, peer: Var, acc: Expr) -> Expr:
            return body.choose(
                self.is_peer(peer),
                lambda then: then.op("acc_next", op_name, acc, receive(then, peer)),
                lambda _: acc,
            )

        return e.carried_loop("peer", self.nranks, "peer_acc", init, "peer_final", step)


def _effect(e: Emitter, qualifier: str, op: str, *args: Expr) -> None:
    e.op(qualifier, f"pld.system.{op}", *args, op=_ATOMIC_ADD)


def window_type(expr: Expr) -> TensorType:
    kind = expr.type
    assert isinstance(kind, TensorType)
    return kind


def check_mesh_signal(call: Call, signal: Expr) -> None:
    """One cell per rank: the signal is a window of shape ``[ranks, 1]``."""
    kind = signal.type
    if not isinstance(kind, DistributedTensorType) or kind.rank != 2:
        rank = kind.rank if isinstance(kind, TensorType) else 0
        reject(
            "collective-signal",
            f"{call.name} signal must be a DistributedTensor of rank 2 with shape [ranks, 1], got rank {rank}",
            call.span,
        )
    cells = const_dim(kind.shape[1])
    if cells is not None and cells != 1:
        reject(
            "collective-signal",
            f"{call.name} signal shape[1] must be 1 (one cell per rank), got {cells}; only allreduce in ring mode "
            "takes a signal with one column per rank",
            call.span,
        )


def stage_row(e: Emitter, qualifier: str, target: Expr) -> Var:
    """A ``[1, SIZE]`` vector tile through which one row of ``target`` travels."""
    kind = window_type(target)
    return e.op(
        qualifier, "tile.create", tuple_of(1, kind.shape[1]), dtype=kind.dtype, target_memory=MemorySpace.Vec
    )


def lower_barrier(e: Emitter, call: Call) -> Expr:
    (signal,) = call.args
    check_mesh_signal(call, signal)
    c = Collective(e, call, signal, signal)
    c.barrier(e, "")
    c.epilogue(e, 1)
    return signal


def lower_broadcast(e: Emitter, call: Call) -> Expr:
    target, signal = call.args
    check_mesh_signal(call, signal)
    c = Collective(e, call, target, signal)
    c.barrier(e, "")
    kind = window_type(target)
    stage = e.op(
        "bcast_stage", "tile.create", tuple_of(*kind.shape), dtype=kind.dtype, target_memory=MemorySpace.Vec
    )
    e.op("get_ret", "pld.tile.get", target, i32(call.kwargs.get("root", 0)), target, stage)
    c.epilogue(e, 1)
    return target


def lower_allgather(e: Emitter, call: Call) -> Expr:
    local, target, signal = call.args
    check_mesh_signal(call, signal)
    c = Collective(e, call, target, signal)
    size = window_type(target).shape[1]
    stage = stage_row(e, "ag_stage", target)

    def push(b: Emitter, peer: Var) -> None:
        b.op(
            "push", "pld.tile.put", target, peer, local, stage,
            tuple_of(c.my_rank, 0), tuple_of(0, 0), tuple_of(1, size), atomic=0,
        )  # fmt: skip

    e.loop("peer", c.nranks, push)
    c.barrier(e, "")
    c.epilogue(e, 1)
    return target


def lower_all_to_all(e: Emitter, call: Call) -> Expr:
    source, target, signal = call.args
    check_mesh_signal(call, signal)
    c = Collective(e, call, target, signal)
    size = window_type(target).shape[1]
    stage = stage_row(e, "aa_stage", target)

    def push(b: Emitter, dest: Var) -> None:
        b.op(
            "aa_put", "pld.tile.put", target, dest, source, stage,
            tuple_of(c.my_rank, 0), tuple_of(dest, 0), tuple_of(1, size), atomic=0,
        )  # fmt: skip

    e.loop("dest", c.nranks, push)
    c.barrier(e, "")
    c.epilogue(e, 1)
    return target


def lower_all_to_all_v(e: Emitter, call: Call) -> Expr:
    source, target, signal, send_counts, recv_counts = call.args
    check_mesh_signal(call, signal)
    target_rows, size = window_type(target).shape
    rows, ranks = const_dim(target_rows), const_dim(window_type(signal).shape[0])
    if rows is None or not ranks or rows % ranks:
        reject(
            "collective-signal",
            f"{call.name} needs a target whose constant row count is a multiple of the constant rank count of the signal",
            call.span,
        )
    max_recv = index(rows // ranks)
    c = Collective(e, call, target, signal)
    stage = stage_row(e, "aav_stage", target)

    def push(b: Emitter, dest: Var) -> None:
        where = tuple_of(dest) if window_type(send_counts).rank == 1 else tuple_of(dest, 0)
        count = b.op("aav_count", "tensor.read", send_counts, where)
        sent = b.bind("aav_rows", make_binary("min", as_index(count), max_recv))
        sent_i32 = b.bind("aav_count_i32", make_cast(sent, DataType.INT32))
        b.op(
            "aav_count_notify",
            "pld.system.notify",
            recv_counts,
            dest,
            tuple_of(c.my_rank, 0),
            sent_i32,
            op=_SET,
        )
        b.op(
            "aav_put", "pld.tile.put", target, dest, source, stage,
            tuple_of(make_binary("mul", c.my_rank, max_recv), 0),
            tuple_of(make_binary("mul", dest, max_recv), 0),
            tuple_of(max_recv, size), atomic=0,
        )  # fmt: skip

    e.loop("dest", c.nranks, push)
    c.barrier(e, "")
    c.epilogue(e, 1)
    return target


def lower_reduce_scatter(e: Emitter, call: Call) -> Expr:
    target, signal = call.args
    check_mesh_signal(call, signal)
    c = Collective(e, call, target, signal)
    size = window_type(target).shape[1]
    c.barrier(e, "")
    mine, shape = tuple_of(c.my_rank, 0), tuple_of(1, size)
    acc = e.op("acc_initial", "tile.load", target, mine, shape, shape, target_memory=MemorySpace.Vec)
    total = c.reduce(
        e, acc, "tile.add", lambda b, peer: b.op("recv", "pld.tile.remote_load", target, peer, mine, shape)
    )
    c.barrier(e, "2")
    e.op("store_ret", "tile.store", total, mine, target)
    c.epilogue(e, 2)
    return target
