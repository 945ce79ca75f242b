import re
import sys
from random import Random

import pytest

from protocol.notation import Action
from protocol.view import TableView
from server import players
from server.bots.base import UNLIMITED
from server.games.registry import GAMES
from server.players import OfLadder, PlayerMissing, Position, UnknownPlayer, player_named

GAME = GAMES["chuo-pai"]


class Noting:
    """A bot that writes down what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[TableView, int]] = []

    def choose(self, view: TableView, rng: Random, budget: int = UNLIMITED) -> Action:
        self.given.append((view, budget))
        assert view.prompt is not None
        return view.prompt.actions[-1]


def opening(seat: int = 0) -> Position:
    deck = tuple(Random(1).sample(GAME.pack, len(GAME.pack)))
    return Position(GAME, {}, deck, seat, (), GAME.start(deck, seat, {}), seat)


def test_a_bot_gets_its_view_with_its_question_and_is_not_told_who_plays() -> None:
    bot = Noting()
    player = OfLadder(bot, None)
    position = opening()
    action = player.choose(player.shown(position), Random(1))
    ((view, budget),) = bot.given
    assert budget == UNLIMITED
    assert view.deal == GAME.view(position.state, 0)
    assert view.prompt is not None
    assert view.prompt.actions == GAME.asked(position.state)[0]
    assert action == view.prompt.actions[-1]
    assert [seat.level for seat in view.seats] == [None] * 3


def test_a_budget_reaches_the_bot() -> None:
    bot = Noting()
    player = OfLadder(bot, 7)
    player.choose(player.shown(opening()), Random(1))
    assert bot.given[0][1] == 7


@pytest.mark.parametrize("game", GAMES)
def test_levels_are_players(game: str) -> None:
    assert isinstance(player_named(game, "easy"), OfLadder)


def test_an_unknown_player_is_an_error_that_names_who_there_is() -> None:
    with pytest.raises(UnknownPlayer, match=re.escape("no bot 'clever' plays chuo-pai; there are: random, easy")):
        player_named("chuo-pai", "clever")


def test_a_player_of_an_extra_that_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "server.open_spiel.ismcts", None)
    with pytest.raises(PlayerMissing, match=re.escape("paizhuo[openspiel]")):
        player_named("paohuzi", "ismcts")


def test_other_players_are_found_by_name_and_make_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def maker(game: str, budget: int | None) -> OfLadder:
        made.append((game, budget))
        if game != "chuo-pai":
            raise PlayerMissing("it needs more")
        return OfLadder(Noting(), budget)

    monkeypatch.setattr(players, "OTHERS", {"stranger": maker})
    assert isinstance(player_named("chuo-pai", "stranger", 5), OfLadder)
    assert made == [("chuo-pai", 5)]
    with pytest.raises(PlayerMissing):
        player_named("paohuzi", "stranger")
    with pytest.raises(UnknownPlayer, match="stranger"):
        player_named("chuo-pai", "clever")
