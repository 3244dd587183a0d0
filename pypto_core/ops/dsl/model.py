"""Callables of the language: signature, what they become, documentation (docs/spec/dsl_ops.yaml).

A :class:`DslCallable` is what completion, signature help, hover and the resolver read. The rows live in
`tables/`, the texts in `documentation.py`; both are data, nothing here calls an operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ParamKind = Literal["positional", "keyword", "rest", "rest_keywords"]


@dataclass(frozen=True, slots=True)
class CallableRow:
    """One row of `tables/`; see :func:`row`."""

    signature: str
    operators: tuple[str, ...]
    scalar: str | None
    same_as: str | None
    printed_only: bool
    construct: bool


def row(
    signature: str,
    operators: str = "",
    *,
    scalar: str | None = None,
    same_as: str | None = None,
    printed_only: bool = False,
    construct: bool = False,
) -> CallableRow:
    """A table row.

    ``signature``: ``name(param: Kind = default, *, ...) -> Result``. ``operators``: IR operators a call can become.
    ``scalar``: the expression node built when every operand is a scalar. ``same_as``: the namespaced callable
    this unified name stands for. ``printed_only``: exists only as printed IR. ``construct``: a marker that
    the statement or call reader understands, never an operator call.
    """
    return CallableRow(signature, tuple(operators.split()), scalar, same_as, printed_only, construct)


@dataclass(frozen=True, slots=True)
class DslParam:
    """One parameter: name, how it binds, what it accepts (annotation text), default (source text) and meaning."""

    name: str
    kind: ParamKind
    annotation: str
    default: str | None
    doc: str

    @property
    def required(self) -> bool:
        """Whether a call has to give it."""
        return self.default is None and self.kind in ("positional", "keyword")

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The alternatives of the annotation: ``("Tensor", "Tile")`` for ``Tensor | Tile``; empty = anything."""
        return tuple(part.strip() for part in self.annotation.split("|")) if self.annotation else ()

    def label(self) -> str:
        """The parameter as a signature shows it."""
        prefix = {"rest": "*", "rest_keywords": "**"}.get(self.kind, "")
        text = prefix + self.name
        if self.annotation:
            text += f": {self.annotation}"
        if self.default is not None:
            text += f" = {self.default}" if self.annotation else f"={self.default}"
        return text


@dataclass(frozen=True, slots=True)
class DslCallable:
    """A callable of ``pl`` or ``pld``.

    ``path`` is the spelled name (``pl.tile.load``), ``operators`` the IR operators that a call can become, ``scalar``
    the scalar expression node when all operands are scalars, ``same_as`` the namespaced callable that a
    unified name forwards to, ``summary`` the first sentence of the documentation and ``details`` the rest.
    """

    path: str
    params: tuple[DslParam, ...]
    returns: str
    operators: tuple[str, ...]
    scalar: str | None
    same_as: str | None
    printed_only: bool
    construct: bool
    summary: str
    details: str

    @property
    def namespace(self) -> str:
        """``pl``, ``pl.tile``, ``pld.tensor`` ..."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The last part of the path: ``load`` of ``pl.tile.load``."""
        return self.path.rpartition(".")[2]

    def param_labels(self) -> tuple[str, ...]:
        """Labels in call order, with the lone ``*`` where keyword-only parameters begin."""
        labels: list[str] = []
        starred = False
        for param in self.params:
            if param.kind == "keyword" and not starred:
                labels.append("*")
            starred = starred or param.kind in ("keyword", "rest")
            labels.append(param.label())
        return tuple(labels)

    def signature(self) -> str:
        """``pl.add(lhs: Tensor | Tile, rhs: ...) -> Tensor | Tile``."""
        result = f" -> {self.returns}" if self.returns else ""
        return f"{self.path}({', '.join(self.param_labels())}){result}"

    def param(self, name: str) -> DslParam | None:
        """The parameter of this name, None when there is none."""
        for param in self.params:
            if param.name == name:
                return param
        return None
