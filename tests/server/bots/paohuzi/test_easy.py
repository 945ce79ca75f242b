from functools import reduce
from random import Random
from statistics import mean, stdev

import pytest
from msgspec.structs import replace

from protocol.view import Group
from server.bots.base import Bot, RandomBot
from server.bots.ladder import bot_for
from server.bots.paohuzi.easy import EasyBot
from server.games.base import SEATS
from server.games.paohuzi.cards import cards_of, hand_of
from server.games.paohuzi.claims import Claims, options
from server.games.paohuzi.groups import CHIS, IDENTICAL, KAN, Fixed
from server.games.paohuzi.holding import Holding, dealt
from server.games.paohuzi.state import State
from server.games.registry import GAMES
from tests.deals import scores, seen, states
from tests.server.bots.paohuzi.exchanged import hidden_exchanged

GAME = GAMES["paohuzi"]
ME, LAST = 0, 2
EASY = EasyBot()
CHI = {"+".join(chi.cards): chi for chi in CHIS}


def laid(text: str) -> tuple[Group, ...]:
    """`peng s3, chi s4+s5+s6` as groups."""
    pairs = [group.split(" ") for group in text.split(", ")]
    return tuple(CHI[cards] if kind == "chi" else IDENTICAL[kind, cards] for kind, cards in pairs)


def held(loose: str, melds: str, kans: str = "") -> Holding:
    groups = laid(melds)
    fixed = reduce(Fixed.plus, (*groups, *[IDENTICAL[KAN, card] for card in kans.split()]), Fixed())
    return Holding(hand_of(loose.split()), tuple(kans.split()), groups, fixed)


def position(mine: Holding, gone: str) -> State:
    """Seat 0 must discard. The others hold nothing, which it cannot know."""
    return State(
        chi_passed_reveal=False,
        dealer=ME,
        dealer_card="b1",
        holdings=(mine, dealt(()), dealt(())),
        stock=(),
        discards=tuple(Group((card,), seat=LAST) for card in gone.split()),
        turn=ME,
        public=None,
        claims=None,
        asked={ME: tuple(f"discard {card}" for card in dict.fromkeys(cards_of(mine.loose)))},
        moment=0,
        history=(),
        told=(),
    )


def discard(mine: Holding, gone: str = "", bot: Bot = EASY) -> str:
    assert mine.owned == 21
    return bot.choose(seen(GAME, position(mine, gone), ME), Random(1))


def claim(mine: Holding, card: str, *, revealed: bool = False, bot: Bot = EASY) -> str:
    """On a discard of the seat before it, or on a card that it has revealed itself."""
    assert mine.owned - max(0, mine.fixed.fours - 1) == 20
    owner, distance, kind = (ME, 0, "revealed") if revealed else (LAST, 1, "discarded")
    offered = options(mine, card, distance, revealed=revealed, may_chi=True)
    state = replace(
        position(mine, ""),
        turn=owner,
        public=Group((card,), kind, owner),
        claims=Claims(owner, (offered, (), ())),
        asked={ME: offered},
    )
    return bot.choose(seen(GAME, state, ME), Random(1))


def test_a_win_is_declared_whatever_else_is_offered() -> None:
    mine = held("b4 b5 b6 s2 s7 s10 s9 s9 b8 b9", "ti b2, pao s8, chi s1+s2+s3")
    assert claim(mine, "b7", revealed=True) == "win"


def test_whole_and_growing_groups_are_kept_and_the_single_card_goes() -> None:
    mine = held("s1 s2 s3 s4 s5 s6 b2 b7 b10 b4 b5 b6 s8 s8 b9", "wei s10, peng b8")
    assert discard(mine) == "discard b9"


@pytest.mark.parametrize("gone", ["", "b3 b3 b3 b3 b6 b6 b6 b6 s2 s2 s2"])
def test_the_card_with_fewest_neighbours_goes_whatever_is_out(gone: str) -> None:
    mine = held("s4 s5 s6 s8 s8 b4 b5 s2 b10", "wei b8, peng b1, peng s10, wei b9")
    assert discard(mine, gone) == "discard b10"


def test_a_lonely_card_goes_before_one_of_a_pair() -> None:
    assert discard(held("s4 s5 s6 s8 s8 b3 b3 s1 b7", "wei b10, peng b1, peng s9, wei b9")) == "discard s1"


def test_a_chi_that_makes_a_group_of_two_cards_is_claimed() -> None:
    assert claim(held("s1 s2 s6 b4 b9", "wei b10, peng b1, wei s9, peng b8, peng s7"), "s3") == "chi s1+s2+s3"


def test_a_chi_that_breaks_a_whole_group_is_passed() -> None:
    assert claim(held("s4 s5 s6 b9 b9", "wei b10, peng b1, wei s9, peng b8, peng s1"), "s7") == "pass"


def test_a_pair_makes_a_peng() -> None:
    assert claim(held("b5 b5 s2 s3 b9", "wei b10, peng b1, wei s9, peng b8, peng s7"), "b5") == "peng"


def test_a_peng_that_breaks_two_whole_groups_is_passed() -> None:
    assert claim(held("s3 s3 s1 s2 s4 s5 b9 b10", "wei b2, peng b1, wei s9, peng b8"), "s3") == "pass"


def test_one_more_group_is_claimed_even_where_it_puts_fifteen_huxi_out_of_reach() -> None:
    melds = "peng s2, peng s7, peng s9, chi b3+b4+b5, chi b5+b6+b7"
    assert claim(held("s4 s5 b1 b2 b8", melds), "s6") == "chi s4+s5+s6"


def test_a_pao_is_declared_where_a_pair_is_left_for_it() -> None:
    mine = held("s4 s5 s6 b3 b3 s9 b8", "wei b9, peng s7, chi b1+b2+b3", kans="b10")
    assert claim(replace(mine, loose=mine.loose + hand_of(["s1"])), "b10") == "pao"


@pytest.mark.parametrize("level", ["random", "easy"])
def test_hidden_cards_and_declarations_never_change_a_choice(level: str) -> None:
    bot = EasyBot() if level == "easy" else RandomBot()
    rng = Random(5)
    changed = 0
    for deal in range(8):
        for state in states("paohuzi", (bot, bot, bot), Random(deal)):
            for seat in GAME.asked(state):
                other = hidden_exchanged(state, seat, rng)
                changed += other.claims != state.claims
                assert bot.choose(seen(GAME, state, seat), Random(deal)) == bot.choose(
                    seen(GAME, other, seat), Random(deal)
                )
    assert changed > 30, "few windows had anything secret in them"


@pytest.mark.slow
def test_easy_beats_two_random_bots() -> None:
    """Duplicate deals: the same cards and dealer with the easy bot in each seat; the deal is the unit."""
    easy, rand = bot_for("paohuzi", "easy"), bot_for("paohuzi", "random")
    differences = []
    won = lost = 0
    for deal in range(100):
        gains = []
        for seat in SEATS:
            points = scores("paohuzi", [easy if each == seat else rand for each in SEATS], Random(deal))
            gains.append((3 * points[seat] - sum(points)) / 2)
            won += points[seat] > 0
            lost += points[seat] < 0
        differences.append(mean(gains))
    interval = 1.96 * stdev(differences) / len(differences) ** 0.5
    assert mean(differences) - interval > 1
    assert won > 80
    assert won / (won + lost) > 0.8
