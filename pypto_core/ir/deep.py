"""Recursion over deep nests without a deep stack.

A chain of ``elif`` is a nest of branches as deep as it is long, and what walks it calls itself for each. CPython counts calls for
each thread: :func:`goes_deep` lets a function that has used half of them go on in a fresh thread while this one waits, so the limit
of the process, which other threads with small stacks live by, stays as it is.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: Threads that may wait for each other: a nest deeper than that ends in a RecursionError as any other.
_MOST = 60

_nest = threading.local()


def goes_deep(function: F) -> F:
    """``function``, on a fresh stack where the current one is half used up. For functions that call themselves per branch."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _half_used():
            return function(*args, **kwargs)
        return _on_fresh_stack(lambda: function(*args, **kwargs))

    return call  # type: ignore[return-value]


def _half_used() -> bool:
    try:
        sys._getframe(sys.getrecursionlimit() // 2)
    except ValueError:
        return False
    return True


def _on_fresh_stack(job: Callable[[], Any]) -> Any:
    level = getattr(_nest, "level", 0) + 1
    if level > _MOST:
        raise RecursionError("too deeply nested")
    result: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        _nest.level = level
        try:
            result.append(job())
        except BaseException as raised:
            failure.append(raised)

    thread = threading.Thread(target=run, name=f"pypto-deep-{level}", daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure.pop()
    return result.pop()
