"""Words of the printed form: numbers and strings (docs/spec/ir.md §4)."""

from __future__ import annotations

import math


class PrintError(ValueError):
    """The node has no printed form (an internal fault of whoever built it)."""


def format_float(value: float) -> str:
    """``%.17g``, with ``.0`` appended to a finite text that would read as an integer."""
    text = f"{value:.17g}"
    return text + ".0" if math.isfinite(value) and not set(".eE") & set(text) else text


def quote(text: str) -> str:
    """Attribute string: double quotes, only ``"`` and ``\\`` escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


#: class -> (level, symbol); levels of §4.4, low binds weakest.
