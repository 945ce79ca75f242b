"""Deals played by bots, for the tests of bots."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from protocol.view import Prompt, RoomView, SeatView, TableView, You
from server.bots.base import Bot
from server.games.base import SEATS, Game, Options, Seat, settled
from server.games.registry import GAMES


def seen(game: Game[Any], state: Any, seat: Seat, options: Options | None = None) -> TableView:
    """What the seat sees of the deal at a table of bots, with its question if it is asked."""
    room = RoomView("ROOM", game.name, dict(options or {}), pace="none", deals=1, deal=1, phase="playing", host=None)
    actions = game.asked(state).get(seat)
    first, second, third = (SeatView(each, "bot") for each in SEATS)
    return TableView(
        room=room,
        seats=(first, second, third),
        deal=game.view(state, seat),
        prompt=None if actions is None else Prompt(len(game.view(state, seat).history) + 1, actions),
        you=You(seat, n=0),
    )


def states(name: str, bots: Sequence[Bot], rng: Random) -> Iterator[Any]:
    """Every state of one deal in which somebody must decide, and its last; cards and leader drawn from `rng`."""
    game = GAMES[name]
    state = settled(game, game.start(tuple(rng.sample(game.pack, len(game.pack))), rng.randrange(3), {}))
    yield state
    while asked := game.asked(state):
        seat = min(asked)
        state = settled(game, game.apply(state, seat, bots[seat].choose(seen(game, state, seat), rng)))
        yield state


def scores(name: str, bots: Sequence[Bot], rng: Random) -> tuple[int, int, int]:
    """How a deal among these bots ends."""
    *_, last = states(name, bots, rng)
    result = GAMES[name].result(last)
    assert result is not None
    return result.scores
