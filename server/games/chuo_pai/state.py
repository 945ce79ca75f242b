"""A deal of Chuo Pai between two actions, hidden cards included."""

from msgspec import Struct

from protocol.notation import Action
from protocol.view import Group
from server.games.base import Seat
from server.games.chuo_pai.cards import Hand


class State(Struct, frozen=True, gc=False):
    """`legal` is what the seat at `turn` may do; it is empty once the deal is over.

    `table` holds the plays of the current round in order; each beats the one before it, so the last is the highest.
    `history` holds every action, as `"ROUND SEAT ACTION"`; `round` counts from 1.
    """

    max_combination: int
    hands: tuple[Hand, Hand, Hand]
    piles: tuple[tuple[Group, ...], ...]
    round: int
    leader: Seat
    turn: Seat
    table: tuple[tuple[Seat, Action], ...]
    history: tuple[str, ...]
    legal: tuple[Action, ...]
