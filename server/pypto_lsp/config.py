"""Settings: from the editor, from ``[tool.pypto-lsp]`` of the nearest pyproject.toml, from the command line.

The editor's settings win over the file's, the command line's over both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pypto_core import Settings, rules
from pypto_lsp.discover import is_folder, is_regular

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BACKENDS = ("a2a3", "a5")
_MIB = 1024 * 1024
_MOST_MIB = 1024


class ConfigError(ValueError):
    """A setting has a value that it cannot have; the message names the setting and what it takes."""


@dataclass(frozen=True, slots=True)
class Config:
    """Resolved settings of one file or folder."""

    backend: str = "a2a3"
    run: str = "onType"
    search_path: tuple[str, ...] = ()
    max_file_size: float = 2.0
    diagnostic_mode: str = "openFiles"
    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    #: Patterns of files that are not checked when they are found in a folder; absolute.
    exclude: tuple[str, ...] = ()
    hint_types: bool = True
    hint_lanes: bool = True
    hint_parameters: bool = False
    hint_trip_counts: bool = False
    code_lens: bool = True
    semantic_tokens: bool = True
    #: Where the values came from, for debug information.
    origin: str = field(default="defaults", compare=False)

    def core(self) -> Settings:
        """What the analysis needs of it."""
        return Settings(
            backend=self.backend,
            search_path=self.search_path,
            ignore=codes_of(self.ignore),
            select=codes_of(self.select),
            max_bytes=int(self.max_file_size * _MIB),
        )


#: Name in the editor's ``pypto`` section -> field.
_EDITOR_NAMES = {
    "backend": "backend",
    "run": "run",
    "searchPath": "search_path",
    "maxFileSize": "max_file_size",
    "diagnosticMode": "diagnostic_mode",
    "ignore": "ignore",
    "select": "select",
    "inlayHints.types": "hint_types",
    "inlayHints.lanes": "hint_lanes",
    "inlayHints.parameters": "hint_parameters",
    "inlayHints.tripCounts": "hint_trip_counts",
    "codeLens": "code_lens",
    "semanticTokens": "semantic_tokens",
}
#: Settings of our extension alone, which the server does not need.
_EXTENSION_NAMES = (
    "loweredIR.followCursor",
    "importStrategy",
    "interpreter",
    "serverPath",
    "serverArgs",
    "trace.server",
)
#: What a setting's name may start with.
_FIRST_PARTS = frozenset(name.partition(".")[0] for name in (*_EDITOR_NAMES, *_EXTENSION_NAMES))
#: Name in ``[tool.pypto-lsp]`` -> field.
_FILE_NAMES = {
    "backend": "backend",
    "search-path": "search_path",
    "max-file-size": "max_file_size",
    "ignore": "ignore",
    "select": "select",
    "exclude": "exclude",
}
_CHOICES = {
    "backend": BACKENDS,
    "run": ("onType", "onSave"),
    "diagnostic_mode": ("openFiles", "workspace"),
}


def section_of(options: Any) -> dict[str, Any]:
    """The ``pypto`` section in what a client hands over: below ``pypto`` or ``settings``, in names that begin with ``pypto.``, or as bare names.

    Names of other tools beside it are left alone.
    """
    if not isinstance(options, Mapping):
        return {}
    section: dict[str, Any] = {}
    inner = options.get("settings")
    if isinstance(inner, Mapping):
        whole = any(str(key).partition(".")[0] == "pypto" for key in inner)
        section.update(section_of(inner) if whole else inner)
    for key, value in options.items():
        first, _, rest = str(key).partition(".")
        if first == "pypto" and rest:
            section[rest] = value
        elif key == "pypto" and isinstance(value, Mapping):
            section.update(value)
        elif first in _FIRST_PARTS:
            section[str(key)] = value
    return section


def checked_section(section: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings of an editor's section that can be followed, by full name, and what is wrong with the others."""
    good: dict[str, Any] = {}
    faults: list[str] = []
    for name, value in _flatten(section).items():
        if value is None or name in _EXTENSION_NAMES:
            continue
        if name not in _EDITOR_NAMES:
            faults.append(_not_a_setting(name, value))
            continue
        try:
            with_editor_settings(Config(), {name: value})
        except ConfigError as fault:
            faults.append(str(fault))
        else:
            good[name] = value
    return good, faults


