"""A client that does not read."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK
from protocol.errors import CloseCode
from protocol.messages import Create, Done, Ready, Said, Table
from server.gateway.websocket import Ending
from server.limits import Limits
from tests.server.gateway.fakes import table
from tests.server.gateway.gateways import ANN, BOB, Client, Gateway, gateway


@asynccontextmanager
async def deaf_client(opened: Gateway) -> AsyncIterator[Client]:
    """Sits at a table and then reads nothing more; the system holds next to nothing back for it."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await asyncio.to_thread(raw.connect, ("127.0.0.1", opened.port))
    raw.setblocking(False)
    url = f"ws://127.0.0.1:{opened.port}/ws"
    connection = await connect(
        url, sock=raw, subprotocols=[Subprotocol(MSGPACK)], max_queue=1, ping_interval=None, close_timeout=0, proxy=None
    )
    client = Client(connection)
    await client.send(ANN, Create("chuo-pai"))
    await client.until(Table)
    try:
        yield client
    finally:
        connection.transport.abort()
        await connection.wait_closed()


async def test_a_client_that_does_not_read_is_given_up_and_others_do_not_wait_for_it(open_gateway: Gateway) -> None:
    saying = Said("Bob", "x" * 8000)
    async with deaf_client(open_gateway) as deaf, open_gateway.client(MSGPACK, BOB) as other:
        viewer = open_gateway.node.seated["Ann"]
        for n in range(1, 101):
            viewer.tell(saying)
            if n % 10 == 0:
                await open_gateway.clock.move(1000)
                await other.send(Ready(n))
                assert await other.receive() == Done(n)
        assert await deaf.close_code() == CloseCode.TOO_SLOW


async def test_a_client_that_never_reads_again_is_dropped_although_only_newest_tables_wait_for_it() -> None:
    async with (
        gateway(Limits(stalled_s=0.1), Ending(close_s=0.1)) as opened,
        deaf_client(opened),
    ):
        viewer, deal = opened.node.seated["Ann"], 1
        while not opened.node.any_detached.is_set():
            deal += 1
            viewer.show(table(deal=deal, actions=("x" * 30_000,)), ())
            await asyncio.sleep(0)
        assert opened.node.detached == [viewer]


async def test_stopping_does_not_wait_for_a_client_that_does_not_read() -> None:
    async with asyncio.timeout(10), gateway(ending=Ending(last_words_s=0.05, close_s=0.05)) as opened:
        deaf = deaf_client(opened)
        await deaf.__aenter__()
        viewer = opened.node.seated["Ann"]
        for _ in range(30):
            viewer.tell(Said("Bob", "x" * 8000))
            await asyncio.sleep(0)
    await deaf.__aexit__(None, None, None)
    assert opened.node.detached == [viewer]
