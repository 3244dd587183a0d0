"""Some findings in plainer words than those that the compiler's own report has to have.

The message of a verifier or pass holds what the reference compiler says. What is published says in the author's words what is wrong, why,
and what to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pypto_core.diagnostics import Diagnostic
from pypto_core.passes.pipeline import ALL_PASSES

Data = Mapping[str, Any]


def plain_message(finding: Diagnostic) -> str:
    """The message for the author; operators and names are still those of the program that the check saw."""
    if finding.code == "op-shape" and _READ.match(finding.span.text):
        return _tidy(_CLAMP.sub(_SHORTER, finding.message))
    tell = _PLAINER.get(finding.code)
    if tell is not None:
        try:
            return tell(finding.data)
        except KeyError:  # the same code from a check that knows less
            pass
    return _tidy(finding.message)


def _written_dtype(data: Data) -> str:
    expected, target, value = data["expected"], data["target"], data["value"]
    return (
        f"'{target}' holds {expected}, but what is written to it, '{value}', is {data['got']}; make the value {expected} (pl.cast, or "
        f"out_dtype= of pl.matmul), or declare '{target}' as pl.{data['got']}"
    )


def _short_rows(data: Data) -> str:
    row, bits, wanted = data["bytes"], data["dtype"].bits, data["recommended"]
    return (
        f"'{data['op']}' moves rows of {row}B ({data['elements']} x {data['dtype'].name}, {data['space']}); {data['arch']} is only "
        f"fast with rows of {wanted}B or more: make the last dimension of the tile at least {wanted * 8 // bits} "
        "where the data allows it"
    )


def _inout_use(data: Data) -> str:
    """Without the line of the call, which moves while the finding stays; a related place shows it."""
    instead = f"; read its result '{data['replacement']}' instead" if "replacement" in data else ""
    return (
        f"'{data['name']}' is read after it was passed to '{data['callee']}' as an Out or InOut argument in function "
        f"'{data['function']}'{instead}"
    )


def _cube_in_region(data: Data) -> str:
    half = "" if data["mode"] == "NONE" else ", and each lane holds only half the tile"
    return (
        f"cube op '{data['op']}' inside a pl.split_aiv region: the region runs on the vector lanes, which have no cube unit{half}; "
        "move the statement above or below the region"
    )


def _boundary_outside(data: Data) -> str:
    return (
        f"'{data['op']}' stands outside every pl.split_aiv region, where there are no lanes to give a share to or to gather from; wrap it in "
        "`for lane in pl.split_aiv(2, mode=...):`"
    )


def _unnamed_gather(data: Data) -> str:
    name = data["name"]
    return (
        f"'{name}' is made on the vector lanes, inside a pl.split_aiv region, and read by '{data['op']}' on the cube core, which does not see "
        f"their memory; end the region with `{name} = pl.aic_gather({name})`, which brings it across"
    )


def _unnamed_shard(data: Data) -> str:
    name = data["name"]
    return (
        f"'{name}' is made by '{data['producer']}' on the cube core and read by '{data['op']}' on the vector lanes, which do not see its "
        f"memory; start the region with `{name} = pl.aiv_shard({name})`, which brings it across"
    )


def _inline_recursion(data: Data) -> str:
    first, *more = data["cycle"]
    what = (
        f"'{first}' calls itself"
        if more == [first]
        else f"these call each other in a circle: {' -> '.join(data['cycle'])}"
    )
    return f"{what}; an inline function is copied into its caller, so the copying would never end: break the circle, or drop the inline type"


def _orphan(data: Data) -> str:
    return (
        f"'{data['op']}' computes on tensors outside every device block, where no core runs it; put the statement under "
        "`with pl.at(level=pl.Level.CORE_GROUP):`"
    )


def _no_cast(data: Data) -> str:
    source, target = (_DTYPES.get(data[key], data[key]) for key in ("source", "target"))
    return (
        f"{data['arch']} cannot convert {source} to {target}, not even in several steps that keep the values; cast to a type in between "
        "by yourself, or keep the type"
    )


def _unroll_trips(data: Data) -> str:
    return (
        f"pl.unroll would copy its body {data['trips']} times, and at most {data['limit']} copies are made; shorten the range, or use "
        "pl.range"
    )


def _unused(data: Data) -> str:
    if data["has_effect"]:
        back = (
            ""
            if data["returned"]
            else f"if the kernel is to give it back, end with `return {data['name']}`; otherwise "
        )
        return f"'{data['name']}' is never read: {back}drop the name and keep the call, which has an effect"
    return f"'{data['name']}' is never read: delete the assignment, or let the name begin with _ if that is meant"


_PLAINER: Final[dict[str, Callable[[Data], str]]] = {
    "aiv-boundary-outside-region": _boundary_outside,
    "aiv-cube-in-region": _cube_in_region,
    "aiv-unnamed-gather": _unnamed_gather,
    "aiv-unnamed-shard": _unnamed_shard,
    "cast-no-path": _no_cast,
    "inline-recursion": _inline_recursion,
    "inout-use": _inout_use,
    "op-dtype": _written_dtype,
    "orphan-operator": _orphan,
    "tile-innermost-dim": _short_rows,
    "unroll-trips": _unroll_trips,
    "unused-variable": _unused,
}

#: ``'pl.tile.sin': The operator tile.sin is FP32-only`` names its operator twice.
_TWICE = re.compile(r"^('(?:\w+\.)*?(?:\w+)'): (?:The operator )?'?((?:\w+\.)+\w+)'?(:?) ")
#: ``tile.add: The operator tile.add requires ...`` too.
_TWICE_BARE = re.compile(r"^((?:\w+\.)+(\w+)): The operator (?:\w+\.)+\2(?= )")
#: A read in brackets, which takes no options.
_READ = re.compile(r"[A-Za-z_]\w*\[")
_CLAMP = re.compile(
    r"\. Pass clamp=True to cut the window.*?source(?:, or a valid_shape that stays inside it\.)?"
)
_SHORTER = (
    "; end it earlier, or write pl.slice(..., clamp=True), which cuts the window at the end of the source"
)
_NUMBER = re.compile(r"\bConst(?:Int|Float|Bool)\b")
_DTYPES: Final[dict[str, str]] = {
    "bfloat16": "BF16",
    **{f"{kind}{bits}": f"{kind.upper()}{bits}" for kind in ("int", "uint") for bits in (4, 8, 16, 32, 64)},
    "fp4": "FP4",
    "fp16": "FP16",
    "fp32": "FP32",
}
#: A dtype as the IR writes it, outside of the author's own text in quotes.
_DTYPE = re.compile(rf"('[^']*'|`[^`]*`)|(?<![\w.])({'|'.join(_DTYPES)})(?![\w.(])")


_PASSES = "|".join(ALL_PASSES)
#: ``FlattenTileNdTo2D: tile op ...`` begins with the pass that says it.
_SPEAKER = re.compile(rf"^(?:{_PASSES}): ")
_PASS = re.compile(rf"(^|\. )?(?:{_PASSES})\b")


#: Words of the compiler's trade, and what an author calls it.
_TRADE: Final[tuple[tuple[str, str], ...]] = (
    ("over the loop back-edge", "from one turn of the loop to the next"),
    ("the auto-inferred shape", "the one that follows from the dtype"),
    ("GM tensor ", "tensor "),
    ("mixes MTE3 and scalar stores in one InCore function", "is written both by tiles and by single elements in one kernel"),
    ("the active backend provides", "the chip has"),
    ("is already resident in", "is already in"),
    ("type object 'MemorySpace' has no attribute", "pl.Mem has no member"),
    ("dtype `index`", "dtype pl.INDEX"),
    ("it expects MemorySpace", "it expects a member of pl.Mem"),
)  # fmt: skip


def _tidy(message: str) -> str:
    """No pass by name, no operator twice, numbers and dtypes as the author writes them."""
    for trade, plain in _TRADE:
        if trade in message:
            message = message.replace(trade, plain)
    message = _PASS.sub(_compiler, _SPEAKER.sub("", message))
    if message.startswith("'"):
        message = _TWICE.sub(_once, message)
    elif ": The operator " in message:
        message = _TWICE_BARE.sub(r"\1", message)
    if "Const" in message:
        message = _NUMBER.sub("a number", message)
    return _DTYPE.sub(lambda m: m.group(1) or _DTYPES[m.group(2)], message)


def _compiler(match: re.Match[str]) -> str:
    start: str | None = match.group(1)
    return "the compiler" if start is None else f"{start}The compiler"


def _once(match: re.Match[str]) -> str:
    quoted, again, colon = match.groups()
    same = quoted[1:-1].rpartition(".")[2] == again.rpartition(".")[2]
    return f"{quoted}{colon} " if same else match.group()
