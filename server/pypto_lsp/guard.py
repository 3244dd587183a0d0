"""Faults of the server: a log entry and one message each, and the server lives on."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound

log = logging.getLogger("pypto_lsp")

_LEVELS = {
    logging.ERROR: types.MessageType.Error,
    logging.WARNING: types.MessageType.Warning,
    logging.INFO: types.MessageType.Info,
}


class ContentModified(JsonRpcException):
    """The document changed while the answer was computed; clients ask again by themselves."""

    CODE = -32801
    MESSAGE = "Content Modified"


class RequestFailed(JsonRpcException):
    """The request is right, but what it asks for cannot be done; the message is for the user."""

    CODE = -32803
    MESSAGE = "Request failed"


class ServerCancelled(JsonRpcException):
    """The server could not compute an answer that it must not give empty."""

    CODE = -32802
    MESSAGE = "Server cancelled"


#: Answers that are no faults of anybody.
EXPECTED = (ContentModified, RequestFailed, JsonRpcMethodNotFound, ServerCancelled)
#: Requests whose answer must not be null when a handler fails.
_NEEDS_ANSWER = frozenset({types.TEXT_DOCUMENT_DIAGNOSTIC, types.WORKSPACE_DIAGNOSTIC})


def guarded(method: str, handler: Callable[..., Any], report: Callable[[str], None]) -> Callable[..., Any]:
    """``handler`` that answers null where it would fail; ``report(method)`` tells the user."""

    def failed() -> None:
        log.exception("internal error in %s", method)
        report(method)
        if method in _NEEDS_ANSWER:
            raise ServerCancelled("internal error; the log has the details")

    if asyncio.iscoroutinefunction(handler):

        @functools.wraps(handler)
        async def guard(*args: Any) -> Any:
            try:
                return await handler(*args)
            except JsonRpcException:
                raise
            except Exception:
                failed()
                return None

        return guard

    @functools.wraps(handler)
    def guard_sync(*args: Any) -> Any:
        try:
            return handler(*args)
        except JsonRpcException:
            raise
        except Exception:
            failed()
            return None

    return guard_sync


class Expected(logging.Filter):
    """Keeps answers that are no faults (outdated requests, unknown methods) out of the error log."""

    def filter(self, record: logging.LogRecord) -> bool:
        fault = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        return not isinstance(fault, EXPECTED)


class ClientLog(logging.Handler):
    """Sends what is logged to the client's log (``window/logMessage``); may be called from any thread."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, send: Callable[[types.LogMessageParams], None]
    ) -> None:
        super().__init__(logging.INFO)
        self._loop = loop
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        level = max((known for known in _LEVELS if known <= record.levelno), default=logging.INFO)
        params = types.LogMessageParams(type=_LEVELS[level], message=self.format(record))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send, params)
