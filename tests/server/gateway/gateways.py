"""Gateways that listen on real sockets, before fake nodes, and clients of theirs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPConnection, HTTPResponse

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK, client_codec
from protocol.messages import ClientMessage, Hello, ServerMessage, Welcome
from server.gateway.websocket import DEFAULT_ENDING, Ending, listen
from server.limits import DEFAULT_LIMITS, Limits
from server.settings import ServerSettings
from tests.moved_clock import MovedClock
from tests.server.gateway.fakes import FakeNode

ORIGIN = "https://cards.example"


class Client:
    """One WebSocket that speaks the protocol's structs."""

    def __init__(self, connection: ClientConnection) -> None:
        assert connection.subprotocol is not None
        self.connection = connection
        self.codec = client_codec(connection.subprotocol)

    async def send(self, *messages: ClientMessage) -> None:
        for message in messages:
            await self.connection.send(self.codec.encode(message), text=self.codec.text)

    async def receive(self) -> ServerMessage:
        return self.codec.decode(await self.connection.recv())

    async def until(self, kind: type) -> list[ServerMessage]:
        """What came, up to and with the first message of a kind."""
        received = [await self.receive()]
        while not isinstance(received[-1], kind):
            received.append(await self.receive())
        return received

    async def close_code(self) -> int | None:
        """Read to the end; the code that the server closed with."""
        async with asyncio.timeout(10):
            with suppress(ConnectionClosed):
                async for _ in self.connection:
                    pass
        return self.connection.close_code


class Gateway:
    """A listening gateway, its node and its clock."""

    def __init__(self, port: int, node: FakeNode, clock: MovedClock) -> None:
        self.port = port
        self.node = node
        self.clock = clock

    @asynccontextmanager
    async def client(
        self, subprotocol: str = MSGPACK, *hellos: Hello, forwarded_for: str | None = None
    ) -> AsyncIterator[Client]:
        url, headers = (
            f"ws://127.0.0.1:{self.port}/ws",
            {} if forwarded_for is None else {"X-Forwarded-For": forwarded_for},
        )
        async with connect(
            url, subprotocols=[Subprotocol(subprotocol)], additional_headers=headers, proxy=None
        ) as connection:
            client = Client(connection)
            await client.send(*hellos)
            for _ in hellos:
                assert isinstance(await client.receive(), Welcome)
            yield client

    async def http(self, method: str, target: str, **headers: str) -> tuple[HTTPResponse, str]:
        def ask() -> tuple[HTTPResponse, str]:
            client = HTTPConnection("127.0.0.1", self.port, timeout=10)
            try:
                client.request(method, target, headers=headers)
                response = client.getresponse()
                return response, response.read().decode()
            finally:
                client.close()

        return await asyncio.to_thread(ask)


@asynccontextmanager
async def gateway(limits: Limits = DEFAULT_LIMITS, ending: Ending = DEFAULT_ENDING) -> AsyncIterator[Gateway]:
    node, clock = FakeNode(), MovedClock()
    settings = ServerSettings(store="sqlite:unused", port=0, origin=(ORIGIN,), limits=limits)
    async with listen(node, clock, settings, ending) as port:
        yield Gateway(port, node, clock)


ANN = Hello("Ann")
BOB = Hello("Bob")
