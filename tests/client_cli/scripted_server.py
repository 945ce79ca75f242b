"""A WebSocket server that plays one script for each connection, in order: a real socket, a real codec, no rules."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol.codec import MSGPACK, server_codec
from protocol.messages import ClientMessage, ServerMessage


class Peer:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self._codec = server_codec(MSGPACK)

    async def hears(self) -> ClientMessage:
        """The client's next message. Raises ConnectionClosed."""
        return self._codec.decode(await self.socket.recv())

    async def says(self, *messages: ServerMessage) -> None:
        for message in messages:
            await self.socket.send(self._codec.encode(message))

    async def hangs_up(self, code: int, reason: str = "") -> None:
        await self.socket.close(code, reason)

    async def drops(self) -> None:
        """Cut the line, without a close frame."""
        self.socket.transport.abort()

    async def waits(self) -> None:
        """Until the client has gone."""
        await self.socket.wait_closed()


Script = Callable[[Peer], Awaitable[None]]


@asynccontextmanager
async def scripted(
    *scripts: Script,
    subprotocols: Sequence[str] = (MSGPACK,),
    refuse: Callable[[ServerConnection, Request], Response | None] | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[str]:
    """Serve the scripts to one connection after the other; gives the URL. Faults in a script come out at the end."""
    left = list(scripts)
    faults: list[BaseException] = []

    async def play(socket: ServerConnection) -> None:
        try:
            await left.pop(0)(Peer(socket))
        except ConnectionClosed:
            pass
        except BaseException as fault:
            faults.append(fault)
            raise

    async with serve(
        play,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol(name) for name in subprotocols] or None,
        process_request=refuse,
        ping_interval=None,
        close_timeout=1,
        ssl=tls,
    ) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"{'wss' if tls else 'ws'}://127.0.0.1:{port}/ws"
    if faults:
        raise faults[0]
    assert not left, f"{len(left)} scripts were never asked for"
