"""What stands between a socket and the library, on a real socket."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from server.gateway.door import READ_BYTES, Door
from tests.certificates import Authority, server_context


class Within(asyncio.Protocol):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.told: list[str] = []
        self.ended = asyncio.Event()
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.pieces.append(data)

    def eof_received(self) -> bool:
        self.told.append("eof")
        self.ended.set()
        return True  # it will close by itself

    def pause_writing(self) -> None:
        self.told.append("pause")

    def resume_writing(self) -> None:
        self.told.append("resume")

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()


@asynccontextmanager
async def opened(enter: Callable[[str], asyncio.Protocol | None]) -> AsyncIterator[socket.socket]:
    """A connection to a door, as its client has it."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Door(enter), "127.0.0.1", 0)
    client = socket.socket()
    client.setblocking(False)
    try:
        await loop.sock_connect(client, server.sockets[0].getsockname())
        yield client
    finally:
        client.close()
        server.close()


async def test_who_is_let_in_is_told_everything_and_reads_little_at_a_time() -> None:
    within, peers, loop = Within(), list[str](), asyncio.get_running_loop()

    def enter(peer: str) -> Within:
        peers.append(peer)
        return within

    said = bytes(range(256)) * 64
    async with opened(enter) as client:
        await loop.sock_sendall(client, said)
        client.shutdown(socket.SHUT_WR)
        await within.ended.wait()
        within.transport.set_write_buffer_limits(1024)
        answer = bytes(8 * 1024 * 1024)
        within.transport.write(answer)
        within.transport.close()
        read = 0
        while piece := await loop.sock_recv(client, 1 << 20):
            read += len(piece)
        await within.lost.wait()
    assert peers == ["127.0.0.1"]
    assert b"".join(within.pieces) == said
    assert max(map(len, within.pieces)) <= READ_BYTES
    assert read == len(answer)
    assert within.told == ["eof", "pause", "resume"]


async def test_what_comes_in_several_parts_of_tls_at_once_is_read_whole(tmp_path: Path) -> None:
    authority, within = Authority(tmp_path), Within()
    server = await asyncio.get_running_loop().create_server(
        lambda: Door(lambda _: within), "127.0.0.1", 0, ssl=server_context(authority.issues())
    )
    host, port = server.sockets[0].getsockname()
    _, client = await asyncio.open_connection(host, port, ssl=authority.client())
    said = [bytes([number]) * 100 for number in range(50)]
    for part in said:
        client.write(part)
    client.close()
    await within.lost.wait()
    server.close()
    assert b"".join(within.pieces) == b"".join(said)


async def test_who_is_not_let_in_is_cut_off_without_an_answer() -> None:
    async with opened(lambda _: None) as client:
        with suppress(ConnectionResetError):
            assert await asyncio.get_running_loop().sock_recv(client, 1) == b""
