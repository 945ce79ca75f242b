"""A WebSocket client that costs next to nothing, so that a benchmark's players leave the machine to its servers.

It speaks what the servers of a benchmark speak, and no more: whole binary frames, no compression, no extensions.
"""

import asyncio
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

_REQUEST = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n{more}\r\n"
)
_FIN = 0x80
_BINARY, _CLOSE, _PING, _PONG = 0x2, 0x8, 0x9, 0xA
_MASKED = 0x80
_NO_MASK = bytes(4)
"""Every client masks what it sends; a mask of zeros is one, too, and leaves it as it is."""


class WireBroken(Exception):
    """The server refused the connection or ended it."""


class Wire(asyncio.Protocol):
    """One connection. `heard` gets the payload of each frame."""

    def __init__(self, heard: Callable[[bytes], None]) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._heard = heard
        self._unread = b""
        self._transport: asyncio.Transport | None = None

    def send(self, payload: bytes, opcode: int = _BINARY) -> None:
        assert self._transport is not None, "it was opened"
        size = len(payload)
        head = bytes((_FIN | opcode, _MASKED | size)) if size < 126 else bytes((_FIN | opcode, _MASKED | 126))
        self._transport.write(head + (b"" if size < 126 else size.to_bytes(2)) + _NO_MASK + payload)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are, though not by their class

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 the library's signature
        for future in (self.opened, self.ended):
            if not future.done():
                future.set_exception(WireBroken("the server closed a connection"))
                future.exception()  # whether anybody waits for it or not

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if not self.opened.done():
            head, blank, rest = self._unread.partition(b"\r\n\r\n")
            if not blank:
                return
            if not head.startswith(b"HTTP/1.1 101 "):
                self.opened.set_exception(WireBroken("the server opens no WebSocket"))
                return
            self._unread = rest
            self.opened.set_result(None)
        self._read_frames()

    def _read_frames(self) -> None:
        frames, self._unread = frames_in(self._unread)
        for opcode, payload in frames:
            if opcode == _BINARY:
                self._heard(payload)
            elif opcode == _PING:
                self.send(payload, _PONG)
            elif opcode == _CLOSE:
                self.close()


async def dialled(url: str, subprotocol: str, heard: Callable[[bytes], None]) -> Wire:
    """An open connection. Raises `WireBroken` and `OSError`."""
    parts = urlsplit(url)
    assert parts.hostname is not None, "URLs of our own servers name a host"
    assert parts.port is not None, "and a port"
    wire = Wire(heard)
    transport, _ = await asyncio.get_running_loop().create_connection(lambda: wire, parts.hostname, parts.port)
    more = f"Sec-WebSocket-Protocol: {subprotocol}\r\n" if subprotocol else ""
    transport.write(_REQUEST.format(path=parts.path, host=parts.netloc, more=more).encode())
    await wire.opened
    return wire


def frames_in(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The whole frames of what a server has sent, each an opcode and a payload; and what has come of the next one."""
    frames, at = [], 0
    while len(data) >= at + 2:
        opcode, size, begin = data[at] & 0xF, data[at + 1], at + 2
        if size >= 126:
            begin += 2 if size == 126 else 8
            size = int.from_bytes(data[at + 2 : begin])
        end = begin + size
        if len(data) < max(begin, end):
            break
        frames.append((opcode, data[begin:end]))
        at = end
    return frames, data[at:]
