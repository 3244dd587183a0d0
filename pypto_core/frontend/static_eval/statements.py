"""Simple statements and definitions (docs/spec/static-eval.md §4)."""

from __future__ import annotations

import ast

from pypto_core.frontend.recovery import Broken, ClassSyntax, FunctionSyntax, Statement
from pypto_core.frontend.static_eval.builtin_functions import EXIT_FUNCTIONS
from pypto_core.frontend.static_eval.classes import finish_class, new_class
from pypto_core.frontend.static_eval.control import (
    BROKE,
    CONTINUED,
    RAISED,
    Signal,
    SignalKind,
)
from pypto_core.frontend.static_eval.expressions import parameter_defaults
from pypto_core.frontend.static_eval.interpreter import STATEMENTS, Interpreter
from pypto_core.frontend.static_eval.limits import OBJECT, CannotEvaluate
from pypto_core.frontend.static_eval.operators import binary
from pypto_core.frontend.static_eval.payloads import first_unknown
from pypto_core.frontend.static_eval.pl_symbols import decorate, form_of
from pypto_core.frontend.static_eval.scopes import Binding, ModuleEnvironment, Scope, UnresolvedImport
from pypto_core.frontend.static_eval.subscripts import delete_item, store_item
from pypto_core.frontend.static_eval.values import (
    BuiltinFunction,
    ClassData,
    External,
    InstanceData,
    KernelDecorator,
    LibraryName,
    ListData,
    PlSymbol,
    ProgramClass,
    PyFunction,
    SetData,
    Unknown,
    Value,
    unknown,
)
from pypto_core.frontend.syntax import dotted

# -- assignments -------------------------------------------------------------------------------------------------------


def assign(
    it: Interpreter,
    target: ast.expr,
    value: Value,
    scope: Scope,
    statement: ast.stmt | None = None,
    expression: ast.expr | None = None,
) -> None:
    """Store a value into a target of any kind."""
    if isinstance(target, ast.Name):
        it.bind(scope, target.id, value, target, expression)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(it, target.elts, value, scope, statement)
    elif isinstance(target, ast.Attribute):
        store_attribute(it, it.evaluate(target.value, scope), target.attr, value, target)
    elif isinstance(target, ast.Subscript):
        store_item(
            it, it.evaluate(target.value, scope), it.evaluate(target.slice, scope), value.assuming(it.taint)
        )
    elif isinstance(target, ast.Starred):
        assign(it, target.value, value, scope, statement)


def _unpack(
    it: Interpreter, targets: list[ast.expr], value: Value, scope: Scope, statement: ast.stmt | None
) -> None:
    starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    try:
        items = it.iterate(value)
    except CannotEvaluate as fault:
        items, lost = [], unknown(fault.reason)
    else:
        lost = unknown("the number of values does not match the number of targets")
    extra = len(items) - len(targets)
    if (starred is None and extra != 0) or extra < -1:
        it.doubt += 1
        for target in targets:
            assign(it, target, lost, scope, statement)
        return
    for position, target in enumerate(targets):
        if starred is None or position < starred:
            assign(it, target, items[position], scope, statement)
        elif position == starred:
            assign(it, target, Value(ListData(items[starred : starred + extra + 1])), scope, statement)
        else:
            assign(it, target, items[position + extra], scope, statement)


def store_attribute(it: Interpreter, owner: Value, name: str, value: Value, node: ast.expr | None) -> None:
    """``owner.name = value`` for modules, instances and classes."""
    data = owner.data
    value = value.assuming(it.taint)
    if isinstance(data, ModuleEnvironment):
        site = it.site(node) if node is not None else None
        if data.binding(name) is None:
            it.budget.hold(OBJECT)
        data.stored_from_outside.add(name)
        it.journals.set(data.scope, name, Binding(value, site, it.reads_so_far()))
    elif isinstance(data, (InstanceData, ClassData)):
        if name not in (data.attributes if isinstance(data, InstanceData) else data.namespace):
            it.budget.hold(OBJECT)
        if isinstance(data, InstanceData) and node is not None:
            site = it.site(node)
            if site is not None:
                data.sites[name] = site
        it.journals.set(data, name, value)


def _assign(it: Interpreter, node: ast.Assign, scope: Scope) -> Signal | None:
    value = it.evaluate(node.value, scope)
    for target in node.targets:
        assign(it, target, value, scope, node, node.value)
    return None


