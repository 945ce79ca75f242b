"""A WebSocket client that does not mind its manners: it writes whatever bytes it is given, and reads what comes.

It knows enough of RFC 6455 to say when the opening is over, which frames came, and with which code the end.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, cast

from server.commands.bench_wire import frames_in

FIN = 0x80
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
MASKED = 0x80
NO_MASK = bytes(4)
"""Every client masks what it sends; a mask of zeros is one, too, and leaves it as it is."""

KEY = "AAAAAAAAAAAAAAAAAAAAAA=="


class Address(NamedTuple):
    """Of a server. `caller`: whence it is called, where the system shall not choose. `tls`: what the caller trusts."""

    host: str
    port: int
    caller: str | None = None
    tls: ssl.SSLContext | None = None

    @classmethod
    def of(cls, url: str) -> "Address":
        host, _, port = url.partition("://")[2].removesuffix("/ws").rpartition(":")
        return cls(host, int(port))


def request(address: Address, subprotocol: str, *more: str, path: str = "/ws") -> bytes:
    """An opening as it should be, with `more` header lines."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {address.host}:{address.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {KEY}",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {subprotocol}",
        *more,
    )
    return "\r\n".join((*lines, "", "")).encode("latin-1")


def framed(payload: bytes, opcode: int, *, head: int = FIN, masked: bool = True) -> bytes:
    """One frame. `head`: the bits beside the opcode."""
    size, mask = len(payload), MASKED if masked else 0
    if size < 126:
        said = bytes((head | opcode, mask | size))
    elif size < 1 << 16:
        said = bytes((head | opcode, mask | 126)) + size.to_bytes(2)
    else:
        said = bytes((head | opcode, mask | 127)) + size.to_bytes(8)
    return said + (NO_MASK if masked else b"") + payload


class Wire(asyncio.Protocol):
    """One connection. `head`: of the server's response, once it is whole. `heard` gets opcode and payload of each
    frame. `ended`: nothing more comes; `code`: that the server closed with, None where it just went.
    """

    def __init__(self, heard: Callable[[int, bytes], None] | None = None) -> None:
        self.head = b""
        self.code: int | None = None
        self.news = asyncio.Event()
        self.ended = False
        self._heard = heard
        self._unread = b""

    @property
    def status(self) -> int | None:
        """Of the response; None where there was none."""
        words = self.head.split(b" ", 2)
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else None

    def write(self, data: bytes) -> None:
        if not self.ended:
            self._transport.write(data)

    def reset(self) -> None:
        """End as a program does that is killed: without another word, and what was sent may be lost."""
        if not self.ended:
            with suppress(OSError):  # TLS has closed it already, and has not said so yet
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def close(self) -> None:
        self._transport.close()

    def half_close(self) -> None:
        """Say that nothing more will come, and go on reading; TLS knows no such thing."""
        if not self.ended and self._transport.can_write_eof():
            self._transport.write_eof()

    def stop_reading(self) -> None:
        if not self.ended:
            self._transport.pause_reading()

    def read_on(self) -> None:
        if not self.ended:
            self._transport.resume_reading()

    async def until(self, condition: Callable[[], bool], limit_s: float) -> bool:
        """Whether it came true before the connection ended, or the time was over."""
        try:
            async with asyncio.timeout(limit_s):
                while not condition():
                    if self.ended:
                        return False
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            return False
        return True

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._socket: socket.socket = transport.get_extra_info("socket")

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended = True
        self.news.set()

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self.news.set()
        if not self.head:
            head, blank, rest = self._unread.partition(b"\r\n\r\n")
            if not blank:
                return
            self.head, self._unread = head, rest
        if self.status == 101:
            self._read_frames()

    def _read_frames(self) -> None:
        frames, self._unread = frames_in(self._unread)
        for opcode, payload in frames:
            if opcode == CLOSE:
                self.code = int.from_bytes(payload[:2]) if len(payload) >= 2 else 1005
            if self._heard is not None:
                self._heard(opcode, payload)


async def dialled(address: Address, heard: Callable[[int, bytes], None] | None = None) -> Wire:
    """A connection on which nothing has been said yet. Raises `OSError`."""
    wire, whence = Wire(heard), None if address.caller is None else (address.caller, 0)
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: wire, address.host, address.port, local_addr=whence, ssl=address.tls)
    return wire


async def opened(
    address: Address, subprotocol: str, heard: Callable[[int, bytes], None] | None = None, *more: str
) -> Wire:
    """A WebSocket, but for where the server opens none: see `status`."""
    wire = await dialled(address, heard)
    wire.write(request(address, subprotocol, *more))
    await wire.until(lambda: bool(wire.head), 10)
    return wire
