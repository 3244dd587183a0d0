"""A short notation for operator calls, so that the cases of one rule fit on a screen.

One case per line::

    tile.add(t[16,64]; t[16,64] fp16) -> Tile[16,64] fp32 Vec
    tile.add(t[16,64]; t[8,64]) !! op-shape@1 compatible shapes

Operands are separated by ``;``, keywords follow a ``|``::

    t[16,64] fp16 Mat {v=[8,64] col_major/row_major/512 pad=zero compact}   a tile (default FP32 in Vec; space - = none)
    T[128,n] int8 {v=[64,n] DN}      a tensor; W[..] a window (distributed tensor); A[4] int32 an array
    same a0                          the variable of operand 0 again
    ptr comm prefetch event session  a handle
    s:fp32                           a scalar variable; n, m are INDEX variables, um is UINT64
    3  3:int32  0.5  0.5:fp16        constants
    (16, n)                          a literal tuple; p(index,index) a tuple-typed variable

An expected error is a code, ``@`` plus the argument or keyword at fault (``-`` for none) and words of the message.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pypto_core import ir
from pypto_core.ir import (
    CompactMode,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    MakeTuple,
    MemorySpace,
    PadValue,
    ScalarType,
    TensorLayout,
    TensorView,
    TileLayout,
    TileView,
    Type,
    Var,
)
from pypto_core.ir.scalar import make_binary

#: Operands that carry nothing but their kind.
HANDLES: dict[str, Type] = {
    "ptr": ir.PTR,
    "comm": ir.COMM_CTX,
    "prefetch": ir.PREFETCH_ASYNC_CONTEXT,
    "event": ir.ASYNC_EVENT,
    "session": ir.ASYNC_SESSION,
}
TEXT_DTYPES = {d.text: d for d in DataType.by_name.values()} | {"bf16": DataType.BF16}


@dataclass(frozen=True)
class Case:
    """One line of a case file."""

    rule: str
    text: str
    op: str
    operands: str
    kwargs: str
    result: str | None
    code: str = ""
    where: str = ""
    words: str = ""


def read_cases(path: Path) -> list[Case]:
    """Cases of a file; ``## RULE`` lines head the cases of one deduction rule."""
    rule, cases = "", []
    for raw in path.read_text(encoding="utf-8").splitlines():
        line = raw.strip()
        if line.startswith("## "):
            rule = line[3:].strip()
        elif line and not line.startswith("#"):
            cases.append(_case(rule, line))
    return cases


def _case(rule: str, line: str) -> Case:
    name, rest = line.split("(", 1)
    if " -> " in rest:
        call, result = rest.rsplit(" -> ", 1)
        fault = None
    else:
        call, fault = rest.rsplit(" !! ", 1)
        result = None
    body = call.strip()[:-1]
    operands, _, kwargs = body.partition("|")
    if fault is None:
        return Case(rule, line, name, operands.strip(), kwargs.strip(), result)
    head, _, words = fault.partition(" ")
    code, _, where = head.partition("@")
    return Case(rule, line, name, operands.strip(), kwargs.strip(), None, code, where or "-", words.strip())


