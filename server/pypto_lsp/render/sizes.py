"""Bytes for people."""

from __future__ import annotations


def size_text(count: int) -> str:
    """``184 KiB``, ``1.5 KiB``, ``96 B``."""
    if count < 1024:
        return f"{count} B"
    value = count / 1024
    unit = "KiB"
    if value >= 1024:
        value, unit = value / 1024, "MiB"
    return f"{value:.0f} {unit}" if value == int(value) else f"{value:.1f} {unit}"
