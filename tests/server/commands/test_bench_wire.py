"""The benchmark's client against bytes that `websockets` made, and the other way round."""

import asyncio

import pytest
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from server.commands.bench_wire import Wire, WireBroken

OPENED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


class Sent(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True


def frame(opcode: Opcode, payload: bytes) -> bytes:
    return Frame(opcode, payload).serialize(mask=False)


async def test_frames_of_any_size_are_heard_however_they_are_cut() -> None:
    payloads = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 65_535, b"e" * 65_536]
    stream = OPENED + b"".join(frame(Opcode.BINARY, payload) for payload in payloads)
    for size in (1, 7, 1000, len(stream)):
        heard: list[bytes] = []
        wire = Wire(heard.append)
        wire.connection_made(Sent())
        for start in range(0, len(stream), size):
            wire.data_received(stream[start : start + size])
        assert heard == payloads
        assert wire.opened.done()


async def test_what_is_sent_is_read_by_the_library() -> None:
    wire, transport = Wire(lambda _: None), Sent()
    wire.connection_made(transport)
    wire.data_received(OPENED + frame(Opcode.PING, b"there?"))
    payloads = [b"a", b"b" * 125, b"c" * 126, b"d" * 4096]
    for payload in payloads:
        wire.send(payload)
    server = ServerProtocol()
    server.receive_data(b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
    server.receive_data(b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    (request,) = server.events_received()
    server.send_response(server.accept(request))  # type: ignore[arg-type]
    server.receive_data(transport.written)
    frames = [event for event in server.events_received() if isinstance(event, Frame)]
    assert [(each.opcode, each.data) for each in frames] == [
        (Opcode.PONG, b"there?"),
        *[(Opcode.BINARY, payload) for payload in payloads],
    ]


async def test_a_refusal_and_an_end_are_told() -> None:
    refused = Wire(lambda _: None)
    refused.connection_made(Sent())
    refused.data_received(b"HTTP/1.1 403 Forbidden\r\n\r\n")
    with pytest.raises(WireBroken, match="opens no WebSocket"):
        await refused.opened
    ended, transport = Wire(lambda _: None), Sent()
    ended.connection_made(transport)
    ended.data_received(OPENED + frame(Opcode.CLOSE, b"\x03\xe8"))
    assert transport.closed
    ended.connection_lost(None)
    with pytest.raises(WireBroken, match="closed a connection"):
        await ended.ended
