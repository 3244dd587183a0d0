"""Operators of the ``system.*`` families; importing this package registers them."""

from pypto_core.ops.system import pipes, sync, task

__all__ = ["pipes", "sync", "task"]
