"""`pl.X`: the unified names, which take tensors, tiles or scalars.

One row per callable: signature (annotations say what an argument may be), then the IR operators that a call
can become. See `docs/spec/dsl_ops.yaml`; the texts for people are in `documentation.py`.
"""

from pypto_core.ops.dsl.model import CallableRow, row

ROWS: tuple[CallableRow, ...] = (
    row("abs(input: Tensor | Tile) -> Tensor | Tile", "tensor.abs tile.abs"),
    row(
        "add(lhs: Tensor | Tile | Scalar, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.adds tensor.add tile.add tile.adds",
        scalar="Add",
    ),
    row("addc(lhs: Tile, rhs: Tile, rhs2: Tile) -> Tile", "tile.addc", same_as="pl.tile.addc"),
    row(
        "addsc(lhs: Tile, rhs: int | float | Scalar, rhs2: Tile) -> Tile",
        "tile.addsc",
        same_as="pl.tile.addsc",
    ),
    row(
        "aic_gather(x: Tensor | Tile) -> Tensor | Tile",
        "tensor.aic_gather tile.aic_gather",
        same_as="pl.tile.aic_gather",
    ),
    row(
        "aic_initialize_pipe(c2v_consumer_buf: int | Scalar = 0, v2c_consumer_buf: int | Scalar = 0, *, "
        "dir_mask: int, slot_size: int, slot_num: int | None = None, local_slot_num: int | None = None, "
        "id: int | None = None)",
        "system.aic_initialize_pipe",
        same_as="pl.system.aic_initialize_pipe",
    ),
    row(
        "aiv_initialize_pipe(c2v_consumer_buf: int | Scalar = 0, v2c_consumer_buf: int | Scalar = 0, *, "
        "dir_mask: int, slot_size: int, slot_num: int | None = None, local_slot_num: int | None = None, "
        "id: int | None = None)",
        "system.aiv_initialize_pipe",
        same_as="pl.system.aiv_initialize_pipe",
    ),
    row(
        "aiv_shard(x: Tensor | Tile) -> Tensor | Tile",
        "tensor.aiv_shard tile.aiv_shard",
        same_as="pl.tile.aiv_shard",
    ),
    row(
        "and_(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.and tensor.ands tile.and tile.ands",
    ),
    row("ands(lhs: Tensor | Tile, rhs: int | float | Scalar)", "tensor.ands tile.ands"),
    row(
        "arange(start: int | Scalar, shape: Shape, dtype: DataType = pl.INT32, "
        "descending: bool = False) -> Tensor",
        "tensor.ci",
        same_as="pl.tensor.arange",
    ),
    row(
        "assemble(target: Tensor | Tile, source: Tensor | Tile, offset: Shape, *, "
        "atomic: AtomicType = pl.AtomicType.None_)",
        "tensor.assemble tile.assemble",
    ),
    row("batch_matmul(lhs: Tile, rhs: Tile) -> Tile", "tile.batch_matmul"),
    row(
        "cast(input: Tensor | Tile | Scalar, target_type: int | DataType, mode: str | int = 'round') "
        "-> Tensor | Tile | Scalar",
        "tensor.cast tile.cast",
        scalar="Cast",
    ),
    row(
        "cmp(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar, cmp_type: int = 0)",
        "tensor.cmp tile.cmp tile.cmps",
    ),
    row(
        "cmps(lhs: Tile, rhs: int | float | Scalar, cmp_type: int = 0) -> Tile",
        "tile.cmps",
        same_as="pl.tile.cmps",
    ),
    row(
        "col_argmax(input: Tensor | Tile, tmp_tile: Tile | None = None)",
        "tensor.col_argmax tile.col_argmax",
    ),
    row(
        "col_argmin(input: Tensor | Tile, tmp_tile: Tile | None = None)",
        "tensor.col_argmin tile.col_argmin",
    ),
    row(
        "col_expand(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand tile.col_expand",
    ),
    row(
        "col_expand_add(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_add tile.col_expand_add",
    ),
    row(
        "col_expand_div(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_div tile.col_expand_div",
    ),
    row(
        "col_expand_expdif(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_expdif tile.col_expand_expdif",
    ),
    row(
        "col_expand_max(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_max tile.col_expand_max",
    ),
    row(
        "col_expand_min(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_min tile.col_expand_min",
    ),
    row(
        "col_expand_mul(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_mul tile.col_expand_mul",
    ),
    row(
        "col_expand_sub(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.col_expand_sub tile.col_expand_sub",
    ),
    row("col_max(input: Tensor | Tile) -> Tensor | Tile", "tensor.col_max tile.col_max"),
    row("col_min(input: Tensor | Tile) -> Tensor | Tile", "tensor.col_min tile.col_min"),
    row("col_prod(input: Tensor | Tile) -> Tensor | Tile", "tensor.col_prod tile.col_prod"),
    row("col_sum(input: Tensor | Tile, tmp_tile: Tile | None = None)", "tensor.col_sum tile.col_sum"),
    row("concat(src0: Tensor | Tile, src1: Tensor | Tile) -> Tensor | Tile", "tensor.concat tile.concat"),
    row("cos(input: Tensor | Tile) -> Tensor | Tile", "tensor.cos tile.cos"),
    row(
        "create_l1(shape: Shape, dtype: DataType, transpose: bool = False) -> Tensor",
        "tensor.create_l1",
        same_as="pl.tensor.create_l1",
    ),
    row(
        "create_tensor(shape: Shape, dtype: DataType, layout: TensorLayout = pl.TensorLayout.ND, "
        "manual_dep: bool = False, init_value: int | float | None = None) -> Tensor",
        "tensor.create",
        same_as="pl.tensor.create",
    ),
    row(
        "create_tile(shape: Shape, dtype: DataType, target_memory: MemorySpace = pl.Mem.Vec, "
        "transpose: bool | None = None, *, flat_layout: bool | None = None) -> Tile",
        "tile.create",
        same_as="pl.tile.create",
    ),
    row("dim(tensor: Tensor, axis: int | ConstInt) -> Scalar", "tensor.dim", same_as="pl.tensor.dim"),
    row(
        "div(lhs: Tensor | Tile | Scalar, rhs: Tensor | Tile | int | float | Scalar, "
        "high_precision: bool = False)",
        "tensor.divs tensor.div tile.divs tile.div",
        scalar="FloatDiv",
    ),
    row("exp(input: Tensor | Tile) -> Tensor | Tile", "tensor.exp tile.exp"),
    row(
        "expand_clone(src: Tensor, target: Tensor) -> Tensor",
        "tensor.expand_clone",
        same_as="pl.tensor.expand_clone",
    ),
    row(
        "expands(target: Tensor | Tile, scalar: int | float | Scalar) -> Tensor | Tile",
        "tensor.expands tile.expands",
    ),
    row(
        "fillpad(value: Tensor | Tile, pad_value: PadValue | int | float = pl.PadValue.zero) "
        "-> Tensor | Tile",
        "tensor.fillpad tile.fillpad",
    ),
    row(
        "fillpad_expand(value: Tensor | Tile, shape: Shape, "
        "pad_value: PadValue | int | float = pl.PadValue.zero) -> Tensor | Tile",
        "tensor.fillpad_expand tile.fillpad_expand",
    ),
    row(
        "fmod(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.fmods tensor.fmod tile.fmod tile.fmods",
    ),
    row("fmods(lhs: Tensor | Tile, rhs: int | float | Scalar)", "tensor.fmods tile.fmods"),
    row(
        "full(shape: Shape, dtype: DataType, value: int | float) -> Tensor",
        "tensor.full",
        same_as="pl.tensor.full",
    ),
    row(
        "gather(input: Tensor, dim: int | None = None, index: Tensor | None = None, *, "
        "mask_pattern: int | None = None, output_dtype: int | DataType | None = None, "
        "kvalue: int | Scalar | None = None, cmp_mode: str | int | None = None, "
        "out_cols: int | None = None, offset: int = 0, count_dtype: int | DataType | None = None) "
        "-> Tensor | Tuple[Tensor, Tensor]",
        "tensor.gather_mask tensor.gather_compare tensor.gather",
        same_as="pl.tensor.gather",
    ),
    row(
        "gather_row(dst: Tensor | Tile, src: Tensor, dst_offset: Shape, src_offset: Shape, "
        "shapes: Shape, transpose: bool = False, *, valid_shape: Shape | None = None) -> Tensor | Tile",
        "tensor.gather_row tile.gather_row",
    ),
    row(
        "gatherb(src: Tile, offset: Tile, *, output_dtype: int | DataType | None = None) -> Tile",
        "tile.gatherb",
        same_as="pl.tile.gatherb",
    ),
    row(
        "gemv(lhs: Tile, rhs: Tile, acc_phase: str = 'unspecified') -> Tile",
        "tile.gemv",
        same_as="pl.tile.gemv",
    ),
    row(
        "gemv_acc(acc: Tile, lhs: Tile, rhs: Tile, acc_phase: str = 'unspecified') -> Tile",
        "tile.gemv_acc",
        same_as="pl.tile.gemv_acc",
    ),
    row(
        "gemv_bias(lhs: Tile, rhs: Tile, bias: Tile, acc_phase: str = 'unspecified') -> Tile",
        "tile.gemv_bias",
        same_as="pl.tile.gemv_bias",
    ),
    row("get_block_idx() -> Scalar", "tensor.get_block_idx", same_as="pl.tensor.get_block_idx"),
    row("get_block_num() -> Scalar", "tensor.get_block_num", same_as="pl.tensor.get_block_num"),
    row("get_subblock_idx() -> Scalar", "tensor.get_subblock_idx", same_as="pl.tensor.get_subblock_idx"),
    row(
        "import_peer_buffer(*, name: str, peer_func: str) -> Scalar",
        "system.import_peer_buffer",
        same_as="pl.system.import_peer_buffer",
    ),
    row(
        "load(tensor: Tensor, offsets: Shape, shapes: Shape, valid_shape: Shape | None = None, "
        "target_memory: MemorySpace = pl.Mem.Vec, clamp: bool = False) -> Tile",
        "tile.load",
        same_as="pl.tile.load",
    ),
    row("log(input: Tensor | Tile, high_precision: bool = False) -> Tensor | Tile", "tensor.log tile.log"),
    row("lrelu(tile: Tile, slope: int | float | Scalar) -> Tile", "tile.lrelu", same_as="pl.tile.lrelu"),
    row(
        "matmul(lhs: Tensor | Tile, rhs: Tensor | Tile, out_dtype: int | DataType | None = None, "
        "a_trans: bool = False, b_trans: bool = False, c_matrix_nz: bool = False) -> Tensor | Tile",
        "tensor.matmul tile.matmul",
    ),
    row(
        "matmul_acc(acc: Tensor | Tile, lhs: Tensor | Tile, rhs: Tensor | Tile, a_trans: bool = False, "
        "b_trans: bool = False, init_cond: bool | Scalar | None = None) -> Tensor | Tile",
        "tensor.matmul_acc tile.matmul_acc",
    ),
    row(
        "matmul_bias(lhs: Tile, rhs: Tile, bias: Tile) -> Tile",
        "tile.matmul_bias",
        same_as="pl.tile.matmul_bias",
    ),
    row(
        "matmul_mx(lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile) -> Tile",
        "tile.matmul_mx",
        same_as="pl.tile.matmul_mx",
    ),
    row(
        "matmul_mx_acc(acc: Tile, lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile) -> Tile",
        "tile.matmul_mx_acc",
        same_as="pl.tile.matmul_mx_acc",
    ),
    row(
        "matmul_mx_bias(lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile, bias: Tile) -> Tile",
        "tile.matmul_mx_bias",
        same_as="pl.tile.matmul_mx_bias",
    ),
    row("max(lhs: Scalar | int, rhs: Scalar | int) -> Scalar", scalar="Max", same_as="pl.tile.max"),
    row(
        "maximum(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.maximum tile.maximum tile.maximums",
    ),
    row(
        "maximums(lhs: Tile, rhs: int | float | Scalar) -> Tile",
        "tile.maximums",
        same_as="pl.tile.maximums",
    ),
    row(
        "mgather(mem: Tensor, idx: Tile | Tensor, coalesce: str | int = 'row', *, "
        "gather_oob: str | int = 'undefined', target_memory: MemorySpace = pl.Mem.Vec, "
        "scratch: Tensor | None = None, valid_shape: Shape | None = None) -> Tile",
        "tile.mgather",
        same_as="pl.tile.mgather",
    ),
    row("min(lhs: Scalar | int, rhs: Scalar | int) -> Scalar", scalar="Min", same_as="pl.tile.min"),
    row(
        "minimum(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.minimum tile.minimum tile.minimums",
    ),
    row(
        "minimums(lhs: Tile, rhs: int | float | Scalar) -> Tile",
        "tile.minimums",
        same_as="pl.tile.minimums",
    ),
    row(
        "move(tile: Tile, target_memory: MemorySpace, blayout: TileLayout | None = None, "
        "slayout: TileLayout | None = None) -> Tile",
        "tile.move",
        same_as="pl.tile.move",
    ),
    row(
        "mrgsort(src0: Tensor | Tile, src1: Tensor | Tile | None = None, "
        "src2: Tensor | Tile | None = None, src3: Tensor | Tile | None = None, "
        "tmp: Tensor | Tile | None = None, *, exhausted: bool = False, "
        "block_len: int | Scalar | None = None) -> Tensor | Tile",
        "tensor.mrgsort_format1 tensor.mrgsort_format2 tile.mrgsort_format1 tile.mrgsort_format2",
    ),
    row(
        "mscatter(src: Tile, idx: Tile, output_tensor: Tensor) -> Tensor",
        "tile.mscatter",
        same_as="pl.tile.mscatter",
    ),
    row(
        "mul(lhs: Tensor | Tile | Scalar, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.muls tensor.mul tile.mul tile.muls",
        scalar="Mul",
    ),
    row("neg(input: Tensor | Tile) -> Tensor | Tile", "tensor.neg tile.neg"),
    row("not_(input: Tensor | Tile) -> Tensor | Tile", "tensor.not tile.not"),
    row(
        "or_(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.or tensor.ors tile.or tile.ors",
    ),
    row("ors(lhs: Tensor | Tile, rhs: int | float | Scalar)", "tensor.ors tile.ors"),
    row(
        "paged_gather(src: Tensor, indices: Tensor, block_table: Tensor, block_size: int, size: int, "
        "max_indices: int, *, space: MemorySpace = pl.Mem.Mat, col_off: int = 0, "
        "is_trans: bool = False, is_b_matrix: bool = False) -> Tensor",
        "tensor.paged_gather",
        same_as="pl.tensor.paged_gather",
    ),
    row("part_add(lhs: Tensor | Tile, rhs: Tensor | Tile)", "tensor.part_add tile.part_add"),
    row("part_max(lhs: Tensor | Tile, rhs: Tensor | Tile)", "tensor.part_max tile.part_max"),
    row("part_min(lhs: Tensor | Tile, rhs: Tensor | Tile)", "tensor.part_min tile.part_min"),
    row("part_mul(lhs: Tensor | Tile, rhs: Tensor | Tile)", "tensor.part_mul tile.part_mul"),
    row("prelu(tile: Tile, slope: Tile, tmp: Tile) -> Tile", "tile.prelu", same_as="pl.tile.prelu"),
    row(
        "random(key0: int | Scalar, key1: int | Scalar, counter0: int | Scalar, counter1: int | Scalar, "
        "counter2: int | Scalar, counter3: int | Scalar, shape: Shape, dtype: DataType = pl.UINT32, "
        "rounds: int = 10) -> Tensor",
        "tensor.random",
        same_as="pl.tensor.random",
    ),
    row("read(src: Tensor | Tile, offset: int | Scalar | Shape) -> Scalar", "tensor.read tile.read"),
    row(
        "recip(input: Tensor | Tile, high_precision: bool = False) -> Tensor | Tile",
        "tensor.recip tile.recip",
    ),
    row(
        "reinterpret_view(data: Tensor | Tile, dtype: DataType, *, shape: Shape | None = None) "
        "-> Tensor | Tile",
        "tensor.reinterpret_view tile.reinterpret_view",
    ),
    row("relu(tile: Tile) -> Tile", "tile.relu", same_as="pl.tile.relu"),
    row("rem(lhs: Tile, rhs: Tile, tmp: Tile) -> Tile", "tile.rem", same_as="pl.tile.rem"),
    row("rems(lhs: Tile, rhs: int | float | Scalar, tmp: Tile) -> Tile", "tile.rems", same_as="pl.tile.rems"),
    row(
        "reserve_buffer(*, name: str, size: int, base: int = -1) -> Scalar",
        "system.reserve_buffer",
        same_as="pl.system.reserve_buffer",
    ),
    row("reshape(input: Tensor | Tile, shape: Shape) -> Tensor | Tile", "tensor.reshape tile.reshape"),
    row(
        "row_argmax(input: Tensor | Tile, tmp_tile: Tile | None = None)",
        "tensor.row_argmax tile.row_argmax",
    ),
    row(
        "row_argmin(input: Tensor | Tile, tmp_tile: Tile | None = None)",
        "tensor.row_argmin tile.row_argmin",
    ),
    row(
        "row_expand(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand tile.row_expand",
    ),
    row(
        "row_expand_add(lhs: Tensor | Tile, rhs: Tensor | Tile, tmp: Tile | None = None)",
        "tensor.row_expand_add tile.row_expand_add",
    ),
    row(
        "row_expand_div(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_div tile.row_expand_div",
    ),
    row(
        "row_expand_expdif(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_expdif tile.row_expand_expdif",
    ),
    row(
        "row_expand_max(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_max tile.row_expand_max",
    ),
    row(
        "row_expand_min(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_min tile.row_expand_min",
    ),
    row(
        "row_expand_mul(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_mul tile.row_expand_mul",
    ),
    row(
        "row_expand_sub(lhs: Tensor | Tile, rhs: Tensor | Tile) -> Tensor | Tile",
        "tensor.row_expand_sub tile.row_expand_sub",
    ),
    row("row_max(input: Tensor | Tile, tmp_tile: Tile | None = None)", "tensor.row_max tile.row_max"),
    row("row_min(input: Tensor | Tile, tmp_tile: Tile | None = None)", "tensor.row_min tile.row_min"),
    row("row_prod(input: Tensor | Tile, tmp_tile: Tile | None = None)", "tensor.row_prod tile.row_prod"),
    row("row_sum(input: Tensor | Tile, tmp_tile: Tile | None = None)", "tensor.row_sum tile.row_sum"),
    row("rsqrt(input: Tensor | Tile, high_precision: bool = False)", "tensor.rsqrt tile.rsqrt"),
    row(
        "scatter(input: Tensor, dim: int | None = None, index: Tensor | None = None, "
        "src: Tensor | None = None, *, mask_pattern: int | None = None, dst: Tensor | None = None) "
        "-> Tensor",
        "tensor.scatter_mask tensor.scatter",
        same_as="pl.tensor.scatter",
    ),
    row(
        "scatter_update(input: Tensor | Tile, *args, **kwargs) -> Tensor | Tile",
        "tensor.scatter_update tile.scatter_update",
    ),
    row("sel(mask: Tile, lhs: Tile, rhs: Tile, tmp: Tile) -> Tile", "tile.sel", same_as="pl.tile.sel"),
    row(
        "sels(mask: Tile, src: Tile, tmp: Tile, scalar: int | float | Scalar) -> Tile",
        "tile.sels",
        same_as="pl.tile.sels",
    ),
    row(
        "set_validshape(input: Tensor | Tile, valid_rows: int | Scalar, valid_cols: int | Scalar)",
        "tensor.set_validshape tile.set_validshape",
    ),
    row(
        "shl(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.shl tensor.shls tile.shl tile.shls",
    ),
    row("shls(lhs: Tensor | Tile, rhs: int | float | Scalar)", "tensor.shls tile.shls"),
    row(
        "shr(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.shr tensor.shrs tile.shr tile.shrs",
    ),
    row("shrs(lhs: Tensor | Tile, rhs: int | float | Scalar)", "tensor.shrs tile.shrs"),
    row("sin(input: Tensor | Tile) -> Tensor | Tile", "tensor.sin tile.sin"),
    row(
        "slice(input: Tensor | Tile, shape: Shape, offset: Shape, valid_shape: Shape | None = None, "
        "drop_dims: Shape | None = None, pad_value: PadValue | int | float | None = None, "
        "clamp: bool = False) -> Tensor | Tile",
        "tensor.slice tile.slice",
    ),
    row("sort32(src: Tensor | Tile, idx: Tensor | Tile) -> Tensor | Tile", "tensor.sort32 tile.sort32"),
    row("sqrt(input: Tensor | Tile) -> Tensor | Tile", "tensor.sqrt tile.sqrt"),
    row(
        "store(tile: Tile, offsets: Shape, output_tensor: Tensor, shapes: Shape | None = None, *, "
        "atomic: AtomicType = pl.AtomicType.None_) -> Tensor",
        "tile.store",
        same_as="pl.tile.store",
    ),
    row(
        "sub(lhs: Tensor | Tile | Scalar, rhs: Tensor | Tile | int | float | Scalar)",
        "tensor.subs tensor.sub tile.sub tile.subs",
        scalar="Sub",
    ),
    row("subc(lhs: Tile, rhs: Tile, rhs2: Tile) -> Tile", "tile.subc", same_as="pl.tile.subc"),
    row(
        "subsc(lhs: Tile, rhs: int | float | Scalar, rhs2: Tile) -> Tile",
        "tile.subsc",
        same_as="pl.tile.subsc",
    ),
    row(
        "tfree_to_aic(tile: Tile, *, split: int | None = None, id: int | None = None)",
        "system.tfree_to_aic",
        same_as="pl.system.tfree_to_aic",
    ),
    row(
        "tfree_to_aiv(tile: Tile, *, split: int | None = None, id: int | None = None)",
        "system.tfree_to_aiv",
        same_as="pl.system.tfree_to_aiv",
    ),
    row(
        "tpop_from_aic(*, shape: Shape | None = None, dtype: DataType | None = None, split: int = 0, "
        "lane_stride: int | None = None, id: int | None = None) -> Tile",
        "tile.tpop_from_aic",
        same_as="pl.tile.tpop_from_aic",
    ),
    row(
        "tpop_from_aiv(*, shape: Shape | None = None, dtype: DataType | None = None, split: int = 0, "
        "id: int | None = None) -> Tile",
        "tile.tpop_from_aiv",
        same_as="pl.tile.tpop_from_aiv",
    ),
    row(
        "tpush_to_aic(tile: Tile, *, split: int, id: int | None = None)",
        "tile.tpush_to_aic",
        same_as="pl.tile.tpush_to_aic",
    ),
    row(
        "tpush_to_aiv(tile: Tile, *, split: int, lane_stride: int | None = None, id: int | None = None)",
        "tile.tpush_to_aiv",
        same_as="pl.tile.tpush_to_aiv",
    ),
    row(
        "transpose(input: Tensor | Tile, axis1: int, axis2: int) -> Tensor | Tile",
        "tensor.transpose tile.transpose",
    ),
    row(
        "tri(diagonal: int | Scalar, shape: Shape, valid_shape: Shape | None = None, "
        "dtype: DataType = pl.INT32, upper: bool = False) -> Tile",
        "tile.tri",
        same_as="pl.tile.tri",
    ),
    row("write(dst: Tensor | Tile, offset: int | Scalar | Shape, value: Scalar)", "tensor.write tile.write"),
    row(
        "xor(lhs: Tensor | Tile, rhs: Tensor | Tile | int | float | Scalar, tmp: Tile | None = None)",
        "tensor.xor tensor.xors tile.xor tile.xors",
    ),
    row(
        "xors(lhs: Tensor | Tile, rhs: int | float | Scalar, tmp: Tile | None = None)",
        "tensor.xors tile.xors",
    ),
)
