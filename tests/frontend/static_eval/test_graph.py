"""Module graphs: one per root, dependencies of names, moments, settings of the process, values given by the caller."""

from __future__ import annotations

from typing import Any

from pypto_core.frontend.modules import FileResolver, ModuleFile, TextResolver
from pypto_core.frontend.static_eval.display import history, show
from pypto_core.frontend.static_eval.graph import ModuleGraph, ProcessSettings
from pypto_core.frontend.static_eval.values import InstanceData, Provenance


class MemoryFiles:
    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def is_directory(self, path: str) -> bool:
        return any(name.startswith(path + "/") for name in self.files)


def graph_of(files: dict[str, str], root: str, **options: Any) -> ModuleGraph:
    resolver = FileResolver(MemoryFiles(files))
    return ModuleGraph(ModuleFile(resolver.root_name(root), root, files[root]), resolver, **options)


def data(graph: ModuleGraph, name: str) -> object:
    value = graph.root.value(name)
    assert value is not None
    return value.data


def test_each_root_has_its_own_values() -> None:
    files = {
        "/w/config.py": "EP = 1\n",
        "/w/two.py": "import config\nconfig.EP = 2\nfrom kernels import SHARDS\n",
        "/w/four.py": "import config\nconfig.EP = 4\nfrom kernels import SHARDS\n",
        "/w/kernels.py": "from config import EP\nSHARDS = 256 // EP\n",
    }
    assert data(graph_of(files, "/w/two.py"), "SHARDS") == 128
    assert data(graph_of(files, "/w/four.py"), "SHARDS") == 64
    alone = graph_of(files, "/w/kernels.py")
    assert data(alone, "SHARDS") == 256
    assert not any(m.stored_from_outside for m in alone.modules.values())
    stored = graph_of(files, "/w/two.py").modules["/w/config.py"].stored_from_outside
    assert stored == {"EP"}


def test_reads_are_the_names_that_went_into_a_value() -> None:
    text = "A = 2\nB = 3\ndef f(n):\n    return n * B\nC = f(A) + 1\nD = [A]\nE = 5\n"
    graph = graph_of({"/w/m.py": text}, "/w/m.py")

    def reads(name: str) -> list[str]:
        binding = graph.root.binding(name)
        assert binding is not None
        return sorted(n for _, n in binding.reads)

    assert reads("C") == ["A", "B", "f"]
    assert reads("D") == ["A"]
    assert reads("E") == []


def test_value_at_a_moment() -> None:
    text = "import pypto.language as pl\nN = 1\n@pl.function\ndef f(x: pl.Tensor[[N], pl.FP32]): ...\nN = 2\n"
    graph = graph_of({"/w/m.py": text}, "/w/m.py")
    (kernel,) = graph.kernels
    before = graph.root.binding_at("N", kernel.order)
    assert before is not None and before.value.data == 1
    assert data(graph, "N") == 2


def test_sites() -> None:
    text = (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int\n    b: int = 2\n"
        "X = C(\n    a=64,\n)\nY = X.a\n"
    )
    graph = graph_of({"/w/m.py": text}, "/w/m.py")
    binding = graph.root.binding("Y")
    assert binding is not None and binding.site is not None
    assert (binding.site.span.line, binding.site.text) == (9, "Y")
    instance = data(graph, "X")
    assert isinstance(instance, InstanceData)
    assert (instance.sites["a"].span.line, instance.sites["a"].text) == (7, "a=64")
    assert instance.sites["b"].span.line == 5


def test_history_says_how_a_value_came_about() -> None:
    text = "import os\nTP = int(os.environ.get('TP', '8'))\nH = 64\nW = H // TP\n"
    graph = graph_of({"/w/m.py": text}, "/w/m.py")
    binding = graph.root.binding("W")
    assert binding is not None
    assert history("W", binding, graph.root) == [
        "W = 8 (assumed: environment variable TP not set)",
        "W = H // TP",
        "H = 64",
        "TP = 8 (assumed: environment variable TP not set)",
    ]
    assert binding.value.provenance is Provenance.ASSUMED


def test_settings_replace_the_assumptions() -> None:
    text = "import os, sys\nTP = int(os.environ.get('TP', '8'))\nN = sys.argv[1]\n"
    settings = ProcessSettings(environment={"TP": "2"}, argv=["--fast"])
    graph = graph_of({"/w/m.py": text}, "/w/m.py", process=settings)
    assert data(graph, "TP") == 2
    assert data(graph, "N") == "--fast"


def test_values_given_by_the_caller() -> None:
    graph = ModuleGraph(ModuleFile("m", "m.py", "B = A['n'] * 2\n"), known={"A": {"n": 4}, "C": object()})
    assert data(graph, "B") == 8
    unknown = graph.root.value("C")
    assert unknown is not None and show(unknown) == "unknown: a object is not modelled"


def test_text_resolver() -> None:
    texts = {
        "config": "N = 3\n",
        "pkg": "",
        "pkg.shapes": "from . import base\nM = base.K + 1\n",
        "pkg.base": "K = 4\n",
    }
    root = ModuleFile(
        "k",
        "k.py",
        "from config import N\nfrom pkg.shapes import M\nfrom .config import N as P\nS = N + M + P\n",
    )
    graph = ModuleGraph(root, TextResolver(texts.get))
    assert data(graph, "S") == 11


def test_package_root_uses_relative_imports() -> None:
    files = {
        "/w/pkg/__init__.py": "TOP = 1\n",
        "/w/pkg/config.py": "N = 7\n",
        "/w/pkg/sub/__init__.py": "",
        "/w/pkg/sub/k.py": "from ..config import N\nfrom .. import TOP\nS = N + TOP\n",
    }
    graph = graph_of(files, "/w/pkg/sub/k.py")
    assert graph.root.name == "pkg.sub.k"
    assert data(graph, "S") == 8


def test_packages_of_a_text_resolver() -> None:
    texts = {"pkg.config": "N = 3\n", "pkg.sub.shapes": "from ..config import N\nM = N + 1\n"}
    text = (
        "from pkg import config\nfrom pkg.sub import shapes\nimport pkg.sub.shapes\nfrom .config import N as own\n"
        "S = config.N + shapes.M + pkg.sub.shapes.M + own\n"
    )
    graph = ModuleGraph(ModuleFile("k", "models/pkg/k.py", text), TextResolver(texts.get))
    assert data(graph, "S") == 14
    assert graph.root.unresolved == []
