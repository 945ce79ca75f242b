"""Each level finds a right move wherever it must; and the positions are sound."""

from collections import Counter
from random import Random
from typing import get_args

import msgspec
import pytest

from protocol.view import BotLevel, TableView
from server.bots.base import RandomBot, offered
from server.bots.ladder import bot_for
from tests.server.bots.blunders.suite import Blunder, blunders

GAMES = ("chuo-pai", "paohuzi")
LEAST = 60
LEAST_OF_A_THEME = 5
SEEDS = range(3)
POSITIONS = [
    pytest.param(name, blunder, view, id=f"{name}-{number}")
    for name in GAMES
    for number, (blunder, view) in enumerate(blunders(name), start=1)
]
DEMANDS = [
    pytest.param(
        name,
        blunder,
        view,
        level,
        id=f"{name}-{number}-{level}",
        marks=[pytest.mark.xfail(strict=True)] if level in blunder.missed else [],
    )
    for name in GAMES
    for number, (blunder, view) in enumerate(blunders(name), start=1)
    for level in blunder.levels
]


@pytest.mark.parametrize(("name", "blunder", "view", "level"), DEMANDS)
def test_a_level_does_not_blunder_where_it_must_not(
    name: str, blunder: Blunder, view: TableView, level: BotLevel
) -> None:
    bot = bot_for(name, level)
    chosen = {bot.choose(view, Random(seed)) for seed in SEEDS}
    assert chosen <= {*blunder.right}, blunder.why


@pytest.mark.parametrize(("name", "blunder", "view"), POSITIONS)
def test_there_is_something_to_blunder(name: str, blunder: Blunder, view: TableView) -> None:
    actions = offered(view)
    assert {*blunder.right} <= {*actions}
    assert 1 <= len({*blunder.right}) == len(blunder.right) <= len(actions) / 2
    assert not {RandomBot().choose(view, Random(seed)) for seed in range(40)} <= {*blunder.right}


@pytest.mark.parametrize(("name", "blunder", "view"), POSITIONS)
def test_every_level_above_one_that_must_find_the_move_must_find_it(
    name: str, blunder: Blunder, view: TableView
) -> None:
    ladder: tuple[BotLevel, ...] = get_args(BotLevel)
    assert blunder.levels
    assert blunder.levels == ladder[-len(blunder.levels) :]
    assert "random" not in blunder.levels


@pytest.mark.parametrize("name", GAMES)
def test_the_positions_of_a_game_are_many_and_of_many_kinds(name: str) -> None:
    found = [blunder for blunder, _ in blunders(name)]
    assert len(found) >= LEAST
    themes = Counter(blunder.theme for blunder in found)
    assert len(themes) >= 8
    assert min(themes.values()) >= LEAST_OF_A_THEME


@pytest.mark.parametrize("name", GAMES)
def test_no_two_positions_are_the_same_or_told_alike(name: str) -> None:
    found = blunders(name)
    assert len({msgspec.json.encode((view.deal, view.prompt)) for _, view in found}) == len(found)
    assert len({blunder.name for blunder, _ in found}) == len(found)
    for blunder, _ in found:
        assert len(blunder.name) <= 80
        assert len(blunder.why) <= 200
