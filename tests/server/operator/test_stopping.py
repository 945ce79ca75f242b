"""What the operator sees of a server that stops, to its very end."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import JSON
from protocol.errors import CloseCode
from tests.e2e.processes import serving
from tests.server.operator.asking import ask
from tests.silence import admin_port


@pytest.mark.slow
async def test_a_server_that_drains_says_so_while_it_waits_for_those_who_do_not_read(tmp_path: Path) -> None:
    with serving(f"sqlite:{tmp_path / 'rooms.sqlite3'}", tmp_path, "--admin-port", "0", "--drain-s", "3") as server:
        port = admin_port(server)
        deaf = await connect(server.url, subprotocols=[Subprotocol(JSON)], proxy=None)
        async with connect(server.url, subprotocols=[Subprotocol(JSON)], proxy=None) as client:
            await client.send('{"type":"hello","name":"Ann"}')
            assert '"welcome"' in str(await client.recv())
            deaf.transport.pause_reading()  # its close frame is never answered
            assert (await ask(port, "/readyz")).status == 200
            server.process.terminate()
            with suppress(ConnectionClosed):
                async for _ in client:
                    pass
            assert client.close_code == CloseCode.RESTART
        assert (await ask(port, "/readyz")).status == 503
        assert "paizhuo_draining 1.0\n" in (metrics := (await ask(port, "/metrics")).text)
        assert 'paizhuo_connections_closed_total{code="1012"} 1.0\n' in metrics
        async with asyncio.timeout(10):
            assert await asyncio.to_thread(server.process.wait) == 0
        deaf.transport.abort()
