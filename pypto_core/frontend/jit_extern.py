"""``@pl.jit.extern``: functions whose bodies are C++ (docs/spec/language.md §1.7)."""

from __future__ import annotations

import ast
import posixpath
from typing import Any

from pypto_core.frontend.context import FunctionContext, ProgramContext
from pypto_core.frontend.decorators import FunctionOptions, check_options
from pypto_core.frontend.function import FunctionSpec, declare, function_context, header_span, parse_function
from pypto_core.frontend.jit_dialect import JitDialect
from pypto_core.frontend.jit_functions import JitFunction
from pypto_core.frontend.static_eval.values import PathData, Value
from pypto_core.ir import (
    DERIVED_LEVEL_ROLE,
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    ReturnStmt,
    SeqStmts,
    Stmt,
    TupleType,
    Var,
)

_KEYWORDS = ("core_type", "source", "aic_source", "aiv_source", "dual_aiv_dispatch", "include_dirs")
_CORES = {"aic": FunctionType.AIC, "aiv": FunctionType.AIV}


def parse_extern(function: JitFunction, program: ProgramContext) -> list[Function]:
    """Functions that an external kernel becomes; nothing when its decorator is wrong (told)."""
    spec = FunctionSpec(function.syntax, function.closure, function.annotations, JitDialect(function))
    ctx = function_context(spec, program)
    keywords = function.kernel.keywords
    decorator = function.kernel.decorator
    check_options(ctx, decorator, _KEYWORDS)
    if isinstance(decorator, ast.Call) and decorator.args:
        return []  # which sources are meant is open
    core = _text(keywords.get("core_type")) if "core_type" in keywords else "aiv"
    if core is None:
        return []
    if core not in ("aic", "aiv", "mixed"):
        ctx.error(
            "jit-extern-core-type",
            f"core_type is 'aic', 'aiv' or 'mixed', not '{core}'",
            function.keyword_node("core_type"),
        )
        return []
    if not _check_sources(ctx, function, core):
        return []
    _check_include_dirs(ctx, function)
    _check_files(ctx, function, core)
    if core != "mixed":
        made = _single(function, program, _CORES[core], function.name, "source", False)
        return [made] if made is not None else []
    dual = keywords.get("dual_aiv_dispatch")
    aic = _single(function, program, FunctionType.AIC, f"{function.name}_aic", "aic_source", False)
    aiv = _single(
        function,
        program,
        FunctionType.AIV,
        f"{function.name}_aiv",
        "aiv_source",
        bool(dual and dual.data is True),
    )
    if aic is None or aiv is None:
        return []
    group = _group(function, program, aic, aiv)
    return [aic, aiv, group]


def _single(
    function: JitFunction, program: ProgramContext, kind: FunctionType, name: str, source: str, dual: bool
) -> Function | None:
    level, role = DERIVED_LEVEL_ROLE[kind]
    attrs: dict[str, Any] = {"dual_aiv_dispatch": True} if dual else {}
    includes = _paths(function, function.kernel.keywords.get("include_dirs"))
    if includes:
        attrs["include_dirs"] = includes
    path = _resolved(function, _text(function.kernel.keywords.get(source)) or "")
    options = FunctionOptions(kind, level, role, external_source=path, attrs=attrs)
    spec = FunctionSpec(
        function.syntax, function.closure, function.annotations, JitDialect(function), options, name
    )
    return parse_function(spec, program)


