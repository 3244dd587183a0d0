"""Operators of the ``pld.*`` families; importing this package registers them."""

from pypto_core.ops.pld import collectives, remote_tile, signals, transfer, windows

__all__ = ["collectives", "remote_tile", "signals", "transfer", "windows"]