def _annotated(it: Interpreter, node: ast.AnnAssign, scope: Scope) -> Signal | None:
    if scope.cls is not None and isinstance(node.target, ast.Name) and it.source is not None:
        site = it.site(node)
        if site is not None:
            scope.cls.annotated[node.target.id] = site
    if node.value is not None:
        assign(it, node.target, it.evaluate(node.value, scope), scope, node, node.value)
    return None


def _augmented(it: Interpreter, node: ast.AugAssign, scope: Scope) -> Signal | None:
    target = node.target
    old = it.evaluate(target, scope)  # reading does not ask whether a name is written to be stored
    right = it.evaluate(node.value, scope)
    if isinstance(old.data, ListData) and old.data.lost is None and isinstance(node.op, ast.Add):
        _extend_in_place(it, old.data, right)
        return None
    if isinstance(old.data, SetData) and isinstance(right.data, SetData) and not old.data.frozen:
        result = binary(it, type(node.op), old, right)
        it.change(old.data)
        old.data.items = result.data.items if isinstance(result.data, SetData) else {}
        return None
    try:
        value = binary(it, type(node.op), old, right)
    except CannotEvaluate as fault:
        it.doubt += 1
        value = it.nothing(fault.reason, node.value)
    assign(it, target, value, scope, node, node.value)
    return None


def _extend_in_place(it: Interpreter, data: ListData, right: Value) -> None:
    it.change(data)
    try:
        data.items.extend(it.iterate(right))
    except CannotEvaluate as fault:
        it.journals.lose(data, None, Unknown(fault.reason))
    it.budget.size(len(data.items))


def _delete(it: Interpreter, node: ast.Delete, scope: Scope) -> Signal | None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            owner = scope.owner(target.id)
            it.journals.set(owner, target.id, None)
        elif isinstance(target, ast.Attribute):
            owner_value = it.evaluate(target.value, scope)
            if isinstance(owner_value.data, ModuleEnvironment):
                it.journals.set(owner_value.data.scope, target.attr, None)
            elif isinstance(owner_value.data, (InstanceData, ClassData)):
                it.journals.set(owner_value.data, target.attr, None)
        elif isinstance(target, ast.Subscript):
            delete_item(it, it.evaluate(target.value, scope), it.evaluate(target.slice, scope))
    return None


# -- definitions -------------------------------------------------------------------------------------------------------


#: A definition costs about as much as so many other steps.
_DEFINITION_STEPS = 50


def define_function(
    it: Interpreter,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    scope: Scope,
    syntax: FunctionSyntax | None = None,
) -> None:
    """Bind a function, a kernel, or what decorators make of it."""
    it.budget.spend(_DEFINITION_STEPS)
    it.capture(scope)
    source = it.source
    assert source is not None
    if syntax is None:
        syntax = FunctionSyntax(_without_body(node), source, [Statement(s, source) for s in node.body])
    defaults = parameter_defaults(it, node.args, scope)
    value = Value(PyFunction(node.name, node, scope, source, tuple(syntax.body), defaults))
    for decorator_node in reversed(node.decorator_list):
        decorator = it.evaluate(decorator_node, scope)
        value = _decorated(it, decorator, decorator_node, value, scope, syntax)
    it.bind(scope, node.name, value, node)


