"""Rows of the table of codes: annotations (docs/spec/language.md §7.3)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.frontend_samples import core, params, rule, tensors, whole
from pypto_core.diagnostics import Rule, Severity

RULES: tuple[Rule, ...] = (
    rule(
        "param-no-annotation",
        "Parameter without a type",
        "Every parameter but self needs a type: the compiler has no other way to know it.",
        "«x»",
        "x: pl.Tensor[[64, 64], pl.FP32]",
        params,
        fix="review",
    ),
    rule(
        "type-incomplete",
        "Type without its parts",
        "A tensor, tile or scalar type needs its shape and dtype.",
        "x: «pl.Tile»",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
        params,
        fix="sometimes",
    ),
    rule(
        "type-unsupported",
        "This is no type",
        "Types of the language are pl.Tensor, pld.DistributedTensor, pl.Tile, pl.Scalar, pl.Array and pl.Tuple.",
        "x: «42»",
        "x: pl.Scalar[pl.INDEX]",
        params,
    ),
    rule(
        "type-unknown",
        "Unknown type name",
        "The name before the brackets is no type of the language.",
        "x: «pl.Tensr[[64, 64], pl.FP32]»",
        "x: pl.Tensor[[64, 64], pl.FP32]",
        params,
        fix="review",
    ),
    rule(
        "type-arity",
        "Wrong number of parts in a type",
        "A tensor has shape and dtype, then optionally a layout or view and a MemRef; a scalar has one dtype; an array an extent and a dtype.",
        "x: «pl.Tensor[[64, 64]]»",
        "x: pl.Tensor[[64, 64], pl.FP32]",
        params,
    ),
    rule(
        "array-extent",
        "Extent of an array",
        "An array lives in scalar memory; its extent is a positive integer known while compiling.",
        "counts: pl.Array[«0», pl.INT32] = pl.array.create(8, pl.INT32)",
        "counts: pl.Array[8, pl.INT32] = pl.array.create(8, pl.INT32)",
        core,
    ),
    rule(
        "tuple-nested",
        "Tuple inside a tuple",
        "A tuple type holds tensors, tiles, scalars and arrays, not tuples.",
        "t: pl.Tuple[«pl.Tuple[pl.Scalar[pl.INDEX]]»] = pl.exp(x)",
        "t: pl.Tensor[[64, 64], pl.FP32] = pl.exp(x)",
        tensors,
    ),
    rule(
        "tuple-param",
        "Tuple as a parameter",
        "A parameter is one value. Write one parameter per element.",
        "x: «pl.Tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]»",
        "x: pl.Scalar[pl.INDEX], y: pl.Scalar[pl.INDEX]",
        params,
    ),
    rule(
        "scalar-inout",
        "A scalar cannot be InOut",
        "A scalar is passed by value. Use a one-element tensor to get a value back.",
        "x: «pl.InOut[pl.Scalar[pl.INDEX]]»",
        "x: pl.Scalar[pl.INDEX]",
        params,
        fix="review",
    ),
    rule(
        "tile-extra-duplicate",
        "Part of a tile type given twice",
        "A tile has one memory space, one view and one MemRef.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, «pl.Mem.Mat»]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
        params,
        fix="review",
    ),
    rule(
        "tile-extra-unsupported",
        "Not a part of a tile type",
        "After shape and dtype a tile type takes pl.Mem.X, pl.TileView(...) and pl.MemRef(...), in any order.",
        "x: pl.Tile[[64, 64], pl.FP32, «64»]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
        params,
    ),
    rule(
        "tile-layout-slot",
        "Layout of a tile",
        "Tensor layouts describe global memory. A tile has a pl.TileView with block and sub-block layout.",
        "x: pl.Tile[[64, 64], pl.FP32, «pl.NZ»]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Mat]",
        params,
    ),
    rule(
        "tile-memref-needs-space",
        "MemRef without memory space",
        "A tile that names its allocation also says in which memory it lies.",
        'x: «pl.Tile[[64, 64], pl.FP32, pl.MemRef("buf")]»',
        'x: pl.Tile[[64, 64], pl.FP32, pl.MemRef("buf"), pl.Mem.Vec]',
        params,
        fix="review",
    ),
    rule(
        "memref-form",
        "Form of a MemRef",
        'A MemRef is pl.MemRef("name"), pl.MemRef("name", slots=N) or pl.MemRef(base, byte_offset, size).',
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, «pl.MemRef("buf", 0)»]',
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.MemRef("buf")]',
        params,
    ),
    rule(
        "memref-slots",
        "Number of slots",
        "slots= of an allocation is a positive integer literal.",
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.MemRef("buf", slots=«0»)[0]]',
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.MemRef("buf", slots=2)[0]]',
        params,
    ),
    rule(
        "memref-slot-index",
        "Slot of an allocation",
        "A slot index needs an allocation with several slots and must lie among them.",
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.MemRef("buf", slots=2)[«2»]]',
        'x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.MemRef("buf", slots=2)[1]]',
        params,
    ),
    rule(
        "memref-alias",
        "One allocation under two names",
        "A declared allocation is referred to by one name, and no two allocations share a name.",
        """
        RING = pl.MemRef("ring")
        OTHER = pl.MemRef("ring")


        @pl.function(type=pl.FunctionType.InCore)
        def kernel(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
            a: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, RING] = pl.load(x, [0, 0], [64, 64])
            b: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, «OTHER»] = pl.exp(a)
            pl.store(b, [0, 0], out)
        """,
        """
        RING = pl.MemRef("ring")
        OTHER = pl.MemRef("other")


        @pl.function(type=pl.FunctionType.InCore)
        def kernel(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
            a: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, RING] = pl.load(x, [0, 0], [64, 64])
            b: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, OTHER] = pl.exp(a)
            pl.store(b, [0, 0], out)
        """,
        whole,
    ),
    rule(
        "shape-form",
        "This is no shape",
        "A shape is a list or tuple of dimensions, or an outer name that holds one.",
        "x: pl.Tensor[«64», pl.FP32]",
        "x: pl.Tensor[[64], pl.FP32]",
        params,
    ),
    rule(
        "shape-name-unknown",
        "Unknown name in a shape",
        "A dimension is a number, an outer name, a pl.dynamic symbol or an arithmetic expression of these.",
        "x: pl.Tensor[[«rows», 64], pl.FP32]",
        "x: pl.Tensor[[64, 64], pl.FP32]",
        params,
        fix="review",
    ),
    rule(
        "shape-element",
        "Not a dimension",
        "An element of a shape is an integer or a pl.dynamic symbol.",
        """
        SIZES = "64"


        @pl.function
        def kernel(x: pl.Tensor[[«SIZES», 64], pl.FP32]):
            return
        """,
        """
        SIZES = 64


        @pl.function
        def kernel(x: pl.Tensor[[SIZES, 64], pl.FP32]):
            return
        """,
        whole,
    ),
    rule(
        "shape-dim-dtype",
        "A dimension is an integer",
        "A dimension that is computed from scalars must be an integer.",
        "s: pl.Scalar[pl.FP32], x: pl.Tensor[[«s», 64], pl.FP32]",
        "s: pl.Scalar[pl.INDEX], x: pl.Tensor[[s, 64], pl.FP32]",
        params,
    ),
    rule(
        "dim-not-positive",
        "Empty dimension",
        "A dimension of zero or less is accepted by the compiler but holds no element.",
        "x: pl.Tensor[[«0», 64], pl.FP32]",
        "x: pl.Tensor[[1, 64], pl.FP32]",
        params,
        severity=Severity.WARNING,
    ),
    rule(
        "dtype-unknown",
        "Unknown dtype",
        "The element type is one of pl.FP32, pl.BF16, pl.INT32 and so on.",
        "x: pl.Tensor[[64, 64], «pl.FP31»]",
        "x: pl.Tensor[[64, 64], pl.FP32]",
        params,
        fix="review",
    ),
    rule(
        "layout-unknown",
        "Unknown tensor layout",
        "The third part of a tensor type is a layout, a pl.TensorView(...) or a pl.MemRef(...).",
        "x: pl.Tensor[[64, 64], pl.FP32, «pl.TensorLayout.NX»]",
        "x: pl.Tensor[[64, 64], pl.FP32, pl.TensorLayout.NZ]",
        params,
        fix="review",
    ),
    rule(
        "layout-dn-shorthand",
        "pl.DN needs strides",
        "A column-major tensor is described by an explicit pl.TensorView with stride and layout.",
        "x: pl.Tensor[[64, 64], pl.FP32, «pl.DN»]",
        "x: pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[1, 64], layout=pl.TensorLayout.DN)]",
        params,
        fix="review",
    ),
    rule(
        "memspace-unknown",
        "Unknown memory space",
        "Memory spaces are the members of pl.Mem.",
        "x: pl.Tile[[64, 64], pl.FP32, «pl.Mem.Vector»]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
        params,
        fix="review",
    ),
    rule(
        "view-positional",
        "Views take keywords",
        "pl.TensorView and pl.TileView have no positional arguments.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(«[32, 64]»), pl.Mem.Vec]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[32, 64]), pl.Mem.Vec]",
        params,
    ),
    rule(
        "view-keyword",
        "Unknown field of a view",
        "A view has a fixed set of fields.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(«valid=[32, 64]»), pl.Mem.Vec]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[32, 64]), pl.Mem.Vec]",
        params,
        fix="review",
    ),
    rule(
        "view-list",
        "Field of a view that is a list",
        "valid_shape and stride are list literals.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=«32»), pl.Mem.Vec]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[32, 64]), pl.Mem.Vec]",
        params,
    ),
    rule(
        "view-field",
        "Element of a view field",
        "The elements of valid_shape and stride are index expressions.",
        'x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[«"32"», 64]), pl.Mem.Vec]',
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[32, 64]), pl.Mem.Vec]",
        params,
    ),
    rule(
        "view-yield",
        "No yield inside a view",
        "A type is no place to hand values on.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[«pl.yield_(32)», 64]), pl.Mem.Vec]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[32, 64]), pl.Mem.Vec]",
        params,
    ),
    rule(
        "view-bound-type",
        "Name in a view that is no integer",
        "A name inside a view stands for an integer or a symbol.",
        """
        ROWS = "32"


        @pl.function
        def kernel(x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[«ROWS», 64]), pl.Mem.Vec]):
            return
        """,
        """
        ROWS = 32


        @pl.function
        def kernel(x: pl.Tile[[64, 64], pl.FP32, pl.TileView(valid_shape=[ROWS, 64]), pl.Mem.Vec]):
            return
        """,
        whole,
    ),
    rule(
        "view-fractal",
        "Fractal size",
        "fractal is an integer number of bytes.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(fractal=«1.5»), pl.Mem.Mat]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(fractal=1024), pl.Mem.Mat]",
        params,
    ),
    rule(
        "view-enum",
        "Unknown value of a view field",
        "blayout and slayout take pl.TileLayout, pad takes pl.PadValue, compact takes pl.CompactMode.",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(pad=«pl.PadValue.one»), pl.Mem.Vec]",
        "x: pl.Tile[[64, 64], pl.FP32, pl.TileView(pad=pl.PadValue.zero), pl.Mem.Vec]",
        params,
        fix="review",
    ),
    rule(
        "annotation-kind",
        "Annotation of another kind",
        "The annotation of a variable says what its value is: a tensor, a tile, a scalar, an array or a tuple.",
        "b: «pl.Tensor[[64, 64], pl.FP32]» = pl.exp(a)",
        "b: pl.Tile[[64, 64], pl.FP32] = pl.exp(a)",
        core,
        fix="review",
    ),
    rule(
        "annotation-dtype",
        "Annotation with another dtype",
        "An annotation does not convert. Use pl.cast to change the element type.",
        "b: «pl.Tile[[64, 64], pl.BF16]» = pl.exp(a)",
        "b: pl.Tile[[64, 64], pl.FP32] = pl.exp(a)",
        core,
        fix="review",
    ),
    rule(
        "annotation-rank",
        "Annotation with another rank",
        "The annotation must have as many dimensions as the value.",
        "b: «pl.Tile[[64, 64, 1], pl.FP32]» = pl.exp(a)",
        "b: pl.Tile[[64, 64], pl.FP32] = pl.exp(a)",
        core,
        fix="review",
    ),
    rule(
        "annotation-dim",
        "Annotation with another extent",
        "Where annotation and value both have a constant extent, the two must agree.",
        "b: «pl.Tile[[32, 64], pl.FP32]» = pl.exp(a)",
        "b: pl.Tile[[64, 64], pl.FP32] = pl.exp(a)",
        core,
        fix="review",
    ),
    rule(
        "dynvar-param-order",
        "Symbol used before its parameter",
        "A parameter named like a pl.dynamic symbol is that symbol; it stands before the types that use it.",
        """
        M = pl.dynamic("M")


        @pl.function
        def kernel(x: pl.Tensor[[M, 64], pl.FP32], «M: pl.Scalar[pl.INDEX]»):
            return
        """,
        """
        M = pl.dynamic("M")


        @pl.function
        def kernel(M: pl.Scalar[pl.INDEX], x: pl.Tensor[[M, 64], pl.FP32]):
            return
        """,
        whole,
        fix="review",
    ),
)
