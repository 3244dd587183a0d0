"""The protocol as the library implements it, without its copies of the texts.

The server keeps every open text itself, with its lines; the library's own copy is written again line by line for each change, which in a
long file takes longer than the analysis.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method


class Protocol(LanguageServerProtocol):
    """Leaves changes of texts to the server's handler."""

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None
