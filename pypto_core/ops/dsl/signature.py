"""Reads the signature text of a table row and binds call arguments to it (ordinary Python call binding)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, Generic, TypeVar

from pypto_core.ops.dsl.model import DslCallable, ParamKind

T = TypeVar("T")

_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


def split_top_level(text: str, separator: str) -> list[str]:
    """Splits at separators outside brackets and quotes: ``"a, [b, c]"`` gives ``["a", "[b, c]"]``."""
    parts: list[str] = []
    depth = 0
    quote = ""
    start = 0
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    if last:
        parts.append(last)
    return parts


@dataclass(frozen=True, slots=True)
class ParsedParam:
    name: str
    kind: ParamKind
    annotation: str
    default: str | None


def parse_signature(text: str) -> tuple[str, tuple[ParsedParam, ...], str]:
    """``"f(a: Tile, *, b: int = 0) -> Tile"`` as (name, parameters, result)."""
    head, _, tail = text.partition("(")
    inside, _, result = tail.rpartition(")")
    params: list[ParsedParam] = []
    keyword_only = False
    for item in split_top_level(inside, ","):
        if item == "*":
            keyword_only = True
            continue
        kind: ParamKind = "keyword" if keyword_only else "positional"
        if item.startswith("**"):
            kind, item = "rest_keywords", item[2:]
        elif item.startswith("*"):
            kind, item, keyword_only = "rest", item[1:], True
        declaration, equals, default = item.partition("=")
        name, _, annotation = declaration.partition(":")
        params.append(
            ParsedParam(name.strip(), kind, annotation.strip(), default.strip() if equals else None)
        )
    return head.strip(), tuple(params), result.removeprefix(" ->").strip()


@dataclass(slots=True)
class BoundArguments(Generic[T]):
    """Arguments by parameter name; ``origin`` maps a parameter to the argument it came from (index or keyword)."""

    values: dict[str, T] = field(default_factory=dict)
    rest: list[T] = field(default_factory=list)
    rest_keywords: dict[str, T] = field(default_factory=dict)
    origin: dict[str, int | str] = field(default_factory=dict)


#: ``BindError.fault`` of a keyword that the callable does not have.
UNKNOWN_KEYWORD: Final = "keyword"


@dataclass(frozen=True, slots=True)
class BindError(Exception):
    """Why the arguments do not fit the signature; ``argument`` is the index or keyword at fault, None if absent."""

    reason: str
    argument: int | str | None
    suggestion: str | None = None
    fault: str = "arity"


def _names(names: Sequence[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    if len(quoted) == 1:
        return quoted[0]
    return ", ".join(quoted[:-1]) + (" and " if len(quoted) == 2 else ", and ") + quoted[-1]


def bind(callee: DslCallable, args: Sequence[T], kwargs: Mapping[str, T]) -> BoundArguments[T]:
    """Binds as Python does.

    Raises:
        BindError: too many or missing arguments, an unknown keyword (with the closest parameter name), a
            parameter given twice.
    """
    bound: BoundArguments[T] = BoundArguments()
    positional = [param for param in callee.params if param.kind == "positional"]
    has_rest = any(param.kind == "rest" for param in callee.params)
    has_rest_keywords = any(param.kind == "rest_keywords" for param in callee.params)
    for index, value in enumerate(args):
        if index < len(positional):
            bound.values[positional[index].name] = value
            bound.origin[positional[index].name] = index
        elif has_rest:
            bound.rest.append(value)
        else:
            raise _too_many(callee, len(positional), len(args))
    named = {param.name for param in callee.params if param.kind in ("positional", "keyword")}
    for key, value in kwargs.items():
        if key in bound.values:
            raise BindError(f"{callee.name}() got multiple values for argument '{key}'", key)
        if key in named:
            bound.values[key] = value
            bound.origin[key] = key
        elif has_rest_keywords:
            bound.rest_keywords[key] = value
        else:
            raise _unknown_keyword(callee, key, named - bound.values.keys() - kwargs.keys(), named)
    missing = [param.name for param in callee.params if param.required and param.name not in bound.values]
    if missing:
        kind = (
            "keyword-only " if callee.param(missing[0]) in callee.params[len(positional) :] else "positional "
        )
        plural = "s" if len(missing) > 1 else ""
        raise BindError(
            f"{callee.name}() missing {len(missing)} required {kind}argument{plural}: {_names(missing)}", None
        )
    return bound


def _too_many(callee: DslCallable, limit: int, given: int) -> BindError:
    required = sum(1 for param in callee.params if param.kind == "positional" and param.required)
    takes = str(limit) if required == limit else f"from {required} to {limit}"
    plural = "" if limit == 1 else "s"
    verb = "was" if given == 1 else "were"
    return BindError(
        f"{callee.name}() takes {takes} positional argument{plural} but {given} {verb} given", limit
    )


def _unknown_keyword(callee: DslCallable, key: str, free: set[str], named: set[str]) -> BindError:
    near = get_close_matches(key, sorted(free), 1, 0.6) or get_close_matches(key, sorted(named), 1, 0.6)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return BindError(
        f"{callee.name}() got an unexpected keyword argument '{key}'{hint}",
        key,
        near[0] if near else None,
        UNKNOWN_KEYWORD,
    )
