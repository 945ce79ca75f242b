"""Whole deals played by bots, as records. Reproducible: one seed gives the same deals, byte for byte.

For tests, measurements and examples only: rooms get their decks from `server.chance`.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from msgspec import UNSET

from protocol.view import BotLevel, OptionValue, Prompt, RoomView, SeatView, TableView, You
from server.bots.base import bot_for
from server.games.base import SEATS, Game, Seat
from server.games.record import Outcome, Record, Step
from server.games.registry import game_named

Levels = tuple[BotLevel, BotLevel, BotLevel]


def played(
    game: str, deals: int, seed: int, levels: Levels, options: Mapping[str, OptionValue], *, legal: bool = False
) -> Iterator[Record]:
    """Deal after deal, each from its number and the seed alone; `legal`: with every step's legal actions.

    Raises `UnknownGame`, `BadOption`, and `LookupError` for a level that has no bot of this game.
    """
    for number in range(1, deals + 1):
        yield _deal(game_named(game), Random(f"{seed}/{number}"), levels, options, legal=legal)


def _deal(game: Game[Any], rng: Random, levels: Levels, options: Mapping[str, OptionValue], *, legal: bool) -> Record:
    bots = [bot_for(game.name, level) for level in levels]
    deck = tuple(rng.sample(game.pack, len(game.pack)))
    first = rng.randrange(len(SEATS))
    state = game.start(deck, first, options)
    steps = []
    while asked := game.asked(state):
        seat, actions = min(asked.items())
        action = bots[seat].choose(_table(game, state, seat, levels, options), rng)
        steps.append(Step(seat=seat, legal=tuple(sorted(actions)) if legal else UNSET, action=action))
        state = game.apply(state, seat, action)
    result = game.result(state)
    assert result is not None
    return Record(
        game=game.name,
        options=dict(options),
        first=first,
        deck=deck,
        steps=tuple(steps),
        result=Outcome(result.scores),
    )


def _table(game: Game[Any], state: Any, seat: Seat, levels: Levels, options: Mapping[str, OptionValue]) -> TableView:
    """What a room of three bots would show the seat."""
    first, second, third = (SeatView(seat, "bot", level=level) for seat, level in zip(SEATS, levels, strict=True))
    deal = game.view(state, seat)
    return TableView(
        room=RoomView(
            code="",
            game=game.name,
            options=dict(game.options(options)),
            pace="none",
            deals=1,
            deal=1,
            phase="playing",
            host=None,
        ),
        seats=(first, second, third),
        deal=deal,
        prompt=Prompt(len(deal.history), game.asked(state)[seat]),
        you=You(seat, 0),
    )
