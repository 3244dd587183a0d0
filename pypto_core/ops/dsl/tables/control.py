"""`pl.system.X`, `pl.array.X`, `pl.prefetch.X`: synchronisation, task and scalar-array operators.

One row per callable: signature (annotations say what an argument may be), then the IR operators that a call
can become. See `docs/spec/dsl_ops.yaml`; the texts for people are in `documentation.py`.
"""

from pypto_core.ops.dsl.model import CallableRow, row

PL_SYSTEM: tuple[CallableRow, ...] = (
    row(
        "aic_initialize_pipe(c2v_consumer_buf: int | Scalar = 0, v2c_consumer_buf: int | Scalar = 0, *, "
        "dir_mask: int, slot_size: int, slot_num: int | None = None, local_slot_num: int | None = None, "
        "id: int | None = None)",
        "system.aic_initialize_pipe",
    ),
    row(
        "aiv_initialize_pipe(c2v_consumer_buf: int | Scalar = 0, v2c_consumer_buf: int | Scalar = 0, *, "
        "dir_mask: int, slot_size: int, slot_num: int | None = None, local_slot_num: int | None = None, "
        "id: int | None = None)",
        "system.aiv_initialize_pipe",
    ),
    row("available_aiv_count() -> Scalar", "system.available_aiv_count"),
    row("available_cluster_count() -> Scalar", "system.available_cluster_count"),
    row("bar_all()", "system.bar_all"),
    row("bar_m()", "system.bar_m"),
    row("bar_v()", "system.bar_v"),
    row(
        "cacheinvalid(tensor: Tensor | None = None, shapes: Shape | None = None, "
        "offsets: Shape | None = None)",
        "system.cacheinvalid",
    ),
    row("fence()", "system.fence"),
    row("import_peer_buffer(*, name: str, peer_func: str) -> Scalar", "system.import_peer_buffer"),
    row("reserve_buffer(*, name: str, size: int, base: int = -1) -> Scalar", "system.reserve_buffer"),
    row("set_ffts(workspace: Tensor)", "system.set_ffts"),
    row("sync_dst(*, set_pipe: PipeType, wait_pipe: PipeType, event_id: int)", "system.sync_dst"),
    row(
        "sync_set(event_id: int | Scalar, *, pipe: PipeType, ffts_mode: int | None = None, "
        "core_type: str | None = None)",
        "system.sync_set",
    ),
    row("sync_src(*, set_pipe: PipeType, wait_pipe: PipeType, event_id: int)", "system.sync_src"),
    row(
        "sync_wait(event_id: int | Scalar, *, pipe: PipeType, core_type: str | None = None)",
        "system.sync_wait",
    ),
    row(
        "syncall(*, core_type: str = 'mix', mode: str = 'hard', gm_workspace: Tensor | None = None, "
        "used_cores: int | Scalar | None = None)",
        "system.syncall",
    ),
    row("task_dummy(*, deps: Sequence[Scalar | Array | None]) -> Scalar", "system.task_dummy"),
    row("task_invalid() -> Scalar", "system.task_invalid"),
    row(
        "tfree_to_aic(tile: Tile, *, split: int | None = None, id: int | None = None)",
        "system.tfree_to_aic",
    ),
    row(
        "tfree_to_aiv(tile: Tile, *, split: int | None = None, id: int | None = None)",
        "system.tfree_to_aiv",
    ),
    row(
        "tpop_from_aic(*, shape: Shape | None = None, dtype: DataType | None = None, split: int = 0, "
        "lane_stride: int | None = None, id: int | None = None) -> Tile",
        "tile.tpop_from_aic",
    ),
    row(
        "tpop_from_aiv(*, shape: Shape | None = None, dtype: DataType | None = None, split: int = 0, "
        "id: int | None = None) -> Tile",
        "tile.tpop_from_aiv",
    ),
    row("tpush_to_aic(tile: Tile, *, split: int, id: int | None = None)", "tile.tpush_to_aic"),
    row(
        "tpush_to_aiv(tile: Tile, *, split: int, lane_stride: int | None = None, id: int | None = None)",
        "tile.tpush_to_aiv",
    ),
)

PL_ARRAY: tuple[CallableRow, ...] = (
    row("create(extent: int, dtype: DataType) -> Array", "array.create"),
    row("get_element(array: Array, index: int | Scalar) -> Scalar", "array.get_element"),
    row(
        "update_element(array: Array, index: int | Scalar, value: int | Scalar) -> Array",
        "array.update_element",
    ),
)

PL_PREFETCH: tuple[CallableRow, ...] = (
    row("async_prefetch(src: Tensor, ctx: PrefetchAsyncContext) -> AsyncEvent", "prefetch.async_prefetch"),
    row("make_context() -> PrefetchAsyncContext", "prefetch.make_context"),
    row("session(ctx: PrefetchAsyncContext) -> AsyncSession", "prefetch.session"),
    row("wait(event: AsyncEvent, session_handle: AsyncSession) -> Scalar", "prefetch.wait"),
)

NAMESPACES = {"pl.system": PL_SYSTEM, "pl.array": PL_ARRAY, "pl.prefetch": PL_PREFETCH}
