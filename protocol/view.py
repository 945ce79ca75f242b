"""All that one viewer may see of a room: the only thing a server shows of it.

One `TableView` serves every game, every player, spectator and bot. It is complete: a client that has just come back
needs nothing else to show the table and to act.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.notation import Action, Card

MAX_INTEGER = 2**53 - 1
"""No number on the wire is larger, so that every JSON reader gets it exactly."""

SeatNumber = Annotated[int, Meta(ge=0, le=2)]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Milliseconds = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Points = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Number = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Hex = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes, written in hexadecimal digits."""

HexOrNone = Annotated[str, Meta(max_length=64, pattern=r"^[0-9a-f]*\Z")]
"""The same, or nothing."""

# What a room can be. The view itself has these as plain text, so that a client still reads the view of a newer server.
Pace = Literal["none", "slow", "normal", "fast"]
BotLevel = Literal["random", "easy", "normal", "hard"]  # from the weakest up
Phase = Literal["open", "dealing", "playing", "between", "over"]
SeatKind = Literal["empty", "human", "bot"]
OptionValue = bool | Annotated[int, Meta(ge=-1000, le=1000)]


class RoomView(Struct, frozen=True):
    """The room itself. `deal` counts from 1; it is 0 while the room is open."""

    code: str
    game: str
    options: dict[str, OptionValue]
    pace: str
    deals: Count
    deal: Count
    phase: str
    host: SeatNumber | None


class SeatView(Struct, frozen=True):
    """Who sits where. `level`: of a bot, or of the bot that stands in while `away` or `autopilot`.

    `score` adds up over the deals of the match. `ready`: wants the next deal.
    """

    seat: SeatNumber
    kind: str
    name: str = ""
    level: str | None = None
    connected: bool = False
    away: bool = False
    autopilot: bool = False
    ready: bool = False
    score: Points = 0


class Group(Struct, frozen=True, omit_defaults=True):
    """Cards that lie together. `kind` is the game's word for them; `seat`, where the zone is shared, whose they are.

    `value`: the points that they count, in a game where groups count.
    """

    cards: tuple[Card, ...]
    kind: str = ""
    seat: SeatNumber | None = None
    value: Points | None = None


class Zone(Struct, frozen=True, omit_defaults=True):
    """A named place for cards. A hidden zone has its `count` and no groups; `seat` is None for the table's own."""

    name: str
    count: Count
    seat: SeatNumber | None = None
    groups: tuple[Group, ...] = ()


class Fact(Struct, frozen=True, omit_defaults=True):
    """One public number or word of the deal under a label that clients put into words."""

    label: str
    value: Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] | str
    seat: SeatNumber | None = None


class DealView(Struct, frozen=True):
    """What the game shows of the deal. `history`: every public action in order, as `"ROUND SEAT ACTION"`."""

    zones: tuple[Zone, ...]
    facts: tuple[Fact, ...]
    history: tuple[str, ...]


class Prompt(Struct, frozen=True, omit_defaults=True):
    """The viewer's own question: choose one of `actions` and send it with this `id`.

    `remaining_ms`: until the server decides instead, counted when it was sent, bank included; None without a clock.
    """

    id: Count
    actions: tuple[Action, ...]
    remaining_ms: Milliseconds | None = None


class You(Struct, frozen=True):
    """The viewer's seat, and `n` of its last command that was carried out (0 before the first).

    `auto_pass`: claims that cannot win are passed without asking.
    """

    seat: SeatNumber
    n: Count
    auto_pass: bool = False


class Result(Struct, frozen=True, omit_defaults=True):
    """How a deal ended. `winners` is empty where nobody won.

    Paohuzi: `kind` of the end, `huxi` and `tun` of the winner, and the `groups` that counted.
    """

    scores: tuple[Points, Points, Points]
    winners: tuple[SeatNumber, ...]
    kind: str = ""
    huxi: Points = 0
    tun: Points = 0
    groups: tuple[Group, ...] = ()


class Round(Struct, frozen=True, omit_defaults=True):
    """Whose randomness a deal to come is made of, so far; see `protocol.fair`. Bytes are hexadecimal digits.

    `attempt`: from 1, and one more for each round of this deal that was voided. `closed`: nobody pledges any more, and
    whoever did is to reveal their part. `without`: seats that had their chance in a voided round.
    """

    deal: Number
    attempt: Number
    commitment: Hex
    pledges: tuple[HexOrNone, HexOrNone, HexOrNone] = ("", "", "")
    closed: bool = False
    without: tuple[SeatNumber, ...] = ()


class Proof(Struct, frozen=True, omit_defaults=True):
    """What the cards of a deal followed from, revealed after it. `missing`: the seats for whose want it was voided.

    A seat that added nothing has an empty pledge and an empty part.
    """

    room: Annotated[str, Meta(max_length=16)]
    deal: Number
    attempt: Number
    commitment: Hex
    secret: Hex
    pledges: tuple[HexOrNone, HexOrNone, HexOrNone] = ("", "", "")
    parts: tuple[HexOrNone, HexOrNone, HexOrNone] = ("", "", "")
    missing: tuple[SeatNumber, ...] = ()


class Fairness(Struct, frozen=True, omit_defaults=True):
    """Who adds to the next deals, and what the last one was made of. Not shown while a deal is being played.

    `rounds`: for the next deal, and for the one after it. `proofs`: of the deal that is over, and of rounds that were
    voided. `voids`: how many were for want of each seat, in this room.
    """

    rounds: tuple[Round, ...] = ()
    proofs: tuple[Proof, ...] = ()
    voids: tuple[Count, Count, Count] = (0, 0, 0)


class TableView(Struct, frozen=True):
    """The whole table for one viewer. `you` is None for a spectator; `result` is set once the deal is over."""

    room: RoomView
    seats: tuple[SeatView, SeatView, SeatView]
    deal: DealView | None = None
    prompt: Prompt | None = None
    you: You | None = None
    result: Result | None = None
    fair: Fairness | None = None


class Happening(Struct, frozen=True, omit_defaults=True):
    """One thing that happened in public, in a form that clients put into words.

    Which fields a `kind` fills is listed in protocol/README.md; a client passes over a kind that it does not know.
    """

    kind: str
    seat: SeatNumber | None = None
    cards: tuple[Card, ...] = ()
    value: Points | None = None
    name: str = ""
    scores: tuple[Points, ...] = ()


class Reason(Struct, frozen=True, omit_defaults=True):
    """Why: a `code`, with what it is about. Codes are listed in protocol/README.md; a client has words for those that
    it knows, and passes over others.
    """

    code: str
    cards: tuple[Card, ...] = ()
    number: Points | None = None
    seat: SeatNumber | None = None
