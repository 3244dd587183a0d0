"""JIT entries as programs, built from the annotations alone (docs/spec/language.md §2)."""

from __future__ import annotations

from pypto_core.diagnostics import Related
from pypto_core.frontend.context import FunctionContext, ProgramContext
from pypto_core.frontend.decorators import FunctionOptions, check_options
from pypto_core.frontend.function import FunctionSpec, declare, function_context, header_span, parse_function
from pypto_core.frontend.jit_dialect import JitDialect
from pypto_core.frontend.jit_extern import parse_extern
from pypto_core.frontend.jit_functions import (
    FUNCTION_TYPES,
    DepCall,
    Discovery,
    JitFunction,
)
from pypto_core.frontend.jit_types import CallSiteTypes, Missing, declare_dynamic
from pypto_core.frontend.program import ParsedProgram, reserved_buffers
from pypto_core.frontend.recall import Recall
from pypto_core.frontend.recovery import FunctionSyntax
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.values import KernelFunction
from pypto_core.frontend.wording import contradiction
from pypto_core.ir import DERIVED_LEVEL_ROLE, Function, Level, Program, Role

#: Name of a program that is made for a JIT function, before the name of the function.
PROGRAM_PREFIX = "_jit_"

#: Form -> keywords of its decorator.
_KEYWORDS = {
    "jit": ("auto_scope",),
    "jit.host": ("auto_scope",),
    "jit.incore": ("level",),
    "jit.inline": ("auto_scope",),
    "jit.opaque": (),
}


def parse_jit(
    interpreter: Interpreter, kernel: KernelFunction, recall: Recall | None = None
) -> tuple[ParsedProgram, list[FunctionSyntax]]:
    """The program of a JIT function and the syntax of every function in it.

    Any form may be the root: a dep that no entry reaches is analysed from its own annotations.
    """
    functions = Discovery(interpreter).find(kernel)
    root = functions[-1]
    program = ProgramContext(name=f"{PROGRAM_PREFIX}{kernel.name}", recall=recall)
    _claim_names(functions, program)
    declare_dynamic(functions, program)
    reserved_buffers(program, [f.syntax for f in functions])
    missing: list[Missing] = []
    for function in reversed(functions):
        missing.extend(CallSiteTypes(function, program).run())
    built: list[Function] = []
    for function in functions:
        if function.is_crowded_out:
            continue
        before = len(program.diagnostics)
        built.extend(_build(function, program))
        if function is not root:
            _relate(program, before, function)
    names = {f.name for f in built}
    built.extend(f for f in program.added.values() if f.name not in names)
    _report_missing(program, missing)
    span = root.syntax.source.span(root.syntax.node)
    parsed = ParsedProgram(
        Program(tuple(built), program.name, span=span), program.diagnostics, frozenset(program.incomplete)
    )
    return parsed, [f.kernel.syntax for f in functions]


def _build(function: JitFunction, program: ProgramContext) -> list[Function]:
    if function.form == "jit.extern":
        made = parse_extern(function, program)
        if not made:
            program.incomplete.add(function.name)
        return made
    dialect = JitDialect(function)
    spec = FunctionSpec(function.syntax, function.closure, function.annotations, dialect, name=function.name)
    ctx = function_context(spec, program)
    spec.options = _options(ctx, function)
    declare(spec, program, spec.options)
    parsed = parse_function(spec, program)
    if parsed is None:
        program.incomplete.add(function.name)
        return []
    return [parsed]


def _options(ctx: FunctionContext, function: JitFunction) -> FunctionOptions:
    """What the decorator says, with the level and role that the form implies."""
    func_type = FUNCTION_TYPES[function.form]
    options = FunctionOptions(func_type)
    derived = DERIVED_LEVEL_ROLE.get(func_type)
    if function.form == "jit.host":
        options.level, options.role = Level.HOST, Role.Orchestrator
    elif derived is not None:
        options.level, options.role = derived
    allowed = _KEYWORDS[function.form]
    check_options(ctx, function.kernel.decorator, allowed)
    for name, value in function.kernel.keywords.items():
        if name not in allowed:
            continue
        if name == "auto_scope" and value.data is False:
            options.auto_scope = False
        elif (
            name == "level"
            and isinstance(value.data, Level)
            and options.level is not None
            and value.data is not options.level
        ):
            ctx.error(
                "level-mismatch",
                contradiction(function.name, func_type, "level", options.level, value.data),
                function.keyword_node(name),
            )
    return options


def _claim_names(functions: list[JitFunction], program: ProgramContext) -> None:
    """One function per name, as in every program (docs/spec/ir.md §1.3): the entry first, then callees before callers.

    Calls of a function that finds its name taken are told, each with both definitions.
    """
    root = functions[-1]
    owners: dict[str, JitFunction] = {}
    for function in (root, *functions[:-1]):
        taken = next((name for name in function.made_names if name in owners), None)
        if taken is None:
            owners.update((name, function) for name in function.made_names)
            program.defined.update((name, header_span(function.syntax)) for name in function.made_names)
            continue
        function.is_crowded_out = True
        call = _first_call(function)
        if call is None or function.caller is None:
            continue
        ctx = _caller_context(function.caller, call, program)
        ctx.error(
            "external-name-conflict",
            f"'{root.name}' reaches two functions named '{taken}': a program has one of each name; rename one of them",
            call.node.func,
            related=(
                Related("the other one is defined here", header_span(owners[taken].syntax)),
                Related("this one is defined here", header_span(function.syntax)),
            ),
            name=taken,
        )


def _caller_context(caller: JitFunction, call: DepCall, program: ProgramContext) -> FunctionContext:
    """For telling something about a call."""
    dialect = JitDialect(caller)
    return FunctionContext(program, caller.closure, caller.annotations, dialect, call.source, caller.name)


def _first_call(function: JitFunction) -> DepCall | None:
    caller = function.caller
    return next((c for c in caller.calls if c.dep is function), None) if caller is not None else None


def _relate(program: ProgramContext, start: int, function: JitFunction) -> None:
    """Findings in a dep say which call brought them about."""
    call = _first_call(function)
    if call is None:
        return
    program.relate(start, Related(f"'{function.name}' is called here", call.source.span(call.node)))


def _report_missing(program: ProgramContext, missing: list[Missing]) -> None:
    """Tensor arguments whose shape the compiler does not follow."""
    for found in missing:
        caller = found.call.dep.caller
        if caller is None or caller.name in program.incomplete:
            continue
        ctx = _caller_context(caller, found.call, program)
        ctx.error(
            "jit-missing-tensor-meta",
            f"the compiler does not know the shape of '{ctx.text(found.argument)}', which '{found.call.dep.name}' takes as "
            f"'{found.param}': pass the name of a parameter, of a pl.create_tensor(...) or of a slice of those",
            found.argument,
            related=(
                Related(f"'{found.call.dep.name}' is defined here", header_span(found.call.dep.syntax)),
            ),
            name=found.param,
        )
