from random import Random
from typing import cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Autopilot, Leave, Ready
from server.games.registry import GAMES
from server.rooms.commands import DealCards, TimeUp
from server.rooms.events import (
    Acted,
    AutoPassSet,
    AutopilotSet,
    BotSeated,
    Commit,
    Contributed,
    DealStarted,
    DeclaredLate,
    Event,
    HostAsked,
    HostIdled,
    MatchStarted,
    Numbered,
    Readied,
    Regranted,
    Resumed,
    RoomClosed,
    RoomCreated,
    RoundOpened,
    RoundVoided,
    SaidHere,
    SeatTaken,
    SeatVacated,
    UnknownCommit,
    WentAway,
    WentOn,
    decode_commit,
    encode_commit,
)
from server.rooms.fold import Unfoldable, fold
from server.rooms.pace import PACES, WAKE_MS, Clockwork
from server.rooms.state import RoomState
from server.rooms.view import happened, table_view
from tests.server.rooms.driven import DrivenRoom, deck, replayed, three_players

FAST = cast(Clockwork, PACES["fast"])


def commit(*events: Event, numbered: Numbered | None = None) -> Commit:
    return Commit(b"id", "node", 5, events, numbered)


# Time: the bank and the wake


def test_thinking_within_the_decision_time_costs_no_bank() -> None:
    room = three_players(pace="fast")
    room.now_ms += FAST.decision_ms
    room.act()
    assert room.state.seats[0].bank_ms == FAST.bank_ms


def test_thinking_longer_runs_the_bank_down_and_nothing_refills_it_in_a_deal() -> None:
    room = three_players(pace="fast")
    banks = []
    for _ in range(4):
        while room.turn()[0] != 0:
            room.act()
        room.now_ms += FAST.decision_ms + 3_000
        room.act()
        banks.append(room.state.seats[0].bank_ms)
    assert banks == [FAST.bank_ms - 3_000 * turns for turns in (1, 2, 3, 4)]


def test_an_empty_bank_leaves_the_decision_time() -> None:
    room = three_players(pace="fast")
    deadline_ms = room.state.seats[0].deadline_ms
    assert deadline_ms is not None
    room.now_ms = deadline_ms
    room.do(TimeUp(0, 1, room.turn()[1][0]))
    assert room.state.seats[0].bank_ms == 0
    while room.turn()[0] != 0:
        room.act()
    assert room.state.seats[0].deadline_ms == room.now_ms + FAST.decision_ms


def test_each_deal_starts_with_a_full_bank() -> None:
    room = three_players(pace="fast", deals=2)
    room.now_ms += FAST.decision_ms + 3_000
    room.play_out(Random(1))
    assert room.state.seats[0].bank_ms < FAST.bank_ms
    for seat in (0, 1, 2):
        room.ask(seat, Ready)
    room.do(DealCards(deck(2), 0))
    assert [seat.bank_ms for seat in room.state.seats] == [FAST.bank_ms] * 3


def test_a_room_that_wakes_gives_everybody_time_to_look() -> None:
    room = three_players(pace="fast")
    room.now_ms += 3_600_000
    room.resume("Bea", woke=True)
    assert room.state.seats[0].deadline_ms == room.now_ms + WAKE_MS
    assert room.prompt(0).remaining_ms == WAKE_MS


def test_waking_shortens_no_clock_and_a_mere_return_moves_none() -> None:
    room = three_players(pace="normal")
    deadline_ms = room.state.seats[0].deadline_ms
    room.now_ms += 1_000
    room.resume("Bea", woke=True)
    room.now_ms += 75_000
    room.resume("Ann", woke=False)
    assert room.state.seats[0].deadline_ms == deadline_ms


def test_a_room_in_which_something_just_happened_was_not_asleep() -> None:
    room = three_players(pace="fast")
    room.now_ms += FAST.decision_ms + FAST.bank_ms - 1_000
    room.resume("Bea", woke=True)
    granted_ms = room.state.seats[0].deadline_ms
    for connection in ("again", "once more"):
        room.now_ms += WAKE_MS // 2 - 1
        room.resume("Ann", connection, woke=True)
    assert room.state.seats[0].deadline_ms == granted_ms


# Questions


def test_a_question_stands_while_others_come_and_go() -> None:
    room = three_players()
    before = room.prompt(0)
    room.away(1)
    room.resume("Bea", "again")
    room.ask(2, Autopilot, on=True)
    room.ask(1, Leave)
    assert room.prompt(0) == before


def test_questions_are_counted_through_the_whole_match() -> None:
    room = three_players(deals=2)
    last = [0, 0, 0]
    for number in (1, 2):
        while room.state.phase == "playing":
            seat, _ = room.turn()
            assert room.prompt(seat).id == last[seat] + 1
            last[seat] += 1
            room.act()
        if number == 1:
            for seat in (0, 1, 2):
                room.ask(seat, Ready)
            room.deal(first=2)
    assert [seat.prompt for seat in room.state.seats] == last


def test_an_emptied_seat_keeps_nothing_of_its_player() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(1, Autopilot, on=True)
    room.away(1)
    room.ask(1, Leave)
    empty = room.view(None).seats[1]
    assert (empty.kind, empty.name, empty.away, empty.autopilot, empty.connected) == ("empty", "", False, False, False)


