from itertools import islice, pairwise

import pytest

from protocol.record import Record, write
from server.deals import Levels, played
from server.games.base import BadOption
from server.games.record import discrepancies
from server.games.registry import GAMES, UnknownGame

RANDOM: Levels = ("random", "random", "random")


def deals(count: int, seed: int = 1, *, game: str = "chuo-pai", legal: bool = False) -> list[Record]:
    return list(played(game, count, seed, RANDOM, {}, legal=legal))


def test_one_seed_gives_the_same_bytes() -> None:
    assert [write(record) for record in deals(3)] == [write(record) for record in deals(3)]


def test_a_deal_does_not_depend_on_how_many_are_played() -> None:
    assert deals(1) == deals(3)[:1]


def test_seeds_and_deals_differ() -> None:
    assert len({record.deck for seed in range(5) for record in deals(2, seed)}) == 10


def test_every_seat_leads_a_first_round_now_and_then() -> None:
    assert {record.first for record in deals(20)} == {0, 1, 2}


@pytest.mark.parametrize("game", GAMES)
def test_played_deals_agree_with_the_rules(game: str) -> None:
    for record in deals(20, game=game, legal=True):
        assert list(discrepancies(record)) == []


def test_of_several_seats_that_are_asked_any_may_be_the_first_to_answer() -> None:
    higher_first = 0
    for record in deals(40, game="paohuzi", legal=True):
        for one, other in pairwise(record.steps):
            higher_first += one.seat > other.seat and one.action == other.action == "pass"
    assert higher_first


def test_house_rules_reach_the_game() -> None:
    (record,) = played("chuo-pai", 1, 1, RANDOM, {"max_combination": 2}, legal=True)
    assert record.options == {"max_combination": 2}
    assert list(discrepancies(record)) == []


def test_the_easy_bot_plays_whole_deals() -> None:
    mixed: Levels = ("easy", "random", "easy")
    for record in played("chuo-pai", 3, 2, mixed, {}):
        assert list(discrepancies(record)) == []


def test_deals_are_played_one_by_one_as_they_are_asked_for() -> None:
    assert len(list(islice(played("chuo-pai", 10**9, 1, RANDOM, {}), 2))) == 2


def test_an_unknown_game_or_house_rule_is_refused() -> None:
    with pytest.raises(UnknownGame):
        next(played("mahjong", 1, 1, RANDOM, {}))
    with pytest.raises(BadOption):
        next(played("chuo-pai", 1, 1, RANDOM, {"jokers": 1}))
