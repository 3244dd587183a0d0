"""Types of JIT parameters: from their annotations, and from call sites by the compiler's rules (docs/spec/language.md §2.2, §2.3)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pypto_core.frontend.annotations import direction_of, read_annotation, undirected, wrapped
from pypto_core.frontend.closure import Closure
from pypto_core.frontend.context import Fault, FunctionContext, ProgramContext, Silent
from pypto_core.frontend.folding import literal_assumptions
from pypto_core.frontend.function import FunctionSpec, function_context
from pypto_core.frontend.jit_functions import (
    DepCall,
    JitFunction,
    bound_dimensions,
    cascade_dimensions,
    symbol_of,
)
from pypto_core.frontend.partly_known import UNKNOWN_TENSOR
from pypto_core.frontend.static_eval.values import DimExpr, DynVar, Unknown
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.frontend.views import is_tensor_view
from pypto_core.ir import (
    ERROR_TYPE,
    ArrayType,
    ConstInt,
    DataType,
    DistributedTensorType,
    ErrorType,
    Expr,
    ParamDirection,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    Var,
)

_TENSORS = ("Tensor", "DistributedTensor")


def is_bare_tensor(node: ast.expr | None, closure: Closure) -> bool:
    """``pl.Tensor`` without parts, in ``pl.Out[...]`` or not."""
    if node is None:
        return False
    path = dotted(undirected(node, closure))
    return path is not None and path[-1] in _TENSORS


def is_tensor_annotation(ctx: FunctionContext, node: ast.expr | None) -> bool:
    """Whether a parameter takes a tensor, as far as its annotation says."""
    if node is None or is_bare_tensor(node, ctx.annotations):
        return node is not None
    ctx, inner = wrapped(ctx, direction_of(node, ctx.annotations)[1])
    try:
        return isinstance(read_annotation(ctx, inner).type, TensorType)
    except (Fault, Silent):
        head = dotted(inner.value) if isinstance(inner, ast.Subscript) else None
        return head is not None and head[-1] in _TENSORS


def annotated_type(ctx: FunctionContext, function: JitFunction, arg: ast.arg) -> Type:
    """Type of a parameter from its annotation with its dynamic dimensions. Raises Fault or Silent."""
    assert arg.annotation is not None
    if is_bare_tensor(arg.annotation, ctx.annotations):
        raise Silent
    direction, inner = direction_of(arg.annotation, ctx.annotations)
    there, inner = wrapped(ctx, inner)
    dtype = _bare_dtype(there, inner)
    if dtype is not None:
        return ScalarType.of(dtype)
    _refuse_view(there, inner)
    try:
        kind = read_annotation(there, inner).type
    except Fault as fault:
        told = fault.diagnostic
        if told.code != "type-unsupported" or told.span != there.span(inner):
            raise
        hint = told.message.partition(" is not a type")[2]
        ctx.fail(
            "jit-annotation-unsupported",
            f"a JIT parameter is a tensor, a scalar or an array, not '{there.text(inner)}'{hint}",
            arg.annotation,
            name=arg.arg,
        )
    if not isinstance(kind, (TensorType, ScalarType, ArrayType, ErrorType)):
        ctx.fail(
            "jit-annotation-unsupported",
            f"a JIT parameter is a tensor, a scalar or an array, not '{there.text(inner)}'",
            arg.annotation,
            name=arg.arg,
        )
    if direction is ParamDirection.InOut and isinstance(kind, ScalarType):
        ctx.fail(
            "scalar-inout",
            "a scalar parameter cannot be InOut: pass a one-element tensor, or drop pl.InOut",
            arg.annotation,
        )
    return with_symbols(ctx.program, function, arg.arg, kind)


def _bare_dtype(ctx: FunctionContext, node: ast.expr) -> DataType | None:
    path = dotted(node)
    if path is None:
        return None
    if path[-1] in DataType.by_name and len(path) > 1:
        return DataType.by_name[path[-1]]
    value = ctx.annotations.lookup(path[0]) if len(path) == 1 else None
    return value.data if value is not None and isinstance(value.data, DataType) else None


def _refuse_view(ctx: FunctionContext, node: ast.expr) -> None:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 2:
        third = node.slice.elts[2]
        if is_tensor_view(ctx, third):
            ctx.fail(
                "jit-tensorview-unsupported",
                "a JIT parameter takes a layout (pl.NZ ...) in this place, not a TensorView",
                third,
            )


def with_symbols(program: ProgramContext, function: JitFunction, param: str, kind: Type) -> Type:
    """A tensor type with the symbols that the function declares for its dimensions."""
    if not isinstance(kind, TensorType):
        return kind
    shape = list(kind.shape)
    for (name, axis), symbol in function.dynamic.items():
        if name == param and -len(shape) <= axis < len(shape):
            shape[axis] = program.symbol(symbol)
    if all(a is b for a, b in zip(shape, kind.shape, strict=True)):
        return kind
    return kind.with_(shape=tuple(shape))


def declare_dynamic(functions: list[JitFunction], program: ProgramContext) -> None:
    """Dynamic dimensions of every function: bound in the body, symbols of the annotations, and those of callees."""
    for function in functions:
        bound_dimensions(function)
        ctx = _quiet_context(function, program)
        for arg in function.params:
            if arg.annotation is None or is_bare_tensor(arg.annotation, ctx.annotations):
                continue
            try:
                kind = function.own_types[arg.arg] = annotated_type(ctx, function, arg)
            except (Fault, Silent):
                continue
            for axis, dim in enumerate(kind.shape if isinstance(kind, TensorType) else ()):
                if isinstance(dim, Var) and program.symbols.get(dim.name_hint) is dim:
                    function.dynamic.setdefault((arg.arg, axis), dim.name_hint)
    cascade_dimensions(functions)


def _quiet_context(function: JitFunction, program: ProgramContext) -> FunctionContext:
    """For reading annotations ahead: symbols are those of the program, findings are dropped."""
    quiet = ProgramContext(symbols=program.symbols, unknown_dims=program.unknown_dims, recall=program.recall)
    return function_context(FunctionSpec(function.syntax, function.closure, function.annotations), quiet)


# --- call sites --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Missing:
    """A tensor argument for which the compiler's rules give no shape: the call, the parameter, the argument."""

    call: DepCall
    param: str
    argument: ast.expr


