"""Which variable a printed name denotes (docs/spec/ir.md §4.9, §4.12; docs/spec/passes_split.md "Chain versus text").

Printed names are already disambiguated: within one function one name is one variable. Types may mention names of other
functions of the program, so all functions are scanned for definitions before any is read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pypto_core.frontend.syntax import dotted
from pypto_core.ir import UNKNOWN, DataType, ScalarType, Type, Var
from pypto_core.ir.names import assign_names

FREE_SUFFIX = "__FREE_VAR"
INDEX_TYPE = ScalarType.of(DataType.INDEX)
_SUFFIXED = re.compile(r"^(.+)_([1-9][0-9]*)$")


def is_yield(node: ast.expr | None) -> bool:
    """``<prefix>.yield_(...)``"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "yield_"


def is_auto_scope(stmt: ast.stmt) -> bool:
    """``with pl.scope():`` - transparent for the yields of the statement around it."""
    if not isinstance(stmt, ast.With) or len(stmt.items) != 1:
        return False
    call = stmt.items[0].context_expr
    return isinstance(call, ast.Call) and dotted(call.func) == ("pl", "scope") and not call.keywords


def tail_yield(body: list[ast.stmt]) -> ast.Assign | ast.AnnAssign | None:
    """The assignment-form yield that closes a body."""
    if not body:
        return None
    last = body[-1]
    if isinstance(last, ast.Assign | ast.AnnAssign) and is_yield(last.value):
        return last
    if len(body) == 1 and isinstance(last, ast.With) and is_auto_scope(last):
        return tail_yield(last.body)
    return None


