"""`pl.tile.X`: operators on tiles in on-chip memory.

One row per callable: signature (annotations say what an argument may be), then the IR operators that a call
can become. See `docs/spec/dsl_ops.yaml`; the texts for people are in `documentation.py`.
"""

from pypto_core.ops.dsl.model import CallableRow, row

ROWS: tuple[CallableRow, ...] = (
    row("abs(tile: Tile) -> Tile", "tile.abs"),
    row("add(lhs: Tile, rhs: Tile | int | float | Scalar) -> Tile", "tile.add tile.adds"),
    row("addc(lhs: Tile, rhs: Tile, rhs2: Tile) -> Tile", "tile.addc"),
    row("adds(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.adds"),
    row("addsc(lhs: Tile, rhs: int | float | Scalar, rhs2: Tile) -> Tile", "tile.addsc"),
    row("aic_gather(x: Tensor | Tile) -> Tensor | Tile", "tensor.aic_gather tile.aic_gather"),
    row("aiv_shard(x: Tensor | Tile) -> Tensor | Tile", "tensor.aiv_shard tile.aiv_shard"),
    row("alloc(memory_space: MemorySpace, size: int, *, pinned: bool = False) -> Ptr", "tile.alloc"),
    row("and_(lhs: Tile, rhs: Tile) -> Tile", "tile.and"),
    row("ands(lhs: Tile, rhs: int | Scalar) -> Tile", "tile.ands"),
    row(
        "arange(start: int | Scalar, shape: Shape, dtype: DataType = pl.INT32, "
        "descending: bool = False) -> Tile",
        "tile.ci",
    ),
    row("assemble(target: Tile, source: Tile, offset: Shape) -> Tile", "tile.assemble"),
    row("batch_matmul(lhs: Tile, rhs: Tile) -> Tile", "tile.batch_matmul"),
    row("batch_matmul_acc(acc: Tile, lhs: Tile, rhs: Tile) -> Tile", "tile.batch_matmul_acc"),
    row("cast(tile: Tile, target_type: int | DataType, mode: str | int = 'round') -> Tile", "tile.cast"),
    row(
        "ci(start: int | Scalar, shape: Shape, dtype: DataType = pl.INT32, descending: bool = False) -> Tile",
        "tile.ci",
    ),
    row("cmp(lhs: Tile, rhs: Tile, cmp_type: int = 0) -> Tile", "tile.cmp"),
    row("cmps(lhs: Tile, rhs: int | float | Scalar, cmp_type: int = 0) -> Tile", "tile.cmps"),
    row("col_argmax(tile: Tile, tmp_tile: Tile) -> Tile", "tile.col_argmax"),
    row("col_argmin(tile: Tile, tmp_tile: Tile) -> Tile", "tile.col_argmin"),
    row("col_expand(target: Tile, col_vec: Tile) -> Tile", "tile.col_expand"),
    row("col_expand_add(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_add"),
    row("col_expand_div(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_div"),
    row("col_expand_expdif(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_expdif"),
    row("col_expand_max(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_max"),
    row("col_expand_min(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_min"),
    row("col_expand_mul(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_mul"),
    row("col_expand_sub(tile: Tile, col_vec: Tile) -> Tile", "tile.col_expand_sub"),
    row("col_max(tile: Tile) -> Tile", "tile.col_max"),
    row("col_min(tile: Tile) -> Tile", "tile.col_min"),
    row("col_prod(tile: Tile) -> Tile", "tile.col_prod"),
    row("col_sum(tile: Tile, tmp_tile: Tile | None = None) -> Tile", "tile.col_sum"),
    row("concat(src0: Tile, src1: Tile) -> Tile", "tile.concat"),
    row("cos(tile: Tile) -> Tile", "tile.cos"),
    row(
        "create(shape: Shape, dtype: DataType, target_memory: MemorySpace = pl.Mem.Vec, "
        "transpose: bool | None = None, *, flat_layout: bool | None = None) -> Tile",
        "tile.create",
    ),
    row(
        "create_tile(shape: Shape, dtype: DataType, target_memory: MemorySpace = pl.Mem.Vec, "
        "transpose: bool | None = None, *, flat_layout: bool | None = None) -> Tile",
        "tile.create",
    ),
    row(
        "div(lhs: Tile, rhs: Tile | int | float | Scalar, high_precision: bool = False) -> Tile",
        "tile.divs tile.div",
    ),
    row("divs(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.divs"),
    row("exp(tile: Tile) -> Tile", "tile.exp"),
    row("expands(target: Tile, scalar: int | float | Scalar) -> Tile", "tile.expands"),
    row(
        "extract(src: Tile, index_row: int | Scalar, index_col: int | Scalar, shape: Shape, *, "
        "target_memory: MemorySpace) -> Tile",
        "tile.extract",
    ),
    row("fillpad(tile: Tile, pad_value: PadValue | int | float = pl.PadValue.zero) -> Tile", "tile.fillpad"),
    row(
        "fillpad_expand(tile: Tile, shape: Shape, pad_value: PadValue | int | float = pl.PadValue.zero) "
        "-> Tile",
        "tile.fillpad_expand",
    ),
    row(
        "fillpad_inplace(tile: Tile, pad_value: PadValue | int | float = pl.PadValue.zero) -> Tile",
        "tile.fillpad_inplace",
    ),
    row("fmod(lhs: Tile, rhs: Tile) -> Tile", "tile.fmod"),
    row("fmods(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.fmods"),
    row("full(shape: Shape, dtype: DataType, value: int | float) -> Tile", "tile.full"),
    row("gather(src: Tile, indices: Tile, tmp: Tile) -> Tile", "tile.gather"),
    row(
        "gather_compare(src: Tile, kvalue: int | Scalar, tmp: Tile, *, cmp_mode: str | int = 'eq', "
        "offset: int = 0, out_cols: int, count_dtype: int | DataType | None = None) -> Tuple[Tile, "
        "Tile]",
        "tile.gather_compare",
    ),
    row(
        "gather_mask(src: Tile, mask_pattern: int, *, output_dtype: int | DataType | None = None) -> Tile",
        "tile.gather_mask",
    ),
    row(
        "gather_row(dst: Tile, src: Tensor, dst_offset: Shape, src_offset: Shape, shapes: Shape, "
        "transpose: bool = False, *, valid_shape: Shape | None = None) -> Tile",
        "tile.gather_row",
    ),
    row(
        "gatherb(src: Tile, offset: Tile, *, output_dtype: int | DataType | None = None) -> Tile",
        "tile.gatherb",
    ),
    row("gemv(lhs: Tile, rhs: Tile, acc_phase: str = 'unspecified') -> Tile", "tile.gemv"),
    row("gemv_acc(acc: Tile, lhs: Tile, rhs: Tile, acc_phase: str = 'unspecified') -> Tile", "tile.gemv_acc"),
    row(
        "gemv_bias(lhs: Tile, rhs: Tile, bias: Tile, acc_phase: str = 'unspecified') -> Tile",
        "tile.gemv_bias",
    ),
    row("get_block_idx() -> Scalar", "tile.get_block_idx"),
    row("get_block_num() -> Scalar", "tile.get_block_num"),
    row("get_subblock_idx() -> Scalar", "tile.get_subblock_idx"),
    row(
        "load(tensor: Tensor, offsets: Shape, shapes: Shape, valid_shape: Shape | None = None, "
        "target_memory: MemorySpace = pl.Mem.Vec, clamp: bool = False) -> Tile",
        "tile.load",
    ),
    row("log(tile: Tile, high_precision: bool = False) -> Tile", "tile.log"),
    row("lrelu(tile: Tile, slope: int | float | Scalar) -> Tile", "tile.lrelu"),
    row("matmul(lhs: Tile, rhs: Tile) -> Tile", "tile.matmul"),
    row(
        "matmul_acc(acc: Tile, lhs: Tile, rhs: Tile, init_cond: bool | Scalar | None = None) -> Tile",
        "tile.matmul_acc",
    ),
    row("matmul_bias(lhs: Tile, rhs: Tile, bias: Tile) -> Tile", "tile.matmul_bias"),
    row("matmul_mx(lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile) -> Tile", "tile.matmul_mx"),
    row(
        "matmul_mx_acc(acc: Tile, lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile) -> Tile",
        "tile.matmul_mx_acc",
    ),
    row(
        "matmul_mx_bias(lhs: Tile, lhs_scale: Tile, rhs: Tile, rhs_scale: Tile, bias: Tile) -> Tile",
        "tile.matmul_mx_bias",
    ),
    row("max(lhs: Scalar | int, rhs: Scalar | int) -> Scalar", scalar="Max"),
    row("maximum(lhs: Tile, rhs: Tile) -> Tile", "tile.maximum"),
    row("maximums(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.maximums"),
    row(
        "mgather(mem: Tensor, idx: Tile | Tensor, coalesce: str | int = 'row', *, "
        "gather_oob: str | int = 'undefined', target_memory: MemorySpace = pl.Mem.Vec, "
        "scratch: Tensor | None = None, valid_shape: Shape | None = None) -> Tile",
        "tile.mgather",
    ),
    row("min(lhs: Scalar | int, rhs: Scalar | int) -> Scalar", scalar="Min"),
    row("minimum(lhs: Tile, rhs: Tile) -> Tile", "tile.minimum"),
    row("minimums(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.minimums"),
    row(
        "move(tile: Tile, target_memory: MemorySpace, blayout: TileLayout | None = None, "
        "slayout: TileLayout | None = None) -> Tile",
        "tile.move",
    ),
    row(
        "mrgsort(src0: Tile, src1: Tile | None = None, src2: Tile | None = None, "
        "src3: Tile | None = None, tmp: Tile | None = None, exhausted: bool = False, *, "
        "block_len: int | Scalar | None = None) -> Tile",
        "tile.mrgsort_format1 tile.mrgsort_format2",
    ),
    row("mscatter(src: Tile, idx: Tile, output_tensor: Tensor) -> Tensor", "tile.mscatter"),
    row("mul(lhs: Tile, rhs: Tile | int | float | Scalar) -> Tile", "tile.mul tile.muls"),
    row("muls(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.muls"),
    row("neg(tile: Tile) -> Tile", "tile.neg"),
    row("not_(tile: Tile) -> Tile", "tile.not"),
    row("or_(lhs: Tile, rhs: Tile) -> Tile", "tile.or"),
    row("ors(lhs: Tile, rhs: int | Scalar) -> Tile", "tile.ors"),
    row("part_add(src0: Tile, src1: Tile) -> Tile", "tile.part_add"),
    row("part_max(src0: Tile, src1: Tile) -> Tile", "tile.part_max"),
    row("part_min(src0: Tile, src1: Tile) -> Tile", "tile.part_min"),
    row("part_mul(src0: Tile, src1: Tile) -> Tile", "tile.part_mul"),
    row("prelu(tile: Tile, slope: Tile, tmp: Tile) -> Tile", "tile.prelu"),
    row(
        "random(key0: int | Scalar, key1: int | Scalar, counter0: int | Scalar, counter1: int | Scalar, "
        "counter2: int | Scalar, counter3: int | Scalar, shape: Shape, "
        "valid_shape: Shape | None = None, dtype: DataType = pl.UINT32, rounds: int = 10) -> Tile",
        "tile.random",
    ),
    row("read(tile: Tile, indices: int | Scalar | Shape) -> Scalar", "tile.read"),
    row("recip(tile: Tile, high_precision: bool = False) -> Tile", "tile.recip"),
    row(
        "reinterpret_view(data: Tile, dtype: DataType, *, shape: Shape | None = None) -> Tile",
        "tile.reinterpret_view",
    ),
    row("relu(tile: Tile) -> Tile", "tile.relu"),
    row("rem(lhs: Tile, rhs: Tile, tmp: Tile) -> Tile", "tile.rem"),
    row("rems(lhs: Tile, rhs: int | float | Scalar, tmp: Tile) -> Tile", "tile.rems"),
    row("reshape(tile: Tile, shape: Shape) -> Tile", "tile.reshape"),
    row("row_argmax(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_argmax"),
    row("row_argmin(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_argmin"),
    row("row_expand(target: Tile, row_vec: Tile) -> Tile", "tile.row_expand"),
    row("row_expand_add(tile: Tile, row_vec: Tile, tmp: Tile | None = None) -> Tile", "tile.row_expand_add"),
    row("row_expand_div(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_div"),
    row("row_expand_expdif(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_expdif"),
    row("row_expand_max(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_max"),
    row("row_expand_min(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_min"),
    row("row_expand_mul(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_mul"),
    row("row_expand_sub(tile: Tile, row_vec: Tile) -> Tile", "tile.row_expand_sub"),
    row("row_max(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_max"),
    row("row_min(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_min"),
    row("row_prod(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_prod"),
    row("row_sum(tile: Tile, tmp_tile: Tile) -> Tile", "tile.row_sum"),
    row("rsqrt(tile: Tile, tmp: Tile | None = None) -> Tile", "tile.rsqrt"),
    row("scatter(dst: Tile, src: Tile, indexes: Tile) -> Tile", "tile.scatter"),
    row("scatter_mask(dst: Tile, src: Tile, mask_pattern: int) -> Tile", "tile.scatter_mask"),
    row("scatter_update(input: Tile, *args, **kwargs) -> Tile", "tile.scatter_update"),
    row("sel(mask: Tile, lhs: Tile, rhs: Tile, tmp: Tile) -> Tile", "tile.sel"),
    row("sels(mask: Tile, src: Tile, tmp: Tile, scalar: int | float | Scalar) -> Tile", "tile.sels"),
    row(
        "set_validshape(tile: Tile, valid_rows: int | Scalar, valid_cols: int | Scalar) -> Tile",
        "tile.set_validshape",
    ),
    row("shl(lhs: Tile, rhs: Tile) -> Tile", "tile.shl"),
    row("shls(lhs: Tile, rhs: int | Scalar) -> Tile", "tile.shls"),
    row("shr(lhs: Tile, rhs: Tile) -> Tile", "tile.shr"),
    row("shrs(lhs: Tile, rhs: int | Scalar) -> Tile", "tile.shrs"),
    row("sin(tile: Tile) -> Tile", "tile.sin"),
    row(
        "slice(tile: Tile, shape: Shape, offset: Shape, valid_shape: Shape | None = None, "
        "drop_dims: Shape | None = None, pad_value: PadValue | int | float | None = None) -> Tile",
        "tile.slice",
    ),
    row("sort32(src: Tile, idx: Tile) -> Tile", "tile.sort32"),
    row("sqrt(tile: Tile) -> Tile", "tile.sqrt"),
    row(
        "store(tile: Tile, offsets: Shape, output_tensor: Tensor, shapes: Shape | None = None, *, "
        "atomic: AtomicType = pl.AtomicType.None_) -> Tensor",
        "tile.store",
    ),
    row("sub(lhs: Tile, rhs: Tile | int | float | Scalar) -> Tile", "tile.sub tile.subs"),
    row("subc(lhs: Tile, rhs: Tile, rhs2: Tile) -> Tile", "tile.subc"),
    row("subs(lhs: Tile, rhs: int | float | Scalar) -> Tile", "tile.subs"),
    row("subsc(lhs: Tile, rhs: int | float | Scalar, rhs2: Tile) -> Tile", "tile.subsc"),
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
    row(
        "transpose(tile: Tile, axis1: int, axis2: int, tmp_tile: Tile | None = None) -> Tile",
        "tile.transpose",
    ),
    row("transpose_view(tile: Tile) -> Tile", "tile.transpose_view"),
    row(
        "tri(diagonal: int | Scalar, shape: Shape, valid_shape: Shape | None = None, "
        "dtype: DataType = pl.INT32, upper: bool = False) -> Tile",
        "tile.tri",
    ),
    row("write(tile: Tile, indices: int | Scalar | Shape, value: Scalar)", "tile.write"),
    row("xor(lhs: Tile, rhs: Tile, tmp: Tile) -> Tile", "tile.xor"),
    row("xors(lhs: Tile, rhs: int | Scalar, tmp: Tile) -> Tile", "tile.xors"),
    row(
        "mrgsort_format1(src0, block_len: int)",
        "tile.mrgsort_format1 tile.mrgsort_format2",
        printed_only=True,
    ),
    row(
        "mrgsort_format2(*args, exhausted: bool = False)",
        "tile.mrgsort_format1 tile.mrgsort_format2",
        printed_only=True,
    ),
    row("tget_scale_addr(dst_scale, src)", "tile.tget_scale_addr", printed_only=True),
)
