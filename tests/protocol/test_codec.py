"""Both subprotocols carry every message, and nothing that is none."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import JSON, MSGPACK, SUBPROTOCOLS, Codec, Malformed, client_codec, server_codec
from protocol.errors import ErrorCode
from protocol.messages import (
    Act,
    AskHint,
    AutoPass,
    Autopilot,
    Because,
    ClientMessage,
    Contribute,
    Contribution,
    Create,
    DealRecord,
    Done,
    Emote,
    Export,
    Fill,
    Hello,
    Hint,
    HouseRule,
    Join,
    Leave,
    ListRooms,
    Notice,
    Ready,
    Refused,
    Remove,
    Rooms,
    RoomSummary,
    Said,
    Say,
    Seated,
    ServerMessage,
    Start,
    Table,
    Unseated,
    Watch,
    Watching,
    Welcome,
    Why,
)
from protocol.view import (
    MAX_INTEGER,
    DealView,
    Fact,
    Fairness,
    Group,
    Happening,
    Prompt,
    Proof,
    Reason,
    Result,
    RoomView,
    Round,
    SeatView,
    TableView,
    You,
    Zone,
)

FROM_CLIENTS: tuple[ClientMessage, ...] = (
    Hello("张三"),
    Hello("Ann", "ABCD2345.mcbb3dqJw0SGZ7yY2rTnLg"),
    Create("chuo-pai"),
    Create("chuo-pai", {"max_combination": 4, "open": True}, 32, "fast", "easy", listed=True),
    Join("ABCD2345"),
    Join("ABCD2345", "s" * 22, contributes=True),
    Watch("ABCD2345"),
    ListRooms(),
    Fill(1, "random", 2),
    Remove(2, 0),
    Start(3),
    Act(MAX_INTEGER, MAX_INTEGER, "play 36+66+66"),
    Ready(5),
    Ready(5, (Contribution(1, 1, part="0f" * 32), Contribution(2, 1, "0a" * 32))),
    Contribute((Contribution(32, 2, pledge="ab" * 32),)),
    Autopilot(6, on=False),
    AutoPass(6, on=True),
    Export(3),
    Leave(7),
    Say("你好 👋"),
    Emote("good_game"),
    AskHint(7),
    Why(0, "36 66"),
)

PROOF = Proof("ABCD2345", 2, 1, "0a" * 32, "0b" * 32, ("0c" * 32, "", ""), ("0d" * 32, "", ""), (1,))

VIEW = TableView(
    RoomView("ABCD2345", "chuo-pai", {"max_combination": 4}, "normal", 3, 2, "playing", None),
    (SeatView(0, "human", "张三", connected=True, score=-12), SeatView(1, "bot", "Bot", "easy"), SeatView(2, "empty")),
    DealView(
        (
            Zone("hand", 2, 0, (Group(("13", "66")),)),
            Zone("hand", 9, 1),
            Zone("round", 1, None, (Group(("11",), "set", 1),)),
        ),
        (Fact("turn", 0), Fact("highest", "13+13", 1)),
        ("1 1 play 11",),
    ),
    Prompt(7, ("play 66", "pass"), 19_500),
    You(0, MAX_INTEGER),
    Result((31, 14, -22), (0,), "win", 21, 3, (Group(("b1", "b2", "b3"), "chi", value=6),)),
    Fairness((Round(3, 1, "0a" * 32, ("0b" * 32, "", ""), closed=True, without=(2,)),), (PROOF,), (0, 1, 0)),
)

FROM_SERVERS: tuple[ServerMessage, ...] = (
    Welcome("0.1.0", "Ann", ("chuo-pai", "paohuzi")),
    Welcome(
        "0.1.0", "Ann", ("go",), (), {"go": (HouseRule("komi", 6, 0, 9, "Points."), HouseRule("ko", default=True))}
    ),
    Seated("ABCD2345", 0, "a ticket"),
    Watching("ABCD2345"),
    Said("Ann", "Oops!", 0, "oops"),
    Hint(7, "play 66", (Reason("wins"), Reason("cheapest", ("66",), 3, 1))),
    Because(7, Reason("not_in_hand", ("66",))),
    Table(VIEW),
    Table(
        VIEW, (Happening("played", 1, ("13", "13")), Happening("deal_over", value=1, scores=(1, -2, 3))), missed=True
    ),
    Done(MAX_INTEGER),
    Refused(ErrorCode.ILLEGAL_ACTION, "You do not hold that."),
    Refused(ErrorCode.RATE_LIMITED, "Too many.", 4, 50),
    Said("Ann", "hi", 0),
    Rooms((RoomSummary("ABCD2345", "chuo-pai", "Ann", 2, 1, "none"),)),
    DealRecord(2, '{"format":"paizhuo-record/1"}'),
    Unseated("left"),
    Notice("stale"),
)


def frame_of(
    codec: Codec[ServerMessage, ClientMessage] | Codec[ClientMessage, ServerMessage], payload: bytes
) -> bytes | str:
    return payload.decode() if codec.text else payload


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize("message", FROM_CLIENTS, ids=repr)
def test_what_a_client_says_arrives_as_it_was_said(subprotocol: str, message: ClientMessage) -> None:
    client, server = client_codec(subprotocol), server_codec(subprotocol)
    assert server.decode(frame_of(client, client.encode(message))) == message


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize("message", FROM_SERVERS, ids=lambda message: type(message).__name__)
def test_what_a_server_says_arrives_as_it_was_said(subprotocol: str, message: ServerMessage) -> None:
    client, server = client_codec(subprotocol), server_codec(subprotocol)
    assert client.decode(frame_of(server, server.encode(message))) == message


@pytest.mark.parametrize("message", [*FROM_CLIENTS, *FROM_SERVERS], ids=lambda message: type(message).__name__)
def test_both_subprotocols_say_the_same(message: ClientMessage | ServerMessage) -> None:
    as_json = msgspec.json.decode(msgspec.json.encode(message))
    as_msgpack = msgspec.msgpack.decode(msgspec.msgpack.encode(message))
    assert as_json == as_msgpack
    assert json.loads(msgspec.json.encode(message)) == as_json, "other languages' readers agree"


def test_every_message_is_covered_here() -> None:
    for union, covered in ((ClientMessage, FROM_CLIENTS), (ServerMessage, FROM_SERVERS)):
        assert {type(message) for message in covered} == set(union.__args__)


def test_a_client_passes_over_fields_that_it_does_not_know() -> None:
    codec = client_codec(JSON)
    assert codec.decode('{"type":"done","n":3,"saved_by":"node 7"}') == Done(3)


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_only_the_right_kind_of_frame_is_read(subprotocol: str) -> None:
    codec = server_codec(subprotocol)
    payload = client_codec(subprotocol).encode(ListRooms())
    wrong: bytes | str = payload if codec.text else payload.decode("latin-1")
    with pytest.raises(Malformed, match="expected a"):
        codec.decode(wrong)


@pytest.mark.parametrize("depth", [10, 1000, 4000, 100_000])
def test_deep_nesting_is_malformed(depth: int) -> None:
    with pytest.raises(Malformed):
        server_codec(JSON).decode("[" * depth)
    with pytest.raises(Malformed):
        server_codec(JSON).decode('{"type":"ready","n":' + "[" * depth)
    with pytest.raises(Malformed):
        server_codec(MSGPACK).decode(b"\x91" * depth)
    with pytest.raises(Malformed):
        server_codec(MSGPACK).decode(b"\x82\xa4type\xa5ready\xa1n" + b"\x91" * depth)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xdd\xff\xff\xff\xff",  # an array of 4 G items
        b"\xdf\xff\xff\xff\xff",  # a map of 4 G pairs
        b"\xc6\xff\xff\xff\xff",  # 4 GB of bytes
        b"\xc9\xff\xff\xff\xff\x01",  # an extension
        b"\xd4\x01\x00",
        b"\x81\xa4type\xa2\xff\xfe",  # text that is not UTF-8
        b"\x81\xa4type\xaalist_rooms\x00",  # something after the message
        b"\x82\xa4type\xa5ready\xa1n\xcf\xff\xff\xff\xff\xff\xff\xff\xff",  # an unsigned 64-bit number
    ],
)
def test_hostile_msgpack_is_malformed(payload: bytes) -> None:
    with pytest.raises(Malformed):
        server_codec(MSGPACK).decode(payload)


@given(st.sampled_from(SUBPROTOCOLS), st.binary(max_size=300) | st.text(max_size=300))
def test_any_frame_is_a_message_or_malformed(subprotocol: str, frame: bytes | str) -> None:
    codec = server_codec(subprotocol)
    try:
        message = codec.decode(frame)
    except Malformed:
        return
    assert isinstance(message, ClientMessage)


@given(st.data())
def test_a_broken_message_is_another_one_or_malformed(data: st.DataObject) -> None:
    payload = bytearray(client_codec(MSGPACK).encode(data.draw(st.sampled_from(FROM_CLIENTS))))
    for _ in range(data.draw(st.integers(1, 3))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        message = server_codec(MSGPACK).decode(bytes(payload))
    except Malformed:
        return
    assert isinstance(message, ClientMessage)
