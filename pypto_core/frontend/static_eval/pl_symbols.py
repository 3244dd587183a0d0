"""Names below ``pl``, ``pld`` and ``pypto.ir`` (docs/spec/static-eval.md §5.5, docs/spec/language.md §1.1)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from pypto_core.frontend.recovery import FunctionSyntax
from pypto_core.frontend.static_eval.limits import OBJECT, CannotEvaluate
from pypto_core.frontend.static_eval.payloads import first_unknown
from pypto_core.frontend.static_eval.values import (
    KERNEL_FORMS,
    BuiltinFunction,
    DynVar,
    KernelDecorator,
    KernelFunction,
    MemRefDecl,
    PlSymbol,
    PyFunction,
    TypeValue,
    Value,
)
from pypto_core.frontend.symbols import ENUMS, SINGLETONS, symbol_value
from pypto_core.ir import DataType

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.interpreter import Interpreter
    from pypto_core.frontend.static_eval.scopes import Scope

#: Import name -> symbol it stands for.
PYPTO_MODULES: Final[dict[str, PlSymbol]] = {
    "pypto": PlSymbol(("pypto",)),
    "pypto.language": PlSymbol(("pl",)),
    "pypto.language.distributed": PlSymbol(("pld",)),
    "pypto.ir": PlSymbol(("ir",)),
}
_SUBMODULES: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    ("pypto", "language"): ("pl",),
    ("pypto", "ir"): ("ir",),
    ("pl", "distributed"): ("pld",),
}
_TYPE_HEADS: Final = frozenset(
    {"Tensor", "Tile", "Scalar", "Array", "Tuple", "DistributedTensor", "InOut", "Out"}
)
#: Calls that are kept as written, for the annotation that names them.
_KEPT_CALLS: Final = _TYPE_HEADS | {"TensorView"}
_NAMESPACES: Final = frozenset(
    {"TensorView", "TileView", "MemRef", "TaskId", "RUNTIME", "Type", "JITFunction"}
)


def type_heads() -> frozenset[str]:
    """Names that make a type when subscripted."""
    return _TYPE_HEADS


def symbol_attribute(owner: PlSymbol, name: str) -> Value:
    """``pl.<...>.<name>``: a dtype, an enumeration member, a constant, or a deeper symbol."""
    path = (*owner.path, name)
    path = _SUBMODULES.get(path, path)
    if len(path) == 1:
        return Value(PlSymbol(path))
    value = symbol_value(path)
    if value is not None:
        return Value(value)
    parent = path[-2]
    if parent in ENUMS or parent == "adir":
        raise CannotEvaluate(f"type object '{parent}' has no attribute '{name}'", fault=True)
    known = name in ENUMS or name in SINGLETONS or name in _TYPE_HEADS or name in _NAMESPACES
    if len(path) == 2 and path[0] == "pl" and name[:1].isupper() and not known:
        raise CannotEvaluate(f"pl has no member {name}")
    return Value(PlSymbol(path))


def data_type_attribute(data: DataType, name: str) -> Value:
    if name == "get_byte":
        return Value(BuiltinFunction("get_byte", lambda it, arguments, keywords: Value(data.byte)))
    raise CannotEvaluate(f"a dtype has no attribute {name}")


def form_of(symbol: PlSymbol) -> str | None:
    """Kernel form of a decorator symbol: ``jit.inline`` for ``pl.jit.inline``."""
    path = symbol.path[1:] if symbol.path[0] in ("pl", "pld", "pypto") else symbol.path
    form = ".".join(path)
    return form if form in KERNEL_FORMS else None


def call_symbol(
    it: Interpreter,
    symbol: PlSymbol,
    arguments: list[Value],
    keywords: dict[str, Value],
    node: ast.Call | None,
) -> Value:
    """A call of something below ``pl`` at module level; most operators only mean something inside a kernel."""
    name = symbol.path[-1]
    form = form_of(symbol)
    if form is not None:
        if len(arguments) == 1 and isinstance(arguments[0].data, PyFunction) and node is not None:
            return kernel_of(it, form, keywords, arguments[0].data, node.func)
        return Value(KernelDecorator(form, keywords))
    if name == "dynamic":
        return _dynamic(arguments)
    if name == "MemRef":
        return _mem_ref(it, arguments, keywords, node)
    if name in _KEPT_CALLS and node is not None and it.call_scope is not None:
        site = it.site(node)
        assert site is not None
        it.capture(it.call_scope)
        return Value(TypeValue(name, node, it.call_scope, site))
    raise CannotEvaluate(f"{symbol.text} is not run")


def _dynamic(arguments: list[Value]) -> Value:
    if len(arguments) != 1:
        raise CannotEvaluate("pl.dynamic takes one name")
    blocked = first_unknown(arguments[0])
    if blocked is not None:
        return blocked
    name = arguments[0].data
    if not isinstance(name, str) or not name.isidentifier():
        raise CannotEvaluate("pl.dynamic needs an identifier")
    return Value(DynVar(name), arguments[0].assumed)


def _mem_ref(
    it: Interpreter, arguments: list[Value], keywords: dict[str, Value], node: ast.Call | None
) -> Value:
    slots = keywords.get("slots", Value(1)).data
    name = arguments[0].data if arguments else None
    site = it.site(node) if node is not None else None
    if site is None or type(slots) is not int or slots < 1 or not (name is None or isinstance(name, str)):
        raise CannotEvaluate("not a declaration of an allocation")
    return Value(MemRefDecl(name, slots, site))


def kernel_of(
    it: Interpreter,
    form: str,
    keywords: dict[str, Value],
    function: PyFunction,
    decorator: ast.expr,
    syntax: FunctionSyntax | None = None,
    owner: str | None = None,
) -> Value:
    """The kernel that a decorator makes of a function; it is added to the kernels of the graph."""
    node = function.node
    if isinstance(node, ast.Lambda):
        raise CannotEvaluate("a lambda is no kernel")
    if syntax is None:
        syntax = FunctionSyntax(node, function.source, list(function.body))
    kernel = KernelFunction(
        function.name, form, syntax, decorator, keywords, function.scope, it.clock.observe(), owner
    )
    it.budget.hold(2 * OBJECT)
    it.kernels.append(kernel)
    return Value(kernel)


def decorate(
    it: Interpreter,
    decorator: Value,
    node: ast.expr,
    function: Value,
    scope: Scope,
    syntax: FunctionSyntax | None,
) -> Value | None:
    """Apply a kernel decorator; None when it is none."""
    data = decorator.data
    form = (
        form_of(data)
        if isinstance(data, PlSymbol)
        else data.form
        if isinstance(data, KernelDecorator)
        else None
    )
    if form is None or not isinstance(function.data, PyFunction):
        return None
    keywords = dict(data.keywords) if isinstance(data, KernelDecorator) else {}
    owner = scope.cls.name if scope.cls is not None else None
    return kernel_of(it, form, keywords, function.data, node, syntax, owner)
