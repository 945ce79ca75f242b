"""The room log: the only authority over a room, and all that a node asks of a store.

A log is a list of entries; its version is its length. An entry is eight bytes of chain followed by the payload: the
chain is a hash over the chain before it and the payload, so two logs whose last entries carry the same chain are the
same log. An append names the version and chain that it builds on, and is refused if the log has moved on.
"""

from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

CHAIN_BYTES = 8


class Position(NamedTuple):
    """A place in a log: how many entries stand before it, and the chain of the last of them."""

    version: int
    chain: bytes


EMPTY = Position(0, bytes(CHAIN_BYTES))


def seal(position: Position, payload: bytes) -> tuple[bytes, Position]:
    """The entry that carries `payload` at `position`, and the position after it."""
    chain = blake2b(position.chain + payload, digest_size=CHAIN_BYTES).digest()
    return chain + payload, Position(position.version + 1, chain)


def unseal(position: Position, entry: bytes) -> tuple[bytes, Position]:
    """The payload of the entry at `position`, and the position after it. Raises `Corrupt`."""
    payload = entry[CHAIN_BYTES:]
    sealed, after = seal(position, payload)
    if sealed != entry:
        raise Corrupt(f"entry {position.version + 1} does not follow from the one before it")
    return payload, after


class StoreError(Exception):
    """The root of what a store raises."""


class VersionConflict(StoreError):
    """The log is not at the expected position: nothing was written. `entries`: what stands after the expected
    version, empty where that version no longer exists.
    """

    def __init__(self, entries: tuple[bytes, ...] = ()) -> None:
        super().__init__("the log has moved on")
        self.entries = entries


class TooEarly(StoreError):
    """By the store's clock `not_before_ms` has not come: nothing was written."""


class Refused(StoreError):
    """The store definitely did not write. The text says what is the matter with it."""


class Full(Refused):
    """No room was made, so that those that there are can go on. The store is well otherwise."""


class Unknown(StoreError):
    """No answer came: the entry may have been written, or may yet be. Read on and look for it before deciding again."""


class RolledBack(StoreError):
    """The log no longer holds the position that was read before: it was cut or replaced (a lossy failover)."""


class Corrupt(StoreError):
    """An entry does not belong to the chain before it."""


class Unfit(StoreError):
    """The store cannot keep the promises made to players. The text says which setting is wrong, and the remedy."""


@runtime_checkable
class BackedUp(Protocol):
    """A store that nobody can copy while it is open but itself."""

    async def back_up(self) -> Path:
        """A copy, which is whole; returns where. Raises `Refused`."""


class Listener(Protocol):
    """Whom a store tells what it hears of the rooms that are followed. Called on the event loop; must not block."""

    def appended(self, room: str, version: int, entry: bytes) -> None:
        """Some node (this one included) appended `entry`, which made the log `version` long. May come late, twice or
        not at all: it is a wake-up, and the log is the truth."""

    def heard(self, room: str, words: bytes) -> None:
        """Some node (this one included) told `words` to all nodes that follow the room."""

    def lost(self) -> None:
        """The channel to the store is lost and is being mended: nothing is heard until `interrupted`."""

    def interrupted(self) -> None:
        """The channel was lost and is back: words and entries may have been missed."""


class Store(Protocol):
    """Logs of rooms, a channel between the nodes that follow a room, and the list of rooms open to all."""

    async def open(self, listener: Listener) -> None:
        """Connect and check. Raises `Unfit`, or `Refused` when the store cannot be reached."""

    async def close(self) -> None:
        """Give up everything that `open` acquired; also after an `open` that failed."""

    def now_ms(self) -> int:
        """The store's clock, in milliseconds since 1970; never goes back, and is the one clock of all nodes."""

    async def read(self, room: str, after: Position) -> tuple[bytes, ...]:
        """The entries after a position that was once read or written (`EMPTY`: all). Raises `RolledBack`, `Refused`."""

    async def append(
        self, room: str, expected: Position, entry: bytes, *, keep_ms: int, not_before_ms: int = 0
    ) -> None:
        """Write `entry` (made by `seal`) at `expected`; returns once it is durable. The log is kept for `keep_ms` more.

        At `EMPTY` it creates the log (or raises `Full`); an expected version above 0 never does. Raises
        `VersionConflict`, `TooEarly`, `Refused`, `Unknown`.
        """

    async def follow(self, room: str) -> None:
        """From the return on, the listener is told of the room. Raises `Refused`."""

    async def unfollow(self, room: str) -> None:
        """The listener is told no more. Never raises for a store out of reach."""

    async def tell(self, room: str, words: bytes) -> None:
        """Words for all nodes that follow the room now: not kept, may be lost. Raises `Refused`."""

    async def enlist(self, room: str, summary: bytes, keep_ms: int) -> None:
        """Put the room on the list of open rooms, or renew it, for `keep_ms`. Raises `Refused`."""

    async def delist(self, room: str) -> None:
        """Take the room off the list. Raises `Refused`."""

    async def listed(self) -> tuple[bytes, ...]:
        """The summaries of at most 100 rooms on the list that have not run out, newest first. Raises `Refused`."""

    async def check(self) -> None:
        """Can it write now? Raises `Refused` with the reason."""
