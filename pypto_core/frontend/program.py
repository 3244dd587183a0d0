"""``@pl.program`` classes and stand-alone functions as programs (docs/spec/language.md §1.4, §1.5)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pypto_core.diagnostics import Diagnostic
from pypto_core.frontend.closure import Closure
from pypto_core.frontend.context import FunctionContext, ProgramContext
from pypto_core.frontend.decorators import check_options, decorator_of, read_function_decorator
from pypto_core.frontend.function import PLAIN, FunctionSpec, declare, function_context, parse_function
from pypto_core.frontend.near_forms import near_form
from pypto_core.frontend.recovery import ClassSyntax, FunctionSyntax
from pypto_core.frontend.syntax import dotted, literal_keywords
from pypto_core.ir import Function, Program, Span


@dataclass(slots=True)
class ParsedProgram:
    """A program and what was found while reading it; ``incomplete`` names functions of which a part is missing."""

    program: Program
    diagnostics: list[Diagnostic] = field(default_factory=list)
    incomplete: frozenset[str] = frozenset()


def parse_program_class(
    syntax: ClassSyntax, closure: Closure, context: ProgramContext | None = None
) -> ParsedProgram:
    """A ``@pl.program`` class: one function per decorated method, read in source order."""
    program = context if context is not None else ProgramContext()
    program.name = syntax.node.name
    class_span = _class_span(syntax)
    ctx = FunctionContext(program, closure, closure, PLAIN, syntax.source, "")
    strict = _strict(ctx, syntax)
    methods = [f for f in syntax.functions if decorator_of(f.node, "function") is not None]
    if not methods and not syntax.faults and not any(map(_nearly_decorated, syntax.functions)):
        ctx.error(
            "program-empty", f"program '{syntax.node.name}' has no method under @pl.function", class_span
        )
    reserved_buffers(program, methods)
    functions = _parse_all(methods, closure, program, strict)
    return _result(program, functions, syntax.node.name, class_span)


def parse_stand_alone(
    syntax: FunctionSyntax, closure: Closure, context: ProgramContext | None = None
) -> ParsedProgram:
    """A ``@pl.function`` outside a class, as a program of its own with the functions it calls by name."""
    program = context if context is not None else ProgramContext()
    program.name = syntax.name
    reserved_buffers(program, [syntax])
    functions = _parse_all([syntax], closure, program, False)
    return _result(program, functions, syntax.name, syntax.source.span(syntax.node))


def _nearly_decorated(function: FunctionSyntax) -> bool:
    """Whether a decorator is misspelled, which is told by itself."""
    decorators = function.node.decorator_list
    paths = (dotted(d.func if isinstance(d, ast.Call) else d) for d in decorators)
    return any(path is not None and near_form(path) is not None for path in paths)


def _class_span(syntax: ClassSyntax) -> Span:
    span = syntax.source.span(syntax.node)
    return Span(span.chunk, span.start, len(syntax.source.chunk.text.rstrip()))


def _strict(ctx: FunctionContext, syntax: ClassSyntax) -> bool:
    decorator = decorator_of(syntax.node, "program")
    if isinstance(decorator, ast.Call):
        check_options(ctx, decorator, ("strict_ssa",))
        for keyword in decorator.keywords:
            if keyword.arg == "strict_ssa" and isinstance(keyword.value, ast.Constant):
                return keyword.value.value is True
    return False


def _parse_all(
    methods: list[FunctionSyntax], closure: Closure, program: ProgramContext, strict: bool
) -> list[Function]:
    specs: list[FunctionSpec] = []
    for syntax in methods:
        spec = FunctionSpec(syntax, closure, strict=strict)
        quiet = ProgramContext(callees=program.callees, symbols=program.symbols, recall=program.recall)
        ctx = function_context(spec, quiet)
        declare(spec, program, read_function_decorator(ctx, syntax.node))
        specs.append(spec)
    functions: list[Function] = []
    for spec in specs:
        function = parse_function(spec, program)
        if function is None:
            program.incomplete.add(spec.syntax.name)
        elif any(f.name == function.name for f in functions):
            program.report(
                Diagnostic(
                    "function-wrapper",
                    f"the program already has a function '{function.name}'",
                    spec.syntax.source.span(spec.syntax.node),
                )
            )
        else:
            functions.append(function)
    return functions


def _result(program: ProgramContext, functions: list[Function], name: str, span: Span) -> ParsedProgram:
    names = {f.name for f in functions}
    functions.extend(f for f in program.added.values() if f.name not in names)
    return ParsedProgram(
        Program(tuple(functions), name, span=span), program.diagnostics, frozenset(program.incomplete)
    )


def reserved_buffers(program: ProgramContext, methods: list[FunctionSyntax]) -> None:
    """Literal keywords of every ``reserve_buffer``, for ``import_peer_buffer(...).base``."""
    for syntax in methods:
        for item in syntax.body:
            for inner in ast.walk(item.node) if "reserve_buffer" in item.source.whole else ():
                if not isinstance(inner, ast.Call):
                    continue
                path = dotted(inner.func)
                if path is None or path[-1] != "reserve_buffer":
                    continue
                keywords = literal_keywords(inner)
                if isinstance(keywords.get("name"), str):
                    program.reserved[f"#{syntax.name}/{keywords['name']}"] = keywords
