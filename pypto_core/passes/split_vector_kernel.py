"""SplitVectorKernel: certify the split functions and replay unsplit ones on lane 1 (docs/spec/passes_split.md §12).

A function that is already in per-lane form only gets its attributes. A hand-written AIC/AIV function whose transfers name
a split is halved here. On chips that start both lanes for an unsplit kernel, lane 1 replays the handshake.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pypto_core.analysis.lanes import POP_OPS, PUSH_OPS, mode_of_code
from pypto_core.analysis.statements import block, leaf_call, stmts_of, walk_stmts
from pypto_core.backend import Backend, get_backend
from pypto_core.diagnostics import Related
from pypto_core.ir import Call, Expr, Function, FunctionType, Span, SplitMode, Stmt, Var
from pypto_core.ir.rewrite import substitute
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.clone import deep_clone
from pypto_core.passes.split_axis.lane import bind_lane, names_in
from pypto_core.passes.split_axis.lower import halve_all
from pypto_core.passes.split_axis.rejections import reject
from pypto_core.passes.split_axis.replay import replay_on_both_lanes
from pypto_core.passes.split_axis.state import SplitState

CONTRACT = PassContract.of(
    required="SSAForm MixedKernelExpanded",
    produced="SSAForm VectorKernelSplit NormalizedStmtStructure",
    function_local=True,
)
_CORES = frozenset({FunctionType.AIC, FunctionType.AIV})
_TRANSFERS = PUSH_OPS | POP_OPS


def split_vector_kernel(*, backend: str | Backend | None = None) -> Pass:
    """The pass for `backend` (whether unsplit kernels run on both lanes)."""
    chip = get_backend(backend)
    return Pass(
        "SplitVectorKernel", CONTRACT, lambda program: map_functions(program, partial(_split, backend=chip))
    )


def _split(function: Function, backend: Backend | None) -> Function:
    """One function; the first arm that applies decides.

    Raises:
        PassError: ``split-conflicting-codes`` and the halving rejections of docs/spec/passes_split.md §16 marked SVK.
    """
    if function.func_type not in _CORES:
        return function
    is_aiv = function.func_type is FunctionType.AIV
    mode = function.split
    if function.attrs.get("external_source"):
        return _external(function, mode, is_aiv)
    if function.attrs.get("split_aiv"):
        return _stamped(function, mode, is_aiv)
    mode = _standalone_mode(function, mode)
    if mode is not None:
        return _halved(function, mode, is_aiv)
    needs = backend is not None and backend.requires_no_split_dual_aiv_dispatch
    if needs and is_aiv and function.attrs.get("dual_aiv_dispatch"):
        return _replayed(function)
    return function


# -- attributes --------------------------------------------------------------------------------------------------------


def _stamped(function: Function, mode: SplitMode | None, is_aiv: bool) -> Function:
    """The attributes that orchestration reads; without a mode (several regions) only the dispatch flag."""
    attrs: dict[str, Any] = dict(function.attrs)
    attrs.pop("dual_aiv_dispatch", None)
    if mode is not None:
        attrs.pop("split", None)
        attrs["split"] = int(mode)
    if is_aiv:
        attrs["dual_aiv_dispatch"] = True
    unchanged = list(attrs.items()) == list(function.attrs.items())
    return function if unchanged else function.with_(attrs=attrs)


def _external(function: Function, mode: SplitMode | None, is_aiv: bool) -> Function:
    if not is_aiv:
        return function
    if mode is not None:
        return _stamped(function, mode, is_aiv)
    if function.attrs.get("split_aiv") and not function.attrs.get("dual_aiv_dispatch"):
        return function.with_(attrs={**function.attrs, "dual_aiv_dispatch": True})
    return function


# -- standalone halving ------------------------------------------------------------------------------------------------


def _standalone_mode(function: Function, stated: SplitMode | None) -> SplitMode | None:
    """Mode of a hand-written split function: its attribute, else what its transfers agree on."""
    found: tuple[SplitMode, Call] | None = None
    for stmt in walk_stmts(function.body):
        call = leaf_call(stmt)
        if call is None or call.name not in _TRANSFERS:
            continue
        code = call.kwargs.get("split", 0)
        if code not in (0, 1, 2, 3, 4):
            raise reject(
                "R-SVK-CODE",
                "split-conflicting-codes",
                f"'{call.name}' carries split code {code}; a transport code is 0, 1, 2, 3 or 4",
                _span(call, function),
                op=call.name,
                found=code,
            )
        mode = mode_of_code(code)
        if mode == SplitMode.NONE:
            continue
        if found is None:
            found = (mode, call)
        elif found[0] != mode:
            raise _conflict(function, call, mode, found[0], (Related("the other transfer", found[1].span),))
    if found is None:
        return stated
    if stated is not None and stated != found[0]:
        raise _conflict(function, found[1], found[0], stated, ())
    return found[0]


def _span(call: Call, function: Function) -> Span:
    return call.span if call.span.is_valid else function.span


def _conflict(
    function: Function, call: Call, mode: SplitMode, other: SplitMode, related: tuple[Related, ...]
) -> Exception:
    return reject(
        "R-SVK-CONFLICT",
        "split-conflicting-codes",
        f"'{function.name}' has conflicting split modes: '{call.name}' says {mode.name}, but the function or an earlier "
        f"transfer says {other.name}; make the `split=` of all its transfers agree",
        _span(call, function),
        related,
        function=function.name,
        modes=(other.name, mode.name),
    )


def _halved(function: Function, mode: SplitMode, is_aiv: bool) -> Function:
    stmts: list[Stmt] = list(stmts_of(function.body))
    lane: Expr | None = None
    if is_aiv:
        binding = bind_lane(names_in(function), stmts[0].span if stmts else function.span)
        stmts.insert(0, binding)
        lane = binding.var
    state = SplitState(mode, lane, is_aiv=is_aiv)
    out = [substitute(stmt, state.repl) for stmt in halve_all(stmts, state)]
    params = tuple(Var(p.name_hint, p.type, span=p.span) for p in function.params)
    body = deep_clone(block(out), dict(zip(function.params, params)))
    return _stamped(function.with_(params=params, body=body), mode, is_aiv)


# -- no-split replay ---------------------------------------------------------------------------------------------------


def _replayed(function: Function) -> Function:
    stmts = stmts_of(function.body)
    binding = bind_lane(names_in(function), stmts[0].span if stmts else function.span)
    return function.with_(body=deep_clone(block(replay_on_both_lanes(binding, stmts))))
