"""Refusing a transpose across the split axis (docs/spec/passes_split.md §3.11)."""

from __future__ import annotations

from pypto_core.analysis.lanes import split_dimension
from pypto_core.analysis.names import written_name
from pypto_core.analysis.split_axis import find_transpose_hazard
from pypto_core.diagnostics import PassError
from pypto_core.ir import Call, Function, SplitAivScopeStmt, SplitMode, Stmt
from pypto_core.passes.split_axis.rejections import reject

_REMEDY = "read the columns with a slice instead, or drop the split"


def check_region_transpose(region: SplitAivScopeStmt) -> None:
    """Against a region's own mode; a NONE region has no axis.

    Raises:
        PassError: ``split-transpose``.
    """
    if region.split != SplitMode.NONE:
        _check(region.body, region.split, "R-REGION-TRANSPOSE", "this pl.split_aiv region")


def check_function_transpose(function: Function, mode: SplitMode) -> None:
    """Against the mode of a whole split function.

    Raises:
        PassError: ``split-transpose``.
    """
    _check(function.body, mode, "R-EXPAND-TRANSPOSE", f"function '{function.name}'")


def _check(body: Stmt, mode: SplitMode, rule: str, where: str) -> None:
    dim = split_dimension(mode)
    hazard = find_transpose_hazard(body, dim)
    if hazard is None:
        return
    raise transpose_hazard(hazard.call, hazard.name, dim, mode, where, rule)


def transpose_hazard(
    call: Call,
    name: str | None,
    dim: int,
    mode: SplitMode,
    where: str,
    rule: str = "R-REGION-TRANSPOSE",
    *,
    operand: str = "",
) -> PassError:
    """The rejection of one transpose; `where` says whose split it is, `operand` what it reads at full width."""
    span = call.span
    made = f" that makes '{written_name(name, span)}'" if name is not None else ""
    fault = f"it reads {operand}" if operand else "each lane would transpose only its own half"
    return reject(
        rule,
        "split-transpose",
        f"'tile.transpose'{made} swaps dim {dim}, which pl.SplitMode.{mode.name} of {where} shares out between the "
        f"lanes: {fault}; {_REMEDY}",
        span,
        op="tile.transpose",
        dim=dim,
        mode=mode.name,
    )