class Reader:
    """Operands of one case; a variable name means one variable throughout."""

    def __init__(self) -> None:
        index = ScalarType.of(DataType.INDEX)
        self.names: dict[str, Expr] = {
            "n": Var("n", index),
            "m": Var("m", index),
            "um": Var("um", ScalarType.of(DataType.UINT64)),
        }

    def operands(self, text: str) -> tuple[Expr, ...]:
        parts = [p.strip() for p in text.split(";")] if text else []
        return tuple(self.operand(p, i) for i, p in enumerate(parts))

    def operand(self, text: str, position: int) -> Expr:
        shaped = re.match(r"([tTWAU])\[(.*?)\](.*)$", text)
        if shaped:
            self.names[f"a{position}"] = Var(f"a{position}", self.shaped_type(*shaped.groups()))
            return self.names[f"a{position}"]
        if text in HANDLES:
            return Var(f"a{position}", HANDLES[text])
        if text.startswith("same "):
            return self.names[text[5:]]
        if text.startswith("("):
            inner = text[1:-1].strip()
            return MakeTuple(tuple(self.scalar(p) for p in _split(inner)))
        if text.startswith("p("):
            types = tuple(ScalarType.of(TEXT_DTYPES[d.strip()]) for d in text[2:-1].split(","))
            return Var(f"a{position}", ir.TupleType(types))
        if text.startswith("s:"):
            return Var(f"a{position}", ScalarType.of(TEXT_DTYPES[text[2:]]))
        if text == "?":
            return Var(f"a{position}", ir.UNKNOWN)
        if text == "error":
            return Var(f"a{position}", ir.ERROR_TYPE)
        return self.scalar(text)

    def shaped_type(self, letter: str, dims: str, rest: str) -> Type:
        shape = self.dims(dims)
        view = ""
        if "{" in rest:
            rest, view = rest.split("{", 1)
            view = view.rstrip("} ")
        words = rest.split()
        dtype = next((TEXT_DTYPES[w] for w in words if w in TEXT_DTYPES), DataType.FP32)
        if letter == "t":
            space: MemorySpace | None = MemorySpace.Vec
            for word in words:
                if word == "-":
                    space = None
                elif word in MemorySpace.__members__:
                    space = MemorySpace[word]
            return ir.TileType(shape, dtype, None, self.tile_view(view, shape, space), space)
        if letter == "A":
            return ir.ArrayType(dtype, shape[0])
        tensor_view = self.tensor_view(view)
        if letter == "W":
            return ir.DistributedTensorType(shape, dtype, None, tensor_view)
        return ir.TensorType(shape, dtype, None, tensor_view)

    def tile_view(self, text: str, shape: tuple[Expr, ...], space: MemorySpace | None) -> TileView | None:
        if not text:
            return None
        view = ir.implicit_tile_view(shape, space)
        for key, value in _view_words(text):
            if key == "v" and value != "full":
                view = view.with_(valid_shape=self.dims(value))
            elif key == "pad":
                view = view.with_(pad=PadValue[value])
            elif key == "compact":
                view = view.with_(compact=CompactMode.normal)
            elif key == "stride":
                view = view.with_(stride=self.dims(value))
            elif key == "start":
                view = view.with_(start_offset=self.scalar(value))
            elif key == "layout":
                blayout, slayout, fractal = value.split("/")
                view = view.with_(
                    blayout=TileLayout[blayout], slayout=TileLayout[slayout], fractal=int(fractal)
                )
        return view

    def tensor_view(self, text: str) -> TensorView | None:
        if not text:
            return None
        view = TensorView()
        for key, value in _view_words(text):
            if key == "v":
                view = view.with_(valid_shape=self.dims(value))
            elif key == "pad":
                view = view.with_(pad=PadValue[value])
            elif key == "stride":
                view = view.with_(stride=self.dims(value))
            else:
                view = view.with_(layout=TensorLayout[value])
        return view

    def dims(self, text: str) -> tuple[Expr, ...]:
        return tuple(self.scalar(p) for p in _split(text))

    def scalar(self, text: str) -> Expr:
        value, _, dtype = text.partition(":")
        return self._node(ast.parse(value.strip(), mode="eval").body, TEXT_DTYPES.get(dtype.strip()))

    def _node(self, node: ast.expr, dtype: DataType | None) -> Expr:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                return ir.ConstBool(node.value)
            if isinstance(node.value, int) and (dtype is None or not dtype.is_float):
                return ConstInt(node.value, dtype or DataType.INDEX)
            return ConstFloat(float(node.value), dtype or DataType.FP32)  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.UnaryOp):
            inner = self._node(node.operand, dtype)
            assert isinstance(inner, (ConstInt, ConstFloat))
            return inner.with_(value=-inner.value)
        assert isinstance(node, ast.BinOp)
        tags = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv"}
        return make_binary(tags[type(node.op)], self._node(node.left, dtype), self._node(node.right, dtype))

    def kwargs(self, text: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for part in text.split(",") if text else ():
            key, value = (w.strip() for w in part.split("=", 1))
            out[key] = self.kwarg(value)
        return out

    def kwarg(self, text: str) -> Any:
        if text in TEXT_DTYPES:
            return TEXT_DTYPES[text]
        if text in MemorySpace.__members__:
            return MemorySpace[text]
        if text.startswith("pad."):
            return PadValue[text[4:]]
        if text.startswith("layout."):
            return TileLayout[text[7:]]
        if text.startswith("tensor."):
            return TensorLayout[text[7:]]
        if text.startswith("pipe."):
            return ir.PipeType[text[5:]]
        if text == "expr":
            return self.names["n"]
        return ast.literal_eval(text)


def _split(text: str) -> list[str]:
    return [p.strip() for p in text.split(",") if p.strip()]


def _view_words(text: str) -> list[tuple[str, str]]:
    out = []
    for word in re.findall(r"\w+=\[[^\]]*\]|\S+", text):
        key, eq, value = word.partition("=")
        if not eq:
            key, value = ("layout", word) if "/" in word or word.isupper() or "_" in word else (word, "")
        out.append((key, value.strip("[]")))
    return out


# -- results ---------------------------------------------------------------------------------------------------------


def show(t: Type) -> str:
    """A type in the notation of the catalogue's worked examples."""
    if isinstance(t, ir.TileType):
        space = t.memory_space.name if t.memory_space is not None else "-"
        return f"Tile{_dims(t.shape)} {t.dtype.text} {space}{_show_tile_view(t)}"
    if isinstance(t, ir.TensorType):
        name = "Window" if isinstance(t, ir.DistributedTensorType) else "Tensor"
        return f"{name}{_dims(t.shape)} {t.dtype.text}{_show_tensor_view(t.tensor_view)}"
    if isinstance(t, ScalarType):
        return f"Scalar {t.dtype.text}"
    if isinstance(t, ir.TupleType):
        return f"Tuple({', '.join(show(e) for e in t.types)})"
    if isinstance(t, ir.ArrayType):
        return f"Array[{_dim(t.extent)}] {t.dtype.text}"
    assert isinstance(t, (ir.SingletonType, ir.ErrorType))
    return t.name if isinstance(t, ir.SingletonType) else "Error"


def _dims(dims: tuple[Expr, ...]) -> str:
    return "[" + ",".join(_dim(d) for d in dims) + "]"


def _dim(d: Expr) -> str:
    return str(d.value) if isinstance(d, ConstInt) else ir.print_ir(d)


def _show_tile_view(t: ir.TileType) -> str:
    view = t.tile_view
    if view is None:
        return ""
    words = [f"v={_dims(view.valid_shape) if view.valid_shape else 'full'}"]
    words.append(f"{view.blayout.name}/{view.slayout.name}/{view.fractal}")
    if view.stride:
        words.append(f"stride={_dims(view.stride)}")
    if view.pad is not PadValue.null:
        words.append(f"pad={view.pad.name}")
    if view.compact is not CompactMode.null:
        words.append(f"compact={view.compact.name}")
    return " {" + " ".join(words) + "}"


def _show_tensor_view(view: TensorView | None) -> str:
    if view is None:
        return ""
    words = [f"v={_dims(view.valid_shape) if view.valid_shape else 'full'}", view.layout.name]
    if view.stride:
        words.append(f"stride={_dims(view.stride)}")
    if view.pad is not PadValue.null:
        words.append(f"pad={view.pad.name}")
    return " {" + " ".join(words) + "}"
