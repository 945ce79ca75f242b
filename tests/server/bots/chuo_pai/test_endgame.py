"""The exact endgame against a plain search of all courses of play over the real rules."""

from random import Random

import pytest
from msgspec.structs import replace

from protocol.notation import Action
from server.bots.chuo_pai.endgame import Endgame
from server.games.base import SEATS
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PASS, PLAYS
from server.games.chuo_pai.state import State
from tests.server.bots.chuo_pai.endings import dealt

GAME = ChuoPai()

POSITIONS = 10_000
MOST_CARDS = 9

Points = tuple[int, int, int]


def best(state: State, known: dict[object, Points]) -> Points:
    """What each seat still wins by the best play of all: own points, then few for others, then few for the next."""
    key = (state.hands, state.leader, state.turn, state.table)
    if key not in known:
        me = state.turn
        outcomes = [after(state, action, known) for action in state.legal]
        known[key] = max(
            outcomes,
            key=lambda won: (won[me], -sum(won[seat] for seat in SEATS if seat != me), -won[me - 2]),
            default=(0, 0, 0),
        )
    return known[key]


def after(state: State, action: Action, known: dict[object, Points]) -> Points:
    """The same, from this action on. `state` has no piles yet."""
    following = GAME.apply(state, state.turn, action)
    first, second, third = [sum(len(group.cards) for group in pile) for pile in following.piles]
    more = best(replace(following, piles=((), (), ()), history=()), known)
    return first + more[0], second + more[1], third + more[2]


@pytest.mark.slow
def test_no_move_is_worse_than_the_best_of_a_full_search() -> None:
    rng = Random(1)
    positions = choices = 0
    while positions < POSITIONS:
        total = rng.randint(3, MOST_CARDS)
        first = rng.randint(0, total)
        second = rng.randint(0, total - first)
        sizes = (first, second, total - first - second)
        if sizes.count(0) > 1:
            continue
        state = dealt(sizes, rng.choice((2, 3, 12)), rng)
        for _ in range(rng.choice((0, 0, 1, 2))):
            if state.legal:
                state = replace(GAME.apply(state, state.turn, rng.choice(state.legal)), piles=((), (), ()))
        if not state.legal or state.legal == (PASS,):
            continue
        positions += 1
        choices += len(state.legal) > 1
        me, followers = state.turn, (state.leader - state.turn - 1) % 3
        hands = [state.hands[me - shift] for shift in (0, 2, 1)]
        endgame = Endgame(state.max_combination)
        known: dict[object, Points] = {}
        for action in state.legal:
            points = endgame.played(hands[0], hands[1], hands[2], PLAYS[action], followers)
            full = after(state, action, known)
            assert points == (full[me], full[me - 2], full[me - 1])
    assert choices > POSITIONS / 2
