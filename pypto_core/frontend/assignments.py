"""Assignments: binding and rebinding names, annotations, unpacking (docs/spec/language.md §3.2, §4.2)."""

from __future__ import annotations

import ast

from pypto_core.diagnostics import Related
from pypto_core.frontend.annotations import Annotation, read_annotation
from pypto_core.frontend.calls import prefix
from pypto_core.frontend.context import Fault, FunctionContext, Silent, is_poison
from pypto_core.frontend.expressions import scalar_expr, type_words
from pypto_core.frontend.partly_known import PartlyKnown
from pypto_core.frontend.submits import assign_submit, submit_name
from pypto_core.frontend.syntax import dotted, literal_keywords
from pypto_core.frontend.type_check import check_annotation, same_type
from pypto_core.frontend.wording import type_texts
from pypto_core.frontend.yields import assign_yield, is_yield
from pypto_core.ir import (
    UNKNOWN,
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    FunctionType,
    IterArg,
    MakeTuple,
    ScalarType,
    Span,
    TensorType,
    TupleGetItem,
    TupleType,
    Type,
    Var,
)


def fresh(ctx: FunctionContext, hint: str, type_: Type, span: Span) -> Var:
    """A variable that no name of the author's refers to."""
    return Var(hint, type_, span=span)


def assign(ctx: FunctionContext, node: ast.Assign) -> None:
    """``target = value``."""
    if len(node.targets) != 1:
        ctx.fail("assign-unsupported", "one assignment binds one target: split 'a = b = value'", node)
    target = node.targets[0]
    if is_yield(node.value):
        assign_yield(ctx, node, target, None)
        return
    if submit_name(node.value) is not None:
        assert isinstance(node.value, ast.Call)
        assign_submit(ctx, node, target, node.value)
        return
    if isinstance(target, ast.Name):
        _assign_name(ctx, node, target)
    elif isinstance(target, ast.Tuple):
        _unpack(ctx, node, target)
    elif isinstance(target, ast.Subscript):
        from pypto_core.frontend.subscript_writes import subscript_write

        subscript_write(ctx, node, target)
    else:
        kind = {ast.List: "a list", ast.Starred: "a starred name", ast.Attribute: "an attribute"}.get(
            type(target), "this"
        )
        ctx.fail(
            "assign-unsupported",
            f"{kind} cannot be assigned to; targets are names, tuples of names and subscripts",
            target,
        )


def _assign_name(ctx: FunctionContext, node: ast.Assign, target: ast.Name) -> None:
    ctx.target_name, ctx.target_value = target.id, node.value
    try:
        recall = ctx.program.recall
        value = (
            recall.value(ctx, node.value, scalar_expr) if recall is not None else scalar_expr(ctx, node.value)
        )
    finally:
        ctx.target_name = None
    _note_reserved(ctx, node.value, target.id)
    alias = dimension_alias(ctx, node.value, value)
    if alias is not None:
        ctx.names.bind(target.id, alias)
        return
    bind(ctx, target, value, node)


def _note_reserved(ctx: FunctionContext, node: ast.expr, name: str) -> None:
    """Remember the literal keywords of ``reserve_buffer`` for ``name.base``."""
    if not isinstance(node, ast.Call):
        return
    path = dotted(node.func)
    if (
        path is None
        or path[-1] not in ("reserve_buffer", "import_peer_buffer")
        or prefix(ctx, path, node.func) is None
    ):
        return
    keywords = literal_keywords(node)
    if path[-1] == "import_peer_buffer":
        peer = f"#{keywords.get('peer_func')}/{keywords.get('name')}"
        keywords = dict(ctx.program.reserved.get(peer, {}))
    ctx.program.traces += 1
    ctx.program.reserved[f"{ctx.name}/{name}"] = keywords


def dimension_alias(ctx: FunctionContext, node: ast.expr | None, value: Expr) -> Expr | None:
    """``x = pl.tensor.dim(t, i)`` of a bare dynamic extent in an Orchestration function names the symbol.

    Only this spelling with a bare name does (docs/spec/dsl_ops.yaml, ``pl.dim`` and ``pl.tensor.dim``), and only a symbol of the
    signature is named. ``node`` is what the author wrote; no call where the compiler writes the call itself.
    """
    if (
        ctx.func_type is not FunctionType.Orchestration
        or (isinstance(node, ast.Call) and not _asks_name(node))
        or not isinstance(value, Call)
        or value.op.name != "tensor.dim"
    ):
        return None
    tensor, axis = value.args[0], value.args[1]
    if not isinstance(tensor.type, TensorType) or not isinstance(axis, ConstInt):
        return None
    rank = len(tensor.type.shape)
    if not -rank <= axis.value < rank:
        return None
    dim = tensor.type.shape[axis.value]
    return dim if type(dim) is Var and _in_signature(ctx, dim) else None


