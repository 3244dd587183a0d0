"""Every node of every stage maps back to characters of the source, and to those that it stands for (docs/architecture.md §2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pypto_core.engine.lowering import Lowering, lower
from pypto_core.frontend import ParseResult, parse
from pypto_core.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Function,
    SeqStmts,
    Span,
    calls_in,
    print_ir,
    stmt_defs,
    walk_stmts,
)
from tests.passes.test_whole_run import module_reader
from tests.support.golden import GOLDEN

SOURCES = sorted(
    f
    for folder in ("front", "tile", "split", "reports", "kernels", "kernels/mini_decoder")
    for f in (GOLDEN / folder).glob("*.py")
)


@cache
def file_text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


@cache
def parsed(path: Path) -> ParseResult:
    return parse(file_text(str(path)), str(path), resolver=module_reader(path))


def functions(lowering: Lowering) -> Iterator[tuple[str, Function]]:
    """Every function object of every stage, once, with the stage at which it came up."""
    seen: set[int] = set()
    stages = [("source", lowering.source), *((s.name, s.program) for s in lowering.stages)]
    for name, program in stages:
        for function in program.functions:
            if id(function) not in seen:
                seen.add(id(function))
                yield name, function


def spans(function: Function) -> Iterator[tuple[Span, object]]:
    yield function.span, function.name
    for param in function.params:
        yield param.span, param
    for stmt in walk_stmts(function.body):
        if not isinstance(stmt, SeqStmts):
            yield stmt.span, stmt
            for var in stmt_defs(stmt):
                yield var.span, var
    for call in calls_in(function.body):
        yield call.span, call


def fault(span: Span, folder: Path) -> str:
    """What is wrong with a span; empty when it covers characters of a source file."""
    chunk = span.chunk
    if chunk is None:
        return "no place"
    if not 0 <= span.start < span.end <= len(chunk.text) or not span.text.strip():
        return f"covers nothing ({span.start} to {span.end})"
    lines = file_text(str(folder / chunk.file)).splitlines(keepends=True)
    rest = "".join(lines[span.line - 1 :])[span.column - 1 :]
    return "" if rest.startswith(span.text) else "not the text of the file"


@pytest.mark.parametrize("backend", ["a2a3", "a5"])
@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_everything_has_a_place(path: Path, backend: str) -> None:
    checked: set[Span] = set()
    for program in parsed(path).programs.values():
        for stage, function in functions(lower(program, backend)):
            for span, node in spans(function):
                if span in checked:
                    continue
                wrong = fault(span, path.parent)
                if wrong:
                    shown = node if isinstance(node, str) else print_ir(node)  # type: ignore[arg-type]
                    pytest.fail(f"{stage}, {function.name}: {wrong}: {shown}")
                checked.add(span)
    assert checked or not parsed(path).programs


MARKED = sorted((Path(__file__).parent / "provenance").glob("*.py"))
_MARK = re.compile(r"  #> (.*)$")


def marked_operators(text: str) -> dict[int, str]:
    return {n: m.group(1) for n, line in enumerate(text.splitlines(), 1) if (m := _MARK.search(line))}


def operators_by_line(lowering: Lowering) -> dict[int, str]:
    """``AIC: op op; AIV: op`` of the last stage for every source line that operators stand for."""
    found: dict[int, dict[str, list[str]]] = {}
    for function in lowering.stages[-1].program.functions:
        for stmt in walk_stmts(function.body):
            if not isinstance(stmt, (AssignStmt, EvalStmt)):
                continue
            for call in calls_in(stmt):
                if isinstance(call, Call) and not call.is_function_call:
                    kinds = found.setdefault(call.span.line, {})
                    kinds.setdefault(function.func_type.name, []).append(call.name)
    return {
        line: "; ".join(f"{kind}: {' '.join(names)}" for kind, names in kinds.items())
        for line, kinds in found.items()
    }


@pytest.mark.parametrize("path", MARKED, ids=lambda p: p.stem)
def test_operators_stand_for_the_lines_that_caused_them(path: Path) -> None:
    result = parsed(path)
    assert not result.diagnostics
    program = list(result.programs.values())[-1]
    lowering = lower(program, "a2a3")
    assert not lowering.stopped
    assert operators_by_line(lowering) == marked_operators(file_text(str(path)))
