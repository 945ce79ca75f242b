"""One connection's conversation, without a socket and without a clock."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import JSON, MSGPACK, SUBPROTOCOLS, client_codec, server_codec
from protocol.errors import CloseCode, ErrorCode
from protocol.messages import (
    MAX_DEALS,
    Act,
    AskHint,
    ClientMessage,
    Create,
    Done,
    Emote,
    Export,
    Hello,
    HouseRule,
    Join,
    ListRooms,
    Ready,
    Refused,
    Say,
    SeatCommand,
    ServerMessage,
    Start,
    Watch,
    Welcome,
    Why,
)
from server.gateway.admission import COOLING_MS, Account
from server.gateway.admission import REFUSED_AT_ONCE as ADDRESS_REFUSED_AT_ONCE
from server.gateway.outbox import Outbox
from server.gateway.session import (
    HINTS_AT_ONCE,
    MAX_FAULT_CHARACTERS,
    MESSAGES_AT_ONCE,
    REFUSED_AT_ONCE,
    SAYINGS_AT_ONCE,
    WHYS_AT_ONCE,
    Request,
    Resume,
    Session,
)
from server.limits import Limits
from server.node.port import Refusal
from server.rooms.names import clean_text
from tests.server.gateway.fakes import COMMANDS, table

RULES: dict[str, tuple[HouseRule, ...]] = {"chuo-pai": (HouseRule("max_combination", 12, 2, 12),)}


class Conversation:
    """A session and what it says, decoded."""

    def __init__(self, subprotocol: str = JSON, *, greeted: bool = True, account: Account | None = None) -> None:
        self.codec = client_codec(subprotocol)
        self.outbox = Outbox(server_codec(subprotocol).encode, lambda: None)
        self.session = Session(server_codec(subprotocol), self.outbox, "9.9", RULES, account=account)
        self.now_ms = 1_000_000
        if greeted:
            self.ask(Hello("Ann"))
            self.drain()

    def ask(self, message: ClientMessage) -> Request | None:
        frame = self.codec.encode(message)
        return self.send(frame.decode() if self.codec.text else frame)

    def send(self, frame: bytes | str) -> Request | None:
        return self.session.receive(frame, self.now_ms)

    def drain(self) -> list[ServerMessage]:
        frames = iter(self.outbox.pop, None)
        return [self.codec.decode(frame.decode() if self.codec.text else frame) for frame in frames]

    def answer(self) -> ServerMessage:
        (only,) = self.drain()
        return only

    def refusal(self) -> Refused:
        answer = self.answer()
        assert isinstance(answer, Refused)
        return answer


def act(n: int = 1, action: str = "pass") -> Act:
    return Act(n, 7, action)


# Hello


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
def test_hello_is_welcomed_with_the_cleaned_name(subprotocol: str) -> None:
    talk = Conversation(subprotocol, greeted=False)
    assert talk.ask(Hello(" A\u202en\x1bn ")) is None
    assert talk.answer() == Welcome("9.9", "Ann", ("chuo-pai",), (), RULES, fair=True)
    assert talk.session.greeted


@pytest.mark.parametrize(
    "message",
    [
        Create("chuo-pai"),
        Join("A"),
        Watch("A"),
        ListRooms(),
        Export(1),
        Say("hi"),
        Emote("hello"),
        AskHint(1),
        Why(0, "66"),
        *COMMANDS,
    ],
)
def test_nothing_is_done_before_hello(message: ClientMessage) -> None:
    talk = Conversation(greeted=False)
    assert talk.ask(message) is None
    refusal = talk.refusal()
    assert refusal.code == ErrorCode.HELLO_FIRST
    assert refusal.n == getattr(message, "n", None)


def test_a_second_hello_is_refused_and_keeps_the_first_name() -> None:
    talk = Conversation()
    assert talk.ask(Hello("Bob", "a ticket")) is None
    assert talk.refusal().code == ErrorCode.ALREADY_GREETED
    assert talk.session.name == "Ann"


def test_a_name_with_nothing_to_read_is_refused_and_another_may_follow() -> None:
    talk = Conversation(greeted=False)
    assert talk.ask(Hello("\u200f")) is None
    assert talk.refusal().code == ErrorCode.BAD_NAME
    assert not talk.session.greeted
    talk.ask(Hello("Ann"))
    assert isinstance(talk.answer(), Welcome)


def test_a_hello_with_a_ticket_asks_for_the_seat() -> None:
    talk = Conversation(greeted=False)
    assert talk.ask(Hello("Ann", "a ticket")) == Resume("a ticket")
    assert isinstance(talk.answer(), Welcome)
    talk.session.carry_out()
    assert talk.drain() == []


def test_a_ticket_that_opens_no_seat_ends_the_connection() -> None:
    talk = Conversation(greeted=False)
    talk.ask(Hello("Ann", "a ticket"))
    talk.session.refuse(Refusal(ErrorCode.BAD_TICKET, "The ticket opens no seat."))
    assert talk.drain()[1:] == [Refused(ErrorCode.BAD_TICKET, "The ticket opens no seat.")]
    assert talk.outbox.code is CloseCode.BAD_TICKET


def test_a_ticket_that_cannot_be_looked_up_now_may_be_tried_again() -> None:
    talk = Conversation(greeted=False)
    talk.ask(Hello("Ann", "a ticket"))
    talk.session.refuse(Refusal(ErrorCode.STORE_UNAVAILABLE, "Not now.", 500))
    assert talk.drain()[1:] == [Refused(ErrorCode.STORE_UNAVAILABLE, "Not now.", retry_ms=500)]
    assert talk.outbox.code is None
    assert talk.ask(Hello("Ann", "a ticket")) == Resume("a ticket")


# Requests and their answers


@pytest.mark.parametrize("subprotocol", SUBPROTOCOLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_reaches_the_node_as_it_was_sent_and_its_number_comes_back(
    command: SeatCommand, subprotocol: str
) -> None:
    talk = Conversation(subprotocol)
    assert talk.ask(command) == command
    talk.session.carry_out()
    assert talk.answer() == Done(command.n)


@pytest.mark.parametrize(
    "message", [Create("chuo-pai", fill="easy"), Join("abcd-2345"), Watch("ABCD2345"), ListRooms(), Export(3)]
)
def test_requests_without_a_number_reach_the_node_and_get_no_done(message: Request) -> None:
    assert isinstance(message, ClientMessage)
    talk = Conversation()
    assert talk.ask(message) == message
    talk.session.carry_out()
    assert talk.drain() == []


def test_a_refusal_says_code_sentence_number_and_when_to_try_again() -> None:
    talk = Conversation()
    talk.ask(act(4))
    talk.session.refuse(Refusal(ErrorCode.STORE_UNAVAILABLE, "Not saved.", 250))
    assert talk.answer() == Refused(ErrorCode.STORE_UNAVAILABLE, "Not saved.", 4, 250)


def test_a_fault_is_answered_with_the_number_of_what_was_asked() -> None:
    talk = Conversation()
    talk.ask(act(4))
    talk.session.fail()
    refusal = talk.refusal()
    assert (refusal.code, refusal.n) == (ErrorCode.INTERNAL, 4)


def test_texts_are_cleaned_and_empty_ones_refused() -> None:
    talk = Conversation()
    assert talk.ask(Say("\x1b]0;title\x07好\u202e\nyes")) == Say("]0;title好 yes")
    assert talk.ask(Say("\u2066\u200b")) is None
    assert talk.refusal().code == ErrorCode.BAD_TEXT


# A refused command, repeated


def test_a_refused_command_repeated_gets_the_same_answer_without_asking_again() -> None:
    talk = Conversation()
    assert talk.ask(act(1, "play 66")) is not None
    talk.session.refuse(Refusal(ErrorCode.ILLEGAL_ACTION, "You do not hold that."))
    first = talk.answer()
    assert talk.ask(act(1, "play 66")) is None
    assert talk.answer() == first


@pytest.mark.parametrize("other", [act(1, "pass"), act(2, "play 66"), Ready(1)])
def test_another_command_after_a_refused_one_is_asked(other: SeatCommand) -> None:
    talk = Conversation()
    talk.ask(act(1, "play 66"))
    talk.session.refuse(Refusal(ErrorCode.ILLEGAL_ACTION, "You do not hold that."))
    assert talk.ask(other) == other


def test_a_refused_command_is_asked_again_once_the_table_has_changed() -> None:
    talk = Conversation()
    talk.ask(Start(1))
    talk.session.refuse(Refusal(ErrorCode.SEATS_EMPTY, "Not all seats are taken."))
    talk.outbox.show(table(), ())
    assert talk.ask(Start(1)) == Start(1)


@pytest.mark.parametrize("code", [ErrorCode.STORE_UNAVAILABLE, ErrorCode.INTERNAL])
def test_a_command_that_was_not_saved_is_asked_again(code: ErrorCode) -> None:
    talk = Conversation()
    talk.ask(act())
    talk.session.refuse(Refusal(code, "Not now."))
    assert talk.ask(act()) == act()


# What is no message


MALFORMED = [
    "",
    "null",
    "[]",
    "{}",
    "not json",
    '{"type":"act"}',
    '{"type":"fly","n":3}',
    '{"type":"act","n":"3","prompt":1,"action":"pass"}',
    '{"type":"act","n":3,"prompt":1,"action":"pass","seat":2}',
    '{"type":"act","n":3,"prompt":1,"action":null}',
    '{"type":"act","n":3,"prompt":true,"action":"pass"}',
    '{"type":"act","n":3,"prompt":1.5,"action":"pass"}',
    '{"type":"act","n":3,"prompt":-1,"action":"pass"}',
    '{"type":"act","n":3,"prompt":9007199254740992,"action":"pass"}',
    '{"type":"act","n":3,"prompt":1e400,"action":"pass"}',
    '{"type":"act","n":3,"prompt":1,"action":"pass"} {}',
    json.dumps({"type": "say", "text": "x" * 301}),
    json.dumps({"type": "act", "n": 3, "prompt": 1, "action": "x" * 201}),
    "[" * 4000,
    '{"a":' * 700,
    '{"type":"say","text":"\ud800"}',
]


@pytest.mark.parametrize("frame", MALFORMED)
def test_what_is_no_message_is_refused_and_the_connection_goes_on(frame: str) -> None:
    talk = Conversation()
    assert talk.send(frame) is None
    refusal = talk.refusal()
    assert refusal.code == ErrorCode.MALFORMED
    assert refusal.n in (None, 3)
    assert refusal.text.isprintable()
    assert talk.ask(ListRooms()) == ListRooms()


@pytest.mark.parametrize(
    ("frame", "n"),
    [
        ('{"type":"fly","n":3}', 3),
        ('{"type":"act","n":3,"prompt":1,"action":"pass","seat":2}', 3),
        ('{"type":"ready","n":0}', None),
        ('{"type":"ready","n":9007199254740992}', None),
        ('{"type":"ready","n":"3"}', None),
    ],
)
def test_a_malformed_command_is_refused_with_its_number_where_it_has_one(frame: str, n: int | None) -> None:
    talk = Conversation()
    talk.send(frame)
    assert talk.refusal().n == n


def test_frames_of_the_other_kind_are_refused() -> None:
    for subprotocol, frame in ((JSON, b'{"type":"list_rooms"}'), (MSGPACK, '{"type":"list_rooms"}')):
        talk = Conversation(subprotocol)
        assert talk.send(frame) is None
        assert talk.refusal().code == ErrorCode.MALFORMED


def test_of_what_is_wrong_no_more_is_read_than_is_said_and_nothing_in_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def clean(text: str) -> str | None:
        read.append(text)
        return clean_text(text)

    monkeypatch.setattr("server.gateway.session.clean_text", clean)
    talk = Conversation()
    for _ in range(2 * MESSAGES_AT_ONCE):
        talk.send(json.dumps({"type": "ready", "n": 1, "z\u0300" * 600: 1}, ensure_ascii=False))
    assert len(read) < MESSAGES_AT_ONCE
    assert max(map(len, read)) == MAX_FAULT_CHARACTERS


def test_a_refusal_never_carries_raw_input_back() -> None:
    talk = Conversation()
    talk.send(json.dumps({"type": "act", "\x1b]52;c;QUJD\x07" + "y" * 3000: 1}))
    text = talk.refusal().text
    assert text.isprintable()
    assert len(text) <= 200


@given(st.sampled_from(SUBPROTOCOLS), st.binary(max_size=200) | st.text(max_size=200))
def test_no_frame_whatever_breaks_a_session(subprotocol: str, frame: bytes | str) -> None:
    talk = Conversation(subprotocol)
    if talk.send(frame) is None:
        assert isinstance(talk.answer(), Refused)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
FIELDS = st.sampled_from(["type", "n", "text", "code"])
JSON_VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner))


@given(st.lists(JSON_VALUES))
def test_no_json_whatever_breaks_a_session(values: list[object]) -> None:
    talk = Conversation()
    for value in values:
        talk.send(json.dumps(value))
        talk.now_ms += 1000
        assert all(isinstance(answer, Refused) for answer in talk.drain())


# Floods


def test_messages_beyond_the_rate_are_refused_with_a_time_to_wait_and_its_number() -> None:
    talk = Conversation(greeted=False)
    talk.ask(Hello("Ann"))
    for n in range(1, MESSAGES_AT_ONCE):
        assert talk.ask(act(n)) is not None
    talk.drain()
    assert talk.ask(act(99)) is None
    refusal = talk.refusal()
    assert (refusal.code, refusal.n, refusal.retry_ms) == (ErrorCode.RATE_LIMITED, 99, 50)
    talk.now_ms += 50
    assert talk.ask(act(99)) == act(99)


def test_chat_has_its_own_rate_and_never_starves_actions() -> None:
    talk = Conversation()
    for _ in range(SAYINGS_AT_ONCE):
        assert talk.ask(Say("hi")) is not None
    for _ in range(50):
        assert talk.ask(Say("hi")) is None
    assert {answer.code for answer in talk.drain() if isinstance(answer, Refused)} == {ErrorCode.RATE_LIMITED}
    assert talk.ask(act()) == act()


def test_emotes_are_chat_and_share_its_rate() -> None:
    talk = Conversation()
    for _ in range(SAYINGS_AT_ONCE):
        assert talk.ask(Emote("hurry")) == Emote("hurry")
    for message in (Emote("hurry"), Say("hi")):
        assert talk.ask(message) is None
        assert talk.refusal().code == ErrorCode.RATE_LIMITED
    assert talk.ask(act()) == act()


def test_hints_have_their_own_rate_and_never_starve_actions() -> None:
    talk = Conversation()
    for _ in range(HINTS_AT_ONCE):
        assert talk.ask(AskHint(7)) == AskHint(7)
    assert talk.ask(AskHint(7)) is None
    refusal = talk.refusal()
    assert (refusal.code, refusal.retry_ms) == (ErrorCode.RATE_LIMITED, 1_000)
    assert talk.ask(act()) == act()
    assert talk.ask(Say("hi")) == Say("hi")


def test_questions_why_have_their_own_rate_and_never_starve_actions() -> None:
    talk = Conversation()
    for _ in range(WHYS_AT_ONCE):
        assert talk.ask(Why(7, "66")) == Why(7, "66")
    assert talk.ask(Why(7, "66")) is None
    refusal = talk.refusal()
    assert (refusal.code, refusal.retry_ms) == (ErrorCode.RATE_LIMITED, 200)
    assert talk.ask(act()) == act()
    assert talk.ask(AskHint(7)) == AskHint(7)


def test_whole_matches_may_be_exported_but_not_without_end() -> None:
    talk = Conversation()
    for deal in range(1, MAX_DEALS + 1):
        assert talk.ask(Export(deal)) == Export(deal)
    assert talk.ask(Export(1)) is None
    refusal = talk.refusal()
    assert (refusal.code, refusal.retry_ms) == (ErrorCode.RATE_LIMITED, 1_000)
    assert talk.ask(act()) == act()
    talk.now_ms += 1_000
    assert talk.ask(Export(1)) == Export(1)


def test_what_is_no_message_counts_as_one() -> None:
    talk = Conversation()
    for _ in range(MESSAGES_AT_ONCE):
        talk.send("{")
    assert talk.ask(act()) is None
    assert {answer.code for answer in talk.drain()[-1:] if isinstance(answer, Refused)} == {ErrorCode.RATE_LIMITED}


@pytest.mark.parametrize("per_second", [60, 200, 1000])
def test_whoever_keeps_flooding_is_sent_away(per_second: int) -> None:
    talk = Conversation(greeted=False)
    for number in range(20 * per_second):
        talk.now_ms = number * 1000 // per_second
        talk.send("{")
        talk.drain()
        if talk.outbox.code is not None:
            break
    assert talk.outbox.code is CloseCode.RATE_LIMITED


def test_one_long_paste_into_the_chat_is_refused_but_sends_nobody_away() -> None:
    talk = Conversation()
    for _ in range(REFUSED_AT_ONCE):
        talk.send('{"type":"say","text":"a line"}')
        talk.drain()
    assert talk.outbox.code is None


def test_a_pause_forgives_a_flood() -> None:
    talk = Conversation(greeted=False)
    for _ in range(5):
        for _ in range(MESSAGES_AT_ONCE + REFUSED_AT_ONCE - 10):
            talk.send("{")
            talk.drain()
        talk.now_ms += 100_000
    assert talk.outbox.code is None


# What the connections of one address share


def rate_limited(talk: Conversation) -> int | None:
    refusal = talk.refusal()
    assert refusal.code == ErrorCode.RATE_LIMITED
    assert "address" in refusal.text
    return refusal.retry_ms


def test_connections_of_one_address_share_its_messages_and_none_is_sent_away_for_it() -> None:
    account = Account(Limits(address_messages=10))
    greedy, other = Conversation(account=account), Conversation(account=account)
    for _ in range(30):
        assert greedy.ask(act()) is not None
    for _ in range(18):
        assert other.ask(act()) is not None
    for _ in range(20):
        assert other.ask(act()) is None
        assert rate_limited(other) == 100
    assert other.outbox.code is None
    assert account.floods.is_full(other.now_ms)
    other.now_ms += 100
    assert other.ask(act()) is not None
    assert Conversation(account=Account(Limits(address_messages=10))).ask(act()) is not None


def test_a_message_that_its_connection_may_not_send_costs_its_address_nothing() -> None:
    account = Account(Limits(address_messages=20))
    flooding, other = Conversation(account=account), Conversation(account=account)
    for _ in range(150):
        flooding.send("{")
        flooding.drain()
    assert other.ask(act()) is not None


def test_of_many_connections_that_flood_together_each_is_sent_away_sooner_than_one_alone() -> None:
    account = Account(Limits())
    crowd = [Conversation(account=account) for _ in range(50)]
    sent = 0
    while any(talk.outbox.code is None for talk in crowd):
        for talk in crowd:
            if talk.outbox.code is None:
                talk.send("{")
                talk.drain()
                sent += 1
    assert {talk.outbox.code for talk in crowd} == {CloseCode.RATE_LIMITED}
    assert sent <= 50 * (MESSAGES_AT_ONCE + 1) + ADDRESS_REFUSED_AT_ONCE
    assert account.cool_at_ms == crowd[0].now_ms + COOLING_MS


def test_whoever_waits_as_told_is_no_flood_however_many_share_the_address() -> None:
    account = Account(Limits())
    crowd = [Conversation(account=account) for _ in range(100)]
    for _ in range(60):
        for talk in crowd:
            talk.now_ms += 0 if talk.ask(act()) else 50
    assert all(talk.outbox.code is None for talk in crowd)
    assert account.floods.is_full(0)


def test_rooms_asked_for_are_limited_by_address() -> None:
    account = Account(Limits(address_joins=1))
    for _ in range(10):
        talk = Conversation(account=account)
        assert talk.ask(ListRooms()) is not None
        assert talk.ask(Create("chuo-pai")) is not None
    for message in (ListRooms(), Create("chuo-pai"), Join("A"), Watch("A")):
        assert talk.ask(message) is None
        assert rate_limited(talk) == 1000
    assert talk.ask(act()) == act()


def test_rooms_created_are_limited_by_address_and_hour() -> None:
    account = Account(Limits(address_rooms=3))
    for _ in range(3):
        assert Conversation(account=account).ask(Create("chuo-pai")) is not None
    talk = Conversation(account=account)
    assert talk.ask(Create("chuo-pai")) is None
    assert rate_limited(talk) == 20 * 60 * 1000
    assert talk.ask(Join("A")) == Join("A")


@pytest.mark.parametrize("message", [Join("A"), Watch("A")])
def test_wrong_codes_are_limited_by_address_and_right_ones_are_not(message: Join | Watch) -> None:
    account = Account(Limits(address_guesses=6))
    for _ in range(10):
        talk = Conversation(account=account)
        assert talk.ask(message) == message
        talk.session.carry_out()
    for code in (ErrorCode.ROOM_FULL, ErrorCode.STORE_UNAVAILABLE):
        assert talk.ask(message) == message
        talk.session.refuse(Refusal(code, "Not now."))
    for _ in range(6):
        talk = Conversation(account=account)
        assert talk.ask(message) == message
        talk.session.refuse(Refusal(ErrorCode.NO_SUCH_ROOM, "No."))
    talk = Conversation(account=account)
    assert talk.ask(message) is None
    assert rate_limited(talk) == 10_000
    assert talk.ask(Create("chuo-pai")) is not None


def test_wrong_tickets_are_limited_as_wrong_codes_are_and_end_the_connection() -> None:
    account = Account(Limits(address_guesses=2))
    for _ in range(2):
        talk = Conversation(account=account, greeted=False)
        assert talk.ask(Hello("Ann", "A.guess")) == Resume("A.guess")
        talk.session.refuse(Refusal(ErrorCode.BAD_TICKET, "No."))
    talk = Conversation(account=account, greeted=False)
    assert talk.ask(Hello("Ann", "A.guess")) is None
    assert rate_limited(talk) == 30_000
    assert not talk.session.greeted
    assert talk.outbox.code is CloseCode.RATE_LIMITED
    newcomer = Conversation(account=account)
    assert newcomer.session.greeted