class CallSiteTypes:
    """Types of names in the body of one function, as the compiler tracks them, and what they say about its deps."""

    def __init__(self, function: JitFunction, program: ProgramContext) -> None:
        self.function = function
        self.program = program
        self.ctx = _quiet_context(function, program)
        self.types: dict[str, Type | None] = {}
        self.dims: dict[str, Expr] = {}
        self.missing: list[Missing] = []
        for arg in function.params:
            self.types[arg.arg] = self._param(arg)

    def _param(self, arg: ast.arg) -> Type | None:
        given = self.function.types.get(arg.arg)
        if given is not None:
            return given
        own = self.function.own_types.get(arg.arg)
        if own is not None:
            return with_symbols(self.program, self.function, arg.arg, own)
        return UNKNOWN_TENSOR if is_bare_tensor(arg.annotation, self.ctx.annotations) else ERROR_TYPE

    def run(self) -> list[Missing]:
        """Give every dep whose first caller this function is the types of its parameters."""
        waiting = {
            id(call.node): call
            for call in self._first_calls()
            if not call.is_alias and call.dep.caller is self.function
        }
        for item in self.function.syntax.body:
            if not waiting:
                break  # types serve the calls alone
            self.ctx.source = item.source
            self._statement(item.node, waiting)
        return self.missing

    def _first_calls(self) -> list[DepCall]:
        first: dict[int, DepCall] = {}
        for call in self.function.calls:
            first.setdefault(id(call.dep), call)
        return list(first.values())

    def _statement(self, node: ast.stmt, waiting: dict[int, DepCall]) -> None:
        blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
        inner = [s for block in blocks if isinstance(block, list) for s in block if isinstance(s, ast.stmt)]
        for expression in _own_expressions(node):
            call = waiting.pop(id(expression), None)
            if call is not None:
                self._give(call)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1:
                self._assign(targets[0], node.value)
        for statement in inner:
            if waiting:
                self._statement(statement, waiting)

    def _give(self, call: DepCall) -> None:
        """Types of the parameters of a dep from the arguments of a call."""
        dep = call.dep
        bound = dep.bound_arguments(call.node)
        ctx = _quiet_context(dep, self.program)
        for arg in dep.params:
            argument = bound.get(arg.arg)
            if argument is None or not is_tensor_annotation(ctx, arg.annotation):
                continue
            found = self._argument(argument)
            if found is None:
                self.missing.append(Missing(call, arg.arg, argument))
                continue
            if isinstance(found, TensorType):
                found = _with_layout(ctx, arg, with_symbols(self.program, dep, arg.arg, found))
            dep.types[arg.arg] = found

    def _argument(self, node: ast.expr) -> Type | None:
        """``x``, or ``x[i]`` / ``x[i, j]`` with scalar indices."""
        if isinstance(node, ast.Name):
            return self.types.get(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            base = self.types.get(node.value.id)
            indices = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            if isinstance(base, ErrorType):
                return base
            if isinstance(base, TensorType) and not any(isinstance(i, ast.Slice) for i in indices):
                if len(indices) < len(base.shape):
                    return _tensor(base, base.shape[len(indices) :], base.dtype)
        return None

    # --- assignments ---------------------------------------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            self._assign_tuple(target, value)
            return
        if not isinstance(target, ast.Name):
            return
        name = target.id
        self.dims.pop(name, None)
        if isinstance(value, ast.Call):
            self._assign_call(name, value)
        elif isinstance(value, ast.Name):
            self.types[name] = self.types.get(value.id)
        elif isinstance(value, ast.Subscript):
            self.types[name] = self._sliced(value)
        else:
            self.types[name] = None

    def _assign_tuple(self, target: ast.Tuple, value: ast.expr) -> None:
        names = [e.id if isinstance(e, ast.Name) else "" for e in target.elts]
        dep = self._dep_of(value)
        if dep is not None:
            assert isinstance(value, ast.Call)
            for name, type_ in zip(names, self._outputs(dep, value), strict=False):
                if type_ is not None:
                    self.types[name] = type_
        elif not _is_language_call(value):
            for name in names:
                self.types[name] = None

    def _assign_call(self, name: str, value: ast.Call) -> None:
        path = dotted(value.func)
        dep = self._dep_of(value)
        if dep is not None:
            outputs = self._outputs(dep, value)
            if outputs and outputs[0] is not None:
                self.types[name] = outputs[0]
            return
        if path is None or path[0] not in ("pl", "pld"):
            self.types[name] = None
            return
        handler = {
            "create_tensor": self._created,
            "window": self._window,
            "slice": self._slice_call,
            "reshape": self._reshaped,
        }.get(path[-1])
        if handler is not None and len(path) == 2:
            self.types[name] = handler(value)
        elif path == ("pl", "tensor", "dim"):
            dim = self._dim_call(value)
            if dim is not None:
                self.dims[name] = dim

    def _dep_of(self, value: ast.expr) -> JitFunction | None:
        return next((c.dep for c in self.function.calls if c.node is value), None)

    def _outputs(self, dep: JitFunction, node: ast.Call) -> list[Type | None]:
        """Types of the arguments bound to the Out and InOut parameters."""
        bound = dep.bound_arguments(node)
        return [
            self._argument(bound[arg.arg]) if arg.arg in bound else None
            for arg, direction in zip(dep.params, dep.directions(), strict=True)
            if direction is not ParamDirection.In
        ]

    def _created(self, node: ast.Call) -> Type | None:
        return self._shaped(node, 0)

    def _window(self, node: ast.Call) -> Type | None:
        kind = self._shaped(node, 1)
        return DistributedTensorType(kind.shape, kind.dtype) if isinstance(kind, TensorType) else kind

    def _shaped(self, node: ast.Call, position: int) -> Type | None:
        shape_node = _argument_at(node, position, "shape")
        dtype_node = _argument_at(node, position + 1, "dtype")
        shape = self._shape(shape_node)
        path = dotted(dtype_node) if dtype_node is not None else None
        dtype = DataType.by_name.get(path[-1]) if path is not None and len(path) == 2 else None
        if isinstance(shape, ErrorType):
            return shape
        return TensorType(shape, dtype) if shape is not None and dtype is not None else None

    def _shape(self, node: ast.expr | None) -> tuple[Expr, ...] | ErrorType | None:
        if not isinstance(node, (ast.List, ast.Tuple)):
            return None
        dims: list[Expr] = []
        for element in node.elts:
            dim = self._dim(element)
            if dim is None or isinstance(dim, ErrorType):
                return dim
            dims.append(dim)
        return tuple(dims)

    def _dim(self, node: ast.expr) -> Expr | ErrorType | None:
        """A dimension that the compiler's rules know; ErrorType when it depends on an unknown value."""
        number = int_literal(node)
        if number is not None:
            return ConstInt(number)
        if isinstance(node, ast.Name):
            if node.id in self.dims:
                return self.dims[node.id]
            symbol = symbol_of(self.function, node.id)
            if symbol is not None and node.id not in self.function.closure.assigned:
                return self.program.symbol(symbol)
        if isinstance(node, (ast.Name, ast.BinOp, ast.UnaryOp)):
            value = self.function.closure.evaluate(node)
            if type(value.data) is int:
                return self.program.assume(ConstInt(value.data), value.assumed | literal_assumptions(node))
            if isinstance(value.data, (DynVar, DimExpr)):
                return None
            if isinstance(value.data, Unknown) and self._is_unknown(node):
                return ERROR_TYPE
        return None

    def _is_unknown(self, node: ast.expr) -> bool:
        """Whether the value is missing for a reason of ours and not of the compiler's."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                value = self.function.closure.lookup(inner.id)
                if value is not None and value.is_unknown:
                    return True
        return not self.function.closure.complete

    def _dim_call(self, node: ast.Call) -> Expr | None:
        if len(node.args) != 2 or not isinstance(node.args[0], ast.Name):
            return None
        base, axis = self.types.get(node.args[0].id), int_literal(node.args[1])
        if isinstance(base, TensorType) and axis is not None and -len(base.shape) <= axis < len(base.shape):
            return base.shape[axis]
        return None

    def _slice_call(self, node: ast.Call) -> Type | None:
        source = self._argument(node.args[0]) if node.args else None
        shape_node = _argument_at(node, 1, "shape")
        if isinstance(source, ErrorType):
            return source
        if not isinstance(source, TensorType) or not isinstance(shape_node, (ast.List, ast.Tuple)):
            return None
        dims: list[Expr] = []
        for axis, element in enumerate(shape_node.elts):
            dim = self._dim(element)
            if isinstance(dim, Expr):
                dims.append(dim)
            elif axis < len(source.shape):
                dims.append(source.shape[axis])
            else:
                return None
        return _tensor(source, tuple(dims), source.dtype)

    def _reshaped(self, node: ast.Call) -> Type | None:
        source = self._argument(node.args[0]) if node.args else None
        if isinstance(source, ErrorType):
            return source
        shape = self._shape(_argument_at(node, 1, "shape"))
        if isinstance(shape, ErrorType):
            return shape
        plain = isinstance(source, TensorType) and (
            source.tensor_view is None or source.tensor_view.layout is TensorLayout.ND
        )
        return (
            TensorType(shape, source.dtype)
            if plain and shape is not None and isinstance(source, TensorType)
            else None
        )

    def _sliced(self, node: ast.Subscript) -> Type | None:
        if not isinstance(node.value, ast.Name):
            return None
        base = self.types.get(node.value.id)
        if not isinstance(base, TensorType):
            return base if isinstance(base, ErrorType) else None
        indices = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > len(base.shape):
            return None
        dims: list[Expr] = []
        for index, extent in zip(indices, base.shape, strict=False):
            if isinstance(index, ast.Slice):
                dims.append(self._extent(index, extent))
        dims.extend(base.shape[len(indices) :])
        return _tensor(base, tuple(dims), base.dtype)

    def _extent(self, node: ast.Slice, extent: Expr) -> Expr:
        """``stop - start`` when both are known, else the whole axis."""
        start = ConstInt(0) if node.lower is None else self._dim(node.lower)
        stop = extent if node.upper is None else self._dim(node.upper)
        if isinstance(start, ConstInt) and isinstance(stop, ConstInt):
            return ConstInt(stop.value - start.value)
        return extent


def _tensor(like: TensorType, shape: tuple[Expr, ...], dtype: DataType) -> TensorType:
    """A tensor of the same kind and layout."""
    view = like.tensor_view
    kept = TensorView(layout=view.layout) if view is not None and view.layout is not TensorLayout.ND else None
    kind = DistributedTensorType if isinstance(like, DistributedTensorType) else TensorType
    return kind(shape, dtype, None, kept)


def _with_layout(ctx: FunctionContext, arg: ast.arg, kind: Type) -> Type:
    """The dep's own layout where the call site gives none."""
    if not isinstance(kind, TensorType) or kind.tensor_view is not None or arg.annotation is None:
        return kind
    if is_bare_tensor(arg.annotation, ctx.annotations):
        return kind
    try:
        own = read_annotation(*wrapped(ctx, direction_of(arg.annotation, ctx.annotations)[1])).type
    except (Fault, Silent):
        return kind
    view = own.tensor_view if isinstance(own, TensorType) else None
    return kind.with_(tensor_view=TensorView(layout=view.layout)) if view is not None else kind


def _argument_at(node: ast.Call, position: int, keyword: str) -> ast.expr | None:
    if position < len(node.args):
        return node.args[position]
    return next((k.value for k in node.keywords if k.arg == keyword), None)


def _is_language_call(node: ast.expr) -> bool:
    path = dotted(node.func) if isinstance(node, ast.Call) else None
    return path is not None and path[0] in ("pl", "pld")


def _own_expressions(node: ast.stmt) -> list[ast.AST]:
    """Expressions of a statement without those of its nested statements, in source order."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt)]
    while stack:
        inner = stack.pop()
        found.append(inner)
        stack.extend(c for c in ast.iter_child_nodes(inner) if not isinstance(c, ast.stmt))
    return found


def same_annotation(function: JitFunction, param: str, given: Type) -> tuple[bool, Type | None]:
    """Whether a dep's annotation says what its first call site says; the annotated type when it can be read."""
    own = function.own_types.get(param)
    if not isinstance(own, TensorType) or not isinstance(given, TensorType):
        return True, own
    if own.dtype is not given.dtype or len(own.shape) != len(given.shape):
        return False, own
    for a, b in zip(own.shape, given.shape, strict=True):
        if isinstance(a, ConstInt) and isinstance(b, ConstInt) and a.value != b.value:
            return False, own
    return True, own
