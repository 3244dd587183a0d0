"""Task submission: ``pl.submit``, ``pl.spmd_submit``, dependency lists and predicates (docs/spec/language.md §4.9)."""

from __future__ import annotations

import ast
from typing import Any

from pypto_core.frontend.closure import sequence
from pypto_core.frontend.context import TASK_ID_TYPE, Callee, FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import expr, type_words
from pypto_core.frontend.folding import check_defined, outer_only
from pypto_core.frontend.kernel_calls import (
    check_arity,
    find_callee,
    read_arguments,
    read_call_attrs,
    result_type,
    stored_attrs,
)
from pypto_core.frontend.static_eval.values import Value
from pypto_core.frontend.subscripts import operator
from pypto_core.frontend.syntax import dotted, int_literal
from pypto_core.ir import (
    UNKNOWN,
    ArrayType,
    AssignStmt,
    BinaryExpr,
    Call,
    ConstInt,
    DataType,
    Expr,
    GlobalVar,
    ParamDirection,
    ScalarType,
    Submit,
    TensorType,
    TupleGetItem,
    TupleType,
    Type,
    Var,
    walk_exprs,
)

_KEYWORDS = ("deps", "dumps", "allow_early_resolve", "predicate", "attrs")
_SPMD_KEYWORDS = (*_KEYWORDS, "core_num", "sync_start")


def submit_name(node: ast.expr) -> str | None:
    """``submit`` or ``spmd_submit`` when ``node`` is a call of it."""
    if not isinstance(node, ast.Call):
        return None
    path = dotted(node.func)
    if path is not None and len(path) == 2 and path[0] == "pl" and path[1] in ("submit", "spmd_submit"):
        return path[1]
    return None


def assign_submit(ctx: FunctionContext, stmt: ast.Assign, target: ast.expr, node: ast.Call) -> None:
    """``out, tid = pl.submit(...)`` or ``r = pl.submit(...)``."""
    from pypto_core.frontend.assignments import bind, fresh

    results, task = _targets(ctx, target)
    submit, callee = read_submit(ctx, node)
    span = ctx.span(node)
    if task is None:
        assert isinstance(target, ast.Name)
        bind(ctx, target, submit, stmt)
        return
    assert isinstance(submit.type, TupleType)
    many = len(submit.type.types) - 1
    if len(results) != many:
        ctx.fail(
            "submit-arity",
            f"'{callee.name}' gives {many} result{'s' if many != 1 else ''}, but {len(results)} "
            f"name{'s take' if len(results) != 1 else ' takes'} them{_why_none(callee, many)}",
            target,
        )
    temporary = fresh(ctx, "_submit_tmp", submit.type, span)
    ctx.emit(AssignStmt(temporary, submit, span=span))
    bound: list[Var] = []
    for i, name in enumerate((*results, task)):
        bind(ctx, name, TupleGetItem(temporary, i, span=span), stmt)
        found = ctx.names.lookup(name.id)
        if isinstance(found, Var):
            bound.append(found)
    if bound:
        for var in bound[:-1]:
            ctx.producers[var] = bound[-1]


def _why_none(callee: Callee, many: int) -> str:
    if many:
        return ""
    if not callee.parsed:
        return f": its results are not known here, so '{callee.name}' stands above its caller"
    return "" if callee.declared else ": it declares none, write '-> T' behind its parameters"


def _targets(ctx: FunctionContext, target: ast.expr) -> tuple[list[ast.Name], ast.Name | None]:
    if isinstance(target, ast.Name):
        return [], None
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        ctx.fail("submit-form", "a submit is assigned to two targets: result, task = pl.submit(...)", target)
    result, task = target.elts
    if not isinstance(task, ast.Name):
        ctx.fail("submit-form", "the second target of a submit is the name of the task id", task)
    if isinstance(result, ast.Name):
        return [result], task
    if isinstance(result, ast.Tuple | ast.List) and all(isinstance(e, ast.Name) for e in result.elts):
        return [e for e in result.elts if isinstance(e, ast.Name)], task
    raise ctx.fault("submit-form", "the results of a submit are a name or a flat tuple of names", result)


