"""How much the front end understands: three numbers over the golden cases and the catalogue of docs/spec/language.md §7.

python -m tools.front_report                   the numbers
python -m tools.front_report --names           and what is behind the rest: names without value, entries that differ, codes without test
python -m tools.front_report --files 3         of the first golden files alone
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from pypto_core.diagnostics import rules
from pypto_core.frontend import parse
from pypto_core.frontend.modules import FileResolver, ModuleFile
from pypto_core.frontend.parse import parse_module
from pypto_core.frontend.static_eval.graph import ModuleGraph
from pypto_core.frontend.static_eval.values import External
from pypto_core.ir import structural_equal

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
#: Codes of the catalogue that an editor cannot report, with the reason.
NOT_HERE = {"text-exec": "the text is never executed"}
_ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)
_SLUG = re.compile(r"`([a-z][a-z-]+)(?: \(\w\))?`")


@dataclass(slots=True)
class Share:
    """So many of so many; ``rest`` names what is missing."""

    what: str
    total: int = 0
    rest: list[str] = field(default_factory=list)

    def count(self, name: str, good: bool) -> None:
        self.total += 1
        if not good:
            self.rest.append(name)

    def __str__(self) -> str:
        good = self.total - len(self.rest)
        share = 100 * good / self.total if self.total else 100.0
        return f"{self.what:<34}{good:>6} / {self.total:<6}{share:6.1f} %"


class Disk:
    """The golden files."""

    def read(self, path: str) -> str | None:
        file = Path(path)
        return file.read_text(encoding="utf-8") if file.is_file() else None

    def is_directory(self, path: str) -> bool:
        return Path(path).is_dir()


def names_resolved(files: Sequence[Path]) -> Share:
    """Module-level names with a value, over modules each of which is its own root."""
    share = Share("module-level names resolved")
    for file in files:
        resolver = FileResolver(Disk())
        root = ModuleFile(resolver.root_name(str(file)), str(file), file.read_text(encoding="utf-8"))
        module = ModuleGraph(root, resolver).root
        for name in module.names:
            value = module.value(name)
            if not name.startswith("__") and value is not None:
                known = not value.is_unknown and not isinstance(value.data, External)
                share.count(f"{file.relative_to(GOLDEN)}: {name}", known)
    return share


def jit_entries(files: Sequence[Path]) -> Share:
    """JIT functions whose program is structurally the recorded one."""
    share = Share("JIT entries structurally equal")
    for record, main in _records(files):
        resolver = FileResolver(Disk())
        text = main.read_text(encoding="utf-8")
        programs = parse_module(ModuleFile(main.stem, str(main), text), resolver).programs
        for name, entry in record["entries"].items():
            if entry["kind"].startswith("jit"):
                made, recorded = programs.get(name), parse(entry["program"]).program
                equal = made is not None and recorded is not None and structural_equal(made, recorded, True)
                share.count(f"{main.relative_to(GOLDEN)}: {name}", equal)
    return share


def _records(files: Sequence[Path]) -> Iterator[tuple[dict[str, dict[str, dict[str, str]]], Path]]:
    for path in sorted((GOLDEN / "kernels").glob("*.yaml")):
        if path.name.count(".") == 1:  # others record further chips
            record = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
            main = path.parent / record.get("main", f"{path.stem}.py")
            if main in files and "entries" in record:
                yield record, main


def catalogue() -> list[str]:
    """Codes of docs/spec/language.md §7, in its order."""
    text = (ROOT / "docs" / "spec" / "language.md").read_text(encoding="utf-8")
    section = text[text.index("\n## 7. ") : text.index("\n## 8. ")]
    found = [slug for row in _ROW.findall(section) for slug in _SLUG.findall(row)]
    return list(dict.fromkeys(found))


def codes_tested() -> Share:
    """Codes with a failing kernel and a near twin in the table of codes, or a reason why no kernel can show them.

    The tests run every such kernel (``tests/frontend/test_catalogue.py`` and those of the other rooms).
    """
    share = Share("catalogue errors with tests")
    table = rules()
    for code in catalogue():
        if code not in NOT_HERE:
            rule = table.get(code)
            share.count(code, rule is not None and bool((rule.failing and rule.repaired) or rule.no_source))
    return share


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="front_report", description=__doc__.splitlines()[0])
    parser.add_argument("--names", action="store_true", help="list what is behind the rest")
    parser.add_argument("--files", type=int, metavar="N", help="look at the first N golden files alone")
    options = parser.parse_args(arguments)
    files = sorted(GOLDEN.rglob("*.py"))[: options.files]
    for share in (names_resolved(files), jit_entries(files), codes_tested()):
        print(share)
        for name in share.rest if options.names else ():
            print(f"    {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
