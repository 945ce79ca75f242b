"""What every bot of every game keeps to."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from protocol.notation import Action
from protocol.view import BotLevel, Prompt, TableView
from server.bots.base import Bot, offered
from server.bots.ladder import BOTS, bot_for
from server.games.registry import GAMES
from tests.deals import seen, states


class Hurried:
    """A bot with time for few rollouts: what it keeps to, it keeps to with any budget."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def choose(self, view: TableView, rng: Random, budget: int = 10) -> Action:
        return self._bot.choose(view, rng, budget)


def questions(name: str, bots: tuple[Bot, Bot, Bot], seed: int) -> Iterator[TableView]:
    """Every question of one deal."""
    game = GAMES[name]
    for state in states(name, bots, Random(seed)):
        for seat in game.asked(state):
            yield seen(game, state, seat)


@pytest.fixture(params=BOTS, ids="-".join)
def name_and_level(request: pytest.FixtureRequest) -> tuple[str, BotLevel]:
    key: tuple[str, BotLevel] = request.param
    return key


def test_every_game_has_a_bot_of_every_level() -> None:
    assert set(BOTS) == {(name, level) for name in GAMES for level in get_args(BotLevel)}


def test_a_game_without_bots_is_an_error() -> None:
    with pytest.raises(LookupError):
        bot_for("go", "easy")


@pytest.mark.parametrize("others", ["same", "random"])
def test_every_choice_is_among_the_offered_actions(name_and_level: tuple[str, BotLevel], others: str) -> None:
    name, level = name_and_level
    bot = Hurried(bot_for(name, level))
    other: Bot = bot if others == "same" else bot_for(name, "random")
    for seed in range(10):
        for view in questions(name, (bot, other, other), seed):
            assert bot.choose(view, Random(seed)) in offered(view)


def test_the_same_view_and_seed_give_the_same_choice_whatever_came_between(
    name_and_level: tuple[str, BotLevel],
) -> None:
    name, level = name_and_level
    bot = Hurried(bot_for(name, level))
    views = [view for seed in range(3) for view in questions(name, (bot, bot, bot), seed)]
    forwards = [bot.choose(view, Random(number)) for number, view in enumerate(views)]
    backwards = [bot.choose(view, Random(number)) for number, view in reversed(list(enumerate(views)))]
    assert forwards == backwards[::-1]


def test_a_single_offered_action_is_chosen(name_and_level: tuple[str, BotLevel]) -> None:
    name, level = name_and_level
    bot = Hurried(bot_for(name, level))
    for view in islice(questions(name, (bot, bot, bot), seed=1), 12):
        for action in offered(view):
            alone = replace(view, prompt=Prompt(1, (action,)))
            assert bot.choose(alone, Random(1)) == action
