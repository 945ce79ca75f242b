"""A room's state: what the fold of its log says, and the questions that everything else asks of it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from protocol.fair import Three
from protocol.notation import Action
from protocol.view import BotLevel, OptionValue, Pace, Phase, Result, SeatKind
from server.games import registry
from server.games.base import SEATS, Game, Seat

STAND_IN: BotLevel = "normal"
"""The bot that plays for a player who is away, on autopilot or gone for good."""


SPENT_KEPT = 64
"""Enough for every honest player; who comes and goes without end must not make the room ever larger."""


NOTHING: Three = (b"", b"", b"")


class SeatState(Struct, frozen=True, omit_defaults=True):
    """One seat. Of its question: `prompt` counts the questions put to it in this room, `deadline_ms` is when the room
    decides instead (store's clock, bank included; None without a clock); `overtaken`: what the seat still seems to be
    asked, while others have made the outcome certain and that must not show yet. `since` orders players by how long
    they sit. In the lobby, `seen_ms`: when the player last did anything, or became host; `idle`: is not host for not
    having answered. `contributes`: its client adds to the cards of each deal.
    """

    kind: SeatKind = "empty"
    name: str = ""
    level: BotLevel | None = None
    ticket: bytes = b""
    connection: str = ""
    since: int = 0
    away: bool = False
    autopilot: bool = False
    auto_pass: bool = False
    ready: bool = False
    score: int = 0
    n: int = 0
    digest: bytes = b""
    prompt: int = 0
    deadline_ms: int | None = None
    overtaken: tuple[Action, ...] = ()
    bank_ms: int = 0
    seen_ms: int = 0
    idle: bool = False
    contributes: bool = False


Seats = tuple[SeatState, SeatState, SeatState]


class Round(Struct, frozen=True, omit_defaults=True):
    """How the cards of one deal come about; see `protocol.fair`, and `server.rooms.rounds` for what is asked of it.

    `closed`: nobody pledges any more. `since_ms`: when what the deal waits for began to be waited for; 0: not yet.
    `missing`: for whose want it was voided.
    """

    deal: int
    attempt: int
    secret: bytes
    without: tuple[Seat, ...] = ()
    pledges: Three = NOTHING
    parts: Three = NOTHING
    closed: bool = False
    since_ms: int = 0
    missing: tuple[Seat, ...] = ()


class RoomState(Struct, frozen=True, omit_defaults=True):
    """One room. `table`: the game's own state of the deal; `moved_at_ms`: when something public last changed; `spent`:
    the tickets (hashes) of seats that were given up, the last `SPENT_KEPT` of them; `host_asked_ms`: since when the
    host of the lobby is to show that they are there; `granted_ms`: when players last got time that they had lost, and
    `grants`: how often since something public changed. `rounds`: for the next deal and the one after it; `dealt`: that
    of the last deal; `voided`: those of the same deal, or of the next, that came to nothing, and `voids`: how many did
    in all, by the seat that was waited for.
    """

    code: str
    game: str
    options: dict[str, OptionValue]
    deals: int
    pace: Pace
    listed: bool
    creator: Seat | None
    seats: Seats
    phase: Phase = "open"
    closed: bool = False
    deal: int = 0
    table: Any = None
    result: Result | None = None
    commits: int = 0
    writer: str = ""
    last_at_ms: int = 0
    moved_at_ms: int = 0
    spent: tuple[bytes, ...] = ()
    host_asked_ms: int | None = None
    granted_ms: int = 0
    grants: int = 0
    rounds: tuple[Round, ...] = ()
    dealt: Round | None = None
    voided: tuple[Round, ...] = ()
    voids: tuple[int, int, int] = (0, 0, 0)


def rules(state: RoomState) -> Game[Any]:
    return registry.game_named(state.game)


def asked(state: RoomState) -> Mapping[Seat, tuple[Action, ...]]:
    """Whom the deal asks, and between what; empty unless a deal is being played."""
    return rules(state).asked(state.table) if state.phase == "playing" else {}


def put(state: RoomState) -> Mapping[Seat, tuple[Action, ...]]:
    """The questions as the seats see them: those that are asked, and those that others have overtaken in secret."""
    overtaken = {seat: its.overtaken for seat, its in enumerate(state.seats) if its.overtaken}
    return {**asked(state), **overtaken} if overtaken else asked(state)


def window(state: RoomState) -> bool:
    """Does a public card stand whose claims are secret? See `Game.window`."""
    return state.phase == "playing" and rules(state).window(state.table)


def passes_by_switch(state: RoomState, seat: Seat) -> bool:
    """Does the seat's own switch answer its claim? Never one that could win, and never for a bot that plays it."""
    its = state.seats[seat]
    if not its.auto_pass or played_by_bot(its) or not window(state):
        return False
    offered = put(state).get(seat, ())
    return "pass" in offered and "win" not in offered


def played_by_bot(seat: SeatState) -> bool:
    """Does a bot decide for this seat now?"""
    return seat.kind == "bot" or (seat.kind == "human" and (seat.away or seat.autopilot))


def bot_name(seat: Seat) -> str:
    return f"Bot {seat + 1}"


def bot_level(seat: SeatState) -> BotLevel:
    """Of the bot in this seat, or of the one that stands in."""
    return seat.level or STAND_IN


def host(state: RoomState, stirring: Seat | None = None) -> Seat | None:
    """The creator while it is there and not idle, else the player who has sat longest and is so.

    `stirring`: who is doing something right now, and so not idle any more.
    """
    if state.creator is not None and _awake(state.seats[state.creator]):
        return state.creator
    present = [seat for seat in SEATS if state.seats[seat].kind == "human" and not state.seats[seat].away]
    awake = [seat for seat in present if seat == stirring or not state.seats[seat].idle] or present
    if state.creator in awake:
        return state.creator
    return min(awake, key=lambda seat: state.seats[seat].since, default=None)


def heirs(state: RoomState) -> list[Seat]:
    """Who could be host in place of the one who is."""
    ruling = host(state)
    return [seat for seat, its in enumerate(state.seats) if seat != ruling and _awake(its)]


def _awake(seat: SeatState) -> bool:
    """A player who is there and not idle."""
    return seat.kind == "human" and not seat.away and not seat.idle


def seat_of_ticket(state: RoomState, ticket: bytes) -> Seat | None:
    """The seat that this ticket hash opens. Tickets are compared as hashes, so timing tells nothing of a ticket."""
    for seat in SEATS:
        if state.seats[seat].kind == "human" and state.seats[seat].ticket == ticket:
            return seat
    return None
