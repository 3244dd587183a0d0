"""Every row of the table of verified probes of the tensor catalogue: same type, or the same complaint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pypto_core import ir
from pypto_core.ops import OpError, create_op_call, get_op
from pypto_core.ops.registry import KwargType, require_user_facing
from tests.ops.probe_reader import read_argument, read_type

_SPEC = Path(__file__).parents[2] / "docs" / "spec" / "ops_tensor.md"


def _rows() -> list[tuple[str, str, str]]:
    text = _SPEC.read_text(encoding="utf-8").partition("## 9. Verified probes")[2]
    rows = re.findall(r"^\| `([\w.]+)` \| (.*?) \| (.*) \|$", text, re.MULTILINE)
    assert len(rows) > 80
    return rows


def _kwargs(op: str, text: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in re.findall(r"(\w+)=('[^']*'|[\w.-]+)", text):
        declared = get_op(op).kwarg_by_name.get(name)
        raw: Any = value.strip("'")
        if declared is not None and declared.type is KwargType.DTYPE:
            out[name] = ir.DataType.by_text[raw]
        elif declared is not None and declared.type is KwargType.PAD_VALUE:
            out[name] = ir.PadValue[raw]
        elif value.startswith("'"):
            out[name] = raw
        elif value in ("True", "False"):
            out[name] = value == "True"
        else:
            out[name] = float(value) if "." in value else int(value)
    return out


def _run(op: str, arguments: str) -> ir.Type:
    positional, _, keywords = arguments.partition(" ; kw ")
    if positional.startswith("kw "):
        positional, keywords = "", positional[3:]
    args = [
        read_argument(part, f"a{index}") for index, part in enumerate(re.findall(r"`([^`]*)`", positional))
    ]
    require_user_facing(get_op(op))
    return create_op_call(op, args, _kwargs(op, keywords)).type


def _facts(message: str) -> list[str]:
    """What must reappear whatever the wording: numbers, names of operators, types, dtypes, quoted names."""
    return re.findall(r"\d+|\w+\.[\w.]*\w|\b[A-Z]\w*[A-Z]\w*\b|'[\w.]+'|\b(?:u?int|fp|bfloat)\d+\b", message)


@pytest.mark.parametrize(("op", "arguments", "expected"), _rows())
def test_probe(op: str, arguments: str, expected: str) -> None:
    if not expected.startswith("**"):
        want = ir.print_ir(read_type(expected.replace("`", "")))
        assert ir.print_ir(_run(op, arguments)) == want
        return
    fragment = expected.partition("** ")[2].strip()
    with pytest.raises(OpError) as raised:
        _run(op, arguments)
    message = raised.value.diagnostic.message
    missing = [fact for fact in _facts(fragment) if fact not in message]
    assert not missing, f"{message!r} lacks {missing} of {fragment!r}"
