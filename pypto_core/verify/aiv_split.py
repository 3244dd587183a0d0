"""AivSplitValid and AivSplitLoweredValid: who may stand inside and outside a lane region (docs/spec/verifiers.md §4).

A function that opens one ``pl.split_aiv`` region hands vector placement over to its regions. Every check names the
operator at fault in its ``span``, the other party in ``related`` and what a quick fix needs in ``data``:
``check`` (the letter), ``op`` (IR name), ``name`` (the author's variable) and the keys named at each check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pypto_core.analysis.affinity import Affinity, classify_call_affinity, consumer_lane, has_stated_lane
from pypto_core.analysis.lanes import (
    BOUNDARY_OPS,
    GATHER_OPS,
    SHARD_OPS,
    TILE_BOUNDARY_OPS,
    const_value,
    split_dimension,
)
from pypto_core.analysis.names import describe, dsl_name
from pypto_core.analysis.split_axis import is_reduce_on_split_axis, other_reduction
from pypto_core.analysis.statements import as_var, has_region, trailing_yield, walk_stmts
from pypto_core.diagnostics import Diagnostic, Related
from pypto_core.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IterArg,
    MemorySpace,
    Program,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
)
from pypto_core.ir.walk import called_names, calls_in, own_calls, stmt_bodies, stmt_defs

HOISTED_OPS = frozenset({"tile.load", "tile.store"})
"""Transfers that the compiler itself places outside regions."""

NONE_REGION = "for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):"


def verify_aiv_split(program: Program) -> list[Diagnostic]:
    """Diagnostics of every function against the authoring rules (property AivSplitValid)."""
    return [d for function in program.functions for d in check_function(function, lowered=False)]


def verify_aiv_split_lowered(program: Program) -> list[Diagnostic]:
    """The same after LowerAutoVectorSplit: flat lowered functions and parameter operands are accepted."""
    return [d for function in program.functions for d in check_function(function, lowered=True)]


def check_function(function: Function, *, lowered: bool) -> list[Diagnostic]:
    """Diagnostics of one function; `lowered` selects AivSplitLoweredValid."""
    return SplitCheck(function, lowered).run()


@dataclass(slots=True)
class _Facts:
    """What one scan of a function finds before the walk."""

    has_region: bool = False
    defs: dict[Var, tuple[Call | None, SplitAivScopeStmt | None]] = field(default_factory=dict)
    local: set[Var] = field(default_factory=set)
    no_split: Call | None = None
    split: Call | None = None
    #: Every statement in program order, with its calls and the region around it.
    steps: list[tuple[Stmt, list[Call], SplitAivScopeStmt | None]] = field(default_factory=list)


class SplitCheck:
    """One look at a function; :class:`~pypto_core.verify.aiv_split_early.EarlyCheck` answers some questions otherwise."""

    def __init__(self, function: Function, lowered: bool) -> None:
        self.function = function
        self.lowered = lowered
        self.rule = "AivSplitLoweredValid" if lowered else "AivSplitValid"
        self.found: list[Diagnostic] = []
        self.facts = _Facts(has_region=has_region(function.body))
        marked = function.func_type is FunctionType.InCore and bool(function.attrs.get("split_aiv"))
        self.flat = lowered and marked and not self.facts.has_region
        self.refuses_regions = function.func_type is FunctionType.InCore and not marked

    def run(self) -> list[Diagnostic]:
        body = self.function.body
        if not self.facts.has_region and BOUNDARY_OPS.isdisjoint(called_names(body)):
            return []  # Nothing crosses, and nothing owns the vector work.
        if self.facts.has_region:
            self.scan(body, None)
            for stmt, calls, region in self.facts.steps:
                self.judge(stmt, calls, region)
        else:
            self.crossings(body)
        self.check_mixed_modes()
        return self.found

    def crossings(self, body: Stmt) -> None:
        """A function without regions: only its crossings are judged."""
        for stmt in walk_stmts(body):
            self.define(stmt, None)
        calls = [call for call in calls_in(body) if call.op.name in BOUNDARY_OPS and isinstance(call, Call)]
        for call in calls:
            self.note_mode(call)
        for call in calls:
            self.outside(call)

    def report(
        self,
        code: str,
        check: str,
        span: Span,
        message: str,
        related: tuple[Related, ...] = (),
        **data: object,
    ) -> None:
        self.found.append(
            Diagnostic(code, message, span, related=related, data={"check": check, **data}, rule=self.rule)
        )

    # -- what a call is ------------------------------------------------------------------------------

    def affinity(self, call: Call) -> Affinity:
        """Core that performs a call."""
        return classify_call_affinity(call)

    def consumer(self, call: Call) -> Affinity:
        """Core that reads the operands of a call."""
        return consumer_lane(call)

    def op_name(self, call: Call) -> str:
        """IR name of the operator at fault."""
        return call.name

    def reduces(self, call: Call, dim: int) -> bool:
        """Whether a call collapses axis `dim`."""
        return is_reduce_on_split_axis(call, dim)

    def space(self, expr: Expr) -> MemorySpace | None:
        """Memory space of a value, None when it is not known."""
        return expr.type.memory_space if isinstance(expr.type, TileType) else None

    def is_vector_value(self, var: Var, made: Call | None) -> bool:
        """Whether a value made inside a region stays on the vector side."""
        return made is None or made.name not in (GATHER_OPS | HOISTED_OPS)

    # -- scan ----------------------------------------------------------------------------------------

    def define(self, stmt: Stmt, region: SplitAivScopeStmt | None) -> None:
        self.facts.local.update(stmt_defs(stmt))
        if isinstance(stmt, AssignStmt):
            value = stmt.value
            self.facts.defs[stmt.var] = (value if isinstance(value, Call) else None, region)

    def note_mode(self, call: Call) -> None:
        if "split" in call.kwargs:
            if call.kwargs["split"] == 0:
                self.facts.no_split = self.facts.no_split or call
            else:
                self.facts.split = self.facts.split or call

    def scan(self, stmt: Stmt, region: SplitAivScopeStmt | None) -> None:
        self.define(stmt, region)
        calls = _calls(stmt)
        self.facts.steps.append((stmt, calls, region))
        for call in calls:
            if call.op.name in BOUNDARY_OPS:
                self.note_mode(call)
        inner = stmt if isinstance(stmt, SplitAivScopeStmt) else region
        for body in stmt_bodies(stmt):
            self.scan(body, inner)

    # -- one statement -------------------------------------------------------------------------------

    def judge(self, stmt: Stmt, calls: list[Call], region: SplitAivScopeStmt | None) -> None:
        for call in calls:
            if region is None:
                self.outside(call)
            else:
                self.inside(call, region)
        if isinstance(stmt, SplitAivScopeStmt):
            if self.refuses_regions:
                self.region_in_incore(stmt)
        elif isinstance(stmt, (ForStmt, WhileStmt)) and self.facts.has_region:
            self.loop_carries(stmt)

    def inside(self, call: Call, region: SplitAivScopeStmt) -> None:
        if call.name in BOUNDARY_OPS:
            self.boundary_memory(call)
            return
        op = self.op_name(call)
        affinity = self.affinity(call)
        opened = (Related("the lane region opens here", _header(region)),)
        data_parallel = region.split != SplitMode.NONE
        if affinity is Affinity.CUBE:
            half = ", where each lane would compute only half the tile" if data_parallel else ""
            self.report(
                "aiv-cube-in-region",
                "a",
                call.span,
                f"cube op '{op}' inside a pl.split_aiv region{half}; move it outside the region",
                opened,
                op=op,
                mode=region.split.name,
                region=_header(region),
            )
        if data_parallel and self.reduces(call, split_dimension(region.split)):
            self.reduces_split_axis(call, region, opened)
        self.unnamed_shard(call, opened)
        if data_parallel:
            self.other_region(call, region)

    def outside(self, call: Call) -> None:
        op = call.op.name
        if op in BOUNDARY_OPS:
            if self.flat and op in TILE_BOUNDARY_OPS:
                self.flat_boundary(call)
            else:
                self.boundary_outside(call)
            return
        if not self.facts.has_region or op in HOISTED_OPS:
            return
        if not has_stated_lane(call) and self.affinity(call) is Affinity.VECTOR:
            self.report(
                "aiv-vector-outside-region",
                "e",
                call.span,
                f"vector op '{self.op_name(call)}' outside every pl.split_aiv region: this function opens lane regions, so they own all "
                f"vector work; wrap the statement in `{NONE_REGION}`",
                op=self.op_name(call),
            )
        self.unnamed_gather(call)

    # -- the checks ----------------------------------------------------------------------------------

    def reduces_split_axis(self, call: Call, region: SplitAivScopeStmt, opened: tuple[Related, ...]) -> None:
        dim, op = split_dimension(region.split), self.op_name(call)
        self.report(
            "aiv-reduce-split-axis",
            "b",
            call.span,
            f"'{op}' reduces dim {dim}, which pl.SplitMode.{region.split.name} shares out between the lanes: "
            f"each lane would hold a partial result; reduce the other axis, or use a pl.SplitMode.NONE region",
            opened,
            op=op,
            other=other_reduction(op),
            dim=dim,
            mode=region.split.name,
            region=_header(region),
        )

    def boundary_outside(self, call: Call) -> None:
        self.report(
            "aiv-boundary-outside-region",
            "c",
            call.span,
            f"'{call.name}' must stand inside a pl.split_aiv region; wrap it in "
            f"`for lane in pl.split_aiv(2, mode=...):`",
            op=call.name,
            extents=_extents(call.type),
        )

    def flat_boundary(self, call: Call) -> None:
        split = call.kwargs.get("split")
        if split is None:
            self.report(
                "aiv-boundary-outside-region",
                "c",
                call.span,
                f"'{call.name}' outside every region needs an explicit split mode",
                op=call.name,
            )
        elif split not in (0, 1, 2):
            self.report(
                "aiv-boundary-outside-region",
                "c",
                call.span,
                f"'{call.name}' has split mode {split}; a boundary carries 0, 1 or 2",
                op=call.name,
            )
        self.boundary_memory(call)

    def boundary_memory(self, call: Call) -> None:
        shard, op = call.name in SHARD_OPS, self.op_name(call)
        need, lane = (MemorySpace.Acc, "cube") if shard else (MemorySpace.Vec, "vector")
        operand = call.args[0] if call.args else None
        have = self.space(operand) if operand is not None else None
        var = as_var(operand)
        assumed = self.lowered and var is not None and var not in self.facts.local
        if operand is not None and have is not None and have is not need and not assumed:
            made = self.facts.defs.get(var) if var is not None else None
            related: tuple[Related, ...] = ()
            if made is not None and made[0] is not None:
                related = (Related(f"made here by '{made[0].name}'", made[0].span),)
            self.report(
                "aiv-boundary-memory",
                "d",
                call.span,
                f"'{op}' takes a value that the {lane} side produced in {need.name}, but its operand "
                f"{_quoted(describe(operand, call.span))}is in {have.name}",
                related,
                op=op,
                name=describe(operand, call.span),
                space=have.name,
                required=need.name,
            )
        lands = MemorySpace.Vec if shard else MemorySpace.Mat
        result = call.type.memory_space if isinstance(call.type, TileType) else None
        if result is not None and result is not lands:
            self.report(
                "aiv-boundary-memory",
                "d",
                call.span,
                f"'{op}' delivers into {lands.name}, but its result is declared in {result.name} "
                f"(the producing {lane} lane owns {need.name})",
                op=op,
                space=result.name,
                required=lands.name,
            )

    def unnamed_gather(self, call: Call) -> None:
        """(f): the cube reads a value made inside a region."""
        if self.consumer(call) is not Affinity.CUBE:
            return
        for var, made, region in self.operands(call):
            if region is None or not self.is_vector_value(var, made):
                continue
            name = describe(var, call.span)
            related = [Related("the lane region opens here", _header(region))]
            if made is not None:
                related.insert(0, Related(f"'{name}' is made here, on the vector side", made.span))
            self.report(
                "aiv-unnamed-gather",
                "f",
                call.span,
                f"'{name}' is made inside a pl.split_aiv region and read by '{self.op_name(call)}' on the CUBE side; end the "
                f"region with `{name} = pl.aic_gather({name})`",
                tuple(related),
                op=self.op_name(call),
                name=name,
                region=_header(region),
            )

    def unnamed_shard(self, call: Call, opened: tuple[Related, ...]) -> None:
        """(g): a region reads a value that the cube made."""
        if (
            call.name in HOISTED_OPS
            or not self.facts.has_region
            or self.consumer(call) is not Affinity.VECTOR
        ):
            return
        for var, made, region in self.operands(call):
            if region is not None or made is None or made.name in HOISTED_OPS:
                continue
            if self.affinity(made) is not Affinity.CUBE:
                continue
            name = describe(var, call.span)
            self.report(
                "aiv-unnamed-shard",
                "g",
                call.span,
                f"'{name}' comes from cube op '{self.op_name(made)}' and is read by '{self.op_name(call)}' on the VECTOR side; start "
                f"the region with `{name} = pl.aiv_shard({name})`",
                (Related(f"'{name}' is made here, on the cube side", made.span), *opened),
                op=self.op_name(call),
                producer=self.op_name(made),
                name=name,
            )

    def region_in_incore(self, region: SplitAivScopeStmt) -> None:
        self.report(
            "aiv-region-in-incore",
            "h",
            _header(region),
            f"pl.split_aiv region in '{self.function.name}', which is declared type=pl.FunctionType.InCore; drop the "
            f"type and open the region under `with pl.at(level=pl.Level.CORE_GROUP):`",
            function=self.function.name,
        )

    def loop_carries(self, loop: ForStmt | WhileStmt) -> None:
        last = trailing_yield(loop.body)
        for slot, arg in enumerate(loop.iter_args):
            ends = [("its initial value", arg.init_value)]
            if last is not None and slot < len(last.values):
                ends.append(("the value yielded back", last.values[slot]))
            for end, value in ends:
                var = as_var(value)
                made = self.facts.defs.get(var) if var is not None else None
                if made is None or made[0] is None or made[0].name not in BOUNDARY_OPS:
                    continue
                name = describe(arg, loop.span)
                boundary = dsl_name(made[0].name)
                self.report(
                    "aiv-boundary-loop-carried",
                    "i",
                    _reader(loop, arg),
                    f"'{name}' is carried over the loop back-edge, and {end} is the result of {boundary}: a crossing "
                    f"belongs to one iteration; call {boundary} inside the loop, next to the statement that reads it",
                    (
                        Related(f"{end} comes from this {boundary}", made[0].span),
                        Related("the loop that carries it", loop.span),
                    ),
                    op=made[0].name,
                    name=name,
                    end="init" if value is arg.init_value else "yield",
                    loop=loop.span,
                    crossing=made[0].span,
                )
                break

    def other_region(self, call: Call, region: SplitAivScopeStmt) -> None:
        for var, made, home in self.operands(call):
            if made is None or made.name not in BOUNDARY_OPS or home is region:
                continue
            name, boundary = describe(var, call.span), dsl_name(made.name)
            related = [Related(f"'{name}' crosses here", made.span)]
            related.append(Related("the region that reads it opens here", _header(region)))
            self.report(
                "aiv-boundary-other-region",
                "j",
                call.span,
                f"'{name}' is the result of {boundary} in a DIFFERENT pl.split_aiv region than '{self.op_name(call)}', which reads "
                f"it; move one of them so that both stand in the same region",
                tuple(related),
                op=self.op_name(call),
                boundary=made.name,
                name=name,
                region=_header(region),
                home=_header(home) if home is not None else None,
                crossing=made.span,
            )

    def check_mixed_modes(self) -> None:
        first, second = self.facts.no_split, self.facts.split
        if first is None or second is None:
            return
        calls = (call for stmt in walk_stmts(self.function.body) for call in _calls(stmt))
        order = {id(call): i for i, call in enumerate(calls)}
        early, late = sorted((first, second), key=lambda c: order[id(c)])
        a, b = _mode_text(early), _mode_text(late)
        self.report(
            "aiv-mixed-boundary-modes",
            "k",
            late.span,
            f"{dsl_name(late.name)} crosses with {b}, but {dsl_name(early.name)} in the same function crosses with {a}: "
            f"one function's crossings are all split or all unsplit; change the mode of the later region",
            (Related(f"{dsl_name(early.name)} with {a}", early.span),),
            op=late.name,
            mode=b,
            other_mode=a,
            earlier=early.span,
        )

    def operands(self, call: Call) -> Iterator[tuple[Var, Call | None, SplitAivScopeStmt | None]]:
        """Each variable argument once, with its defining call and innermost region."""
        seen: set[Var] = set()
        for arg in call.args:
            var = as_var(arg)
            if var is not None and var not in seen and var in self.facts.defs:
                seen.add(var)
                made, region = self.facts.defs[var]
                yield var, made, region


def _calls(stmt: Stmt) -> list[Call]:
    """Operator calls that a statement performs itself, inner ones included."""
    return [call for call in own_calls(stmt) if isinstance(call, Call) and not call.is_function_call]


def _extents(type_: Type) -> tuple[int | None, ...]:
    """Constant extents of a tile or tensor, None for one known at run time."""
    shape = type_.shape if isinstance(type_, (TileType, TensorType)) else ()
    return tuple(const_value(e) for e in shape)


def _quoted(name: str) -> str:
    return f"'{name}' " if name.isidentifier() else ""


def _mode_text(call: Call) -> str:
    return f"pl.SplitMode.{SplitMode(call.kwargs['split']).name}"


def _reader(loop: ForStmt | WhileStmt, arg: IterArg) -> Span:
    """The first statement of the loop that reads the carry, else the loop itself."""
    for stmt in walk_stmts(loop.body):
        for call in _calls(stmt):
            if arg in call.args and call.span.is_valid:
                return call.span
    return loop.span


def _header(region: SplitAivScopeStmt) -> Span:
    return region.span
