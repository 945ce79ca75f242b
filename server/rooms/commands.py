"""What can be asked of a room: by people, by bots, and by time. `decide` turns each into events or refuses it."""

from hashlib import blake2b

import msgspec
from msgspec import Struct

from protocol.messages import Contribution, Create, SeatCommand
from protocol.notation import Action
from server.rooms.events import Numbered


class OpenRoom(Struct, frozen=True):
    """Create the room and seat its creator, or, where this ticket did so before, take back its seat.

    `ticket` is a hash; `woke` as in `Resume`. `secrets`: for the rounds of the first two deals; without them the deals
    of the room cannot be checked.
    """

    code: str
    request: Create
    name: str
    ticket: bytes
    connection: str
    woke: bool = False
    secrets: tuple[bytes, ...] = ()


class TakeSeat(Struct, frozen=True):
    """Sit down, or, where this ticket has a seat already, take that one back. `contributes`: as in `Join`."""

    name: str
    ticket: bytes
    connection: str
    woke: bool = False
    contributes: bool = False


class Resume(Struct, frozen=True):
    """Take back the seat of this ticket. `woke`: as far as the node knows no player was connected to the room."""

    ticket: bytes
    connection: str
    woke: bool


class ByPlayer(Struct, frozen=True):
    """A seated player's command, as it came over the wire."""

    seat: int
    connection: str
    message: SeatCommand

    def numbered(self) -> Numbered:
        digest = blake2b(msgspec.msgpack.encode(self.message), digest_size=8).digest()
        return Numbered(self.seat, self.message.n, digest)


class ByClient(Struct, frozen=True):
    """What the program of a seated player adds to the cards of deals to come."""

    seat: int
    connection: str
    contributions: tuple[Contribution, ...]


class DealCards(Struct, frozen=True):
    """The next deal is due: a shuffled deck and a first seat for it. `seed`: what they follow from, empty in a room
    without rounds. `secret`: for the round of the deal after the next.
    """

    deck: tuple[str, ...]
    first: int
    seed: bytes = b""
    secret: bytes = b""


class VoidRound(Struct, frozen=True):
    """Some seats were waited for in vain. `secret`: for the round that takes the place of theirs."""

    deal: int
    attempt: int
    secret: bytes


class PlayForSeat(Struct, frozen=True):
    """A bot's answer to a prompt of the seat that it plays or stands in for."""

    seat: int
    prompt: int
    action: Action


class PassForSeat(Struct, frozen=True):
    """A player's own switch answers a prompt that it stands for."""

    seat: int
    prompt: int


class GoOn(Struct, frozen=True):
    """A public card has stood for its time. `moment`: of the game, when it was seen to stand."""

    moment: int


class TimeUp(Struct, frozen=True):
    """A player missed a deadline. `action`: what is done instead, where that is no pass; None also in a pause."""

    seat: int
    prompt: int
    action: Action | None


class MarkAway(Struct, frozen=True):
    """A player has been disconnected for longer than the grace."""

    seat: int


class AskHost(Struct, frozen=True):
    """The host of a lobby has been idle."""

    seat: int


class PassHost(Struct, frozen=True):
    """The host of a lobby has been asked and has not answered."""

    seat: int


class CloseRoom(Struct, frozen=True):
    """The server's operator ends the room, whatever is going on in it."""


class Expel(Struct, frozen=True):
    """The server's operator takes a player's seat away for good, as if the player had left."""

    seat: int


class Regrant(Struct, frozen=True):
    """A node could not reach the store, or did not run, from `since_ms` until now."""

    since_ms: int


Command = (
    OpenRoom
    | TakeSeat
    | Resume
    | ByPlayer
    | ByClient
    | DealCards
    | VoidRound
    | PlayForSeat
    | PassForSeat
    | GoOn
    | TimeUp
    | MarkAway
    | AskHost
    | PassHost
    | CloseRoom
    | Expel
    | Regrant
)
