"""The kernel keeps to the rules of the game itself, step by step."""

from collections.abc import Iterator
from random import Random

import pytest

from server.bots.chuo_pai import kernel
from server.bots.chuo_pai.kernel import NOTHING, NUMBERS, answer, lead, played, tried
from server.bots.chuo_pai.normal import FEW, appraised
from server.bots.chuo_pai.sight import sight
from server.games.chuo_pai.cards import count
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import COMBINATION, PASS, PLAYS
from server.games.chuo_pai.state import State
from tests.deals import seen
from tests.server.bots.chuo_pai.endings import dealt

GAME = ChuoPai()
ACTIONS = {number: action for action, number in NUMBERS.items()} | {NOTHING: PASS}


def starts(deals: int, seed: int) -> Iterator[tuple[State, Random]]:
    """Whole deals and endings, under every bound of combinations."""
    for number in range(deals):
        rng = Random(f"{seed}/{number}")
        most = rng.choice((28, 28, 10, 4))
        sizes = [rng.randint(0, most) for _ in range(3)]
        if sizes.count(0) < 2:
            yield dealt(sizes, rng.randint(2, 12), rng), rng


def chosen(state: State) -> str:
    """The kernel's choice for the seat at turn."""
    seat = state.turn
    me, after, before = state.hands[seat], state.hands[seat - 2], state.hands[seat - 1]
    few = count(after + before) <= FEW
    if not state.table:
        return ACTIONS[lead(me, after + before, max(count(after), count(before)), few, state.max_combination)]
    following = 0 if (seat + 1) % 3 == state.leader else count(after)
    return ACTIONS[answer(me, NUMBERS[state.table[-1][1]], after + before, following, few)]


def step(state: State) -> State:
    """The state after the kernel's choice for the seat at turn, which is legal, and a pass exactly where it must be."""
    action = chosen(state)
    assert action in state.legal
    return GAME.apply(state, state.turn, action)


def won(state: State, seat: int, since: State) -> tuple[int, int, int]:
    """What the seats win, `seat` first, when all play as the kernel does, counted from the state `since`."""
    while state.legal:
        state = step(state)
    gains = [
        sum(len(group.cards) for group in after) - sum(len(group.cards) for group in before)
        for after, before in zip(state.piles, since.piles, strict=True)
    ]
    return gains[seat], gains[seat - 2], gains[seat - 1]


@pytest.mark.slow
def test_every_step_is_legal_and_every_deal_ends_with_the_same_points() -> None:
    for state, _ in starts(deals=3000, seed=1):
        x, y, z = (state.hands[state.leader - shift] for shift in (0, 2, 1))
        assert played(x, y, z, state.max_combination) == won(state, state.leader, state)


def test_a_try_goes_on_from_the_middle_of_a_round() -> None:
    tries = [0, 0, 0]
    for start, rng in starts(deals=300, seed=2):
        state = start
        while state.legal:
            action = rng.choice(state.legal)
            after = GAME.apply(state, state.turn, action)
            if action != PASS:
                seat = state.turn
                followers = (state.leader - seat - 1) % 3
                x, y, z = (state.hands[seat - shift] for shift in (0, 2, 1))
                points = tried(x, y, z, NUMBERS[action], followers, state.max_combination)
                assert points == won(after, seat, state)
                tries[followers] += 1
            state = after
    assert min(tries) > 100


def test_it_plays_as_a_normal_player_values_plays() -> None:
    """In the first round, in which no pass proves anything that matters. But of combinations it answers the lowest."""
    compared = [0, 0, 0]
    for number in range(150):
        rng = Random(f"3/{number}")
        state = GAME.start(tuple(rng.sample(GAME.pack, len(GAME.pack))), 0, {})
        while state.round == 1 and state.legal:
            if len(state.legal) > 1 and not (state.table and PLAYS[state.legal[0]].kind == COMBINATION):
                values = appraised(sight(seen(GAME, state, state.turn)), state.legal)
                assert values[chosen(state)] == pytest.approx(max(values.values()))
                compared[state.turn] += 1
            state = GAME.apply(state, state.turn, rng.choice(state.legal))
    assert min(compared) > 5
    assert sum(compared) > 150


def test_what_it_keeps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_won() -> list[tuple[int, int, int]]:
        return [played(*state.hands, state.max_combination) for state, _ in starts(deals=40, seed=4)]

    once = all_won()
    monkeypatch.setattr(kernel, "_MOST_KEPT", 20)
    assert all_won() == once


def test_who_leads_with_an_empty_hand_lets_the_next_lead() -> None:
    state = dealt((0, 6, 5), 12, Random(1))
    hands = state.hands
    won_y, won_z, won_x = played(hands[1], hands[2], 0, 12)
    assert played(0, hands[1], hands[2], 12) == (won_x, won_y, won_z)


def test_a_deal_in_which_one_seat_holds_cards_is_over() -> None:
    hand = dealt((0, 6, 5), 12, Random(1)).hands[1]
    assert played(hand, 0, 0, 12) == played(0, hand, 0, 12) == played(0, 0, 0, 12) == (0, 0, 0)