def read_submit(ctx: FunctionContext, node: ast.Call) -> tuple[Submit, Callee]:
    """The Submit node; its type is the callee's results and the task id."""
    path = dotted(node.func)
    assert path is not None
    spmd = path[-1] == "spmd_submit"
    callee = _callee(ctx, node, path[-1])
    arguments = read_arguments(ctx, node.args[1:])
    optional = sum(d is ParamDirection.Out for d in callee.directions)
    check_arity(ctx, callee, arguments.values, node, optional)
    given = _keywords(ctx, node, spmd)
    attrs: dict[str, Any] = {}
    if "dumps" in given:
        attrs["dump_vars"] = _dumps(ctx, given["dumps"], arguments.values)
    if "attrs" in given:
        attrs.update(read_call_attrs(ctx, given["attrs"], len(arguments.values), arguments))
    attrs = stored_attrs(ctx, arguments, attrs)
    deps = read_deps(ctx, given["deps"]) if "deps" in given else ()
    core_num = _core_num(ctx, node, given) if spmd else None
    predicate = read_predicate(ctx, given["predicate"], deps) if "predicate" in given else None
    if arguments.poisoned or any(is_poison(d) for d in deps):
        raise Silent
    submit = Submit(
        GlobalVar(callee.name),
        tuple(arguments.values),
        deps,
        attrs=attrs,
        # Unlike a plain call, a submit has the results that its kernel declares (§1.3).
        type=_submit_type(result_type(callee, arguments.values) if callee.declared else UNKNOWN),
        core_num=core_num,
        sync_start=literal_flag(ctx, given.get("sync_start"), "sync_start", "spmd-form"),
        allow_early_resolve=literal_flag(
            ctx, given.get("allow_early_resolve"), "allow_early_resolve", "early-resolve-literal"
        ),
        predicate=predicate,
        span=ctx.span(node),
    )
    return submit, callee


def _submit_type(result: Type) -> TupleType:
    many = result.types if isinstance(result, TupleType) else () if result is UNKNOWN else (result,)
    return TupleType((*many, TASK_ID_TYPE))


def _callee(ctx: FunctionContext, node: ast.Call, name: str) -> Callee:
    first = node.args[0] if node.args else None
    path = dotted(first) if first is not None else None
    if first is None or path is None or path[0] != "self" or len(path) != 2:
        at = first if first is not None else node
        ctx.fail("submit-form", f"the first argument of pl.{name} is the kernel: self.<name>", at)
    return find_callee(ctx, path[1], first)


def _keywords(ctx: FunctionContext, node: ast.Call, spmd: bool) -> dict[str, ast.expr]:
    allowed = _SPMD_KEYWORDS if spmd else _KEYWORDS
    given: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in allowed:
            hint = (
                ": use pl.spmd_submit"
                if keyword.arg in _SPMD_KEYWORDS
                else f"; it takes {', '.join(allowed)}"
            )
            ctx.error(
                "kernel-keyword",
                f"a submit takes no keyword '{keyword.arg or '**'}'{hint}",
                keyword,
                name=keyword.arg,
            )
            continue
        given[keyword.arg] = keyword.value
    if ctx.inside("cluster") is not None:
        forbidden = [
            k for k in ("deps", "core_num", "sync_start", "allow_early_resolve", "predicate") if k in given
        ]
        if forbidden:
            ctx.fail(
                "spmd-cluster-metadata",
                f"inside pl.cluster() a submit takes no {', '.join(forbidden)}: the cluster is one task",
                node,
            )
    return given


def _core_num(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr]) -> Expr:
    if "core_num" not in given:
        ctx.fail("spmd-submit-core-num", "pl.spmd_submit needs core_num=", node)
    from pypto_core.frontend.spmd import core_number

    return core_number(ctx, given["core_num"])


def literal_flag(ctx: FunctionContext, node: ast.expr | None, name: str, code: str) -> bool:
    """A keyword that must be written ``True`` or ``False``."""
    if node is None:
        return False
    if not (isinstance(node, ast.Constant) and isinstance(node.value, bool)):
        ctx.fail(code, f"{name} is written True or False, not '{ctx.text(node)}'", node)
    return node.value


def _dumps(ctx: FunctionContext, node: ast.expr, args: list[Expr]) -> tuple[Expr, ...]:
    if not isinstance(node, ast.List | ast.Tuple):
        ctx.fail("dumps-form", "dumps is a list of tensor names", node)
    chosen: list[Expr] = []
    for element in node.elts:
        value = expr(ctx, element)
        if is_poison(value):
            continue
        if not isinstance(value.type, TensorType):
            ctx.fail("dumps-form", f"'{ctx.text(element)}' is no tensor", element)
        if not any(value is a for a in args):
            ctx.fail("dumps-form", f"'{ctx.text(element)}' is not an argument of this submit", element)
        chosen.append(value)
    return tuple(a for a in args if any(a is c for c in chosen))


# --- dependencies -------------------------------------------------------------------------------------------------------


