"""Every message is tried, each of its fields at its bounds and past them, in both subprotocols."""

from random import Random

import pytest
from msgspec import inspect

from protocol.codec import JSON, SUBPROTOCOLS, Malformed, client_codec, server_codec
from protocol.messages import MAX_FRAME_BYTES, ClientMessage, ServerMessage
from tests.fuzz.frames import Frame, Kinds, structs
from tests.fuzz.values import past_a_bound


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize("of_servers", [False, True])
def test_every_message_is_made_as_it_should_be(subprotocol: str, of_servers: bool) -> None:
    kinds, rng = Kinds(subprotocol, of_servers=of_servers), Random(1)
    decode = client_codec(subprotocol).decode if of_servers else server_codec(subprotocol).decode
    for message in kinds.messages:
        for _ in range(20):
            payload = kinds.whole(message, rng)
            assert isinstance(decode(payload.decode() if kinds.text else payload), message.cls)
    assert {message.cls for message in kinds.messages} == set((ServerMessage if of_servers else ClientMessage).__args__)


def test_every_number_and_every_text_of_a_client_has_a_bound() -> None:
    for message in structs(ClientMessage):
        for field in message.fields:
            if not isinstance(field.type, inspect.BoolType):
                assert past_a_bound(field.type, Random(1)), f"{message.tag}.{field.name} may be anything"


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_nothing_past_a_bound_is_a_message(subprotocol: str) -> None:
    frames = list(Kinds(subprotocol).bounds(Random(1)))
    assert len(frames) > 50
    assert not [frame for frame in frames if frame.is_message]


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_frames_are_of_every_kind_and_the_same_for_one_seed(subprotocol: str) -> None:
    def made(seed: int) -> list[Frame]:
        kinds, rng = Kinds(subprotocol), Random(seed)
        return [kinds.any(rng) for _ in range(3_000)]

    frames = made(1)
    assert frames == made(1) != made(2)
    assert 800 < sum(frame.is_message for frame in frames) < 1_500
    assert {frame.ends for frame in frames} == {None, 1007, 1009}
    assert all((frame.ends == 1009) == (len(frame.payload) > MAX_FRAME_BYTES) for frame in frames)
    assert {frame.text for frame in frames} == {False, True}


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_a_server_reads_any_frame_as_a_message_or_as_none(subprotocol: str) -> None:
    kinds, rng, codec = Kinds(subprotocol), Random(2), server_codec(subprotocol)
    for _ in range(3_000):
        frame = kinds.any(rng)
        try:
            message = codec.decode(frame.payload.decode(errors="replace") if frame.text else frame.payload)
        except Malformed:
            continue
        assert frame.text is (subprotocol == JSON)
        assert isinstance(message, ClientMessage)