def target_names(target: ast.expr) -> list[str]:
    """Names of an assignment target, left to right."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in target_names(element)]
    return []


def yield_names(stmt: ast.Assign | ast.AnnAssign | None) -> list[tuple[str, ast.expr | None]]:
    """Names that a closing yield gives the return variables, with their annotations."""
    if isinstance(stmt, ast.AnnAssign):
        return [(name, stmt.annotation) for name in target_names(stmt.target)]
    if isinstance(stmt, ast.Assign):
        return [(name, None) for name in target_names(stmt.targets[0])]
    return []


def without_condition(body: list[ast.stmt]) -> list[ast.stmt]:
    """A ``pl.while_`` body without its leading ``pl.cond(...)``."""
    return body[1:] if body and condition_of(body[0]) is not None else body


def condition_of(stmt: ast.stmt) -> ast.expr | None:
    """The argument of a ``pl.cond(...)`` statement."""
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        call = stmt.value
        if isinstance(call.func, ast.Attribute) and call.func.attr == "cond" and len(call.args) == 1:
            return call.args[0]
    return None


@dataclass(slots=True)
class Definition:
    """Where a name is bound: its annotation if it has one; ``carried`` for an iter_arg."""

    annotation: ast.expr | None
    carried: bool = False
    index: bool = False


def definitions(body: list[ast.stmt]) -> Iterator[tuple[str, Definition]]:
    """Bindings of a body in the traversal order of ir.md §1.11, repeats included."""
    for stmt in body:
        if isinstance(stmt, ast.AnnAssign | ast.Assign):
            if is_yield(stmt.value):
                continue  # belongs to the statement around it, which lists it
            annotation = stmt.annotation if isinstance(stmt, ast.AnnAssign) else None
            targets = [stmt.target] if isinstance(stmt, ast.AnnAssign) else stmt.targets
            for target in targets:
                for name in target_names(target):
                    yield name, Definition(annotation)
        elif isinstance(stmt, ast.For):
            yield from _loop_definitions(stmt)
        elif isinstance(stmt, ast.While):
            yield from definitions(stmt.body)
        elif isinstance(stmt, ast.If):
            for name, annotation in yield_names(tail_yield(stmt.body) or tail_yield(stmt.orelse)):
                yield name, Definition(annotation)
            yield from definitions(stmt.body)
            yield from definitions(stmt.orelse)
        elif isinstance(stmt, ast.With):
            for item in stmt.items:
                if item.optional_vars is not None:
                    for name in target_names(item.optional_vars):
                        yield name, Definition(None, index=False)
            yield from definitions(stmt.body)


def _loop_definitions(stmt: ast.For) -> Iterator[tuple[str, Definition]]:
    iterator = stmt.iter.func if isinstance(stmt.iter, ast.Call) else stmt.iter
    kind = iterator.attr if isinstance(iterator, ast.Attribute) else ""
    body = stmt.body
    target = stmt.target
    carried: list[str]
    if kind == "while_":
        body = without_condition(body)
        carried = target_names(target)
    elif isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield from ((name, Definition(None, index=True)) for name in target_names(target.elts[0]))
        carried = target_names(target.elts[1])
    else:
        yield from ((name, Definition(None, index=True)) for name in target_names(target))
        carried = []
    if kind not in ("spmd", "split_aiv"):
        yield from ((name, Definition(annotation)) for name, annotation in yield_names(tail_yield(body)))
    yield from ((name, Definition(None, carried=True)) for name in carried)
    yield from definitions(body)


def base_names(order: list[str]) -> dict[str, str]:
    """Name hints behind printed names: ``x``, ``x_1``, ``x_2`` defined in this order share the hint ``x``.

    ``order`` lists the defined names in traversal order, without repeats. A group is folded only when the printer,
    given the folded hints, would write the same names again.
    """
    defined = set(order)
    hints = {name: name for name in order}
    for name in order:
        base, count = _base_of(name, defined)
        if base is not None and count:
            hints[name] = base
    while True:
        wrong = {
            hints[name]
            for name, again in zip(order, _printed_again(order, hints), strict=True)
            if name != again
        }
        if not wrong:
            return hints
        folded = {hints[name] for name in order if hints[name] != name}
        unfold = wrong & folded or folded
        for name in order:
            if hints[name] in unfold:
                hints[name] = name


def _base_of(name: str, defined: set[str]) -> tuple[str | None, int]:
    match = _SUFFIXED.match(name)
    if match is None:
        return None, 0
    base, count = match.group(1), int(match.group(2))
    if base in defined and all(f"{base}_{k}" in defined for k in range(1, count)):
        return base, count
    return None, 0


def _printed_again(order: list[str], hints: dict[str, str]) -> list[str]:
    """What the printer would call variables with these hints."""
    return list(assign_names([Var(hints[name], UNKNOWN) for name in order]).values())


@dataclass(slots=True)
class ProgramNames:
    """Names that a whole printed program shares."""

    dynamic: dict[str, Var] = field(default_factory=dict)
    functions: list[FunctionNames] = field(default_factory=list)
    fresh: dict[str, Var] = field(default_factory=dict)

    def elsewhere(self, name: str, asking: FunctionNames) -> Var:
        """A parameter or definition of that name in another function; a fresh symbol as the last resort."""
        for params_only in (True, False):
            for function in self.functions:
                if function is asking or (params_only and name not in function.params):
                    continue
                found = function.defined(name)
                if found is not None:
                    return found
        return self.fresh.setdefault(name, Var(name, INDEX_TYPE))


@dataclass(slots=True)
class FunctionNames:
    """Names of one function: parameters, definitions, and the variables already made for them."""

    program: ProgramNames
    params: dict[str, ast.expr | None]
    bound: dict[str, Definition]
    hints: dict[str, str]
    read_type: Callable[[ast.expr, FunctionNames], Type]
    vars: dict[str, Var] = field(default_factory=dict)
    free: dict[str, Var] = field(default_factory=dict)
    bases: dict[str, Var] = field(default_factory=dict)
    _making: set[str] = field(default_factory=set)

    def hint(self, name: str) -> str:
        return self.hints.get(name, name)

    def define(self, name: str, type_: Type) -> Var:
        """The variable of a binding: one name, one variable, typed by its first binding."""
        var = self.vars.get(name)
        if var is None:
            var = self.vars[name] = Var(self.hint(name), type_)
        return var

    def defined(self, name: str) -> Var | None:
        """The variable that this function gives ``name``, made ahead of its binding when a type mentions it."""
        var = self.vars.get(name)
        if var is not None or name in self._making:
            return var
        if name in self.params:
            annotation = self.params[name]
        elif name in self.bound and not self.bound[name].carried:
            annotation = self.bound[name].annotation
        else:
            return None
        self._making.add(name)
        try:
            made = self.read_type(annotation, self) if annotation is not None else INDEX_TYPE
        finally:
            self._making.discard(name)
        return self.define(name, made)

    def in_type(self, name: str) -> Var:
        """A name inside a type: parameter, declared symbol, local, other function, fresh symbol (ir.md §4.12)."""
        if name in self.params:
            found = self.defined(name)
            if found is not None:
                return found
        symbol = self.program.dynamic.get(name)
        if symbol is not None:
            return symbol
        found = self.defined(name)
        if found is not None:
            return found
        if name in self.free:
            return self.free[name]
        if name.endswith(FREE_SUFFIX):
            return self.in_body(name)
        return self.program.elsewhere(name, self)

    def in_body(self, name: str) -> Var:
        """A name in an expression: local, declared symbol, else a free variable."""
        var = self.vars.get(name)
        if var is not None:
            return var
        var = self.defined(name)
        if var is not None:
            return var
        symbol = self.program.dynamic.get(name)
        if symbol is not None:
            return symbol
        found = self.free.get(name)
        if found is None:
            hint = name.removesuffix(FREE_SUFFIX)
            base, _ = _base_of(hint, set(self.hints))
            found = self.free[name] = Var(base if base is not None else hint, UNKNOWN)
        return found
