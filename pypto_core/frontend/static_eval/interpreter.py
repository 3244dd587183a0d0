"""The tree-walking evaluator: its state, names, truth, iteration and calls (docs/spec/static-eval.md §1, §4).

Nothing of the user's code is imported, compiled or executed. Handlers for the kinds of expressions and statements live in
``expressions`` and ``statements``; each is found by one dictionary lookup on the class of the node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pypto_core.frontend.static_eval.builtin_functions import BUILTINS
from pypto_core.frontend.static_eval.control import Journals, Signal, SignalKind
from pypto_core.frontend.static_eval.limits import (
    ENTRY,
    OBJECT,
    SLOT,
    VALUE,
    Budget,
    CannotEvaluate,
    LimitReached,
)
from pypto_core.frontend.static_eval.payloads import PYTHON_ERRORS, first_unknown, is_scalar, scalar_of
from pypto_core.frontend.static_eval.scopes import Binding, Clock, Read, Scope, Watch
from pypto_core.frontend.static_eval.values import (
    NO_ASSUMPTIONS,
    BoundMethod,
    BuiltinFunction,
    ClassData,
    ClassKind,
    DictData,
    External,
    InstanceData,
    IteratorData,
    KernelFunction,
    LibraryName,
    ListData,
    MutableData,
    Partial,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SetData,
    Site,
    Unknown,
    Value,
    unknown,
)

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.graph import ModuleGraph
    from pypto_core.frontend.syntax import SourceMap

Handler = Callable[["Interpreter", Any, Scope], Value]
StatementHandler = Callable[["Interpreter", Any, Scope], "Signal | None"]

#: Filled by ``expressions`` and ``statements``.
EXPRESSIONS: dict[type[ast.expr], Handler] = {}
STATEMENTS: dict[type[ast.stmt], StatementHandler] = {}


#: Longer expressions do not serve as the label of what is unknown.
_LABEL = 2000


class Interpreter:
    """Evaluates the modules of one graph; ``doubt`` counts the places where real execution might have raised."""

    def __init__(self, graph: ModuleGraph, budget: Budget, clock: Clock) -> None:
        self.graph = graph
        self.budget = budget
        self.clock = clock
        self.journals = Journals(budget)
        self.taint = NO_ASSUMPTIONS
        self.doubt = 0
        self.depth = 0
        self.imports = 0  # import statements that were run
        self.reads: set[Read] = set()
        self._frozen: tuple[set[Read], frozenset[Read]] = (self.reads, frozenset())
        #: Notes what the reading of a kernel looks at.
        self.watch: Watch | None = None
        self.source: SourceMap | None = None
        self.call_scope: Scope | None = None
        self.kernels: list[KernelFunction | ProgramClass] = []
        self._generators: dict[int, bool] = {}  # by id of a function's node

    # -- expressions ---------------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """Value of an expression; never raises but LimitReached."""
        budget = self.budget
        budget.left -= 1
        if budget.left < budget.mark:
            budget.pause()
        handler = EXPRESSIONS.get(node.__class__)
        if handler is None:
            self.doubt += 1
            return self.nothing(f"{type(node).__name__} is not evaluated", node)
        try:
            return handler(self, node, scope)
        except CannotEvaluate as fault:
            self.doubt += 1
            return self.nothing(fault.reason, node, "fault" if fault.fault else None)
        except PYTHON_ERRORS as error:
            if isinstance(error, RecursionError):
                raise LimitReached("too deeply nested") from None
            self.doubt += 1
            return self.nothing(str(error) or type(error).__name__, node, "fault")

    def nothing(self, reason: str, node: ast.expr | None = None, kind: str | None = None) -> Value:
        text = self.source.source(node) if node is not None and self.source is not None else ""
        if len(text) > _LABEL:
            text = ""
        self.budget.hold(VALUE + len(text) + len(reason))
        return unknown(reason, text, kind)

    def truth(self, value: Value) -> bool | None:
        """Truth value; None when it is unknown."""
        data = value.data
        if data.__class__ is bool:
            return data
        data = scalar_of(data)
        if is_scalar(data):
            return bool(data)
        if first_unknown(value) is not None:
            return None
        if isinstance(data, (tuple, range, int)):
            return bool(data)
        if isinstance(data, (ListData, DictData, SetData)):
            return bool(data.items)
        if isinstance(data, (External, LibraryName, PlSymbol)):
            return None
        if isinstance(data, InstanceData):
            if data.cls.kind is ClassKind.NAMED_TUPLE:
                return bool(data.cls.fields)
            for name in ("__bool__", "__len__"):
                method = data.cls.find(name)
                if method is not None:
                    return self.truth(self.call(method, [value], {}))
        return True

    def lookup(self, name: str, scope: Scope) -> Value | None:
        """Value of a name, None when nothing defines it."""
        value = self._bound(name, scope)
        if (
            self.watch is not None
            and value is not None
            and isinstance(value.data, (KernelFunction, ProgramClass))
        ):
            self.watch.kernels.add(value.data)
        return value if value is not None else BUILTINS.get(name)

    def _bound(self, name: str, scope: Scope) -> Value | None:
        current: Scope | None = scope
        while current is not None:
            if current.kind == "module":
                module = current.module
                self.reads.add((module.name, name))
                if self.watch is not None:
                    self.watch.names.add((module, name, None))
                binding = module.binding(name)
                if binding is not None:
                    return binding.value
            elif current.kind != "class" or current is scope:
                value = current.variables.get(name)
                if value is not None:
                    return value
            current = current.parent
        return None

    def site(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> Site | None:
        return Site(self.source, node) if self.source is not None else None

    # -- iteration -----------------------------------------------------------------------------------------------------

    def iterate(self, value: Value) -> list[Value]:
        """Elements of an iterable; raises CannotEvaluate."""
        blocked = first_unknown(value)
        if blocked is not None:
            raise CannotEvaluate(blocked.data.reason if isinstance(blocked.data, Unknown) else "unknown")
        data = value.data
        if isinstance(data, (ListData, DictData, SetData)):
            self.budget.copy(len(data.items))
        elif isinstance(data, tuple):
            self.budget.copy(len(data))
        if isinstance(data, ListData):
            return [v.assuming(value.assumed) for v in data.items] if value.assumed else list(data.items)
        if isinstance(data, tuple):
            return [v.assuming(value.assumed) for v in data] if value.assumed else list(data)
        if isinstance(data, (range, str, bytes)):
            self.budget.made(len(data))
            return [Value(x, value.assumed) for x in data]
        if isinstance(data, DictData):
            return [k.assuming(value.assumed) for k, _ in data.items.values()]
        if isinstance(data, SetData):
            return [v.assuming(value.assumed) for v in self._set_order(data)]
        if isinstance(data, IteratorData):
            self.budget.copy(len(data.items) - data.position)
            rest = data.items[data.position :]
            self.journals.note(data, None)
            data.position = len(data.items)
            return [v.assuming(value.assumed) for v in rest] if value.assumed else rest
        if isinstance(data, ClassData) and data.kind in (ClassKind.ENUM, ClassKind.INT_ENUM):
            return [Value(m) for m in data.members]
        if isinstance(data, InstanceData) and data.cls.kind is ClassKind.NAMED_TUPLE:
            return [data.attributes[f.name] for f in data.cls.fields]
        if isinstance(data, InstanceData):
            method = data.cls.find("__iter__")
            if method is not None:
                return self.iterate(self.call(method, [value], {}))
        raise CannotEvaluate("not iterable")

    def _set_order(self, data: SetData) -> list[Value]:
        """Python's order for sets of ints; other orders differ from run to run, so only one element is in order."""
        if len(data.items) <= 1:
            return list(data.items.values())
        if all(type(k) is int for k in data.items):
            return [data.items[k] for k in set(data.items)]
        raise CannotEvaluate("the order of a set")

    def contains_special(self, container: Value, item: Value) -> Value | None:
        """``in`` on things that are no containers of their own (``os.environ``, a class with ``__contains__``)."""
        data = container.data
        if isinstance(data, InstanceData):
            method = data.cls.find("__contains__")
            if method is not None:
                return self.call(method, [container, item], {})
        return self.graph.environ_contains(container, item)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def call(
        self, callee: Value, arguments: list[Value], keywords: dict[str, Value], node: ast.Call | None = None
    ) -> Value:
        """Result of a call; raises CannotEvaluate."""
        data = callee.data
        if isinstance(data, PyFunction):
            return self._call_function(data, arguments, keywords, node)
        if isinstance(data, BuiltinFunction):
            result = data.call(self, arguments, keywords)
            return result.assuming(callee.assumed) if callee.assumed else result
        if isinstance(data, BoundMethod):
            return self._call_function(data.function, [data.owner, *arguments], keywords, node)
        if isinstance(data, ClassData):
            from pypto_core.frontend.static_eval.classes import construct

            return construct(self, data, arguments, keywords, node).assuming(callee.assumed)
        if isinstance(data, Partial):
            return self.call(
                data.function, [*data.arguments, *arguments], {**data.keywords, **keywords}, node
            )
        if isinstance(data, PlSymbol):
            from pypto_core.frontend.static_eval.pl_symbols import call_symbol

            return call_symbol(self, data, arguments, keywords, node)
        if isinstance(data, InstanceData):
            method = data.cls.find("__call__")
            if method is not None:
                return self.call(method, [callee, *arguments], keywords, node)
        blocked = first_unknown(callee)
        if blocked is not None:
            self.doubt += 1
            return blocked
        if isinstance(data, External):
            self.doubt += 1
            return self.nothing(f"{data.name} is not modelled", node)
        if isinstance(data, KernelFunction):
            raise CannotEvaluate(f"kernel {data.name} is not run")
        if isinstance(data, LibraryName):
            raise CannotEvaluate(f"{data.path} has no value")
        raise CannotEvaluate("not callable")

    def _call_function(
        self,
        function: PyFunction,
        arguments: list[Value],
        keywords: dict[str, Value],
        node: ast.Call | None,
    ) -> Value:
        syntax = function.node
        if isinstance(syntax, ast.AsyncFunctionDef) or self._is_generator(function):
            raise CannotEvaluate(f"{function.name} is a generator or coroutine")
        if self.depth >= self.budget.limits.depth:
            raise CannotEvaluate("call depth limit")
        if len(arguments) + len(keywords) > len(function.defaults) + len(syntax.args.args):
            self.budget.hold(ENTRY * len(keywords) + SLOT * len(arguments))  # for *args and **kwargs
        scope = Scope("function", function.scope.module, function.scope)
        scope.variables.update(bind_arguments(function, arguments, keywords))
        source, taint = self.source, self.taint
        self.source = function.source
        self.depth += 1
        try:
            if isinstance(syntax, ast.Lambda):
                return self.evaluate(syntax.body, scope)
            body = function.body
            signal = self.execute([s.node for s in body], scope, [s.source for s in body])
            if scope.captured:
                self.budget.hold(ENTRY * len(scope.variables))
            return self._returned(function, signal)
        finally:
            self.depth -= 1
            self.source, self.taint = source, taint

    def _is_generator(self, function: PyFunction) -> bool:
        known = self._generators.get(id(function.node))
        if known is None:
            known = self._generators[id(function.node)] = contains_yield(s.node for s in function.body)
        return known

    def _returned(self, function: PyFunction, signal: Signal | None) -> Value:
        if signal is None:
            return Value(None, self.taint)
        if signal.kind is SignalKind.RETURN and signal.value is not None:
            value = signal.value.assuming(self.taint)
            if isinstance(value.data, Unknown) and value.data.kind is None:
                hint = kind_hint(function.node)
                if hint is not None:
                    return Value(replace(value.data, kind=hint), value.assumed)
            return value
        self.doubt += 1
        if signal.kind is SignalKind.RAISE:
            return unknown(f"{function.name} raises")
        return unknown(
            f"the result of {function.name} depends on an unknown condition", "", kind_hint(function.node)
        )

    # -- statements ----------------------------------------------------------------------------------------------------

    def execute(
        self, body: Sequence[ast.stmt], scope: Scope, sources: Sequence[SourceMap] | None = None
    ) -> Signal | None:
        """Run statements in order; the signal of the one that leaves the block, if any. ``sources`` are the maps of the
        statements where they do not all come from one text."""
        budget = self.budget
        for position, statement in enumerate(body):
            budget.left -= 1
            if budget.left < budget.mark:
                budget.pause()
            if sources is not None:
                self.source = sources[position]
            handler = STATEMENTS.get(statement.__class__)
            signal = handler(self, statement, scope) if handler is not None else None
            if signal is None:
                continue
            if signal.kind is not SignalKind.UNCERTAIN:
                return signal
            rest = body[position + 1 :]
            if rest:
                reason = Unknown("it is not known whether this statement is reached")
                maps = sources[position + 1 :] if sources is not None else None
                after = self.journals.attempt(lambda: self.execute(rest, scope, maps))  # noqa: B023
                still = self.journals.attempt(lambda: None)
                self.journals.join([after, still], reason)
                returns = after.signal is not None and (
                    after.signal.kind is SignalKind.RETURN or after.signal.may_return
                )
                return Signal(SignalKind.UNCERTAIN, may_return=signal.may_return or returns)
            return signal
        return None

    def bind(
        self,
        scope: Scope,
        name: str,
        value: Value,
        node: ast.expr | ast.stmt | ast.arg | ast.alias | None = None,
        expression: ast.expr | None = None,
    ) -> None:
        """Bind a name in the scope that owns it."""
        if self.taint:
            value = value.assuming(self.taint)
        if value.data.__class__ is Unknown and value.data.kind == "fault":
            value = Value(replace(value.data, kind=None), value.assumed)
        owner = scope.owner(name) if scope.globals or scope.nonlocals else scope
        if owner.kind == "module":
            site = self.site(node) if node is not None else None
            state: Any = Binding(value, site, self.reads_so_far(), expression)
        else:
            state = value
            if owner.cls is not None and node is not None and self.source is not None:
                owner.cls.sites[name] = Site(self.source, node)
        self.journals.set(owner, name, state)
        if self.clock.kept:
            self.budget.hold(ENTRY * self.clock.kept)
            self.clock.kept = 0

    def capture(self, scope: Scope) -> None:
        """Account for a closure: it keeps the scopes around it."""
        self.budget.hold(OBJECT)
        around: Scope | None = scope
        while around is not None and around.kind != "module" and not around.captured:
            around.captured = True
            around = around.parent

    def reads_so_far(self) -> frozenset[Read]:
        """Module-level names read by the current statement; the same object while nothing is added."""
        if self._frozen[0] is not self.reads or len(self._frozen[1]) != len(self.reads):
            self._frozen = (self.reads, frozenset(self.reads))
        return self._frozen[1]

    def change(self, owner: MutableData) -> None:
        """Announce a change of a whole container."""
        self.journals.note(owner, None)


