"""The report of the front end counts what it says it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import front_report
from tools.front_report import Share, catalogue, codes_tested, jit_entries, names_resolved


def test_runs_on_a_few_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert front_report.main(["--files", "2", "--names"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if not line.startswith("    ")] == [
        "module-level names resolved",
        "JIT entries structurally equal",
        "catalogue errors with tests",
    ]


def test_a_share_names_what_is_missing() -> None:
    share = Share("things")
    share.count("one", True)
    share.count("two", False)
    assert share.rest == ["two"]
    assert str(share).split() == ["things", "1", "/", "2", "50.0", "%"]


def test_names_without_value_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "k.py"
    file.write_text("import torch\nN = 4\nD = torch.cuda.device_count()\n")
    monkeypatch.setattr(front_report, "GOLDEN", tmp_path)
    share = names_resolved([file])
    assert (share.total, share.rest) == (3, ["k.py: torch", "k.py: D"])


def test_entries_are_compared_with_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    source = front_report.GOLDEN / "kernels" / "half_rotate.py"
    text, record = source.read_text(), source.with_suffix(".yaml").read_text()
    (kernels / "half_rotate.yaml").write_text(record)
    (kernels / "half_rotate.py").write_text(text)
    monkeypatch.setattr(front_report, "GOLDEN", tmp_path)
    share = jit_entries([kernels / "half_rotate.py"])
    assert share.total > 0
    assert share.rest == []
    (kernels / "half_rotate.py").write_text(text.replace("pl.mul(", "pl.add("))
    assert jit_entries([kernels / "half_rotate.py"]).rest != []


def test_every_code_of_the_catalogue_has_a_test() -> None:
    assert {"text-kind", "boolop-unsupported", "attrs-annotation-only", "jit-bare-tensor"} <= set(catalogue())
    assert codes_tested().rest == []
