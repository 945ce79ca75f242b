"""Positions of real deals, as the person at seat 0 sees them: seeded, so that the pictures are the same every time."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, cast

from msgspec.structs import replace

from protocol.messages import Table
from protocol.view import RoomView, SeatView, TableView
from server.bots.ladder import bot_for
from server.games.base import Game
from server.games.registry import GAMES
from tests.client_cli.tables import CODE
from tests.deals import seen

PEOPLE = (
    SeatView(0, "human", "Budi", connected=True),
    SeatView(1, "human", "小梅", connected=True),
    SeatView(2, "bot", "Bot 3", level="easy"),
)


def course(name: str, seed: int) -> Iterator[Table]:
    """What seat 0 is told of one deal, message after message."""
    game, rng, bot = GAMES[name], Random(seed), bot_for(name, "easy")
    before, state = None, game.start(tuple(rng.sample(game.pack, len(game.pack))), 0, {})
    yield _told(game, before, state)
    while game.asked(state) or game.window(state):
        before = state
        if asked := game.asked(state):
            state = game.apply(state, min(asked), bot.choose(seen(game, state, min(asked)), rng))
        else:
            state = game.go_on(state)
        yield _told(game, before, state)


def until(name: str, seed: int, wanted: Callable[[TableView], bool]) -> list[Table]:
    """The messages up to the first whose view is wanted."""
    told = []
    for message in course(name, seed):
        told.append(message)
        if wanted(message.view):
            return told
    raise AssertionError("this deal never comes to that")


def _told(game: Game[Any], before: Any, state: Any) -> Table:
    shown, result = seen(game, state, 0), game.result(state)
    room = RoomView(CODE, game.name, {}, "none", 3, 1, "playing" if result is None else "between", 0)
    seats = PEOPLE
    if result is not None:
        scored = (replace(each, score=points) for each, points in zip(PEOPLE, result.scores, strict=True))
        seats = cast("tuple[SeatView, SeatView, SeatView]", tuple(scored))
    view = replace(shown, room=room, seats=seats, result=result)
    return Table(view, game.happened(before, state))
