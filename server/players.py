"""Who can be measured, by name: every level of the ladder, and players that are none of ours.

A player that is not of the ladder is one line in `OTHERS`: its name, and what makes it for a game. Bots of the ladder
are shown their view and nothing else; other players are handed a `Position`, which has the deck and every action so
far, because an engine that keeps a state of its own (OpenSpiel's) can only build it from these. That it does not look
at what is hidden from its seat is up to that engine.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple, Protocol, cast

from protocol.notation import Action
from protocol.view import TableView
from server.bots.base import UNLIMITED, Bot
from server.bots.ladder import BOTS
from server.deals import table_for
from server.games.base import Deck, Game, Options, Seat


class UnknownPlayer(LookupError):
    """Nobody of this name plays this game. The text names those who do."""


class PlayerMissing(RuntimeError):
    """The player needs something that is not installed. The text says what, and how to get it."""


class Position(NamedTuple):
    """A deal in which `seat` must decide, as whoever deals knows it.

    `options`: house rules that differ from their defaults. `steps`: every accepted action so far with its seat, in
    order, those without an alternative included. `state`: that of `game` now.
    """

    game: Game[Any]
    options: Options
    deck: Deck
    first: Seat
    steps: tuple[tuple[Seat, Action], ...]
    state: Any
    seat: Seat


class Player(Protocol):
    """Keeps nothing between choices. Never asked where there is one action only."""

    def shown(self, position: Position) -> Any:
        """What it chooses from, in its own form. Not part of the time that a choice takes."""

    def choose(self, shown: Any, rng: Random) -> Action:
        """One of the actions that the seat is asked for; the same for the same position and generator."""


class OfLadder:
    """A bot, which gets its view alone: not even who plays the other seats."""

    def __init__(self, bot: Bot, budget: int | None) -> None:
        self._bot = bot
        self._budget = UNLIMITED if budget is None else budget

    def shown(self, position: Position) -> TableView:
        return table_for(position.game, position.state, position.seat, position.options, (None, None, None))

    def choose(self, shown: TableView, rng: Random) -> Action:
        return self._bot.choose(shown, rng, self._budget)


def _ismcts(game: str, budget: int | None) -> Player:
    """`budget`: in simulations."""
    try:
        from server.open_spiel.ismcts import IsmctsPlayer  # noqa: PLC0415 of an extra, and slow to load
    except ImportError:
        raise PlayerMissing("ismcts needs OpenSpiel: install paizhuo[openspiel], or `make openspiel` here") from None
    return IsmctsPlayer(game, budget)


OTHERS: Mapping[str, Callable[[str, int | None], Player]] = {"ismcts": _ismcts}
"""Players beside the ladder: name to maker.

A maker is called with the name of a game and a budget of one choice, in the player's own unit (None: its default).
It raises `UnknownPlayer` for a game that it does not play, and `PlayerMissing` where what it needs is not installed. It
imports that only when it is called.
"""


def player_named(game: str, name: str, budget: int | None = None) -> Player:
    """`budget`: of one choice, in rollouts; None for full strength. Raises `UnknownPlayer` and `PlayerMissing`."""
    if (bot := BOTS.get(cast(Any, (game, name)))) is not None:
        return OfLadder(bot, budget)
    if name not in OTHERS:
        known = [level for played, level in BOTS if played == game]
        raise UnknownPlayer(f"no bot {name!r} plays {game}; there are: {', '.join([*known, *OTHERS])}")
    return OTHERS[name](game, budget)