def read_deps(ctx: FunctionContext, node: ast.expr) -> tuple[Expr, ...]:
    """Task ids of ``deps=[...]``; ``arr[i]`` entries go through a fresh array, as the compiler does it."""
    entries = _entries(ctx, node)
    values: list[tuple[ast.expr, Expr]] = []
    elements = False
    whole = False
    for entry, binding in entries:
        if isinstance(entry, ast.Constant) and entry.value is None:
            continue
        value = _entry(ctx, entry, binding)
        if is_poison(value):
            continue
        elements = elements or isinstance(value, Call)
        whole = whole or isinstance(value.type, ArrayType)
        values.append((entry, value))
    if elements and whole:
        ctx.fail("deps-form", "deps mixes whole arrays of task ids with single elements", node)
    if elements:
        return (_buffer(ctx, node, [value for _, value in values]),)
    return tuple(value for _, value in values)


def _entries(ctx: FunctionContext, node: ast.expr) -> list[tuple[ast.expr, dict[str, int]]]:
    if isinstance(node, ast.List | ast.Tuple):
        return [(element, {}) for element in node.elts]
    if isinstance(node, ast.ListComp):
        return _comprehension(ctx, node)
    raise ctx.fault("deps-form", "deps is a list of task ids", node)


def _entry(ctx: FunctionContext, node: ast.expr, binding: dict[str, int]) -> Expr:
    """One dependency: the name of a task id or of an array of them, or an element of such an array."""
    if isinstance(node, ast.Subscript):
        base = expr(ctx, node.value)
        if is_poison(base):
            return base
        if not (isinstance(base.type, ArrayType) and base.type.dtype is DataType.TASK_ID):
            ctx.fail("deps-form", f"'{ctx.text(node.value)}' is no array of task ids", node)
        index = _bound_index(ctx, node.slice, binding)
        return operator(ctx, "array.get_element", [base, index], ctx.span(node))
    value = expr(ctx, node)
    kind = value.type
    ok = isinstance(kind, ScalarType | ArrayType) and kind.dtype is DataType.TASK_ID
    if not is_poison(value) and kind is not UNKNOWN and not (ok and isinstance(node, ast.Name)):
        ctx.fail(
            "deps-form",
            f"'{ctx.text(node)}' is no task id: deps lists names of task ids, arr[i] and None",
            node,
        )
    return value


def _bound_index(ctx: FunctionContext, node: ast.expr, binding: dict[str, int]) -> Expr:
    """An index with the comprehension's variable replaced by its value."""
    if not binding:
        return expr(ctx, node)
    with ctx.names.block(leak=False):
        for name, value in binding.items():
            ctx.names.bind(name, ConstInt(value, span=ctx.span(node)))
        return expr(ctx, node)


def _comprehension(ctx: FunctionContext, node: ast.ListComp) -> list[tuple[ast.expr, dict[str, int]]]:
    if len(node.generators) != 1:
        ctx.fail("deps-comprehension", "a deps comprehension has one 'for'", node)
    generator = node.generators[0]
    if generator.is_async or not isinstance(generator.target, ast.Name):
        ctx.fail("deps-comprehension", "a deps comprehension runs over one name", generator.target)
    if not outer_only(ctx, generator.iter):
        ctx.fail(
            "deps-comprehension", f"'{ctx.text(generator.iter)}' is not known while compiling", generator.iter
        )
    path = dotted(generator.iter.func) if isinstance(generator.iter, ast.Call) else None
    if path is not None and path[0] in ("pl", "pld"):
        ctx.fail(
            "deps-comprehension",
            "a deps comprehension runs over a Python range, not a pl loop",
            generator.iter,
        )
    items = sequence(ctx.closure.evaluate(generator.iter))
    if items is None:
        if ctx.closure.evaluate(generator.iter).is_unknown:
            check_defined(ctx, generator.iter)
            raise Silent
        ctx.fail("deps-comprehension", f"'{ctx.text(generator.iter)}' is no sequence", generator.iter)
    result: list[tuple[ast.expr, dict[str, int]]] = []
    name = generator.target.id
    for item in items:
        if item.is_unknown:
            raise Silent
        if type(item.data) is not int:
            ctx.fail("deps-comprehension", "a deps comprehension runs over integers", generator.iter)
        if all(_holds(ctx, test, name, item) for test in generator.ifs):
            result.append((node.elt, {name: item.data}))
    return result


def _holds(ctx: FunctionContext, test: ast.expr, name: str, item: Value) -> bool:
    from pypto_core.frontend.closure import bound_closure

    if any(isinstance(n, ast.Name) and n.id in ctx.names and n.id != name for n in ast.walk(test)):
        ctx.fail("deps-comprehension", f"'{ctx.text(test)}' is not known while compiling", test)
    value = bound_closure(ctx.closure, {name: item}).evaluate(test)
    if value.is_unknown:
        with ctx.names.block(leak=False):
            ctx.names.bind(name, ctx.poison(test, name))
            check_defined(ctx, test)
        raise Silent
    return bool(value.data)


