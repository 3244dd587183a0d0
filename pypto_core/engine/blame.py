"""Which functions, and which statement, a refusal or a fault of a pass is about.

A pass over a whole program says where something is wrong, not in which function: the span tells. A fault of the product says
nothing; the statement it was working on still stands in the frames that it passed through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType

from pypto_core.diagnostics import Diagnostic, PassError, Severity
from pypto_core.ir import Call, Function, Program, Span, Stmt, calls_in, walk_stmts

#: What a fault of the product looks like; signals such as a cancellation are none of these.
FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)

Step = Callable[[Program], Program]

#: Frames of a fault that are looked at, from the innermost on.
_FRAMES = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    """Functions that a pass cannot lower, and what is to be said about it."""

    functions: tuple[Function, ...]
    diagnostic: Diagnostic


def refusal(name: str, step: Step, program: Program, failure: Exception) -> Refusal:
    """The functions of ``program`` that made the pass called ``name`` raise ``failure``."""
    if isinstance(failure, PassError):
        return Refusal(_at(failure.diagnostic.span, program) or _by_trial(step, program), failure.diagnostic)
    span, worked_on = _place(failure, program)
    found = worked_on or _at(span, program) or _by_trial(step, program)
    return Refusal(found, pass_fault(name, span if span.is_valid else found[0].span, failure))


def pass_fault(name: str, span: Span, fault: Exception) -> Diagnostic:
    """The finding for a statement that a pass could not handle; ``data`` keeps the details for the log."""
    written = span.text.partition("\n")[0].strip()
    what = f": `{written}`" if written else ""
    return Diagnostic(
        "not-supported",
        f"not supported by {name} yet{what}. Later stages are skipped for this function. The kernel itself is not at fault; "
        "the log has the details.",
        span,
        Severity.INFORMATION,
        data={"fault": fault, "pass": name},
    )


def _at(span: Span, program: Program) -> tuple[Function, ...]:
    """The functions that the text at ``span`` is part of: those with the narrowest piece of source around it.

    A call of an outlined kernel carries the span of the whole scope, so the kernel and its caller both cover the text; an
    inlined function may have become part of several.
    """
    if not span.is_valid:
        return ()
    narrowest: dict[Function, int] = {}
    for function in program.functions:
        sizes = [piece.end - piece.start for piece in _pieces(function) if piece.contains(span)]
        if sizes:
            narrowest[function] = min(sizes)
    least = min(narrowest.values(), default=0)
    return tuple(function for function, size in narrowest.items() if size == least)


def _pieces(function: Function) -> Iterator[Span]:
    yield function.span
    for param in function.params:
        yield param.span
    for stmt in walk_stmts(function.body):
        yield stmt.span
    for call in calls_in(function.body):
        yield call.span


def _by_trial(step: Step, program: Program) -> tuple[Function, ...]:
    """The first function without which the pass succeeds; all of them when there is no such one."""
    for function in program.functions if len(program.functions) > 1 else ():
        try:
            step(program.with_functions(f for f in program.functions if f is not function))
        except (PassError, *FAULTS):
            continue
        return (function,)
    return program.functions


def _place(fault: Exception, program: Program) -> tuple[Span, tuple[Function, ...]]:
    """The innermost statement or call that was being worked on, and the function."""
    frames = []
    trace: TracebackType | None = fault.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    span, functions = Span.unknown(), {f.name: f for f in program.functions}
    worked_on: tuple[Function, ...] = ()
    for frame in reversed(frames[-_FRAMES:]):
        for value in list(frame.f_locals.values()):
            if isinstance(value, (Stmt, Call)) and value.span.is_valid and not span.is_valid:
                span = value.span
            elif isinstance(value, Function) and value.name in functions and not worked_on:
                worked_on = (functions[value.name],)
    return span, worked_on
