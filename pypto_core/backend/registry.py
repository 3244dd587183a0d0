"""Finding a backend by the name that users, settings and golden cases write."""

from __future__ import annotations

from pypto_core.backend.ascend910b import ASCEND910B
from pypto_core.backend.ascend950 import ASCEND950
from pypto_core.backend.model import Backend

BACKENDS: tuple[Backend, ...] = (ASCEND910B, ASCEND950)

_BY_NAME: dict[str, Backend] = {key: chip for chip in BACKENDS for key in (chip.arch, chip.name)}


def get_backend(name: str | Backend | None) -> Backend | None:
    """The chip called ``name`` (``a2a3`` = ``Ascend910B``, ``a5`` = ``Ascend950``).

    ``None`` and ``"none"`` mean that no backend is configured. A :class:`Backend` is returned as it is.

    Raises:
        ValueError: the name belongs to no known chip.
    """
    if name is None or isinstance(name, Backend):
        return name
    if name == "none":
        return None
    try:
        return _BY_NAME[name]
    except KeyError:
        known = ", ".join(f"{chip.arch} ({chip.name})" for chip in BACKENDS)
        raise ValueError(f"unknown backend {name!r}: expected one of {known}") from None
