"""The course of a deal: bonus, rounds, end and score; and what is refused."""

from collections import Counter
from collections.abc import Callable
from copy import copy
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.notation import groups_of
from protocol.view import Group, Result
from server.games.base import SEATS, BadDeck, BadOption, Deck, IllegalAction
from server.games.chuo_pai.cards import PACK, cards_of
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PLAYS
from server.games.chuo_pai.state import State

GAME = ChuoPai()


def dealt(*hands: str) -> Deck:
    """A deck in which each hand holds its cards and, of those that no hand names, as many as it lacks to 28."""
    rest = Counter(PACK)
    for hand in hands:
        rest -= Counter(hand.split())
    others = iter(sorted(rest.elements(), key=lambda card: card in ("12", "24")))
    cards: list[str] = []
    for hand in hands:
        named = hand.split()
        cards += named + [next(others) for _ in range(28 - len(named))]
    return tuple(cards)


def shuffled(seed: int) -> Deck:
    return tuple(Random(seed).sample(PACK, len(PACK)))


def played(state: State, *actions: str) -> State:
    for action in actions:
        (seat,) = GAME.asked(state)
        state = GAME.apply(state, seat, action)
    return state


def test_two_nails_and_a_two_red_go_to_the_pile_before_the_first_lead() -> None:
    state = GAME.start(dealt("12 12 24", "12 12", "24 24 24"), 0, {})
    assert state.piles == ((Group(("12", "12", "24"), "bonus"),), (), ())
    assert [len(cards_of(hand)) for hand in state.hands] == [25, 28, 28]


def test_three_nails_and_no_two_red_give_no_bonus() -> None:
    state = GAME.start(dealt("12 12 12", "24 24 24 24", "12"), 0, {})
    assert state.piles == ((), (), ())
    assert cards_of(state.hands[0]).count("12") == 3
    assert len(cards_of(state.hands[0])) == 28


def test_more_than_one_seat_can_have_the_bonus() -> None:
    state = GAME.start(dealt("12 24", "12 24 24", "12 12 24"), 0, {})
    assert [sum(len(group.cards) for group in pile) for pile in state.piles] == [2, 3, 3]


def test_the_leader_wins_with_its_last_card_and_the_deal_ends_when_one_seat_holds_cards(
    position: Callable[..., State],
) -> None:
    start = position("15", "", "22 33 44 55 66")
    state = played(start, "play 15", "pass")
    assert GAME.asked(state) == {}
    assert GAME.result(state) == Result((1, 0, 0), (0,))


def test_a_round_is_completed_by_the_only_seat_that_still_holds_cards(position: Callable[..., State]) -> None:
    state = played(position("22", "33", "66 12"), "play 22", "play 33")
    assert GAME.asked(state) == {2: ("play 66",)}
    over = played(state, "play 66")
    assert GAME.result(over) == Result((0, 0, 1), (2,))


def test_the_next_seat_clockwise_leads_when_the_winner_has_no_cards(position: Callable[..., State]) -> None:
    state = played(position("66", "11 22", "33 44"), "play 66", "pass", "pass")
    assert (state.leader, state.round) == (1, 2)
    assert set(GAME.asked(state)) == {1}


def test_a_seat_without_cards_does_not_act(position: Callable[..., State]) -> None:
    state = played(position("44 22", "", "12 12"), "play 44")
    assert GAME.asked(state) == {2: ("pass",)}


def test_the_deal_ends_when_the_winner_and_the_next_seat_have_no_cards(position: Callable[..., State]) -> None:
    state = played(position("44", "66", "12 12"), "play 44", "play 66", "pass")
    assert GAME.asked(state) == {}


def test_only_the_winning_play_is_piled_up(position: Callable[..., State]) -> None:
    state = played(position("22 12", "33 12", "66 12"), "play 22", "play 33", "play 66")
    assert state.piles == ((), (), (Group(("66",), "set"),))
    assert state.leader == 2


def test_seats_with_the_same_highest_pile_share_the_win(position: Callable[..., State]) -> None:
    state = played(position("66", "15", "22 12"), "play 66", "pass", "pass", "play 15", "pass")
    assert GAME.result(state) == Result((1, 1, 0), (0, 1))


def test_nobody_has_a_result_while_the_deal_goes_on() -> None:
    assert GAME.result(GAME.start(shuffled(1), 0, {})) is None


def test_max_combination_is_12_by_default() -> None:
    assert GAME.options({}) == {"max_combination": 12}


