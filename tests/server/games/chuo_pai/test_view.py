"""What seats and spectators see, and that what they may not see changes nothing of it."""

from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.view import DealView, Fact, Group, Happening, Zone
from server.games.base import SEATS, Deck, IllegalAction, Seat
from server.games.chuo_pai.cards import PACK, cards_of
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PLAYS
from server.games.chuo_pai.state import State

GAME = ChuoPai()


def test_a_seat_sees_its_hand_and_the_counts_of_the_others(position: Callable[..., State]) -> None:
    state = position("22 15", "33 55 11", "12", turn=1, highest="play 22")
    assert GAME.view(state, 1) == DealView(
        zones=(
            Zone("hand", 2, 0),
            Zone("hand", 3, 1, (Group(("11", "33", "55"), "hand"),)),
            Zone("hand", 1, 2),
            Zone("pile", 0, 0),
            Zone("pile", 0, 1),
            Zone("pile", 0, 2),
            Zone("round", 1, groups=(Group(("22",), "set", 0),)),
        ),
        facts=(
            Fact("round", 1),
            Fact("leader", 0),
            Fact("turn", 1),
            Fact("highest", "22", 0),
            Fact("points", 0, 0),
            Fact("points", 0, 1),
            Fact("points", 0, 2),
        ),
        history=("1 0 play 22",),
    )


def test_a_spectator_sees_no_hand(position: Callable[..., State]) -> None:
    hands = GAME.view(position("22 15", "33 55 11", "12"), None).zones[:3]
    assert hands == (Zone("hand", 2, 0), Zone("hand", 3, 1), Zone("hand", 1, 2))


def test_after_a_round_the_table_is_empty_and_the_pile_open(position: Callable[..., State]) -> None:
    state = position("36 66 15", "13 12", "25 44 14", highest=None)
    for seat, action in ((0, "play 36+66"), (1, "pass"), (2, "pass")):
        state = GAME.apply(state, seat, action)
    view = GAME.view(state, None)
    assert view.zones[3] == Zone("pile", 2, 0, (Group(("36", "66"), "combination"),))
    assert view.zones[6] == Zone("round", 0)
    assert view.facts[:3] == (Fact("round", 2), Fact("leader", 0), Fact("turn", 0))
    assert view.facts[3] == Fact("points", 2, 0)
    assert view.history == ("1 0 play 36+66", "1 1 pass", "1 2 pass")


def test_all_hands_are_open_after_the_end(position: Callable[..., State]) -> None:
    state = position("66", "", "12 14")
    for seat, action in ((0, "play 66"), (2, "pass")):
        state = GAME.apply(state, seat, action)
    view = GAME.view(state, None)
    assert view.zones[:3] == (
        Zone("hand", 0, 0),
        Zone("hand", 0, 1),
        Zone("hand", 2, 2, (Group(("12", "14"), "hand"),)),
    )
    assert "turn" not in [fact.label for fact in view.facts]


def test_the_bonuses_happen_first_in_the_order_of_seats() -> None:
    spread = {0: ["12", "24"], 2: ["12", "12", "24"]}
    others = [card for card in PACK if card not in ("12", "24")]
    left = ["12", *(["24"] * 2)]
    hands = {
        0: spread[0] + others[:26],
        1: left[:1] + others[26:53],
        2: spread[2] + left[1:] + others[53:],
    }
    state = GAME.start(tuple(card for seat in SEATS for card in hands[seat]), 1, {})
    assert GAME.happened(None, state) == (
        Happening("bonus", 0, ("12", "24"), 2),
        Happening("bonus", 2, ("12", "12", "24", "24", "24"), 5),
    )
    assert GAME.view(state, None).zones[3] == Zone("pile", 2, 0, (Group(("12", "24"), "bonus"),))


def test_a_lead_a_play_a_pass_and_the_end_of_the_round_are_told(position: Callable[..., State]) -> None:
    state = position("22 12", "33", "66 12")
    told = []
    for seat, action in ((0, "play 22"), (1, "play 33"), (2, "play 66")):
        before, state = state, GAME.apply(state, seat, action)
        told.append(GAME.happened(before, state))
    assert told == [
        (Happening("led", 0, ("22",)),),
        (Happening("played", 1, ("33",)),),
        (Happening("played", 2, ("66",)), Happening("round_won", 2, ("66",), 1)),
    ]


def test_who_leads_is_told_when_the_winner_has_no_cards(position: Callable[..., State]) -> None:
    state = position("66", "11 22", "33 44")
    for seat, action in ((0, "play 66"), (1, "pass"), (2, "pass")):
        before, state = state, GAME.apply(state, seat, action)
    assert GAME.happened(before, state) == (
        Happening("passed", 2),
        Happening("round_won", 0, ("66",), 1),
        Happening("leads", 1),
    )


def test_nobody_leads_after_the_end(position: Callable[..., State]) -> None:
    before = GAME.apply(position("66", "", "12 14"), 0, "play 66")
    assert GAME.happened(before, GAME.apply(before, 2, "pass")) == (
        Happening("passed", 2),
        Happening("round_won", 0, ("66",), 1),
    )


def disguised(deck: Deck, viewer: Seat | None, rng: Random) -> Deck:
    """Another deck that the viewer cannot tell from this one: its own cards and everybody's Nails and Two Reds stay.

    Those two are the opening bonus, which is public as soon as the deal begins.
    """
    hidden = [
        place
        for place, card in enumerate(deck)
        if (viewer is None or place // 28 != viewer) and card not in ("12", "24")
    ]
    moved = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    return tuple(deck[moved.get(place, place)] for place in range(84))


def refusal(state: State, seat: Seat, action: str) -> str:
    try:
        GAME.apply(state, seat, action)
    except IllegalAction as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("viewer", [0, 1, 2, None])
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_hidden_cards_change_no_byte_of_what_a_viewer_is_shown(viewer: Seat | None, seed: int) -> None:
    rng = Random(seed)
    deck = tuple(rng.sample(PACK, 84))
    one = GAME.start(deck, seed % 3, {})
    other = GAME.start(disguised(deck, viewer, rng), seed % 3, {})
    assert GAME.happened(None, one) == GAME.happened(None, other)
    steps = 0
    while one.legal and other.legal:
        shown = msgspec.msgpack.encode(GAME.view(one, viewer))
        assert shown == msgspec.msgpack.encode(GAME.view(other, viewer))
        seat = one.turn
        if viewer is not None:
            attempt = rng.choice([*PLAYS, "pass", "dance"])
            assert refusal(one, viewer, attempt) == refusal(other, viewer, attempt)
        if seat == viewer:
            assert one.legal == other.legal
        common = [action for action in one.legal if action in other.legal]
        if not common:
            break
        action = rng.choice(common)
        befores = one, other
        one, other = (GAME.apply(state, seat, action) for state in befores)
        assert GAME.happened(befores[0], one) == GAME.happened(befores[1], other)
        steps += 1
    assert steps > 0


def test_no_hand_card_is_in_the_view_of_another(position: Callable[..., State]) -> None:
    state = position("11 14 23", "15 16 25", "22 33 44")
    for viewer in (*SEATS, None):
        text = msgspec.json.encode(GAME.view(state, viewer)).decode()
        hidden = [card for seat in SEATS if seat != viewer for card in cards_of(state.hands[seat])]
        assert not [card for card in hidden if f'"{card}"' in text]
