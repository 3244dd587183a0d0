"""The catalogue of callables, built once from the tables and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import Final

from pypto_core.ops.dsl.documentation import DOCUMENTATION, PARAMETERS, Documentation
from pypto_core.ops.dsl.model import CallableRow, DslCallable, DslParam
from pypto_core.ops.dsl.signature import parse_signature
from pypto_core.ops.dsl.tables import control, distributed, tensor, tile, unified

#: Namespaces below which only operators live; anything else under them is an error of its own.
NAMESPACES: Final = ("pl", "pl.tensor", "pl.tile", "pl.system", "pl.array", "pl.prefetch", "pld", "pld.tensor", "pld.tile", "pld.system")  # fmt: skip


def documentation_of(namespace: str, name: str) -> Documentation:
    """The text for ``name`` in ``namespace``; an override such as ``tile.gather`` wins."""
    category = namespace.rpartition(".")[2]
    found = DOCUMENTATION.get(f"{category}.{name}")
    return found if found is not None else DOCUMENTATION[name]


def _param_doc(name: str, param: str) -> str:
    return PARAMETERS.get(f"{name}.{param}", "") or PARAMETERS.get(param, "")


def _build(namespace: str, line: CallableRow) -> DslCallable:
    name, params, returns = parse_signature(line.signature)
    text = documentation_of(namespace, name).text
    summary, stop, details = text.partition(". ")
    return DslCallable(
        path=f"{namespace}.{name}",
        params=tuple(
            DslParam(p.name, p.kind, p.annotation, p.default, _param_doc(name, p.name)) for p in params
        ),
        returns=returns,
        operators=line.operators,
        scalar=line.scalar,
        same_as=line.same_as,
        printed_only=line.printed_only,
        construct=line.construct,
        summary=summary + "." if stop else summary,
        details=details,
    )


@cache
def callables() -> Mapping[str, DslCallable]:
    """Every callable by path (``pl.add``, ``pl.tile.load``, ``pld.tensor.put``), in catalogue order."""
    tables: dict[str, tuple[CallableRow, ...]] = {
        "pl": unified.ROWS,
        "pl.tensor": tensor.ROWS,
        "pl.tile": tile.ROWS,
        **control.NAMESPACES,
        **distributed.NAMESPACES,
    }
    built = (_build(namespace, line) for namespace, rows in tables.items() for line in rows)
    return MappingProxyType({callee.path: callee for callee in built})


def find_callable(path: str) -> DslCallable | None:
    """The callable spelled ``path``, or None."""
    return callables().get(path)


def members(namespace: str) -> tuple[DslCallable, ...]:
    """Callables directly below ``namespace``, by name."""
    return tuple(sorted((c for c in callables().values() if c.namespace == namespace), key=lambda c: c.name))


def near_names(path: str) -> tuple[str, ...]:
    """Spellings that ``path`` may have meant: the same name elsewhere first, then close names in its namespace."""
    namespace, _, name = path.rpartition(".")
    elsewhere = [c.path for c in callables().values() if c.name in (name, name + "_") and c.path != path]
    local = {c.name: c.path for c in members(namespace)}
    close = [local[n] for n in get_close_matches(name, sorted(local), 3, 0.6)]
    return tuple(dict.fromkeys((*elsewhere[:2], *close)))


def hover_text(callee: DslCallable) -> str:
    """Documentation, parameters, operators and executing core as Markdown."""
    from pypto_core.ops.dsl.documentation import CORE_TEXTS

    doc = documentation_of(callee.namespace, callee.name)
    lines = [doc.text, ""]
    lines += [f"- `{p.label()}`: {p.doc}" for p in callee.params if p.doc]
    if callee.operators:
        lines += ["", "Becomes " + ", ".join(f"`{name}`" for name in callee.operators) + "."]
    lines.append(f"It {CORE_TEXTS[doc.core]}.")
    return "\n".join(lines)
