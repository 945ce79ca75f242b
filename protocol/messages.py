"""Every message of the protocol: one tagged union per direction.

Messages from clients are strict: unknown fields, wrong types and numbers out of bounds are refused. Messages from
servers may gain fields; clients pass over what they do not know.

`n` is the seat's own counter of commands: a client sends 1, 2, 3 … for its seat, one at a time, and sends a command
again with the same `n` when it got no answer. It is done once, whatever happens to the connection.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.notation import Action
from protocol.view import (
    BotLevel,
    Count,
    Happening,
    Hex,
    Milliseconds,
    OptionValue,
    Pace,
    Reason,
    SeatNumber,
    TableView,
)

MAX_FRAME_BYTES = 4096
"""Longer messages to the server close the connection with 1009."""

MAX_NAME_CHARACTERS = 64
MAX_SAY_CHARACTERS = 300
MAX_WHY_CHARACTERS = 200
MAX_DEALS = 32

CommandNumber = Annotated[int, Meta(ge=1, le=2**53 - 1)]
RoomCode = Annotated[str, Meta(min_length=1, max_length=16)]
Ticket = Annotated[str, Meta(min_length=1, max_length=64)]
EmoteKind = Literal["hello", "nice", "oops", "thanks", "hurry", "laugh", "sorry", "good_game"]
Secret = Annotated[str, Meta(min_length=22, max_length=43, pattern=r"^[A-Za-z0-9_-]+\Z")]
"""Drawn by a client, at random: at least 128 bits as URL-safe text."""

EMOTES: Mapping[EmoteKind, str] = {
    "hello": "Hello!",
    "nice": "Nice move!",
    "oops": "Oops!",
    "thanks": "Thank you!",
    "hurry": "Please hurry.",
    "laugh": "Ha ha!",
    "sorry": "Sorry!",
    "good_game": "Good game!",
}
"""What each says in English: the text for clients that know no emotes."""


class _ToServer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    pass


class Hello(_ToServer, frozen=True, tag="hello"):
    """Always first. With a `ticket` the connection takes back the seat that the ticket belongs to."""

    name: Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
    ticket: Ticket | None = None


class Contribution(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a client adds to the cards of a deal to come: the pledge of its part, or, once all have pledged, the part.

    `deal` and `attempt` name one of `view.fair.rounds`.
    """

    deal: Annotated[int, Meta(ge=1, le=MAX_DEALS)]
    attempt: Annotated[int, Meta(ge=1, le=1000)]
    pledge: Hex | None = None
    part: Hex | None = None


Contributions = Annotated[tuple[Contribution, ...], Meta(max_length=2)]


# Defaults are left out of what has gained fields, so that older servers still read it.


class Create(_ToServer, frozen=True, omit_defaults=True, tag="create"):
    """Open a room, sit down in it and be its host. `fill`: bots take the other seats and play starts at once.

    `contributes`: this client adds to the cards of each deal, and is waited for.

    `secret`: makes it safe to ask again, on any server, after a connection that broke before the answer: the same
    request with the same secret leads back to the same room. The ticket is then CODE.secret.
    """

    game: Annotated[str, Meta(max_length=32)]
    options: Annotated[dict[Annotated[str, Meta(max_length=32)], OptionValue], Meta(max_length=16)] = {}
    deals: Annotated[int, Meta(ge=1, le=MAX_DEALS)] = 1
    pace: Pace = "none"
    fill: BotLevel | None = None
    listed: bool = False
    secret: Secret | None = None
    contributes: bool = False


class Join(_ToServer, frozen=True, omit_defaults=True, tag="join"):
    """Sit down in a room. `secret` and `contributes`: as in `Create`."""

    code: RoomCode
    secret: Secret | None = None
    contributes: bool = False


class Watch(_ToServer, frozen=True, tag="watch"):
    code: RoomCode


class ListRooms(_ToServer, frozen=True, tag="list_rooms"):
    pass


class Fill(_ToServer, frozen=True, tag="fill"):
    """Host: put a bot on one empty seat, or on all of them (`seat` None)."""

    n: CommandNumber
    level: BotLevel = "easy"
    seat: SeatNumber | None = None


class Remove(_ToServer, frozen=True, tag="remove"):
    """Host, before the first deal: empty a seat."""

    n: CommandNumber
    seat: SeatNumber


class Start(_ToServer, frozen=True, tag="start"):
    """Host: start the match. With `fill`, bots take the empty seats first."""

    n: CommandNumber
    fill: BotLevel | None = None


class Act(_ToServer, frozen=True, tag="act"):
    """Answer the question `prompt` with one of its actions."""

    n: CommandNumber
    prompt: Count
    action: Annotated[Action, Meta(max_length=200)]


class Ready(_ToServer, frozen=True, omit_defaults=True, tag="ready"):
    """Want the next deal of the match. Before the start: be there, and nothing else. `contributions`: on the way."""

    n: CommandNumber
    contributions: Contributions = ()


class Contribute(_ToServer, frozen=True, tag="contribute"):
    """The same without anything else: before the first deal, and where no `Ready` would come. The view answers it."""

    contributions: Contributions


class Autopilot(_ToServer, frozen=True, tag="autopilot"):
    """Let a bot play this seat, or take it back."""

    n: CommandNumber
    on: bool


class AutoPass(_ToServer, frozen=True, tag="auto_pass"):
    """Let the server pass by itself on claims that cannot win, or stop it. Nobody else is told."""

    n: CommandNumber
    on: bool


