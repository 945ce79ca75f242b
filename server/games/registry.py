"""Every game that can be played here. A new game is one line."""

from collections.abc import Mapping
from typing import Any

from server.games.base import Game
from server.games.chuo_pai.game import ChuoPai
from server.games.paohuzi.game import Paohuzi

GAMES: Mapping[str, Game[Any]] = {game.name: game for game in (ChuoPai(), Paohuzi())}


class UnknownGame(LookupError):
    """No game has this name. The text names those that exist."""


def game_named(name: str) -> Game[Any]:
    """Raises `UnknownGame`."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(f"unknown game {name!r}; the games here are: {', '.join(GAMES)}") from None
