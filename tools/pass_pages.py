"""Writes one page per pass to ``docs/passes``: what it does, its contract, and a small kernel before and after it.

``python -m tools.pass_pages`` writes, ``python -m tools.pass_pages --check`` fails when a page is not current. The kernels
are in ``tools/pass_kernels``; what the pages show of them is what the pipeline makes of them.
"""

from __future__ import annotations

from dataclasses import fields

from pypto_core import Program, parse, print_ir
from pypto_core.ir import AssignStmt, SeqStmts, Stmt
from pypto_core.passes.pipeline import (
    ALL_PASSES,
    MEMORY_PASSES,
    PIPELINE,
    VERIFIED,
    contract_of,
    factory_of,
    make_pass,
    passes_until,
)
from tools.pages import ROOT, changed_lines, listing, run
from tools.pass_texts import TEXTS

FOLDER = ROOT / "docs" / "passes"
KERNELS = ROOT / "tools" / "pass_kernels"
_NOTE = "<!-- Written by tools/pass_pages.py. -->"
_PARTS = (
    ("Front", "InlineFunctions", "The program as it was written becomes functions with single assignments."),
    (
        "Outlining",
        "OutlineHierarchyScopes",
        "Scopes become functions: orchestration outside, kernels inside.",
    ),
    ("Tensors to tiles", "ConvertTensorToTileOps", "Kernels compute on tiles of the chip's memories."),
    (
        "Tiles",
        "LowerCompositeOps",
        "Tiles get shapes, sizes, memories and layouts that the instructions accept.",
    ),
    (
        "Lanes and cores",
        "LowerAutoVectorSplit",
        "The vector part is shared out, and the cores are told apart.",
    ),
    (
        "Memory",
        "MaterializeTensorStrides",
        f"{len(MEMORY_PASSES)} more passes plan the on-chip memory. They run on request, behind all others and in this order: for `pypto-lsp lower` and a lowered document that shows one of them, "
        "for `pypto-lsp memory`, and from Python (`pypto_core.run_pipeline(program, until=...)`). Passes that unroll pipelined loops are missing in between, so such a loop is planned with one copy "
        "of its tiles.",
    ),
)


def pages() -> dict[str, str]:
    """File name -> text of every page, index included."""
    return {"index.md": _index(), **{f"{factory_of(name)}.md": _page(name) for name in ALL_PASSES}}


def before_and_after(name: str) -> tuple[str, Program, Program]:
    """The example of a pass: source, program before, program after."""
    file = KERNELS / f"{factory_of(name)}.py"
    source = file.read_text(encoding="utf-8")
    program = parse(source, filename=file.name).program
    if program is None:
        raise ValueError(f"{file} has no kernel")
    backend = TEXTS[name].backend
    *before, _ = passes_until(name)
    for earlier in before:
        program = make_pass(earlier, backend)(program)
    if name == "NormalizeStmtStructure":
        program = _nested(program)
    return source, program, make_pass(name, backend)(program)


def _nested(program: Program) -> Program:
    """The program with the first two statements of each function in a block of their own: no earlier pass leaves such blocks."""
    nested = []
    for function in program.functions:
        first, second, *others = function.body.stmts if isinstance(function.body, SeqStmts) else ()
        body = SeqStmts((SeqStmts((first, second)), *others))
        nested.append(function.with_(body=body))
    return program.with_functions(nested)


def _page(name: str) -> str:
    text = TEXTS[name]
    lines = [_NOTE, "", f"# {name}", "", f"{_which(name)} {text.summary}.", ""]
    for paragraph in text.text:
        lines += [paragraph, ""]
    if text.codes:
        codes = ", ".join(f"[`{code}`](../rules/{code}.md)" for code in text.codes)
        lines += [f"Found here, among others: {codes}.", ""]
    lines += ["## Contract", "", *_contract(name)]
    source, before, after = before_and_after(name)
    lines += ["## Example", "", "The kernel:", "", *listing(source, [])]
    old, new, whole = _shown(before, after)
    gone, made = changed_lines(old, new)
    lines += [f"Before {name}" + ("" if text.backend == "a2a3" else f" ({text.backend})") + ":", ""]
    lines += [*listing(old, gone), f"After {name}:", "", *listing(new, made)]
    if not whole:
        lines += ["Functions that the pass leaves alone are not shown.", ""]
    lines += _neighbours(name)
    return "\n".join(lines).rstrip() + "\n"