def _without_body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The same definition with an empty body."""
    header = type(node)(node.name, node.args, [], node.decorator_list, node.returns)
    return ast.copy_location(header, node)


def _decorated(
    it: Interpreter,
    decorator: Value,
    node: ast.expr,
    value: Value,
    scope: Scope,
    syntax: FunctionSyntax | None,
) -> Value:
    kernel = decorate(it, decorator, node, value, scope, syntax)
    if kernel is not None:
        return kernel.assuming(decorator.assumed | it.taint)
    if isinstance(decorator.data, LibraryName):
        return value
    blocked = first_unknown(decorator)
    if blocked is not None or isinstance(decorator.data, External):
        it.doubt += 1
        scope.module.note_gap("a decorator is not known")
        return blocked if blocked is not None else unknown(f"decorated by {decorator.data.name}")
    try:
        return it.call(decorator, [value], {})
    except CannotEvaluate as fault:
        it.doubt += 1
        return it.nothing(fault.reason, node)


def _function(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Signal | None:
    define_function(it, node, scope)
    return None


def _class(it: Interpreter, node: ast.ClassDef, scope: Scope) -> Signal | None:
    source = it.source
    assert source is not None
    members: list[FunctionSyntax | Statement] = [Statement(s, source) for s in node.body]
    define_class(it, node, scope, members, None)
    return None


def define_class(
    it: Interpreter,
    node: ast.ClassDef,
    scope: Scope,
    members: list[FunctionSyntax | Statement],
    syntax: ClassSyntax | None,
) -> None:
    """Bind a class, or the program that ``@pl.program`` makes of it."""
    it.budget.spend(_DEFINITION_STEPS)
    it.capture(scope)
    it.budget.hold(2 * OBJECT)
    source = it.source
    assert source is not None
    decorators = [(it.evaluate(d, scope), d) for d in node.decorator_list]
    for decorator, decorator_node in decorators:
        if _form(decorator) == "program":
            whole = syntax or _class_syntax(node, members, source)
            keywords = dict(decorator.data.keywords) if isinstance(decorator.data, KernelDecorator) else {}
            program = ProgramClass(node.name, whole, decorator_node, keywords, scope, it.clock.observe())
            it.kernels.append(program)
            it.bind(scope, node.name, Value(program), node)
            return
    data, inner = new_class(it, node, scope)
    for member in members:
        it.source = member.source
        if isinstance(member, FunctionSyntax):
            define_function(it, member.node, inner, member)
        else:
            it.execute([member.node], inner)
    it.source = source
    finish_class(it, data, inner)
    value = Value(data)
    for decorator, decorator_node in reversed(decorators):
        value = _decorated(it, decorator, decorator_node, value, scope, None)
    it.bind(scope, node.name, value, node)


def _form(decorator: Value) -> str | None:
    data = decorator.data
    if isinstance(data, KernelDecorator):
        return data.form
    return form_of(data) if isinstance(data, PlSymbol) else None


def _class_syntax(
    node: ast.ClassDef, members: list[FunctionSyntax | Statement], source: object
) -> ClassSyntax:
    from pypto_core.frontend.syntax import SourceMap

    assert isinstance(source, SourceMap)
    functions: list[FunctionSyntax] = []
    others: list[Statement] = []
    for member in members:
        if isinstance(member, FunctionSyntax):
            functions.append(member)
        elif isinstance(member.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = [Statement(s, member.source) for s in member.node.body]
            functions.append(FunctionSyntax(_without_body(member.node), member.source, body))
        else:
            others.append(member)
    return ClassSyntax(node, source, functions, others)


# -- imports -----------------------------------------------------------------------------------------------------------


def _import(it: Interpreter, node: ast.Import, scope: Scope) -> Signal | None:
    for alias in node.names:
        module = it.graph.import_module(it, alias.name, 0, scope.module)
        first = alias.name.split(".")[0]
        name = alias.asname or first
        if isinstance(module.data, External):
            _unresolved(it, alias, alias.name, (name,), scope)
        if alias.asname is None and "." in alias.name:
            module = it.graph.import_module(it, first, 0, scope.module)
        it.bind(scope, name, module, alias)
    return None


def _unresolved(it: Interpreter, node: ast.alias, module: str, names: tuple[str, ...], scope: Scope) -> None:
    site = it.site(node)
    if it.graph.certainly_importable(module):
        return
    it.doubt += 1
    if site is not None:
        scope.module.unresolved.append(UnresolvedImport(site, module, names))


def _import_from(it: Interpreter, node: ast.ImportFrom, scope: Scope) -> Signal | None:
    from pypto_core.frontend.static_eval.attributes import attribute

    text = "." * node.level + (node.module or "")
    if text == "__future__":
        return None
    module = it.graph.import_module(it, node.module or "", node.level, scope.module)
    before = set(it.reads)
    for alias in node.names:
        it.reads = set(before)
        if alias.name == "*":
            _import_star(it, module, alias, text, scope)
            continue
        name = alias.asname or alias.name
        if isinstance(module.data, External):
            value = _from_namespace(it, node, alias, scope)
            if isinstance(value.data, External):
                _unresolved(it, alias, text, (name,), scope)
        else:
            try:
                value = attribute(it, module, alias.name)
            except CannotEvaluate as fault:
                it.doubt += 1
                value = unknown(fault.reason, f"{text}.{alias.name}")
        it.bind(scope, name, value, alias)
        if isinstance(module.data, ModuleEnvironment):
            source = module.data.binding(alias.name)
            own = scope.module.binding(name) if scope.kind == "module" else None
            if source is not None and own is not None and source.uncertain:
                scope.module.bind(name, own.as_uncertain())
    return None


def _from_namespace(it: Interpreter, node: ast.ImportFrom, alias: ast.alias, scope: Scope) -> Value:
    """``from package import module`` where the package itself is not found; External when the module is not either."""
    dotted_name = f"{node.module}.{alias.name}" if node.module else alias.name
    return it.graph.import_module(it, dotted_name, node.level, scope.module)


def _import_star(it: Interpreter, module: Value, alias: ast.alias, text: str, scope: Scope) -> None:
    data = module.data
    if not isinstance(data, ModuleEnvironment):
        if not isinstance(data, (PlSymbol, LibraryName)):
            _unresolved(it, alias, text, ("*",), scope)
        scope.module.note_gap(f"from {text} import * is not resolved")
        return
    names = _exported(it, data)
    if not data.ask_complete(it.watch):
        for gap in data.gaps or ("a statement does not parse",):
            scope.module.note_gap(gap)
    before = set(it.reads)
    for name in names:
        value = data.value(name)
        it.reads = {*before, (data.name, name)}
        it.bind(scope, name, value if value is not None else unknown(f"{text} has no {name}"), alias)


def _exported(it: Interpreter, module: ModuleEnvironment) -> list[str]:
    listed = module.value("__all__")
    if listed is not None:
        try:
            return [v.data for v in it.iterate(listed) if isinstance(v.data, str)]
        except CannotEvaluate:
            module.note_gap("__all__ is not known")
    return [name for name in module.names if not name.startswith("_")]


# -- small statements --------------------------------------------------------------------------------------------------


def _expression(it: Interpreter, node: ast.Expr, scope: Scope) -> Signal | None:
    value = node.value
    if isinstance(value, ast.Constant):
        return None
    if isinstance(value, ast.Call) and dotted(value.func) is not None:
        callee = it.evaluate(value.func, scope)
        if isinstance(callee.data, BuiltinFunction) and callee.data.name in EXIT_FUNCTIONS:
            return RAISED
    it.evaluate(value, scope)
    return None


def _return(it: Interpreter, node: ast.Return, scope: Scope) -> Signal | None:
    value = it.evaluate(node.value, scope) if node.value is not None else Value(None)
    return Signal(SignalKind.RETURN, value)


def _raise(it: Interpreter, node: ast.Raise, scope: Scope) -> Signal | None:
    """A raise at module level is the user's run-time business: evaluation goes on (§4)."""
    return RAISED


