"""Positions in which a player would call every move but one, or but a few equal ones, a blunder.

One JSON object to a line, in the file of its game. `README.md` says how they were found and judged.
"""

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.notation import Action
from protocol.view import BotLevel, OptionValue, SeatNumber, TableView
from server.games.base import settled
from server.games.registry import GAMES
from tests.deals import seen


class Blunder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name`: what is at stake; `why`: what makes the `right` actions right. `levels`: those that must find one;
    `missed`: those of them that do not yet.

    `deck` (cards with spaces between), `first` and `options` are those of a record. `steps`: what was chosen in the
    deal so far, in order, by the lowest seat first where several are asked; an only legal action is left out. Then
    `seat` is asked.
    """

    theme: str
    name: str
    why: str
    options: dict[str, OptionValue] = {}
    first: SeatNumber
    deck: str
    steps: tuple[Action, ...]
    seat: SeatNumber
    right: tuple[Action, ...]
    levels: tuple[BotLevel, ...]
    missed: tuple[BotLevel, ...] = ()

    def asked(self, name: str) -> TableView:
        """What the seat of this game sees when it is asked. Raises `ValueError` where the rules do not lead there."""
        game = GAMES[name]
        state = settled(game, game.start(tuple(self.deck.split(" ")), self.first, self.options))
        steps = iter(self.steps)
        while asked := game.asked(state):
            seat = min(asked)
            action = asked[seat][0] if len(asked[seat]) == 1 else next(steps, None)
            if action is None:
                return seen(game, state, self.seat, self.options)
            state = settled(game, game.apply(state, seat, action))
        raise ValueError("the deal is over")


@cache
def blunders(name: str) -> tuple[tuple[Blunder, TableView], ...]:
    """All of one game, each with what its seat sees."""
    lines = (Path(__file__).parent / f"{name}.jsonl").read_bytes().splitlines()
    read = (msgspec.json.decode(line, type=Blunder) for line in lines)
    return tuple((blunder, blunder.asked(name)) for blunder in read)
