"""Real sockets against a fake node."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPConnection, HTTPResponse

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK, SUBPROTOCOLS, client_codec
from protocol.messages import (
    Act,
    ClientMessage,
    Create,
    Done,
    Hello,
    ListRooms,
    Ready,
    Rooms,
    Said,
    Say,
    Seated,
    ServerMessage,
    Table,
    Welcome,
)
from server.gateway.websocket import DEFAULT_LIMITS, Limits, listen
from server.settings import ServerSettings
from tests.server.gateway.fakes import FakeNode, SetClock, table

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

    def __init__(self, port: int, node: FakeNode, clock: SetClock) -> None:
        self.port = port
        self.node = node
        self.clock = clock

    @asynccontextmanager
    async def client(self, subprotocol: str = MSGPACK, *hellos: Hello) -> AsyncIterator[Client]:
        url = f"ws://127.0.0.1:{self.port}/ws"
        async with connect(url, subprotocols=[Subprotocol(subprotocol)], proxy=None) as connection:
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
async def gateway(limits: Limits = DEFAULT_LIMITS) -> AsyncIterator[Gateway]:
    node, clock = FakeNode(), SetClock()
    settings = ServerSettings(store="sqlite:unused", port=0, origin=(ORIGIN,))
    async with listen(node, clock, settings, limits) as port:
        yield Gateway(port, node, clock)


@pytest.fixture
async def open_gateway() -> AsyncIterator[Gateway]:
    async with gateway() as opened:
        yield opened


ANN = Hello("Ann")
BOB = Hello("Bob")


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
async def test_both_subprotocols_carry_the_same_conversation(open_gateway: Gateway, subprotocol: str) -> None:
    async with open_gateway.client(subprotocol) as client:
        await client.send(ANN, ListRooms(), Create("chuo-pai"), Act(1, 7, "pass"), Say("\x1b[31m好"), Ready(2))
        received = [await client.receive() for _ in range(7)]
    assert [type(message) for message in received] == [Welcome, Rooms, Seated, Table, Done, Said, Done]
    assert received[3] == Table(table())
    assert received[5] == Said("Ann", "[31m好")