def _asks_name(node: ast.Call) -> bool:
    """``pl.tensor.dim(NAME, ...)``."""
    path = dotted(node.func)
    return (
        path is not None
        and path[-2:] == ("tensor", "dim")
        and bool(node.args)
        and isinstance(node.args[0], ast.Name)
    )


def _in_signature(ctx: FunctionContext, dim: Var) -> bool:
    kinds = (param.type for param in ctx.params.values())
    return any(isinstance(kind, TensorType) and any(d is dim for d in kind.shape) for kind in kinds)


def bind(ctx: FunctionContext, target: ast.Name, value: Expr, node: ast.stmt) -> None:
    """``name = value`` for a value that is read already; a name that is bound keeps its variable."""
    if is_poison(value):
        _poison_name(ctx, target, value)
        return
    known = ctx.names.lookup(target.id)
    span = ctx.span(node)
    _check_redefinition(ctx, target, known)
    renamed = None
    written = _rebound(ctx, known)
    if written is not None:
        renamed = ctx.dialect.rebinding(ctx, target.id)
        if renamed is None:
            if not same_type(written.type, value.type):
                _reject_type(ctx, target, written, value.type)
            ctx.emit(AssignStmt(written, value, span=span))
            return
    var = Var(renamed or target.id, value.type, span=ctx.span(target))
    ctx.names.bear(target.id, var)
    ctx.emit(AssignStmt(var, value, span=span))


def _rebound(ctx: FunctionContext, known: Expr | None) -> Var | None:
    """The variable that an assignment writes again; None makes a new one (under strict_ssa an inner scope shadows)."""
    if (
        isinstance(known, Var)
        and not ctx.strict
        and not isinstance(known, IterArg)
        and not is_poison(known)
        and not _is_symbol(ctx, known)
    ):
        return known
    return None


def _is_symbol(ctx: FunctionContext, var: Var) -> bool:
    """An alias of a dynamic symbol is no variable of the function."""
    return ctx.program.symbols.get(var.name_hint) is var


def _poison_name(ctx: FunctionContext, target: ast.Name, value: Expr | None = None) -> None:
    """The value is faulty or unknown: an existing variable keeps its type, a new name is of unknown type."""
    ctx.mark_incomplete()
    known = ctx.names.lookup(target.id)
    if value is not None and isinstance(value.type, PartlyKnown) and (known is None or is_poison(known)):
        ctx.names.bind(target.id, Var(target.id, value.type, span=ctx.span(target)))
    elif known is None or isinstance(known, IterArg):
        ctx.names.bind(target.id, ctx.poison(target, target.id))


def _check_redefinition(ctx: FunctionContext, target: ast.Name, known: Expr | None) -> None:
    if ctx.strict and known is not None and ctx.names.in_this_scope(target.id):
        ctx.fail(
            "ssa-redefinition",
            f"'{target.id}' is already defined in this scope (strict_ssa=True)",
            target,
            related=(Related("first definition", known.span),) if known.span.is_valid else (),
            name=target.id,
        )


def _reject_type(ctx: FunctionContext, target: ast.Name, known: Var, new: Type) -> None:
    old_words, new_words = type_texts(known.type, new)
    ctx.fail(
        "reassign-type",
        f"'{target.id}' is {old_words} and cannot become {new_words}: give the new value another name",
        target,
        related=(Related(f"'{target.id}' gets its type here", known.span),) if known.span.is_valid else (),
        name=target.id,
    )


def annotated(ctx: FunctionContext, node: ast.AnnAssign) -> None:
    """``name: T = value``."""
    if not isinstance(node.target, ast.Name):
        ctx.fail("assign-unsupported", "only a name can be annotated", node.target)
    if node.value is None:
        ctx.fail("assign-unsupported", f"'{ctx.text(node)}' has no value", node)
    if submit_name(node.value) is not None:
        ctx.fail(
            "submit-form", "the targets of a submit cannot be annotated: result, task = pl.submit(...)", node
        )
    annotation = _annotation(ctx, node)
    if is_yield(node.value):
        assign_yield(
            ctx,
            node,
            node.target,
            annotation.type if annotation is not None and not annotation.free else None,
        )
        return
    ctx.target_name, ctx.target_value = node.target.id, node.value
    value: Expr | None
    try:
        value = scalar_expr(ctx, node.value)
    except Fault as fault:
        ctx.report(fault)
        value = None
    except Silent:
        value = None
    finally:
        ctx.target_name = None
    _note_reserved(ctx, node.value, node.target.id)
    if value is None or is_poison(value):
        ctx.mark_incomplete()
        if annotation is not None and not annotation.free and ctx.names.lookup(node.target.id) is None:
            ctx.names.bind(node.target.id, Var(node.target.id, annotation.type, span=ctx.span(node.target)))
        else:
            _poison_name(ctx, node.target, value)
        return
    if annotation is None:
        bind(ctx, node.target, value, node)
        return
    _bind_annotated(ctx, node, node.target, annotation, value)


