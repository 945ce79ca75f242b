"""What tests of stores share: an ear for what a store tells, and a writer of logs."""

import asyncio
from itertools import count

from server.store.base import EMPTY, Position, Store, seal

KEEP_MS = 60_000

_codes = (f"ROOM{number}" for number in count())


def new_room() -> str:
    """The code of a room that no other test has."""
    return next(_codes)


class Ear:
    """A listener that keeps what it is told. `next` waits for it."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[tuple[str, int, bytes] | tuple[str, bytes] | str] = asyncio.Queue()

    def appended(self, room: str, version: int, entry: bytes) -> None:
        self._told.put_nowait((room, version, entry))

    def heard(self, room: str, words: bytes) -> None:
        self._told.put_nowait((room, words))

    def lost(self) -> None:
        self._told.put_nowait("lost")

    def interrupted(self) -> None:
        self._told.put_nowait("interrupted")

    async def next(self) -> tuple[str, int, bytes] | tuple[str, bytes] | str:
        return await self._told.get()

    async def until(self, told: str) -> None:
        """Wait for one thing, and forget what comes before it."""
        while await self.next() != told:
            pass

    def silent(self) -> bool:
        return self._told.empty()


async def write(store: Store, room: str, *payloads: bytes, at: Position = EMPTY) -> Position:
    """Append the payloads one after another; the position after the last."""
    for payload in payloads:
        entry, after = seal(at, payload)
        await store.append(room, at, entry, keep_ms=KEEP_MS)
        at = after
    return at
