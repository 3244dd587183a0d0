"""Forms of the language that are no calls of an operator: decorators, loops, scopes, types, statements (docs/spec/language.md §1-§4).

What people read about them: signature, one paragraph, and a snippet for completion. ``place`` says where the form stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Place = Literal["decorator", "loop", "scope", "type", "statement", "value"]


@dataclass(frozen=True, slots=True)
class Form:
    """``parameters`` are the labels of what it takes, in order; ``snippet`` is the text behind the dot with tab stops."""

    path: str
    place: Place
    parameters: tuple[str, ...]
    doc: str
    snippet: str = ""
    brackets: str = "()"

    @property
    def name(self) -> str:
        """The path without the module: ``jit.incore`` of ``pl.jit.incore``."""
        return self.path.partition(".")[2]

    def signature(self) -> str:
        """The form as one writes it, with its parameters."""
        if not self.parameters and self.place in ("decorator", "type", "value"):
            return self.path
        return f"{self.path}{self.brackets[0]}{', '.join(self.parameters)}{self.brackets[1]}"


def _form(
    path: str, place: Place, parameters: str, doc: str, snippet: str = "", brackets: str = "()"
) -> Form:
    return Form(path, place, tuple(p for p in parameters.split("; ") if p), doc, snippet, brackets)


_INIT = "init_values: tuple = ()"
_BOUNDS = "start: int = 0; stop: int; step: int = 1"
_ROWS: Final = (
    # -- decorators ------------------------------------------------------------------------------------------------
    _form("pl.jit", "decorator", "*; auto_scope: bool = True",
          "Entry of a kernel: the function and the JIT functions that it calls become one program."),
    _form("pl.jit.host", "decorator", "*; auto_scope: bool = True",
          "Entry that runs on the host and may call other JIT entries."),
    _form("pl.jit.incore", "decorator", "*; level: Level | None = None",
          "A function that runs on the cores; its parameter types come from the first call."),
    _form("pl.jit.inline", "decorator", "*; auto_scope: bool = True",
          "A function that is pasted into its callers; its parameter types come from the first call."),
    _form("pl.jit.opaque", "decorator", "", "A function that the compiler keeps as a call and places by itself."),
    _form("pl.jit.extern", "decorator",
          "*; core_type: str = 'aiv'; source: str | None = None; aic_source: str | None = None; aiv_source: str | None = None; "
          "dual_aiv_dispatch: bool = False; include_dirs: list | None = None",
          "A kernel written in C++; the body is `...`."),
    _form("pl.function", "decorator",
          "*; type: FunctionType = FunctionType.Opaque; level: Level | None = None; role: Role | None = None; "
          "auto_scope: bool = True; strict_ssa: bool = False; external_source: str | None = None",
          "A function of a program: a method of a `@pl.program` class, or a program of its own.",
          "function"),
    _form("pl.program", "decorator", "*; strict_ssa: bool = False",
          "A class whose `@pl.function` methods are one program."),
    _form("pl.inline", "decorator", "",
          "A template: its body is expanded at each call, parameters stand for the argument expressions."),
    # -- loops -------------------------------------------------------------------------------------------------------
    _form("pl.range", "loop", f"{_BOUNDS}; *; {_INIT}; attrs: dict = {{}}",
          "A loop, one turn after the other. With `init_values` it carries values: `for i, (acc,) in pl.range(n, init_values=(a,))`.",
          "range(${1:stop})"),
    _form("pl.parallel", "loop", f"{_BOUNDS}; *; {_INIT}; attrs: dict = {{}}",
          "A loop whose turns do not depend on each other.", "parallel(${1:stop})"),
    _form("pl.unroll", "loop", f"{_BOUNDS}; *; attrs: dict = {{}}",
          "A loop that the compiler writes out; its bounds are constants.", "unroll(${1:stop})"),
    _form("pl.pipeline", "loop", f"{_BOUNDS}; *; stage: int; {_INIT}; attrs: dict = {{}}",
          "A loop whose turns overlap: `stage` of them are in flight.", "pipeline(${1:stop}, stage=${2:2})"),
    _form("pl.while_", "loop", "*; init_values: tuple",
          "A loop with a condition: the first statement of its body is `pl.cond(condition)`.",
          "while_(init_values=(${1:value},))"),
    _form("pl.split_aiv", "loop", "lanes: int = 2; *; mode: SplitMode",
          "A lane region: its body runs on both vector lanes (AIV). `UP_DOWN` halves rows, `LEFT_RIGHT` columns; with `NONE` each lane "
          "does a task of its own. Cube operations stay outside; values cross by `pl.aiv_shard` and `pl.aic_gather`.",
          "split_aiv(2, mode=pl.SplitMode.${1|UP_DOWN,LEFT_RIGHT,NONE|})"),
    _form("pl.spmd", "loop",
          "core_num: int; *; sync_start: bool = False; name_hint: str; optimizations: list; deps: list; allow_early_resolve: bool = False; predicate",
          "The body runs on `core_num` cores at once; the loop variable is the number of the core.",
          "spmd(${1:core_num})"),
    # -- scopes ------------------------------------------------------------------------------------------------------
    _form("pl.at", "scope",
          "level: Level; role: Role | None = None; *; optimizations: list; deps: list; no_dep_args: list; dumps: list; "
          "allow_early_resolve: bool = False; name_hint: str; windowize: bool = False",
          "Where the body runs. `pl.Level.CORE_GROUP` makes a kernel of it, for one cube core and its two vector lanes.",
          "at(level=pl.Level.CORE_GROUP${1:, name_hint=\"${2:name}\"})"),
    _form("pl.cluster", "scope", "*; name_hint: str", "The kernels in the body run on the cores of one cluster.", "cluster()"),
    _form("pl.scope", "scope", "mode: ScopeMode = ScopeMode.AUTO",
          "How the runtime tracks dependencies of the tasks in the body.", "scope(mode=pl.ScopeMode.${1|AUTO,MANUAL|})"),
    _form("pl.manual_scope", "scope", "", "The body names the dependencies of its tasks itself.", "manual_scope()"),
    _form("pl.split", "value", "mode: SplitMode", "For `optimizations=`: the compiler splits the vector work of the scope over the lanes.",
          "split(pl.SplitMode.${1|UP_DOWN,LEFT_RIGHT|})"),
    _form("pl.cross_core_slot", "value", "*; slot_num: int", "For `optimizations=`: slots of the ring between the cores.",
          "cross_core_slot(slot_num=${1:2})"),
    # -- types -------------------------------------------------------------------------------------------------------
    _form("pl.Tensor", "type", "[dims]; dtype; layout", "A tensor in global memory.", "Tensor[[${1:rows}, ${2:cols}], pl.${3:FP32}]", "[]"),
    _form("pl.Tile", "type", "[dims]; dtype; memory", "A tile in the memory of a core.", "Tile[[${1:rows}, ${2:cols}], pl.${3:FP32}]", "[]"),
    _form("pl.Scalar", "type", "dtype", "A scalar value.", "Scalar[pl.${1:INDEX}]", "[]"),
    _form("pl.Array", "type", "extent; dtype", "An array of scalars on the core.", "Array[${1:extent}, pl.${2:INT32}]", "[]"),
    _form("pl.Tuple", "type", "types", "Several values.", "Tuple[${1:types}]", "[]"),
    _form("pl.Out", "type", "tensor", "A parameter that the function writes.", "Out[${1:type}]", "[]"),
    _form("pl.InOut", "type", "tensor", "A parameter that the function reads and writes.", "InOut[${1:type}]", "[]"),
    _form("pld.DistributedTensor", "type", "[dims]; dtype", "A window over the memory of all ranks.",
          "DistributedTensor[[${1:rows}, ${2:cols}], pl.${3:FP32}]", "[]"),
    _form("pl.TensorView", "type", "*; valid_shape: list; stride: list; layout: TensorLayout; pad: PadValue",
          "How a tensor lies in memory."),
    _form("pl.TileView", "type",
          "*; valid_shape: list; stride: list; start_offset; blayout: TileLayout; slayout: TileLayout; fractal: int; pad: PadValue; compact: CompactMode",
          "How a tile lies in memory, and which part of it is valid."),
    _form("pl.MemRef", "type", "name: str; *; slots: int = 1", "An allocation that the author places."),
    # -- statements ----------------------------------------------------------------------------------------------------
    _form("pl.func_attr", "statement", "attributes: dict",
          "First statement of a function: its attributes. `{\"split\": pl.SplitMode.UP_DOWN}` lets the compiler split the vector work.",
          "func_attr({\"split\": pl.SplitMode.${1|UP_DOWN,LEFT_RIGHT|}})"),
    _form("pl.yield_", "statement", "*values", "What a turn of a loop, or an arm of an `if`, hands on: `acc = pl.yield_(new)`.", "yield_(${1:value})"),
    _form("pl.cond", "statement", "condition", "First statement of a `pl.while_` loop: whether there is another turn.", "cond(${1:condition})"),
    _form("pl.submit", "statement", "kernel; *arguments; deps: list; dumps: list; allow_early_resolve: bool = False; predicate",
          "Launches a kernel as a task: `out, task = pl.submit(self.kernel, x, deps=[...])`.", "submit(${1:kernel}, ${2:arguments})"),
    _form("pl.spmd_submit", "statement",
          "kernel; *arguments; core_num: int; sync_start: bool = False; deps: list; allow_early_resolve: bool = False",
          "Launches a kernel on several cores as one task.", "spmd_submit(${1:kernel}, ${2:arguments}, core_num=${3:n})"),
    _form("pl.static_assert", "statement", "condition; message: str",
          "Checked while compiling; a condition that is false is an error.", "static_assert(${1:condition})"),
    _form("pl.static_print", "statement", "*values", "Printed while compiling.", "static_print(${1:value})"),
    _form("pl.dump_tag", "statement", "tensor", "Later kernel calls that take the tensor dump it.", "dump_tag(${1:tensor})"),
    # -- values --------------------------------------------------------------------------------------------------------
    _form("pl.const", "value", "value; dtype", "A literal with a dtype of its own.", "const(${1:value}, pl.${2:INT32})"),
    _form("pl.dynamic", "value", "name: str", "A dimension that is known at run time only; one symbol per name.", "dynamic(\"${1:M}\")"),
    _form("pl.no_dep", "value", "tensor", "An argument that makes no dependency.", "no_dep(${1:tensor})"),
)  # fmt: skip

FORMS: Final[dict[str, Form]] = {form.path: form for form in _ROWS}


def find_form(path: str) -> Form | None:
    """The form spelled ``path``, or None."""
    return FORMS.get(path)


#: What people call the memory spaces.
SPACE_NAMES: Final[dict[str, str]] = {
    "Vec": "UB",
    "Mat": "L1",
    "Left": "L0A",
    "Right": "L0B",
    "Acc": "L0C",
    "Bias": "BT",
    "LeftScale": "L0A scale",
    "RightScale": "L0B scale",
}
#: What the members of enumerations mean.
MEMBERS: Final[dict[str, str]] = {
    "pl.Mem.DDR": "Global memory.",
    "pl.Mem.Vec": "Unified buffer of a vector lane (AIV).",
    "pl.Mem.Mat": "L1 of the cube core (AIC): operands wait here.",
    "pl.Mem.Left": "L0A of the cube core: the left operand of a product.",
    "pl.Mem.Right": "L0B of the cube core: the right operand of a product.",
    "pl.Mem.Acc": "L0C of the cube core: where products accumulate.",
    "pl.Mem.Bias": "Bias table of the cube core.",
    "pl.Mem.ScalarLocal": "Scalars of a core.",
    "pl.Mem.LeftScale": "Scales of the left operand of an MX product.",
    "pl.Mem.RightScale": "Scales of the right operand of an MX product.",
    "pl.SplitMode.NONE": "Both lanes run the body; nothing is halved.",
    "pl.SplitMode.UP_DOWN": "Rows are halved: lane 0 has the upper rows, lane 1 the lower ones.",
    "pl.SplitMode.LEFT_RIGHT": "Columns are halved: lane 0 has the left columns, lane 1 the right ones.",
    "pl.FunctionType.Opaque": "The compiler decides where the function runs.",
    "pl.FunctionType.Orchestration": "Runs on the controlling processor and launches kernels.",
    "pl.FunctionType.InCore": "Runs on a core: cube, vector, or both.",
    "pl.FunctionType.AIC": "Runs on the cube core.",
    "pl.FunctionType.AIV": "Runs on the vector lanes.",
    "pl.FunctionType.Group": "Runs an AIC and an AIV function together.",
    "pl.FunctionType.Spmd": "Runs on several cores at once.",
    "pl.FunctionType.Inline": "Is pasted into its callers.",
    "pl.Level.CORE_GROUP": "One cube core with its two vector lanes.",
    "pl.Level.CHIP": "One chip.",
    "pl.Level.HOST": "The host.",
}
