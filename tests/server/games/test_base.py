"""What every game keeps to."""

from random import Random
from typing import Any

import pytest

from server.bots.base import RandomBot
from server.games.base import Game, settled
from server.games.registry import GAMES
from tests.deals import states


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game[Any]:
    return GAMES[request.param]


def test_a_deal_ends_with_a_result_and_nobody_asked(game: Game[Any]) -> None:
    rng = Random(1)
    for first in range(3):
        state = settled(game, game.start(tuple(rng.sample(game.pack, len(game.pack))), first, {}))
        while asked := game.asked(state):
            assert game.result(state) is None
            assert all(asked.values())
            seat = rng.choice(sorted(asked))
            state = settled(game, game.apply(state, seat, rng.choice(asked[seat])))
        assert game.result(state) is not None
        assert not game.window(state)


def test_nothing_goes_on_by_itself_while_somebody_must_decide(game: Game[Any]) -> None:
    state = settled(game, game.start(game.pack, 0, {}))
    with pytest.raises(ValueError, match="by itself"):
        game.go_on(state)


def test_the_moment_grows_with_what_becomes_public_and_only_then(game: Game[Any]) -> None:
    rng = Random(2)
    state = settled(game, game.start(tuple(rng.sample(game.pack, len(game.pack))), 0, {}))
    while asked := game.asked(state):
        before, seat = state, rng.choice(sorted(asked))
        state = game.apply(state, seat, rng.choice(asked[seat]))
        assert (game.moment(state) > game.moment(before)) == bool(game.happened(before, state))
        while game.window(state) and not game.asked(state):
            before, state = state, game.go_on(state)
            assert game.moment(state) > game.moment(before)
            assert game.happened(before, state)


def test_views_of_several_are_the_view_of_each(game: Game[Any]) -> None:
    viewers = (2, None, 0, 1)
    for state in states(game.name, (RandomBot(),) * 3, Random(1)):
        assert game.views(state, viewers) == [game.view(state, viewer) for viewer in viewers]
        assert game.views(state, ()) == []
