"""Rules of JIT bodies: shapes of parameters, symbols, calls of deps, rebinding (docs/spec/language.md §2.1, §2.4)."""

from __future__ import annotations

import ast
import copy
from inspect import cleandoc

from pypto_core.diagnostics import Related
from pypto_core.frontend.annotations import returns_or_error
from pypto_core.frontend.body_facts import bind_dynamic_call, local_symbol
from pypto_core.frontend.context import Callee, FunctionContext, Silent, is_poison
from pypto_core.frontend.dialect import Dialect
from pypto_core.frontend.expressions import expr
from pypto_core.frontend.external import is_kernel
from pypto_core.frontend.function import header_span
from pypto_core.frontend.jit_functions import (
    DEP_FORMS,
    ENTRY_FORMS,
    DepCall,
    JitFunction,
    symbol_of,
)
from pypto_core.frontend.jit_types import annotated_type, is_bare_tensor, same_annotation
from pypto_core.frontend.kernel_calls import build_call, check_arity, read_arguments
from pypto_core.frontend.partly_known import UNKNOWN_DTYPE, UNKNOWN_TENSOR, PartlyKnown
from pypto_core.frontend.static_eval.values import DynVar, KernelFunction
from pypto_core.frontend.subscripts import operator
from pypto_core.frontend.syntax import int_literal
from pypto_core.frontend.wording import type_text
from pypto_core.ir import (
    AssignStmt,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    ErrorType,
    Expr,
    FunctionType,
    MakeTuple,
    ParamDirection,
    Role,
    ScalarType,
    Span,
    TensorType,
    Type,
    Var,
)


class _Docstrings:
    """Comments of a JIT body: only docstrings survive the compiler's rewriting. A docstring belongs to the next statement
    that stays."""

    def __init__(self) -> None:
        self._pending: tuple[str, ...] = ()
        self._taken: tuple[str, ...] = ()

    def take(self, node: ast.stmt) -> tuple[str, ...]:
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            self._pending += tuple(cleandoc(node.value.value).splitlines())
            return ()
        self._taken, self._pending = self._pending, ()
        return self._taken

    def give_back(self) -> None:
        """The statement just asked about leaves nothing behind."""
        self._pending, self._taken = self._taken, ()