def _buffer(ctx: FunctionContext, node: ast.expr, values: list[Expr]) -> Var:
    """``_submit_deps_buf``: an array filled element by element."""
    from pypto_core.frontend.assignments import fresh

    span = ctx.span(node)
    size = ConstInt(len(values), span=span)
    create = operator(ctx, "array.create", [size], span, {"dtype": DataType.TASK_ID})
    buffer = fresh(ctx, "_submit_deps_buf", create.type, span)
    ctx.emit(AssignStmt(buffer, create, span=span))
    for i, value in enumerate(values):
        update = operator(ctx, "array.update_element", [buffer, ConstInt(i, span=span), value], span)
        ctx.emit(AssignStmt(buffer, update, span=span))
    return buffer


# --- predicates ---------------------------------------------------------------------------------------------------------

_SIGNED = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64)


def read_predicate(ctx: FunctionContext, node: ast.expr, deps: tuple[Expr, ...]) -> Expr:
    """``tensor[i, ...] <op> literal``."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        ctx.fail("predicate-form", "a predicate is one comparison of a tensor element with an integer", node)
    left, right = node.left, node.comparators[0]
    if int_literal(left) is None and int_literal(right) is None and not _is_const_number(ctx, left, right):
        ctx.fail("predicate-form", "a predicate compares a tensor element with an integer literal", node)
    element = left if int_literal(left) is None else right
    _check_element(ctx, element)
    test = expr(ctx, node)
    if is_poison(test):
        raise Silent
    assert isinstance(test, BinaryExpr)
    read = next((e for e in walk_exprs(test) if isinstance(e, Call)), None)
    if read is None or read.op.name != "tensor.read":
        ctx.fail("predicate-form", f"'{ctx.text(element)}' is no tensor element", element)
    tensor = read.args[0]
    _check_signed(ctx, tensor, element)
    producer = ctx.producers.get(tensor) if isinstance(tensor, Var) else None
    if producer is not None and not any(d is producer for d in deps):
        ctx.fail(
            "predicate-producer-deps",
            f"the predicate reads what task '{producer.name_hint}' writes: add it to deps",
            node,
            name=producer.name_hint,
        )
    return test


def _check_element(ctx: FunctionContext, element: ast.expr) -> None:
    """What ``tensor[i]`` reads, asked before the comparison, which has rules of its own."""
    if isinstance(element, ast.Subscript):
        tensor = expr(ctx, element.value)
        if not is_poison(tensor) and tensor.type is not UNKNOWN:
            _check_signed(ctx, tensor, element)
            _check_indices(ctx, tensor.type, element)


def _check_indices(ctx: FunctionContext, kind: Type, element: ast.Subscript) -> None:
    parts = element.slice.elts if isinstance(element.slice, ast.Tuple) else [element.slice]
    rank = len(kind.shape) if isinstance(kind, TensorType) else len(parts)
    if len(parts) != rank:
        ctx.fail(
            "predicate-operand",
            f"a predicate reads one element of a tensor of rank {rank}, but '{ctx.text(element)}' has "
            f"{len(parts)} ind{'ices' if len(parts) != 1 else 'ex'}",
            element,
        )
    for part in parts:
        number = int_literal(part)
        index = expr(ctx, part) if number is None and not isinstance(part, ast.Slice) else None
        if index is not None and (is_poison(index) or index.type is UNKNOWN):
            continue
        whole = index is not None and isinstance(index.type, ScalarType) and index.type.dtype.is_int
        if number is None and not whole:
            ctx.fail(
                "predicate-operand", f"an index of a predicate is an integer, not '{ctx.text(part)}'", part
            )
        if number is not None and number < 0:
            ctx.fail("predicate-operand", f"an index of a predicate is not negative, but got {number}", part)


def _check_signed(ctx: FunctionContext, tensor: Expr, element: ast.expr) -> None:
    kind = tensor.type
    if not isinstance(kind, TensorType) or kind.dtype not in _SIGNED:
        ctx.fail(
            "predicate-operand",
            f"a predicate reads a tensor of signed integers, not {type_words(kind)}",
            element,
        )


def _is_const_number(ctx: FunctionContext, left: ast.expr, right: ast.expr) -> bool:
    return any(outer_only(ctx, n) and type(ctx.closure.evaluate(n).data) is int for n in (left, right))