def _annotation(ctx: FunctionContext, node: ast.AnnAssign) -> Annotation | None:
    """The annotation; None when it is faulty (reported) or unknown."""
    try:
        return read_annotation(ctx, node.annotation)
    except Fault as fault:
        ctx.report(fault)
    except Silent:
        pass
    return None


def _bind_annotated(
    ctx: FunctionContext, node: ast.AnnAssign, target: ast.Name, annotation: Annotation, value: Expr
) -> None:
    alias = dimension_alias(ctx, node.value, value)
    if alias is not None:
        ctx.names.bind(target.id, alias)
        return
    type_ = check_annotation(ctx, node, annotation, value)
    kind = annotation.type
    unstamped = value
    if (
        isinstance(kind, ScalarType)
        and isinstance(value, ConstInt)
        and value.dtype is DataType.INDEX
        and kind.dtype.is_int
    ):
        value = value.with_(dtype=kind.dtype)
    known = ctx.names.lookup(target.id)
    _check_redefinition(ctx, target, known)
    span = ctx.span(node)
    renamed = None
    written = _rebound(ctx, known)
    if written is not None:
        renamed = ctx.dialect.rebinding(ctx, target.id)
        if renamed is None:
            if not same_type(written.type, type_):
                # The first type stays; the annotation of a later assignment is only checked.
                value = unstamped
                if not same_type(written.type, value.type):
                    _reject_type(ctx, target, written, type_)
            ctx.emit(AssignStmt(written, value, span=span))
            return
    if isinstance(value, Call) and value.type is UNKNOWN and type_ is not UNKNOWN:
        value = value.with_(type=type_)
    var = Var(renamed or target.id, type_, span=ctx.span(target))
    ctx.names.bear(target.id, var)
    ctx.emit(AssignStmt(var, value, span=span))


def _unpack(ctx: FunctionContext, node: ast.Assign, target: ast.Tuple) -> None:
    """``a, b = value``: through ``_tuple_tmp``."""
    names: list[ast.Name] = []
    for element in target.elts:
        if not isinstance(element, ast.Name):
            ctx.fail(
                "tuple-unpack-target",
                f"'{ctx.text(element)}' is no name: only names take elements of a tuple",
                element,
            )
        names.append(element)
    value = scalar_expr(ctx, node.value)
    kind = value.type
    if kind is UNKNOWN or (is_poison(value) and not isinstance(value, MakeTuple)):
        raise Silent
    if not isinstance(kind, TupleType):
        ctx.fail(
            "tuple-unpack-not-tuple",
            f"'{ctx.text(node.value)}' is {type_words(kind)}, not a tuple",
            node.value,
        )
    if len(kind.types) != len(names):
        ctx.fail(
            "tuple-unpack-count",
            f"{len(names)} name{'s' if len(names) != 1 else ''} for a tuple of {len(kind.types)}",
            target,
        )
    if is_poison(value):
        assert isinstance(value, MakeTuple)
        for name, element_value in zip(names, value.elements):
            bind(ctx, name, element_value, node)
        return
    span = ctx.span(node)
    temporary = fresh(ctx, "_tuple_tmp", kind, span)
    ctx.emit(AssignStmt(temporary, value, span=span))
    for i, name in enumerate(names):
        with ctx.guarded():
            bind(ctx, name, TupleGetItem(temporary, i, span=span), node)


def target_names(node: ast.stmt) -> list[ast.Name]:
    """Names that a statement's targets bind, for binding them to an unknown value after a fault."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For):
        targets = [node.target]
    elif isinstance(node, ast.With):
        targets = [i.optional_vars for i in node.items if i.optional_vars is not None]
    return [
        inner
        for t in targets
        for inner in ast.walk(t)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    ]


def poison_targets(ctx: FunctionContext, node: ast.stmt) -> None:
    """After a fault: every name that the statement would have bound is of unknown type from here on."""
    for name in target_names(node):
        _poison_name(ctx, name)
