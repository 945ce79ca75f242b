"""What happened in a room, as its log keeps it. A commit is one command's events, applied whole or not at all.

Entries of old logs must stay readable: fields are only added, with defaults, and a tag never changes its meaning.
"""

from typing import Literal

import msgspec
from msgspec import Struct

from protocol.notation import Action
from protocol.view import BotLevel, OptionValue, Pace, SeatNumber

VacatedWhy = Literal["left", "removed"]
ActedBy = Literal["player", "bot", "clock", "switch"]


class _Event(Struct, frozen=True, omit_defaults=True, array_like=True):
    pass


class RoomCreated(_Event, frozen=True, tag="room_created"):
    code: str
    game: str
    options: dict[str, OptionValue]
    deals: int
    pace: Pace
    listed: bool
    rules: int = 1
    """The version of the game's rules."""


class SeatTaken(_Event, frozen=True, tag="seat_taken"):
    """`ticket` is a hash; `connection` names the connection that holds the seat now. `contributes`: to the cards."""

    seat: SeatNumber
    name: str
    ticket: bytes
    connection: str
    contributes: bool = False


class BotSeated(_Event, frozen=True, tag="bot_seated"):
    seat: SeatNumber
    level: BotLevel


class SeatVacated(_Event, frozen=True, tag="seat_vacated"):
    seat: SeatNumber
    why: VacatedWhy


class Resumed(_Event, frozen=True, tag="resumed"):
    """The seat's player is back on another connection. `woke`: until then no player was connected to the room."""

    seat: SeatNumber
    connection: str
    woke: bool


class WentAway(_Event, frozen=True, tag="went_away"):
    seat: SeatNumber


class AutopilotSet(_Event, frozen=True, tag="autopilot_set"):
    seat: SeatNumber
    on: bool


class MatchStarted(_Event, frozen=True, tag="match_started"):
    pass


class RoundOpened(_Event, frozen=True, tag="round_opened"):
    """The server has committed itself to a `secret` for a deal to come; see `protocol.fair`.

    `without`: the seats that were waited for in vain in earlier attempts.
    """

    deal: int
    attempt: int
    secret: bytes
    without: tuple[SeatNumber, ...] = ()


class Contributed(_Event, frozen=True, tag="contributed"):
    """A seat's client has pledged its part, or revealed it."""

    seat: SeatNumber
    deal: int
    attempt: int
    pledge: bytes = b""
    part: bytes = b""


class RoundVoided(_Event, frozen=True, tag="round_voided"):
    """No cards come of the first round: these seats were waited for in vain."""

    missing: tuple[SeatNumber, ...]


class DealStarted(_Event, frozen=True, tag="deal_started"):
    deck: tuple[str, ...]
    first: SeatNumber


class Acted(_Event, frozen=True, tag="acted"):
    seat: SeatNumber
    action: Action
    by: ActedBy


class WentOn(_Event, frozen=True, tag="went_on"):
    """A public card has stood for its time and the rules went on by themselves."""


class DeclaredLate(_Event, frozen=True, tag="declared_late"):
    """A seat declared when the outcome of its window was certain already, which it could not know: nothing changes."""

    seat: SeatNumber


class AutoPassSet(_Event, frozen=True, tag="auto_pass_set"):
    seat: SeatNumber
    on: bool


class Readied(_Event, frozen=True, tag="readied"):
    seat: SeatNumber


class SaidHere(_Event, frozen=True, tag="said_here"):
    """A player in the lobby says that they are there, and no more."""

    seat: SeatNumber


class HostAsked(_Event, frozen=True, tag="host_asked"):
    """The host has done nothing for long, and others wait."""

    seat: SeatNumber


class HostIdled(_Event, frozen=True, tag="host_idled"):
    """The host has not answered that: somebody else is host until they do something."""

    seat: SeatNumber


class Regranted(_Event, frozen=True, tag="regranted"):
    """Players could not answer for a while, so nobody's time is up yet."""


class RoomClosed(_Event, frozen=True, tag="room_closed"):
    """Nobody can come back. `by_operator`: of the server; else all players had left."""

    by_operator: bool = False


Event = (
    RoomCreated
    | SeatTaken
    | BotSeated
    | SeatVacated
    | Resumed
    | WentAway
    | AutopilotSet
    | MatchStarted
    | RoundOpened
    | Contributed
    | RoundVoided
    | DealStarted
    | Acted
    | WentOn
    | DeclaredLate
    | AutoPassSet
    | Readied
    | SaidHere
    | HostAsked
    | HostIdled
    | Regranted
    | RoomClosed
)


class Numbered(Struct, frozen=True, array_like=True):
    """Which command of which seat a commit carried out. `digest`: of the whole command, to know a repeat."""

    seat: SeatNumber
    n: int
    digest: bytes


class Commit(Struct, frozen=True, array_like=True):
    """One entry's payload. `id`: 16 bytes of its own; `writer`: the node; `at_ms`: by the store's clock; `digest`: of
    the state that it leads to (`digest.digest_of`), empty in logs that have none, by the fold of version `fold`.
    """

    id: bytes
    writer: str
    at_ms: int
    events: tuple[Event, ...]
    numbered: Numbered | None = None
    digest: bytes = b""
    fold: int = 1


class _Outline(Struct, frozen=True, array_like=True):
    """What a commit of any version looks like."""

    id: bytes
    writer: str
    at_ms: int
    events: tuple[msgspec.Raw, ...]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Commit)
_outline = msgspec.msgpack.Decoder(_Outline)


class UnknownCommit(ValueError):
    """A payload that this version cannot read."""


class NewerCommit(UnknownCommit):
    """The payload has the shape of a commit: a newer version wrote it."""


def encode_commit(commit: Commit) -> bytes:
    return _encoder.encode(commit)


def decode_commit(payload: bytes) -> Commit:
    """Raises `UnknownCommit`, or `NewerCommit`."""
    try:
        return _decoder.decode(payload)
    except msgspec.MsgspecError:
        pass
    try:
        _outline.decode(payload)
    except (msgspec.MsgspecError, RecursionError):
        raise UnknownCommit("no commit") from None
    raise NewerCommit("a commit of a newer version")