class Leave(_ToServer, frozen=True, tag="leave"):
    """Give up the seat for good and void its ticket. A bot takes over once play has started."""

    n: CommandNumber


class Export(_ToServer, frozen=True, tag="export"):
    """Ask for the record of a finished deal of this room, by its number from 1."""

    deal: Annotated[int, Meta(ge=1, le=MAX_DEALS)]


class Say(_ToServer, frozen=True, tag="say"):
    text: Annotated[str, Meta(max_length=MAX_SAY_CHARACTERS)]


class Emote(_ToServer, frozen=True, tag="emote"):
    """One of eight things that everybody is told in their own language."""

    kind: EmoteKind


class AskHint(_ToServer, frozen=True, tag="ask_hint"):
    """Ask what the server's best bot would do about the seat's own open question `prompt`."""

    prompt: Count


class Why(_ToServer, frozen=True, tag="why"):
    """Ask why `text` is none of the offered actions: an action, or cards alone (`66+66`).

    `prompt`: of the seat's open question; 0 where there is none.
    """

    prompt: Count
    text: Annotated[str, Meta(max_length=MAX_WHY_CHARACTERS)]


SeatCommand = Fill | Remove | Start | Act | Ready | Autopilot | AutoPass | Leave
ClientMessage = (
    Hello | Create | Join | Watch | ListRooms | SeatCommand | Contribute | Export | Say | Emote | AskHint | Why
)


class _ToClient(Struct, frozen=True, omit_defaults=True, tag_field="type"):
    pass


class HouseRule(Struct, frozen=True, omit_defaults=True):
    """One of the `options` of a game: on or off, or a whole number where there are bounds.

    `text`: what it means, in English, for clients that have no words of their own for its `name`.
    """

    name: str
    default: OptionValue
    least: int | None = None
    most: int | None = None
    text: str = ""


class Welcome(_ToClient, frozen=True, tag="welcome"):
    """Answer to hello. `name`: as the server cleaned it. `games`: what can be played here. `servers`: the addresses of
    other servers of the same rooms, in case that this one stops. `house_rules`: of each game; older servers tell none.
    `fair`: deals can be contributed to.
    """

    server: str
    name: str
    games: tuple[str, ...]
    servers: tuple[str, ...] = ()
    house_rules: dict[str, tuple[HouseRule, ...]] = {}
    fair: bool = False


class Seated(_ToClient, frozen=True, tag="seated"):
    """The connection has a seat. Keep the `ticket`: it is the only way back to it, on any server of this store."""

    code: str
    seat: SeatNumber
    ticket: str


class Watching(_ToClient, frozen=True, tag="watching"):
    code: str


class Table(_ToClient, frozen=True, tag="table"):
    """The newest view, and what happened since the one before. `missed`: more happened than is listed."""

    view: TableView
    happened: tuple[Happening, ...] = ()
    missed: bool = False


class Done(_ToClient, frozen=True, tag="done"):
    """The command `n` is carried out and saved."""

    n: CommandNumber


class Refused(_ToClient, frozen=True, tag="refused"):
    """A message was refused and changed nothing (`internal`: as far as is known). `code`: an `ErrorCode`, or one that
    only newer servers know.

    `n`: of the command, where there is one.
    """

    code: str
    text: str
    n: CommandNumber | None = None
    retry_ms: Milliseconds | None = None


class Said(_ToClient, frozen=True, tag="said"):
    """Somebody spoke. `seat` is None for a spectator.

    `emote`: an `EmoteKind`, or one that only newer servers know; then `text` is what it says in English.
    """

    name: str
    text: str
    seat: SeatNumber | None = None
    emote: str = ""


class Hint(_ToClient, frozen=True, tag="hint"):
    """Answer to `AskHint`: what the bot would do, and what can be said for it from what the seat sees."""

    prompt: Count
    action: Action
    reasons: tuple[Reason, ...] = ()


class Because(_ToClient, frozen=True, tag="because"):
    """Answer to `Why`: the plainest reason that holds."""

    prompt: Count
    reason: Reason


class RoomSummary(Struct, frozen=True):
    code: str
    game: str
    host: str
    free: Count
    deals: Count
    pace: str


class Rooms(_ToClient, frozen=True, tag="rooms"):
    rooms: tuple[RoomSummary, ...]


class DealRecord(_ToClient, frozen=True, tag="record"):
    """Answer to export. `line`: the deal as JSON text of the format `paizhuo-record/1`, without the line's end."""

    deal: Count
    line: str


class Unseated(_ToClient, frozen=True, tag="unseated"):
    """The connection no longer sits or watches: it left, was removed, or the room is gone (`reason`)."""

    reason: Annotated[str, Meta(max_length=32)]


class Notice(_ToClient, frozen=True, tag="notice"):
    """About the server itself. `kind`: `stale` (the store is out of reach, commands are refused), `live` (it is back),
    `reset` (the store lost its newest entries: the next view is the truth), `newer` (a newer server has written in this
    room, which this one can only go on showing as it was: connect to another), `draining` (it stops: connect to another
    server, or again after a random time up to `retry_ms`).
    """

    kind: str
    retry_ms: Milliseconds | None = None


ServerMessage = (
    Welcome
    | Seated
    | Watching
    | Table
    | Done
    | Refused
    | Said
    | Hint
    | Because
    | Rooms
    | DealRecord
    | Unseated
    | Notice
)
