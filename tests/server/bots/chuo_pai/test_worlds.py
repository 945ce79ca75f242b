from collections import Counter
from itertools import islice
from random import Random

import pytest

from server.bots.base import RandomBot
from server.bots.chuo_pai.sight import sight
from server.bots.chuo_pai.worlds import Worlds
from server.games.chuo_pai.cards import count
from server.games.chuo_pai.game import ChuoPai
from tests.deals import seen, states
from tests.server.bots.chuo_pai.endings import endings, possible

GAME = ChuoPai()


@pytest.mark.slow
def test_there_are_exactly_the_worlds_that_explain_all_that_happened() -> None:
    narrowed = 0
    for state in endings(deals=60, most=12):
        worlds = Worlds(sight(seen(GAME, state, state.turn)))
        expected = possible(state, state.turn)
        assert dict(worlds.all()) == expected
        assert worlds.total == sum(expected.values())
        narrowed += len(expected) == 1
    assert narrowed > 50, "what others passed often tells everything"


def test_each_world_is_dealt_as_often_as_there_are_ways_to_deal_it() -> None:
    state = max(endings(deals=30, most=12), key=lambda each: len(possible(each, each.turn)))
    ways = possible(state, state.turn)
    draws = 100 * sum(ways.values())
    dealt = Counter(islice(Worlds(sight(seen(GAME, state, state.turn))).dealt(Random(1)), draws))
    assert len(ways) > 20
    assert set(dealt) == set(ways)
    excess = sum((dealt[world] - 100 * many) ** 2 / (100 * many) for world, many in ways.items())
    assert excess < 2 * len(ways), "chi-square, whose mean is the number of worlds less one"


def test_early_in_a_deal_every_world_has_the_right_cards_and_sizes() -> None:
    rng = Random(3)
    for state in states("chuo-pai", (RandomBot(),) * 3, rng):
        if not state.legal:
            break
        worlds = Worlds(sight(seen(GAME, state, state.turn)))
        assert worlds.total > 0
        for world in islice(worlds.dealt(rng), 5):
            assert list(map(count, world)) == list(map(count, state.hands))
            assert sum(world) == sum(state.hands)
            assert world[state.turn] == state.hands[state.turn]
