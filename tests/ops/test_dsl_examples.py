"""Every executed example of the callable table: what it prints, or that it is rejected with the same facts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pypto_core import ir
from pypto_core.ops import OpError
from tests.ops.dsl_lines import Line, environment

_SPEC = Path(__file__).parents[2] / "docs" / "spec" / "dsl_ops.yaml"


#: Accepted by the compiler the table was made with, refused by the newer rule (ops_tile.md §9, seed fact 1).
_REFUSED_SINCE = {"z = pl.scatter_update(a, -2, ti, b)"}


def _entries() -> list[dict[str, Any]]:
    with _SPEC.open(encoding="utf-8") as stream:
        table: dict[str, Any] = yaml.load(stream, Loader=yaml.CSafeLoader)
    return list(table["ops"])


def _examples(key: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{entry['name']}-{number}")
        for entry in _entries()
        for number, row in enumerate(entry.get(key, ()))
    ]


def _line(row: dict[str, Any]) -> Line:
    return Line(row["dsl"], environment(row.get("dt", "FP32"), row.get("it", "INT32")))


@pytest.mark.parametrize("row", _examples("verified"))
def test_verified(row: dict[str, Any]) -> None:
    line = _line(row)
    if row["dsl"] in _REFUSED_SINCE:
        with pytest.raises(OpError):
            line.value()
        return
    statement = line.statement()
    value = statement.value if isinstance(statement, ir.AssignStmt) else line.value()
    name = value.name if isinstance(value, ir.Call) else type(value).__name__
    assert name == row["op"] or row["prints"].endswith("]")
    if "_tuple_tmp[" in row["prints"]:
        # The second name of an unpacked pair: its type is that element of the call's tuple.
        index = int(row["prints"].rpartition("[")[2][:-1])
        assert isinstance(value.type, ir.TupleType)
        assert row["prints"].partition(": ")[2].startswith(ir.print_ir(value.type.types[index]))
        return
    annotated = re.match(r"\w+: (pl\.Tile\[.*?\]) = ", row["dsl"])
    if annotated:
        # The author's annotation gives the type; the call alone has none.
        assert ir.print_ir(statement).endswith(row["prints"].rpartition(" = ")[2])
        return
    assert ir.print_ir(statement) == row["prints"]


@pytest.mark.parametrize("row", _examples("rejected"))
def test_rejected(row: dict[str, Any]) -> None:
    if row["error"] == "ParserTypeError":
        with pytest.raises(KeyError):
            _line(row).value()
        return
    with pytest.raises(OpError) as raised:
        _line(row).value()
    diagnostic = raised.value.diagnostic
    # The operator's name stands in front in our words (docs/spec/language.md §7.5); the sentence is the compiler's.
    says = re.sub(r"^(pl(?:\.\w+)? operation '\w+'|pl\.\w+): ", "", row["says"])
    assert says in diagnostic.message
    assert diagnostic.span.is_valid
    assert "Expected: pl" in diagnostic.message
