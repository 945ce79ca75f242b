from random import Random

import pytest
from msgspec.structs import replace

from protocol.view import Prompt, TableView
from server.bots.base import RandomBot, fallback
from server.bots.ladder import strongest
from server.games.registry import GAMES
from tests.deals import seen


@pytest.fixture
def view() -> TableView:
    game = GAMES["chuo-pai"]
    return seen(game, game.start(game.pack, 0, {}), 0)


def asked(view: TableView, *actions: str) -> TableView:
    return replace(view, prompt=Prompt(1, actions))


def test_who_does_not_decide_passes_where_that_is_legal(view: TableView) -> None:
    assert fallback(asked(view, "peng", "pass")) == "pass"


def test_who_does_not_decide_and_cannot_pass_takes_the_first_action(view: TableView) -> None:
    assert fallback(asked(view, "play 22", "play 11")) == "play 22"


def test_nothing_can_be_chosen_where_nothing_is_asked(view: TableView) -> None:
    with pytest.raises(ValueError, match="asks nothing"):
        fallback(replace(view, prompt=None))


def test_the_random_bot_takes_every_offered_action_about_as_often(view: TableView) -> None:
    rng = Random(1)
    choices = [RandomBot().choose(asked(view, "a", "b", "c"), rng) for _ in range(3000)]
    assert all(900 < choices.count(action) < 1100 for action in "abc")


@pytest.mark.parametrize("game", GAMES)
def test_the_strongest_bot_of_a_game_is_not_the_one_that_chooses_at_random(game: str) -> None:
    assert strongest(game) != "random"
