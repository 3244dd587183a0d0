"""Values of module-level Python without running it (docs/spec/static-eval.md)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypto_core.frontend.static_eval.graph import ModuleGraph, ProcessSettings
    from pypto_core.frontend.static_eval.limits import Limits

__all__ = ["Limits", "ModuleGraph", "ProcessSettings"]

_HOMES = {
    "Limits": "pypto_core.frontend.static_eval.limits",
    "ModuleGraph": "pypto_core.frontend.static_eval.graph",
    "ProcessSettings": "pypto_core.frontend.static_eval.graph",
}


def __getattr__(name: str) -> Any:
    """Loaded on demand: the readers of syntax need only the value classes."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(name)
