"""What has been answered is forgotten: memory does not grow with the number of messages."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from pypto_lsp.server import create_server


def test_commands_that_have_been_answered_are_forgotten() -> None:
    async def play() -> None:
        protocol = create_server().protocol
        answered: list[object] = []
        params = types.ExecuteCommandParams(command="pypto.server.analysed", arguments=["file:///none.py"])
        handler = protocol.fm.builtin_features[types.WORKSPACE_EXECUTE_COMMAND]
        for number in range(3):
            protocol._execute_handler(number, handler, args=(params,), callback=answered.append)
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert len(answered) == 3
        assert protocol._request_futures == {}

    asyncio.run(play())
