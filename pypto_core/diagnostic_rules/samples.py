"""Whole small programs around the lines that matter, for the rows of the table of codes.

Parameters are one string, separated by ``;``. ``«`` and ``»`` mark what the finding covers (:class:`pypto_core.diagnostics.Rule`).
"""

from __future__ import annotations

from textwrap import dedent, indent

#: A tensor whose rows fill a burst on both chips.
T = "pl.Tensor[[64, 128], pl.FP32]"
_HEAD = "import pypto.language as pl\n"
_DISTRIBUTED = "import pypto.language.distributed as pld\n"


def function(body: str, params: str, result: str = T, kind: str = "", name: str = "kernel") -> str:
    """A function of a program; ``kind`` is a member of ``pl.FunctionType``, empty for a function without a type."""
    decorator = f"@pl.function(type=pl.FunctionType.{kind})" if kind else "@pl.function"
    lines = [f"{p.strip()}," for p in params.split(";") if p.strip()]
    arrow = f" -> {result}" if result else ""
    head = f"{decorator}\ndef {name}(\n" + indent("\n".join(["self,", *lines]), " " * 4) + f"\n){arrow}:\n"
    return head + indent(dedent(body).strip("\n"), " " * 4) + "\n"


def program(*functions: str, distributed: bool = False) -> str:
    """A file with one program of these functions."""
    head = _HEAD + (_DISTRIBUTED if distributed else "") + "\n\n@pl.program\nclass Example:\n"
    return head + "\n".join(indent(f, " " * 4) for f in functions)


def one(body: str, params: str, result: str = T, kind: str = "") -> str:
    """A file with one program of one function."""
    return program(function(body, params, result, kind))
