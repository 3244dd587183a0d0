"""A kernel in one line: its cores, its split, how often values cross between the cores, or where it was refused."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_core.analysis.affinity import Affinity, rollup
from pypto_core.engine.crossings import Crossing
from pypto_core.engine.values import Histories
from pypto_core.ir import Function, FunctionType, Span, SplitMode, body_stmts, walk_stmts
from pypto_core.passes.pipeline import PIPELINE


@dataclass(frozen=True, slots=True)
class KernelSummary:
    """``name`` and ``span`` are those of the author's function. ``cores`` holds AIC and AIV in that order; ``refused`` names the first stage
    that refused a part of it, empty when it was lowered to its end."""

    entry: str
    name: str
    span: Span
    kernels: int
    cores: tuple[str, ...]
    splits: tuple[SplitMode, ...]
    crossings: int
    refused: str


def summaries(entry: str, histories: Histories, path: str) -> list[KernelSummary]:
    """One summary for every function of the file that has a part on the cores."""
    lowering = histories.lowering
    last = lowering.stages[-1].program if lowering.stages else lowering.source
    transfers = histories.crossings()
    found = []
    for function in lowering.source.functions:
        if not function.span.is_valid or function.span.filename != path:
            continue
        chunks = _chunks(function)
        made = [f for f in last.functions if f is function or _chunks(f, header=False) & chunks]
        parts = [f for f in made if f.func_type.is_incore]
        stops = [lowering.stopped[f.name].stage for f in made if f.name in lowering.stopped]
        if parts or stops:
            refused = min(stops, key=_order, default="")
            found.append(_summary(entry, function, parts, chunks, transfers, refused))
    return found


def _order(stage: str) -> int:
    return PIPELINE.index(stage) if stage in PIPELINE else -1


def _summary(
    entry: str,
    function: Function,
    parts: list[Function],
    chunks: set[int],
    transfers: dict[Span, Crossing],
    refused: str,
) -> KernelSummary:
    cores = {core for part in parts for core in _cores(part)}
    splits = sorted({part.split for part in parts if part.split is not None})
    kernels = {part.name.removesuffix("_aic").removesuffix("_aiv") for part in parts}
    count = sum(1 for span in transfers if id(span.chunk) in chunks)
    return KernelSummary(
        entry,
        function.name,
        function.span,
        len(kernels),
        tuple(c for c in ("AIC", "AIV") if c in cores),
        tuple(splits),
        count,
        refused,
    )


def _cores(function: Function) -> tuple[str, ...]:
    if function.func_type is FunctionType.AIC:
        return ("AIC",)
    if function.func_type is FunctionType.AIV:
        return ("AIV",)
    affinity = rollup(body_stmts(function.body))
    return {Affinity.CUBE: ("AIC",), Affinity.VECTOR: ("AIV",), Affinity.MIXED: ("AIC", "AIV")}.get(
        affinity, ()
    )


def _chunks(function: Function, header: bool = True) -> set[int]:
    """Pieces of source text that a function is made of."""
    found = {id(stmt.span.chunk) for stmt in walk_stmts(function.body) if stmt.span.is_valid}
    if header and function.span.is_valid:
        found.add(id(function.span.chunk))
    return found