def _not_a_setting(name: str, value: Any) -> str:
    known = (*_EDITOR_NAMES, *_EXTENSION_NAMES)
    below = [one.removeprefix(f"{name}.") for one in known if one.startswith(f"{name}.")]
    if below:
        return f"{name} is {value!r}; it is a group of settings: {', '.join(below)}"
    near = get_close_matches(name, known, 1)
    return f"there is no setting pypto.{name}" + (f"; did you mean pypto.{near[0]}?" if near else "")


def with_editor_settings(config: Config, section: Mapping[str, Any] | None, folder: str = "") -> Config:
    """``config`` with the values of the editor's ``pypto`` section; unknown names are other tools' business."""
    flat = _flatten(section or {})
    values = {_EDITOR_NAMES[k]: (k, v) for k, v in flat.items() if k in _EDITOR_NAMES and v is not None}
    return _apply(config, values, folder, "editor settings")


def from_pyproject(path: Path, config: Config | None = None) -> Config:
    """Settings for files below ``path``: those of the nearest pyproject.toml that has a ``[tool.pypto-lsp]`` table.

    Raises:
        ConfigError: the file is no TOML, or a setting has a wrong value or an unknown name.
    """
    config = config or Config()
    for folder in (path, *path.parents) if is_folder(path) else path.parents:
        file = folder / "pyproject.toml"
        if not is_regular(file):
            continue
        try:
            tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as fault:
            raise ConfigError(f"{file}: {fault}") from fault
        table = tools.get("pypto-lsp") if isinstance(tools, dict) else None
        if table is None:
            continue
        if not isinstance(table, dict):
            raise ConfigError(f"{file}: tool.pypto-lsp is no table")
        unknown = sorted(set(table) - set(_FILE_NAMES))
        if unknown:
            known = ", ".join(sorted(_FILE_NAMES))
            raise ConfigError(f"{file}: [tool.pypto-lsp] has no setting {unknown[0]!r}; it takes {known}")
        values = {_FILE_NAMES[k]: (k, v) for k, v in table.items()}
        try:
            return _apply(config, values, str(folder), str(file))
        except ConfigError as fault:
            raise ConfigError(f"{file}: {fault}") from fault
    return config


def _apply(config: Config, values: Mapping[str, tuple[str, Any]], folder: str, origin: str) -> Config:
    if not values:
        return config
    changes: dict[str, Any] = {}
    kinds = {f.name: f.type for f in fields(Config)}
    for name, (written, value) in values.items():
        changes[name] = _checked(written, name, value, str(kinds[name]), folder)
    told = any(getattr(config, name) != value for name, value in changes.items())
    return replace(config, **changes, origin=origin if told else config.origin)


def _checked(written: str, name: str, value: Any, kind: str, folder: str) -> Any:
    choices = _CHOICES.get(name)
    if choices is not None:
        if value not in choices:
            raise ConfigError(f"{written} is {value!r}; it takes {' or '.join(choices)}")
        return value
    if kind == "bool":
        if not isinstance(value, bool):
            raise ConfigError(f"{written} is {value!r}; it takes true or false")
        return value
    if kind == "float":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= _MOST_MIB:
            raise ConfigError(f"{written} is {value!r}; it takes a positive number of MiB")
        return float(value)
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise ConfigError(f"{written} is {value!r}; it takes a list of texts")
    if name in ("search_path", "exclude"):
        return tuple(expand(v, folder) for v in value)
    for code in value:
        if not codes_of((code,)):
            raise ConfigError(f"{written} names {code!r}, which is no code; {codes_near(code)}")
    return tuple(value)


def codes_of(patterns: Iterable[str]) -> frozenset[str]:
    """The codes that some patterns name (``aiv-cube-in-region``, ``aiv-*``)."""
    return frozenset(code for pattern in patterns for code in rules() if fnmatchcase(code, pattern))


def codes_near(name: str) -> str:
    """What to say of a name that no code has."""
    near = get_close_matches(name.lower(), rules(), 1)
    return f"did you mean {near[0]}?" if near else "pypto-lsp explain lists them"


def expand(path: str, folder: str) -> str:
    """``~`` and ``${workspaceFolder}`` in a path; a relative one is below ``folder``."""
    whole = Path(path.replace("${workspaceFolder}", folder)).expanduser()
    return str(whole if whole.is_absolute() or not folder else Path(folder) / whole)


def _flatten(section: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in section.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat
