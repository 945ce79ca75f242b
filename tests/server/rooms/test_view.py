from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protocol.codec import JSON, server_codec
from protocol.messages import Act, Autopilot, Leave, Ready, SeatCommand, Start, Table
from protocol.notation import CHUO_PAI_CARDS
from protocol.view import MAX_INTEGER, TableView
from server.games.base import SEATS, Seat
from server.games.chuo_pai.cards import cards_of
from server.games.registry import GAMES
from server.rooms.refusal import Refusal
from server.rooms.state import put
from server.rooms.view import table_view
from tests.server.rooms.driven import DrivenRoom, three_players
from tests.server.rooms.twins import begun, twin

VIEWERS = (*SEATS, None)


def shown(room: DrivenRoom, viewer: Seat | None) -> bytes:
    return server_codec(JSON).encode(Table(room.view(viewer), room.happenings))


def numbers(value: object) -> Iterator[int | float]:
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, int | float):
        yield value


def hidden_hands(view: TableView, viewer: Seat | None) -> Iterator[tuple[int, int]]:
    """Of each hand that is not the viewer's: how many cards it counts, and how many it shows."""
    assert view.deal is not None
    for zone in view.deal.zones:
        if zone.name == "hand" and zone.seat != viewer:
            yield zone.count, sum(len(group.cards) for group in zone.groups)


# What is hidden


def attempts(room: DrivenRoom, seat: Seat) -> list[str]:
    """What the room answers to everything that the seat might try and may not: codes and texts."""
    answers = []
    prompt = room.state.seats[seat].prompt
    messages: list[tuple[type[SeatCommand], dict[str, object]]] = [
        *((Act, {"prompt": prompt, "action": f"play {card}+{card}"}) for card in CHUO_PAI_CARDS),
        (Act, {"prompt": prompt, "action": "pass"}),
        (Act, {"prompt": prompt, "action": "play 36+45+66"}),
        (Act, {"prompt": prompt + 1, "action": "pass"}),
        (Act, {"prompt": prompt - 1, "action": "pass"}),
        (Start, {}),
        (Ready, {}),
    ]
    before, entries, happenings = room.opened, list(room.log), room.happenings
    for message, fields in messages:
        try:
            room.ask(seat, message, **fields)
            answers.append("done")
        except Refusal as refusal:
            answers.append(f"{refusal.code} {refusal.text}")
        room.opened, room.log, room.happenings = before, list(entries), happenings
    return answers


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 60), st.sampled_from(VIEWERS))
def test_cards_that_a_viewer_may_not_see_change_nothing_that_it_is_sent(
    seed: int, length: int, viewer: Seat | None
) -> None:
    cards, actions = begun(seed, length)
    other = twin(cards, actions, viewer, Random(seed))
    assume(other is not None)
    rooms = three_players(pace="fast", cards=cards), three_players(pace="fast", cards=other)
    for action in [*actions, None]:
        for onlooker in {viewer, None}:
            assert shown(rooms[0], onlooker) == shown(rooms[1], onlooker)
        if viewer is not None:
            assert attempts(rooms[0], viewer) == attempts(rooms[1], viewer)
        if action is not None:
            for room in rooms:
                room.now_ms += 1_000
                room.act(action)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_no_hand_but_one_s_own_is_shown_before_the_deal_is_over(viewer: Seat | None, game: str) -> None:
    room = three_players(game)
    rng = Random(8)
    while True:
        view = room.view(viewer)
        if room.view(None).room.phase == "over":
            break
        assert [cards for _, cards in hidden_hands(view, viewer)] == [0] * (3 if viewer is None else 2)
        assert (view.prompt is not None) == (viewer in put(room.state))
        room.step(rng)
    assert all(count == cards for count, cards in hidden_hands(view, viewer))


def test_a_player_sees_the_own_hand_whole() -> None:
    room = three_players()
    view = room.view(1)
    assert view.deal is not None
    (hand,) = [zone for zone in view.deal.zones if zone.name == "hand" and zone.seat == 1]
    assert hand.groups[0].cards == cards_of(room.state.table.hands[1])


def test_a_question_goes_to_the_seat_that_is_asked_and_nobody_else() -> None:
    room = three_players(pace="fast")
    assert room.prompt(0).actions == room.turn()[1]
    assert [room.view(viewer).prompt for viewer in (1, 2, None)] == [None] * 3


# What is shown


@pytest.mark.parametrize("game", GAMES)
def test_every_number_of_a_whole_match_is_exact_in_every_client(game: str) -> None:
    room = three_players(game, deals=2, pace="slow")
    rng = Random(9)
    room.now_ms = 1_800_000_000_000
    largest = 0.0
    for number in (1, 2):
        while room.view(None).room.phase == "playing":
            largest = max([largest, *(abs(n) for v in VIEWERS for n in numbers(msgspec.to_builtins(room.view(v))))])
            room.step(rng)
        if number == 1:
            for seat in SEATS:
                room.ask(seat, Ready)
            room.deal()
    assert 0 < largest <= MAX_INTEGER


def test_remaining_time_is_counted_down_and_never_below_nothing() -> None:
    room = three_players(pace="fast")
    whole_ms = room.prompt(0).remaining_ms
    assert whole_ms is not None
    room.now_ms += 3_000
    assert room.prompt(0).remaining_ms == whole_ms - 3_000
    room.now_ms += whole_ms
    assert room.prompt(0).remaining_ms == 0
    assert three_players().prompt(0).remaining_ms is None


def test_only_players_are_connected_and_only_bots_and_stand_ins_have_a_level() -> None:
    room = DrivenRoom().open().sit("Bea")
    room.ask(0, Start, fill="random")
    room.deal()
    ann, bea, bot = table_view(room.state, 0, (0, 2), room.now_ms).seats
    assert (ann.connected, bea.connected, bot.connected) == (True, False, False)
    assert (ann.level, bea.level, bot.level) == (None, None, "random")
    room.away(1)
    room.ask(0, Autopilot, on=True)
    assert [seat.level for seat in room.view(None).seats] == ["normal", "normal", "random"]


def test_what_happens_to_people_is_told_to_all() -> None:
    room = DrivenRoom().open()
    assert [(each.kind, each.seat) for each in room.happenings] == [("sat", 0), ("host", 0)]
    room.sit("Bea")
    assert [(each.kind, each.name) for each in room.happenings] == [("sat", "Bea")]
    room.ask(0, Start, fill="easy")
    assert [each.kind for each in room.happenings] == ["bot_sat", "match_started"]
    room.deal()
    assert (room.happenings[0].kind, room.happenings[0].value) == ("deal_started", 1)
    room.ask(1, Autopilot, on=True)
    room.ask(1, Autopilot, on=False)
    assert [each.kind for each in room.happenings] == ["autopilot_off"]
    room.ask(0, Leave)
    assert [(each.kind, each.seat) for each in room.happenings] == [("left", 0), ("host", 1), ("bot_sat", 0)]


def test_a_return_is_told_only_of_those_who_were_missed() -> None:
    room = three_players()
    room.resume("Bea", "again")
    assert not room.happenings
    room.away(1)
    room.resume("Bea", "once more")
    assert [(each.kind, each.seat) for each in room.happenings] == [("back", 1)]


def test_the_end_of_a_deal_is_told_with_its_scores() -> None:
    room = three_players(deals=2).play_out(Random(5))
    over = room.happenings[-1]
    result = room.view(None).result
    assert result is not None
    assert (over.kind, over.value, over.scores) == ("deal_over", 1, result.scores)
