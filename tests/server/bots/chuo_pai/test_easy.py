from random import Random
from statistics import mean, stdev

import pytest
from msgspec.structs import replace

from server.bots.base import RandomBot
from server.bots.chuo_pai.easy import EasyBot
from server.bots.ladder import bot_for
from server.games.chuo_pai.cards import cards_of, hand_of
from server.games.chuo_pai.plays import answers, leads
from server.games.chuo_pai.state import State
from server.games.registry import GAMES
from tests.deals import scores, seen, states

GAME = GAMES["chuo-pai"]
ME, NEXT, LAST = 0, 1, 2


def choice(state: State) -> str:
    return EasyBot().choose(seen(GAME, state, ME), Random(1))


def position(
    hand: str, others: tuple[str, str], leader: int = ME, table: tuple[tuple[int, str], ...] = (), gone: str = ""
) -> State:
    """Seat 0 is asked. Nobody has seen other cards than those `gone` and those on the table."""
    mine = hand_of(hand.split())
    return State(
        max_combination=12,
        hands=(mine, *(hand_of(cards.split()) for cards in others)),  # type: ignore[arg-type] # three in all
        piles=((), (), ()),
        round=2,
        leader=leader,
        turn=ME,
        table=table,
        history=(*(f"1 1 play {card}" for card in gone.split()), *(f"2 {seat} {action}" for seat, action in table)),
        legal=answers(mine, table[-1][1]) if table else leads(mine, 12),
    )


def test_a_large_combination_that_nothing_beats_is_led() -> None:
    assert choice(position("11 26 26 35 12", ("33 44 25 25", "12 12 24 24"), gone="66 66 66 66")) == "play 11+26+26+35"


def test_a_combination_is_held_back_while_a_higher_one_may_be_out() -> None:
    assert choice(position("11 26 26 35 12", ("33 44 25 25", "12 12 24 24"))) == "play 12"


def test_a_play_larger_than_every_other_hand_is_led_however_low_it_is() -> None:
    assert choice(position("22 22 22 66", ("33 33", "55 55"))) == "play 22+22+22"


def test_high_cards_are_kept_while_a_lead_would_be_beaten() -> None:
    assert choice(position("11 34 12", ("66 45 45", "33 22 22"))) == "play 12"


def test_the_last_to_act_holds_the_round_as_cheaply_as_possible() -> None:
    state = position("66 44 55 12", ("23 23", "22 22"), leader=NEXT, table=((NEXT, "play 22"), (LAST, "play 33")))
    assert choice(state) == "play 55"


def test_the_cheapest_play_is_given_up_where_none_holds_the_round() -> None:
    state = position("13 44 12", ("66 66", "22 22"), leader=LAST, table=((LAST, "play 22"),))
    assert choice(state) == "play 13"


def test_a_play_that_holds_is_preferred_to_a_cheaper_one_that_may_not() -> None:
    table = ((LAST, "play 22+22"),)
    state = position("13 13 55 55", ("13 13", "22 22"), LAST, table, gone="66 66 66 66 11 11 11 11 44 44 44")
    assert choice(state) == "play 13+13"
    assert choice(replace(state, hands=(state.hands[ME], 0, state.hands[LAST]))) == "play 55+55"


@pytest.mark.parametrize("level", ["random", "easy"])
def test_hidden_cards_never_change_a_choice(level: str) -> None:
    bot = EasyBot() if level == "easy" else RandomBot()
    rng = Random(5)
    for deal in range(10):
        for state in states("chuo-pai", (bot, bot, bot), Random(deal)):
            for seat in GAME.asked(state):
                view, other = seen(GAME, state, seat), seen(GAME, hands_exchanged(state, seat, rng), seat)
                assert bot.choose(view, Random(deal)) == bot.choose(other, Random(deal))


def hands_exchanged(state: State, seat: int, rng: Random) -> State:
    """The same deal with the cards of the other two hands dealt anew between them."""
    one, two = (other for other in range(3) if other != seat)
    hidden = [*cards_of(state.hands[one]), *cards_of(state.hands[two])]
    rng.shuffle(hidden)
    size = len(cards_of(state.hands[one]))
    hands = list(state.hands)
    hands[one], hands[two] = hand_of(hidden[:size]), hand_of(hidden[size:])
    return replace(state, hands=tuple(hands))


@pytest.mark.slow
def test_easy_beats_two_random_bots() -> None:
    """Duplicate deals: the same cards and leader with the easy bot in each seat; the deal is the unit."""
    easy, rand = bot_for("chuo-pai", "easy"), bot_for("chuo-pai", "random")
    differences = []
    for deal in range(100):
        gains = []
        for seat in range(3):
            points = scores("chuo-pai", [easy if each == seat else rand for each in range(3)], Random(deal))
            gains.append((3 * points[seat] - sum(points)) / 2)
        differences.append(mean(gains))
    interval = 1.96 * stdev(differences) / len(differences) ** 0.5
    assert mean(differences) - interval > 2