def _which(name: str) -> str:
    if name in PIPELINE:
        return f"Pass {PIPELINE.index(name) + 1} of {len(PIPELINE)}"
    return f"Memory pass {MEMORY_PASSES.index(name) + 1} of {len(MEMORY_PASSES)}, which runs on request,"


def _neighbours(name: str) -> list[str]:
    order = PIPELINE if name in PIPELINE else MEMORY_PASSES
    at = order.index(name)
    links = []
    if at > 0:
        links.append(f"before it: [{order[at - 1]}]({factory_of(order[at - 1])}.md)")
    if at + 1 < len(order):
        links.append(f"after it: [{order[at + 1]}]({factory_of(order[at + 1])}.md)")
    joined = ", ".join(links)
    return [f"{joined[0].upper()}{joined[1:]}."]


def _contract(name: str) -> list[str]:
    contract = contract_of(name)
    rows = [
        ("needs", contract.required, "nothing"),
        ("establishes", contract.produced, "nothing new"),
        ("destroys", contract.invalidated, "nothing"),
    ]
    lines = ["| | properties |", "|---|---|"]
    for title, properties, none in rows:
        lines.append(f"| {title} | {', '.join(f'`{p}`' for p in sorted(properties)) or none} |")
    scope = "each function by itself" if contract.function_local else "the whole program"
    checked = sorted(contract.produced & VERIFIED)
    lines += ["", f"It looks at {scope}."]
    if checked:
        lines[-1] += (
            f" Verified after it unless that was done before: {', '.join(f'`{p}`' for p in checked)}."
        )
    return [*lines, ""]


def _shown(before: Program, after: Program) -> tuple[str, str, bool]:
    """Both printed, without the functions that are the same; their structure when they print alike."""
    old = {f.name: f for f in before.functions}
    new = {f.name: f for f in after.functions}
    same = {name for name, function in old.items() if new.get(name) is function}
    kept_old = before.with_functions([f for f in before.functions if f.name not in same])
    kept_new = after.with_functions([f for f in after.functions if f.name not in same])
    if print_ir(kept_old) != print_ir(kept_new):
        return print_ir(kept_old), print_ir(kept_new), not same
    return _structure(kept_old), _structure(kept_new), not same


def _structure(program: Program) -> str:
    """Kinds of statements, nested as the IR nests them."""
    lines: list[str] = []

    def visit(stmt: Stmt, depth: int) -> None:
        assigned = f" {stmt.var.name_hint}" if isinstance(stmt, AssignStmt) else ""
        lines.append(f"{'    ' * depth}{type(stmt).__name__}{assigned}")
        for field in fields(stmt):
            value = getattr(stmt, field.name)
            for child in value if isinstance(value, tuple) else (value,):
                if isinstance(child, Stmt):
                    visit(child, depth + 1)

    for function in program.functions:
        lines.append(function.name)
        visit(function.body, 1)
    return "\n".join(lines)


def _index() -> str:
    lines = [
        _NOTE,
        "",
        "# Passes",
        "",
        f"A kernel goes through {len(PIPELINE)} passes, always in this order. `pypto-lsp passes FILE` says which of them changed a kernel and how long each took; "
        "`pypto-lsp lower FILE --pass NAME` prints the kernel after one of them, and **PyPTO: Show Lowered IR** shows the same beside the source, live.",
        "",
        "Each pass has a contract: properties that it needs, establishes and destroys. The verifiers of the established properties run right after it, so a finding comes from the first place where "
        "it can be seen.",
        "",
    ]
    starts = {start: (title, intro) for title, start, intro in _PARTS}
    for number, name in enumerate(ALL_PASSES, 1):
        if name in starts:
            title, intro = starts[name]
            lines += ["", f"## {title}", "", intro, "", "| | pass | what it does |", "|---|---|---|"]
        shown = number if name in PIPELINE else ""
        lines.append(f"| {shown} | [{name}]({factory_of(name)}.md) | {TEXTS[name].summary} |")
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str] | None = None) -> int:
    return run("tools.pass_pages", FOLDER, pages, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
