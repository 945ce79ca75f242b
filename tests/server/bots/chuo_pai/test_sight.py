"""What a seat knows for certain is true, and it is all that passes and bonuses prove."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from server.bots.base import RandomBot
from server.bots.chuo_pai.sight import Bound, sight
from server.bots.chuo_pai.worlds import Worlds
from server.games.base import SEATS
from server.games.chuo_pai.cards import COMBINATIONS, LANE, NAIL, TWO_RED, count
from server.games.chuo_pai.game import ChuoPai
from server.games.chuo_pai.plays import PASS, PLAYS, answers
from tests.deals import seen, states
from tests.server.bots.chuo_pai.endings import endings

GAME = ChuoPai()


def test_everything_known_is_true_all_through_a_deal() -> None:
    for deal in range(15):
        for state in states("chuo-pai", (RandomBot(),) * 3, Random(deal)):
            if not state.legal:
                continue
            known = sight(seen(GAME, state, state.turn))
            others = [state.hands[hand.seat] for hand in known.hidden]
            assert known.hand == state.hands[state.turn]
            assert known.unseen == sum(others)
            assert known.leader == state.leader
            assert known.highest == (state.table[-1][1] if state.table else "")
            assert known.owner == (state.table[-1][0] if state.table else state.turn)
            assert list(known.points) == [sum(len(group.cards) for group in pile) for pile in state.piles]
            for hand, held in zip(known.hidden, others, strict=True):
                assert hand.size == count(held)
                assert all(held >> lane & 7 <= hand.most[card] for card, lane in LANE.items())
                assert hand.allows_bonus_cards(held >> LANE[NAIL] & 7, held >> LANE[TWO_RED] & 7)
                for (named, matching), bounds in zip(COMBINATIONS, hand.bounds, strict=True):
                    one, other = held >> LANE[named] & 7, sum(held >> LANE[card] & 7 for card in matching)
                    assert all(bound.allows(one, other) for bound in bounds)


def test_a_play_that_is_said_to_hold_is_beaten_in_no_world_and_one_that_is_not_in_some() -> None:
    held = beaten = 0
    for state in endings(deals=40, most=10):
        known = sight(seen(GAME, state, state.turn))
        worlds = [world for world, _ in Worlds(known).all()]
        after = [(state.turn + step) % len(SEATS) for step in range(1, known.followers + 1)]
        for action in state.legal:
            if action == PASS:
                continue
            wins = [world for world in worlds if all(answers(world[seat], action) == (PASS,) for seat in after)]
            if known.holds(PLAYS[action]):
                assert wins == worlds
                held += 1
            else:
                beaten += len(wins) < len(worlds)
    assert held > 200
    assert beaten > 50


@given(
    most=st.integers(1, 11),
    played=st.tuples(st.integers(0, 4), st.integers(0, 8)),
    held=st.tuples(*[st.integers(0, 8)] * 2),
)
def test_a_bound_speaks_of_the_hand_as_it_was(most: int, played: tuple[int, int], held: tuple[int, int]) -> None:
    named, matching = held[0] + played[0], held[1] + played[1]
    possible = not named or not matching or named + matching <= most
    assert Bound(most, *played).allows(*held) == possible


def test_a_view_without_house_rules_has_the_largest_combinations() -> None:
    state = next(endings(deals=1, most=60))
    assert sight(seen(GAME, state, state.turn)).max_combination == 12
    assert sight(seen(GAME, state, state.turn, {"max_combination": 4})).max_combination == 4
