import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN
from websockets.uri import parse_uri

from server.gateway.frames import framed

SIZES = (0, 1, 125, 126, 127, (1 << 16) - 1, 1 << 16, (1 << 16) + 1)


@pytest.mark.parametrize("text", [False, True])
def test_the_library_reads_what_is_framed(text: bool) -> None:
    payloads = [bytes([65 + number]) * size for number, size in enumerate(SIZES)]
    client = ClientProtocol(parse_uri("ws://localhost"), state=OPEN)
    client.receive_data(framed(payloads, text))
    assert client.parser_exc is None
    received = client.events_received()
    assert all(isinstance(event, Frame) and event.fin for event in received)
    assert [(event.opcode, bytes(event.data)) for event in received if isinstance(event, Frame)] == [
        (Opcode.TEXT if text else Opcode.BINARY, payload) for payload in payloads
    ]


def test_nothing_is_framed_as_nothing() -> None:
    assert framed([], text=False) == b""
