"""A proxy that passes bytes between clients and a server, over TCP or Unix sockets, and harms them on order."""

import asyncio
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Literal

Address = Path | tuple[str, int]
"""Of a Unix socket, or host and port."""

Partition = Literal["blackhole", "reset", "half-close", "one-way"]
"""What passes no more, and how that shows. `blackhole`: nothing passes and nothing tells so; what was on its way comes
when the partition heals. `reset`: connections are reset, new ones as soon as they are made. `half-close`: the server
hears the end of the stream, and the client hears nothing at all. `one-way`: what clients send comes through, and no
answer does.
"""

PUBLISHED = (b"*3\r\n$7\r\nmessage\r\n", b"*3\r\n$8\r\nsmessage\r\n")
SUBSCRIPTION = re.compile(rb"SUBSCRIBE\r\n", re.IGNORECASE)

READ_AT_ONCE = 65536


class Way:
    """One direction, for all connections. `delay_s` and `bytes_per_s` slow it down; `corrupts` is the probability for a
    bit of what arrives at once to be flipped."""

    def __init__(self) -> None:
        self.delay_s = 0.0
        self.bytes_per_s: float | None = None
        self.corrupts = 0.0
        self.flowing = asyncio.Event()
        self.flowing.set()


class _Link:
    """One client's connection with the one to the server."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.client = client
        self.server = server
        self.silent = False
        self.subscribed = False

    def reset(self) -> None:
        for writer in (self.client, self.server):
            abort(writer)


class Proxy:
    """Use it as an async context manager. What is set holds for the connections that stand and for new ones.

    `drop_replies`: the probability for a reply to be swallowed with all that would come after it, and the connection to
    be cut. `drop_published`: for a message to a subscriber of Redis to be left out. `done` counts what was harmed.
    """

    def __init__(
        self,
        upstream: Address,
        path: Path | None = None,
        rng: Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.there, self.back = Way(), Way()
        self.drop_replies = 0.0
        self.drop_published = 0.0
        self.done = Counter[str]()
        self._upstream = upstream
        self._path = path
        self._rng = rng or Random(0)
        self._sleep = sleep
        self._partition: Partition | None = None
        self._cut_at_next_reply = False
        self._links: set[_Link] = set()
        self._serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Proxy":
        if self._path is None:
            self._listening = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        else:
            self._listening = await asyncio.start_unix_server(self._accept, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        self.heal()
        self.reset()
        await asyncio.gather(*self._serving, return_exceptions=True)

    @property
    def port(self) -> int:
        return int(self._listening.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        """As a store is named."""
        return f"redis://127.0.0.1:{self.port}" if self._path is None else f"unix://{self._path}"

    def cut_at_next_reply(self) -> None:
        """Let the next command through; when the server answers, close the connection instead of passing it on."""
        self._cut_at_next_reply = True

    def fall_silent(self) -> None:
        """Pass nothing more on the connections that there are, without closing them: half-open."""
        for link in self._links:
            link.silent = True

    def reset(self) -> None:
        """Break the connections that there are."""
        for link in self._links:
            link.reset()

    def partition(self, kind: Partition) -> None:
        """Until `heal`."""
        self._partition = kind
        self.done[kind] += 1
        match kind:
            case "blackhole":
                self.there.flowing.clear()
                self.back.flowing.clear()
            case "one-way":
                self.back.flowing.clear()
            case "reset":
                self.reset()
            case "half-close":
                for link in self._links:
                    self._half_close(link)

    def heal(self) -> None:
        """What was held comes through; connections that were broken stay so."""
        self._partition = None
        self.there.flowing.set()
        self.back.flowing.set()

    def _half_close(self, link: _Link) -> None:
        link.silent = True
        with suppress(OSError):
            link.server.write_eof()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link: _Link | None = None
        server_writer: asyncio.StreamWriter | None = None
        try:
            if self._partition == "reset":
                return
            server_reader, server_writer = await self._connect()
            link = _Link(writer, server_writer)
            self._links.add(link)
            if self._partition == "half-close":
                self._half_close(link)
            pumps = [
                asyncio.create_task(self._pass(link, self.there, reader, server_writer)),
                asyncio.create_task(self._pass(link, self.back, server_reader, writer)),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                if link.silent:
                    await asyncio.wait(pumps)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        except OSError:
            pass  # no server: the client is cut off
        finally:
            if link is not None:
                self._links.discard(link)
            for end in (writer, server_writer):
                if end is not None:
                    abort(end) if self._partition == "reset" else end.close()
                    with suppress(OSError):
                        await end.wait_closed()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._upstream, Path):
            return await asyncio.open_unix_connection(self._upstream)
        return await asyncio.open_connection(*self._upstream)

    async def _pass(self, link: _Link, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pushes = bytearray()
        with suppress(OSError):
            while True:
                some = await reader.read(READ_AT_ONCE)
                await way.flowing.wait()  # also before the end of the stream is told
                if not some:
                    return
                if link.silent:
                    continue
                if way is self.there:
                    link.subscribed = link.subscribed or SUBSCRIPTION.search(some) is not None
                elif self._cut_at_next_reply or self._happens(self.drop_replies, "reply"):
                    self._cut_at_next_reply = False
                    return
                elif link.subscribed:
                    pushes += some
                    some = self._without_some_published(pushes)
                await self._write(way, some, writer)

    async def _write(self, way: Way, some: bytes, writer: asyncio.StreamWriter) -> None:
        if way.delay_s:
            await self._sleep(way.delay_s)
        if some and self._happens(way.corrupts, "corrupted"):
            at = self._rng.randrange(len(some))
            some = some[:at] + bytes((some[at] ^ 1 << self._rng.randrange(8),)) + some[at + 1 :]
        if way.bytes_per_s is None:
            writer.write(some)
            await writer.drain()
            return
        for byte in some:
            await self._sleep(1 / way.bytes_per_s)
            writer.write(bytes((byte,)))
            await writer.drain()

    def _without_some_published(self, pushes: bytearray) -> bytes:
        """Takes the whole replies off the front; some that are published messages are left out."""
        passed = bytearray()
        while end := end_of_reply(pushes):
            reply = bytes(pushes[:end])
            del pushes[:end]
            if not (reply.startswith(PUBLISHED) and self._happens(self.drop_published, "published")):
                passed += reply
        return bytes(passed)

    def _happens(self, probability: float, what: str) -> bool:
        if not probability or self._rng.random() >= probability:
            return False
        self.done[what] += 1
        return True


def abort(writer: asyncio.StreamWriter) -> None:
    """Reset the connection: what was written and has not left yet is lost."""
    end: socket.socket | None = writer.get_extra_info("socket")
    if end is not None and end.family != socket.AF_UNIX and end.fileno() >= 0:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def end_of_reply(buffer: bytes | bytearray, at: int = 0) -> int:
    """Where the reply of Redis (RESP2) that begins at `at` ends; 0 while it is not whole."""
    line = buffer.find(b"\r\n", at) + 2
    if line < 2:
        return 0
    kind, number = buffer[at : at + 1], buffer[at + 1 : line - 2]
    if kind == b"$":
        end = line + max(int(number) + 2, 0) if number != b"-1" else line
        return end if end <= len(buffer) else 0
    if kind == b"*":
        for _ in range(int(number)):
            line = end_of_reply(buffer, line)
            if not line:
                return 0
    return line
