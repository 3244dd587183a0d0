"""Answers that were given before everything was known: the client is told to ask again once it is."""

from __future__ import annotations

from collections.abc import Callable

from pypto_lsp.server import Open, PyptoServer, Tier


class Refreshes:
    """Features whose last answer for a document was early, by feature name."""

    def __init__(self, server: PyptoServer) -> None:
        self._server = server
        self._early: dict[str, set[str]] = {}
        server.listeners.append(self._analysed)
        server.settings_listeners.append(self.everything)

    def note(self, feature: str, document: Open) -> None:
        """``feature`` has answered; when not everything was known, the client will be asked to ask again."""
        waiting = self._early.setdefault(feature, set())
        if document.reached(document.expected):
            waiting.discard(document.uri)
        else:
            waiting.add(document.uri)

    def everything(self) -> None:
        """Settings have changed: all answers are early ones."""
        for feature in FEATURES:
            self.send(feature)

    def _analysed(self, document: Open, tier: Tier) -> None:
        if tier is not Tier.FULL:
            return
        for feature, waiting in self._early.items():
            if document.uri in waiting:
                waiting.discard(document.uri)
                self.send(feature)

    def send(self, feature: str) -> None:
        """Ask the client to ask again, if it can be asked."""
        supported, request = FEATURES[feature]
        if supported(self._server):
            request(self._server)


def _workspace(server: PyptoServer, name: str) -> bool:
    found = getattr(server.client_capabilities.workspace, name, None)
    return bool(found is not None and found.refresh_support)


#: Feature -> whether the client can be asked, and how.
FEATURES: dict[str, tuple[Callable[[PyptoServer], bool], Callable[[PyptoServer], object]]] = {
    "inlay hints": (
        lambda s: _workspace(s, "inlay_hint"),
        lambda s: s.workspace_inlay_hint_refresh(None),
    ),
    "semantic tokens": (
        lambda s: _workspace(s, "semantic_tokens"),
        lambda s: s.workspace_semantic_tokens_refresh(None),
    ),
    "code lenses": (
        lambda s: _workspace(s, "code_lens"),
        lambda s: s.workspace_code_lens_refresh(None),
    ),
    "diagnostics": (
        lambda s: _workspace(s, "diagnostics"),
        lambda s: s.workspace_diagnostic_refresh(None),
    ),
}
