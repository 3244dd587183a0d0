"""The protocol as the library implements it, without its copies of the texts, and with an answer to every request.

The server keeps every open text itself, with its lines; the library's own copy is written again line by line for each change, which in a
long file takes longer than the analysis.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

log = logging.getLogger("pypto_lsp")


@dataclass(frozen=True, slots=True)
class Written:
    """An object of which the list under ``key`` has been written already; ``around`` are its other members."""

    around: Mapping[str, Any]
    key: str
    items: list[bytes]


class Protocol(LanguageServerProtocol):
    """Leaves changes of texts to the server's handler; refuses requests that the library would leave without an answer."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message; a request whose parameters cannot be is refused, as a client waits for its answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            number = data.get("id")
            if isinstance(number, (int, str)) and isinstance(data.get("method"), str):
                wrong = JsonRpcInvalidParams(
                    f"the parameters of {data['method']} are not those of the protocol"
                )
                self._send_response(number, error=wrong.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Handle a message; after ``shutdown`` every request but ``exit`` is refused."""
        number, method = getattr(message, "id", None), getattr(message, "method", None)
        if self._shutdown and number is not None and method is not None and message.jsonrpc == self.VERSION:
            over = JsonRpcInvalidRequest("the server has been shut down")
            self._send_response(number, error=over.to_response_error())
            return
        super().handle_message(message)

    def _execute_handler(self, msg_id: str | int, *args: Any, **kwargs: Any) -> None:
        """As in the library, which never forgets what a command or a notification has made."""
        super()._execute_handler(msg_id, *args, **kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None

    # ---------------------------------------------------------------------------------------- what is written already
    def plain(self, value: Any) -> Any:
        """A value of the protocol as plain data."""
        return self._converter.unstructure(value)

    def in_json(self, value: Any) -> str:
        """A value of the protocol as it travels."""
        return json.dumps(value, default=self._serialize_message)

    def notify_written(self, method: str, params: Written) -> None:
        """A notification whose parameters have been written."""
        self._send_written({"jsonrpc": self.VERSION, "method": method}, "params", params)

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        if isinstance(result, Written) and error is None:
            self._result_types.pop(msg_id, None)
            self._send_written({"jsonrpc": self.VERSION, "id": msg_id}, "result", result)
        else:
            super()._send_response(msg_id, result, error)

    def _send_written(self, message: dict[str, Any], key: str, value: Written) -> None:
        """What the library does with a message once it has made JSON of it. The items are put together once, as they may be long."""
        if self.writer is None:
            log.error("there is no connection to send on")
            return
        inner = "".join(f"{self.in_json(k)}: {self.in_json(v)}, " for k, v in value.around.items())
        head = f'{json.dumps(message)[:-1]}, "{key}": {{{inner}"{value.key}": ['.encode()
        tail = b"]}}"
        if self._include_headers:
            length = len(head) + sum(map(len, value.items)) + max(len(value.items) - 1, 0) + len(tail)
            kind = f"Content-Type: {self.CONTENT_TYPE}; charset={self.CHARSET}"
            head = f"Content-Length: {length}\r\n{kind}\r\n\r\n".encode() + head
        parts = value.items or [b""]
        parts = [head + parts[0], *parts[1:]]
        parts[-1] += tail
        try:
            sent = self.writer.write(b",".join(parts))
        except BrokenPipeError:
            raise
        except Exception as fault:
            self._server._report_server_error(fault, JsonRpcInternalError)
        else:
            if inspect.isawaitable(sent):
                sending = asyncio.ensure_future(sent)
                sending.add_done_callback(_failed)


def _failed(sending: asyncio.Future[None]) -> None:
    if not sending.cancelled() and sending.exception() is not None:
        log.debug("a message could not be sent: %s", sending.exception())