_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def contains_yield(body: Iterable[ast.AST]) -> bool:
    """Whether statements make their function a generator."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, _INNER):
            stack.extend(ast.iter_child_nodes(node))
    return False


def bind_arguments(
    function: PyFunction, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> dict[str, Value]:
    """Parameters of a call; raises CannotEvaluate where Python raises TypeError."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    bound: dict[str, Value] = {}
    for parameter, value in zip(positional, arguments, strict=False):
        bound[parameter.arg] = value
    if spec.vararg is not None:
        bound[spec.vararg.arg] = Value(tuple(arguments[len(positional) :]))
    elif len(arguments) > len(positional):
        raise CannotEvaluate(f"{function.name} takes {len(positional)} arguments, {len(arguments)} given")
    names = {p.arg for p in (*spec.args, *spec.kwonlyargs)}
    extra: dict[str, Value] = {}
    for name, value in keywords.items():
        if name in names and name not in bound:
            bound[name] = value
        elif name in names or spec.kwarg is None:
            raise CannotEvaluate(f"{function.name} cannot take the keyword {name}")
        else:
            extra[name] = value
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = Value(DictData({k: (Value(k), v) for k, v in extra.items()}))
    for parameter in (*positional, *spec.kwonlyargs):
        if parameter.arg not in bound:
            default = function.defaults.get(parameter.arg)
            if default is None:
                raise CannotEvaluate(f"{function.name} misses the argument {parameter.arg}")
            bound[parameter.arg] = default
    return bound


_KINDS = frozenset({"int", "float", "bool", "str", "list", "tuple", "dict"})


def kind_hint(node: ast.AST) -> str | None:
    """Kind of the result from a return annotation."""
    returns = getattr(node, "returns", None)
    if isinstance(returns, ast.Name) and returns.id in _KINDS:
        return returns.id
    return None