def test_max_combination_bounds_leads_and_so_answers() -> None:
    state = GAME.start(shuffled(2), 1, {"max_combination": 2})
    assert {len(PLAYS[action].cards) for action in state.legal if PLAYS[action].kind == "combination"} == {2}


@pytest.mark.parametrize(
    ("given_options", "reason"),
    [
        ({"max_combination": 1}, "from 2 to 12"),
        ({"max_combination": 13}, "from 2 to 12"),
        ({"max_combination": True}, "from 2 to 12"),
        ({"jokers": 1}, "no option 'jokers'"),
    ],
)
def test_a_bad_house_rule_is_refused(given_options: dict[str, bool | int], reason: str) -> None:
    with pytest.raises(BadOption, match=reason):
        GAME.options(given_options)


@pytest.mark.parametrize(
    ("deck", "reason"),
    [
        (PACK[:-1], "83 cards instead of 84"),
        ((*PACK[:-1], "77"), "'77'"),
        ((*PACK[:-1], "11"), "5 copies of 11"),
    ],
)
def test_a_wrong_deck_is_refused(deck: Deck, reason: str) -> None:
    with pytest.raises(BadDeck, match=reason):
        GAME.start(deck, 0, {})


def test_a_refusal_says_why(position: Callable[..., State]) -> None:
    lead = position("22 55 66 36 36 36", "33", "12", max_combination=3)
    answer = position("22", "33 55 15 15 44 34 12", "12", turn=1, highest="play 22")
    over = played(position("66", "", "12 12"), "play 66", "pass")
    for state, seat, action, reason in (
        (over, 0, "pass", "the deal is over"),
        (lead, 1, "play 33", "turn of seat 0"),
        (lead, 0, "pass", "must play"),
        (lead, 0, "play 33", "does not hold 33"),
        (lead, 0, "play 66+36", "no play"),
        (lead, 0, "dance", "no play"),
        (lead, 0, "play 36+36+36+66", "at most 3 cards"),
        (answer, 1, "pass", "can beat 22"),
        (answer, 1, "play 15", "another family"),
        (answer, 1, "play 34+44", "another family"),
        (answer, 1, "play 12", "another family"),
    ):
        with pytest.raises(IllegalAction, match=reason):
            GAME.apply(state, seat, action)
    sized = position("33", "55 55 22 13", "12", turn=1, highest="play 33")
    for action, reason in (("play 55+55", "beaten by 1 cards"), ("play 22", "no higher than 33")):
        with pytest.raises(IllegalAction, match=reason):
            GAME.apply(sized, 1, action)


def attempts(state: State) -> set[str]:
    return {
        *PLAYS,
        "pass",
        "",
        "play",
        "play 13+12",
        "PASS",
        "play 66 ",
        *(action.upper() for action in state.legal[:1]),
    }


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32))
def test_apply_accepts_exactly_what_is_asked_and_a_refusal_changes_nothing(seed: int) -> None:
    rng = Random(seed)
    state = GAME.start(shuffled(seed), seed % 3, {"max_combination": 2 + seed % 11})
    while asked := GAME.asked(state):
        before = copy(state)
        if rng.random() < 0.1:
            for seat in SEATS:
                for action in attempts(state):
                    if action in asked.get(seat, ()):
                        GAME.apply(state, seat, action)
                    else:
                        with pytest.raises(IllegalAction):
                            GAME.apply(state, seat, action)
        ((seat, actions),) = asked.items()
        after = GAME.apply(state, seat, rng.choice(actions))
        assert state == before
        state = after
    for seat in SEATS:
        with pytest.raises(IllegalAction, match="over"):
            GAME.apply(state, seat, "pass")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_the_84_cards_are_conserved_at_every_step(seed: int) -> None:
    rng = Random(seed)
    state = GAME.start(shuffled(seed), seed % 3, {})
    bonus = Counter(card for pile in state.piles for group in pile for card in group.cards)
    out: Counter[str] = Counter()
    while True:
        held = Counter(card for hand in state.hands for card in cards_of(hand))
        assert held + out + bonus == Counter(PACK)
        asked = GAME.asked(state)
        if not asked:
            break
        ((seat, actions),) = asked.items()
        action = rng.choice(actions)
        out.update(card for group in groups_of(action) for card in group)
        state = GAME.apply(state, seat, action)
    result = GAME.result(state)
    assert result is not None
    piled = Counter(card for pile in state.piles for group in pile for card in group.cards)
    assert piled <= out + bonus
    assert sum(result.scores) == piled.total()
