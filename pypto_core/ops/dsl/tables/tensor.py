"""`pl.tensor.X`: operators on whole tensors.

One row per callable: signature (annotations say what an argument may be), then the IR operators that a call
can become. See `docs/spec/dsl_ops.yaml`; the texts for people are in `documentation.py`.
"""

from pypto_core.ops.dsl.model import CallableRow, row

ROWS: tuple[CallableRow, ...] = (
    row("abs(input: Tensor) -> Tensor", "tensor.abs"),
    row("add(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.adds tensor.add"),
    row("adds(lhs: Tensor, rhs: int | float | Scalar) -> Tensor", "tensor.adds"),
    row("alloc(memory_space: MemorySpace, size: int) -> Ptr", "tensor.alloc"),
    row("and_(lhs: Tensor, rhs: int | Tensor | Scalar) -> Tensor", "tensor.and tensor.ands"),
    row("ands(lhs: Tensor, rhs: int | Scalar) -> Tensor", "tensor.ands"),
    row(
        "arange(start: int | Scalar, shape: Shape, dtype: DataType = pl.INT32, "
        "descending: bool = False) -> Tensor",
        "tensor.ci",
    ),
    row(
        "assemble(target: Tensor, source: Tensor, offset: Shape, *, "
        "atomic: AtomicType = pl.AtomicType.None_) -> Tensor",
        "tensor.assemble",
    ),
    row(
        "cast(input: Tensor, target_type: int | DataType, mode: str | int = 'round') -> Tensor",
        "tensor.cast",
    ),
    row(
        "ci(start: int | Scalar, shape: Shape, dtype: DataType = pl.INT32, descending: bool = False) "
        "-> Tensor",
        "tensor.ci",
    ),
    row("cmp(lhs: Tensor, rhs: int | float | Tensor | Scalar, cmp_type: int = 0) -> Tensor", "tensor.cmp"),
    row("col_argmax(input: Tensor) -> Tensor", "tensor.col_argmax"),
    row("col_argmin(input: Tensor) -> Tensor", "tensor.col_argmin"),
    row("col_expand(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand"),
    row("col_expand_add(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_add"),
    row("col_expand_div(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_div"),
    row("col_expand_expdif(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_expdif"),
    row("col_expand_max(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_max"),
    row("col_expand_min(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_min"),
    row("col_expand_mul(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_mul"),
    row("col_expand_sub(tensor: Tensor, col_vec: Tensor) -> Tensor", "tensor.col_expand_sub"),
    row("col_max(input: Tensor) -> Tensor", "tensor.col_max"),
    row("col_min(input: Tensor) -> Tensor", "tensor.col_min"),
    row("col_prod(input: Tensor) -> Tensor", "tensor.col_prod"),
    row("col_sum(input: Tensor) -> Tensor", "tensor.col_sum"),
    row("concat(src0: Tensor, src1: Tensor) -> Tensor", "tensor.concat"),
    row("cos(input: Tensor) -> Tensor", "tensor.cos"),
    row(
        "create(shape: Shape, dtype: DataType, layout: TensorLayout = pl.TensorLayout.ND, "
        "manual_dep: bool = False, init_value: int | float | None = None) -> Tensor",
        "tensor.create",
    ),
    row("create_l1(shape: Shape, dtype: DataType, transpose: bool = False) -> Tensor", "tensor.create_l1"),
    row(
        "create_tensor(shape: Shape, dtype: DataType, layout: TensorLayout = pl.TensorLayout.ND, "
        "manual_dep: bool = False, init_value: int | float | None = None) -> Tensor",
        "tensor.create",
    ),
    row("dim(tensor: Tensor, axis: int | ConstInt) -> Scalar", "tensor.dim"),
    row(
        "div(lhs: Tensor, rhs: int | float | Tensor | Scalar, high_precision: bool = False) -> Tensor",
        "tensor.divs tensor.div",
    ),
    row("divs(lhs: Tensor, rhs: int | float | Scalar) -> Tensor", "tensor.divs"),
    row("dump_tag(tensor: Tensor) -> Tensor", construct=True),
    row("exp(input: Tensor) -> Tensor", "tensor.exp"),
    row("expand_clone(src: Tensor, target: Tensor) -> Tensor", "tensor.expand_clone"),
    row("expands(target: Tensor, scalar: int | float | Scalar) -> Tensor", "tensor.expands"),
    row(
        "fillpad(tensor: Tensor, pad_value: PadValue | int | float = pl.PadValue.zero) -> Tensor",
        "tensor.fillpad",
    ),
    row(
        "fillpad_expand(tensor: Tensor, shape: Shape, "
        "pad_value: PadValue | int | float = pl.PadValue.zero) -> Tensor",
        "tensor.fillpad_expand",
    ),
    row("fmod(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.fmods tensor.fmod"),
    row("fmods(lhs: Tensor, rhs: int | float | Scalar) -> Tensor", "tensor.fmods"),
    row("full(shape: Shape, dtype: DataType, value: int | float) -> Tensor", "tensor.full"),
    row(
        "gather(input: Tensor, dim: int | None = None, index: Tensor | None = None, *, "
        "mask_pattern: int | None = None, output_dtype: int | DataType | None = None, "
        "kvalue: int | Scalar | None = None, cmp_mode: str | int | None = None, "
        "out_cols: int | None = None, offset: int = 0, count_dtype: int | DataType | None = None) "
        "-> Tensor | Tuple[Tensor, Tensor]",
        "tensor.gather_mask tensor.gather_compare tensor.gather",
    ),
    row(
        "gather_row(acc: Tensor, src: Tensor, dst_offset: Shape, src_offset: Shape, shapes: Shape, "
        "transpose: bool = False, *, valid_shape: Shape | None = None) -> Tensor",
        "tensor.gather_row",
    ),
    row("get_block_idx() -> Scalar", "tensor.get_block_idx"),
    row("get_block_num() -> Scalar", "tensor.get_block_num"),
    row("get_subblock_idx() -> Scalar", "tensor.get_subblock_idx"),
    row("log(input: Tensor, high_precision: bool = False) -> Tensor", "tensor.log"),
    row(
        "matmul(lhs: Tensor, rhs: Tensor, out_dtype: int | DataType | None = None, "
        "a_trans: bool = False, b_trans: bool = False, c_matrix_nz: bool = False) -> Tensor",
        "tensor.matmul",
    ),
    row(
        "matmul_acc(acc: Tensor, lhs: Tensor, rhs: Tensor, a_trans: bool = False, "
        "b_trans: bool = False, init_cond: bool | Scalar | None = None) -> Tensor",
        "tensor.matmul_acc",
    ),
    row("maximum(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.maximum"),
    row("minimum(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.minimum"),
    row(
        "mrgsort(src0: Tensor, src1: Tensor | None = None, src2: Tensor | None = None, "
        "src3: Tensor | None = None, *, exhausted: bool = False, block_len: int | Scalar | None = None) "
        "-> Tensor",
        "tensor.mrgsort_format1 tensor.mrgsort_format2",
    ),
    row("mul(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.muls tensor.mul"),
    row("muls(lhs: Tensor, rhs: int | float | Scalar) -> Tensor", "tensor.muls"),
    row("neg(input: Tensor) -> Tensor", "tensor.neg"),
    row("no_dep(tensor: Tensor) -> Tensor", construct=True),
    row("not_(input: Tensor) -> Tensor", "tensor.not"),
    row("or_(lhs: Tensor, rhs: int | Tensor | Scalar) -> Tensor", "tensor.or tensor.ors"),
    row("ors(lhs: Tensor, rhs: int | Scalar) -> Tensor", "tensor.ors"),
    row(
        "paged_gather(src: Tensor, indices: Tensor, block_table: Tensor, block_size: int, size: int, "
        "max_indices: int, *, space: MemorySpace = pl.Mem.Mat, col_off: int = 0, "
        "is_trans: bool = False, is_b_matrix: bool = False) -> Tensor",
        "tensor.paged_gather",
    ),
    row("part_add(lhs: Tensor, rhs: Tensor) -> Tensor", "tensor.part_add"),
    row("part_max(lhs: Tensor, rhs: Tensor) -> Tensor", "tensor.part_max"),
    row("part_min(lhs: Tensor, rhs: Tensor) -> Tensor", "tensor.part_min"),
    row("part_mul(lhs: Tensor, rhs: Tensor) -> Tensor", "tensor.part_mul"),
    row(
        "random(key0: int | Scalar, key1: int | Scalar, counter0: int | Scalar, counter1: int | Scalar, "
        "counter2: int | Scalar, counter3: int | Scalar, shape: Shape, dtype: DataType = pl.UINT32, "
        "rounds: int = 10) -> Tensor",
        "tensor.random",
    ),
    row("read(tensor: Tensor, indices: int | Scalar | Shape) -> Scalar", "tensor.read"),
    row("recip(input: Tensor, high_precision: bool = False) -> Tensor", "tensor.recip"),
    row(
        "reinterpret_view(data: Tensor, dtype: DataType, *, shape: Shape | None = None) -> Tensor",
        "tensor.reinterpret_view",
    ),
    row("reshape(tensor: Tensor, shape: Shape) -> Tensor", "tensor.reshape"),
    row("row_argmax(input: Tensor) -> Tensor", "tensor.row_argmax"),
    row("row_argmin(input: Tensor) -> Tensor", "tensor.row_argmin"),
    row("row_expand(target: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand"),
    row("row_expand_add(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_add"),
    row("row_expand_div(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_div"),
    row("row_expand_expdif(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_expdif"),
    row("row_expand_max(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_max"),
    row("row_expand_min(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_min"),
    row("row_expand_mul(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_mul"),
    row("row_expand_sub(tensor: Tensor, row_vec: Tensor) -> Tensor", "tensor.row_expand_sub"),
    row("row_max(input: Tensor) -> Tensor", "tensor.row_max"),
    row("row_min(input: Tensor) -> Tensor", "tensor.row_min"),
    row("row_prod(input: Tensor) -> Tensor", "tensor.row_prod"),
    row("row_sum(input: Tensor) -> Tensor", "tensor.row_sum"),
    row("rsqrt(input: Tensor, high_precision: bool = False) -> Tensor", "tensor.rsqrt"),
    row(
        "scatter(input: Tensor, dim: int | None = None, index: Tensor | None = None, "
        "src: Tensor | None = None, *, mask_pattern: int | None = None, dst: Tensor | None = None) "
        "-> Tensor",
        "tensor.scatter_mask tensor.scatter",
    ),
    row("scatter_update(input: Tensor, *args, **kwargs) -> Tensor", "tensor.scatter_update"),
    row(
        "set_validshape(tensor: Tensor, valid_rows: int | Scalar, valid_cols: int | Scalar) -> Tensor",
        "tensor.set_validshape",
    ),
    row("shl(lhs: Tensor, rhs: int | Tensor | Scalar) -> Tensor", "tensor.shl tensor.shls"),
    row("shls(lhs: Tensor, rhs: int | Scalar) -> Tensor", "tensor.shls"),
    row("shr(lhs: Tensor, rhs: int | Tensor | Scalar) -> Tensor", "tensor.shr tensor.shrs"),
    row("shrs(lhs: Tensor, rhs: int | Scalar) -> Tensor", "tensor.shrs"),
    row("sin(input: Tensor) -> Tensor", "tensor.sin"),
    row(
        "slice(tensor: Tensor, shape: Shape, offset: Shape, valid_shape: Shape | None = None, "
        "drop_dims: Shape | None = None, pad_value: PadValue | int | float | None = None, "
        "clamp: bool = False) -> Tensor",
        "tensor.slice",
    ),
    row("sort32(src: Tensor, idx: Tensor) -> Tensor", "tensor.sort32"),
    row("sqrt(input: Tensor) -> Tensor", "tensor.sqrt"),
    row("sub(lhs: Tensor, rhs: int | float | Tensor | Scalar) -> Tensor", "tensor.subs tensor.sub"),
    row("subs(lhs: Tensor, rhs: int | float | Scalar) -> Tensor", "tensor.subs"),
    row("transpose(tensor: Tensor, axis1: int, axis2: int) -> Tensor", "tensor.transpose"),
    row(
        "view(tensor: Tensor, shape: Shape | None = None, valid_shape: Shape | None = None, *, "
        "layout: TensorLayout | None = None) -> Tensor",
        "tensor.view",
    ),
    row("write(tensor: Tensor, indices: int | Scalar | Shape, value: Scalar)", "tensor.write"),
    row("xor(lhs: Tensor, rhs: int | Tensor | Scalar) -> Tensor", "tensor.xor tensor.xors"),
    row("xors(lhs: Tensor, rhs: int | Scalar) -> Tensor", "tensor.xors"),
    row(
        "gather_compare(input, kvalue, *, cmp_mode: str | int, offset: int = 0, out_cols: int, "
        "count_dtype: int | DataType | None = None)",
        "tensor.gather_mask tensor.gather_compare tensor.gather",
        printed_only=True,
    ),
    row(
        "gather_mask(input, mask_pattern: int, output_dtype: int | DataType | None = None)",
        "tensor.gather_mask tensor.gather_compare tensor.gather",
        printed_only=True,
    ),
    row(
        "mrgsort_format1(src0, block_len: int)",
        "tensor.mrgsort_format1 tensor.mrgsort_format2",
        printed_only=True,
    ),
    row(
        "mrgsort_format2(*args, exhausted: bool = False)",
        "tensor.mrgsort_format1 tensor.mrgsort_format2",
        printed_only=True,
    ),
    row(
        "scatter_mask(input, dst, mask_pattern: int)",
        "tensor.scatter_mask tensor.scatter",
        printed_only=True,
    ),
)
