"""Whatever a server says within the types of the protocol is put into words, or ends with one sentence."""

from collections.abc import Callable
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from client_cli.failure import CommandFailed
from client_cli.invitation import Invitation
from client_cli.plain import Conversation
from client_cli.session import Session
from client_cli.step import Step
from protocol.codec import MSGPACK, client_codec, server_codec
from protocol.errors import ErrorCode
from protocol.messages import (
    Done,
    Join,
    Notice,
    Refused,
    Rooms,
    Said,
    Seated,
    ServerMessage,
    Table,
    Unseated,
    Watch,
    Watching,
    Welcome,
)
from protocol.view import (
    DealView,
    Fact,
    Group,
    Happening,
    Prompt,
    Result,
    RoomView,
    SeatView,
    TableView,
    You,
    Zone,
)
from tests.client_cli.tables import view
from tests.client_cli.test_words_happenings import SENTENCES

SEAT = st.integers(0, 2)
ANY_SEAT = st.none() | SEAT
TEXT = st.text(max_size=8) | st.sampled_from(["Anna", "you", ""])
CARD = st.sampled_from(["66", "13", "36", "s1"]) | TEXT
CARDS = st.lists(CARD, max_size=4).map(tuple)
COUNT = st.integers(0, 5) | st.just(2**53 - 1)
POINTS = st.integers(-4, 4) | st.just(1_000_000)
ACTION = st.sampled_from(["pass", "play 66", "play 66+66", "play 13", ""]) | TEXT
ENTRY = st.sampled_from(["1 0 play 66", "1 1 pass", "2 7 pass", "1", "1 x pass", "1 -1 pass", "² ² pass"]) | TEXT
GAME = st.sampled_from(["chuo-pai", "whist", "x" * 5000]) | TEXT
PHASE = st.sampled_from(["open", "dealing", "playing", "between", "over"]) | TEXT

GROUP = st.builds(Group, CARDS, TEXT, ANY_SEAT)
ZONE = st.builds(
    Zone, st.sampled_from(["hand", "round", "won"]), COUNT, ANY_SEAT, st.lists(GROUP, max_size=2).map(tuple)
)
FACT = st.builds(Fact, st.sampled_from(["turn", "round", "points", "highest"]), POINTS | TEXT, ANY_SEAT)
DEAL = st.builds(
    DealView,
    st.lists(ZONE, max_size=3).map(tuple),
    st.lists(FACT, max_size=3).map(tuple),
    st.lists(ENTRY, max_size=3).map(tuple),
)
ROOM = st.builds(
    RoomView,
    TEXT,
    GAME,
    st.dictionaries(TEXT, st.booleans() | st.integers(-1000, 1000)),
    TEXT,
    COUNT,
    COUNT,
    PHASE,
    ANY_SEAT,
)
SEAT_VIEW = st.builds(
    SeatView,
    SEAT,
    st.sampled_from(["empty", "human", "bot", "ghost"]),
    TEXT,
    st.none() | TEXT,
    *[st.booleans()] * 4,
    POINTS,
)
PROMPT = st.builds(Prompt, COUNT, st.lists(ACTION, max_size=3).map(tuple) | st.just(("pass",)), st.none() | COUNT)
RESULT = st.builds(Result, st.tuples(POINTS, POINTS, POINTS), st.lists(SEAT, max_size=4).map(tuple))
HAPPENING = st.builds(
    Happening,
    st.sampled_from([happening.kind for happening, _, _ in SENTENCES]) | TEXT,
    ANY_SEAT,
    CARDS,
    st.none() | POINTS,
    TEXT,
    st.lists(POINTS, max_size=5).map(tuple),
)
VIEW = st.builds(
    TableView,
    ROOM,
    st.tuples(SEAT_VIEW, SEAT_VIEW, SEAT_VIEW),
    st.none() | DEAL,
    st.none() | PROMPT,
    st.none() | st.builds(You, SEAT, COUNT),
    st.none() | RESULT,
)
TABLE = st.builds(Table, VIEW, st.lists(HAPPENING, max_size=3).map(tuple), st.booleans())
NUMBER = st.integers(1, 4) | st.just(2**53 - 1)
MESSAGE: st.SearchStrategy[ServerMessage] = (
    TABLE
    | st.builds(Welcome, TEXT, TEXT, st.just(("chuo-pai",)))
    | st.builds(Seated, TEXT, SEAT, TEXT)
    | st.builds(Watching, TEXT)
    | st.builds(Done, NUMBER)
    | st.builds(Refused, st.sampled_from(ErrorCode) | TEXT, TEXT, st.none() | NUMBER, st.none() | COUNT)
    | st.builds(Said, TEXT, TEXT, ANY_SEAT)
    | st.just(Rooms(()))
    | st.builds(Unseated, st.sampled_from(["left", "removed", "closed", "damaged", "?"]))
    | st.builds(Notice, st.sampled_from(["stale", "live", "reset", "newer", "draining", "?"]))
)
WORDS = sorted(Conversation(Session("Anna", None))._words.meanings(view(), "", ""))
LINE = st.sampled_from([*WORDS, "yes", "1", "#1", "66", "auto on", "auto off", "remove 2", "say hi", "quit now"]) | TEXT

Input = Callable[[Conversation], Step]


def _hears(message: ServerMessage) -> Input:
    return lambda conversation: conversation.received(message)


def _types(line: str) -> Input:
    return lambda conversation: conversation.typed(line)


INPUT: st.SearchStrategy[Input] = st.one_of(
    MESSAGE.map(_hears),
    LINE.map(_types),
    st.sampled_from([Conversation.again, Conversation.opened, Conversation.interrupted, Conversation.input_ended]),
)


@given(st.sampled_from([Join("K7QF2MXR"), Watch("K7QF2MXR")]), TABLE, st.lists(INPUT, max_size=8))
def test_no_table_and_no_order_of_messages_and_lines_is_a_fault_of_ours(
    entry: Join | Watch, told: Table, inputs: list[Input]
) -> None:
    assert client_codec(MSGPACK).decode(server_codec(MSGPACK).encode(told)) == told
    conversation = Conversation(Session("Anna", entry), invitation=Invitation("ws://h:8470/ws", qr=True), ends="server")
    conversation.opened()
    for each in (_hears(told), *map(_types, WORDS), *inputs):
        with suppress(CommandFailed):
            step = each(conversation)
            assert all(isinstance(line, str) for line in step.lines)
            for message in step.send:
                client_codec(MSGPACK).encode(message)