def _break(it: Interpreter, node: ast.Break, scope: Scope) -> Signal | None:
    return BROKE


def _continue(it: Interpreter, node: ast.Continue, scope: Scope) -> Signal | None:
    return CONTINUED


def _global(it: Interpreter, node: ast.Global, scope: Scope) -> Signal | None:
    scope.globals.update(node.names)
    return None


def _nonlocal(it: Interpreter, node: ast.Nonlocal, scope: Scope) -> Signal | None:
    scope.nonlocals.update(node.names)
    return None


def _nothing(it: Interpreter, node: ast.stmt, scope: Scope) -> Signal | None:
    return None


def _broken(it: Interpreter, node: Broken, scope: Scope) -> Signal | None:
    """A statement that does not parse: what it seems to bind is unknown, and it may bind more."""
    from pypto_core.frontend.static_eval.control import stored_names

    # All of its text is looked through for names, every time.
    rows = (node.body[-1].end_lineno or 0) - node.body[0].lineno if node.body else 0
    it.budget.spend(_DEFINITION_STEPS + 16 * max(rows, 0))
    for name in (*node.names, *stored_names(node.body)):
        it.bind(scope, name, unknown("the statement does not parse"))
    scope.module.note_gap("a statement does not parse")
    it.doubt += 1
    return None


STATEMENTS.update(
    {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
        ast.Expr: _expression,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Pass: _nothing,
        ast.Assert: _nothing,
        Broken: _broken,
    }
)
