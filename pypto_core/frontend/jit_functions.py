"""The functions that a JIT entry reaches, and which of their dimensions are dynamic (docs/spec/language.md §2.1, §2.2)."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from pypto_core.frontend.annotations import direction_of
from pypto_core.frontend.body_facts import BodyFacts, body_facts, facts_of, is_divided
from pypto_core.frontend.jit_closure import JitClosure
from pypto_core.frontend.recovery import FunctionSyntax, Statement
from pypto_core.frontend.static_closure import ScopeClosure
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.values import DynVar, KernelFunction, Value
from pypto_core.frontend.syntax import SourceMap, int_literal
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
    body = [Statement(_in_statement(s.node, s.source, numbers), s.source) for s in syntax.body]
    return FunctionSyntax(syntax.node, syntax.source, body, syntax.faults)


def _in_statement(node: ast.stmt, source: SourceMap, numbers: Mapping[str, Value]) -> ast.stmt:
    """A statement with numbers for names; the same one for the same numbers."""
    if is_divided(node, source):
        body = node.body  # type: ignore[attr-defined]
        inner = [_in_statement(child, source.of(child), numbers) for child in body]
        before = source.memory.get(("numbers", id(node)))
        header = copy(node)
        header.body = []  # type: ignore[attr-defined]
        made = _replaced(header, numbers)
        if made is header:
            if all(a is b for a, b in zip(inner, body, strict=True)):
                return node
            if before is not None and all(a is b for a, b in zip(inner, before[1], strict=True)):
                same: ast.stmt = before[2]
                return same
        made.body = inner  # type: ignore[attr-defined]
        if made is header:
            source.memory["numbers", id(node)] = (node, inner, made)
        return made
    used = {name: numbers[name] for name in facts_of(source, node).loaded if name in numbers}
    if not used:
        return node
    known = source.memory.get(("numbers", id(node)))
    if known is None or known[1].keys() != used.keys() or any(known[1][n] is not v for n, v in used.items()):
        known = source.memory["numbers", id(node)] = (node, used, _replaced(node, numbers))
    found: ast.stmt = known[2]
    return found


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


def breadth_first(body: list[Statement], called: Collection[str]) -> Iterator[tuple[ast.AST, SourceMap]]:
    """Nodes of a body in the order of ``ast.walk`` over the whole function; statements without calls of these names are left out."""
    todo: deque[tuple[ast.AST, SourceMap]] = deque()

    def add(node: ast.AST, source: SourceMap) -> None:
        own = source.of(node) if isinstance(node, ast.stmt) else source
        if own is not source and isinstance(node, ast.stmt) and not is_divided(node, own):
            if facts_of(own, node).called.keys().isdisjoint(called):
                return
        todo.append((node, own))

    for item in body:
        if is_divided(item.node, item.source) or not facts_of(
            item.source, item.node
        ).called.keys().isdisjoint(called):
            todo.append((item.node, item.source))
    while todo:
        node, source = todo.popleft()
        for child in ast.iter_child_nodes(node):
            add(child, source)
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
        wanted = {name for name, dep in deps.items() if dep is not None}
        for node, source in breadth_first(function.syntax.body, wanted) if wanted else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                dep = deps.get(node.func.id)
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