# Logs


@pytest.mark.parametrize("game", GAMES)
def test_the_bytes_of_a_log_give_the_same_room_again(game: str) -> None:
    room = three_players(game, deals=2, pace="slow").play_out(Random(6))
    room.ask(1, Leave)
    room.away(2)
    room.ask(0, Ready)
    room.deal(first=2)
    assert replayed(room.log) == room.state


@pytest.mark.parametrize("payload", [b"", b"\x00", b"\xc1", encode_commit(commit(MatchStarted()))[:-1], b"\x93" * 50])
def test_bytes_that_are_no_commit_are_an_error(payload: bytes) -> None:
    with pytest.raises(UnknownCommit):
        decode_commit(payload)


def test_a_log_begins_with_a_creation_and_has_only_one() -> None:
    created = RoomCreated("ABCDEFGH", "chuo-pai", {}, 1, "none", listed=False)
    for nothing_to_fold in (commit(), commit(MatchStarted()), commit(Acted(0, "pass", "bot"))):
        with pytest.raises(Unfoldable):
            fold(None, nothing_to_fold)
    with pytest.raises(Unfoldable):
        fold(fold(None, commit(created)), commit(created))


@pytest.mark.parametrize(
    "damage",
    [
        commit(Acted(0, "play 99", "bot")),
        commit(Acted(1, "pass", "bot")),
        commit(Acted(7, "pass", "bot")),
        commit(DealStarted(deck(1)[1:], 0)),
        commit(SeatTaken(3, "Dan", b"", "")),
        commit(WentAway(9)),
        commit(numbered=Numbered(5, 1, b"")),
        commit(MatchStarted(), Acted(0, "pass", "bot"), DealStarted(deck(1), 5)),
    ],
)
def test_a_commit_that_does_not_follow_is_an_error_and_shows_no_card(damage: Commit) -> None:
    room = three_players()
    with pytest.raises((Unfoldable, UnknownCommit)) as raised:
        fold(room.state, decode_commit(encode_commit(damage)))
    assert not any(card in str(raised.value) for card in ("99", *deck(1)))


@pytest.mark.parametrize("damage", [Acted(0, "pass", "bot"), DealStarted(deck(1), 0)])
def test_nobody_acts_and_nothing_is_dealt_in_a_lobby(damage: Event) -> None:
    room = DrivenRoom().open()
    with pytest.raises(Unfoldable):
        fold(room.state, commit(damage))


SEAT = st.integers(-4, 4)
EVENTS = st.one_of(
    st.builds(RoomCreated, st.just("ABCDEFGH"), st.sampled_from(["chuo-pai", "paohuzi", "go"]), st.just({}),
              st.integers(0, 2), st.sampled_from(["none", "fast"]), st.booleans()),
    st.builds(SeatTaken, SEAT, st.text(max_size=2), st.binary(max_size=2), st.text(max_size=2)),
    st.builds(BotSeated, SEAT, st.sampled_from(["easy", "random"])),
    st.builds(SeatVacated, SEAT, st.sampled_from(["left", "removed"])),
    st.builds(Resumed, SEAT, st.text(max_size=2), st.booleans()),
    st.builds(WentAway, SEAT),
    st.builds(AutopilotSet, SEAT, st.booleans()),
    st.just(MatchStarted()),
    st.builds(RoundOpened, st.integers(0, 3), st.integers(0, 3), st.binary(max_size=2), st.just((0,))),
    st.builds(Contributed, SEAT, st.integers(0, 3), st.integers(0, 3), st.binary(max_size=2), st.binary(max_size=2)),
    st.builds(RoundVoided, st.tuples(SEAT)),
    st.builds(DealStarted, st.sampled_from([deck(1), deck(1, "paohuzi"), ()]), SEAT),
    st.builds(Acted, SEAT, st.sampled_from(["pass", "play 11", "play 66", "discard s1", "win"]),
              st.sampled_from(["player", "clock", "switch"])),
    st.just(WentOn()),
    st.builds(DeclaredLate, SEAT),
    st.builds(AutoPassSet, SEAT, st.booleans()),
    st.builds(Readied, SEAT),
    st.builds(SaidHere, SEAT),
    st.builds(HostAsked, SEAT),
    st.builds(HostIdled, SEAT),
    st.just(Regranted()),
    st.just(RoomClosed()),
)  # fmt: skip


def test_every_event_is_tried() -> None:
    assert len(EVENTS.original_strategies) == len(get_args(Event))  # type: ignore[attr-defined]


def show(before: RoomState | None, event: Event, after: RoomState) -> None:
    happened(before, event, after)
    for viewer in (0, 1, 2, None):
        table_view(after, viewer, (), 5)


@given(st.lists(EVENTS, max_size=8), st.sampled_from(sorted(GAMES)), st.booleans())
def test_whatever_a_log_holds_it_folds_or_is_an_error_of_its_own_kind(
    events: list[Event], game: str, started: bool
) -> None:
    state: RoomState | None = three_players(game, pace="fast").state if started else DrivenRoom().open(game).state
    for event in events:
        try:
            state = fold(state, decode_commit(encode_commit(commit(event))), show)
        except (Unfoldable, UnknownCommit):
            continue
    assert state is not None
