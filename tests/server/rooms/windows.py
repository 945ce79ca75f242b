"""Rooms of Paohuzi in which a public card stands and somebody may claim it."""

from collections.abc import Callable, Mapping
from itertools import count
from random import Random

from protocol.notation import Action
from protocol.view import Pace
from server.games.base import Seat
from server.rooms.state import asked, window
from tests.server.rooms.driven import DrivenRoom, deck, three_players

Questions = Mapping[Seat, tuple[Action, ...]]


def questions(room: DrivenRoom) -> Questions:
    """Who may claim the public card, and how; empty also where there is none."""
    return asked(room.state) if window(room.state) else {}


def room_where(fits: Callable[[DrivenRoom], bool], *, pace: Pace = "none", deals: int = 1) -> DrivenRoom:
    """Ann, Bea and Cem at the first table, of all that chance deals, that fits."""
    for seed in count():
        room, rng = three_players("paohuzi", cards=deck(seed, "paohuzi"), pace=pace, deals=deals), Random(seed)
        while room.state.phase == "playing":
            if fits(room):
                return room
            room.step(rng)
    raise AssertionError("chance deals without end")


def several_asked(room: DrivenRoom) -> bool:
    return len(questions(room)) > 1


def one_asked(room: DrivenRoom) -> bool:
    return len(questions(room)) == 1


def one_may_win(room: DrivenRoom) -> bool:
    return [actions[0] for actions in questions(room).values()].count("win") == 1


def beaten(room: DrivenRoom) -> tuple[Seat, Seat] | None:
    """A seat with a pao or peng, and one that can only chi: with its claim the first closes the second's question."""
    found = questions(room)
    strong = [seat for seat, actions in found.items() if actions[0] in ("pao", "peng")]
    weak = [seat for seat, actions in found.items() if actions[0].startswith("chi")]
    return (strong[0], weak[0]) if strong and weak and len(found) == 2 else None
