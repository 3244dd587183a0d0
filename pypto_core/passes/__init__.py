"""Lowering passes, one per file (docs/spec/ir.md §7.2).

``passes.<snake_name>(backend=...)`` makes a pass; its module is imported at that moment. ``passes.PIPELINE`` is the order;
``passes.MEMORY_PASSES`` plan the on-chip memory afterwards, on request; ``passes.ALL_PASSES`` are both.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType
from typing import Any

from pypto_core.passes.pipeline import ALL_PASSES, MEMORY_PASSES, PIPELINE, factory_of, make_pass

__all__ = ["ALL_PASSES", "MEMORY_PASSES", "PIPELINE"]
_FACTORIES = {factory_of(name): name for name in ALL_PASSES}


def __getattr__(name: str) -> Any:
    if name in _FACTORIES:
        return partial(make_pass, _FACTORIES[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*_FACTORIES, *__all__]


class _Factories(ModuleType):
    """Keeps the factories callable: importing ``passes.simplify`` would bind that module over the factory."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _FACTORIES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Factories
