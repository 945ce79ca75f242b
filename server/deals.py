"""Whole deals played by bots, as records. Reproducible: one seed gives the same deals, byte for byte.

For tests, measurements and examples only: rooms get their decks from `server.chance`.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from msgspec import UNSET

from protocol.record import Record, Step
from protocol.view import BotLevel, OptionValue, Prompt, RoomView, SeatView, TableView, You
from server.bots.ladder import bot_for
from server.games.base import SEATS, Game, Seat, settled
from server.games.record import outcome
from server.games.registry import game_named

Levels = tuple[BotLevel, BotLevel, BotLevel]

NOBODY: tuple[None, None, None] = (None, None, None)
"""The levels at a table where nobody is told who plays."""


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
    state = settled(game, game.start(deck, first, options))
    steps = []
    while asked := game.asked(state):
        # Where several are asked at once, any of them may be the first to answer.
        seat = rng.choice(sorted(asked)) if len(asked) > 1 else min(asked)
        action = bots[seat].choose(table_for(game, state, seat, options, levels), rng)
        steps.append(Step(seat=seat, legal=tuple(sorted(asked[seat])) if legal else UNSET, action=action))
        state = settled(game, game.apply(state, seat, action))
    result = game.result(state)
    assert result is not None
    return Record(
        game=game.name,
        options=dict(options),
        first=first,
        deck=deck,
        steps=tuple(steps),
        result=outcome(result),
    )


def table_for(
    game: Game[Any],
    state: Any,
    seat: Seat,
    options: Mapping[str, OptionValue],
    levels: tuple[BotLevel | None, BotLevel | None, BotLevel | None],
) -> TableView:
    """What a room of three bots would show a seat. `levels`: None where nobody is told."""
    asked = game.asked(state)
    first, second, third = (SeatView(seat, "bot", level=level) for seat, level in zip(SEATS, levels, strict=True))
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
        deal=game.view(state, seat),
        prompt=Prompt(game.moment(state), asked[seat]) if seat in asked else None,
        you=You(seat, 0),
    )
