"""``make dist-check``: build the sdist and the wheel, look into them, install the wheel into a new environment and use it elsewhere."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
GOOD, BAD = "row_softmax.py", "wrong_column_peak.py"
BAD_CODE = "aiv-reduce-split-axis"
MUST_HAVE = (
    "pypto_core/__init__.py", "pypto_core/py.typed", "pypto_core/diagnostic_rules/aiv_split.py", "pypto_core/passes/pipeline.py", "pypto_lsp/__init__.py",
    "pypto_lsp/py.typed", "pypto_lsp/cli.py", "pypto_lsp/server.py", "pypto_lsp/features/__init__.py", "pypto_lsp/render/__init__.py",
)  # fmt: skip
FIELDS = (
    "Name",
    "Version",
    "Summary",
    "License-Expression",
    "Requires-Python",
    "Author",
    "Description-Content-Type",
    "Keywords",
)


def main() -> None:
    for old in (*DIST.glob("pypto_lsp-*.whl"), *DIST.glob("pypto_lsp-*.tar.gz")):
        old.unlink()
    _run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    [wheel], [sdist] = DIST.glob("pypto_lsp-*.whl"), DIST.glob("pypto_lsp-*.tar.gz")
    version = _look_into_wheel(wheel)
    _look_into_sdist(sdist)
    with tempfile.TemporaryDirectory() as folder:
        _use(wheel, version, Path(folder))
    print(
        f"{wheel.name} ({wheel.stat().st_size // 1024} KiB) and {sdist.name} ({sdist.stat().st_size // 1024} KiB) are good"
    )


def _look_into_wheel(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        missing = set(MUST_HAVE) - set(names)
        _expect(not missing, f"the wheel lacks {sorted(missing)}")
        packages = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
        _expect(packages == {"pypto_core", "pypto_lsp"}, f"the wheel holds {sorted(packages)}")
        caches = [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
        _expect(not caches, f"the wheel holds caches: {caches[:3]}")
        [metadata_file] = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(metadata_file))
        absent = [field for field in FIELDS if not metadata[field]]
        _expect(not absent, f"the metadata lacks {absent}")
        _expect(len(metadata.get_all("Classifier") or ()) > 5, "the metadata has no classifiers")
        _expect(len(metadata.get_all("Project-URL") or ()) > 2, "the metadata has no addresses")
        _expect(any(name.endswith("licenses/LICENSE") for name in names), "the wheel has no licence")
        return str(metadata["Version"])


def _look_into_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "server/pypto_lsp/py.typed"}
    _expect(wanted <= inside, f"the sdist lacks {sorted(wanted - inside)}")
    more = {name.partition("/")[0] for name in inside} & {
        "tests",
        "docs",
        "vscode-extension",
        "node_modules",
        ".venv",
    }
    _expect(not more, f"the sdist holds {sorted(more)}")


def _use(wheel: Path, version: str, folder: Path) -> None:
    """Install the wheel and check kernels in a folder that knows nothing of the repository."""
    venv.create(folder / "env", with_pip=True)
    scripts = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    _run(str(scripts / "python"), "-m", "pip", "install", "--quiet", str(wheel))
    kernels = folder / "kernels"
    kernels.mkdir()
    for name in (GOOD, BAD):
        (kernels / name).write_bytes((ROOT / "docs/samples" / name).read_bytes())
    command = str(scripts / "pypto-lsp")
    _expect(
        _run(command, "--version", cwd=kernels) == f"pypto-lsp, version {version}\n",
        "the command says another version",
    )
    where = _run(
        str(scripts / "python"),
        "-c",
        "import pypto_core, pypto_lsp.server; print(pypto_core.__file__)",
        cwd=kernels,
    )
    _expect(str(folder) in where, f"pypto_core comes from {where}")
    _run(command, "check", GOOD, cwd=kernels)
    refused = subprocess.run(
        [command, "check", "."], cwd=kernels, capture_output=True, text=True, check=False
    )
    _expect(
        refused.returncode == 1 and BAD_CODE in refused.stdout,
        f"check found\n{refused.stdout}{refused.stderr}",
    )
    _expect("def " in _run(command, "lower", GOOD, cwd=kernels), "lower printed nothing")
    _expect(BAD_CODE in _run(command, "explain", BAD_CODE, cwd=kernels), "explain printed nothing")


def _run(*command: str, cwd: Path | None = None) -> str:
    made = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    _expect(
        made.returncode == 0, f"{' '.join(command)} ended with {made.returncode}:\n{made.stdout}{made.stderr}"
    )
    return made.stdout


def _expect(condition: bool, otherwise: str) -> None:
    if not condition:
        sys.exit(f"dist-check: {otherwise}")


if __name__ == "__main__":
    main()