class JitDialect(Dialect):
    """One function of a JIT program."""

    takes_defaults = True

    def __init__(self, function: JitFunction) -> None:
        self.function = function
        self.docstrings = _Docstrings()
        self.calls: dict[int, DepCall] = {id(c.node): c for c in function.calls}

    # --- signature ---------------------------------------------------------------------------------------------------

    def param_type(self, ctx: FunctionContext, node: ast.arg) -> Type | None:
        if node.annotation is None:
            return None
        given = self.function.types.get(node.arg)
        if given is not None:
            self._compare(ctx, node, given)
            if isinstance(given, ErrorType):
                ctx.mark_incomplete()
            return given
        if is_bare_tensor(node.annotation, self.function.annotations):
            if self.function.form in ENTRY_FORMS:
                ctx.inform(
                    "jit-bare-tensor",
                    f"'{node.arg}' has no shape in the signature: nothing that depends on its shape or dtype is checked, and the "
                    "kernel is not lowered; write pl.Tensor[[dims], dtype]",
                    node.annotation,
                    name=node.arg,
                )
            ctx.mark_incomplete()
            return UNKNOWN_TENSOR
        return annotated_type(ctx, self.function, node)

    def _compare(self, ctx: FunctionContext, node: ast.arg, given: Type) -> None:
        assert node.annotation is not None
        if is_bare_tensor(node.annotation, self.function.annotations):
            return
        same, own = same_annotation(self.function, node.arg, given)
        if not same and own is not None:
            ctx.inform(
                "jit-dep-annotation-ignored",
                f"'{node.arg}' is written {type_text(own)}, but the first call passes {type_text(given)}, which counts",
                node.annotation,
                name=node.arg,
                type=type_text(given),
            )

    def direction(self, ctx: FunctionContext, node: ast.arg, direction: ParamDirection) -> ParamDirection:
        """Direction wrappers mean nothing on an inline function."""
        if ctx.func_type is not FunctionType.Inline or direction is ParamDirection.In:
            return direction
        assert node.annotation is not None
        ctx.warn(
            "inline-direction-redundant",
            f"pl.{direction.name} has no effect on '{node.arg}' of an inline function",
            node.annotation,
            name=node.arg,
        )
        return ParamDirection.In

    def returns(
        self, ctx: FunctionContext, node: ast.FunctionDef | ast.AsyncFunctionDef, params: tuple[Var, ...]
    ) -> tuple[Type, ...] | None:
        by_name = {p.name_hint: p.type for p in params}
        annotated = returns_or_error(ctx, node.returns)
        if len(annotated) == 1 and isinstance(annotated[0], ScalarType):
            return annotated
        value = self.function.facts.returned
        if isinstance(value, ast.Call):
            return ()
        if isinstance(value, ast.Name) and value.id in by_name:
            return (by_name[value.id],)
        if isinstance(value, ast.Tuple):
            types = [by_name.get(e.id) if isinstance(e, ast.Name) else None for e in value.elts]
            if len(annotated) == len(types):
                types = [t if t is not None else a for t, a in zip(types, annotated, strict=True)]
            known = [t for t in types if t is not None]
            if len(known) == len(types):
                return tuple(known)
            return ()
        for param, direction in zip(params, self.function.directions(), strict=False):
            if direction is ParamDirection.Out:
                return (param.type,)
        return ()

    # --- body --------------------------------------------------------------------------------------------------------

    def begin_body(self, ctx: FunctionContext) -> None:
        """From here on annotations see what the body sees; symbols stand for dimensions of parameters."""
        ctx.annotations = self.function.closure
        ctx.comments = self.docstrings.take
        assigned = self.function.closure.assigned
        for name in self._symbol_names():
            symbol = symbol_of(self.function, name)
            if symbol is None or name in assigned or name in ctx.params:
                continue
            place = self._place_of(ctx, symbol)
            if place is not None:
                ctx.names.bind(name, place)

    def _symbol_names(self) -> dict[str, None]:
        """Names in the body that may be symbols, in source order."""
        found: dict[str, None] = dict.fromkeys(self.function.facts.symbols)
        for name in self.function.facts.loaded:
            value = self.function.annotations.lookup(name)
            if value is not None and isinstance(value.data, DynVar):
                found[name] = None
        return found

    def _place_of(self, ctx: FunctionContext, symbol: str) -> Expr | None:
        """``pl.tensor.dim(P, k)`` of the first parameter dimension that is the symbol."""
        wanted = ctx.program.symbols.get(symbol)
        for param in ctx.params.values():
            if isinstance(param.type, TensorType) and wanted is not None:
                for axis, dim in enumerate(param.type.shape):
                    if dim is wanted:
                        return self._dim(ctx, param, axis, header_span(self.function.syntax))
        return None

    def _dim(self, ctx: FunctionContext, param: Var, axis: int, span: Span) -> Expr:
        return operator(ctx, "tensor.dim", [param, ConstInt(axis, span=span)], span)

    def rebinding(self, ctx: FunctionContext, name: str) -> str | None:
        """An assignment in the block that made the variable makes a new one."""
        if not ctx.names.born_here(name):
            return None
        return f"{name}_v{ctx.names.next_version(name)}"

    def hidden(self, ctx: FunctionContext, name: str) -> str | None:
        return self.function.closure.hidden(name)

    def statement(self, ctx: FunctionContext, node: ast.stmt) -> bool:
        before = len(ctx.out)
        handled = self._own_statement(ctx, node)
        if handled and len(ctx.out) == before:
            self.docstrings.give_back()
        return handled

    def _own_statement(self, ctx: FunctionContext, node: ast.stmt) -> bool:
        if local_symbol(node) is not None:
            return True
        found = bind_dynamic_call(node)
        if found is not None and found[0] in ctx.params:
            self._check_bind(ctx, found[1])
            return True
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            shape = self._all_unknown(ctx, node.targets[0], node.value) or self._shape_of(ctx, node.value)
            if shape is not None:
                return self._take_shape(ctx, node, shape)
        return False

    def _all_unknown(self, ctx: FunctionContext, target: ast.expr, value: ast.expr) -> list[Expr] | None:
        """``M, N = x.shape`` of a tensor without shape: as many symbols as names."""
        if not (isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(target, ast.Tuple)):
            return None
        param = self._shapeless_param(ctx, value.value)
        if param is None:
            return None
        return [self._symbol(ctx, param, axis) for axis in range(len(target.elts))]

    def _check_bind(self, ctx: FunctionContext, call: ast.Call) -> None:
        if len(call.args) != 2 or call.keywords or int_literal(call.args[0]) is None:
            ctx.fail("call-unsupported", "write tensor.bind_dynamic(axis, NAME) with a literal axis", call)

    # --- shapes ------------------------------------------------------------------------------------------------------

    def _tensor_param(self, ctx: FunctionContext, node: ast.expr) -> Var | None:
        """The tensor parameter that a name stands for."""
        if not isinstance(node, ast.Name):
            return None
        param = ctx.params.get(node.id)
        if param is None:
            return None
        if isinstance(param.type, PartlyKnown) and param.type.like is not None:
            return Var(param.name_hint, param.type.like, span=param.span)
        if is_poison(param):
            raise Silent
        return param if isinstance(param.type, TensorType) else None

    def _shape_of(self, ctx: FunctionContext, node: ast.expr) -> list[Expr] | Expr | None:
        """Dimensions of ``x.shape``, one of ``x.shape[i]``; None for anything else."""
        unknown = self._unknown_extent(ctx, node)
        if unknown is not None:
            return unknown
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            param = self._tensor_param(ctx, node.value)
            if param is None or not isinstance(param.type, TensorType):
                return None
            return [self._extent(ctx, param, axis, node) for axis in range(len(param.type.shape))]
        if isinstance(node, ast.Subscript):
            axis = int_literal(node.slice)
            dims = self._shape_of(ctx, node.value) if isinstance(node.value, ast.Attribute) else None
            if axis is None or not isinstance(dims, list):
                return None
            if not -len(dims) <= axis < len(dims):
                ctx.fail("tuple-index", f"'{ctx.text(node.value)}' has {len(dims)} dimensions", node.slice)
            return dims[axis]
        return None

    def _unknown_extent(self, ctx: FunctionContext, node: ast.expr) -> Expr | None:
        """``x.shape[i]`` of a tensor without shape: a symbol of that name."""
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)):
            return None
        axis = int_literal(node.slice)
        if node.value.attr != "shape" or axis is None:
            return None
        param = self._shapeless_param(ctx, node.value.value)
        return self._symbol(ctx, param, axis) if param is not None else None

    def _symbol(self, ctx: FunctionContext, param: Var, axis: int) -> Var:
        return ctx.program.unknown_dim(ctx.name, f"{param.name_hint}.shape[{axis}]")

    def _shapeless_param(self, ctx: FunctionContext, node: ast.expr) -> Var | None:
        """The parameter without shape that a name stands for."""
        param = ctx.params.get(node.id) if isinstance(node, ast.Name) else None
        return param if param is not None and param.type is UNKNOWN_TENSOR else None

    def _extent(self, ctx: FunctionContext, param: Var, axis: int, node: ast.expr) -> Expr:
        assert isinstance(param.type, TensorType)
        dim = param.type.shape[axis]
        span = ctx.span(node)
        return (
            ConstInt(dim.value, span=span) if isinstance(dim, ConstInt) else self._dim(ctx, param, axis, span)
        )

    def _take_shape(self, ctx: FunctionContext, node: ast.Assign, shape: list[Expr] | Expr) -> bool:
        """``M, N = x.shape`` and ``K = x.shape[i]``: constants are names for numbers, symbols are read."""
        target = node.targets[0]
        if isinstance(shape, Expr) and isinstance(target, ast.Name):
            self._take(ctx, target, shape, node)
            return True
        if (
            isinstance(shape, list)
            and isinstance(target, ast.Tuple)
            and all(isinstance(e, ast.Name) for e in target.elts)
        ):
            if len(target.elts) != len(shape):
                ctx.fail(
                    "tuple-unpack-count",
                    f"{len(target.elts)} name{'s' if len(target.elts) != 1 else ''} for a shape of {len(shape)}",
                    target,
                )
            for name, dim in zip(target.elts, shape, strict=True):
                assert isinstance(name, ast.Name)
                self._take(ctx, name, dim, node)
            return True
        return False

    def _take(self, ctx: FunctionContext, target: ast.Name, dim: Expr, node: ast.Assign) -> None:
        if isinstance(dim, ConstInt | Var):
            ctx.names.bind(target.id, dim)
            return
        symbol = self._aliased(ctx, dim)
        if symbol is not None:
            ctx.names.bind(target.id, symbol)
            return
        var = Var(target.id, dim.type, span=ctx.span(target))
        ctx.names.bear(target.id, var)
        ctx.emit(AssignStmt(var, dim, span=ctx.span(node)))

    def _aliased(self, ctx: FunctionContext, dim: Expr) -> Expr | None:
        """In an Orchestration function the extent is the symbol itself."""
        from pypto_core.frontend.assignments import dimension_alias

        return dimension_alias(ctx, None, dim)

    def attribute(self, ctx: FunctionContext, node: ast.Attribute) -> Expr | None:
        shape = self._shape_of(ctx, node)
        if isinstance(shape, list):
            return MakeTuple(tuple(shape), span=ctx.span(node))
        return shape

    def subscript(self, ctx: FunctionContext, node: ast.Subscript) -> Expr | None:
        shape = self._shape_of(ctx, node)
        return shape if isinstance(shape, Expr) else None

    def keyword_value(self, ctx: FunctionContext, node: ast.expr) -> object | None:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            named = ctx.params.get(node.value.id) if isinstance(node.value, ast.Name) else None
            if named is not None and isinstance(named.type, PartlyKnown):
                return UNKNOWN_DTYPE
            param = self._tensor_param(ctx, node.value)
            if param is not None and isinstance(param.type, TensorType):
                return param.type.dtype
        return None

    def static(self, ctx: FunctionContext, node: ast.expr) -> ast.expr:
        made = _Substitution(ctx, self).visit(copy.deepcopy(node))
        assert isinstance(made, ast.expr)
        return made

    def written(self, ctx: FunctionContext, node: ast.expr) -> ast.expr | None:
        """What the compiler writes for the shape, an extent or the dtype of a parameter; None where it is no literal.

        Raises Silent where it is unknown.
        """
        dtype = self.keyword_value(ctx, node)
        if dtype is UNKNOWN_DTYPE:
            raise Silent
        if isinstance(dtype, DataType):
            return ast.Attribute(ast.Name("pl", ast.Load()), dtype.printed, ast.Load())
        shape = self._shape_of(ctx, node)
        dims = shape if isinstance(shape, list) else [shape]
        if any(dim is not None and ctx.program.is_invented(dim) for dim in dims):
            raise Silent
        literals: list[ast.expr] = [ast.Constant(d.value) for d in dims if isinstance(d, ConstInt)]
        if len(literals) != len(dims):
            return None
        return ast.Tuple(literals, ast.Load()) if isinstance(shape, list) else literals[0]

    # --- calls -------------------------------------------------------------------------------------------------------

    def dispatches(self, ctx: FunctionContext, name: str) -> bool:
        return any(c.name == name for c in self.function.calls) or is_kernel(ctx, name)

    def call(self, ctx: FunctionContext, node: ast.Call, name: str) -> Expr | None:
        call = self.calls.get(id(node))
        if call is None:
            self._refuse(ctx, node, name)
            return None
        dep = call.dep
        if call.is_alias:
            ctx.fail(
                "jit-dep-alias",
                f"'{name}' is another name of '{dep.name}': the compiler replaces calls by the function's own name only",
                node.func,
                related=(Related(f"'{dep.name}' is defined here", header_span(dep.syntax)),),
                name=dep.name,
            )
        callee = ctx.program.callees.get(dep.name)
        if callee is None or dep.is_crowded_out:
            raise Silent
        return self._dep_call(ctx, node, call, callee)

    def _refuse(self, ctx: FunctionContext, node: ast.Call, name: str) -> None:
        """Why a JIT function that is no dep cannot be called."""
        value = ctx.closure.lookup(name)
        kernel = value.data if value is not None else None
        if isinstance(kernel, KernelFunction) and (
            kernel.form in DEP_FORMS or kernel.form in ("jit", "jit.host")
        ):
            what = "an entry" if kernel.form in ("jit", "jit.host") else f"a @pl.{kernel.form} function"
            ctx.fail(
                "call-unsupported",
                f"'{name}' is {what}: @pl.{self.function.form} cannot call it; make it @pl.jit.inline or @pl.jit.incore",
                node.func,
                name=name,
            )

    def _dep_call(self, ctx: FunctionContext, node: ast.Call, call: DepCall, callee: Callee) -> Expr:
        """Keywords become positions; ``device=`` stays."""
        params = [a.arg for a in call.dep.params]
        slots: dict[int, ast.expr] = dict(enumerate(node.args))
        device: Expr | None = None
        for keyword in node.keywords:
            if keyword.arg in params and params.index(keyword.arg) not in slots:
                slots[params.index(keyword.arg)] = keyword.value
            elif keyword.arg == "device" and callee.role is Role.Orchestrator:
                device = expr(ctx, keyword.value)
            else:
                ctx.error(
                    "kernel-keyword",
                    f"'{callee.name}' has no parameter '{keyword.arg or '**'}' to take this keyword",
                    keyword,
                    name=keyword.arg,
                )
        order = [slots[i] for i in sorted(slots)]
        arguments = read_arguments(ctx, order)
        if any(k.arg not in params and k.arg != "device" for k in node.keywords):
            raise Silent
        check_arity(ctx, callee, arguments.values, node, 0)
        return build_call(ctx, callee, arguments, {}, device, node)


class _Substitution(ast.NodeTransformer):
    """Literals in place of what the compiler replaces in a body before it runs a condition (§2.4)."""

    def __init__(self, ctx: FunctionContext, dialect: JitDialect) -> None:
        self._ctx = ctx
        self._dialect = dialect

    def visit(self, node: ast.AST) -> ast.AST:
        made: ast.expr | None = None
        if isinstance(node, ast.Attribute | ast.Subscript):
            made = self._dialect.written(self._ctx, node)
        elif isinstance(node, ast.Name):
            value = self._ctx.names.lookup(node.id)
            if isinstance(value, ConstInt | ConstFloat | ConstBool):
                made = ast.Constant(value.value)
        if made is None:
            return self.generic_visit(node)
        return ast.fix_missing_locations(ast.copy_location(made, node))
