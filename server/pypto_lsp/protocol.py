"""The protocol as the library implements it, without its copies of the texts, and with an answer to every request.

The server keeps every open text itself, with its lines; the library's own copy is written again line by line for each change, which in a
long file takes longer than the analysis.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method


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

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None
