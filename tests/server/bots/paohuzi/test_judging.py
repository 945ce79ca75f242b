import pytest

from protocol.notation import Action
from server.bots.paohuzi.judging import judged
from server.bots.paohuzi.sight import sight
from server.games.paohuzi.state import State
from tests.deals import seen
from tests.server.bots.paohuzi.test_easy import GAME, ME, held, position


def best(state: State) -> Action:
    view = seen(GAME, state, ME)
    assert view.prompt is not None
    return judged(sight(view), view.prompt.actions)[0].action


@pytest.mark.parametrize(
    ("gone", "expected"), [("s8 s8 b8 b8 b8 b8", "discard s8"), ("b3 b3 s3 s3 s3 s3", "discard b3")]
)
def test_of_two_pairs_the_one_goes_whose_other_copies_are_out(gone: str, expected: str) -> None:
    mine = held("s4 s5 s6 s8 s8 b3 b3 s9 s10", "wei b10, peng b1, peng s1, wei b9")
    assert best(position(mine, gone)) == expected


@pytest.mark.parametrize(("gone", "expected"), [("b7 b7 b7 b10 b10", "discard b8"), ("s3 s3 s3 s6 s6", "discard s4")])
def test_a_hand_that_will_wait_keeps_the_part_with_more_live_cards(gone: str, expected: str) -> None:
    mine = held("s4 s5 b8 b9 s9 s9", "wei b2, peng s1, wei s8, chi b3+b4+b5, chi b4+b5+b6")
    assert best(position(mine, gone)) == expected


def test_prospects_are_those_of_the_hand_that_a_move_leaves() -> None:
    mine = held("s4 s5 s9", "wei b9, peng b10, wei b7, chi s1+s2+s3, chi b3+b4+b5, chi b5+b6+b7")
    view = seen(GAME, position(mine, ""), ME)
    assert view.prompt is not None
    waiting, *others = judged(sight(view), view.prompt.actions)
    assert waiting.action == "discard s9"
    assert all(move.prospects < waiting.prospects for move in others)
