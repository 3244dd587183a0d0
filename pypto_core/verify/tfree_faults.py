"""What can be wrong with returning a slot; said in the same words by MixedKernelExpanded and by StampTfreeSplit
(docs/spec/passes_split.md §13)."""

from __future__ import annotations

from pypto_core.analysis.names import describe
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.ir import Call, Span

POP_OF_FREE = {
    "system.tfree_to_aic": "tile.tpop_from_aic",
    "system.tfree_to_aiv": "tile.tpop_from_aiv",
}
FREE_OF_POP = {pop: free for free, pop in POP_OF_FREE.items()}


def freed_name(free: Call) -> str:
    """The author's name of what a free returns."""
    return describe(free.args[0], free.span)


def received(free: Call, pop: Call) -> tuple[Related, ...]:
    """Where the tile of a free comes from."""
    return (Related(f"'{freed_name(free)}' was received here", pop.span),)


def no_origin(free: Call, span: Span, rule: str) -> Diagnostic:
    """A free of something that was not received."""
    return Diagnostic(
        "tfree-no-tpop",
        f"'{free.name}' returns the slot of '{freed_name(free)}', which is not the result of a tpop; free the variable that the "
        f"tpop was assigned to",
        span,
        data={"op": free.name, "name": freed_name(free)},
        rule=rule,
    )


def wrong_direction(free: Call, pop: Call, span: Span, rule: str) -> Diagnostic:
    """A free named after the core that did not send the tile."""
    right = FREE_OF_POP[pop.name]
    return Diagnostic(
        "tfree-direction",
        f"'{free.name}' returns a slot of '{POP_OF_FREE[free.name]}', but '{freed_name(free)}' was received by '{pop.name}'; "
        f"use '{right}'",
        span,
        related=received(free, pop),
        data={"op": free.name, "pop": pop.name, "fix": right},
        rule=rule,
    )
