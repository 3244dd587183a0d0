"""The functions that a JIT entry reaches, and which of their dimensions are dynamic (docs/spec/language.md §2.1, §2.2)."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from pypto_core.frontend.annotations import direction_of
from pypto_core.frontend.jit_closure import JitClosure
from pypto_core.frontend.recovery import Broken, FunctionSyntax, Statement
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.values import DynVar, KernelFunction, Value
from pypto_core.frontend.syntax import SourceMap, dotted, int_literal, string_literal
from pypto_core.ir import FunctionType, ParamDirection, Type

ENTRY_FORMS = frozenset({"jit", "jit.host"})
DEP_FORMS = frozenset({"jit.incore", "jit.inline", "jit.opaque", "jit.extern"})
FUNCTION_TYPES = {
    "jit": FunctionType.Orchestration,
    "jit.host": FunctionType.Opaque,
    "jit.incore": FunctionType.InCore,
    "jit.inline": FunctionType.Inline,
    "jit.opaque": FunctionType.Opaque,
}


@dataclass(slots=True, eq=False)
class DepCall:
    """A call of a dep by bare name, as written."""

    node: ast.Call
    source: SourceMap
    dep: JitFunction
    name: str

    @property
    def is_alias(self) -> bool:
        """Called by another name than its own: the compiler finds it but leaves the call as it is."""
        return self.name != self.dep.name


@dataclass(slots=True, eq=False)
class JitFunction:
    """A JIT function of one program.

    ``dynamic`` maps (parameter, axis) to the symbol declared for it; ``types`` holds what call sites say about parameters
    (None: the compiler's rules give nothing), ``own_types`` what annotations alone say. ``caller`` is the function whose
    first call decides the types. The body of ``syntax`` has module-level numbers in place of their names. ``is_crowded_out``:
    the program has another function of this name, so this one is left out.
    """

    kernel: KernelFunction
    syntax: FunctionSyntax
    annotations: ScopeClosure
    closure: JitClosure
    facts: BodyFacts
    calls: list[DepCall] = field(default_factory=list)
    caller: JitFunction | None = None
    dynamic: dict[tuple[str, int], str] = field(default_factory=dict)
    types: dict[str, Type | None] = field(default_factory=dict)
    own_types: dict[str, Type] = field(default_factory=dict)
    is_crowded_out: bool = False

    @property
    def name(self) -> str:
        return self.kernel.name

    @property
    def form(self) -> str:
        return self.kernel.form

    def keyword_node(self, name: str) -> ast.keyword | ast.expr:
        """The keyword of the decorator, or the decorator when it is not written there."""
        decorator = self.kernel.decorator
        given = decorator.keywords if isinstance(decorator, ast.Call) else []
        return next((keyword for keyword in given if keyword.arg == name), decorator)

    @property
    def made_names(self) -> tuple[str, ...]:
        """Names of the program's functions that come of it: three for an external kernel on both kinds of core."""
        core = self.kernel.keywords.get("core_type") if self.form == "jit.extern" else None
        if core is not None and core.data == "mixed":
            return (self.name, f"{self.name}_aic", f"{self.name}_aiv")
        return (self.name,)

    @property
    def params(self) -> list[ast.arg]:
        return [a for a in self.syntax.node.args.args if a.arg != "self"]

    def param(self, name: str) -> ast.arg | None:
        return next((a for a in self.params if a.arg == name), None)

    def directions(self) -> list[ParamDirection]:
        return [
            direction_of(a.annotation, self.annotations)[0] if a.annotation is not None else ParamDirection.In
            for a in self.params
        ]

    def bound_arguments(self, node: ast.Call) -> dict[str, ast.expr]:
        """Arguments of a call by parameter name; keywords that are no parameters are left out."""
        names = [a.arg for a in self.params]
        bound = dict(zip(names, node.args, strict=False))
        bound.update((k.arg, k.value) for k in node.keywords if k.arg in names)
        return bound


@dataclass(slots=True)
class BodyFacts:
    """What one walk over a body finds: names stored and loaded, bare calls, ``bind_dynamic`` statements with their parameter,
    ``M = pl.dynamic("M")`` statements, and the value of the first return that has one."""

    stored: set[str] = field(default_factory=set)
    loaded: dict[str, None] = field(default_factory=dict)
    called: dict[str, None] = field(default_factory=dict)
    bound: list[tuple[str, ast.Call]] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    returned: ast.expr | None = None


def body_facts(body: list[Statement]) -> BodyFacts:
    """Facts about the statements of a function."""
    facts = BodyFacts()
    for item in body:
        symbol = local_symbol(item.node)
        if symbol is not None:
            facts.symbols[symbol[0]] = symbol[1]
        todo: list[ast.AST] = [item.node]
        while todo:
            node = todo.pop()
            kind = node.__class__
            if kind is ast.Name:
                assert isinstance(node, ast.Name)
                if node.ctx.__class__ is ast.Load:
                    facts.loaded[node.id] = None
                else:
                    facts.stored.add(node.id)
                continue
            if kind is ast.Call:
                assert isinstance(node, ast.Call)
                if node.func.__class__ is ast.Name:
                    facts.called[node.func.id] = None
            elif kind is ast.Return:
                assert isinstance(node, ast.Return)
                if facts.returned is None and node.value is not None:
                    facts.returned = node.value
            elif kind is ast.Expr:
                found = bind_dynamic_call(node)
                if found is not None:
                    facts.bound.append(found)
            elif kind is Broken:
                assert isinstance(node, Broken)
                facts.stored.update(node.names)
            for name in reversed(node._fields):
                value = getattr(node, name, None)
                if value.__class__ is list:
                    todo.extend(v for v in reversed(value) if isinstance(v, ast.AST))
                elif isinstance(value, ast.AST):
                    todo.append(value)
    return facts


def with_numbers(syntax: FunctionSyntax, names: Iterable[str], closure: JitClosure) -> FunctionSyntax:
    """The function with its names of module-level ints, floats and bools replaced by their values, as the compiler does it.

    The numbers stand at the places of the names; statements without such names are the same objects.
    """
    args = syntax.node.args
    params = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    numbers: dict[str, Value] = {}
    for name in names:
        value = closure.lookup(name) if name not in params else None
        if value is not None and isinstance(value.data, (bool, int, float)):
            numbers[name] = value
    if not numbers:
        return syntax
    body = [Statement(_replaced(s.node, numbers), s.source) for s in syntax.body]
    return FunctionSyntax(syntax.node, syntax.source, body, syntax.faults)


_Node = TypeVar("_Node", bound=ast.AST)


def _replaced(node: _Node, numbers: Mapping[str, Value]) -> _Node:
    """A tree with numbers for names; parts without any are shared."""
    changed: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            new = _number(value, numbers)
            if new is not value:
                changed[name] = new
        elif isinstance(value, list):
            items = [_number(v, numbers) if isinstance(v, ast.AST) else v for v in value]
            if any(a is not b for a, b in zip(items, value, strict=True)):
                changed[name] = items
    if not changed:
        return node
    copied = copy(node)
    for name, value in changed.items():
        setattr(copied, name, value)
    return copied


def _number(node: ast.AST, numbers: Mapping[str, Value]) -> ast.AST:
    if isinstance(node, ast.Name):
        value = numbers.get(node.id)
        if value is None:
            return node
        number = ast.copy_location(ast.Constant(value.data), node)
        if value.assumed:
            number.assumed = value.assumed  # type: ignore[attr-defined]
        return number
    return _replaced(node, numbers)


def breadth_first(body: list[Statement]) -> Iterator[tuple[ast.AST, SourceMap]]:
    """Nodes of a body in the order of ``ast.walk`` over the whole function."""
    todo: deque[tuple[ast.AST, SourceMap]] = deque((s.node, s.source) for s in body)
    while todo:
        node, source = todo.popleft()
        todo.extend((child, source) for child in ast.iter_child_nodes(node))
        yield node, source


class Discovery:
    """Finds the functions of one program, callees before callers."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.order: list[JitFunction] = []
        self._known: dict[int, JitFunction] = {}

    def find(self, kernel: KernelFunction) -> list[JitFunction]:
        """``kernel`` and everything it reaches; it comes last."""
        self._visit(kernel, None)
        return self.order

    def _visit(self, kernel: KernelFunction, caller: JitFunction | None) -> JitFunction:
        known = self._known.get(id(kernel.syntax))
        if known is not None:
            return known
        function = self._function(kernel)
        function.caller = caller
        self._known[id(kernel.syntax)] = function
        deps = {name: self._dep(function, name) for name in function.facts.called}
        for node, source in breadth_first(function.syntax.body) if any(deps.values()) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                dep = deps[node.func.id]
                if dep is not None:
                    function.calls.append(DepCall(node, source, self._visit(dep, function), node.func.id))
        function.calls.sort(key=lambda c: (c.source.span(c.node).line, c.node.col_offset))
        self.order.append(function)
        return function

    def _function(self, kernel: KernelFunction) -> JitFunction:
        around = ScopeClosure(self.interpreter, kernel.scope, kernel.source)
        facts = body_facts(kernel.syntax.body)
        closure = JitClosure(around, facts.stored - set(facts.symbols))
        syntax = with_numbers(kernel.syntax, facts.loaded, closure)
        return JitFunction(kernel, syntax, around, closure, facts=facts)

    def _dep(self, function: JitFunction, name: str) -> KernelFunction | None:
        """The JIT function that a bare call of ``name`` means, if it becomes part of the program."""
        if name in function.closure.assigned or function.param(name) is not None:
            return None
        value = function.annotations.lookup(name)
        if value is None or not isinstance(value.data, KernelFunction):
            return None
        kernel = value.data
        if kernel.form in DEP_FORMS or (kernel.form == "jit" and function.form == "jit.host"):
            return kernel
        return None


def local_symbol(node: ast.stmt) -> tuple[str, str] | None:
    """Name and symbol of a statement ``M = pl.dynamic("M")``."""
    if not (
        isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    ):
        return None
    call = node.value
    if not (isinstance(call, ast.Call) and dotted(call.func) == ("pl", "dynamic") and len(call.args) == 1):
        return None
    text = string_literal(call.args[0])
    return (node.targets[0].id, text) if text is not None and text.isidentifier() else None


def bind_dynamic_call(node: ast.AST) -> tuple[str, ast.Call] | None:
    """Parameter and call of a statement ``p.bind_dynamic(axis, M)``."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        path = dotted(node.value.func)
        if path is not None and len(path) == 2 and path[1] == "bind_dynamic":
            return path[0], node.value
    return None


# --- dynamic dimensions ------------------------------------------------------------------------------------------------


def bound_dimensions(function: JitFunction) -> None:
    """Dimensions that ``bind_dynamic`` statements declare."""
    for param, call in function.facts.bound:
        if len(call.args) != 2 or function.param(param) is None:
            continue
        axis, name = int_literal(call.args[0]), call.args[1]
        if axis is not None and isinstance(name, ast.Name):
            symbol = symbol_of(function, name.id)
            if symbol is not None:
                function.dynamic[param, axis] = symbol


def cascade_dimensions(functions: list[JitFunction]) -> None:
    """A dimension that a callee declares dynamic is so in the caller for an argument that is a bare parameter name.

    ``functions`` come callees first.
    """
    for function in functions:
        for call in function.calls:
            bound = call.dep.bound_arguments(call.node)
            for (param, axis), symbol in call.dep.dynamic.items():
                argument = bound.get(param)
                if isinstance(argument, ast.Name) and function.param(argument.id) is not None:
                    function.dynamic.setdefault((argument.id, axis), symbol)


def symbol_of(function: JitFunction, name: str) -> str | None:
    """The symbol that a bare name stands for in a body."""
    if name in function.facts.symbols:
        return function.facts.symbols[name]
    value = function.annotations.lookup(name)
    return value.data.name if value is not None and isinstance(value.data, DynVar) else None
