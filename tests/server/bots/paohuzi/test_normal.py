from functools import partial

import pytest

from server.bots.paohuzi.normal import NormalBot
from server.duels import Duel, deal_played, summed_up
from tests.server.bots.paohuzi import test_easy
from tests.server.bots.paohuzi.test_easy import held

BOT = NormalBot()
discard = partial(test_easy.discard, bot=BOT)
claim = partial(test_easy.claim, bot=BOT)


def test_a_win_is_declared_whatever_else_is_offered() -> None:
    mine = held("b4 b5 b6 s2 s7 s10 s9 s9 b8 b9", "ti b2, pao s8, chi s1+s2+s3")
    assert claim(mine, "b7", revealed=True) == "win"


def test_whole_and_growing_groups_are_kept_and_the_single_card_goes() -> None:
    mine = held("s1 s2 s3 s4 s5 s6 b2 b7 b10 b4 b5 b6 s8 s8 b9", "wei s10, peng b8")
    assert discard(mine) == "discard b9"


def test_of_two_pairs_the_one_goes_whose_other_copies_are_out() -> None:
    mine = held("s4 s5 s6 s8 s8 b3 b3 s9 s10", "wei b10, peng b1, peng s1, wei b9")
    assert discard(mine, "s8 s8 b8 b8 b8 b8") == "discard s8"


def test_a_hand_keeps_the_part_with_more_live_cards() -> None:
    mine = held("s4 s5 b8 b9 s9 s9", "wei b2, peng s1, wei s8, chi b3+b4+b5, chi b4+b5+b6")
    assert discard(mine, "b7 b7 b7 b10 b10") == "discard b8"


def test_a_chi_that_makes_a_group_of_two_cards_is_claimed() -> None:
    assert claim(held("s1 s2 s6 b4 b9", "wei b10, peng b1, wei s9, peng b8, peng s7"), "s3") == "chi s1+s2+s3"


def test_a_chi_that_breaks_a_whole_group_is_passed() -> None:
    assert claim(held("s4 s5 s6 b9 b9", "wei b10, peng b1, wei s9, peng b8, peng s1"), "s7") == "pass"


@pytest.mark.parametrize(("more", "expected"), [("chi s4+s5+s6", "pass"), ("wei b10", "chi b7+b8+b9")])
def test_a_claim_is_passed_that_puts_fifteen_huxi_out_of_reach(more: str, expected: str) -> None:
    melds = f"chi s1+s2+s3, chi s2+s7+s10, chi b3+b4+b5, chi b4+b5+b6, {more}"
    assert claim(held("b1 b2 b2 b7 b9", melds), "b8") == expected


@pytest.mark.slow
def test_normal_beats_two_easy_bots() -> None:
    played = summed_up(
        deal_played(Duel("paohuzi", "normal", "easy", seed=1), number, lambda: 0.0) for number in range(1, 31)
    )
    assert played.win_share is not None
    assert played.win_share > 0.45
    assert played.difference > 0
