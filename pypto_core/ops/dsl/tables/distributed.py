"""`pld.X` and `pld.<category>.X`: windows, remote access and collectives.

One row per callable: signature (annotations say what an argument may be), then the IR operators that a call
can become. See `docs/spec/dsl_ops.yaml`; the texts for people are in `documentation.py`.
"""

from pypto_core.ops.dsl.model import CallableRow, row

PLD: tuple[CallableRow, ...] = (
    row(
        "alloc_window_buffer(size: int | Scalar | Shape, *, dtype: DataType | None = None, "
        "name: str = '') -> Ptr",
        "pld.tensor.alloc_window_buffer",
        same_as="pld.tensor.alloc_window_buffer",
    ),
    row(
        "get_comm_ctx(dist_tensor: DistributedTensor) -> CommCtx",
        "pld.system.get_comm_ctx",
        same_as="pld.system.get_comm_ctx",
    ),
    row("nranks(ctx: CommCtx) -> Scalar", "pld.system.nranks", same_as="pld.system.nranks"),
    row("rank(ctx: CommCtx) -> Scalar", "pld.system.rank", same_as="pld.system.rank"),
    row(
        "remote_load(target: DistributedTensor, peer: int | Scalar, offsets: Shape, shape: Shape, "
        "valid_shape: Shape | None = None) -> Tile",
        "pld.tile.remote_load",
        same_as="pld.tile.remote_load",
    ),
    row(
        "remote_store(src: Tile | Tensor, target: DistributedTensor, peer: int | Scalar, "
        "offsets: Shape, *, atomic: AtomicType = pl.AtomicType.None_)",
        "pld.tensor.remote_store pld.tile.remote_store",
    ),
    row(
        "window(buf: Ptr, shape: Shape, *, dtype: DataType) -> DistributedTensor",
        "pld.tensor.window",
        same_as="pld.tensor.window",
    ),
    row("world_size() -> Scalar", "pld.system.world_size", same_as="pld.system.world_size"),
)

PLD_SYSTEM: tuple[CallableRow, ...] = (
    row(
        "defer_wait(signal: Tensor, offsets: Shape, expected: int | Scalar, *, cmp: WaitCmp)",
        "pld.system.defer_wait",
    ),
    row("get_comm_ctx(dist_tensor: DistributedTensor) -> CommCtx", "pld.system.get_comm_ctx"),
    row(
        "notify(target: Tensor, peer: int | Scalar, offsets: Shape, value: int | Scalar, *, op: NotifyOp)",
        "pld.system.notify",
    ),
    row("nranks(ctx: CommCtx) -> Scalar", "pld.system.nranks"),
    row("rank(ctx: CommCtx) -> Scalar", "pld.system.rank"),
    row("wait(signal: Tensor, offsets: Shape, expected: int | Scalar, *, cmp: WaitCmp)", "pld.system.wait"),
    row("world_size() -> Scalar", "pld.system.world_size"),
)

PLD_TENSOR: tuple[CallableRow, ...] = (
    row(
        "all_to_all(input: Tensor | DistributedTensor, target: DistributedTensor, "
        "signal: DistributedTensor) -> DistributedTensor",
        "pld.tensor.all_to_all",
    ),
    row(
        "all_to_all_v(input: Tensor | DistributedTensor, target: DistributedTensor, "
        "signal: DistributedTensor, send_counts: Tensor | DistributedTensor, "
        "recv_counts: DistributedTensor) -> DistributedTensor",
        "pld.tensor.all_to_all_v",
    ),
    row(
        "allgather(local_data: Tensor | DistributedTensor, target: DistributedTensor, "
        "signal: DistributedTensor) -> DistributedTensor",
        "pld.tensor.allgather",
    ),
    row(
        "alloc_window_buffer(size: int | Scalar | Shape, *, dtype: DataType | None = None, "
        "name: str = '') -> Ptr",
        "pld.tensor.alloc_window_buffer",
    ),
    row(
        "allreduce(target: DistributedTensor, signal: DistributedTensor = None, *, "
        "op: ReduceOp = pld.ReduceOp.Sum, mode: str = 'mesh', core_num: int = 1) -> DistributedTensor",
        "pld.tensor.allreduce",
    ),
    row("barrier(signal: DistributedTensor) -> DistributedTensor", "pld.tensor.barrier"),
    row(
        "broadcast(target: DistributedTensor, signal: DistributedTensor, *, root: int) -> DistributedTensor",
        "pld.tensor.broadcast",
    ),
    row(
        "get(dst: DistributedTensor | Tensor, peer: int | Scalar, src: DistributedTensor, "
        "dst_offsets: Shape | None = None, src_offsets: Shape | None = None, "
        "shape: Shape | None = None, *, chunk_rows: int = 0, chunk_cols: int = 0, "
        "pipeline: bool = False)",
        "pld.tensor.get",
    ),
    row(
        "put(dst: DistributedTensor, peer: int | Scalar, src: DistributedTensor | Tensor, "
        "dst_offsets: Shape | None = None, src_offsets: Shape | None = None, "
        "shape: Shape | None = None, *, atomic: AtomicType = pl.AtomicType.None_, chunk_rows: int = 0, "
        "chunk_cols: int = 0, pipeline: bool = False)",
        "pld.tensor.put",
    ),
    row(
        "reduce_scatter(target: DistributedTensor, signal: DistributedTensor, *, "
        "op: ReduceOp = pld.ReduceOp.Sum) -> DistributedTensor",
        "pld.tensor.reduce_scatter",
    ),
    row(
        "remote_store(src: Tensor, target: DistributedTensor, peer: int | Scalar, offsets: Shape, *, "
        "atomic: AtomicType = pl.AtomicType.None_)",
        "pld.tensor.remote_store",
    ),
    row("window(buf: Ptr, shape: Shape, *, dtype: DataType) -> DistributedTensor", "pld.tensor.window"),
)

PLD_TILE: tuple[CallableRow, ...] = (
    row(
        "get(dst: DistributedTensor | Tensor, peer: int | Scalar, src: DistributedTensor, stage: Tile, "
        "stage2: Tile | None = None, dst_offsets: Shape | None = None, "
        "src_offsets: Shape | None = None, shape: Shape | None = None)",
        "pld.tile.get",
    ),
    row(
        "put(dst: DistributedTensor, peer: int | Scalar, src: DistributedTensor | Tensor, stage: Tile, "
        "stage2: Tile | None = None, dst_offsets: Shape | None = None, "
        "src_offsets: Shape | None = None, shape: Shape | None = None, *, "
        "atomic: AtomicType = pl.AtomicType.None_)",
        "pld.tile.put",
    ),
    row(
        "remote_load(target: DistributedTensor, peer: int | Scalar, offsets: Shape, shape: Shape, "
        "valid_shape: Shape | None = None) -> Tile",
        "pld.tile.remote_load",
    ),
    row(
        "remote_store(src_tile: Tile, target: DistributedTensor, peer: int | Scalar, offsets: Shape, *, "
        "atomic: AtomicType = pl.AtomicType.None_)",
        "pld.tile.remote_store",
    ),
)

NAMESPACES = {"pld": PLD, "pld.system": PLD_SYSTEM, "pld.tensor": PLD_TENSOR, "pld.tile": PLD_TILE}