def _group(function: JitFunction, program: ProgramContext, aic: Function, aiv: Function) -> Function:
    """A Group function that calls both halves; with a result annotation the cube half's value is returned."""
    level, role = DERIVED_LEVEL_ROLE[FunctionType.Group]
    span = header_span(function.syntax)
    params = tuple(Var(p.name_hint, p.type, span=p.span) for p in aic.params)
    result = aic.return_types[0] if len(aic.return_types) == 1 else TupleType(aic.return_types)
    body: list[Stmt] = []
    arguments: tuple[Expr, ...] = params
    first = Call(GlobalVar(aic.name), arguments, type=result, span=span) if aic.return_types else None
    returned: Var | None = None
    if first is not None:
        returned = Var("result", result, span=span)
        body.append(AssignStmt(returned, first, span=span))
    else:
        body.append(EvalStmt(Call(GlobalVar(aic.name), arguments, span=span), span=span))
    body.append(EvalStmt(Call(GlobalVar(aiv.name), arguments, span=span), span=span))
    if returned is not None:
        body.append(ReturnStmt((returned,), span=span))
    options = FunctionOptions(FunctionType.Group, level, role)
    callee = declare(FunctionSpec(function.syntax, function.closure, name=function.name), program, options)
    callee.params, callee.directions, callee.parsed, callee.external = (
        params,
        aic.param_directions,
        True,
        True,
    )
    callee.result, callee.declared = aic.return_types, bool(aic.return_types)
    return Function(
        function.name,
        params,
        aic.param_directions,
        aic.return_types,
        SeqStmts(tuple(body), span=span),
        FunctionType.Group,
        level,
        role,
        {},
        span=span,
    )


def _check_sources(ctx: FunctionContext, function: JitFunction, core: str) -> bool:
    keywords = function.kernel.keywords
    needed = ("aic_source", "aiv_source") if core == "mixed" else ("source",)
    missing = [n for n in needed if n not in keywords]
    if missing:
        ctx.error(
            "jit-extern-sources",
            f"an external kernel with core_type '{core}' needs {' and '.join(missing)}",
            function.kernel.decorator,
        )
        return False
    if "dual_aiv_dispatch" in keywords and core != "mixed" and keywords["dual_aiv_dispatch"].data is True:
        ctx.error(
            "jit-extern-sources",
            "dual_aiv_dispatch belongs to core_type 'mixed'",
            function.keyword_node("dual_aiv_dispatch"),
        )
        return False
    return True


def _check_include_dirs(ctx: FunctionContext, function: JitFunction) -> None:
    value = function.kernel.keywords.get("include_dirs")
    if value is None or value.is_unknown or value.data is None:
        return
    if _paths(function, value) is None:
        ctx.error(
            "jit-extern-include-dirs",
            "include_dirs is a list or tuple of paths",
            function.keyword_node("include_dirs"),
        )


def _check_files(ctx: FunctionContext, function: JitFunction, core: str) -> None:
    """Sources and directories that are certainly not there; a build may still make them."""
    keywords = function.kernel.keywords
    sources = ("aic_source", "aiv_source") if core == "mixed" else ("source",)
    named = [(name, path) for name in sources for path in [_text(keywords.get(name))] if path]
    named += [("include_dirs", path) for path in _paths(function, keywords.get("include_dirs")) or ()]
    for name, path in named:
        resolved = _resolved(function, path)
        interpreter = function.closure.interpreter
        exists = interpreter.graph.resolver.exists(resolved)
        if interpreter.watch is not None:
            interpreter.watch.paths[resolved] = exists
        if exists is False:
            ctx.warn(
                "extern-source-missing",
                f"'{path}' is not found as {resolved}",
                function.keyword_node(name),
                path=resolved,
            )


def _paths(function: JitFunction, value: Value | None) -> tuple[str, ...] | None:
    """Absolute include directories; None when the value is no list of paths."""
    from pypto_core.frontend.closure import sequence

    if value is None:
        return ()
    elements = sequence(value)
    if elements is None:
        return () if value.is_unknown or value.data is None else None
    found: list[str] = []
    for element in elements:
        text = _text(element)
        if text is None:
            return () if element.is_unknown else None
        found.append(_resolved(function, text))
    return tuple(found)


def _text(value: Value | None) -> str | None:
    if value is None:
        return None
    if isinstance(value.data, PathData):
        return value.data.text
    return value.data if isinstance(value.data, str) else None


def _resolved(function: JitFunction, path: str) -> str:
    """A path relative to the defining file."""
    return (
        posixpath.normpath(posixpath.join(posixpath.dirname(function.kernel.module.filename), path))
        if path
        else ""
    )
