"""Expressions (docs/spec/static-eval.md §5.1, §5.2)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pypto_core.frontend.static_eval.attributes import attribute
from pypto_core.frontend.static_eval.interpreter import EXPRESSIONS, Interpreter
from pypto_core.frontend.static_eval.limits import ENTRY, VALUE, CannotEvaluate
from pypto_core.frontend.static_eval.operators import binary, check_format, compare, unary
from pypto_core.frontend.static_eval.payloads import first_unknown, hashable, keyed, plain, weight
from pypto_core.frontend.static_eval.scopes import Scope
from pypto_core.frontend.static_eval.subscripts import subscript
from pypto_core.frontend.static_eval.values import (
    DictData,
    IteratorData,
    ListData,
    PyFunction,
    SetData,
    Value,
    noted,
    unknown,
)


def _constant(it: Interpreter, node: ast.Constant, scope: Scope) -> Value:
    data = node.value
    if data.__class__ is int and -(2**63) <= data < 2**63:
        return Value(data)
    if data is Ellipsis or isinstance(data, complex):
        raise CannotEvaluate("not a modelled constant")
    it.budget.integer(data)
    return Value(data)


def _name(it: Interpreter, node: ast.Name, scope: Scope) -> Value:
    value = it.lookup(node.id, scope)
    if value is None:
        it.doubt += 1
        return unknown(f"{node.id} is not defined", node.id)
    return value


def _binary(it: Interpreter, node: ast.BinOp, scope: Scope) -> Value:
    """The left spine is walked in a loop: a long sum is no deep recursion."""
    if node.left.__class__ is not ast.BinOp:
        left = it.evaluate(node.left, scope)
        it.budget.spend()
        return _step(it, node, left, it.evaluate(node.right, scope))
    spine: list[ast.BinOp] = []
    current: ast.expr = node
    while isinstance(current, ast.BinOp):
        spine.append(current)
        current = current.left
    value = it.evaluate(current, scope)
    for step in reversed(spine):
        it.budget.spend()
        value = _step(it, step, value, it.evaluate(step.right, scope))
    return value


def _step(it: Interpreter, node: ast.BinOp, left: Value, right: Value) -> Value:
    try:
        return binary(it, node.op.__class__, left, right)
    except CannotEvaluate as fault:
        it.doubt += 1
        return it.nothing(fault.reason, node, "fault" if fault.fault else None)


def _unary(it: Interpreter, node: ast.UnaryOp, scope: Scope) -> Value:
    return unary(it, node.op, it.evaluate(node.operand, scope))


def _boolean(it: Interpreter, node: ast.BoolOp, scope: Scope) -> Value:
    """``and``/``or``: an operand after an unknown one cannot tell which of the two is the value."""
    decisive = isinstance(node.op, ast.Or)
    blocked: Value | None = None
    assumed: frozenset[str] = frozenset()
    value = unknown("empty")
    for operand in node.values:
        value = it.evaluate(operand, scope)
        assumed |= value.assumed
        truth = it.truth(value)
        if truth is None:
            blocked = blocked or first_unknown(value) or it.nothing("the truth value is not known", operand)
        elif truth is decisive:
            return value.assuming(assumed) if blocked is None else blocked
    return blocked if blocked is not None else value.assuming(assumed)


def _compare(it: Interpreter, node: ast.Compare, scope: Scope) -> Value:
    left = it.evaluate(node.left, scope)
    if len(node.ops) == 1:
        return compare(it, node.ops[0], left, it.evaluate(node.comparators[0], scope))
    result = Value(True)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = it.evaluate(right_node, scope)
        step = compare(it, op, left, right)
        truth = it.truth(step)
        if truth is False:
            return step.assuming(result.assumed)
        if truth is None and not result.is_unknown:
            result = step
        elif not result.is_unknown:
            result = step.assuming(result.assumed)
        left = right
    return result


def _conditional(it: Interpreter, node: ast.IfExp, scope: Scope) -> Value:
    test = it.evaluate(node.test, scope)
    truth = it.truth(test)
    if truth is None:
        blocked = first_unknown(test) or it.nothing("the condition is not known", node.test)
        then, other = it.evaluate(node.body, scope), it.evaluate(node.orelse, scope)
        from pypto_core.frontend.static_eval.control import same_value

        return then if same_value(then, other) else blocked
    return it.evaluate(node.body if truth else node.orelse, scope).assuming(test.assumed)


def _elements(it: Interpreter, nodes: list[ast.expr], scope: Scope) -> list[Value]:
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values.extend(it.iterate(it.evaluate(node.value, scope)))
        else:
            values.append(it.evaluate(node, scope))
    it.budget.made(len(values))
    return values


def _tuple(it: Interpreter, node: ast.Tuple, scope: Scope) -> Value:
    return Value(tuple(_elements(it, node.elts, scope)))


def _list(it: Interpreter, node: ast.List, scope: Scope) -> Value:
    return Value(ListData(_elements(it, node.elts, scope)))


def _set(it: Interpreter, node: ast.Set, scope: Scope) -> Value:
    it.budget.hold(ENTRY * len(node.elts))
    return Value(SetData(keyed(it, _elements(it, node.elts, scope))))


def _dict(it: Interpreter, node: ast.Dict, scope: Scope) -> Value:
    items: dict[Any, tuple[Value, Value]] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = it.evaluate(value_node, scope)
        if key_node is None:
            blocked = first_unknown(value)
            if blocked is not None:
                return blocked
            if not isinstance(value.data, DictData):
                raise CannotEvaluate("** of something that is no dict")
            it.budget.made(len(value.data.items), ENTRY)
            items.update(value.data.items)
        else:
            key = it.evaluate(key_node, scope)
            blocked = first_unknown(key)
            if blocked is not None:
                return blocked
            it.budget.hold(ENTRY)
            items[hashable(key, it.budget)] = (key, value)
    return Value(DictData(items))


def _attribute(it: Interpreter, node: ast.Attribute, scope: Scope) -> Value:
    return attribute(it, it.evaluate(node.value, scope), node.attr, node)


def _subscript(it: Interpreter, node: ast.Subscript, scope: Scope) -> Value:
    return subscript(it, node, scope)


def _slice(it: Interpreter, node: ast.Slice, scope: Scope) -> Value:
    parts = [
        it.evaluate(p, scope) if p is not None else Value(None) for p in (node.lower, node.upper, node.step)
    ]
    blocked = first_unknown(*parts)
    if blocked is not None:
        return blocked
    assumed: set[str] = set()
    return Value(slice(*(plain(p, assumed) for p in parts)), noted(assumed))


def _call(it: Interpreter, node: ast.Call, scope: Scope) -> Value:
    callee = it.evaluate(node.func, scope)
    if isinstance(node.func, ast.Name) and node.func.id in _CALLS_ON_SCOPE:
        return _CALLS_ON_SCOPE[node.func.id](it, node, scope, callee)
    arguments: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            spread = it.evaluate(argument.value, scope)
            blocked = first_unknown(spread)
            if blocked is not None:
                it.doubt += 1
                return blocked
            arguments.extend(it.iterate(spread))
        else:
            arguments.append(it.evaluate(argument, scope))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = it.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            continue
        blocked = first_unknown(value)
        if blocked is not None:
            it.doubt += 1
            return blocked
        if not isinstance(value.data, DictData):
            raise CannotEvaluate("** of something that is no dict")
        it.budget.made(len(value.data.items), ENTRY)
        keywords.update((str(k.data), v) for k, v in value.data.items.values())
    it.call_scope = scope
    return it.call(callee, arguments, keywords, node)


def _dynamic_names(it: Interpreter, node: ast.Call, scope: Scope, callee: Value) -> Value:
    assert isinstance(node.func, ast.Name)
    scope.module.note_gap(f"{node.func.id}() may define names")
    raise CannotEvaluate(f"{node.func.id}() is not evaluated")


def _setattr(it: Interpreter, node: ast.Call, scope: Scope, callee: Value) -> Value:
    from pypto_core.frontend.static_eval.statements import store_attribute

    if len(node.args) == 3 and not node.keywords:
        owner, name, value = (it.evaluate(a, scope) for a in node.args)
        if isinstance(name.data, str):
            store_attribute(it, owner, name.data, value, node)
            return Value(None)
    scope.module.note_gap("setattr() may define names")
    raise CannotEvaluate("setattr() is not evaluated")


def _super(it: Interpreter, node: ast.Call, scope: Scope, callee: Value) -> Value:
    from pypto_core.frontend.static_eval.classes import super_of

    return super_of(scope)


_CALLS_ON_SCOPE: dict[str, Callable[[Interpreter, ast.Call, Scope, Value], Value]] = {
    "globals": _dynamic_names,
    "locals": _dynamic_names,
    "vars": _dynamic_names,
    "exec": _dynamic_names,
    "eval": _dynamic_names,
    "__import__": _dynamic_names,
    "setattr": _setattr,
    "super": _super,
}


def _lambda(it: Interpreter, node: ast.Lambda, scope: Scope) -> Value:
    assert it.source is not None
    it.capture(scope)
    return Value(PyFunction("<lambda>", node, scope, it.source, (), parameter_defaults(it, node.args, scope)))


def parameter_defaults(it: Interpreter, spec: ast.arguments, scope: Scope) -> dict[str, Value]:
    """Evaluated defaults by parameter name."""
    positional = [*spec.posonlyargs, *spec.args]
    defaults = {
        p.arg: it.evaluate(d, scope)
        for p, d in zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True)
    }
    for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            defaults[parameter.arg] = it.evaluate(default, scope)
    return defaults


def _walrus(it: Interpreter, node: ast.NamedExpr, scope: Scope) -> Value:
    value = it.evaluate(node.value, scope)
    target: Scope | None = scope
    while target is not None and target.kind == "comprehension":
        target = target.parent
    it.bind(target or scope, node.target.id, value, node, node.value)
    return value


def _formatted(it: Interpreter, node: ast.JoinedStr, scope: Scope) -> Value:
    parts: list[str] = []
    assumed: set[str] = set()
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            parts.append(_format_piece(it, piece, scope, assumed))
        else:
            parts.append(str(it.evaluate(piece, scope).data))
    it.budget.text(sum(map(len, parts)))
    return Value("".join(parts), noted(assumed))


def _format_piece(it: Interpreter, piece: ast.FormattedValue, scope: Scope, assumed: set[str]) -> str:
    data = plain(it.evaluate(piece.value, scope), assumed, it.budget)
    it.budget.size(weight(data))
    spec = ""
    if piece.format_spec is not None:
        spec_value = it.evaluate(piece.format_spec, scope)
        spec = str(plain(spec_value, assumed))
        check_format("{" + spec)
    if piece.conversion == ord("r"):
        data = repr(data)
    elif piece.conversion == ord("s"):
        data = str(data)
    elif piece.conversion == ord("a"):
        data = ascii(data)
    text = format(data, spec)
    it.budget.text(len(text))
    return text


# -- comprehensions ----------------------------------------------------------------------------------------------------


def _comprehend(
    it: Interpreter, generators: list[ast.comprehension], scope: Scope, emit: Callable[[Scope], None]
) -> None:
    inner = Scope("comprehension", scope.module, scope)

    def run(level: int) -> None:
        if level == len(generators):
            emit(inner)
            return
        generator = generators[level]
        if generator.is_async:
            raise CannotEvaluate("asynchronous comprehension")
        source = it.evaluate(generator.iter, scope if level == 0 else inner)
        for count, item in enumerate(it.iterate(source)):
            it.budget.spend()
            if count >= it.budget.limits.iterations:
                raise CannotEvaluate("iteration limit")
            assign_target(it, generator.target, item, inner)
            keep = True
            for condition in generator.ifs:
                test = it.evaluate(condition, inner)
                truth = it.truth(test)
                if truth is None:
                    raise CannotEvaluate("a filter of the comprehension is not known")
                if not truth:
                    keep = False
                    break
            if keep:
                run(level + 1)

    run(0)


def assign_target(it: Interpreter, target: ast.expr, value: Value, scope: Scope) -> None:
    """Bind a target of names; other targets are handled by ``statements.assign``."""
    from pypto_core.frontend.static_eval.statements import assign

    assign(it, target, value, scope)


def _collect(
    it: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope
) -> list[Value]:
    values: list[Value] = []

    def emit(inner: Scope) -> None:
        it.budget.hold(VALUE)
        values.append(it.evaluate(node.elt, inner))
        if len(values) > it.budget.limits.elements:
            raise CannotEvaluate("element limit")

    _comprehend(it, node.generators, scope, emit)
    return values


def _list_comprehension(it: Interpreter, node: ast.ListComp, scope: Scope) -> Value:
    return Value(ListData(_collect(it, node, scope)))


def _generator(it: Interpreter, node: ast.GeneratorExp, scope: Scope) -> Value:
    return Value(IteratorData(_collect(it, node, scope)))


def _set_comprehension(it: Interpreter, node: ast.SetComp, scope: Scope) -> Value:
    return Value(SetData(keyed(it, _collect(it, node, scope))))


def _dict_comprehension(it: Interpreter, node: ast.DictComp, scope: Scope) -> Value:
    items: dict[Any, tuple[Value, Value]] = {}

    def emit(inner: Scope) -> None:
        it.budget.hold(ENTRY)
        key = it.evaluate(node.key, inner)
        items[hashable(key, it.budget)] = (key, it.evaluate(node.value, inner))

    _comprehend(it, node.generators, scope, emit)
    return Value(DictData(items))


EXPRESSIONS.update(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Call: _call,
        ast.Lambda: _lambda,
        ast.NamedExpr: _walrus,
        ast.JoinedStr: _formatted,
        ast.ListComp: _list_comprehension,
        ast.GeneratorExp: _generator,
        ast.SetComp: _set_comprehension,
        ast.DictComp: _dict_comprehension,
    }
)
